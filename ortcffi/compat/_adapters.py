# SPDX-License-Identifier: MIT
"""Files of adapters, which are FlatBuffers, with the official package's names.

A file has one table ``Adapter`` (format version, adapter version, model version, parameters), whose
parameters are tables (name, dimensions, element type, bytes).
"""

import struct
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ortcffi._new_file import write_whole
from ortcffi._public import printable
from ortcffi.compat._arguments import instance, number
from ortcffi.compat._delegates import returned
from ortcffi.compat._environment import text
from ortcffi.compat._tensors import borrowed
from ortcffi.compat._types import element_of_onnx
from ortcffi.compat._values import OrtValue
from ortcffi.values.element_types import ElementType, bits_of
from ortcffi.values.value import Value

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

    get_format_version = returned("_format_version")
    get_adapter_version = returned("_adapter_version")
    get_model_version = returned("_model_version")

    def set_adapter_version(self, adapter_version: int) -> None:
        self._adapter_version = number("adapter_version", adapter_version)

    def set_model_version(self, model_version: int) -> None:
        self._model_version = number("model_version", model_version)

    def get_parameters(self) -> dict[str, OrtValue]:
        return dict(self._parameters)

    def set_parameters(self, params: dict[str, OrtValue]) -> None:
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
        path = text(file_path)
        values = {name: value._value for name, value in self._parameters.items()}
        for name, value in values.items():
            if value.element_type is ElementType.STRING:
                raise RuntimeError(
                    f"Lora adapter parameter {printable(name)!r} has element type STRING, which "
                    "is not supported by the adapter format."
                )
        versions = (_VERSION, self._adapter_version, self._model_version)
        content = _written(versions, values)
        try:
            write_whole(path, content)
        except OSError as error:
            raise RuntimeError(f"{path} cannot be written: {error.strerror}") from None

    @staticmethod
    def read_adapter(file_path: Any) -> "AdapterFormat":
        try:
            with open(text(file_path), "rb") as file:
                versions, parameters = _read(bytearray(file.read()))
        except (OSError, ValueError, TypeError, LookupError, struct.error) as error:
            raise RuntimeError(f"{text(file_path)} is no adapter: {error}") from None
        adapter = AdapterFormat()
        adapter._format_version, adapter._adapter_version, adapter._model_version = versions
        adapter._parameters = {name: OrtValue._of(value) for name, value in parameters.items()}
        return adapter


# --- FlatBuffers ----------------------------------------------------------------------------------


def _flatbuffers() -> Any:
    try:
        return import_module("flatbuffers")
    except ImportError:
        needed = "files of adapters need flatbuffers: pip install 'ortcffi[adapters]'"
        raise ImportError(needed) from None


def _written(versions: Sequence[int], values: dict[str, Value]) -> bytes:
    builder = _flatbuffers().Builder()
    parameters = [_write(builder, name, value) for name, value in sorted(values.items())]
    builder.StartVector(4, len(parameters), 4)
    for parameter in reversed(parameters):
        builder.PrependUOffsetTRelative(parameter)
    vector = builder.EndVector()
    builder.StartObject(_FIELDS)
    for slot, version in enumerate(versions):
        builder.PrependInt32Slot(slot, version, 0)
    builder.PrependUOffsetTRelativeSlot(3, vector, 0)
    builder.Finish(builder.EndObject(), file_identifier=_MAGIC)
    return bytes(builder.Output())


def _write(builder: Any, name: str, value: Value) -> int:
    """Write a parameter; return where it is."""
    text = builder.CreateString(name)
    shape = builder.CreateNumpyVector(np.array(value.shape, "<i8"))
    content = value.numpy().tobytes()
    builder.Prep(8, len(content))  # the content begins at a boundary of 8 bytes
    content = builder.CreateByteVector(content)
    builder.StartObject(_FIELDS)
    builder.PrependUOffsetTRelativeSlot(0, text, 0)
    builder.PrependUOffsetTRelativeSlot(1, shape, 0)
    builder.PrependInt32Slot(2, int(value.element_type), 0)
    builder.PrependUOffsetTRelativeSlot(3, content, 0)
    return int(builder.EndObject())


def _read(content: bytearray) -> tuple[tuple[int, int, int], dict[str, Value]]:
    if content[4:8] != _MAGIC:
        raise ValueError("it does not have the identifier of adapters")
    table = _flatbuffers().table.Table
    root = table(content, struct.unpack_from("<I", content)[0])
    first, second, third = (_number(root, slot) for slot in range(3))
    offsets = _vector(root, 3, "<u4").tolist()
    start = root.Vector(root.Offset(10)) if offsets else 0
    places = [start + 4 * i + offset for i, offset in enumerate(offsets)]
    return (first, second, third), dict(_parameter(table(content, place)) for place in places)


def _number(table: Any, slot: int) -> int:
    offset = table.Offset(4 + 2 * slot)
    return int(struct.unpack_from("<i", table.Bytes, table.Pos + offset)[0]) if offset else 0


def _vector(table: Any, slot: int, dtype: str) -> "np.ndarray[Any, Any]":
    """Return a vector, which must be within the file."""
    if not (offset := table.Offset(4 + 2 * slot)):
        return np.empty(0, dtype)
    return np.frombuffer(table.Bytes, dtype, table.VectorLen(offset), table.Vector(offset))


def _parameter(table: Any) -> tuple[str, Value]:
    name = _vector(table, 0, "u1").tobytes().decode()
    shape = _vector(table, 1, "<i8").tolist()
    element = element_of_onnx(_number(table, 2))
    if element is ElementType.STRING or bits_of(element) % 8:
        raise ValueError(f"parameter {name!r} has elements of type {element.name}")
    memory = _vector(table, 3, "u1").view(f"V{bits_of(element) // 8}").reshape(shape)
    return name, borrowed(memory, element)
