# SPDX-License-Identifier: MIT
"""The models of the package onnx's tests of operators."""

import warnings
from pathlib import Path

from support.compilers import builds, locked


def node_models() -> list[Path]:
    """Their files, which are made once for each release of onnx: that takes five seconds."""
    import onnx

    folder = builds() / f"onnx-{onnx.__version__}"
    with locked(folder):
        if not (folder / "complete").exists():
            write_models(folder)
            (folder / "complete").touch()
    return sorted(folder.glob("*.onnx"))


def write_models(folder: Path) -> None:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings(action="ignore"):  # of NumPy, which computes the expected outputs
        cases = collect_testcases(None)
    for case in cases:
        (folder / f"{case.name}.onnx").write_bytes(case.model.SerializeToString())
