# SPDX-License-Identifier: MIT
"""Graphs: models in memory, made and changed in Python."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import INT64, integer, optional_mapping
from ortcffi._native import lib
from ortcffi._public import Suggests, public, quoted
from ortcffi.models import by_onnx, floats, view
from ortcffi.models import graph_dimensions as dimensions
from ortcffi.models import graph_edits as edits
from ortcffi.models import graph_names as names
from ortcffi.models.graph_attributes import (
    Attributes,
    Entries,
    Initializers,
    check_apart,
    names_of,
    text,
    text_property,
)
from ortcffi.models.graph_parts import GraphNode, GraphValue, Nodes, Ports, set_type
from ortcffi.models.message import Message, domain_of, subgraphs_of
from ortcffi.models.model import Model
from ortcffi.models.model_graph import ModelGraph
from ortcffi.models.shown import take_over
from ortcffi.models.stored import Home, home_of, info_of, tensor_of

if TYPE_CHECKING:
    import os

    from numpy.typing import DTypeLike, NDArray

    from ortcffi.values.element_types import ElementType
    from ortcffi.values.tensor_type_info import Dimension
    from ortcffi.values.value import Value

DEFAULT_OPSETS = {"": 21}  # since version 1.20
_MODEL = "_home.message"  # where a graph has what its model says


@public
class Graph(Suggests):
    """A model in memory, which can be changed: inputs, initializers, nodes, outputs.

    Make one with nothing in it, and add to it; or take over a model, whose weights are not copied.
    It belongs to no library: `Session` and `compile_model` take it, and `to_model` makes a `Model`
    of it, so that it can be changed and used again. It can be pickled.

    Parameters
    ----------
    model : Model, str, os.PathLike, bytes-like, ModelGraph or mapping, optional
        What to take over: a model, or what `Model.load` opens, or the graph that an execution
        provider is shown, of any library, whose weights are copied. For a new graph `opsets`.
    opsets : mapping of str to int, optional
        For a new graph, the version of each operator set, by domain. By default 21 of ONNX's own,
        whose domain is "". A domain that a node brings and that is not there gets version 1.

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
    >>> graph.inputs["x"].shape = (8, 2)
    """

    __slots__ = ("_home", "_made", "_message", "_places")
    _made: set[str] | None
    _places: dict[str, int]  # where initializers were in their list, which may change

    def __init__(self, model: Any = None, *, opsets: Mapping[str, int] | None = None) -> None:
        if model is None or isinstance(model, Mapping):
            self._begin(None, Message("GraphProto"))
            self._message.name = "graph"
            given = DEFAULT_OPSETS if opsets is None and model is None else opsets or model
            self.opsets.update(optional_mapping("opsets", given))
            self._home.message.ir_version = self._home.message.ir_version or lib.core_format_of(0)
        elif isinstance(model, ModelGraph):
            self.__init__(opsets={})  # type: ignore[misc]
            take_over(self, model)
        else:
            home = home_of(model)
            self._begin(home, home.message.graph)

    def _begin(self, home: Home | None, message: Any) -> None:
        self._made, self._places = None, {}
        if home is None:
            home = Home(Message("ModelProto"))
            home.message.graph = message
        self._home, self._message = home, message

    @classmethod
    def _of(cls, home: Home | None, message: Any) -> Self:
        self = cls.__new__(cls)
        self._begin(home, message)
        return self

    def _as_branch(self) -> Any:
        """Return the message, for an attribute of a node; it names no weights by numbers."""
        edits.settle(self)
        return self._message

    # --- building ---------------------------------------------------------------------------------

    def input(
        self,
        name: str,
        element_type: "DTypeLike | ElementType",
        shape: "Iterable[Dimension] | None" = None,
    ) -> str:
        """Add an input, which is a tensor.

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
        self._check_new("name", name)
        self._message.input.append(set_type(info_of(name), element_type, shape))
        self._names.add(name)
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

        Returns
        -------
        str
            The name.
        """
        if element_type is None and shape is not None:
            raise TypeError("shape must not be given without element_type")
        _check_name("name", name)
        if name in self.outputs:
            raise ValueError(f"name {quoted(name)} is an output already")
        info = info_of(name)
        self._message.output.append(
            info if element_type is None else set_type(info, element_type, shape)
        )
        return name

    def initializer(self, name: str, value: "NDArray[Any] | Value") -> str:
        """Add a constant.

        Parameters
        ----------
        name : str
            A name that nothing else of the graph has.
        value : ndarray or Value
            A dense tensor. Its memory is shared with models and sessions that are made of the
            graph: it stays as long as they do, and must not change.

        Returns
        -------
        str
            The name.
        """
        self._check_new("name", name)
        self._message.initializer.append(tensor_of(name, value))
        self._names.add(name)
        return name

    def node(  # noqa: PLR0913  # as many as a node has
        self,
        op_type: str,
        inputs: Iterable[str],
        outputs: Iterable[str],
        *,
        attributes: Mapping[str, Any] | None = None,
        domain: str = "",
        name: str = "",
    ) -> tuple[str, ...]:
        """Add a node at the end: one call of an operator, or of a function of the model.

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
            Each an int, float, str, bytes, an array, a `Graph`, or a list of one of them.
        domain : str, optional
            The operator's domain, such as ``"com.microsoft"``; "" is that of ONNX.
        name : str, optional
            The name of the node.

        Returns
        -------
        tuple of str
            `outputs`.
        """
        made = GraphNode(op_type, inputs, outputs, domain, name, attributes)
        check_apart(self._message, subgraphs_of(made._message))
        named = [each for each in made.outputs if each]
        for each in named:
            self._check_new("outputs", each)
        self._import(domain)
        self._names.update(named)
        self._message.node.append(made._message)
        return tuple(made.outputs)

    @property
    def _names(self) -> set[str]:
        """The names that something of the graph makes, as far as they were added here."""
        if self._made is None:
            self._made = names.made_names(self._message)
        return self._made

    def _check_new(self, argument: str, name: str) -> None:
        _check_name(argument, name)
        if name in self._names and name in names.made_names(self._message):
            raise ValueError(f"{argument}: the graph has {quoted(name)} already")

    def _import(self, domain: str) -> None:
        if domain_of(domain) and domain not in self.opsets:
            self.opsets[domain] = 1

    # --- what it has ------------------------------------------------------------------------------

    @property
    def inputs(self) -> Ports:
        """The inputs, by place and by name."""
        return Ports(self, self._message.input)

    @property
    def outputs(self) -> Ports:
        """The outputs, by place and by name."""
        return Ports(self, self._message.output)

    @property
    def nodes(self) -> Nodes:
        """The nodes, as a list that can be changed."""
        return Nodes(self, self._message.node)

    @property
    def values(self) -> dict[str, GraphValue]:
        """Inputs, initializers and what nodes make, by name: a new dict each time."""
        return names.values_of(self)

    @property
    def initializers(self) -> Initializers:
        """The constants by name, as arrays over the memory that has them. They can be set."""
        return Initializers(self)

    @property
    def opsets(self) -> Entries:
        """The version of each operator set, by domain, which can be set; that of ONNX is ""."""
        kind, fields = "OperatorSetIdProto", ("domain", "version")
        return Entries(self._opset_imports(), kind, fields, self._version)

    def _opset_imports(self) -> list[Any]:
        return self._home.message.opset_import  # type: ignore[no-any-return]

    def _version(self, domain: str, version: Any) -> int:
        number = integer(f"opsets[{domain!r}]", version, (1, 2**31 - 1))
        if not domain_of(domain):
            model = self._home.message
            model.ir_version = max(model.ir_version, lib.core_format_of(number))
        return number

    @property
    def metadata(self) -> Entries:
        """Entries of your own, which the model has beside the graph: text by name."""
        messages = self._home.message.metadata_props

        def checked(key: str, value: Any) -> str:
            return text(f"metadata[{quoted(key)}]", value)

        return Entries(messages, "StringStringEntryProto", ("key", "value"), checked)

    name: str = text_property("name", "The name of the graph.")
    graph_description: str = text_property("doc_string", "What the graph is.")
    producer_name: str = text_property("producer_name", "The tool that made the model.", _MODEL)
    producer_version: str = text_property("producer_version", "The version of that tool.", _MODEL)
    domain: str = text_property("domain", "The name space of the model.", _MODEL)
    description: str = text_property("doc_string", "What the model is.", _MODEL)

    @property
    def version(self) -> int:
        """The version of the model."""
        return int(self._home.message.model_version)

    @version.setter
    def version(self, version: int) -> None:
        self._home.message.model_version = integer("version", version, INT64)

    @property
    def ir_version(self) -> int:
        """The version of the format."""
        return int(self._home.message.ir_version)

    @property
    def functions(self) -> "list[GraphFunction]":
        """The functions of the model: operators that are described by others."""
        return [GraphFunction._of(self._home, each) for each in self._home.message.functions]

    def function(
        self,
        domain: str,
        name: str,
        inputs: Iterable[str],
        outputs: Iterable[str],
        attributes: Iterable[str] = (),
    ) -> "GraphFunction":
        """Add a function, which nodes call like an operator. Add nodes to what is returned.

        Parameters
        ----------
        domain, name : str
            The domain and the operator of nodes that call it.
        inputs, outputs : iterable of str
            The names that its nodes have for what it reads and makes.
        attributes : iterable of str, optional
            The names of its attributes, to which attributes of its nodes refer with
            `AttributeReference`.

        Returns
        -------
        GraphFunction
            The function, without nodes.
        """
        made = Message("FunctionProto")
        for argument, given in (("domain", domain), ("name", name)):
            _check_name(argument, given)
            setattr(made, argument, given)
        made.input, made.output = names_of("inputs", inputs), names_of("outputs", outputs)
        made.attribute = names_of("attributes", attributes)
        if any((e.domain, e.name, e.overload) == (domain, name, "") for e in self.functions):
            raise ValueError(f"name: the graph has a function {quoted(name)} already")
        function = GraphFunction._of(self._home, made)
        function.opsets.update(self.opsets)
        self._home.message.functions.append(made)
        self._import(domain)
        return function

    # --- using ------------------------------------------------------------------------------------

    def to_model(self) -> Model:
        """Return the model, which shares the memory of initializers: that must not change.

        Raises
        ------
        OrtError
            An output or an input of a node is made by nothing; nodes wait for each other.
        """
        model = self._model()
        model.graph  # noqa: B018  # raises where it cannot be read
        return model

    def _model(self) -> Model:
        whole = self._home.message
        if whole.graph is not self._message:  # a subgraph, for the sets and functions around it
            whole = whole.copy()
            whole.graph = self._message
        return self._home.open(whole)

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

    def copy(self) -> "Graph":
        """Return a graph that changes apart from this one; the weights are shared."""
        home = self._home.copy()
        if self._home.message.graph is not self._message:
            home.message.graph = self._message.copy()
        return Graph._of(home, home.message.graph)

    def __reduce__(self) -> Any:
        return Graph, (self._model().to_bytes(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self._message is other._message

    def __hash__(self) -> int:
        return hash(id(self._message))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {view.described(self)}>"

    __getitem__ = view.get_item
    __contains__ = view.contains
    __iter__ = view.refuse_iteration

    _find = names.find

    # --- editing ----------------------------------------------------------------------------------

    rename = names.rename
    set_dimensions = dimensions.set_dimensions
    set_batch = dimensions.set_batch
    insert_before = edits.insert_before
    insert_after = edits.insert_after
    replace = edits.replace
    replace_all_uses = edits.replace_all_uses
    merge = edits.merge
    extract = edits.extract
    remove_unused = edits.remove_unused
    sort = edits.sort
    constants_to_initializers = edits.constants_to_initializers
    initializers_to_constants = edits.initializers_to_constants
    convert_version = by_onnx.convert_version
    infer_shapes = by_onnx.infer_shapes
    inline = by_onnx.inline
    convert_floats = floats.convert_floats
    _prepare = by_onnx.prepare
    _apart = edits.apart


@public
class GraphFunction(Graph):
    """A function of a `Graph`: an operator that is described by other operators.

    Its inputs and outputs are names, without types.
    """

    __slots__ = ()

    inputs: Any = property(lambda self: self._message.input, None, None, "The names of its inputs.")
    outputs: Any = property(
        lambda self: self._message.output, None, None, "The names of its outputs."
    )
    attributes: Any = property(
        lambda self: self._message.attribute, None, None, "The names of attributes that calls have."
    )
    overload: str = text_property("overload", "What tells functions of one name apart.")
    domain: str = text_property("domain", "The domain of nodes that call it.")

    @property
    def defaults(self) -> Attributes:
        """The attributes with a default, which can be set."""
        return Attributes(self._message.attribute_proto, self)

    @property
    def initializers(self) -> Any:
        """A function has none."""
        return {}

    def _opset_imports(self) -> list[Any]:
        return self._message.opset_import  # type: ignore[no-any-return]


def _check_name(argument: str, name: str) -> None:
    text(argument, name)
    if not name:
        raise ValueError(f"{argument} must not be empty")
