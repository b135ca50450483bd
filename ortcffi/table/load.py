# SPDX-License-Identifier: MIT
"""`load` opens other libraries that have the C API: those that export ``OrtGetApiBase``.

A library stays loaded until the process ends: it has threads and thread-local data, and any object
may still refer to its table.
"""

import os
import re
import sys
from contextlib import suppress
from functools import partial
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ortcffi._convert import AnyPath, absolute, decode
from ortcffi._native import extension_path, ffi, lib
from ortcffi._public import public
from ortcffi._table import OLDEST_VERSION, core_api, supported_version
from ortcffi.table.api import Api

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec

    from ortcffi._ort import Cdata


ENTRY = "OrtGetApiBase"
VARIABLE = "ORTCFFI_LIBRARY"
WHEEL = "the library of the package onnxruntime"
SYSTEM = "the system's library"
RELEASES = f"expected release 1.{OLDEST_VERSION} of ONNX Runtime or a later one"
if sys.platform == "darwin":
    SYSTEM_NAMES = ["libonnxruntime.dylib"]
    NAME_ENDS = ("libonnxruntime.", ".dylib")
elif sys.platform == "win32":
    SYSTEM_NAMES = ["onnxruntime.dll"]
    NAME_ENDS = ("onnxruntime.dll", "")
else:
    SYSTEM_NAMES = ["libonnxruntime.so.1", "libonnxruntime.so"]
    NAME_ENDS = ("libonnxruntime.so", "")
_EXPECTED = "expected the path of a shared library, such as libonnxruntime.so"
OTHER_BUILD = "get another build of it"
_ADVICE = {  # by a sign in the loader's reason
    "No such file": "install the library that this names, or put its directory in LD_LIBRARY_PATH",
    "GLIBC": "get a build for an older system",
    "undefined symbol": "a library that it depends on is missing or of another version",
}


@public
class LoadError(OSError):
    """A library cannot be used: it does not load, or does not have the C API.

    Attributes
    ----------
    path : str or None
        The library, or None if none was found.
    problem : str
        What is wrong with it.
    remedy : str
        What was expected, or what to do.
    """

    path: str | None = None
    problem: str = ""
    remedy: str = ""


@public
class LibraryNotFound(LoadError, FileNotFoundError):
    """There is no library at the path, or no library was found anywhere."""

    provider: str | None = None


def _error(
    argument: str, path: str, problem: str, remedy: str, kind: type[LoadError] = LoadError
) -> LoadError:
    error = kind(f"{argument} {path!r} {problem}; {remedy}")
    error.path, error.problem, error.remedy = path, problem, remedy
    return error


@public
def load(path: AnyPath | None = None) -> Api:
    """Open a library that exports ``OrtGetApiBase`` and return its function table.

    Without a path, opens the first of these that exists: the library that the environment variable
    ``ORTCFFI_LIBRARY`` names, the one in the installed package ``onnxruntime`` (which is not
    imported), the one that the system's loader finds. If that library is broken, `LoadError` is
    raised and the next one is not tried, since that would hide a mistake. API functions:
    ``OrtGetApiBase``, ``GetVersionString``, ``GetApi``.

    Parameters
    ----------
    path : str, bytes or os.PathLike, optional
        The library. A relative path is relative to the current directory; the loader's search path
        is not used.

    Returns
    -------
    Api
        The table of the highest API version that the library and this package know. The library is
        opened with ``RTLD_LOCAL`` and stays loaded until the process ends. Loading it again returns
        an equal Api.

    Raises
    ------
    LibraryNotFound
        There is no such file, or without a path none of the three (it is a `FileNotFoundError`).
    LoadError
        The file is not a shared library, is for another platform, depends on a missing library,
        does not define ``OrtGetApiBase``, or is a release before 1.20.
    """
    if path is not None:
        return _load_file("path", path)
    if named := os.environ.get(VARIABLE):
        return _load_file(VARIABLE, named)
    for found in installed_libraries():
        return _load_file(WHEEL, found)
    return _load_system()


def installed_libraries() -> list[str]:
    """Return the libraries of the first package ``onnxruntime`` that has any, newest first."""
    return next((libraries for _, libraries in installed_packages()), [])


