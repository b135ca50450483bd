# SPDX-License-Identifier: MIT
"""The only importer of the compiled module."""

from ortcffi._ort import ffi, lib

__all__ = ["Keeper", "Owner", "Source", "ffi", "lib"]

Source = lib.ortcffi_source_type()
Owner = lib.ortcffi_owner_type(ffi.cast)
Keeper = lib.ortcffi_keeper_type()
