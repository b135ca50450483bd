# SPDX-License-Identifier: MIT
"""The names of the official package's compiled module, by its other name."""

from ortcffi.compat.capi.onnxruntime_pybind11_state import *  # noqa: F403  # as officially
from ortcffi.compat.capi.onnxruntime_pybind11_state import __getattr__ as __getattr__
