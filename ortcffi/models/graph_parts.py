# SPDX-License-Identifier: MIT
"""Nodes, values and attributes of a `Graph`: views of the messages that ONNX files consist of."""

from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any

from ortcffi._convert import SIZE, integer, of_type, optional_mapping
from ortcffi._public import few, meant, public, quoted, shortened
from ortcffi.models.graph_attributes import (
    Attributes,
    check_apart,
    names_of,
    text,
    text_property,
)
from ortcffi.models.message import (
    Message,
    element_in_file,
    element_of_file,
    make,
    subgraphs_of,
    tensors_in,
)
from ortcffi.models.stored import settle_tensors
from ortcffi.models.view import described_node
from ortcffi.values.element_types import ElementType, as_element

if TYPE_CHECKING:
    from ortcffi.models.graph import Graph
    from ortcffi.values.tensor_type_info import Dimension

# --- values ---------------------------------------------------------------------------------------


@public
class GraphValue:
    """A value of a `Graph`: an input, an output, an initializer, or what a node makes.

    Its name, element type and shape can be set.
    """

    __slots__ = ("_graph", "_is_new", "_message")

    def __init__(self, graph: "Graph", message: Any, *, is_new: bool = False) -> None:
        self._graph, self._message, self._is_new = graph, message, is_new

    @property
    def name(self) -> str:
        """The name. A new one is set everywhere in the graph and its subgraphs."""
        return str(self._message.name)

    @name.setter
    def name(self, name: str) -> None:
        self._graph.rename({self.name: name})
        self._message.name = name

    @property
    def graph(self) -> "Graph":
        """The graph that it is part of."""
        return self._graph

    @property
    def element_type(self) -> ElementType | int | None:
        """The type of a tensor's elements; None for other values, and where it is not known."""
        tensor = tensor_type_of(self._message)
        number = 0 if tensor is None else tensor.elem_type
        return element_of_file(number) if number else None

    @element_type.setter
    def element_type(self, element_type: Any) -> None:
        element = as_element(element_type, "element_type")
        self._writable().elem_type = element_in_file(element)

    @property
    def shape(self) -> "tuple[Dimension, ...] | None":
        """A tensor's dimensions, each a length, a name or None; None where they are not known."""
        tensor = tensor_type_of(self._message)
        return None if tensor is None or tensor.shape is None else shape_of(tensor)

    @shape.setter
    def shape(self, shape: "Iterable[Dimension] | None") -> None:
        dimensions = dimensions_of(shape)
        if self.element_type is None:
            raise ValueError(f"the element type of {quoted(self.name)} must be set before a shape")
        self._writable().shape = dimensions

    @property
    def producer(self) -> "GraphNode | None":
        """The node that makes it; None for inputs and initializers. All nodes are looked at."""
        found = (each for each in self._graph.nodes if self.name in each.outputs)
        return next(found, None)

    @property
    def consumers(self) -> "tuple[GraphNode, ...]":
        """The nodes that read it, also in their subgraphs. All nodes are looked at."""
        name = self.name
        return tuple(each for each in self._graph.nodes if name in each._read())

    def _writable(self) -> Any:
        """Return the message of the type of a tensor, which is made if there is none."""
        found = tensor_type_of(self._message)
        if found is None and self._message.type is not None:
            raise ValueError(f"{quoted(self.name)} is no tensor")
        if self._is_new:
            self._graph._message.value_info.append(self._message)
            self._is_new = False
        if found is None:
            found = Message("TypeProto.Tensor")
            self._message.type = make("TypeProto", tensor_type=found)
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphValue):
            return NotImplemented
        return self._graph == other._graph and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<GraphValue {shortened(self.name)}: {_described(self._message.type)}>"


def _described(kind: Any) -> str:
    """Return a type in a few words."""
    if kind is None:
        return "unknown"
    held = {"sequence": kind.sequence_type, "optional": kind.optional_type}
    for name, holder in held.items():
        if holder is not None:
            return f"{name}({_described(holder.elem_type)})"
    if kind.map_type is not None:
        key = _element_name(kind.map_type.key_type)
        return f"map({key}, {_described(kind.map_type.value_type)})"
    tensor = kind.tensor_type or kind.sparse_tensor_type
    if tensor is None or not tensor.elem_type:
        return "unknown"
    shape = () if tensor.shape is None else shape_of(tensor)
    lengths = [shortened("?" if each is None else str(each), 20) for each in shape]
    where = "" if tensor.shape is None else f"[{', '.join(few(lengths))}]"
    return f"{_element_name(tensor.elem_type)}{where}"


