# SPDX-License-Identifier: MIT
"""What `Graph` and `ModelGraph` have in common, and what sessions take as a model."""

import os
from collections.abc import Iterable
from typing import Any

from ortcffi._convert import bytes_like, encode
from ortcffi._public import few, meant, quoted, shortened

_NAMES = 4  # of a line


def get_item(graph: Any, name: str) -> Any:
    """Return the value of a name; where there is none, the first node of that name."""
    encode("name", name)
    found = graph._find(name)
    if found is None:
        known = [*graph.values, *(node.name for node in graph.nodes)]
        raise LookupError(f"the graph has no value and no node {quoted(name)}{meant(name, known)}")
    return found


def contains(graph: Any, name: object) -> bool:
    """Return whether a graph has a value or a node of a name."""
    return isinstance(name, str) and graph._find(name) is not None


def refuse_iteration(graph: Any) -> Any:
    """Raise `TypeError`: a graph has several things to iterate over."""
    raise TypeError(f"a {type(graph).__name__} is not iterable: use its nodes or its values")


def described(graph: Any) -> str:
    """Return a graph in a few words."""
    count = len(graph.nodes)
    sides = [
        [getattr(each, "name", each) for each in side] for side in (graph.inputs, graph.outputs)
    ]
    return f"{count} node{'' if count == 1 else 's'}: {' -> '.join(map(listed, sides))}"


def described_node(node: Any) -> str:
    """Return a node in a few words."""
    name = f" {shortened(node.name, 40)!r}" if node.name else ""
    operator = shortened(f"{node.domain}.{node.op_type}" if node.domain else node.op_type)
    return f"{operator}{name}: {listed(node.inputs)} -> {listed(node.outputs)}"


def check_model(model: Any) -> None:
    """Refuse what cannot be a model, before a library is looked for that might not be there."""
    if not isinstance(model, (str, os.PathLike)) and not hasattr(model, "_content"):
        bytes_like("model", content_of(model))


def content_of(model: Any) -> Any:
    """Return what a library can load of a `Model` or a `Graph`: a path or bytes."""
    take = getattr(type(model), "_content", None)
    if take is None and hasattr(model, "_find"):
        raise TypeError(
            f"model must be a path, bytes-like, a Model or a Graph, not {type(model).__name__}; "
            f"Graph(...) takes it over"
        )
    return model if take is None else take(model)


def listed(names: Iterable[str]) -> str:
    """Names as a part of a line, the first few of them."""
    return ", ".join(few([shortened(name, 40) or "-" for name in names], _NAMES))
