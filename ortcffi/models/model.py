# SPDX-License-Identifier: MIT
"""`Model`: an ONNX model, read without any other package."""

import os
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ortcffi._convert import below_current_folder, bytes_like, input_path, native
from ortcffi._handle import Handle
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import Suggests, public, shortened, size
from ortcffi._table import core_api
from ortcffi.errors import check
from ortcffi.kernels.host import call_host, call_host_on
from ortcffi.models.view import described

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ortcffi.models.graph import Graph
    from ortcffi.models.metadata import ModelMetadata
    from ortcffi.models.model_graph import ModelFunction, ModelGraph
    from ortcffi.table.api import Api


@public
class Model(Suggests, Handle):
    """An ONNX model, of any size: weights stay in the file until they are read.

    `load` opens one. A model never changes: `edit` makes a `Graph` of it, which can. The graphs,
    nodes, values and arrays that it gives keep it, also after `close`.

    API function: ``ReleaseModel``.

    Attributes
    ----------
    api : Api
        The table of the embedded core, which reads the model.
    closed : bool
        Whether `close` was called.
    """

    __slots__ = ("_indexes", "_path", "_size")

    _elsewhere: ClassVar = {
        name: f"graph.{name}" for name in ("nodes", "node", "inputs", "outputs", "initializers")
    }

    _pointer, _release = "OrtModel*", lib.ReleaseModel
    _indexes: "dict[tuple[str, int], dict[str, int]]"
    _path: str | None
    _size: int | None

    # Names that are read are suggested: a model never changes.
    __setattr__ = object.__setattr__  # type: ignore[assignment]

    def __init__(self, api: "Api", handle: Any, parent: object = None) -> None:
        super().__init__(api, handle, parent)
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
            made, out = cls._blank(core_api())
            call_host("OrtcoreOpenModel", ffi.new("ORTCHAR_T[]", native(path)), out)
            made._open_handle()
            made._indexes = {}
            made._path = below_current_folder("model", os.fsdecode(path))
            made._size = os.path.getsize(path)
            return made
        content = bytes_like("model", model)
        if type(model) is not bytes and not memoryview(model).readonly:
            content = bytes(model)
        return cls._of_parts(content)

    @classmethod
    def _of_parts(
        cls,
        content: Any,
        weights: "Sequence[Any]" = (),
        of: "Model | None" = None,
        handle: Any = None,
    ) -> Self:
        """Return a model of its bytes, which name weights of another model by numbers."""
        api, given = core_api(), ffi.NULL if handle is None else handle
        buffers = [ffi.from_buffer(each) for each in weights]
        made, out = cls._blank(api, content, buffers, handle)
        pairs = [number for each in buffers for number in (address_of(each), len(each))]
        listed = ffi.new("uintptr_t[]", pairs), len(buffers)
        start = content if isinstance(content, ffi.CData) else ffi.from_buffer("char[]", content)
        opened = lib.ortcffi_open_model(start, len(start), *listed, given, out)
        check(api.pointer, opened, "OpenModel")
        made._open_handle()
        made._indexes = {}
        made._path = None if of is None else of._path
        made._size = len(start) if of is None else None
        return made

    def _untyped(self) -> int:
        """How many values that nodes of the graph make have no type."""
        out = ffi.new("size_t*")
        call_host_on(self, "OrtcoreUntypedValues", out)
        return int(out[0])

    def _graph(self, which: int) -> "ModelGraph":
        from ortcffi.models.model_graph import ModelGraph

        out = ffi.new("const OrtGraph**")
        call_host_on(self, "OrtcoreModelGraph", which, out)
        return ModelGraph._of(self, out[0], self._indexes)

    # --- reading ----------------------------------------------------------------------------------

    @property
    def graph(self) -> "ModelGraph":
        """The graph, as the file has it."""
        return self._graph(lib.ORTCORE_GRAPH_AS_WRITTEN)

    @property
    def functions(self) -> "tuple[ModelFunction, ...]":
        """The functions of the model, by which nodes are defined, in the order of the file."""
        from ortcffi.models.message import message_of_model
        from ortcffi.models.model_graph import ModelFunction

        found, home = message_of_model(self)[0].functions, self.graph  # which keeps the model
        pointer = self._read_handle(lambda _table, handle: handle, self.api.pointer)
        return tuple(ModelFunction(each, home, pointer, i) for i, each in enumerate(found))

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

    # --- other models -----------------------------------------------------------------------------

    def edit(self) -> "Graph":
        """Return a `Graph` of the model, which can be changed; the weights are not copied."""
        from ortcffi import Graph

        return Graph(self)

    def prepare(self, operators: "Iterable[str]" = (), max_nodes: int = 1_000_000) -> "Model":
        """Say the type and shape of each inner value, which some execution providers want to know.

        The package onnx infers them, without reading weights. Functions of the model are inlined.
        A model that was saved with its types runs where onnx is not installed.

        Parameters
        ----------
        operators : iterable of str, optional
            Operators to be replaced by those that ONNX describes them by, such as
            ``["GroupNormalization"]``: those that no execution provider takes.
        max_nodes : int, optional
            The most nodes that the model may have then.

        Returns
        -------
        Model
            The model with types.

        Raises
        ------
        ModuleNotFoundError
            The package onnx is not installed.
        ValueError
            An operator is not described by others, or onnx cannot replace it; there would be too
            many nodes; or the types of the model contradict each other.
        """
        return self.edit()._prepare(operators, max_nodes)

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
            folder, which has the name of the first and ``.data``; if there is such a file, or the
            model that is replaced has a file of weights, eight digits before that. The latter file
            is removed. By default all are in the one file, which then has at most 2 GiB.

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
        """Return what a library is given to load it."""
        return self.to_bytes() if self._path is None or self._size is None else self._path

    # --- as an object -----------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.closed:
            return "<Model closed>"
        where = "" if self._path is None else f" {shortened(os.path.basename(self._path))!r}"
        many = "" if self._size is None else f", {size(self._size)}"
        return f"<Model{where}{many}: {described(self.graph)}>"
