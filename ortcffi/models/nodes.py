# SPDX-License-Identifier: MIT
"""What a graph consists of, and checks of the arguments that describe it."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ortcffi._convert import encode, float32, integer, optional_mapping
from ortcffi._public import public
from ortcffi.values.checks import element_of_array, unfit
from ortcffi.values.element_types import ElementType, as_element
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.values.tensor_type_info import Dimension

__all__ = [
    "Described",
    "GraphNode",
    "GraphValue",
    "attribute_of",
    "initializer_of",
    "names_of",
    "node_of",
    "value_of",
]

_INT64 = (-(2**63), 2**63 - 1)


@public
class GraphValue(NamedTuple):
    """An input or an output of a graph: a tensor.

    Attributes
    ----------
    name : str
        The name.
    element_type : ElementType or None
        What its elements are; None where that is not known.
    shape : tuple or None
        Its dimensions, each an int, a name, or None; None where not even their number is known.
    """

    name: str
    element_type: ElementType | None
    shape: "tuple[Dimension, ...] | None"


@public
class GraphNode(NamedTuple):
    """A node of a graph: one call of an operator.

    Attributes
    ----------
    op_type : str
        The operator.
    inputs, outputs : tuple of str
        The names of what it reads and writes; "" for what is left out.
    domain : str
        The operator's domain; "" is that of ONNX.
    name : str
        The name of the node, which may be "".
    attributes : dict
        Its attributes.
    """

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str
    name: str
    attributes: dict[str, Any]


class Described(NamedTuple):
    """What a model is made of; `Graph` has the same."""

    inputs: "Sequence[GraphValue]" = ()
    outputs: "Sequence[GraphValue]" = ()
    nodes: "Sequence[GraphNode]" = ()
    initializers: "Mapping[str, Any]" = MappingProxyType({})
    opsets: "Mapping[str, int]" = MappingProxyType({"": 1})


def initializer_of(argument: str, value: Any) -> Any:
    """An array or a Value that can be an initializer."""
    if not isinstance(value, Value):
        element = element_of_array(value, argument)
        reason = unfit(value, element, argument) if element != ElementType.STRING else None
        if reason:
            raise ValueError(f"{reason}: pass Value.from_numpy of it, with copy=True")
    return value


def value_of(name: str, element_type: Any, shape: Any) -> GraphValue:
    """An input or an output, of what a user says of it."""
    encode("name", name)
    if not name:
        raise ValueError("name must not be empty")
    element = as_element(element_type, "element_type")
    if shape is None:
        return GraphValue(name, element, None)
    if isinstance(shape, str) or not isinstance(shape, Iterable):
        raise TypeError(f"shape must be an iterable of int, str and None, not {shape!r}")
    dimensions = []
    for i, each in enumerate(shape):
        if isinstance(each, str):
            encode(f"shape[{i}]", each)
        elif each is not None:
            each = integer(f"shape[{i}]", each, (0, 2**63 - 1))  # noqa: PLW2901
        dimensions.append(each)
    return GraphValue(name, element, tuple(dimensions))


def node_of(  # noqa: PLR0913, PLR0917  # as many as a node has
    op_type: Any, inputs: Any, outputs: Any, domain: Any, name: Any, attributes: Any
) -> GraphNode:
    """A node, of what a user says of it."""
    read, made = names_of("inputs", inputs), names_of("outputs", outputs)
    for argument, text in (("op_type", op_type), ("domain", domain), ("name", name)):
        encode(argument, text)
    if not op_type:
        raise ValueError("op_type must not be empty")
    given = optional_mapping("attributes", attributes)
    kept = {key: attribute_of(key, each) for key, each in given.items()}
    named = [each for each in made if each]
    if len(set(named)) < len(named):
        raise ValueError(f"outputs must differ from each other, but are {list(made)}")
    return GraphNode(op_type, read, made, domain, name, kept)


def names_of(argument: str, names: Any) -> tuple[str, ...]:
    """The names of a node's inputs or outputs."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise TypeError(f"{argument} must be an iterable of str, not {type(names).__name__}")
    found = tuple(names)
    for i, name in enumerate(found):
        encode(f"{argument}[{i}]", name)
    return found


def attribute_of(name: Any, value: Any) -> Any:
    """An attribute as it is kept: an int, float, str, bytes, or a list of one of them."""
    encode("a name of attributes", name)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    argument = f"attributes[{name!r}]"
    if isinstance(value, (list, tuple)):
        kept = [_single(argument, each) for each in value]
        kinds = {bytes if isinstance(each, str) else type(each) for each in kept}
        if kinds == {int, float}:
            return [float(each) for each in kept]
        if len(kinds) > 1:
            raise TypeError(f"{argument} must have elements of one type, not {value!r}")
        if any(isinstance(each, bytes) and b"\0" in each for each in kept):
            raise ValueError(f"{argument} must not contain null characters, where C ends a string")
        return kept
    return _single(argument, value)


def _single(argument: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        encode(argument, value)
        return value
    if isinstance(value, bytes):
        return value
    if isinstance(value, float):
        return float32(argument, value)
    if isinstance(value, int):
        return integer(argument, value, _INT64)
    kind = type(value).__name__
    raise TypeError(
        f"{argument} must be an int, a float, a str, bytes or a list, not {kind}: the model editor "
        f"has no attributes that are tensors or graphs"
    )
