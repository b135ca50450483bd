# SPDX-License-Identifier: MIT
"""The only importer of the compiled module."""

from ortcffi._ort import ffi, lib

__all__ = ["Source", "ffi", "lib"]

Source = lib.ortcffi_source_type()