def installed_packages() -> "Iterator[tuple[str, list[str]]]":
    """Yield the directories of packages ``onnxruntime`` with libraries, and these."""
    for spec in _packages():
        for place in spec.submodule_search_locations or ():
            if libraries := libraries_in(place):
                yield place, libraries


def package_advice() -> str:
    """Return what to do where ``import onnxruntime`` does not find the official package."""
    first = next((spec for spec in _packages() if spec.name == "onnxruntime"), None)
    install = "run 'pip install onnxruntime'"
    places = list(first.submodule_search_locations or ()) if first else []
    if first and not any(libraries_in(place) for place in places):
        place = places[0] if places else first.origin
        further = "" if installed_libraries() else f", and {install}"
        return f"{place!r} is imported as onnxruntime instead: rename it{further}"
    return install


def _packages() -> "Iterator[ModuleSpec]":
    """Yield the packages ``onnxruntime``: the imported one, then all along ``sys.path``."""
    entries = [entry for entry in sys.path if isinstance(entry, str)]
    searches = [partial(find_spec, "onnxruntime")]
    searches += [partial(PathFinder.find_spec, "onnxruntime", [entry]) for entry in entries]
    for search in searches:
        # ValueError and TypeError: sys.modules or sys.path has something odd
        with suppress(ValueError, TypeError):
            if spec := search():
                yield spec


def libraries_in(package: str) -> list[str]:
    """Return the libraries in the directory of a package such as ``onnxruntime``, newest first."""
    prefix, suffix = NAME_ENDS
    directory = os.path.join(os.path.abspath(package), "capi")
    names = os.listdir(directory) if os.path.isdir(directory) else []
    fitting = sorted(name for name in names if name.startswith(prefix) and name.endswith(suffix))
    paths = [os.path.join(directory, name) for name in fitting]
    # Of a link and the file that it leads to, the file is kept: it sorts later.
    once = {os.path.realpath(path): path for path in paths}.values()

    def version_in_name(path: str) -> list[int]:
        return [int(number) for number in re.findall("[0-9]+", os.path.basename(path))]

    return sorted(once, key=version_in_name, reverse=True)


def inspect(argument: str, path: str) -> None:
    """Raise what `load` would raise for a file, as far as that is known without loading it.

    The loader reports different causes with the same text; this distinguishes them. And the code of
    a library that cannot be used does not run.
    """
    from ortcffi.table import elf  # not needed by those who stay with the embedded core

    native = None
    with suppress(elf.ElfError):  # the extension module of this process is no ELF file
        native = elf.read(extension_path()).platform
    try:
        library = elf.read(path) if native else None
    except (FileNotFoundError, NotADirectoryError):
        raise _error(argument, path, "does not exist", _EXPECTED, LibraryNotFound) from None
    except elf.ElfError as error:
        raise _error(argument, path, str(error), _EXPECTED) from None
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise _error(argument, path, problem, "expected a readable file") from error
    if library and library.platform != native:
        problem = f"is for {library.platform}, and this process is for {native}"
        raise _error(argument, path, problem, "get the library for this platform")
    if library and library.exports is not None and ENTRY not in library.exports:
        raise _no_entry(argument, path)


def core_path() -> str:
    """Return the path of the embedded core, the library beside the extension module."""
    return os.fsdecode(library_of(lib.ortcffi_core_api_base()))


def _no_entry(argument: str, path: str) -> LoadError:
    remedy = "expected a library with the ONNX Runtime C API, such as libonnxruntime.so"
    return _error(argument, path, f"does not define {ENTRY}", remedy)


def _load_file(argument: str, path: AnyPath) -> Api:
    path = absolute(argument, path)
    inspect(argument, path)
    library, reason = _open(os.fsencode(path))
    if library == ffi.NULL:
        remedy = next((advice for sign, advice in _ADVICE.items() if sign in reason), _EXPECTED)
        raise _error(argument, path, f"cannot be loaded: {reason}", remedy)
    return _table(argument, path, library)


