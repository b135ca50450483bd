# SPDX-License-Identifier: MIT
"""Edited models, each made of a skeleton: the message of a model, in which weights are numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import encode, integer, mapping, optional_mapping
from ortcffi._handle import owned_by
from ortcffi._native import lib
from ortcffi._public import meant, quoted
from ortcffi._table import core_api
from ortcffi.models.editor import Parts, build_model
from ortcffi.models.model_graph import ModelGraph
from ortcffi.models.nodes import (
    Described,
    GraphNode,
    initializer_of,
    names_of,
    node_of,
    value_of,
)
from ortcffi.models.parts import ModelNode, ModelValue
from ortcffi.models.view import GraphView
from ortcffi.models.wire import Message
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.models.model import Model
    from ortcffi.options.kinds import FreeDimension

__all__ = ["extract", "outer_names", "rename", "renamed_graph", "replace", "value_names"]
__all__ += ["check_versions", "fix_dimensions", "with_metadata", "with_opset"]

Rename = Callable[[str], str]
_VALUES = (lib.GRAPH_INPUT, lib.GRAPH_OUTPUT, lib.GRAPH_VALUE)
_SUBGRAPHS = (lib.ATTRIBUTE_GRAPH, lib.ATTRIBUTE_GRAPHS)


# --- names ----------------------------------------------------------------------------------------


def subgraphs_of(node: Message) -> Iterator[Message]:
    """The graphs in the attributes of a node."""
    for attribute in node.messages(lib.NODE_ATTRIBUTE):
        for number in _SUBGRAPHS:
            yield from attribute.messages(number)


def initializer_name(message: Message, *, is_sparse: bool) -> str:
    """The name of an initializer; that of a sparse one stands in its values."""
    tensor = Message(message.get(lib.SPARSE_VALUES)) if is_sparse else message
    return tensor.text(lib.TENSOR_NAME)


def initializer_names(graph: Message) -> set[str]:
    """The names of the initializers."""
    dense = graph.messages(lib.GRAPH_INITIALIZER)
    sparse = graph.messages(lib.GRAPH_SPARSE_INITIALIZER)
    return {initializer_name(each, is_sparse=False) for each in dense} | {
        initializer_name(each, is_sparse=True) for each in sparse
    }


def value_names(graph: Message) -> set[str]:
    """The names of all values that a graph or one of its subgraphs makes or reads."""
    names = initializer_names(graph)
    for number in _VALUES:
        names.update(each.text(lib.VALUE_NAME) for each in graph.messages(number))
    for node in graph.messages(lib.GRAPH_NODE):
        names.update(node.texts(lib.NODE_INPUT), node.texts(lib.NODE_OUTPUT))
        for subgraph in subgraphs_of(node):
            names |= value_names(subgraph)
    return names - {""}


def outer_names(graph: Message) -> set[str]:
    """The names that a subgraph reads and does not make itself."""
    made = initializer_names(graph)
    made.update(each.text(lib.VALUE_NAME) for each in graph.messages(lib.GRAPH_INPUT))
    read = {each.text(lib.VALUE_NAME) for each in graph.messages(lib.GRAPH_OUTPUT)}
    for node in graph.messages(lib.GRAPH_NODE):
        made.update(node.texts(lib.NODE_OUTPUT))
        read.update(node.texts(lib.NODE_INPUT))
        for subgraph in subgraphs_of(node):
            read |= outer_names(subgraph)
    return read - made - {""}


def _node_names(graph: Message) -> set[str]:
    names = set()
    for node in graph.messages(lib.GRAPH_NODE):
        names.add(node.text(lib.NODE_NAME))
        for subgraph in subgraphs_of(node):
            names |= _node_names(subgraph)
    return names - {""}


def renamed_node(node: Message, values: Rename, nodes: Rename) -> Message:
    """A node with other names, in its subgraphs too."""

    def attribute(content: bytes) -> Message:
        message = Message(content)
        for number in _SUBGRAPHS:
            message.map(number, lambda each: renamed_graph(Message(each), values, nodes))
        return message

    for number in (lib.NODE_INPUT, lib.NODE_OUTPUT):
        node.map(number, _on_text(values))
    node.map(lib.NODE_NAME, _on_text(nodes))
    return node.map(lib.NODE_ATTRIBUTE, attribute)


def renamed_graph(graph: Message, values: Rename, nodes: Rename) -> Message:
    """A graph with other names, in its subgraphs too."""

    def named(number: int) -> Callable[[bytes], Message]:
        return lambda content: Message(content).map(number, _on_text(values))

    for number in _VALUES:
        graph.map(number, named(lib.VALUE_NAME))
    graph.map(lib.GRAPH_INITIALIZER, named(lib.TENSOR_NAME))
    graph.map(
        lib.GRAPH_SPARSE_INITIALIZER,
        lambda each: Message(each).map(lib.SPARSE_VALUES, named(lib.TENSOR_NAME)),
    )
    graph.map(lib.GRAPH_ANNOTATION, named(lib.ANNOTATION_NAME))
    return graph.map(lib.GRAPH_NODE, lambda each: renamed_node(Message(each), values, nodes))


def _on_text(change: Rename) -> Callable[[bytes], bytes]:
    return lambda text: change(text.decode(errors="replace")).encode()


def graph_of(skeleton: Message) -> Message:
    """The graph of a skeleton."""
    return Message(skeleton.get(lib.MODEL_GRAPH))


def with_graph(skeleton: Message, graph: Message) -> Message:
    """The skeleton with another graph."""
    return skeleton.set(lib.MODEL_GRAPH, graph)


# --- the edits ------------------------------------------------------------------------------------


def rename(model: "Model", names: Mapping[str, str]) -> Message:
    """Give values and nodes other names."""
    given = mapping("names", names)
    skeleton = model._skeleton()
    graph = graph_of(skeleton)
    values, nodes = value_names(graph), _node_names(graph)
    tables: tuple[dict[str, str], dict[str, str]] = {}, {}
    for old, new in given.items():
        encode("a key of names", old)
        encode(f"names[{quoted(old)}]", new)
        if old not in values and old not in nodes:
            raise LookupError(f"names: the graph has no value and no node {quoted(old)}")
        if not new:
            raise ValueError(f"names: the new name of {quoted(old)} must not be empty")
        tables[old not in values][old] = new
    for table, used in zip(tables, (values, nodes), strict=True):
        kept, times = used - table.keys(), Counter(table.values())
        for old, new in table.items():
            if new in kept or times[new] > 1:
                raise ValueError(
                    f"names: {quoted(old)} cannot become {quoted(new)}, which is there already"
                )
    of_value, of_node = ((lambda name, table=table: table.get(name, name)) for table in tables)
    return with_graph(skeleton, renamed_graph(graph, of_value, of_node))


def with_opset(model: "Model", version: int, domain: str) -> Message:
    """Set the version of an operator set."""
    number = integer("version", version, (1, 2**31 - 1))
    newest = lib.core_newest_opset(encode("domain", domain))
    if newest and number > newest:
        raise ValueError(
            f"version: the newest known version of the operators of {domain or 'ONNX'} is "
            f"{newest}, not {number}"
        )
    skeleton = model._skeleton()
    own = {"", "ai.onnx"} if domain in ("", "ai.onnx") else {domain}
    kept = [
        each
        for each in skeleton.messages(lib.MODEL_OPSET)
        if each.text(lib.OPSET_DOMAIN) not in own
    ]
    opset = Message().add(lib.OPSET_DOMAIN, domain).add(lib.OPSET_VERSION, number)
    return skeleton.set(lib.MODEL_OPSET, *kept, opset)


def check_versions(graph: "ModelGraph", other: "ModelGraph", version: int) -> None:
    """Raise `ValueError` for an operator that has another form in another version."""
    version = index(version)
    for node, changed in zip(graph.nodes, other.nodes, strict=True):
        before, after = node.since_version, changed.since_version
        if before != after:
            form = "does not exist" if after is None else f"has the form of version {after}"
            raise ValueError(
                f"version: in version {version} the operator {node.op_type} {form}, and a node "
                f"uses that of version {before}"
            )
        pairs = zip(node.subgraphs.values(), changed.subgraphs.values(), strict=True)
        for inner, inner_changed in pairs:
            check_versions(inner, inner_changed, version)


_TEXTS = {
    "producer_name": lib.MODEL_PRODUCER_NAME,
    "producer_version": lib.MODEL_PRODUCER_VERSION,
    "domain": lib.MODEL_DOMAIN,
    "description": lib.MODEL_DOC,
}
_TEXTS_OF_GRAPH = {"graph_name": lib.GRAPH_NAME, "graph_description": lib.GRAPH_DOC}


def with_metadata(
    model: "Model",
    custom: Mapping[str, str | None] | None,
    version: int | None,
    texts: dict[str, Any],
) -> Message:
    """Set the model's metadata."""
    skeleton = model._skeleton()
    graph = graph_of(skeleton)
    for name, text in texts.items():
        if name not in _TEXTS and name not in _TEXTS_OF_GRAPH:
            known = [*_TEXTS, *_TEXTS_OF_GRAPH, "version", "custom"]
            hint = meant(name, known) or f"; an entry of your own is {{{quoted(name)}: ...}}"
            raise TypeError(f"with_metadata() has no argument {quoted(name)}{hint}")
        if text is not None:
            encode(name, text)
            if name in _TEXTS:
                skeleton.set(_TEXTS[name], text)
            else:
                graph.set(_TEXTS_OF_GRAPH[name], text)
    if version is not None:
        skeleton.set(lib.MODEL_VERSION, integer("version", version, (-(2**63), 2**63 - 1)))
    entries = {
        each.text(lib.ENTRY_KEY): each.text(lib.ENTRY_VALUE)
        for each in skeleton.messages(lib.MODEL_METADATA)
    }
    for key, value in optional_mapping("custom", custom).items():
        encode("a key of custom", key)
        if value is None:
            entries.pop(key, None)
        else:
            encode(f"custom[{key!r}]", value)
            entries[key] = value
    stored = [
        Message().add(lib.ENTRY_KEY, key).add(lib.ENTRY_VALUE, text)
        for key, text in entries.items()
    ]
    skeleton.set(lib.MODEL_METADATA, *stored)
    return with_graph(skeleton, graph)


