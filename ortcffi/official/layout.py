# SPDX-License-Identifier: MIT
"""The C++ objects inside objects of the official package.

`pointer_of` asks the binding itself, through pybind11's protocol between extension modules. Only
the ``OrtSession`` of an ``InferenceSession`` is out of its reach: `session_pointer` looks for it in
the binding's own object, word by word, by the name of its C++ type, and reads all memory through
the system, so that a layout that is not known ends in an error, not in a crash.
"""

import re
import struct
from typing import Any

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._public import public

__all__ = [
    "KNOWN_RELEASES",
    "PACKAGE",
    "UnknownLayoutError",
    "is_known_release",
    "pointer_of",
    "session_pointer",
]

VALUE = lib.ORTCFFI_OFFICIAL_VALUE
SESSION_OPTIONS = (lib.ORTCFFI_OFFICIAL_SESSION_OPTIONS, lib.ORTCFFI_OFFICIAL_OLD_OPTIONS)
RUN_OPTIONS = lib.ORTCFFI_OFFICIAL_RUN_OPTIONS
MEMORY_INFO = lib.ORTCFFI_OFFICIAL_MEMORY_INFO
SESSION = b"N11onnxruntime16InferenceSessionE"  # the mangled name of what an OrtSession is

PACKAGE = "onnxruntime"
# The oldest and the newest release of onnxruntime whose sessions were found, and all between them.
KNOWN_RELEASES = ("1.20", "1.32")

_WORD = struct.calcsize("P")
_MOST_WORDS = 512  # of the binding's object; 1.31 has 125
_INSTANCE = 2 * _WORD  # where a pybind11 object has the address of its C++ object


@public
class UnknownLayoutError(TypeError):
    """An object is not of the official package, or of a release whose layout is not known."""


def is_known_release(version: str) -> bool:
    """Whether the sessions of a release of onnxruntime, such as "1.31.1", are known to be found."""
    oldest, newest, given = (_numbers(each) for each in (*KNOWN_RELEASES, version))
    return oldest <= given <= newest


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])


def pointer_of(official: Any, *types: int) -> int:
    """The address of the C++ object inside an official object.

    Parameters
    ----------
    official : object
        An object of the binding, such as ``OrtValue._ortvalue``. It owns the C++ object.
    *types : int
        The C++ types that it may have, such as `VALUE`.

    Raises
    ------
    UnknownLayoutError
        It has no C++ object of these types, or was never constructed.
    """
    place = f"{type(official).__module__}.{type(official).__qualname__}"
    # For an object that was never constructed, pybind11 would return uninitialized memory.
    if _words(id(official) + _INSTANCE, 1) == (0,) and hasattr(official, "_pybind11_conduit_v1_"):
        raise UnknownLayoutError(f"this {place} was never constructed: __init__ was not called")
    for kind in types:
        if address := lib.ortcffi_official_pointer(official, kind):
            return address
    names = " or ".join(_readable(decode(lib.ortcffi_official_type_name(k))) for k in types)
    text = f"{place} holds no C++ object of the type {names}"
    if place.startswith("onnxruntime.") and not hasattr(official, "_pybind11_conduit_v1_"):
        text += ", or does not hand it out, as no object of a release before 1.21 does"
    raise UnknownLayoutError(text)


def _readable(name: str) -> str:
    """A C++ type by its mangled name, such as ``8OrtValue``, as people write it."""
    parts, rest = [], name.removeprefix("N")
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    return "::".join(parts) or name


def session_pointer(binding: Any) -> int:
    """The address of the ``OrtSession`` of an official session.

    Parameters
    ----------
    binding : object
        ``InferenceSession._sess``.

    Raises
    ------
    UnknownLayoutError
        There is no such session, or more than one candidate.
    """
    address = lib.ortcffi_official_pointer(binding, lib.ORTCFFI_OFFICIAL_SESSION) or _instance_of(
        binding
    )
    if not address:
        raise UnknownLayoutError(f"{type(binding).__qualname__} holds no official session")
    # Words beyond the object may belong to another session's.
    words = _words(address, min(_size_of(address) // _WORD, _MOST_WORDS))
    found = {word for word in words if _type_name(word) == SESSION}
    if len(found) != 1:
        raise UnknownLayoutError(
            f"the binding's object has {len(found)} words that point to a session; the layout of "
            "this release of onnxruntime is not known"
        )
    return found.pop()


def _instance_of(binding: Any) -> int:
    """The C++ object of releases up to 1.20, which lack the protocol; its type is checked."""
    if type(binding).__module__ != "onnxruntime.capi.onnxruntime_pybind11_state":
        return 0
    (address,) = _words(id(binding) + _INSTANCE, 1) or (0,)
    return address if _type_name(address) == _binding_session() else 0


def _binding_session() -> bytes:
    """The mangled name of the binding's own object of a session."""
    return decode(lib.ortcffi_official_type_name(lib.ORTCFFI_OFFICIAL_SESSION)).encode()


def _size_of(address: int) -> int:
    """How many bytes glibc's heap gave for an object: the word before it says so."""
    (size,) = _words(address - _WORD, 1) or (0,)
    return max((size & ~7) - _WORD, 0)


def _words(address: int, count: int) -> tuple[int, ...]:
    """Words of memory; fewer or none where it cannot be read."""
    if address <= 0 or address % _WORD or count <= 0:
        return ()
    memory = ffi.new("uintptr_t[]", count)
    if lib.ortcffi_read_memory(address, memory, count * _WORD):
        return tuple(memory)
    return ()


def _type_name(address: int) -> bytes:
    """The mangled name of the C++ type of an object with virtual functions, or b"".

    The object begins with the address of its table of virtual functions, the word before which is
    the address of its ``std::type_info``, whose second word is the address of the name.
    """
    for step in (0, -_WORD, _WORD):
        word = _words(address + step, 1)
        if not word:
            return b""
        address = word[0]
    name = ffi.new("char[]", len(_binding_session()) + 1)
    if not lib.ortcffi_read_memory(address, name, len(name)):
        return b""
    return bytes(ffi.buffer(name)).split(b"\0", 1)[0]
