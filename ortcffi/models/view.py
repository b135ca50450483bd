# SPDX-License-Identifier: MIT
"""What all graphs have in common, those of files and those described in Python."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ortcffi._convert import bytes_like, encode
from ortcffi._public import few, html_table, meant, public, quoted, shortened

__all__ = ["GraphView", "check_model", "content_of", "listed", "shortened"]

_ROWS = 40  # of a table in a notebook
_NAMES = 4  # of a line


@public
class GraphView:
    """The base of `Graph` and `ModelGraph`: what can be read of any graph.

    ``graph["name"]`` is the value of that name; where there is none, the first node of that name.
    """

    __slots__ = ()

    @property
    def inputs(self) -> "Sequence[Any]":
        """The inputs, in their order."""
        raise NotImplementedError

    @property
    def outputs(self) -> "Sequence[Any]":
        """The outputs, in their order."""
        raise NotImplementedError

    @property
    def nodes(self) -> "Sequence[Any]":
        """The nodes, in their order."""
        raise NotImplementedError

    @property
    def values(self) -> "Mapping[str, Any]":
        """Inputs, initializers and what nodes make, by name."""
        raise NotImplementedError

    @property
    def initializers(self) -> "Mapping[str, Any]":
        """The constants, by name."""
        raise NotImplementedError

    @property
    def opsets(self) -> "Mapping[str, int]":
        """The version of each operator set, by domain; that of ONNX is ""."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Any:
        encode("name", name)
        found = self._find(name)
        if found is None:
            known = [*self.values, *(node.name for node in self.nodes)]
            raise LookupError(
                f"the graph has no value and no node {quoted(name)}{meant(name, known)}"
            )
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"a {type(self).__name__} is not iterable: use its nodes or its values")

    def _find(self, name: str) -> Any:
        value = self.values.get(name)
        if value is not None or not name:
            return value
        return next((node for node in self.nodes if node.name == name), None)

    def _signature(self) -> str:
        sides = [[each.name for each in side] for side in (self.inputs, self.outputs)]
        return " -> ".join(map(listed, sides))

    def _described(self) -> str:
        count = len(self.nodes)
        return f"{count} node{'' if count == 1 else 's'}: {self._signature()}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._described()}>"

    def _repr_html_(self) -> str:
        nodes = self.nodes
        rows = [
            (
                shortened(node.op_type),
                shortened(node.name),
                *map(listed, (node.inputs, node.outputs)),
            )
            for node in nodes[:_ROWS]
        ]
        if len(nodes) > _ROWS:
            rows.append(("...", f"{len(nodes) - _ROWS} more", "", ""))
        return html_table(self._described(), ("operator", "name", "inputs", "outputs"), rows)


def check_model(model: Any) -> None:
    """Refuse what cannot be a model, before a library is looked for that might not be there."""
    if not isinstance(model, (str, os.PathLike, GraphView)) and not hasattr(model, "_content"):
        bytes_like("model", model)


def content_of(model: Any) -> Any:
    """What a library can load: the path or the bytes of a `Model` or a `Graph`, or what it is."""
    take = getattr(type(model), "_content", None)
    if take is None and isinstance(model, GraphView):
        raise TypeError(
            f"model must be a path, bytes-like, a Model or a Graph, not {type(model).__name__}; "
            f"Model.from_graph makes a Model of it"
        )
    return model if take is None else take(model)


def listed(names: Iterable[str]) -> str:
    """Names as a part of a line, the first few of them."""
    return ", ".join(few([shortened(name, 40) or "-" for name in names], _NAMES))
