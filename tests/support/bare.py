# SPDX-License-Identifier: MIT
"""An environment of Python that has only what ortcffi needs: neither onnxruntime nor onnx."""

import importlib.util
import venv
from pathlib import Path

import ortcffi

NEEDED = ("numpy", "numpy.libs", "_cffi_backend")


def bare_python(folder: Path, *packages: str) -> Path:
    """Its interpreter; it is made in a folder, with those packages too, if they are installed."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for place in filter(None, map(place_of, (*NEEDED, *packages))):
        (site / place.name).symlink_to(place)
    (site / "ortcffi").symlink_to(Path(ortcffi.__file__).parent)
    return folder / "bin/python"


def place_of(name: str) -> Path | None:
    """The file or folder of a package, or of what lies beside one; None if it is not there."""
    if name.endswith(".libs"):
        beside = place_of(name.removesuffix(".libs"))
        assert beside
        return beside.with_name(name) if beside.with_name(name).exists() else None
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
