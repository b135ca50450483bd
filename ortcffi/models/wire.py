# SPDX-License-Identifier: MIT
"""Messages of Protocol Buffers as lists of fields; unknown fields are kept."""

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["Message", "packed_varints", "signed"]

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_SIZES = {FIXED64: 8, FIXED32: 4}
Field = tuple[int, int, Any]  # its number, how it is stored, an int or bytes


class Message:
    """A message whose fields can be changed.

    Attributes
    ----------
    fields : list
        The fields in their order.
    """

    __slots__ = ("fields",)

    def __init__(self, content: "bytes | Iterable[Field]" = ()) -> None:
        is_stored = isinstance(content, bytes)
        self.fields: list[Field] = list(_read(content)) if is_stored else list(content)  # type: ignore[arg-type]

    def __bytes__(self) -> bytes:
        parts: list[bytes] = []
        for number, wire, value in self.fields:
            parts.append(_varint(number << 3 | wire))
            if wire == VARINT:
                parts.append(_varint(value))
            else:
                if wire == LENGTH:
                    parts.append(_varint(len(value)))
                parts.append(value)
        return b"".join(parts)

    def all(self, number: int) -> list[Any]:
        """The values of a field that may be there several times."""
        return [value for each, _, value in self.fields if each == number]

    def get(self, number: int, default: Any = b"") -> Any:
        """The value of a field; the last one counts."""
        found = self.all(number)
        return found[-1] if found else default

    def text(self, number: int) -> str:
        """A string."""
        return str(self.get(number, b"").decode(errors="replace"))

    def texts(self, number: int) -> list[str]:
        """A repeated string."""
        return [value.decode(errors="replace") for value in self.all(number)]

    def numbers(self, number: int) -> list[int]:
        """A repeated int64, packed or not."""
        found: list[int] = []
        for each, wire, value in self.fields:
            if each == number:
                found += [value] if wire == VARINT else _varints(value)
        return [signed(each) for each in found]

    def messages(self, number: int) -> "list[Message]":
        """Messages, each a copy."""
        return [Message(value) for value in self.all(number)]

    def add(self, number: int, value: "int | str | bytes | Message") -> "Message":
        """Add a field at the end."""
        if isinstance(value, int):
            self.fields.append((number, VARINT, value % (1 << 64)))
        else:
            kept = value.encode() if isinstance(value, str) else bytes(value)
            self.fields.append((number, LENGTH, kept))
        return self

    def set(self, number: int, *values: "int | str | bytes | Message") -> "Message":
        """Put other values in the place of a field, where its first one stood."""
        place = next((i for i, each in enumerate(self.fields) if each[0] == number), None)
        added = [Message().add(number, value).fields[0] for value in values]
        rest = [field for field in self.fields if field[0] != number]
        place = len(rest) if place is None else place
        self.fields = [*rest[:place], *added, *rest[place:]]
        return self

    def map(self, number: int, change: "Any") -> "Message":
        """Change each value of a field: `change` gets and returns it as bytes or `Message`."""
        self.fields = [
            (each, wire, bytes(change(value)) if each == number and wire == LENGTH else value)
            for each, wire, value in self.fields
        ]
        return self


def signed(number: int) -> int:
    """An int64 of how it is stored."""
    return number - (1 << 64) if number >= 1 << 63 else number


def packed_varints(numbers: Iterable[int]) -> bytes:
    """A packed repeated int64."""
    return b"".join(_varint(number % (1 << 64)) for number in numbers)


def _read(content: bytes) -> Iterator[Field]:
    at, end = 0, len(content)
    while at < end:
        key, at = _read_varint(content, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = _read_varint(content, at)
            yield number, wire, value
            continue
        size, at = _read_varint(content, at) if wire == LENGTH else (_SIZES.get(wire, -1), at)
        if number == 0 or size < 0 or at + size > end:
            raise ValueError("these bytes are no message")
        yield number, wire, content[at : at + size]
        at += size


def _varints(content: bytes) -> list[int]:
    found, at = [], 0
    while at < len(content):
        value, at = _read_varint(content, at)
        found.append(value)
    return found


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    if at < len(content) and content[at] < 128:  # as most are
        return content[at], at + 1
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(content):
            break
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("these bytes are no message")


def _varint(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)
