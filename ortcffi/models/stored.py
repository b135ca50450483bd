# SPDX-License-Identifier: MIT
"""What a `Graph` is stored in: the message of a model, and weights by reference."""

from collections.abc import Iterable
from contextlib import nullcontext
from copy import copy
from typing import Any

import numpy as np

from ortcffi._table import core_api
from ortcffi.errors import InvalidGraph
from ortcffi.errors import NotImplemented as NotAvailable
from ortcffi.models.message import (
    Message,
    domain_of,
    element_in_file,
    make,
    message_of_bytes,
    message_of_model,
)
from ortcffi.models.model import Model
from ortcffi.values.checks import element_of_array, unfit
from ortcffi.values.element_types import PACKED, ElementType, ValueKind
from ortcffi.values.tensors import bytes_of
from ortcffi.values.value import Value


class Home:
    """What a graph, its subgraphs and its functions share.

    Attributes
    ----------
    message : Message
        The ModelProto.
    source : Model or None
        Whose weights the message names: those in files of its folder, and those in its memory.
    weights : list
        Buffers of more weights, which the message names by the numbers behind those.
    """

    __slots__ = ("_handle", "_known", "message", "source", "weights")

    def __init__(self, message: Any, source: "Model | None" = None) -> None:
        self.message, self.source = message, source
        self.weights: list[Any] = []
        self._handle = None if source is None else source.handle  # keeps it after `close`
        self._known = 0 if source is None else message_of_model(source)[1]

    def copy(self) -> "Home":
        """Do the same with a copy of the message."""
        made = copy(self)
        made.message, made.weights = self.message.copy(), list(self.weights)
        return made

    def bytes_of(self, message: Any) -> tuple[bytes, list[Any]]:
        """Get a message as bytes, in which large weights have numbers, and the list of weights."""
        more: list[Any] = []
        try:
            content = message.to_bytes(more, self._known + len(self.weights))
        except ValueError as error:  # a file of weights cannot be called '*'
            raise InvalidGraph(str(error), "Graph") from None
        return content, [*self.weights, *more]

    def open(self, message: Any) -> "Model":
        """Return the model of a message, with the weights where they are."""
        content, weights = self.bytes_of(message)
        return Model._of_parts(content, weights, self.source, self._handle)

    def replace(self, content: bytes, weights: list[Any]) -> None:
        """Take another message, which names the weights of `bytes_of`."""
        self.message, self.weights = Message("ModelProto", content), weights


def home_of(model: Any) -> Home:
    """Return what has the graph of a model, or of the path or the bytes of one."""
    if isinstance(model, Model):
        return Home(message_of_model(model)[0], model)
    source = Model.load(model)
    if source.path is not None:
        return Home(message_of_model(source)[0], source)
    source.close()
    content = memoryview(model)
    return Home(message_of_bytes(content if content.readonly else bytes(content)))


def _value_of_tensor(tensor: Any, home: Home | None) -> Any:
    """Return the `ModelValue` of a tensor, in a model of its own."""
    is_sparse = tensor.kind == "SparseTensorProto"
    named = tensor.copy()
    (named.values if is_sparse else named).name = "t"
    field = "sparse_initializer" if is_sparse else "initializer"
    model = make("ModelProto", ir_version=8, graph=make("GraphProto", **{field: [named]}))
    return (home or Home(model)).open(model).graph.values["t"]


def array_of_tensor(tensor: Any, home: Home | None = None) -> Any:
    """Return a tensor's array over the memory that has its elements; a `Value` for a sparse one."""
    return _value_of_tensor(tensor, home).initializer


def settle_tensors(tensors: Iterable[Any], home: Home) -> None:
    """Have tensors refer to memory for elements that they name by numbers or files of `home`."""
    for tensor in tensors if home.source is not None or home.weights else ():
        if tensor.data_location == 1:
            data = bytes_of(_value_of_tensor(tensor, home)._tensor_value())
            tensor.raw_data = data.data if data.size else b""
            tensor.external_data, tensor.data_location = [], None


_STRING = int(ElementType.STRING)
# What the value of a node Constant is in, and the type of the elements.
_CONSTANTS = {
    "value_float": ("f", "f4"),
    "value_floats": ("floats", "f4"),
    "value_int": ("i", "i8"),
    "value_ints": ("ints", "i8"),
}


def constant_tensor(node: Any) -> Any:
    """Return the tensor that a node Constant makes; None for another node, and for a sparse one."""
    if node.op_type != "Constant" or domain_of(node.domain) or not node.attribute:
        return None
    attribute = node.attribute[0]
    if attribute.ref_attr_name or attribute.t is not None:
        return None if attribute.ref_attr_name else attribute.t.copy()
    name = attribute.name
    if name in _CONSTANTS:
        field, dtype = _CONSTANTS[name]
        return tensor_of("", np.array(getattr(attribute, field), dtype))
    if name in ("value_string", "value_strings"):
        is_one = name == "value_string"
        texts = [attribute.s] if is_one else attribute.strings
        dims = [] if is_one else [len(texts)]
        return make("TensorProto", data_type=_STRING, string_data=texts, dims=dims)
    return None


def tensor_of(name: str, given: Any, argument: str = "value") -> Any:
    """Return the message of an array or a `Value`, whose memory it shares."""
    tensor = make("TensorProto", **({"name": name} if name else {}))
    if isinstance(given, Value):
        if given.kind is not ValueKind.TENSOR:
            raise NotAvailable(f"{argument} must be a dense tensor", "AddInitializerToGraph")
        element = given.element_type
    else:
        element = element_of_array(given, argument)
        reason = unfit(given, element, argument) if element != ElementType.STRING else None
        if reason:
            raise ValueError(f"{reason}: pass Value.from_numpy of it, with copy=True")
    tensor.dims, tensor.data_type = list(given.shape), element_in_file(element)
    if element == ElementType.STRING:
        with Value.from_numpy(given) if isinstance(given, np.ndarray) else nullcontext(given) as v:
            tensor.string_data = [
                text.encode() if isinstance(text, str) else text for text in v.raw_strings()
            ]
    elif given.nbytes:
        tensor.raw_data = _memory(given, element)
    return tensor


def _memory(given: Any, element: int) -> memoryview:
    """Get the memory of the elements; that of a copy where the array has elements of few bits."""
    if isinstance(given, Value):
        return bytes_of(given).data
    if element not in PACKED:
        return given.reshape(-1).view(np.uint8).data  # type: ignore[no-any-return]
    with Value.from_numpy(given, api=core_api()) as packed:
        return bytes_of(packed).copy().data


def info_of(name: str, tensor: Any = None) -> Any:
    """Return the message of a value; with the type of a tensor."""
    made = make("ValueInfoProto", name=name)
    if tensor is not None:
        lengths = [make("TensorShapeProto.Dimension", dim_value=each) for each in tensor.dims]
        shape = make("TensorShapeProto", dim=lengths)
        kind = make("TypeProto.Tensor", elem_type=tensor.data_type, shape=shape)
        made.type = make("TypeProto", tensor_type=kind)
    return made
