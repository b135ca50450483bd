# SPDX-License-Identifier: MIT
"""``OrtGetApiBase``, for libraries that find it by name."""

import os

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._public import public

ENTRY = b"OrtGetApiBase"


@public
def expose_symbols() -> str:
    """Make ``OrtGetApiBase`` findable for libraries that are loaded from now on.

    A custom-op library should take the base that ``RegisterCustomOps`` is given. One that calls
    ``OrtGetApiBase`` by name, without linking to a library that has it, does not load: Python opens
    extension modules with ``RTLD_LOCAL``, so that what they define serves nobody else. This opens
    the extension module, which holds the embedded core, once more with ``RTLD_GLOBAL``.

    It concerns the whole process and cannot be undone. A library that was loaded before keeps what
    it found then.

    Returns
    -------
    str
        The path of the library whose ``OrtGetApiBase`` such a library finds. This is the extension
        module, unless another library that has it was made global before (it was preloaded, the
        program is linked to it, or somebody opened it with ``RTLD_GLOBAL``): the loader searches
        in that order, and the first one wins. A library that is linked to ``libonnxruntime`` needs
        that file in any case.

    Raises
    ------
    OSError
        The loader refuses.

    Notes
    -----
    `default_api` and `load` are not affected: they ask each library itself.
    """
    reason = ffi.new("char[]", 4096)
    # As the loader names it, which is how it recognises what it has loaded.
    extension = lib.ortcffi_library_of(lib.ortcffi_core_api_base())
    if not lib.ortcffi_library_expose(extension, reason, len(reason)):
        raise OSError(f"the extension module cannot be opened with RTLD_GLOBAL: {decode(reason)}")
    program = lib.ortcffi_library_open(ffi.NULL, reason, len(reason))
    found = lib.ortcffi_library_symbol(program, ENTRY)
    return os.fsdecode(ffi.string(lib.ortcffi_library_of(found)))
