# SPDX-License-Identifier: MIT
"""The methods of `Graph` that change more than one place of it. A failure changes nothing."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import mapping, of_type
from ortcffi._public import meant, quoted
from ortcffi.models.graph_attributes import names_of, text
from ortcffi.models.graph_names import (
    free_name,
    initializer_names,
    input_names,
    made_names,
    mentioning,
    read_names,
    rename_in,
    renamed,
    used_names,
)
from ortcffi.models.graph_parts import GraphNode, GraphValue, outer_names, set_type
from ortcffi.models.message import (
    domain_of,
    element_of_file,
    graphs_in,
    make,
    subgraphs_of,
    tensors_of,
)
from ortcffi.models.stored import constant_tensor, settle_tensors

if TYPE_CHECKING:
    from ortcffi.models.graph import Graph

Names = Mapping[str, str]
_APART = 128  # bytes of an initializer that libraries do not copy


# --- nodes ----------------------------------------------------------------------------------------


def insert_before(self: "Graph", node: GraphNode, *new: GraphNode) -> None:
    """Insert nodes before another one of the graph."""
    place = self.nodes.index(node)
    self.nodes[place:place] = new


def insert_after(self: "Graph", node: GraphNode, *new: GraphNode) -> None:
    """Insert nodes behind another one of the graph."""
    place = self.nodes.index(node) + 1
    self.nodes[place:place] = new


def replace_all_uses(
    self: "Graph", old: "str | GraphValue", new: "str | GraphValue", but: Iterable[GraphNode] = ()
) -> None:
    """Have nodes, in subgraphs too, that read a value read another one.

    Parameters
    ----------
    old, new : str or GraphValue
        A value that is there, and another one, which may be made by a node that is added later.
    but : iterable of GraphNode, optional
        Nodes that read `old` as before, such as the one that makes `new` of it.

    Raises
    ------
    LookupError
        There is no value `old`.
    ValueError
        `old` is an output of the graph, or a subgraph that reads it makes a value `new` itself.
    """
    before, after = _name_of(old), _name_of(new)
    text("new", after)
    if not after or before not in used_names(self._message, [before])[0]:
        raise LookupError(f"the graph has no value {quoted(before if after else after)}")
    if before in self.outputs:
        raise ValueError(
            f"old: {quoted(before)} is an output of the graph, whose name would change: remove it "
            f"from the outputs, and add {quoted(after)}"
        )
    stay = {id(of_type("a node of but", each, GraphNode)._message) for each in but}
    nodes = [each for each in mentioning(self._message, [before]) if id(each) not in stay]
    if any(_hides(each, before, after) for each in nodes):
        raise ValueError(
            f"new: a subgraph that reads {quoted(before)} makes {quoted(after)} itself"
        )
    for node in nodes:
        _read_other(node, before, after)


def _name_of(value: "str | GraphValue") -> str:
    return value.name if isinstance(value, GraphValue) else value


def _hides(node: Any, old: str, new: str) -> bool:
    """Whether a subgraph of a node reads one value, and makes another one itself."""
    return any(
        (new in made_names(graph) and old in read_names(graph))
        or any(_hides(each, old, new) for each in mentioning(graph, [old]))
        for graph in subgraphs_of(node)
        if old not in made_names(graph)
    )


def _read_other(node: Any, old: str, new: str) -> None:
    node.input = [new if each == old else each for each in node.input]
    for graph in subgraphs_of(node):
        if old in made_names(graph):
            continue
        for info in graph.output:
            renamed(info, {old: new})
        for inner in mentioning(graph, [old]):
            _read_other(inner, old, new)


def replace(self: "Graph", node: GraphNode, new: "GraphNode | Graph") -> None:
    """Put another node, or the nodes of a graph, in the place of a node.

    Parameters
    ----------
    node : GraphNode
        A node of the graph.
    new : GraphNode or Graph
        Another node, which makes what is used of the first. Or a graph: its inputs and outputs
        are what the node reads and makes, in that order; other names of it that are there already
        get a prefix. A graph without inputs and outputs uses the names of this one.
    """
    place = self.nodes.index(node)
    if isinstance(new, GraphNode):
        made = {name for name in new.outputs if name}
    elif hasattr(new, "to_model"):
        made = made_names(new._message)
        made |= {old for old, _ in zip(node.outputs, new.outputs, strict=False)}
    else:
        raise TypeError(f"new must be a GraphNode or a Graph, not {type(new).__name__}")
    for name in node.outputs:
        if name and name not in made and _is_read(self, name, node):
            raise ValueError(f"new does not make {quoted(name)}, which is used")
    if isinstance(new, GraphNode):
        self.nodes[place : place + 1] = [new]
        return
    sides = zip((*new.inputs, *new.outputs), (*node.inputs, *node.outputs), strict=False)
    names = {value.name: name for value, name in sides if name}
    added = _adapted(self, new, names, f"{node.name or node.op_type}/", set(node.outputs))
    self._message.node[place : place + 1] = added.node
    _take_rest(self, added)


def _is_read(graph: "Graph", name: str, but: GraphNode) -> bool:
    nodes = mentioning(graph._message, [name])
    readers = (each for each in nodes if each is not but._message)
    return name in graph.outputs or any(
        name in each.input or name in outer_names(each) for each in readers
    )


# --- graphs within graphs -------------------------------------------------------------------------


def settle(graph: "Graph") -> None:
    """Have the messages refer to memory for all weights that they name by number or file."""
    for each in (graph._message, *graph._home.message.functions):
        settle_tensors(tensors_of(each), graph._home)


def apart(self: "Graph", but: set[str]) -> tuple[bytes, dict[str, tuple[Any, ...]]]:
    """Return the model as bytes, and its large initializers apart: memory, shape, element type.

    The model says of them that they are in a file, which no library opens if it is given them.
    """
    self.to_model()  # which is checked
    model, weights = self.copy(), {}
    settle(model)
    inputs = {info.name for info in model._message.input}
    taken = read_names(model._message) - inputs - but  # of others libraries know nothing
    for tensor in model._message.initializer:
        size = len(tensor.raw_data)
        if size >= _APART and tensor.name in taken:
            element = element_of_file(tensor.data_type)
            weights[tensor.name] = tensor.raw_data, tuple(tensor.dims), element
            tensor.raw_data, tensor.data_location = None, 1
            for key, value in (("location", "weights"), ("length", str(size))):
                entry = make("StringStringEntryProto", key=key, value=value)
                tensor.external_data.append(entry)
    return model._home.message.to_bytes(), weights


def _adapted(graph: "Graph", other: "Graph", names: Names, prefix: str, free: set[str]) -> Any:
    """Get a copy of the message of another graph, for this one; `free` are names that get free."""
    copied = other.copy()
    settle(copied)
    message, values, nodes = copied._message, dict(names), {}
    inner = _all_names(message)
    taken = (_all_names(graph._message) - free) | {*names.values()}
    known = taken | inner
    for name in sorted((inner - names.keys()) & taken):
        values[name] = _free_name(name, prefix, known)
    named = {node.name for node in graph._message.node} - {""}
    for node in message.node:
        if node.name in named:
            nodes[node.name] = _free_name(node.name, prefix, named)
    if apart := versions_apart(graph, other):
        own, version, name = apart
        raise ValueError(
            f"the graphs use versions {own} and {version} of the operators of {name}: "
            "convert_version() makes them the same"
        )
    rename_in(message, values, nodes)
    for domain, version in other.opsets.items():
        if domain not in graph.opsets:
            graph.opsets[domain] = version
    known_functions = {(each.domain, each.name, each.overload) for each in graph.functions}
    graph._home.message.functions += [
        each
        for each in copied._home.message.functions
        if (each.domain, each.name, each.overload) not in known_functions
    ]
    return message


def _all_names(graph: Any) -> set[str]:
    """Return the names of all that is made in a graph, also in subgraphs."""
    return set().union(*map(made_names, graphs_in(graph)))


def _free_name(name: str, prefix: str, taken: set[str]) -> str:
    while name in taken:
        name = prefix + name
    taken.add(name)
    return name


def versions_apart(graph: "Graph", other: "Graph") -> tuple[int, int, str] | None:
    """Two versions of an operator set of which another graph has nodes, and its name; or None."""
    for domain, version in other.opsets.items():
        own = graph.opsets.get(domain, version)
        nodes = other._message.node
        if own != version and any(domain_of(node.domain) == domain for node in nodes):
            return own, version, domain or "ONNX"
    return None


def _take_rest(graph: "Graph", added: Any) -> None:
    for field in ("initializer", "sparse_initializer", "value_info", "quantization_annotation"):
        getattr(graph._message, field).extend(getattr(added, field))
    graph._made = None


def merge(
    self: "Graph", other: "Graph", connect: Names | None = None, *, prefix: str = "merged/"
) -> dict[str, str]:
    """Add another graph, whose inputs are values of this one.

    The other inputs of the other graph become inputs of this one, and its outputs become outputs;
    an output of this one that is read by it is none any more.

    Parameters
    ----------
    other : Graph
        The other graph, which does not change.
    connect : mapping of str to str, optional
        By names of inputs of the other graph, values of this one. By default outputs of this graph
        are the inputs that have the same name.
    prefix : str, optional
        What is put before names of the other graph that this one has already.

    Returns
    -------
    dict of str to str
        The names that the inputs and outputs of the other graph have in this one.
    """
    if not hasattr(other, "to_model"):
        raise TypeError(f"other must be a Graph, not {type(other).__name__}")
    text("prefix", prefix)
    if not prefix:
        raise ValueError("prefix must not be empty")
    outputs = {each.name for each in self.outputs}
    same = {each.name: each.name for each in other.inputs if each.name in outputs}
    names = same if connect is None else mapping("connect", connect)
    made = made_names(self._message)
    for name, source in names.items():
        if name not in other.inputs:
            raise LookupError(f"connect: the other graph has no input {quoted(name)}")
        if source not in made:
            raise LookupError(f"connect: the graph has no value {quoted(source)}")
    ports = {each.name for each in (*other.inputs, *other.outputs)} - names.keys()
    taken = _all_names(self._message)
    known = taken | _all_names(other._message)
    others = {name: _free_name(name, prefix, known) for name in ports if name in taken}
    added = _adapted(self, other, {**names, **others}, prefix, set())
    read = set(names.values())
    self._message.input += [each for each in added.input if each.name not in read]
    self._message.output = [e for e in self._message.output if e.name not in read]
    self._message.output += added.output
    self._message.node += added.node
    _take_rest(self, added)
    return {**{name: name for name in ports}, **names, **others}


# --- parts ----------------------------------------------------------------------------------------


def extract(
    self: "Graph", inputs: "Iterable[str] | Mapping[str, Any]", outputs: Iterable[str]
) -> None:
    """Keep a part of the graph only: what makes some values of others.

    Parameters
    ----------
    inputs : iterable of str, or mapping
        The values that are to be inputs. A mapping says of each the type, as
        ``(element_type, shape)``, or None for the one that the graph says.
    outputs : iterable of str
        The values that are to be outputs.

    Raises
    ------
    LookupError
        There is no such value.
    ValueError
        `outputs` need an input that is not among `inputs`, or the type of an input is not known.
    """
    types = dict(inputs) if isinstance(inputs, Mapping) else {}
    starts, ends = names_of("inputs", inputs), names_of("outputs", outputs)
    graph, made = self._message, made_names(self._message)
    for argument, names in (("inputs", starts), ("outputs", ends)):
        for name in names:
            if name not in made:
                unknown = f"the graph has no value {quoted(name)}{meant(name, made)}"
                raise LookupError(f"{argument}: {unknown}")
        if len(set(names)) < len(names):
            raise ValueError(f"{argument} must differ from each other, but are {names}")
    if not ends:
        raise ValueError("outputs must not be empty")
    needed, kept = _needed(graph.node, starts, ends)
    own = set(input_names(graph)) - set(initializer_names(graph))
    lacking = sorted((needed & own) - set(starts))
    if lacking:
        raise ValueError(f"inputs lack {', '.join(map(repr, lacking))}, which outputs need")
    values = self.values
    new_inputs = [_input_info(values[name], types.get(name)) for name in starts]
    new_outputs = [values[name]._message.copy() for name in ends]
    _keep(self, kept, needed - set(starts))
    _make_apart(graph, starts)
    graph.input, graph.output = new_inputs, new_outputs


def _make_apart(graph: Any, starts: list[str]) -> None:
    """Rename what nodes make beside what is needed, where it has the name of a new input."""
    taken = made_names(graph) | set(starts)
    for node in graph.node:
        for i, name in enumerate(node.output):
            if name in starts:
                node.output[i] = free_name(name, taken)
                taken.add(node.output[i])


def _needed(
    nodes: list[Any], starts: Iterable[str], ends: Iterable[str]
) -> tuple[set[str], list[Any]]:
    """Return the values on the way between others, and the nodes that are."""
    makers = {name: node for node in nodes for name in node.output if name}
    needed, kept, todo, done = set(starts), set(), [*ends], set(starts)
    while todo:
        name = todo.pop()
        needed.add(name)
        node = makers.get(name)
        if name in done or node is None or id(node) in kept:
            continue
        kept.add(id(node))
        needed.update(each for each in node.output if each)
        todo += [each for each in (*node.input, *outer_names(node)) if each]
    return needed, [node for node in nodes if id(node) in kept]


def _keep(graph: "Graph", nodes: list[Any], values: set[str]) -> None:
    """Keep some nodes, and what is said of some values."""
    message = graph._message
    message.node = nodes
    message.initializer = [e for e in message.initializer if e.name in values]
    message.sparse_initializer = [
        e for e in message.sparse_initializer if e.values is not None and e.values.name in values
    ]
    ends = {each.name for each in message.output}
    message.value_info = [e for e in message.value_info if e.name in values - ends]
    notes = message.quantization_annotation
    message.quantization_annotation = [e for e in notes if e.tensor_name in values]
    graph._made = None


def _input_info(value: GraphValue, given: Any) -> Any:
    """Return an input's name and type: as it is given, or as the graph says."""
    name, info = value.name, value._message.copy()
    if given is not None:
        if not isinstance(given, tuple) or not 1 <= len(given) <= 2:
            raise TypeError(f"inputs[{quoted(name)}] must be (element_type, shape), not {given!r}")
        return set_type(info, given[0], given[1] if len(given) == 2 else None)
    if info.type is None:
        raise ValueError(
            f"inputs: the graph does not say which type {quoted(name)} has; pass a dict "
            f"with it: {{{quoted(name)}: (element_type, shape)}}"
        )
    return info