def _element_name(number: int) -> str:
    element = element_of_file(number)
    return str(getattr(element, "name", element)).lower()


def tensor_type_of(info: Any) -> Any:
    """Return the type of a dense or sparse tensor; None for another one."""
    kind = info.type
    return None if kind is None else kind.tensor_type or kind.sparse_tensor_type


def shape_of(tensor: Any) -> "tuple[Dimension, ...]":
    """Return the dimensions of a tensor's type, which has them."""
    return tuple(
        each.dim_value if each.has("dim_value") else each.dim_param or None
        for each in tensor.shape.dim
    )


def dimensions_of(shape: Any) -> Any:
    """Return the message of a shape; None for an unknown one."""
    if shape is None:
        return None
    if isinstance(shape, str) or not isinstance(shape, Iterable):
        raise TypeError(f"shape must be an iterable of int, str and None, not {shape!r}")
    kind = "TensorShapeProto.Dimension"
    lengths = [set_dimension(Message(kind), f"shape[{i}]", each) for i, each in enumerate(shape)]
    return make("TensorShapeProto", dim=lengths)


def set_dimension(dimension: Any, argument: str, length: "Dimension") -> Any:
    """Set a dimension to a length or a name; return it."""
    if isinstance(length, str):
        text(argument, length)
        dimension.dim_value, dimension.dim_param = None, length
    else:
        kept = None if length is None else integer(argument, length, SIZE)
        dimension.dim_value, dimension.dim_param = kept, None
    return dimension


def set_type(info: Any, element_type: Any, shape: Any) -> Any:
    """Make a value a tensor; return it."""
    number = element_in_file(as_element(element_type, "element_type"))
    tensor = make("TypeProto.Tensor", elem_type=number, shape=dimensions_of(shape))
    info.type = make("TypeProto", tensor_type=tensor)
    return info


