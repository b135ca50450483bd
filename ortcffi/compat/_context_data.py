# SPDX-License-Identifier: MIT
"""The data that execution providers keep outside of compiled models, with official names."""

from collections.abc import Callable
from typing import Any

from ortcffi._convert import SIZE, integer
from ortcffi.compat._arguments import not_made


class OrtEpContextData:
    """What an execution provider has compiled, during the call of a function that stores it."""

    _content: bytes | None
    __init__ = not_made

    size = property(lambda self: len(self._bytes()), doc="How many bytes there are.")

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        content = self._bytes()
        begin = integer("offset", offset, (0, len(content)))
        most = len(content) - begin
        return content[begin : begin + integer("length", most if length is None else length, SIZE)]

    def _bytes(self) -> bytes:
        if self._content is None:
            raise RuntimeError("OrtEpContextData is valid only during its callback")
        return self._content


class OrtEpContextDataBuffer:
    """Where a function writes what an execution provider has asked for, during its call."""

    __init__ = not_made
    _content: Any = None
    _ended = False
    max_size = 0  # how many bytes it may get
    is_allocated = property(lambda self: self._content is not None, doc="Whether it has memory.")
    size = property(lambda self: len(self._content or b""), doc="How many bytes it has.")

    def allocate(self, size: int) -> None:
        """Make room, once."""
        self._check(is_allocated=False)
        self._content = bytearray(integer("size", size, (0, self.max_size)))

    def write(self, data: Any, offset: int = 0) -> None:
        self._check(is_allocated=True)
        content, view = self._content or bytearray(), memoryview(data).cast("B")
        begin = integer("offset", offset, (0, len(content)))
        if len(view) > len(content) - begin:
            raise ValueError(f"{len(view)} bytes at {begin} are more than the buffer has")
        content[begin : begin + len(view)] = view

    def _check(self, is_allocated: bool) -> None:
        if self._ended:
            raise RuntimeError("OrtEpContextDataBuffer is valid only during its callback")
        if self.is_allocated != is_allocated:
            done = "was not" if is_allocated else "was"
            raise RuntimeError(f"OrtEpContextDataBuffer: allocate {done} called before")


def reader_of(function: Callable[[str, Any], object], most: int) -> Callable[[str], bytearray]:
    """Return a function that gives the data of a name, as one of the official package writes it."""

    def read(name: str) -> bytearray:
        buffer = OrtEpContextDataBuffer.__new__(OrtEpContextDataBuffer)
        buffer.max_size = most
        try:
            function(name, buffer)
        finally:
            buffer._ended = True
        if buffer._content is None:
            raise RuntimeError("the function must call allocate")
        return buffer._content  # type: ignore[no-any-return]

    return read


def writer_of(function: Callable[[str, Any], object]) -> Callable[[str, bytes], None]:
    """Return a function that passes data on, as one of the official package takes it."""

    def write(name: str, content: bytes) -> None:
        data = OrtEpContextData.__new__(OrtEpContextData)
        data._content = content
        try:
            function(name, data)
        finally:
            data._content = None

    return write