def fix_dimensions(model: "Model", fixed: "Iterable[FreeDimension]") -> Message:
    """Give free dimensions the lengths that options fix; the first of each name counts."""
    lengths: dict[tuple[str, bool], int] = {}
    for each in fixed:
        if each.value >= 0 and each.name:
            lengths.setdefault((each.name, each.is_denotation), each.value)

    def dimension(content: bytes) -> Message:
        message = Message(content)
        name = message.text(lib.DIMENSION_NAME), False
        length = lengths.get(name, lengths.get((message.text(lib.DIMENSION_DENOTATION), True)))
        if length is not None and not message.all(lib.DIMENSION_VALUE):
            message.set(lib.DIMENSION_NAME).set(lib.DIMENSION_VALUE, length)
        return message

    def within(change: Callable[[bytes], Message], *numbers: int) -> Callable[[bytes], Message]:
        for number in reversed(numbers):
            change = partial(_mapped, number, change)
        return change

    skeleton = model._skeleton()
    graph = graph_of(skeleton)
    path = lib.VALUE_TYPE, lib.TYPE_TENSOR, lib.TENSOR_TYPE_SHAPE, lib.SHAPE_DIMENSION
    for number in _VALUES:
        graph.map(number, within(dimension, *path))
    return with_graph(skeleton, graph)