class Ports(Sequence[GraphValue]):
    """Inputs or outputs of a graph, by place and by name.

    ``del ports["x"]`` removes one.
    """

    __slots__ = ("_graph", "_infos")

    def __init__(self, graph: "Graph", infos: list[Any]) -> None:
        self._graph, self._infos = graph, infos

    def _place(self, key: "int | str") -> int:
        if not isinstance(key, str):
            return key
        for i, info in enumerate(self._infos):
            if info.name == key:
                return i
        names = [info.name for info in self._infos]
        raise LookupError(f"there is no {quoted(key)}{meant(key, names)}")

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [self[i] for i in range(len(self))[key]]
        return GraphValue(self._graph, self._infos[self._place(key)])

    def __delitem__(self, key: "int | str") -> None:
        del self._infos[self._place(key)]

    def __contains__(self, key: object) -> bool:
        name = key.name if isinstance(key, GraphValue) else key
        return any(info.name == name for info in self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __repr__(self) -> str:
        return f"[{', '.join(few(list(map(repr, self)), 6))}]"


# --- nodes ----------------------------------------------------------------------------------------


def _names_property(field: str, doc: str) -> Any:
    def set_names(self: "GraphNode", names: Iterable[str]) -> None:
        setattr(self._message, field, names_of(f"{field}s", names))

    return property(lambda self: getattr(self._message, field), set_names, None, doc)


@public
class GraphNode:
    """A node of a `Graph`: one call of an operator. All that it has can be set.

    Parameters
    ----------
    op_type : str
        The operator.
    inputs, outputs : iterable of str
        The names of what it reads and writes; "" for what is left out.
    domain : str, optional
        The operator's domain; "" is that of ONNX.
    name : str, optional
        The name of the node.
    attributes : mapping, optional
        Its attributes.

    Attributes
    ----------
    inputs, outputs : list of str
        The names, in lists that can be changed.
    """

    __slots__ = ("_graph", "_message")
    _graph: "Graph | None"

    def __init__(  # noqa: PLR0913, PLR0917  # as many as a node has
        self,
        op_type: str,
        inputs: Iterable[str] = (),
        outputs: Iterable[str] = (),
        domain: str = "",
        name: str = "",
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        message = Message("NodeProto")
        message.input, message.output = names_of("inputs", inputs), names_of("outputs", outputs)
        for argument, word in (("op_type", op_type), ("domain", domain), ("name", name)):
            text(argument, word)
            if word:
                setattr(message, argument, word)
        if not op_type:
            raise ValueError("op_type must not be empty")
        made = [each for each in message.output if each]
        if len(set(made)) < len(made):
            raise ValueError(f"outputs must differ from each other, but are {message.output}")
        self._graph, self._message = None, message
        given = optional_mapping("attributes", attributes)
        if given:
            self.attributes.update(given)

    @classmethod
    def _of(cls, graph: "Graph | None", message: Any) -> "GraphNode":
        self = cls.__new__(cls)
        self._graph, self._message = graph, message
        return self

    op_type: str = text_property("op_type", "The operator.")
    domain: str = text_property("domain", 'The operator\'s domain; "" is that of ONNX.')
    name: str = text_property("name", 'The name, which may be "".')
    inputs: list[str] = _names_property(
        "input", 'The names of what it reads; "" for what is left out.'
    )
    outputs: list[str] = _names_property(
        "output", 'The names of what it makes; "" for what is left out.'
    )

    @property
    def attributes(self) -> "Attributes":
        """The attributes by name, which can be set.

        Each is an int, a float, a str (bytes where it is not UTF-8), an array, a `Graph`, a list of
        one of them, or an `AttributeReference`.
        """
        return Attributes(self._message.attribute, self._graph)

    @property
    def subgraphs(self) -> "dict[str, Graph]":
        """The attributes that are graphs."""
        return {name: each for name, each in self.attributes.items() if hasattr(each, "to_model")}

    @property
    def implicit_inputs(self) -> tuple[str, ...]:
        """The names of what only its subgraphs read."""
        return tuple(dict.fromkeys(outer_names(self._message)))

    def _read(self) -> list[str]:
        """Return the names of all that the node reads, also in its subgraphs."""
        return [*self.inputs, *outer_names(self._message)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphNode):
            return NotImplemented
        return self._message is other._message

    def __hash__(self) -> int:
        return hash(id(self._message))

    def __repr__(self) -> str:
        return f"<GraphNode {described_node(self)}>"


class Nodes(MutableSequence[GraphNode]):
    """The nodes of a graph, as a list."""

    __slots__ = ("_graph", "_messages")

    def __init__(self, graph: "Graph", messages: list[Any]) -> None:
        self._graph, self._messages = graph, messages

    def _messages_of(self, nodes: Iterable[Any], gone: Iterable[Any] = ()) -> list[Any]:
        """Return the messages of nodes that come into the graph, where others go.

        Nodes of another graph are copied: a node is in one graph.
        """
        given, graph = list(nodes), self._graph
        for node in given:
            of_type("a node", node, GraphNode)
            check_apart(graph._message, subgraphs_of(node._message))
        is_new = all(node._graph is None for node in given)
        there = set() if is_new else set(map(id, self._messages)) - set(map(id, gone))
        for node in given:
            if id(node._message) in there:
                raise ValueError("the node is in the graph already")
            there.add(id(node._message))
        for node in given:
            other = node._graph
            if other is not None and other != graph:
                if any(each is node._message for each in other._message.node):
                    node._message = node._message.copy()
                if other._home is not graph._home:
                    settle_tensors(tensors_in(node._message.attribute), other._home)
            node._graph = graph
            graph._import(node.domain)
        return [node._message for node in given]

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [GraphNode._of(self._graph, each) for each in self._messages[place]]
        return GraphNode._of(self._graph, self._messages[place])

    def __setitem__(self, place: Any, node: Any) -> None:
        if isinstance(place, slice):
            self._messages[place] = self._messages_of(node, self._messages[place])
        else:
            (self._messages[place],) = self._messages_of([node], [self._messages[place]])

    def __delitem__(self, place: Any) -> None:
        del self._messages[place]

    def __len__(self) -> int:
        return len(self._messages)

    def insert(self, index: int, value: GraphNode) -> None:
        """Insert a node before a place."""
        self._messages[index:index] = self._messages_of([value])

    def index(self, value: Any, *limits: int) -> int:
        """Return the place of a node; `ValueError` where the graph does not have it."""
        of_type("the node", value, GraphNode)
        try:
            return self._messages.index(value._message, *limits)
        except ValueError:
            raise ValueError(f"the graph has no node {value!r}") from None

    def __repr__(self) -> str:
        return f"[{', '.join(few(list(map(repr, self[:6])), 6))}{', ...' * (len(self) > 6)}]"


def outer_names(node: Any) -> Iterator[str]:
    """Yield the names that the subgraphs of a node read, and do not make themselves."""
    for graph in subgraphs_of(node):
        made = {each.name for each in (*graph.input, *graph.initializer)}
        made.update(each.values.name for each in graph.sparse_initializer if each.values)
        read = {each.name: None for each in graph.output}
        for inner in graph.node:
            made.update(inner.output)
            read.update(dict.fromkeys(inner.input))
            read.update(dict.fromkeys(outer_names(inner)))
        yield from (name for name in read if name and name not in made)