def _load_system() -> Api:
    reasons = []
    for name in SYSTEM_NAMES:
        library, reason = _open(name.encode())
        if library != ffi.NULL:
            return _table(SYSTEM, name, library)
        reasons.append(reason)
    problem = (
        f"found no ONNX Runtime library: {VARIABLE} is not set, the package onnxruntime is not "
        f"installed or has none, and the system's loader says: {'; '.join(reasons)}"
    )
    remedy = f"{package_advice()}, set {VARIABLE}, or give a path"
    error = LibraryNotFound(f"{problem}; {remedy}")
    error.problem, error.remedy = problem, remedy
    raise error


def _open(path: bytes) -> tuple["Cdata", str]:
    reason = ffi.new("char[]", 4096)
    library = lib.ortcffi_library_open(path, reason, len(reason))
    return library, decode(reason)


def library_of(address: "Cdata") -> bytes:
    """Return the path of the library that an address is in, for `_open`; empty if in none."""
    path = ffi.new("char[4096]")
    return bytes(ffi.buffer(path, lib.ortcffi_library_of(address, path)))


def _table(argument: str, path: str, library: "Cdata") -> Api:
    entry = lib.ortcffi_library_symbol(library, ENTRY.encode())
    home = library_of(entry)
    if not entry or not home:  # a symbol can be a constant instead of an address
        raise _no_entry(argument, path)
    # The loader looks for a symbol in the library, then in those that it depends on.
    if _open(home)[0] != library:
        problem = f"does not define {ENTRY} but depends on {os.fsdecode(home)!r}, which does"
        raise _error(argument, path, problem, "give the path of that one")
    if not os.path.isabs(path):  # the loader was given a file name without a directory
        path = os.path.abspath(os.fsdecode(home))
    base = ffi.cast("const OrtApiBase*(*)(void)", entry)()
    text = base.GetVersionString() if base and base.GetVersionString else ffi.NULL
    if not text or not base.GetApi:
        raise _error(argument, path, f"answers NULL from {ENTRY}", OTHER_BUILD)
    version_string = decode(text)
    try:
        version = min(supported_version(version_string), lib.ORTCFFI_API_VERSION)
    except ValueError as error:
        raise _error(argument, path, str(error), RELEASES) from None
    # Not a higher version: the library would print a message to stderr.
    pointer = base.GetApi(version)
    if not pointer:
        problem = f"is of version {version_string!r} but has no table for API version {version}"
        raise _error(argument, path, problem, OTHER_BUILD)
    is_core = base == lib.ortcffi_core_api_base()
    return Api(
        pointer,
        version=version,
        version_string=version_string,
        path=path,
        base=base,
        library=core_api().library if is_core else None,
    )


@public
def expose_symbols() -> str:
    """Make ``OrtGetApiBase`` a global symbol, for libraries that are loaded from now on.

    An op library should use the base that ``RegisterCustomOps`` is given. One that calls
    ``OrtGetApiBase`` by name, without being linked to a library that exports it, does not load:
    Python opens extension modules with ``RTLD_LOCAL``, so other libraries do not see their symbols.
    This function opens the embedded core, the library beside the extension module, with
    ``RTLD_GLOBAL``.

    It affects the whole process and cannot be undone. Libraries that were loaded before are not
    affected.

    Returns
    -------
    str
        The path of the library whose ``OrtGetApiBase`` is found. It is the embedded core's, unless
        another library with that symbol was global before: one that was preloaded, that the program
        is linked to, or that was opened with ``RTLD_GLOBAL``. The loader uses the first. A library
        that is linked to ``libonnxruntime`` needs that file in any case.

    Notes
    -----
    `default_api` and `load` are not affected: they look for the symbol in one library.
    """
    reason = ffi.new("char[]", 4096)
    # The path must be the one that the loader knows, so that it finds the loaded library.
    core = library_of(lib.ortcffi_core_api_base())
    if not lib.ortcffi_library_expose(core, reason, len(reason)):
        raise OSError(f"the embedded core cannot be opened with RTLD_GLOBAL: {decode(reason)}")
    program = lib.ortcffi_library_open(ffi.NULL, reason, len(reason))
    found = lib.ortcffi_library_symbol(program, ENTRY.encode())
    return os.fsdecode(library_of(found))
