# SPDX-License-Identifier: MIT
"""The data that execution providers keep outside of compiled models, with official names."""

from collections.abc import Callable
from typing import Any

from ortcffi._convert import SIZE, integer

__all__ = ["OrtEpContextData", "OrtEpContextDataBuffer", "reader_of", "writer_of"]


class OrtEpContextData:
    """What an execution provider has compiled, during the call of a function that stores it."""

    _content: bytes | None

    def __init__(self) -> None:
        raise TypeError("OrtEpContextData: No constructor defined!")

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self._bytes())

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """Return a part as bytes."""
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

    _most: int
    _content: bytearray | None
    _ended: bool

    def __init__(self) -> None:
        raise TypeError("OrtEpContextDataBuffer: No constructor defined!")

    @property
    def max_size(self) -> int:
        """How many bytes it may get."""
        return self._most

    @property
    def is_allocated(self) -> bool:
        """Whether `allocate` was called."""
        return self._content is not None

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return 0 if self._content is None else len(self._content)

    def allocate(self, size: int) -> None:
        """Make room, once."""
        self._check(is_allocated=False)
        self._content = bytearray(integer("size", size, (0, self._most)))

    def write(self, data: Any, offset: int = 0) -> None:
        """Copy a part to its place."""
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
    """A function that gives the data of a name, as one of the official package writes it."""

    def read(name: str) -> bytearray:
        buffer: Any = OrtEpContextDataBuffer.__new__(OrtEpContextDataBuffer)
        buffer._most, buffer._content, buffer._ended = most, None, False
        try:
            function(name, buffer)
        finally:
            buffer._ended = True
        if buffer._content is None:
            raise RuntimeError("the function must call allocate")
        return buffer._content  # type: ignore[no-any-return]

    return read


def writer_of(function: Callable[[str, Any], object]) -> Callable[[str, bytes], None]:
    """A function that passes data on, as one of the official package takes it."""

    def write(name: str, content: bytes) -> None:
        data = OrtEpContextData.__new__(OrtEpContextData)
        data._content = content
        try:
            function(name, data)
        finally:
            data._content = None

    return write
