# SPDX-License-Identifier: MIT
"""`Model`: an ONNX model, read without any other package."""

import os
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ortcffi._convert import below_current_folder, bytes_like, input_path
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import Suggests, html_table, html_text, printable, public, shortened, size
from ortcffi._table import core_api
from ortcffi.kernels.host import call_host, host_function
from ortcffi.models.view import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ortcffi.models.graph import Graph
    from ortcffi.models.metadata import ModelMetadata
    from ortcffi.models.model_graph import ModelFunction, ModelGraph
    from ortcffi.models.nodes import GraphNode
    from ortcffi.models.parts import ModelNode, ModelValue
    from ortcffi.models.wire import Message
    from ortcffi.table.api import Api
    from ortcffi.values.value import Value

__all__ = ["Model"]

_PORTS = 20  # inputs, and outputs, of a table in a notebook


@public
class Model(Suggests, Handle):
    """An ONNX model, of any size: weights stay in the file until they are read.

    `load` opens one. A model never changes: methods that edit return another one, which shares the
    weights. The graphs, nodes, values and arrays that it gives keep it, also after `close`.

    Attributes
    ----------
    api : Api
        The table of the embedded core, which reads the model.
    closed : bool
        Whether `close` was called.

    Notes
    -----
    API function: ``ReleaseModel``.
    """

    __slots__ = ("_indexes", "_path", "_size")

    _elsewhere: ClassVar = {
        name: f"graph.{name}" for name in ("nodes", "node", "inputs", "outputs", "initializers")
    }

    _pointer = "OrtModel*"
    _indexes: "dict[tuple[str, int], dict[str, int]]"
    _path: str | None
    _size: int | None

    # Names that are read are suggested: a model never changes.
    __setattr__ = object.__setattr__  # type: ignore[assignment]

    def __init__(self, api: "Api", handle: Any, parent: object = None) -> None:
        release = lib.ReleaseModel if parent is None else None
        super().__init__(api, handle, release=release, parent=parent)
        if not api.is_core:
            raise ValueError(
                f"api must be the embedded core's table, which reads models, not {api}"
            )
        self._indexes = {}
        self._path = self._size = None

    @classmethod
    def load(cls, model: "str | os.PathLike[str] | bytes") -> Self:
        """Open a model. Its graph is read at the first use, its weights when they are asked for.

        Parameters
        ----------
        model : str, os.PathLike or bytes-like
            The path of a file, which is mapped: it must not change while the model or arrays of it
            live. Or the bytes of a model; those that can be written to are copied.

        Raises
        ------
        NoSuchFile
            There is no such file.
        InvalidProtobuf
            It is no model.
        """
        if isinstance(model, (str, os.PathLike)):
            path = input_path("model", model)
            made, out = cls._blank(core_api(), "OrtModel*", lib.ReleaseModel)
            opener = host_function("OrtcoreOpenModel")
            call_host("ortcore_open_model", opener, ffi.from_buffer("char[]", path), out)
            made._open_handle()
            made._indexes = {}
            made._path = below_current_folder("model", os.fsdecode(path))
            made._size = os.path.getsize(path)
            return made
        content = bytes_like("model", model)
        if type(model) is not bytes and not memoryview(model).readonly:
            content = ffi.from_buffer("char[]", bytes(model))
        return cls._of_bytes(content)

    @classmethod
    def from_graph(cls, graph: "ModelGraph") -> Self:
        """Make a model of a graph, with a copy of its weights; it does not keep the graph.

        Nodes, values and types are those that the library shows, which differ from the file's in a
        graph that was prepared for an execution provider. Functions are not copied.

        Parameters
        ----------
        graph : ModelGraph
            The graph, of any library.

        Raises
        ------
        NotImplemented
            A constant is sparse, or an attribute has a type that the C API does not show.
        """
        from ortcffi.models.model_graph import ModelGraph
        from ortcffi.models.snapshot import bytes_of_graph

        if not isinstance(graph, ModelGraph):
            raise TypeError(f"graph must be a ModelGraph, not {type(graph).__name__}")
        return cls.load(bytes_of_graph(graph))

    @classmethod
    def _of_bytes(cls, content: Any, weights_of: "Model | None" = None) -> Self:
        """A model of its bytes, or of a skeleton and the model whose weights it has."""
        given = ffi.NULL if weights_of is None else weights_of.handle
        kept = content, weights_of
        made, out = cls._blank(core_api(), "OrtModel*", lib.ReleaseModel, *kept)
        arguments = host_function("OrtcoreOpenModelBytes"), content, len(content), given
        call_host("ortcore_open_model_bytes", *arguments, out)
        made._open_handle()
        made._indexes = {}
        made._path = None if weights_of is None else weights_of._path
        made._size = len(content) if weights_of is None else None
        return made

    def _edited(self, skeleton: "Message") -> Self:
        """A model of an edited skeleton of this one, with the weights of this one."""
        return self._of_bytes(ffi.from_buffer("char[]", bytes(skeleton)), self)

    def _skeleton(self) -> "Message":
        """The model as a message, in which large weights are named by numbers."""
        from ortcffi.models.saving import skeleton_of
        from ortcffi.models.wire import Message

        return Message(skeleton_of(self))

    def _untyped(self) -> int:
        """How many values that nodes of the graph make have no type."""
        out = ffi.new("size_t*")
        self._read_handle(_untyped_of, self.api.pointer, out)
        return int(out[0])

    def _graph(self, which: int) -> "ModelGraph":
        from ortcffi.models.model_graph import ModelGraph

        out = ffi.new("const OrtGraph**")
        self._read_handle(_graph_of, self.api.pointer, which, out)
        return ModelGraph._of(self, out[0], self._indexes)

    # --- reading ----------------------------------------------------------------------------------

    @property
    def graph(self) -> "ModelGraph":
        """The graph, as the file has it."""
        return self._graph(lib.ORTCORE_GRAPH_AS_WRITTEN)

    @property
    def functions(self) -> "tuple[ModelFunction, ...]":
        """The functions of the model, by which nodes are defined."""
        from ortcffi.models.model_graph import functions_of

        return functions_of(self)

    @property
    def opsets(self) -> dict[str, int]:
        """The version of each operator set, by domain; that of ONNX is ""."""
        return self.graph.opsets

    @property
    def ir_version(self) -> int:
        """The version of the format."""
        return self.graph.ir_version

    @property
    def metadata(self) -> "ModelMetadata":
        """The model's metadata."""
        return self.graph.metadata

    @property
    def path(self) -> str | None:
        """The absolute path of the file, also of models that were edited; None for bytes."""
        self.handle  # noqa: B018  # raises where the model is closed
        return self._path

    # --- editing: another model, which shares the weights -----------------------------------------

    def rename(self, names: "Mapping[str, str]") -> Self:
        """Give values and nodes other names, everywhere in the graph and its subgraphs.

        Parameters
        ----------
        names : mapping of str to str
            The new names by the old ones. A name that both a value and a node have means the
            value. Names can be exchanged.

        Returns
        -------
        Model
            The model with these names.

        Raises
        ------
        LookupError
            There is no such value or node.
        ValueError
            A new name is empty, or there already.
        """
        from ortcffi.models import editing

        return self._edited(editing.rename(self, names))

    def replace(
        self,
        old: "str | ModelValue | ModelNode",
        new: "NDArray[Any] | Value | str | GraphNode | Graph",
    ) -> Self:
        """Put something else in the place of an initializer, a value or a node.

        Parameters
        ----------
        old : str, ModelValue or ModelNode
            A part of the model's own graph, or its name, as ``graph[name]`` finds it.
        new : ndarray, Value, str, GraphNode or Graph
            For an initializer other contents of the same element type, which are copied. For a
            value the name of the one that nodes read instead. For a node another one, or a graph
            without inputs and outputs, whose nodes use names of the model and make what is used of
            the node.

        Returns
        -------
        Model
            The model with it.

        Raises
        ------
        TypeError, ValueError, LookupError
            `new` does not fit in the place of `old`.
        """
        from ortcffi.models import editing

        return self._edited(editing.replace(self, old, new))

    def extract(
        self,
        inputs: "Iterable[str] | Mapping[str, tuple[Any, ...] | None]",
        outputs: "Iterable[str]",
    ) -> Self:
        """Take a part of the model: what makes some values of others.

        Parameters
        ----------
        inputs : iterable of str, or mapping
            The values that are to be inputs. A mapping says of each the type, as
            ``(element_type, shape)``, or None for the one that the model says.
        outputs : iterable of str
            The values that are to be outputs.

        Returns
        -------
        Model
            The model of the nodes and initializers that `outputs` need.

        Raises
        ------
        LookupError
            There is no such value.
        ValueError
            `outputs` need an input that is not among `inputs`, or the type of an input is not
            known.
        """
        from ortcffi.models import editing

        return self._edited(editing.extract(self, inputs, outputs))

    def with_metadata(
        self,
        custom: "Mapping[str, str | None] | None" = None,
        *,
        version: int | None = None,
        **texts: str | None,
    ) -> Self:
        """Change what the model says of itself.

        Parameters
        ----------
        custom : mapping of str to str or None, optional
            Entries to add or to replace; None removes one.
        version : int, optional
            Its version.
        **texts : str
            ``producer_name``, ``producer_version``, ``domain``, ``description``, ``graph_name``,
            ``graph_description``; see `ModelMetadata`.

        Returns
        -------
        Model
            The model that says so.
        """
        from ortcffi.models import editing

        return self._edited(editing.with_metadata(self, custom, version, texts))

    def with_opset(self, version: int, domain: str = "") -> Self:
        """Set the version of an operator set. No node is changed for it.

        Operators are looked up in the core's table. Those of other operator
        sets than ONNX's are not looked at.

        Parameters
        ----------
        version : int
            The version.
        domain : str, optional
            The domain of the operator set; "" is that of ONNX.

        Returns
        -------
        Model
            The model with that version.

        Raises
        ------
        ValueError
            An operator of a node has another form in that version, or the version is newer than the
            core's table.
        """
        from ortcffi.models import editing

        made = self._edited(editing.with_opset(self, version, domain))
        editing.check_versions(self.graph, made.graph, version)
        return made

    def inline(self) -> Self:
        """Replace each node that calls a function of the model by the nodes of the function.

        Returns
        -------
        Model
            The model without functions.

        Raises
        ------
        ValueError
            A function calls itself, or uses operators of another version than the model.
        """
        from ortcffi.models import inlining

        return self._edited(inlining.inline(self._skeleton()))

    def prepare(self, operators: "Iterable[str]" = ()) -> Self:
        """Say the type and shape of each inner value, which some execution providers want to know.

        The package onnx infers them, without reading weights. Functions of the model are inlined.
        A model that was saved with its types runs where onnx is not installed.

        Parameters
        ----------
        operators : iterable of str, optional
            Operators to be replaced by those that ONNX describes them by, such as
            ``["GroupNormalization"]``: those that no execution provider takes.

        Returns
        -------
        Model
            The model with types.

        Raises
        ------
        ModuleNotFoundError
            The package onnx is not installed.
        ValueError
            An operator is not described by others, or onnx cannot replace it; or the types of the
            model contradict each other.
        """
        from ortcffi.models import preparing

        return self._edited(preparing.prepare(self, operators))

    # --- writing ----------------------------------------------------------------------------------

    def save(self, path: "str | os.PathLike[str]", external_data: int | str | None = None) -> None:
        """Write the model to a file. A file of that name is replaced, once the new one is whole.

        Parameters
        ----------
        path : str or os.PathLike
            The file, in a folder that exists. It may be the one that the model was loaded from.
            A device such as ``/dev/stdout`` is written itself.
        external_data : int or str, optional
            Tensors of so many bytes or more, such as ``"64 MB"``, go to another file in the same
            folder, which has the name of the first and ``.data``, or, if there is such a file,
            eight digits before that. The file in which the replaced model had its weights is
            removed. By default all are in the one file, which then has at most 2 GiB.

        Raises
        ------
        OSError
            A file cannot be written. Those that were there are as before.
        Fail
            The model has weights in a file that is not there.
        """
        from ortcffi.models.saving import save

        save(self, path, external_data)

    def to_bytes(self) -> bytes:
        """Return the model as ONNX serializes it, with all weights: at most 2 GiB."""
        from ortcffi.models.saving import bytes_of

        return bytes_of(self)

    def _content(self) -> str | bytes:
        """What a library is given to load it."""
        return self.to_bytes() if self._path is None or self._size is None else self._path

    # --- as an object -----------------------------------------------------------------------------

    def _summary(self) -> str:
        where = "" if self._path is None else f" {shortened(os.path.basename(self._path))!r}"
        many = "" if self._size is None else f", {size(self._size)}"
        return f"<Model{where}{many}: "

    def __repr__(self) -> str:
        return "<Model closed>" if self.closed else f"{self._summary()}{self.graph._described()}>"

    def _repr_html_(self) -> str:
        if self.closed:
            return html_text(repr(self))
        graph = self.graph
        sides = [("input", each) for each in graph.inputs[:_PORTS]]
        sides += [("output", each) for each in graph.outputs[:_PORTS]]
        opsets = [f"{name or 'ai.onnx'} {version}" for name, version in graph.opsets.items()]
        rows = [
            ("opsets", listed(opsets)),
            ("nodes", f"{len(graph.nodes):,}"),
            ("initializers", f"{len(graph.initializers):,}"),
            *((kind, f"{each.name}: {each.type or 'unknown'}") for kind, each in sides),
            ("producer", self.metadata.producer_name),
        ]
        title = "model" if self._path is None else printable(self._path)
        shown = [(name, shortened(text, 200)) for name, text in rows if text]
        return html_table(title, ("", ""), shown)


def _untyped_of(_table: Any, model: Any, out: Any) -> None:
    call_host("ortcore_untyped_values", host_function("OrtcoreUntypedValues"), model, out)


def _graph_of(_table: Any, model: Any, which: int, out: Any) -> None:
    call_host("ortcore_model_graph", host_function("OrtcoreModelGraph"), model, which, out)
