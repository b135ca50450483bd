# SPDX-License-Identifier: MIT
"""The C++ objects inside objects of the official package.

`pointer_of` asks the binding itself, through pybind11's protocol between extension modules. That
hands out the binding's own object of a session, but not the ``OrtSession`` inside, which
`session_pointer` reads at the place where the release has it. It checks the name of its C++ type.
"""

import re
import struct
from functools import cache
from typing import Any

from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public
from ortcffi.values.capsules import name_of, new_capsule, pointer_in

# The mangled names of C++ types.
VALUE = "8OrtValue"
# What begins with the options; up to release 1.22 the options themselves.
SESSION_OPTIONS = ("N11onnxruntime6python16PySessionOptionsE", "17OrtSessionOptions")
RUN_OPTIONS = "13OrtRunOptions"
MEMORY_INFO = "13OrtMemoryInfo"
BINDING = "N11onnxruntime6python18PyInferenceSessionE"
SESSION = b"N11onnxruntime16InferenceSessionE"  # what an OrtSession is

# The names of the C++ ABI of manylinux wheels in releases of pybind11, the newest first. A binding
# with another ABI returns None for a name, so a wrong one does no harm.
_ABIS = (
    b"system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1",
    b"_gcc_libstdcpp_cxxabi1019",
    b"_gcc_libstdcpp_cxxabi1018",
)
_TYPE_INFO = b"St9type_info"

PACKAGE = "onnxruntime"
# Which word of a PyInferenceSession points to the OrtSession, by the minor version of release 1.
_PLACES = {**dict.fromkeys((21, 22), 3), **dict.fromkeys(range(23, 31), 1), 31: 124, 32: 124}

_WORD = struct.calcsize("P")


@public
class UnknownLayoutError(TypeError):
    """An object is not of the official package, or of a release whose layout is not known."""


def _place_in(version: str) -> int | None:
    release = re.match(r"1\.(\d+)(\.|$)", version)
    return _PLACES.get(int(release[1])) if release else None


def pointer_of(official: Any, *types: str) -> int:
    """Get the address of the C++ object, of one of some types, that an object of the binding owns.

    Raises `UnknownLayoutError` for what has none, such as an object of another binding.
    """
    place = f"{type(official).__module__}.{type(official).__qualname__}"
    for kind in types:
        if address := _address_inside(official, kind):
            return address
    names = " or ".join(_readable(k) for k in types)
    text = f"{place} holds no C++ object of the type {names}"
    if place.startswith("onnxruntime.") and not hasattr(official, "_pybind11_conduit_v1_"):
        text += ", or does not hand it out, as no object of a release before 1.21 does"
    raise UnknownLayoutError(text)


@cache
def _type_capsule(name: str) -> tuple[object, ...]:
    """Return a capsule of a ``std::type_info``, and what it needs.

    Of that pybind11 reads the second word only, the name, by which it compares types.
    """
    text = ffi.new("char[]", name.encode())
    words = ffi.new("uintptr_t[]", [0, address_of(text)])
    return new_capsule(address_of(words), _TYPE_INFO, None), words, text


def _address_inside(official: Any, kind: str) -> int:
    """Return the address of the C++ object inside an object; 0 if it holds none of the type."""
    try:
        for abi in _ABIS:
            wanted = _type_capsule(kind)[0]
            answer = official._pybind11_conduit_v1_(abi, wanted, b"raw_pointer_ephemeral")
            if answer is not None:
                return pointer_in(answer, name_of(answer)) or 0
    except Exception:  # noqa: BLE001  # an object of any type may raise anything
        return 0
    return 0


def _readable(name: str) -> str:
    """Return a C++ type by its mangled name, such as ``8OrtValue``, as people write it."""
    parts, rest = [], name.removeprefix("N")
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    return "::".join(parts) or name


def session_pointer(binding: Any, version: str) -> int:
    """Return the address of the ``OrtSession`` of an official session."""
    address = pointer_of(binding, BINDING)
    place = _place_in(version)
    if place is None:
        raise UnknownLayoutError(f"the layout of sessions of onnxruntime {version} is not known")
    session = _word(address + place * _WORD)
    if _type_name(session) != SESSION:
        raise UnknownLayoutError(
            f"word {place} of the binding's object, where sessions of onnxruntime {version} are "
            "known to be, does not point to a session"
        )
    return session


def _word(address: int) -> int:
    """Return a word of memory; 0 where it cannot be read."""
    memory = ffi.new("uintptr_t*")
    is_read = 0 < address < 1 << 8 * _WORD and lib.ortcffi_read_memory(address, memory, _WORD)
    return int(memory[0]) if is_read else 0


def _type_name(address: int) -> bytes:
    """Return the mangled name of the C++ type of an object with virtual functions, or b"".

    By the Itanium C++ ABI the object begins with the address of its table of virtual functions, the
    word before which is the address of its ``std::type_info``, whose second word is the address of
    the name.
    """
    for step in (0, -_WORD, _WORD):
        address = _word(address + step)
    name = ffi.new("char[]", len(SESSION) + 1)
    if not address or not lib.ortcffi_read_memory(address, name, len(name)):
        return b""
    return bytes(ffi.buffer(name)).split(b"\0", 1)[0]