def remove_unused(self: "Graph") -> None:
    """Remove nodes, initializers and types of values that lead to no output."""
    needed, kept = _needed(self._message.node, (), [each.name for each in self.outputs])
    _keep(self, kept, needed)


def sort(self: "Graph") -> None:
    """Put each node behind those whose values it reads; in subgraphs too. `ValueError`: a cycle."""
    for graph in graphs_in(self._message):
        makers = {name: node for node in graph.node for name in node.output if name}
        done: dict[int, Any] = {}
        for node in graph.node:
            _visit(node, makers, done)
        graph.node = list(done.values())


def _visit(node: Any, makers: dict[str, Any], done: dict[int, Any]) -> None:
    """Add a node, and before it those that it depends on."""
    todo, open_nodes = [(node, False)], set()
    while todo:
        each, is_ready = todo.pop()
        if id(each) in done:
            continue
        if is_ready:
            done[id(each)] = each
            continue
        if id(each) in open_nodes:
            raise ValueError(
                f"the nodes of the graph wait for each other: a cycle by {each.output}"
            )
        open_nodes.add(id(each))
        todo.append((each, True))
        read = (makers.get(name) for name in (*each.input, *outer_names(each)))
        todo += [(maker, False) for maker in read if maker is not None and id(maker) not in done]


