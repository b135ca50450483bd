# SPDX-License-Identifier: MIT
"""Graphs: what a model is made of, described in Python."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ortcffi._convert import encode, integer, mapping
from ortcffi.values.checks import element_of_array, unfit
from ortcffi.values.element_types import ElementType, as_element
from ortcffi.values.value import Value

if TYPE_CHECKING:
    import os

    from numpy.typing import DTypeLike, NDArray

    from ortcffi.options.session import SessionOptions
    from ortcffi.table.api import Api
    from ortcffi.values.tensor_type_info import Dimension

__all__ = ["Graph", "GraphNode", "GraphValue"]

DEFAULT_OPSETS = {"": 21}  # since version 1.20; the model editor came with 1.22
_INT64 = (-(2**63), 2**63 - 1)


class GraphValue(NamedTuple):
    """An input or an output of a graph: a tensor.

    Attributes
    ----------
    name : str
        The name.
    element_type : ElementType
        What its elements are.
    shape : tuple or None
        Its dimensions, each an int, a name, or None; None where not even their number is known.
    """

    name: str
    element_type: ElementType
    shape: "tuple[Dimension, ...] | None"


class GraphNode(NamedTuple):
    """A node of a graph: one call of an operator.

    Attributes
    ----------
    op_type : str
        The operator.
    inputs, outputs : tuple of str
        The names of what it reads and writes; "" for what is left out.
    domain : str
        The operator's domain; "" is that of ONNX.
    name : str
        The name of the node, which may be "".
    attributes : dict
        Its attributes.
    """

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str
    name: str
    attributes: dict[str, Any]


class Graph:
    """A model described in Python: inputs, initializers, nodes, outputs.

    It belongs to no library: `Session.from_graph`, `save` and `compile_model` hand it to one. What
    they hand over is a copy, so that it can be changed and used again. It can be pickled.

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
        for domain, version in mapping("opsets", opsets or DEFAULT_OPSETS).items():
            encode("a domain of opsets", domain)
            self._opsets[domain] = integer(f"opsets[{domain!r}]", version, (1, 2**31 - 1))
        self._inputs: list[GraphValue] = []
        self._outputs: list[GraphValue] = []
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
        value = _value(name, element_type, shape)
        self._make("name", name)
        self._inputs.append(value)
        return name

    def output(
        self,
        name: str,
        element_type: "DTypeLike | ElementType",
        shape: "Iterable[Dimension] | None" = None,
    ) -> str:
        """Make something an output, which is a tensor; as `input`.

        Parameters
        ----------
        name : str
            The name of an output of a node, which may be added later.
        element_type, shape
            As of `input`.
        """
        value = _value(name, element_type, shape)
        if any(name == each.name for each in self._outputs):
            raise ValueError(f"name {name!r} is an output already")
        self._outputs.append(value)
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
        if not isinstance(value, Value):
            element = element_of_array(value, "value")
            reason = unfit(value, element, "value") if element != ElementType.STRING else None
            if reason:
                raise ValueError(f"{reason}: pass a Value or numpy.ascontiguousarray of it")
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
        read, made = _names("inputs", inputs), _names("outputs", outputs)
        for argument, text in (("op_type", op_type), ("domain", domain), ("name", name)):
            encode(argument, text)
        if not op_type:
            raise ValueError("op_type must not be empty")
        kept = {
            key: _attribute(key, each) for key, each in mapping("attributes", attributes).items()
        }
        named = [each for each in made if each]
        if len(set(named)) < len(named):
            raise ValueError(f"outputs must differ from each other, but are {list(made)}")
        for each in named:
            self._check_new("outputs", each)
        self._made.update(named)
        self._nodes.append(GraphNode(op_type, read, made, domain, name, kept))
        return made

    def check(self) -> None:
        """Raise `ValueError` if nothing makes an output, which libraries may not notice."""
        for value in self._outputs:
            if value.name not in self._made:
                raise ValueError(f"output {value.name!r} is made by no node, and is no input")

    def _check_new(self, argument: str, name: str) -> None:
        encode(argument, name)
        if not name:
            raise ValueError(f"{argument} must not be empty")
        if name in self._made:
            raise ValueError(f"{argument}: the graph has {name!r} already")

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
        return list(self._outputs)

    @property
    def nodes(self) -> list[GraphNode]:
        """The nodes, in the order in which they were added."""
        return list(self._nodes)

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

    def save(
        self,
        path: "str | os.PathLike[str]",
        *,
        options: "SessionOptions | None" = None,
        api: "Api | None" = None,
    ) -> None:
        """Write the model to a file. The library checks it first.

        Parameters
        ----------
        path : str or os.PathLike
            The file, in an existing directory. A file of that name is replaced.
        options : SessionOptions, optional
            With the library of custom ops that the model needs.
        api : Api, optional
            The library; by default the one that a `Session` would use.

        Notes
        -----
        Compile functions: as `compile_model`.
        """
        from ortcffi.graph.compile import compile_model

        compile_model(self, path, options=options, api=api)

    def to_bytes(
        self, *, options: "SessionOptions | None" = None, api: "Api | None" = None
    ) -> bytes:
        """Return the model as ONNX serializes it; as `save`."""
        from ortcffi.graph.compile import compile_model

        made: bytes = compile_model(self, options=options, api=api)  # type: ignore[assignment]
        return made

    def __repr__(self) -> str:
        count = len(self._nodes)
        names = [", ".join(each.name for each in side) for side in (self._inputs, self._outputs)]
        return f"<Graph of {count} node{'' if count == 1 else 's'}: {names[0]} -> {names[1]}>"


