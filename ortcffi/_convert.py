# SPDX-License-Identifier: MIT
"""For all topics: conversions of arguments for C, and of what C answers.

Their errors name the argument.
"""

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from operator import index
from struct import pack
from typing import TYPE_CHECKING, Any, TypeVar

from ortcffi._native import Owner, ffi

if TYPE_CHECKING:
    from ortcffi._ort import Cdata

E = TypeVar("E", bound=IntEnum)
AnyPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

INT32 = (-(2**31), 2**31 - 1)
UINT32 = (0, 2**32 - 1)
INT64 = (-(2**63), 2**63 - 1)
SIZE = (0, 2**63 - 1)  # libraries add to sizes before they look at them; the upper half would wrap


def encode(argument: str, text: str) -> bytes:
    """Return the UTF-8 of an argument that C takes as a string; errors name the argument."""
    if not isinstance(text, str):
        raise TypeError(f"{argument} must be a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{argument} must not contain a null character, where C ends a string")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{argument} must be encodable as UTF-8, but has a lone surrogate at {error.start}"
        ) from None


def _encoded(argument: str, path: AnyPath) -> bytes:
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        raise ValueError(
            f"{argument} must be encodable as a path, but {path!r} has a lone surrogate"
        ) from None
    except TypeError as error:  # what its __fspath__ returned
        raise TypeError(f"{argument}: {error}") from None


def path_of(argument: str, path: "str | os.PathLike[str]") -> bytes:
    """Return the path of a file for C, as the system encodes it; errors name the argument."""
    of_type(argument, path, (str, os.PathLike), "a str or os.PathLike")
    encoded = _encoded(argument, path)
    if b"\0" in encoded:
        raise ValueError(f"{argument} must not contain a null character, but is {path!r}")
    if not encoded:
        raise ValueError(f"{argument} must not be empty")
    return encoded


def native(path: bytes) -> bytes:
    """Return a path in UTF-8 as a parameter of type ORTCHAR_T takes it: UTF-16 on Windows."""
    if sys.platform == "win32":
        return os.fsdecode(path)  # which CFFI converts
    return path


def input_path(argument: str, path: "str | os.PathLike[str]") -> bytes:
    """Return the path of a file for C to read, as `path_of`.

    A FIFO is refused, because a library would wait until another process writes into it.
    """
    encoded = path_of(argument, path)
    try:
        mode = os.stat(encoded).st_mode
    except OSError:
        return encoded  # the library says what is wrong with it
    if stat.S_ISFIFO(mode):
        name = os.fsdecode(encoded)
        raise ValueError(f"{argument} must not be a FIFO, as {name} is: pass its content as bytes")
    return encoded


def bytes_like(argument: str, content: Any) -> Any:
    """Get a cdata ``char[]`` over the memory of an argument, which it keeps; errors name that."""
    try:
        return ffi.from_buffer("char[]", content)
    except TypeError:
        kind = type(content).__name__
        is_proto = hasattr(content, "SerializeToString")  # onnx.ModelProto
        hint = "; its SerializeToString() gives its bytes" if is_proto else ""
        raise TypeError(f"{argument} must be a path or bytes-like, not {kind}{hint}") from None
    except (ValueError, BufferError) as error:  # it is closed, or has gaps
        raise ValueError(f"{argument}: {error}") from None


def decode(text: "Cdata") -> str:
    """Return a C string, with replacement characters for what is not UTF-8; "" for NULL."""
    kept = ffi.string(text) if text else b""
    try:
        return kept.decode()
    except UnicodeDecodeError:
        return kept.decode(errors="replace")


def decode_path(text: "Cdata") -> str:
    """Return a path that a library answers, of type ORTCHAR_T, as `decode`."""
    if text and sys.platform == "win32":
        return str(ffi.string(text))
    return decode(text)


def callable_or_none(argument: str, function: Any) -> Any:
    """Return an argument that is a function or None; errors name the argument."""
    if function is not None and not callable(function):
        raise TypeError(f"{argument} must be a callable, not {function!r}")
    return function


def integer(argument: str, number: Any, limits: tuple[int, int] = INT32) -> int:
    """Return an argument that C takes as an integer; errors name the argument."""
    try:
        converted = index(number)
    except TypeError:
        raise TypeError(f"{argument} must be an int, not {type(number).__name__}") from None
    if not limits[0] <= converted <= limits[1]:
        raise ValueError(f"{argument} must be from {limits[0]} to {limits[1]}, but is {converted}")
    return converted


