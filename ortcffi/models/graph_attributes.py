# SPDX-License-Identifier: MIT
"""Attributes, initializers and other entries by name, of the messages that files consist of."""

from collections.abc import Iterable, Iterator, MutableMapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ortcffi._convert import INT64, encode, float32, integer
from ortcffi._public import public, quoted
from ortcffi.models.message import Message, domain_of, graphs_of, shown, subgraphs_of
from ortcffi.models.stored import array_of_tensor, info_of, tensor_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ortcffi.models.graph import Graph


@public
class AttributeReference(NamedTuple):
    """An attribute of a node in a function that has the value of an attribute of the function.

    Attributes
    ----------
    name : str
        The attribute of the function.
    type : str
        The type of both, such as ``"INT"``, ``"FLOATS"``, ``"TENSOR"``.
    """

    name: str
    type: str


# The types of attributes by their numbers, and the fields that have the values.
_TYPES = ["UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS"]
_TYPES += ["TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"]
_FIELDS = [None, "f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors", "graphs"]
_FIELDS += ["sparse_tensor", "sparse_tensors", "tp", "type_protos"]
_NUMBERS = {name: i for i, name in enumerate(_TYPES)}


_STORED = {"TypeProto": "TYPE_PROTO", "SparseTensorProto": "SPARSE_TENSOR", "GraphProto": "GRAPH"}


class ByName(MutableMapping[str, Any]):
    """What a list of messages has, by name."""

    __slots__ = ("_messages",)

    def __init__(self, messages: list[Any]) -> None:
        self._messages = messages

    def _key(self, message: Any) -> str:
        return message.name  # type: ignore[no-any-return]

    def _own(self, name: str) -> str:
        """Return the one form of a name that has several."""
        return name

    def _shown(self, message: Any) -> Any:
        raise NotImplementedError

    def _find(self, name: str) -> Any:
        own = self._own(name)
        return next((each for each in self._messages if self._key(each) == own), None)

    def __getitem__(self, name: str) -> Any:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return self._shown(found)

    def __delitem__(self, name: str) -> None:
        if self._find(name) is None:
            raise KeyError(name)
        own = self._own(name)
        self._messages[:] = [each for each in self._messages if self._key(each) != own]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(map(self._key, self._messages)))

    def __len__(self) -> int:
        return len(dict.fromkeys(self))

    def __repr__(self) -> str:
        return repr(dict(self))


class Attributes(ByName):
    """The attributes of a node by name."""

    __slots__ = ("_graph",)

    def __init__(self, messages: list[Any], graph: "Graph | None") -> None:
        super().__init__(messages)
        self._graph = graph

    def _shown(self, message: Any) -> Any:
        return _value_of(message, self._graph)

    def __setitem__(self, name: str, value: Any) -> None:
        text("a name of attributes", name)
        made, found = attribute_of(name, value), self._find(name)
        check_apart(self._messages, graphs_of(made))
        if found is None:
            self._messages.append(made)
        else:
            self._messages[self._messages.index(found)] = made


def check_apart(place: Any, graphs: Iterable[Any]) -> None:
    """Refuse graphs that have in them where they are to go: a graph, or attributes of a node."""
    for graph in graphs:
        if graph is place or any(node.attribute is place for node in graph.node):
            raise ValueError("a graph cannot be in itself")
        for node in graph.node:
            check_apart(place, subgraphs_of(node))


def _kind_of(attribute: Any) -> int:
    """Return the number of the type, which old files leave out."""
    if attribute.type:
        return int(attribute.type)
    fields = (i for i, field in enumerate(_FIELDS) if field and attribute.has(field))
    return next(fields, 0)


def _value_of(attribute: Any, graph: "Graph | None") -> Any:
    kind = _kind_of(attribute)
    if attribute.ref_attr_name:
        name = _TYPES[kind] if kind < len(_TYPES) else str(kind)
        return AttributeReference(attribute.ref_attr_name, name)
    if not 0 < kind < len(_FIELDS):
        return None
    value = getattr(attribute, str(_FIELDS[kind]))
    return (
        [_shown(each, graph) for each in value] if isinstance(value, list) else _shown(value, graph)
    )


