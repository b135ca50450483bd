# SPDX-License-Identifier: MIT
"""The names of the package onnxruntime: ``import ortcffi.compat as onnxruntime``.

`install` has ``import onnxruntime`` give this package, for programs that are not changed.

What stands here is thin: it gives ortcffi's sessions, options and values the official names,
arguments, results and exceptions. The page 'From onnxruntime to ortcffi' says what differs.
A module is imported, and the library loaded, when one of its names is first used.
"""

import contextlib as contextlib

from ortcffi.compat import _names

_PLACES = _names.listed(_names.NAMES)
# Without the one name that the official package has not.
__all__ = [name for name in _PLACES if not name.startswith("_") and name != "install"]

import_capi_exception = None
__author__ = "Microsoft"  # of what these names are made after


def _advice(name: str) -> str:
    if name in _names.TOOLS:
        return f": import onnxruntime.{name}, which is the official package's after install() too"
    if name.startswith("ModelPackage"):
        return ": the C API has no functions that write model packages"
    return ""


__getattr__, __dir__ = _names.names_of(__name__, _PLACES, _advice)
