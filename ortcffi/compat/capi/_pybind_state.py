# SPDX-License-Identifier: MIT
"""The names of the official package's compiled module, by its other name."""

from ortcffi.compat._names import names_of
from ortcffi.compat.capi.onnxruntime_pybind11_state import _PLACES
from ortcffi.compat.capi.onnxruntime_pybind11_state import __all__ as __all__

__getattr__, __dir__ = names_of(__name__, _PLACES)
