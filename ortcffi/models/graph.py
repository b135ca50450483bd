# SPDX-License-Identifier: MIT
"""Graphs: what a model is made of, described in Python."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import encode, integer, optional_mapping
from ortcffi._handle import owned_by
from ortcffi._native import lib
from ortcffi._public import public, quoted
from ortcffi._table import core_api
from ortcffi.models.editor import Parts, build_model
from ortcffi.models.model import Model
from ortcffi.models.nodes import (
    GraphNode,
    GraphValue,
    initializer_of,
    node_of,
    value_of,
)
from ortcffi.models.view import GraphView
from ortcffi.models.wire import Message
from ortcffi.values.element_types import ElementType
from ortcffi.values.value import Value

if TYPE_CHECKING:
    import os

    from numpy.typing import DTypeLike, NDArray

    from ortcffi.values.tensor_type_info import Dimension

__all__ = ["Graph"]

DEFAULT_OPSETS = {"": 21}  # since version 1.20; the model editor came with 1.22


@public
class Graph(GraphView):
    """A model described in Python: inputs, initializers, nodes, outputs.

    It belongs to no library: `Session`, `Session.from_graph` and `compile_model` hand a copy to
    one, so that it can be changed and used again. `to_model` makes a `Model` of it. It can be
    pickled.

    Parameters
    ----------
    opsets : mapping of str to int, optional
        The version of each operator set, by domain. By default 21 of ONNX's own, whose domain is
        "". A domain that nodes use and that is not listed gets version 1.

    Examples
    --------
    >>> graph = Graph()
    >>> x = graph.input("x", "f4", ["batch", 2])
    >>> w = graph.initializer("w", np.ones((2, 3), np.float32))
    >>> (y,) = graph.node("MatMul", [x, w], ["y"])
    >>> graph.output(y, "f4", ["batch", 3])
    'y'
    >>> graph
    <Graph of 1 node: x -> y>
    """

    def __init__(self, opsets: Mapping[str, int] | None = None) -> None:
        self._opsets: dict[str, int] = {}
        for domain, version in optional_mapping("opsets", opsets or DEFAULT_OPSETS).items():
            encode("a domain of opsets", domain)
            self._opsets[domain] = integer(f"opsets[{domain!r}]", version, (1, 2**31 - 1))
        self._inputs: list[GraphValue] = []
        self._outputs: dict[str, GraphValue] = {}
        self._nodes: list[GraphNode] = []
        self._initializers: dict[str, NDArray[Any] | Value] = {}
        self._made: set[str] = set()  # the names that something of the graph makes

    # --- building ---------------------------------------------------------------------------------

    def input(
        self,
        name: str,
        element_type: "DTypeLike | ElementType",
        shape: "Iterable[Dimension] | None" = None,
    ) -> str:
        """Add an input, which is a tensor: the model editor knows no others.

        Parameters
        ----------
        name : str
            A name that nothing else of the graph has.
        element_type : ElementType or dtype-like
            What its elements are.
        shape : iterable of int, str or None, optional
            Its dimensions: a length, the name of a free one, or None for a free one without a name.
            Without a shape not even the number of dimensions is known.

        Returns
        -------
        str
            The name.
        """
        value = value_of(name, element_type, shape)
        self._make("name", name)
        self._inputs.append(value)
        return name

    def output(
        self,
        name: str,
        element_type: "DTypeLike | ElementType | None" = None,
        shape: "Iterable[Dimension] | None" = None,
    ) -> str:
        """Make something an output, which is a tensor.

        Parameters
        ----------
        name : str
            The name of an output of a node, which may be added later.
        element_type, shape : optional
            As of `input`. By default the library that loads the model infers them, which ONNX
            Runtime does for all operators that it knows.
        """
        if element_type is None and shape is not None:
            raise TypeError("shape must not be given without element_type")
        value = value_of(name, element_type or ElementType.FLOAT, shape)
        value = value if element_type is not None else value._replace(element_type=None)
        if name in self._outputs:
            raise ValueError(f"name {quoted(name)} is an output already")
        self._outputs[name] = value
        return name

    def initializer(self, name: str, value: "NDArray[Any] | Value") -> str:
        """Add a constant.

        Parameters
        ----------
        name : str
            A name that nothing else of the graph has.
        value : ndarray or Value
            A dense tensor. Memory of 128 bytes or more is shared with the sessions that are made of
            the graph, without a copy: it stays as long as they do, and must not change. Less is
            copied when a session is made. Strings become a node ``Constant``.

        Returns
        -------
        str
            The name.
        """
        initializer_of("value", value)
        self._make("name", name)
        self._initializers[name] = value
        return name

    def node(  # noqa: PLR0913  # as many as the C function
        self,
        op_type: str,
        inputs: Iterable[str],
        outputs: Iterable[str],
        *,
        attributes: Mapping[str, Any] | None = None,
        domain: str = "",
        name: str = "",
    ) -> tuple[str, ...]:
        """Add a node: one call of an operator.

        Parameters
        ----------
        op_type : str
            The operator, such as ``"Add"``.
        inputs : iterable of str
            The names of what it reads, in the operator's order; "" for an input that is left out.
        outputs : iterable of str
            The names of what it makes, which nothing else of the graph has; "" for an output that
            is left out.
        attributes : mapping, optional
            Each an int, float, str, bytes, or a list of one of them. The model editor has no
            attributes that are tensors or graphs: use an initializer for a tensor.
        domain : str, optional
            The operator's domain, such as ``"com.microsoft"``; "" is that of ONNX.
        name : str, optional
            The name of the node.

        Returns
        -------
        tuple of str
            `outputs`.
        """
        made = node_of(op_type, inputs, outputs, domain, name, attributes)
        named = [each for each in made.outputs if each]
        for each in named:
            self._check_new("outputs", each)
        self._made.update(named)
        self._nodes.append(made)
        return made.outputs

    @property
    def is_typed(self) -> bool:
        """Whether all outputs have a type; otherwise libraries are given the bytes of the model."""
        return all(each.element_type is not None for each in self._outputs.values())

    def check(self) -> None:
        """Raise `ValueError` for an output that no node makes; libraries may not notice that."""
        for name in self._outputs:
            if name not in self._made:
                raise ValueError(f"output {quoted(name)} is made by no node, and is no input")

    def _check_new(self, argument: str, name: str) -> None:
        encode(argument, name)
        if not name:
            raise ValueError(f"{argument} must not be empty")
        if name in self._made:
            raise ValueError(f"{argument}: the graph has {quoted(name)} already")

    def _make(self, argument: str, name: str) -> None:
        self._check_new(argument, name)
        self._made.add(name)

    # --- reading ----------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[GraphValue]:
        """The inputs, in the order in which they were added."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[GraphValue]:
        """The outputs, in the order in which they were added."""
        return list(self._outputs.values())

    @property
    def nodes(self) -> list[GraphNode]:
        """The nodes, in the order in which they were added."""
        return list(self._nodes)

    @property
    def values(self) -> dict[str, GraphValue]:
        """Inputs, initializers and what nodes make, by name; outputs with the type that they have.

        Of what else nodes make `element_type` and `shape` are None.
        """
        found = {each.name: each for each in self._inputs}
        for name, value in self._initializers.items():
            array = value if isinstance(value, Value) else Value.from_numpy(value, copy=False)
            found[name] = GraphValue(name, array.element_type, tuple(array.shape))
        for node in self._nodes:
            for name in filter(None, node.outputs):
                found[name] = self._outputs.get(name, GraphValue(name, None, None))
        return found

    @property
    def initializers(self) -> "dict[str, NDArray[Any] | Value]":
        """The constants, by name."""
        return dict(self._initializers)

    @property
    def opsets(self) -> dict[str, int]:
        """The version of each operator set, by domain, those of the nodes too."""
        used = {node.domain: 1 for node in self._nodes if node.domain not in ("", "ai.onnx")}
        return {**used, **self._opsets}

    # --- using ------------------------------------------------------------------------------------

    def to_model(self) -> Model:
        """Return the model, to be read and edited.

        It shares the memory of initializers of 128 bytes or more, which must not change.

        Raises
        ------
        ValueError
            An output is made by no node.
        InvalidArgument, Fail
            A node reads what nothing makes; nodes wait for each other.

        Notes
        -----
        Functions of the embedded core's model editor: ``CreateGraph``, ``AddNodeToGraph``,
        ``AddInitializerToGraph``, ``SetGraphInputs``, ``SetGraphOutputs``, ``CreateModel``,
        ``AddGraphToModel``.
        """
        model = self._model(whole=True)
        model.graph  # noqa: B018  # raises where it cannot be read
        return model

    def _model(self, *, whole: bool) -> Model:
        parts = Parts(core_api(), "CreateModel")
        owner = build_model(parts, self, whole=whole)
        model = Model(core_api(), owned_by(owner), parent=owner)
        if self.is_typed:
            return model
        untyped = {name for name, each in self._outputs.items() if each.element_type is None}
        return model._edited(_without_types(model._skeleton(), untyped))

    def save(self, path: "str | os.PathLike[str]", external_data: int | str | None = None) -> None:
        """Write the model to a file; as `Model.save`. No library checks it.

        Parameters
        ----------
        path : str or os.PathLike
            The file, in a folder that exists. A file of that name is replaced.
        external_data : int or str, optional
            Initializers of so many bytes or more go to another file.
        """
        self.to_model().save(path, external_data)

    def to_bytes(self) -> bytes:
        """Return the model as ONNX serializes it. No library checks it."""
        return self.to_model().to_bytes()

    _content = to_bytes


def _without_types(skeleton: Message, names: set[str]) -> Message:
    """The model without the types of some outputs, which libraries infer."""

    def of_value(content: bytes) -> Message:
        message = Message(content)
        return message.set(lib.VALUE_TYPE) if message.text(lib.VALUE_NAME) in names else message

    graph = Message(skeleton.get(lib.MODEL_GRAPH))
    return skeleton.set(lib.MODEL_GRAPH, graph.map(lib.GRAPH_OUTPUT, of_value))
