# SPDX-License-Identifier: MIT
"""`attach`: the way to the table of the copy of ONNX Runtime inside the official package.

That copy exports no function. But an official ``SessionOptions`` loads libraries of custom ops and
gives each the copy's ``OrtApiBase``: this package's own extension is such a library.
"""

import importlib
import os
import sys
import threading
from itertools import count
from typing import TYPE_CHECKING

from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.kernels.op_sets import OpSet, registering
from ortcffi.official.attached import Official
from ortcffi.official.layout import PACKAGE
from ortcffi.table.load import LoadError, package_advice

if TYPE_CHECKING:
    from ortcffi._ort import OrtApiBase

__all__ = ["attach"]

_guard = threading.Lock()
_attached: Official | None = None


@public
def attach() -> Official:
    """Reach the copy of ONNX Runtime inside the official package ``onnxruntime``.

    Nothing is registered or changed there. The result is the same object each time.

    Raises
    ------
    LoadError
        The package is not installed or cannot be imported, is a release before 1.20, or has no
        way in.

    Examples
    --------
    >>> official = attach()
    >>> official.is_core, official.version >= 20
    (False, True)
    """
    global _attached  # noqa: PLW0603  # there is one such copy
    with _guard:
        if _attached is None:
            _attached = _attach()
        return _attached


def _attach() -> Official:
    if getattr(sys.modules.get(PACKAGE), "__name__", "") == "ortcffi.compat":
        raise LoadError(
            "onnxruntime is the drop-in ortcffi.compat in this process, and its sessions need no "
            "attach(): use ortcffi's own objects with them"
        )
    try:
        package = importlib.import_module(PACKAGE)
        module = importlib.import_module(f"{PACKAGE}.capi.onnxruntime_pybind11_state")
    except ImportError as error:
        raise LoadError(
            f"the package onnxruntime cannot be imported ({error}); {package_advice()}"
        ) from error
    extension = importlib.import_module("ortcffi._ort").__file__
    try:
        with registering(OpSet("")):  # those of another set would stay for the whole process
            package.SessionOptions().register_custom_ops_library(extension)
    except Exception as error:
        text = f"{module.__file__} does not load libraries of custom ops: {error}"
        raise LoadError(text) from error
    base = _base_of(str(module.__file__))
    if base is None:
        raise LoadError(f"{module.__file__} gave no OrtApiBase to a library of custom ops")
    return Official(base, module)


def _base_of(path: str) -> "OrtApiBase | None":
    """The base that lies in a library, among those that the extension received."""
    for i in count():
        base = lib.ortcffi_received_base(i)
        if not base:
            return None
        owner = lib.ortcffi_library_of(base)
        if owner and os.path.samefile(ffi.string(owner), path):
            return base
    return None