def _mapped(number: int, change: Callable[[bytes], Message], content: bytes) -> Message:
    return Message(content).map(number, change)


def extract(
    model: "Model", inputs: "Iterable[str] | Mapping[str, Any]", outputs: Iterable[str]
) -> Message:
    """The part of a model between values."""
    types = dict(inputs) if isinstance(inputs, Mapping) else {}
    starts, ends = names_of("inputs", inputs), names_of("outputs", outputs)
    skeleton = model._skeleton()
    graph, values = graph_of(skeleton), model.graph.values
    _check_names("inputs", starts, values)
    _check_names("outputs", ends, values)
    if not ends:
        raise ValueError("outputs must not be empty")
    nodes = [Message(each) for each in graph.all(lib.GRAPH_NODE)]
    needed, kept = _needed(nodes, starts, ends)
    own = {each.text(lib.VALUE_NAME) for each in graph.messages(lib.GRAPH_INPUT)}
    lacking = sorted((needed & own) - set(starts) - initializer_names(graph))
    if lacking:
        raise ValueError(f"inputs lack {', '.join(map(repr, lacking))}, which outputs need")
    infos = _value_infos(graph)
    graph.set(
        lib.GRAPH_INPUT,
        *(_input_info(model, infos, values[name], types.get(name)) for name in starts),
    )
    graph.set(
        lib.GRAPH_OUTPUT, *(infos.get(name, Message().add(lib.VALUE_NAME, name)) for name in ends)
    )
    apart = _names_apart(starts, value_names(graph))
    graph.set(
        lib.GRAPH_NODE,
        *(
            node.map(lib.NODE_OUTPUT, _on_text(lambda name: apart.get(name, name)))
            for node, is_kept in zip(nodes, kept, strict=True)
            if is_kept
        ),
    )
    stays = needed - set(starts)
    _keep(graph, lib.GRAPH_INITIALIZER, lambda each: each.text(lib.TENSOR_NAME) in stays)
    _keep(
        graph,
        lib.GRAPH_SPARSE_INITIALIZER,
        lambda each: initializer_name(each, is_sparse=True) in stays,
    )
    inner = stays - set(ends)
    _keep(graph, lib.GRAPH_VALUE, lambda each: each.text(lib.VALUE_NAME) in inner)
    _keep(graph, lib.GRAPH_ANNOTATION, lambda each: each.text(lib.ANNOTATION_NAME) in needed)
    return with_graph(skeleton, graph)


