# SPDX-License-Identifier: MIT
"""The only importer of the compiled module."""

from ortcffi._ort import ffi, lib

__all__ = ["Keeper", "Owner", "Source", "ffi", "lib"]

# The compiled module has one set of error classes and callbacks for the whole process, so a second
# interpreter would replace those of the first.
if lib.ortcffi_interpreter() != 0:
    raise ImportError(
        "ortcffi can be imported in the main interpreter only, not in a subinterpreter: "
        "its C code calls back into one interpreter"
    )

Source = lib.ortcffi_source_type()
Owner = lib.ortcffi_owner_type(ffi.cast)
Keeper = lib.ortcffi_keeper_type()
lib.ortcffi_arenas_begin()
