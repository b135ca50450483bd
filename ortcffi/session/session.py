# SPDX-License-Identifier: MIT
"""`Session`: a model that a library has loaded, and its runs."""

import os
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ortcffi._native import ffi, lib
from ortcffi._public import described_by, public
from ortcffi.env.env import Env
from ortcffi.errors import fail
from ortcffi.graph.editor import Parts, build_model
from ortcffi.graph.graph import Graph
from ortcffi.options.run import PrepackedWeights
from ortcffi.options.session import ExecutionMode, SessionOptions
from ortcffi.options.settings import path as as_path
from ortcffi.session import asynchronous, bind
from ortcffi.session.conversions import Conversions
from ortcffi.session.library import engine_for, session_options_for
from ortcffi.session.specs import ValueSpec, read_specs
from ortcffi.values.compiled import address_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    from ortcffi._ort import OrtSession
    from ortcffi.session.binding import Binding
    from ortcffi.table.api import Api

__all__ = ["Session"]

# Makes the library's session: called with its environment, its options and where to write it.
Create = Callable[[Any, Any, Any], None]


@public
class Session(Conversions):
    """A model that a library has loaded.

    It is released by `close`, at the end of a ``with`` block, or when the object is destroyed;
    after the runs that are under way. Any thread may use it, several at a time too.

    Parameters
    ----------
    model : str, os.PathLike or bytes-like
        The path of a model, in ONNX's or ONNX Runtime's own format; or its bytes, such as a memory
        map, which are not copied.
    options : SessionOptions, optional
        Options of the session. Those of the embedded core, which cannot run models, are copied.
    api : Api, optional
        The library that runs the model. By default that of `options`, `prepacked_weights` or
        `env`, if it has an engine; else that of `default_api`, if it has one; else what `load`
        finds.
    prepacked_weights : PrepackedWeights, optional
        Where sessions share weights that kernels have repacked.
    env : Env, optional
        The environment, by default the one that the library has, or a new one. It is kept.

    Attributes
    ----------
    api : Api
        The table of the library.
    inputs, outputs : tuple of ValueSpec
        What the model wants and gives, in the model's order.
    overridable_initializers : tuple of ValueSpec
        Inputs that the model has a default for.
    closed : bool
        Whether `close` was called. Any use but of this, `close` and the attributes above then
        raises `ValueError`.
    running : int
        How many runs are under way.

    Raises
    ------
    NoSuchFile
        There is no such file.
    InvalidProtobuf, InvalidGraph, Fail
        It is no model, or one that the library cannot load.
    LibraryNotFound
        There is no library that runs models. The message says what to install.
    TypeError, ValueError
        An argument is of a wrong type, or belongs to another library.

    Notes
    -----
    API functions: ``CreateSession``, ``CreateSessionFromArray``,
    ``CreateSessionWithPrepackedWeightsContainer``,
    ``CreateSessionFromArrayWithPrepackedWeightsContainer``, ``ReleaseSession``.
    """

    __slots__ = (
        "__weakref__",
        "_options",
        "_source",
        "inputs",
        "outputs",
        "overridable_initializers",
    )

    _source: Any  # the path or the bytes

    def __init__(
        self,
        model: Any,
        options: "SessionOptions | None" = None,
        *,
        api: "Api | None" = None,
        prepacked_weights: PrepackedWeights | None = None,
        env: Env | None = None,
    ) -> None:
        _of("env", env, Env)
        _of("options", options, SessionOptions)
        _of("prepacked_weights", prepacked_weights, PrepackedWeights)
        engine = engine_for(api, options, prepacked_weights, env)
        create, store, held = _creation(engine, model, prepacked_weights)
        keep = (store, held) if _borrows_bytes(options) else store
        self._open(engine, create, options, env=env, keep=keep)
        self._source = model

    @classmethod
    def from_graph(
        cls,
        graph: Graph,
        options: "SessionOptions | None" = None,
        *,
        api: "Api | None" = None,
        env: Env | None = None,
    ) -> Self:
        """Make a session of a model that was made in Python.

        Parameters
        ----------
        graph : Graph
            The model. Initializers of 128 bytes or more are not copied: the session uses their
            memory, which must not change.
        options, api, env
            As of the class.

        Notes
        -----
        Model-editor function: ``CreateSessionFromModel``, since version 22.
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"graph must be a Graph, not {type(graph).__name__}")
        slot = "CreateSessionFromModel"
        engine = engine_for(api, options, env)

        def create(env: Any, options: Any, out: Any) -> None:
            with Parts(engine, slot) as parts:
                parts.call(slot, env, build_model(parts, graph), options, out)

        session = cls.__new__(cls)
        session._open(engine, create, options, env=env)
        return session

    def _open(
        self,
        api: "Api",
        create: Create,
        options: "SessionOptions | None" = None,
        *,
        env: Env | None = None,
        keep: object = None,
    ) -> None:
        """Make the library's session and read what it tells of the model.

        Parameters
        ----------
        api : Api
            A table with an engine.
        create : callable
            ``create(env, options, out)`` calls a function of the API that makes a session, with
            the handle of an environment, that of options or NULL, and where to write the session.
        options : SessionOptions, optional
            As of the class.
        env : Env, optional
            As of the class.
        keep : object, optional
            What the library borrows until the session is released.
        """
        chosen = session_options_for(api, options)
        environment = _environment(api, env)
        out = ffi.new("OrtSession**")
        create(environment.handle, ffi.NULL if chosen is None else chosen.handle, out)
        handle = out[0]
        borrowed = [] if chosen is None else [dict(chosen._alive), dict(chosen._values)]
        # The environment's handle itself: the collector may take its Env apart at any time.
        registered = environment._registered()  # a replaced one stays in use by this session
        kept = (environment.handle, environment._client, registered, borrowed, keep)
        try:
            self.inputs = read_specs(api, handle, "Input")
            self.outputs = read_specs(api, handle, "Output")
            self.overridable_initializers = read_specs(api, handle, "OverridableInitializer")
        except BaseException:
            lib.ReleaseSession(api.pointer, handle)
            raise
        self._begin(
            api._maker,
            address_of(handle),
            Value,
            kept,
            address_of(api.default_allocator.handle),
            tuple(spec.facts() for spec in (*self.inputs, *self.overridable_initializers)),
            tuple(spec.facts() for spec in self.outputs),
            len(self.inputs),
            _has_threads(chosen),
        )
        self._options = chosen
        self._source = None

    @property
    def handle(self) -> "OrtSession":
        """The cdata to pass to functions of ``lib``; it keeps the session while it lives."""
        return ffi.gc(ffi.cast("OrtSession*", self._hand_out()), self._take_back)

    @described_by(bind.bind)
    def bind(
        self,
        inputs: Mapping[str, Any] | None = None,
        outputs: Mapping[str, Any] | Iterable[str] | None = None,
        *,
        hold_gil: bool = False,
        **io: Any,
    ) -> "Binding":
        return bind.bind(self, inputs, outputs, hold_gil=hold_gil, **io)

    @described_by(asynchronous.run_async)
    def run_async(self, *arguments: Any, **keywords: Any) -> "asyncio.Future[list[Any]]":
        return asynchronous.run_async(self, *arguments, **keywords)

    @described_by(asynchronous.run_future)
    def run_future(self, *arguments: Any, **keywords: Any) -> "Future[list[Any]]":
        return asynchronous.run_future(self, *arguments, **keywords)

    def __enter__(self) -> Self:
        if self.closed:
            raise ValueError("this Session is closed")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<Session closed>"
        return f"<Session {_listed(self.inputs)} -> {_listed(self.outputs)} of {self.api}>"


def _listed(specs: tuple[ValueSpec, ...]) -> str:
    return ", ".join(f"{spec.name}: {spec.describe()}" for spec in specs)


def _of(name: str, given: Any, kind: type) -> Any:
    if given is not None and not isinstance(given, kind):
        raise TypeError(f"{name} must be {kind.__name__}, not {type(given).__name__}")
    return given


def _environment(api: "Api", env: Env | None) -> Env:
    if env is None:
        return Env(api=api)
    if not api.same_library(env.api):
        raise ValueError(f"env belongs to {env.api}, and the session to {api}")
    return env


def _creation(
    api: "Api", model: Any, weights: PrepackedWeights | None
) -> tuple[Create, object, object]:
    """What makes a session of a path or of bytes; the store of weights, and the bytes."""
    store: tuple[Any, ...] = ()
    suffix = ""
    if weights is not None:
        if not api.same_library(weights.api):
            raise ValueError(f"prepacked_weights belong to another library than {api}")
        store, suffix = (weights.handle,), "WithPrepackedWeightsContainer"
    if isinstance(model, (str, os.PathLike)):
        slot = f"CreateSession{suffix}"
        subject: tuple[Any, ...] = (os.fsencode(as_path("model", model) or ""),)
        held = None
    else:
        slot = f"CreateSessionFromArray{suffix}"
        held = _bytes(model)
        subject = (held, len(held))
    api.require(slot)

    def create(env: Any, options: Any, out: Any) -> None:
        if status := getattr(lib, slot)(api.pointer, env, *subject, options, *store, out):
            fail(api.pointer, status, slot)

    return create, store, held


def _has_threads(options: SessionOptions | None) -> bool:
    """Whether the library has threads for a session, as far as its options say."""
    if options is None or options.intra_op_threads != 1 or not options.per_session_threads:
        return True
    return bool(options.execution_mode != ExecutionMode.SEQUENTIAL)


def _borrows_bytes(options: "SessionOptions | None") -> bool:
    """Whether a session reads the bytes of its model also after it was made."""
    if options is None:
        return False
    return any(options.config.get(f"session.use_ort_model_bytes_{how}") == "1" for how in _HOW)


_HOW = ("directly", "for_initializers")


def _bytes(model: Any) -> Any:
    try:
        return ffi.from_buffer("char[]", model)
    except (TypeError, ValueError, BufferError):
        kind = type(model).__name__
        raise TypeError(f"model must be a path or bytes-like, not {kind}") from None
