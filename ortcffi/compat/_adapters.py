# SPDX-License-Identifier: MIT
"""Files of adapters, which are FlatBuffers, with the official package's names.

A file has one table ``Adapter`` (format version, adapter version, model version, parameters), whose
parameters are tables (name, dimensions, element type, bytes). All fields have four bytes: a number,
or how far on what they refer to is.
"""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ortcffi.compat._arguments import instance, number
from ortcffi.compat._environment import text
from ortcffi.compat._tensors import borrowed
from ortcffi.compat._types import element_of_onnx
from ortcffi.compat._values import OrtValue
from ortcffi.values.element_types import ElementType, bits_of
from ortcffi.values.value import Value

__all__ = ["AdapterFormat"]

_MAGIC = b"TORT"
_VERSION = 1
_FIELDS = 4  # of either table


class AdapterFormat:
    """An adapter, to be written to a file or read from one: versions, and tensors by name."""

    def __init__(self, adapter: "AdapterFormat | None" = None) -> None:
        self._format_version = _VERSION
        self._adapter_version = self._model_version = 0
        self._parameters: dict[str, OrtValue] = {}
        if adapter is not None:
            vars(self).update(vars(instance("adapter", adapter, AdapterFormat)))

    @property
    def _adapter(self) -> "AdapterFormat":
        return self

    def get_format_version(self) -> int:
        """Return the version of the format."""
        return self._format_version

    def get_adapter_version(self) -> int:
        """Return the version of the adapter."""
        return self._adapter_version

    def set_adapter_version(self, adapter_version: int) -> None:
        """Set the version of the adapter."""
        self._adapter_version = number("adapter_version", adapter_version)

    def get_model_version(self) -> int:
        """Return the version of the model."""
        return self._model_version

    def set_model_version(self, model_version: int) -> None:
        """Set the version of the model."""
        self._model_version = number("model_version", model_version)

    def get_parameters(self) -> dict[str, OrtValue]:
        """Return the tensors."""
        return dict(self._parameters)

    def set_parameters(self, params: dict[str, OrtValue]) -> None:
        """Set the tensors."""
        self._parameters = {
            instance("a name", name, str): instance(f"params[{name!r}]", value, OrtValue)
            for name, value in instance("params", params, dict).items()
        }

    # The compiled module's names.
    format_version = property(get_format_version)
    adapter_version = property(get_adapter_version, set_adapter_version)
    model_version = property(get_model_version, set_model_version)
    parameters = property(get_parameters, set_parameters)

    def export_adapter(self, file_path: Any) -> None:
        """Write the file."""
        values = {name: value._value for name, value in self._parameters.items()}
        versions = (_VERSION, self._adapter_version, self._model_version)
        content = _written(versions, values)
        try:
            Path(text(file_path)).write_bytes(content)
        except OSError as error:
            raise RuntimeError(f"{text(file_path)} cannot be written: {error.strerror}") from None

    @staticmethod
    def read_adapter(file_path: Any) -> "AdapterFormat":
        """Read a file. The tensors are views of its bytes."""
        try:
            versions, parameters = _read(Path(text(file_path)).read_bytes())
        except (OSError, ValueError, struct.error) as error:
            raise RuntimeError(f"{text(file_path)} is no adapter: {error}") from None
        adapter = AdapterFormat()
        adapter._format_version, adapter._adapter_version, adapter._model_version = versions
        adapter._parameters = {name: OrtValue._of(value) for name, value in parameters.items()}
        return adapter


# --- writing --------------------------------------------------------------------------------------


