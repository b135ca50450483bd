# SPDX-License-Identifier: MIT
"""The graph of a model, in any library's memory: ``OrtGraph``."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ortcffi._convert import decode
from ortcffi._handle import Handle
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public
from ortcffi.errors import NotImplemented as NotAvailable
from ortcffi.errors import check
from ortcffi.kernels.host import call_host
from ortcffi.models import view
from ortcffi.models.message import shown
from ortcffi.models.parts import ModelNode, ModelValue, index_values, list_parts, part_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ortcffi.models.metadata import ModelMetadata
    from ortcffi.table.api import Api
    from ortcffi.values.value import Value

T = TypeVar("T")


class _ByName(Mapping[str, T]):
    """What a graph has by name, made when it is asked for."""

    __slots__ = ("_addresses", "_make")

    def __init__(self, addresses: dict[str, int], make: Callable[[int], T]) -> None:
        self._addresses = addresses
        self._make = make

    def __getitem__(self, name: str) -> T:
        return self._make(self._addresses[name])

    def __contains__(self, name: object) -> bool:
        return name in self._addresses

    def __iter__(self) -> Iterator[str]:
        return iter(self._addresses)

    def __len__(self) -> int:
        return len(self._addresses)

    def __repr__(self) -> str:
        return (
            f"<{len(self)} by name: {', '.join(map(repr, [*self][:4]))}{', ...' * (len(self) > 4)}>"
        )


@public
class ModelGraph(Handle):
    """The graph of a model, of a function of it, or in an attribute of a node. It never changes.

    It is made by `Model.graph`, and keeps the model. Nodes, values and arrays that it gives keep
    it. Two are equal if they are the same graph of a library.

    ``graph["name"]`` is the value of that name; where there is none, the first node of that name.

    Parameters
    ----------
    api : Api
        The table of the library that the graph belongs to, of version 23 at least.
    handle : cdata of ``const OrtGraph *``
        A graph, such as an execution provider is given.
    owner : object, optional
        What keeps the graph alive. Without one it may go when this object is closed: then arrays
        that are read of it are copies.
    """

    __slots__ = ("_indexes", "_inner", "_is_temporary")

    _pointer = "const OrtGraph*"
    _indexes: "dict[tuple[str, int], dict[str, int]]"
    _is_temporary: bool
    _inner: "list[ModelGraph]"  # of one that is temporary, the others that were read of it

    def __init__(self, api: "Api", handle: Any, owner: object = None) -> None:
        super().__init__(api, handle, owner)
        if api.version < 23:
            raise NotAvailable("graphs can be read since API version 23", "Graph_GetNodes")
        self._indexes = {}
        self._is_temporary, self._inner = owner is None, []

    @classmethod
    def _of(cls, model: Any, handle: Any, indexes: Any, *, is_temporary: bool = False) -> Self:
        graph = cls(model.api, handle, model)
        graph._indexes = indexes  # of addresses, so that it makes no cycle
        graph._is_temporary = is_temporary
        return graph

    # --- what other objects of the graph ask ------------------------------------------------------

    def _ask(self, slot: str, *arguments: Any) -> None:
        """Call a function of the table on a part of the graph, which stays meanwhile."""
        table = self.api.pointer
        check(table, self._read_handle(lambda *_: getattr(lib, slot)(table, *arguments), table))

    def _node_at(self, pointer: Any) -> ModelNode:
        """Return a node, which may be one of the graph around this one."""
        out = ffi.new("const OrtGraph**")
        self._ask("Node_GetGraph", pointer, out)
        graph = self._graph_at(out[0]) if out[0] else self
        node: ModelNode = part_at(graph, pointer, ModelNode)
        return node

    def _graph_at(self, pointer: Any) -> "ModelGraph":
        if address_of(pointer) == self._handle_address:
            return self
        graph = ModelGraph._of(self, pointer, self._indexes, is_temporary=self._is_temporary)
        if self._is_temporary:
            graph._inner = self._inner
            self._inner.append(graph)
        return graph

    def _value_at(self, address: int) -> ModelValue:
        value: ModelValue = part_at(self, ffi.cast("const OrtValueInfo*", address), ModelValue)
        return value

    def _index(self, what: str, make: Callable[[], dict[str, int]]) -> dict[str, int]:
        key = what, self._handle_address
        if key not in self._indexes:
            self._indexes[key] = make()
        return self._indexes[key]

    def _find(self, name: str) -> Any:
        found: Any = self.values.get(name)
        if found is None and name:
            found = next((node for node in self.nodes if node.name == name), None)
        parent = self.parent if found is None else None
        return found if parent is None else parent.graph._find(name)

    # --- what it has ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name. API function: ``Graph_GetName``."""
        return self._text("Graph_GetName")

    @property
    def nodes(self) -> tuple[ModelNode, ...]:
        """The nodes, each behind those whose values it reads. Each time a new tuple.

        API function: ``Graph_GetNodes``.
        """
        return list_parts(self, "Graph_GetNodes", ModelNode)

    @property
    def inputs(self) -> tuple[ModelValue, ...]:
        """The inputs. API function: ``Graph_GetInputs``."""
        return list_parts(self, "Graph_GetInputs", ModelValue)

    @property
    def outputs(self) -> tuple[ModelValue, ...]:
        """The outputs. API function: ``Graph_GetOutputs``."""
        return list_parts(self, "Graph_GetOutputs", ModelValue)

    @property
    def values(self) -> Mapping[str, ModelValue]:
        """Inputs, initializers and what nodes make, by name, in this order."""
        addresses = self._index("values", lambda: index_values(self))
        return _ByName(addresses, self._value_at)

    @property
    def initializers(self) -> "Mapping[str, NDArray[Any] | Value]":
        """The constants by name, each as `ModelValue.initializer`, when it is asked for.

        API function: ``Graph_GetInitializers``.
        """

        def listed() -> dict[str, int]:
            found = list_parts(self, "Graph_GetInitializers", ModelValue)
            return {value.name: value._address for value in found}

        make: Any = lambda address: self._value_at(address).initializer  # noqa: E731
        return _ByName(self._index("initializers", listed), make)

    @property
    def opsets(self) -> dict[str, int]:
        """The version of each operator set of the model, by domain; that of ONNX is "".

        API function: ``Graph_GetOperatorSets``.
        """
        _held = self.handle  # until the texts are decoded
        count = self._get("Graph_GetNumOperatorSets", "size_t*")
        domains, versions = ffi.new("const char*[]", count + 1), ffi.new("int64_t[]", count + 1)
        self._call("Graph_GetOperatorSets", domains, versions, count)
        return {decode(domains[i]): int(versions[i]) for i in range(count)}

    @property
    def ir_version(self) -> int:
        """The version of the format of the model. API function: ``Graph_GetOnnxIRVersion``."""
        return int(self._get("Graph_GetOnnxIRVersion", "int64_t*"))

    @property
    def metadata(self) -> "ModelMetadata":
        """What the model says of itself.

        API function: ``Graph_GetModelMetadata``, since version 23, and those that read it.
        """
        from ortcffi.models.metadata import read_metadata

        return read_metadata(self, "Graph_GetModelMetadata")

    @property
    def parent(self) -> ModelNode | None:
        """The node in whose attribute it is; None for others.

        API function: ``Graph_GetParentNode``.
        """
        found = self._get("Graph_GetParentNode", "const OrtNode**")
        return self._node_at(found) if found else None

    def close(self) -> None:
        """Refuse calls from now on, also of graphs that were read of a temporary one."""
        super().close()
        while self._inner:
            Handle.close(self._inner.pop())

    # --- as an object -----------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModelGraph):
            return NotImplemented
        return self._handle_address == other._handle_address

    def __hash__(self) -> int:
        return hash(self._handle_address)

    def __repr__(self) -> str:
        return "<ModelGraph closed>" if self.closed else f"<ModelGraph of {view.described(self)}>"

    __getitem__ = view.get_item
    __contains__ = view.contains
    __iter__ = view.refuse_iteration