def _shown(value: Any, graph: "Graph | None") -> Any:
    if isinstance(value, (bytes, memoryview)):
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            return bytes(value)
    kind = getattr(value, "kind", None)
    if kind == "TensorProto":
        return array_of_tensor(value, None if graph is None else graph._home)
    if kind == "GraphProto":
        from ortcffi import Graph

        return Graph._of(None if graph is None else graph._home, value)
    return value


def attribute_of(name: str, value: Any) -> Any:
    """Return the message of an attribute."""
    made, argument = Message("AttributeProto"), f"attributes[{quoted(name)}]"
    made.name = name
    if isinstance(value, AttributeReference):
        if value.type not in _TYPES[1:]:
            raise ValueError(
                f"{argument}: type must be one of {', '.join(_TYPES[1:])}, not {value.type!r}"
            )
        text(f"{argument}: name", value.name)
        made.ref_attr_name, made.type = value.name, _NUMBERS[value.type]
        return made
    many = isinstance(value, (list, tuple))
    stored = [_stored(argument, each) for each in value] if many else [_stored(argument, value)]
    kinds = {kind for kind, _ in stored}
    if kinds == {"INT", "FLOAT"}:
        kinds, stored = {"FLOAT"}, [("FLOAT", float(each)) for _, each in stored]
    if len(kinds) > 1:
        raise TypeError(f"{argument} must have elements of one type, not {value!r}")
    empty = getattr(value, "kind", "STRINGS" if name == "value_strings" else "INTS")
    kind = kinds.pop() if kinds else empty[:-1]
    made.type = _NUMBERS[f"{kind}S" if many else kind]
    setattr(made, str(_FIELDS[made.type]), [e for _, e in stored] if many else stored[0][1])
    return made


def _stored(argument: str, value: Any) -> tuple[str, Any]:  # noqa: PLR0911  # a type each
    """Return the type of an attribute or of an element of a list, and what is stored."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        text(argument, value)
        return "STRING", value.encode(errors="surrogateescape")
    if isinstance(value, bytes):
        return "STRING", value
    if isinstance(value, float):
        return "FLOAT", float32(argument, value)
    if isinstance(value, int):
        return "INT", integer(argument, value, INT64)
    if isinstance(value, (np.ndarray, Value)):
        return "TENSOR", tensor_of("", value, argument)
    if isinstance(value, Message):
        return _STORED[value.kind], value
    if hasattr(value, "_as_branch"):
        return "GRAPH", value._as_branch()
    raise TypeError(
        f"{argument} must be an int, a float, a str, bytes, an array, a Graph or a list, not "
        f"{type(value).__name__}"
    )


# --- arguments, and entries -----------------------------------------------------------------------


def text(argument: str, given: Any) -> str:
    """Check and return a text of a model; surrogates stand for bytes that are not UTF-8."""
    if type(given) is not str or not given.isascii() or "\0" in given:  # as few are
        encode(argument, shown(given) if isinstance(given, str) else given)
    return str(given)


def text_property(field: str, doc: str, of: str = "_message") -> Any:
    """Return a text that a message says, which can be set."""

    def set_text(self: Any, value: str) -> None:
        text(field, value)
        setattr(attrgetter(of)(self), field, value)

    return property(lambda self: str(getattr(attrgetter(of)(self), field)), set_text, None, doc)


def names_of(argument: str, names: Any) -> list[str]:
    """Return the names of a node's inputs or outputs."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise TypeError(f"{argument} must be an iterable of str, not {type(names).__name__}")
    found = list(names)
    for i, name in enumerate(found):
        text(f"{argument}[{i}]", name)
    return found


class Entries(ByName):
    """Entries of a list of messages, by key."""

    __slots__ = ("_check", "_fields", "_kind")

    def __init__(self, messages: list[Any], kind: str, fields: tuple[str, str], check: Any) -> None:
        super().__init__(messages)
        self._kind, self._fields, self._check = kind, fields, check

    def _key(self, message: Any) -> str:
        return self._own(getattr(message, self._fields[0]))

    def _own(self, name: str) -> str:
        return domain_of(name) if self._kind == "OperatorSetIdProto" else name

    def _shown(self, message: Any) -> Any:
        return getattr(message, self._fields[1])

    def __setitem__(self, key: str, value: Any) -> None:
        text("a key", key)
        value, found = self._check(key, value), self._find(key)
        if found is None:
            found = Message(self._kind)
            setattr(found, self._fields[0], self._own(key))
            self._messages.append(found)
        setattr(found, self._fields[1], value)


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