def _value(name: str, element_type: Any, shape: Any) -> GraphValue:
    encode("name", name)
    if not name:
        raise ValueError("name must not be empty")
    element = as_element(element_type, "element_type")
    if shape is None:
        return GraphValue(name, element, None)
    if isinstance(shape, str) or not isinstance(shape, Iterable):
        raise TypeError(f"shape must be an iterable of int, str and None, not {shape!r}")
    dimensions = []
    for i, each in enumerate(shape):
        if isinstance(each, str):
            encode(f"shape[{i}]", each)
        elif each is not None:
            each = integer(f"shape[{i}]", each, (0, 2**63 - 1))  # noqa: PLW2901
        dimensions.append(each)
    return GraphValue(name, element, tuple(dimensions))


def _names(argument: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise TypeError(f"{argument} must be an iterable of str, not {type(names).__name__}")
    found = tuple(names)
    for i, name in enumerate(found):
        encode(f"{argument}[{i}]", name)
    return found


def _attribute(name: Any, value: Any) -> Any:
    """An attribute as it is kept: an int, float, bytes, or a list of one of them."""
    encode("a name of attributes", name)
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    argument = f"attributes[{name!r}]"
    if isinstance(value, (list, tuple)):
        kept = [_single(argument, each) for each in value]
        kinds = {type(each) for each in kept}
        if kinds == {int, float}:
            return [float(each) for each in kept]
        if len(kinds) > 1:
            raise TypeError(f"{argument} must have elements of one type, not {value!r}")
        if any(isinstance(each, bytes) and b"\0" in each for each in kept):
            raise ValueError(f"{argument} must not contain null characters, where C ends a string")
        return kept
    return _single(argument, value)


def _single(argument: str, value: Any) -> Any:
    if isinstance(value, (Value, Graph)):
        raise TypeError(
            f"{argument} is a {type(value).__name__}: the model editor has no attributes that are "
            f"tensors or graphs"
        )
    if isinstance(value, str):
        return encode(argument, value)
    if isinstance(value, bytes):
        return value
    if isinstance(value, float):
        return value
    if isinstance(value, (int, np.integer)):
        return integer(argument, value, _INT64)
    kind = type(value).__name__
    raise TypeError(f"{argument} must be an int, a float, a str, bytes or a list, not {kind}")