def _shown_text(field: str, doc: str) -> Any:
    return property(lambda self: shown(getattr(self._message, field)), None, None, doc)


@public
class ModelFunction:
    """A function of a model: an operator that is described by other operators.

    It is made by `Model.functions`, and keeps the model.
    """

    __slots__ = ("_home", "_message", "_model", "_place")

    def __init__(self, message: Any, home: ModelGraph, model: Any, place: int) -> None:
        self._message, self._home, self._model, self._place = message, home, model, place

    domain: str = _shown_text("domain", "What nodes that call it have as domain.")
    name: str = _shown_text("name", "What nodes that call it have as operator.")
    overload: str = _shown_text("overload", "What nodes that call it have as overload.")

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of its attributes, those with a default last."""
        defaults = (each.name for each in self._message.attribute_proto)
        return tuple(map(shown, (*self._message.attribute, *defaults)))

    @property
    def opsets(self) -> dict[str, int]:
        """The version of each operator set that it uses, by domain."""
        return self.graph.opsets

    @property
    def graph(self) -> ModelGraph:
        """Its inputs, nodes and outputs.

        Values have no types, and attributes that refer to those of the function are None.
        """
        out = ffi.new("const OrtGraph**")
        given = self._model, lib.ORTCORE_FUNCTIONS + self._place, out
        read: Any = lambda *_: call_host("OrtcoreModelGraph", *given)  # noqa: E731
        self._home._read_handle(read, self._home.api.pointer)
        return ModelGraph._of(self._home, out[0], self._home._indexes)

    def __repr__(self) -> str:
        return f"<ModelFunction {'.'.join(filter(None, (self.domain, self.name)))}>"