def _check_names(argument: str, names: Sequence[str], values: Mapping[str, Any]) -> None:
    for name in names:
        if name not in values:
            raise LookupError(f"{argument}: the graph has no value {quoted(name)}")
    if len(set(names)) < len(names):
        raise ValueError(f"{argument} must differ from each other, but are {list(names)}")


def _names_apart(starts: Iterable[str], taken: set[str]) -> dict[str, str]:
    """Other names for what are inputs, where a node that is needed makes them beside others."""
    found = {}
    for name in starts:
        other = name
        while other in taken:
            other += "_"
        taken.add(other)
        found[name] = other
    return found


def _needed(
    nodes: list[Message], starts: Iterable[str], ends: Iterable[str]
) -> tuple[set[str], list[bool]]:
    """The values on the way between others, and which nodes are."""
    makers = {
        name: i for i, node in enumerate(nodes) for name in node.texts(lib.NODE_OUTPUT) if name
    }
    needed, kept, todo = set(starts), [False] * len(nodes), [*ends]
    done = set(starts)
    while todo:
        name = todo.pop()
        needed.add(name)
        place = makers.get(name)
        if name in done or place is None or kept[place]:
            continue
        kept[place] = True
        node = nodes[place]
        needed.update(each for each in node.texts(lib.NODE_OUTPUT) if each)
        todo += [each for each in node.texts(lib.NODE_INPUT) if each]
        for subgraph in subgraphs_of(node):
            todo += outer_names(subgraph)
    return needed, kept


def _value_infos(graph: Message) -> dict[str, Message]:
    return {
        each.text(lib.VALUE_NAME): each
        for number in (lib.GRAPH_VALUE, lib.GRAPH_OUTPUT, lib.GRAPH_INPUT)
        for each in graph.messages(number)
    }


def _input_info(
    model: "Model", infos: dict[str, Message], value: ModelValue, given: Any
) -> Message:
    """An input's name and type: as it is given, as the model says, or that of an initializer."""
    known = infos.get(value.name)
    if given is None and known is not None and known.all(lib.VALUE_TYPE):
        return known
    if given is not None:
        if not isinstance(given, tuple) or not 1 <= len(given) <= 2:
            raise TypeError(
                f"inputs[{quoted(value.name)}] must be (element_type, shape), not {given!r}"
            )
        described = value_of(value.name, given[0], given[1] if len(given) == 2 else None)
    elif value.element_type is not None:
        described = value_of(value.name, value.element_type, value.shape)
    else:
        raise ValueError(
            f"inputs: the model does not say which type {quoted(value.name)} has; pass a dict "
            f"with it: {{{quoted(value.name)}: (element_type, shape)}}"
        )
    return _message_of(model, Described(inputs=[described])).messages(lib.GRAPH_INPUT)[0]


def _message_of(model: "Model", described: Any) -> Message:
    """What is described, as the graph of a model that lacks the rest."""
    owner = build_model(Parts(core_api(), "CreateModel"), described, whole=False)
    made = type(model)(core_api(), owned_by(owner), parent=owner)
    return graph_of(Message(made.to_bytes()))


def _keep(graph: Message, number: int, wanted: Callable[[Message], bool]) -> None:
    graph.fields = [
        field for field in graph.fields if field[0] != number or wanted(Message(field[2]))
    ]


def replace(model: "Model", old: Any, new: Any) -> Message:
    """Put something else in the place of an initializer, a value or a node."""
    found = model.graph[old] if isinstance(old, str) else old
    if not isinstance(found, (ModelValue, ModelNode)):
        raise TypeError(
            f"old must be a name, a ModelValue or a ModelNode, not {type(old).__name__}"
        )
    if found.graph != model.graph:
        raise ValueError("old must be a part of the model's own graph")
    skeleton = model._skeleton()
    graph = graph_of(skeleton)
    if isinstance(found, ModelNode):
        _replace_node(model, graph, found, new)
    elif isinstance(new, str):
        _replace_uses(model, graph, found, new)
    elif isinstance(new, (np.ndarray, Value)):
        _replace_initializer(model, graph, found, new)
    else:
        raise TypeError(
            f"new must be an array, a Value or a name for a value, not {type(new).__name__}"
        )
    return with_graph(skeleton, graph)


