# SPDX-License-Identifier: MIT
"""The messages that ONNX files consist of, as the compiled module reads and writes them."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ortcffi._convert import known
from ortcffi._handle import Handle
from ortcffi._native import compiled, ffi, lib
from ortcffi.errors import InvalidProtobuf
from ortcffi.values.element_types import ElementType

if TYPE_CHECKING:
    from ortcffi.models.model import Model

Message = compiled.Message

# The types that have other numbers in files than in the C API.
_IN_FILES = {ElementType.FLOAT8E8M0: 24, ElementType.UINT2: 25, ElementType.INT2: 26}
_OF_FILES = {number: element for element, number in _IN_FILES.items()}


def element_in_file(element: int) -> int:
    """Return the number of an element type in ONNX files."""
    return int(_IN_FILES.get(element, element))  # type: ignore[call-overload]


def element_of_file(number: int) -> ElementType | int:
    """Return the element type of a number in ONNX files."""
    return _OF_FILES.get(number) or known(ElementType, number)


def domain_of(name: str) -> str:
    """Return the one name of a domain: that of ONNX has two."""
    return "" if name == "ai.onnx" else name


def shown(given: str) -> str:
    """Return a text without surrogates, for what takes only UTF-8."""
    if given.isascii():
        return given
    return given.encode(errors="surrogateescape").decode(errors="replace")


def make(kind: str, **fields: Any) -> Any:
    """Return a new message with some fields."""
    made = Message(kind)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def message_of_bytes(content: Any) -> Any:
    """Return the message of a model; `InvalidProtobuf` where the bytes are none."""
    try:
        return Message("ModelProto", content)
    except ValueError as error:
        raise InvalidProtobuf(str(error), "Graph") from None


def graphs_of(attribute: Any) -> list[Any]:
    """Return the messages of the graphs that an attribute is."""
    return [each for each in (attribute.g, *attribute.graphs) if each is not None]


def subgraphs_of(node: Any) -> Iterator[Any]:
    """Yield the messages of the graphs in the attributes of a node."""
    for attribute in node.attribute:
        yield from graphs_of(attribute)


def graphs_in(graph: Any) -> Iterator[Any]:
    """Yield a message of a graph or a function, and those of its subgraphs."""
    yield graph
    for node in graph.node:
        for inner in subgraphs_of(node):
            yield from graphs_in(inner)


def tensors_of(graph: Any) -> Iterator[Any]:
    """Yield the dense tensors of a graph or a function, also of subgraphs and of sparse ones."""
    yield from getattr(graph, "initializer", ())
    yield from _dense_of(getattr(graph, "sparse_initializer", ()))
    yield from tensors_in(getattr(graph, "attribute_proto", ()))
    for node in graph.node:
        yield from tensors_in(node.attribute)


def tensors_in(attributes: Iterable[Any]) -> Iterator[Any]:
    """Do the same for attributes, and the graphs that they are."""
    for attribute in attributes:
        yield from filter(None, (attribute.t, *attribute.tensors))
        yield from _dense_of((attribute.sparse_tensor, *attribute.sparse_tensors))
        for graph in graphs_of(attribute):
            yield from tensors_of(graph)


def _dense_of(sparse: Iterable[Any]) -> Iterator[Any]:
    for each in filter(None, sparse):
        yield from filter(None, (each.values, each.indices))


class _Memory(Handle):
    """Keeps the memory of a model, also where the model is closed."""

    __slots__ = ()
    _pointer = "const void*"


def message_of_model(model: "Model") -> tuple[Any, int]:
    """Get the message of a model's bytes, which keeps the model, and the count of its weights."""
    sizes = ffi.new("size_t[2]")

    def find(_table: Any, handle: Any) -> Any:
        return lib.ortcffi_model_bytes(handle, sizes, sizes + 1)

    start = model._read_handle(find, model.api.pointer)
    memory = _Memory(model.api, start, parent=model)
    content = ffi.gc(ffi.cast("char*", start), lambda _: memory)
    return message_of_bytes(ffi.buffer(content, sizes[0])), int(sizes[1])