# --- constants ------------------------------------------------------------------------------------


def constants_to_initializers(self: "Graph") -> None:
    """Make the value of each node Constant an initializer, in subgraphs too."""
    changed = []
    for graph in graphs_in(self._message):
        kept, made = [], list(graph.initializer)
        for node in graph.node:
            tensor = constant_tensor(node) if node.output else None
            if tensor is None:
                kept.append(node)
            else:
                tensor.name = node.output[0]
                made.append(tensor)
        changed.append((graph, kept, made))
    for graph, kept, made in changed:
        graph.node, graph.initializer = kept, made


def initializers_to_constants(self: "Graph", wanted: Callable[[str], bool] | None = None) -> None:
    """Make each initializer that is no input the value of a node Constant.

    Parameters
    ----------
    wanted : callable, optional
        Called with each name; whether that one becomes a node. By default all do.
    """
    message = self._message
    inputs, made = set(input_names(message)), []
    tensors = [
        each
        for each in message.initializer
        if each.name not in inputs and (wanted is None or wanted(each.name))
    ]
    for tensor in tensors:
        node = GraphNode("Constant", (), [tensor.name])._message
        node.attribute.append(make("AttributeProto", name="value", type=4, t=tensor))
        made.append(node)
    gone = set(map(id, tensors))
    message.initializer = [each for each in message.initializer if id(each) not in gone]
    message.node = [*made, *message.node]