def _replace_initializer(model: "Model", graph: Message, value: ModelValue, new: Any) -> None:
    name = value.name
    if name not in {each.text(lib.TENSOR_NAME) for each in graph.messages(lib.GRAPH_INITIALIZER)}:
        raise ValueError(f"old: {quoted(name)} is no initializer, in whose place an array can be")
    made = (
        new if isinstance(new, Value) else Value.from_numpy(initializer_of("new", new), copy=False)
    )
    shape = tuple(made.shape)
    if value.element_type != made.element_type or (value.is_input and value.shape != shape):
        what = "type" if value.is_input else "element type"
        raise ValueError(
            f"new must have the {what} of {quoted(name)}, which is {value.type}, but is "
            f"{made.dtype} {list(shape)}"
        )
    described = Described(initializers={name: made})
    content = bytes(_message_of(model, described).get(lib.GRAPH_INITIALIZER))
    graph.map(
        lib.GRAPH_INITIALIZER,
        lambda each: content if Message(each).text(lib.TENSOR_NAME) == name else each,
    )
    _keep(graph, lib.GRAPH_VALUE, lambda each: each.text(lib.VALUE_NAME) != name)


def _replace_uses(model: "Model", graph: Message, value: ModelValue, new: str) -> None:
    """Have nodes, in subgraphs too, and outputs that read a value read another one."""
    if new not in model.graph.values:
        raise LookupError(f"new: the graph has no value {quoted(new)}")
    name = value.name
    if value.is_output:
        raise ValueError(f"old: {quoted(name)} is an output of the graph, whose name would change")

    def node(content: bytes) -> Message:
        message = Message(content).map(
            lib.NODE_INPUT, _on_text(lambda each: new if each == name else each)
        )
        return message.map(lib.NODE_ATTRIBUTE, attribute)

    def attribute(content: bytes) -> Message:
        message = Message(content)
        for number in _SUBGRAPHS:
            message.map(number, subgraph)
        return message

    def subgraph(content: bytes) -> "Message | bytes":
        message = Message(content)
        if name not in outer_names(message):
            return content
        message.map(
            lib.GRAPH_OUTPUT,
            lambda each: Message(each).map(
                lib.VALUE_NAME, _on_text(lambda text: new if text == name else text)
            ),
        )
        return message.map(lib.GRAPH_NODE, node)

    graph.map(lib.GRAPH_NODE, node)


def _replace_node(model: "Model", graph: Message, node: ModelNode, new: Any) -> None:
    fragment = new
    if isinstance(new, GraphNode):
        fragment = Described(nodes=[node_of(**new._asdict())])
    elif not isinstance(new, GraphView) or isinstance(new, ModelGraph):
        raise TypeError(f"new must be a GraphNode or a Graph for a node, not {type(new).__name__}")
    values = model.graph.values
    made = {name for each in fragment.nodes for name in each.outputs if name}
    made |= fragment.initializers.keys()
    for name in sorted(made - set(node.outputs)):
        if name in values:
            raise ValueError(f"new makes {quoted(name)}, which the graph has already")
    for name in node.outputs:
        if name and name not in made and (values[name].consumers or values[name].is_output):
            raise ValueError(f"new does not make {quoted(name)}, which is used")
    for each in fragment.nodes:
        for name in each.inputs:
            if name and name not in made and name not in values:
                raise LookupError(f"new reads {quoted(name)}, which the graph does not have")
    if fragment.inputs or fragment.outputs:
        raise ValueError(
            "new must have no inputs and outputs: its nodes use the names of the model"
        )
    added = _message_of(model, fragment)
    place = next(
        i
        for i, (number, _, content) in enumerate(graph.fields)
        if number == lib.GRAPH_NODE and _is_node(Message(content), node)
    )
    nodes = [field for field in added.fields if field[0] == lib.GRAPH_NODE]
    graph.fields[place : place + 1] = nodes
    graph.fields += [field for field in added.fields if field[0] == lib.GRAPH_INITIALIZER]


def _is_node(message: Message, node: ModelNode) -> bool:
    """Whether a message is that node; what a node makes is unique."""
    return (
        tuple(message.texts(lib.NODE_OUTPUT)) == node.outputs
        and message.text(lib.NODE_OPERATOR) == node.op_type
        and message.text(lib.NODE_NAME) == node.name
    )
