# SPDX-License-Identifier: MIT
"""``python -m ortcffi diff``: says what differs between two models."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ortcffi._public import described, shortened
from ortcffi.cli.program import fail, program_name
from ortcffi.errors import OrtError
from ortcffi.models.graph import Graph, GraphFunction
from ortcffi.models.graph_parts import GraphNode, GraphValue
from ortcffi.models.message import Message
from ortcffi.models.stored import array_of_tensor
from ortcffi.values.value import Value

DESCRIPTION = """\
Print what differs between two models: texts, operator sets, nodes, types of values, weights,
functions. A line begins with - if only A has something, with + if only B has it, with ! if it
differs. The exit code is 0 if the models are equal, 1 if they differ, 2 if one cannot be read."""
_TEXTS = ("ir_version", "name", "graph_description", "description", "domain", "version")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default the process's, and return the exit code."""
    parser = argparse.ArgumentParser(prog=program_name("diff"), description=DESCRIPTION)
    parser.add_argument("one", metavar="A", help="the path of a model")
    parser.add_argument("other", metavar="B", help="the path of another one")
    given, code = parser.parse_args(arguments), 0
    try:
        for line in _model(Graph(given.one), Graph(given.other)):
            sys.stdout.write(shortened(line, 300) + "\n")
            code = 1
    except (OrtError, ImportError, ValueError) as error:
        return 2 * fail(parser.prog, error)
    return code


def _model(*models: Graph) -> Iterator[str]:
    yield from _facts(models, (*_TEXTS, "producer_name", "producer_version"))
    yield from _paired("metadata", *(each.metadata for each in models))
    yield from _paired("opset", *(each.opsets for each in models))
    yield from _graph(*models)
    names = "{0.domain}.{0.name}.{0.overload}".format
    yield from _paired("function", *({names(e): e for e in g.functions} for g in models))


def _graph(*graphs: Any) -> Iterator[str]:
    for side in ("inputs", "outputs"):
        ports = ([getattr(port, "name", port) for port in getattr(each, side)] for each in graphs)
        yield from _paired("", *({side: names} for names in ports))
    yield from _paired("node", *_nodes(*graphs))
    if isinstance(graphs[0], GraphFunction):
        yield from _facts(graphs, ("attributes", "graph_description"))
        yield from _paired("opset", *(each.opsets for each in graphs))
        yield from _paired("default", *(each.defaults for each in graphs))
        return
    one, other = (each.values for each in graphs)
    both = one.keys() & other.keys()  # values of one only are seen as ports, outputs or weights
    shared = ({name: each for name, each in v.items() if name in both} for v in (one, other))
    yield from _paired("value", *shared)
    for side in ("inputs", "outputs"):
        yield from _renamed(*([e for e in getattr(g, side) if e.name not in both] for g in graphs))
    yield from _paired("weight", *map(_weights, graphs))


def _renamed(ports: list[GraphValue], others: list[GraphValue]) -> Iterator[str]:
    """Compare the types of ports with other names, by place, if there are as many."""
    if len(ports) == len(others):
        pairs = zip(ports, others, strict=True)
        names = [f"{shortened(one.name)} -> {shortened(other.name)}" for one, other in pairs]
        yield from _paired("value", *(dict(zip(names, e, strict=True)) for e in (ports, others)))


def _weights(graph: Graph) -> dict[str, Any]:
    """Return the initializers by name; all of them are looked at once."""
    dense, sparse = graph._message.initializer, graph._message.sparse_initializer
    tensors = (*dense, *(each for each in sparse if each.values is not None))
    arrays = (array_of_tensor(each, graph._home) for each in tensors)
    return dict(zip(graph.initializers, arrays, strict=True))


def _nodes(*graphs: Graph) -> Iterator[dict[str, GraphNode]]:
    """Nodes by what they make; those that make other values by what their namesakes make."""
    one, other = ({next(filter(None, n.outputs), n.name): n for n in g.nodes} for g in graphs)
    left = {node.name: made for made, node in one.items() if node.name and made not in other}
    yield one
    yield {m if m in one else left.pop(n.name, m): n for m, n in other.items()}


def _facts(things: Sequence[Any], names: Sequence[str]) -> Iterator[str]:
    return _paired("", *({name: getattr(each, name) for name in names} for each in things))


def _type(value: GraphValue) -> Any:
    kind = value._message.type
    is_tensor = kind is None or value.element_type is not None
    return (value.element_type, value.shape) if is_tensor else kind.to_bytes()


def _paired(kind: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*one, *other)):
        label = f"{kind} {shortened(name)}".strip()
        if name not in other:
            yield f"- {label}: {_shown(one[name])}"
        elif name not in one:
            yield f"+ {label}: {_shown(other[name])}"
        else:
            for text in _changes(one[name], other[name]):
                yield f"{text[:2]}{label}: {text[2:]}"


def _changes(one: Any, other: Any) -> Iterator[str]:
    if isinstance(one, GraphNode):
        yield from _facts((one, other), ("op_type", "domain", "name", "inputs", "outputs"))
        yield from _paired("attribute", one.attributes, other.attributes)
    elif isinstance(one, Graph) and isinstance(other, Graph):
        yield from _graph(one, other)
    elif not _are_equal(one, other):
        is_counted = isinstance(one, np.ndarray) and _shown(one) == _shown(other)
        yield f"! {_counted(one, other) if is_counted else f'{_shown(one)} -> {_shown(other)}'}"


def _shown(thing: Any) -> str:
    if isinstance(thing, GraphValue):
        return repr(thing).removeprefix(f"<GraphValue {shortened(thing.name)}: ")[:-1]
    is_array = isinstance(thing, np.ndarray)
    return described(thing.dtype.name, thing.shape) if is_array else shortened(repr(thing), 100)


def _are_equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, Graph):
        return next(_graph(one, other), None) is None
    if isinstance(one, Message):
        return bool(one.to_bytes() == other.to_bytes())
    if isinstance(one, Value):
        one, other = ([e.shape, e.sparse_values, *e.sparse_indices] for e in (one, other))
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    if isinstance(one, np.ndarray):
        return _shown(one) == _shown(other) and not _different(one, other).any()
    if isinstance(one, GraphValue):
        one, other = (_type(each) for each in (one, other))
    return repr(one) == repr(other)  # also of NaN


def _different(one: Any, other: Any) -> Any:
    """Whether each element differs; of numbers, in its bits, so that NaN is equal to NaN."""
    if one.dtype.kind not in "OSTUc":
        one, other = (each.view(f"u{each.dtype.itemsize}") for each in (one, other))
    return np.asarray(one != other)


def _counted(one: Any, other: Any) -> str:
    different = _different(one, other)
    text = f"{np.count_nonzero(different):,} of {one.size:,} elements differ"
    if one.dtype.kind not in "iuf":
        return text
    with np.errstate(all="ignore"):
        distance = np.abs(one[different].astype(float) - other[different].astype(float)).max()
    return f"{text}, by at most {distance:.3g}"
