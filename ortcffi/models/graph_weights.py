# SPDX-License-Identifier: MIT
"""The initializers of a `Graph` by name."""

from typing import TYPE_CHECKING, Any

from ortcffi.models.graph_attributes import ByName
from ortcffi.models.stored import array_of_tensor, info_of, tensor_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ortcffi.models.graph import Graph
    from ortcffi.values.value import Value


class Initializers(ByName):
    """The initializers of a graph by name: arrays over the memory that has them."""

    __slots__ = ("_graph", "_sparse")

    def __init__(self, graph: "Graph") -> None:
        super().__init__(graph._message.initializer)
        self._graph, self._sparse = graph, graph._message.sparse_initializer

    def _shown(self, message: Any) -> Any:
        return array_of_tensor(message, self._graph._home)

    def _find(self, name: str) -> Any:
        tensors, graph = self._messages, self._graph
        place = graph._places.get(name, len(tensors))
        if place < len(tensors) and tensors[place].name == name:
            return tensors[place]
        pairs = [(each.name, i) for i, each in enumerate(tensors)]
        graph._places = dict(reversed(pairs))  # of equal names the first counts
        if name in graph._places:
            return tensors[graph._places[name]]
        return next((each for each in self._sparse if _name_of(each) == name), None)

    def __setitem__(self, name: str, value: "NDArray[Any] | Value") -> None:
        found, message = self._find(name), self._graph._message
        if found is None:
            self._graph.initializer(name, value)
            return
        made = tensor_of(name, value)
        if found in self._messages:
            self._messages[self._messages.index(found)] = made
        else:
            self._sparse.remove(found)
            self._messages.append(made)
        message.value_info[:] = [each for each in message.value_info if each.name != name]
        for info in message.input:
            if info.name == name:
                info.type = info_of(name, made).type

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        self._messages[:] = [each for each in self._messages if each.name != name]
        self._sparse[:] = [each for each in self._sparse if _name_of(each) != name]

    def __iter__(self) -> "Iterator[str]":
        yield from (each.name for each in self._messages)
        yield from (_name_of(each) for each in self._sparse if each.values is not None)

    def __len__(self) -> int:
        return len(self._messages) + len(self._sparse)

    def __repr__(self) -> str:
        return f"<{len(self)} initializers>"


def _name_of(sparse: Any) -> str:
    return "" if sparse.values is None else sparse.values.name