class _Writer:
    """A buffer in which what is referred to stands behind what refers to it."""

    def __init__(self) -> None:
        self.buffer = bytearray(8)
        self.buffer[4:] = _MAGIC

    def refer(self, place: int, rest: int = 0, boundary: int = 4) -> None:
        """Have a field refer to what is written next: after `rest` bytes, at a boundary."""
        while (len(self.buffer) + rest) % boundary:
            self.buffer.append(0)
        struct.pack_into("<I", self.buffer, place, len(self.buffer) + rest - place)

    def vector(self, place: int, count: int, content: bytes, boundary: int = 4) -> int:
        """Write a vector that a field refers to; its content begins at a boundary."""
        while (len(self.buffer) + 4) % boundary:
            self.buffer.append(0)
        self.refer(place)
        self.buffer += struct.pack("<I", count) + content
        return len(self.buffer) - len(content)

    def table(self, place: int) -> int:
        """Write a table of four fields that a field refers to; returns where the fields are."""
        self.refer(place, rest=4 + 2 * _FIELDS)
        offsets = [4 + 4 * i for i in range(_FIELDS)]
        sizes = (4 + 2 * _FIELDS, 4 + 4 * _FIELDS)
        self.buffer += struct.pack(f"<HH{_FIELDS}Hi", *sizes, *offsets, 4 + 2 * _FIELDS)
        self.buffer += bytes(4 * _FIELDS)
        return len(self.buffer) - 4 * _FIELDS


def _written(versions: Sequence[int], values: dict[str, Value]) -> bytes:
    writer = _Writer()
    fields = writer.table(0)
    struct.pack_into("<3i", writer.buffer, fields, *versions)
    places = writer.vector(fields + 12, len(values), bytes(4 * len(values)))
    for i, (name, value) in enumerate(sorted(values.items())):
        fields = writer.table(places + 4 * i)
        encoded = name.encode()
        writer.vector(fields, len(encoded), encoded + b"\0")
        shape = struct.pack(f"<{len(value.shape)}q", *value.shape)
        writer.vector(fields + 4, len(value.shape), shape, boundary=8)
        struct.pack_into("<i", writer.buffer, fields + 8, int(value.element_type))
        content = value.numpy().tobytes()
        writer.vector(fields + 12, len(content), content, boundary=8)
    return bytes(writer.buffer)


# --- reading --------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, content: bytes) -> None:
        self.content = content

    def at(self, kind: str, place: int) -> int:
        if place < 0:
            raise ValueError("a reference leads out of the file")
        return int(struct.unpack_from(f"<{kind}", self.content, place)[0])

    def field(self, table: int, number: int) -> int:
        """Where a field of a table is, or 0 if it has none."""
        layout = table - self.at("i", table)
        if 4 + 2 * number >= self.at("H", layout):
            return 0
        offset = self.at("H", layout + 4 + 2 * number)
        return table + offset if offset else 0

    def number(self, table: int, number: int) -> int:
        place = self.field(table, number)
        return self.at("i", place) if place else 0

    def vector(self, table: int, number: int, size: int) -> memoryview:
        """The bytes of a vector whose elements have `size` bytes."""
        place = self.field(table, number)
        if not place:
            return memoryview(b"")
        place += self.at("I", place)
        length = self.at("I", place) * size
        found = memoryview(self.content)[place + 4 : place + 4 + length]
        if len(found) != length:
            raise ValueError("a vector leads out of the file")
        return found


def _read(content: bytes) -> tuple[tuple[int, int, int], dict[str, Value]]:
    if content[4:8] != _MAGIC:
        raise ValueError("it does not have the identifier of adapters")
    reader = _Reader(content)
    root = reader.at("I", 0)
    place = reader.field(root, 3)
    found: dict[str, Value] = {}
    if place:
        vector = place + reader.at("I", place)
        for i in range(reader.at("I", vector)):
            field = vector + 4 + 4 * i
            name, value = _parameter(reader, field + reader.at("I", field))
            found[name] = value
    first, second, third = (reader.number(root, i) for i in range(3))
    return (first, second, third), found


def _parameter(reader: _Reader, table: int) -> tuple[str, Value]:
    name = bytes(reader.vector(table, 0, 1)).decode()
    shape = np.frombuffer(reader.vector(table, 1, 8), "<i8").tolist()
    element = element_of_onnx(reader.number(table, 2))
    content = reader.vector(table, 3, 1)
    if element is ElementType.STRING or bits_of(element) % 8:
        raise ValueError(f"parameter {name!r} has elements of type {element.name}")
    memory = np.frombuffer(content, f"V{bits_of(element) // 8}").reshape(shape)
    return name, borrowed(memory, element)
