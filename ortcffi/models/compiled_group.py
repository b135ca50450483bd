# SPDX-License-Identifier: MIT
"""The op that a group of nodes is once a provider in Python has compiled it."""

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ortcffi._convert import mapping
from ortcffi._native import ffi
from ortcffi.custom_ops.describe import Operand
from ortcffi.errors import NotImplemented
from ortcffi.kernels.definition import Definition, table_of
from ortcffi.kernels.host import call_host, empty_sequence_on_core
from ortcffi.values.checks import fits
from ortcffi.values.containers import sequence_items
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.type_info import TypeInfo, contained_element
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.models.model_graph import ModelGraph
    from ortcffi.models.parts import ModelNode
    from ortcffi.table.api import Api


class CompiledGroup(Definition):
    """The op that a compiled group is."""

    def __init__(self, name: str, function: Any, graph: "ModelGraph", node: "ModelNode") -> None:
        if not callable(function) or isinstance(function, type):
            hint = ""
            if isinstance(function, (list, tuple)):
                hint = "; it is called once for each group, and returns one function"
            elif isinstance(function, type):
                hint = "; give an object of the class"
            raise TypeError(f"{name}: compile must return a function, not {function!r}{hint}")
        made = {value.name: value for value in graph.outputs}
        ports = [tuple(value.name for value in graph.inputs), tuple(made)]
        if ports != [node.inputs, node.outputs]:
            function = _reordered(function, node, graph)
        types = [made[each]._borrowed_type() for each in node.outputs]
        tensors = [None if each is None else each.tensor_info for each in types]
        self.output_shapes = [_lengths(each and each.shape) for each in tensors]
        self.containers = [None if tensors[i] else _container_type(t) for i, t in enumerate(types)]
        self.optional = [not tensors[i] and _is_optional(t) for i, t in enumerate(types)]
        if not graph.api.is_core and (any(self.containers) or any(self.optional)):
            text = f"{name}: kernels can make sequences, maps and optionals on the core only"
            raise NotImplemented(text, "KernelContext_GetOutput")
        inputs = tuple(Operand(ElementType.UNDEFINED) for _ in node.inputs)
        outputs = tuple(Operand(ElementType(each.element_type if each else 0)) for each in tensors)
        super().__init__(name, function, inputs, outputs)

    def make(self, api: int, version: int, info: int) -> tuple[Any, None]:
        """Return what to call; the node has no attributes, and no info."""
        del api, version, info
        return self.function, None

    def array(self, index: int, element: int, result: Any) -> Any:
        """Do the same, for results that are no list of outputs."""
        if isinstance(result, (tuple, list)):
            kind = type(result).__name__
            raise TypeError(f"{self.full_name}: output {index} must be an array, not a {kind}")
        return super().array(index, element, result)

    def write(  # noqa: PLR0913, PLR0917  # as many as C has to say
        self, api: int, version: int, context: int, index: int, element: int, result: Any
    ) -> None:
        """Do the same for results whose shape the model says, and for other types."""
        if result is None and self.optional[index]:
            return  # what is not made holds nothing
        if self.containers[index] is not None:
            self._set_container(api, version, context, index, result)
            return
        shape = np.shape(result)
        if not fits(shape, self.output_shapes[index]):
            self.refuse_shape(index, shape)
        super().write(api, version, context, index, element, result)

    def _set_container(self, api: int, version: int, context: int, index: int, result: Any) -> None:
        kind, element = self.containers[index] or (None, None)
        subject, table = f"{self.full_name}: output {index}", table_of(api, version)
        make = _map if kind is ValueKind.MAP else _sequence
        with make(subject, result, element, table) as value:
            at = ffi.cast("OrtKernelContext*", context)
            call_host("OrtcoreKernelSetOutput", at, index, value.handle)

    def refuse_shape(self, index: int, shape: tuple[int, ...]) -> NoReturn:
        """Raise for an output that has another shape than in the model."""
        declared = ["?" if each < 0 else each for each in self.output_shapes[index] or ()]
        text = f"output {index} has the shape {[*shape]}, and {declared} in the model"
        raise ValueError(f"{self.full_name}: {text}")


def _container_type(info: TypeInfo | None) -> tuple[ValueKind, int | None] | None:
    """Return the kind of a sequence or map, and the type of its elements; None for other types."""
    if info is not None and _is_optional(info):
        return _container_type(info.contained)
    if info is None or info.kind not in (ValueKind.SEQUENCE, ValueKind.MAP):
        return None
    return ValueKind(info.kind), contained_element(info)


def _is_optional(info: TypeInfo | None) -> bool:
    return info is not None and info.kind is ValueKind.OPTIONAL


def _sequence(subject: str, x: Any, element: int | None, api: "Api") -> Value:
    items = sequence_items(subject, x, element)
    if items or element is None:
        return Value.sequence(items, api=api)
    return empty_sequence_on_core(api, element)


def _map(subject: str, x: Any, element: int | None, api: "Api") -> Value:
    dtype = None if element is None else dtype_of(element)
    return Value.map(mapping(subject, x), dtype, api=api)


def _lengths(shape: Any) -> tuple[int, ...] | None:
    """Return a shape as C is given it: -1 for what is free."""
    return None if shape is None else tuple(n if isinstance(n, int) else -1 for n in shape)


def _reordered(function: Any, node: "ModelNode", graph: "ModelGraph") -> Any:
    """Return the function for a node whose inputs have another order than the graph's."""
    inputs, outputs = (
        [names.index(value.name) for value in values]
        for names, values in ((node.inputs, graph.inputs), (node.outputs, graph.outputs))
    )
    back = sorted(range(len(outputs)), key=outputs.__getitem__)

    def call_reordered(*arrays: Any) -> Any:
        results = function(*(arrays[i] for i in inputs))
        return tuple(results[i] for i in back) if len(back) > 1 else results

    return call_reordered
