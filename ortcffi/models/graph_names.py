# SPDX-License-Identifier: MIT
"""Names in a `Graph`: of values and nodes."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import mapping
from ortcffi._public import quoted
from ortcffi.models.graph_attributes import text
from ortcffi.models.graph_parts import GraphNode, GraphValue, Ports, outer_names
from ortcffi.models.message import subgraphs_of
from ortcffi.models.stored import info_of

if TYPE_CHECKING:
    from ortcffi.models.graph import Graph

Names = Mapping[str, str]


def initializer_names(graph: Any) -> list[str]:
    """Return the names of the initializers of a message."""
    dense = [each.name for each in getattr(graph, "initializer", ())]
    sparse = (each.values for each in getattr(graph, "sparse_initializer", ()))
    return [*dense, *(each.name for each in sparse if each is not None)]


def input_names(graph: Any) -> list[str]:
    """Return the names of the inputs of a message, which may be names themselves."""
    return [each if isinstance(each, str) else each.name for each in graph.input]


def made_names(graph: Any) -> set[str]:
    """Return the names of inputs, initializers and what the nodes of a message make."""
    found = {name for node in graph.node for name in node.output if name}
    return found.union(initializer_names(graph), input_names(graph))


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name, with underscores behind it as long as it is taken."""
    while name in taken:
        name += "_"
    return name


def read_names(graph: Any) -> set[str]:
    """Get the names that the nodes of a message read, also in subgraphs, and that are outputs."""
    found = {each.name for each in graph.output}
    for node in graph.node:
        found.update(node.input, outer_names(node))
    return found


def mentioning(graph: Any, names: Iterable[str]) -> list[Any]:
    """Return the nodes in whose bytes one of some names is, which may be others too."""
    wanted = tuple(name.encode(errors="surrogateescape") for name in names if name)
    return [node for node in graph.node if node.mentions(wanted)]


def find(graph: "Graph", name: str) -> Any:
    """Return the value of a name; where there is none, the first node of that name; or None."""
    message = graph._message
    for side in (graph.inputs, graph.outputs):
        if name in side and isinstance(side, Ports):
            return side[name]
    nodes = mentioning(message, [name])
    if name in initializer_names(message) or any(name in node.output for node in nodes):
        infos = (each for each in message.value_info if each.name == name)
        info = next(infos, None)
        return GraphValue(graph, info) if info else graph.values[name]
    return next((GraphNode._of(graph, e) for e in nodes if name and e.name == name), None)


def values_of(graph: "Graph") -> dict[str, GraphValue]:
    """Return the values of a graph by name; the message of one of which it says nothing is new."""
    message = graph._message
    infos = {each.name: each for each in (*message.value_info, *message.output, *message.input)}
    made = [each.name for each in message.input]
    for tensor in message.initializer:
        made.append(tensor.name)
        if tensor.name not in infos:
            infos[tensor.name] = info_of(tensor.name, tensor)
    made += [name for node in message.node for name in node.output if name]
    return {
        name: GraphValue(graph, infos.get(name) or info_of(name), is_new=name not in infos)
        for name in made
    }


def used_names(graph: Any, names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Which of some names values have, and which of them nodes have, in subgraphs too."""
    wanted, nodes = set(names), set()
    values = {each.name for each in (*graph.input, *graph.output, *graph.value_info)}
    values.update(initializer_names(graph))
    for node in mentioning(graph, wanted):
        values.update(node.input, node.output)
        nodes.add(node.name)
        for inner in subgraphs_of(node):
            more, inside = used_names(inner, wanted)
            values |= more
            nodes |= inside
    return values & wanted, nodes & wanted


def rename(self: "Graph", names: Names) -> None:
    """Give values and nodes other names, everywhere in the graph and its subgraphs.

    Parameters
    ----------
    names : mapping of str to str
        The new names by the old ones. A name that both a value and a node have means the value.
        Names can be exchanged.

    Raises
    ------
    LookupError
        There is no such value or node.
    ValueError
        A new name is empty, or there already.
    """
    given = mapping("names", names)
    for old, new in given.items():
        text("a key of names", old)
        text(f"names[{quoted(old)}]", new)
    values, nodes = used_names(self._message, {*given, *given.values()} - {""})
    tables: tuple[dict[str, str], dict[str, str]] = {}, {}
    for old, new in given.items():
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
    rename_in(self._message, *tables)
    self._made = None


def rename_in(graph: Any, values: Names, nodes: Names) -> None:
    """Rename in a message of a graph or a function, whose inputs may be names."""
    for side in ("input", "output"):
        ports = getattr(graph, side)
        ports[:] = [values.get(p, p) if isinstance(p, str) else renamed(p, values) for p in ports]
    for info in graph.value_info:
        renamed(info, values)
    for tensor in getattr(graph, "initializer", ()):
        renamed(tensor, values)
    for sparse in getattr(graph, "sparse_initializer", ()):
        if sparse.values is not None:
            renamed(sparse.values, values)
    for note in getattr(graph, "quantization_annotation", ()):
        note.tensor_name = values.get(note.tensor_name, note.tensor_name)
        for entry in note.quant_parameter_tensor_names:
            entry.value = values.get(entry.value, entry.value)
    for node in mentioning(graph, {*values, *nodes}):
        node.input = [values.get(each, each) for each in node.input]
        node.output = [values.get(each, each) for each in node.output]
        if node.name in nodes:
            node.name = nodes[node.name]
        for inner in subgraphs_of(node):
            rename_in(inner, values, nodes)


def renamed(named: Any, names: Names) -> Any:
    """Return a message, renamed where its name is one of some."""
    if named.name in names:
        named.name = names[named.name]
    return named
