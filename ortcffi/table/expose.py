# SPDX-License-Identifier: MIT
"""`expose_symbols`: lets libraries find ``OrtGetApiBase`` by name."""

import os

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._public import public

ENTRY = b"OrtGetApiBase"


@public
def expose_symbols() -> str:
    """Make ``OrtGetApiBase`` a global symbol, for libraries that are loaded from now on.

    An op library should use the base that ``RegisterCustomOps`` is given. One that calls
    ``OrtGetApiBase`` by name, without being linked to a library that exports it, does not load:
    Python opens extension modules with ``RTLD_LOCAL``, so other libraries do not see their symbols.
    This function opens the extension module, which contains the embedded core, with
    ``RTLD_GLOBAL``.

    It affects the whole process and cannot be undone. Libraries that were loaded before are not
    affected.

    Returns
    -------
    str
        The path of the library whose ``OrtGetApiBase`` is found. It is the extension module, unless
        another library with that symbol was global before: one that was preloaded, that the program
        is linked to, or that was opened with ``RTLD_GLOBAL``. The loader uses the first. A library
        that is linked to ``libonnxruntime`` needs that file in any case.

    Raises
    ------
    OSError
        The loader reports an error.

    Notes
    -----
    `default_api` and `load` are not affected: they look for the symbol in one library.
    """
    reason = ffi.new("char[]", 4096)
    # The path must be the one that the loader knows, so that it finds the loaded library.
    extension = lib.ortcffi_library_of(lib.ortcffi_core_api_base())
    if not lib.ortcffi_library_expose(extension, reason, len(reason)):
        raise OSError(f"the extension module cannot be opened with RTLD_GLOBAL: {decode(reason)}")
    program = lib.ortcffi_library_open(ffi.NULL, reason, len(reason))
    found = lib.ortcffi_library_symbol(program, ENTRY)
    return os.fsdecode(ffi.string(lib.ortcffi_library_of(found)))
