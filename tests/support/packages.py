# SPDX-License-Identifier: MIT
"""Model packages for tests."""

import json
from pathlib import Path
from typing import Any

from support import models

CPU = {"ep": "CPUExecutionProvider"}
VARIANTS = {
    "cuda": {"ep": "CUDAExecutionProvider", "device": "gpu"},
    "cpu": {**CPU, "executor_info": {"ort": {"model_file": "add.onnx"}}},
}
ASSET = f"sha256:{'0' * 64}"


def manifest(component: Any = None, **fields: Any) -> dict[str, Any]:
    """A manifest of one component, by default that of `write`, with further fields."""
    component = {"variants": VARIANTS} if component is None else component
    return {"schema_version": "1.0", "components": {"adds": component}, **fields}


def write(folder: Path, said: Any = None, **files: Any) -> Path:
    """Write a package: what the manifest says, and files by path: bytes, or what is made JSON."""
    files = {"manifest.json": manifest() if said is None else said, **files}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    if said is None:
        (folder / "add.onnx").write_bytes(models.add())
    return folder