def byte_count(argument: str, given: int | str) -> int:
    """Return a number of bytes, as an int or a str such as ``"64 MB"``; errors name the argument.

    A KB has 1024 bytes, as has a KiB.
    """
    if isinstance(given, bool):
        raise TypeError(f"{argument} must be a number of bytes, not {given!r}")
    if not isinstance(given, str):
        return integer(argument, given, SIZE)
    found = re.fullmatch(
        r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B|[KMGT]iB)\s*", given, re.ASCII | re.IGNORECASE
    )
    if found is None:
        raise ValueError(f"{argument} must be a number of bytes such as '64 MB', not {given!r}")
    scale = 1 << (10 * "BKMGT".index(found[2].upper()[0]))
    return integer(argument, int(float(found[1]) * scale), SIZE)


def seconds(argument: str, number: Any) -> float:
    """Return an argument that is a time in seconds, 0 or more; errors name the argument."""
    try:
        converted = float(number) if not isinstance(number, str | bytes) else None
    except (TypeError, ValueError, OverflowError):  # float also reads the text of a buffer
        converted = None
    if converted is None:
        raise TypeError(f"{argument} must be a number of seconds, not {number!r}")
    if not converted >= 0:  # as NaN is
        raise ValueError(f"{argument} must be 0 or more seconds, but is {number!r}")
    return converted


def float32(argument: str, number: float) -> float:
    """Return an argument that C takes as a float of 32 bits; errors name the argument."""
    try:
        pack("<f", number)
    except OverflowError:
        raise ValueError(f"{argument} must fit a float of 32 bits, but is {number!r}") from None
    return number


def of_type(argument: str, given: Any, kind: Any, wanted: str = "") -> Any:
    """Return an argument of a type, or of one of several, which are `wanted`; errors name it."""
    if isinstance(given, kind):
        return given
    found, name = type(given), "" if wanted else kind.__name__
    if found.__name__ == name:  # the official package has classes of the same names
        raise TypeError(
            f"{argument} must be {kind.__module__}.{name}, not the class of that name of "
            f"{found.__module__.split('.')[0]}"
        )
    article = "" if name.endswith("s") else "an " if name[:1] in "AEIOU" else "a "
    raise TypeError(f"{argument} must be {wanted or article + name}, not {found.__name__}")


def of_type_or_none(argument: str, given: Any, kind: type) -> Any:
    """Do the same; None stays None."""
    return None if given is None else of_type(argument, given, kind)


def pointer(argument: str, given: Any, kind: str) -> Any:
    """Return an argument that is a cdata of a pointer type, and not NULL; errors name the argument.

    Or the owner of an object that this package has just made.
    """
    if type(given) is Owner:
        return given
    if not isinstance(given, ffi.CData) or ffi.typeof(given) is not ffi.typeof(kind):
        raise TypeError(f"{argument} must be a cdata of {kind}, not {given!r}")
    if not given:
        raise ValueError(f"{argument} must not be NULL")
    return given


def mapping(argument: str, given: Any) -> dict[Any, Any]:
    """Return a copy of an argument that is a mapping; errors name the argument.

    A copy, because a mapping written in Python can answer differently each time it is asked.
    """
    of_type(argument, given, Mapping, "a mapping")
    try:
        return dict(given)
    except KeyError as error:
        raise ValueError(f"{argument} has the key {error} and no value for it") from None


def optional_mapping(argument: str, given: Any) -> dict[Any, Any]:
    """Do the same; an empty one for None."""
    return {} if given is None else mapping(argument, given)


@contextmanager
def named(name: str) -> Iterator[None]:
    """Within the block, messages of errors begin with what `name` stands for."""
    try:
        yield
    except UnicodeEncodeError as error:
        error.reason = f"{name}: {error.reason}"
        raise
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def absolute(argument: str, path: AnyPath) -> str:
    """Return the absolute path; `TypeError` and `ValueError` name the argument."""
    of_type(argument, path, (str, bytes, os.PathLike), "a str, bytes or os.PathLike")
    text = os.fsdecode(_encoded(argument, path))
    if "\0" in text:
        raise ValueError(f"{argument} must not contain a null character, but is {text!r}")
    if not text:
        raise ValueError(f"{argument} is empty; expected the path of a shared library")
    return below_current_folder(argument, text)


def below_current_folder(argument: str, text: str) -> str:
    """Return the absolute path of a path that was checked; `argument` names it in an error."""
    if os.path.isabs(text):
        return text
    try:
        directory = os.getcwd()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{argument} {text!r} is a relative path, and the current directory was deleted"
        ) from None
    return os.path.join(directory, text)  # abspath would take a link's parent for ".."


def known(kind: type[E], number: int) -> E | int:
    """Return the member of an enum, or the number itself where there is none."""
    try:
        return kind(number)
    except ValueError:
        return number


def member(argument: str, given: Any, kind: type[E], limits: tuple[int, int]) -> E | int:
    """Return an argument as a member of an enum, or as an int where it has none; errors name it."""
    if not hasattr(given, "__index__"):
        names = ", ".join(each.name for each in kind)
        raise TypeError(f"{argument} must be a member of {kind.__name__} ({names}), not {given!r}")
    return known(kind, integer(argument, given, limits))
