# SPDX-License-Identifier: MIT
"""`Session`: a model that a library has loaded, and its runs."""

from typing import TYPE_CHECKING, Any, Self

from ortcffi._closing import Closing
from ortcffi._convert import of_type, pointer
from ortcffi._native import address_of, ffi
from ortcffi._public import public
from ortcffi._table import made_by
from ortcffi.env.env import Env
from ortcffi.env.state import Made
from ortcffi.models.graph import Graph
from ortcffi.options.for_library import session_options_for
from ortcffi.options.prepacked import PrepackedWeights
from ortcffi.options.session import SessionOptions
from ortcffi.session.asynchronous import run_async, run_future
from ortcffi.session.binding import bind
from ortcffi.session.creation import (
    Source,
    borrowed_of,
    calls_of_python,
    environment_of,
    has_threads,
    source_of,
    source_of_graph,
)
from ortcffi.session.facts import Facts
from ortcffi.session.providers import Provider, with_providers
from ortcffi.session.rules import RULES
from ortcffi.session.specs import ValueSpec
from ortcffi.table.engine import engine_for
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ortcffi.table.api import Api

__all__ = ["Session"]


@public
class Session(Facts, Closing):
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
    providers : iterable, optional
        Execution providers, the preferred first: each the name of one or an `EpDevice`, or a pair
        of that and options. What none of them takes runs on the CPU. See `add_provider`.
    prepacked_weights : PrepackedWeights, optional
        Where sessions share weights that kernels have repacked.
    env : Env, optional
        The environment, by default the one that the library has, or a new one. It is kept.
    hold_gil : bool, optional
        Whether `run` and `run_values` keep the GIL, so that other threads run no Python meanwhile,
        and the run cannot be ended early. A run with a `timeout` releases it anyway. For runs of
        microseconds beside a thread that computes in Python, for whose switch interval they would
        wait.

    Attributes
    ----------
    api : Api
        The table of the library.
    closed : bool
        Whether `close` was called. Any use but of this, `close`, `api`, `inputs`, `outputs` and
        `overridable_initializers` then raises `ValueError`.
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
        An argument is of a wrong type, or belongs to another library; or `hold_gil` is wanted, and
        runs may call Python: with custom ops, execution providers other than the CPU's, shared
        threads, or loggers, thread functions or allocators in Python.

    Notes
    -----
    API functions: ``CreateSession``, ``CreateSessionFromArray``,
    ``CreateSessionWithPrepackedWeightsContainer``,
    ``CreateSessionFromArrayWithPrepackedWeightsContainer``, ``ReleaseSession``.
    """

    __slots__ = ("__weakref__",)

    _rules = RULES

    def __init__(  # noqa: PLR0913  # as many as there are parts
        self,
        model: Any,
        options: "SessionOptions | None" = None,
        *,
        api: "Api | None" = None,
        providers: "Iterable[Provider] | None" = None,
        prepacked_weights: PrepackedWeights | None = None,
        env: Env | None = None,
        hold_gil: bool = False,
    ) -> None:
        of_type("env", env, Env)
        of_type("options", options, SessionOptions)
        of_type("prepacked_weights", prepacked_weights, PrepackedWeights)
        engine = engine_for(api, options, prepacked_weights, env)
        if providers is not None:
            options = with_providers(engine, options, providers)
        source = source_of(engine, model, prepacked_weights)
        self._open(engine, source, options, env=env, hold_gil=hold_gil)
        self._source = model

    @classmethod
    def from_graph(
        cls,
        graph: Graph,
        options: "SessionOptions | None" = None,
        *,
        api: "Api | None" = None,
        env: Env | None = None,
        hold_gil: bool = False,
    ) -> Self:
        """Make a session of a model that was made in Python.

        Parameters
        ----------
        graph : Graph
            The model. Initializers of 128 bytes or more are not copied: the session uses their
            memory, which must not change.
        options, api, env, hold_gil
            As of the class. With options that have custom ops, the session is made of the bytes
            of the model, with a copy of its initializers.

        Notes
        -----
        Model-editor function: ``CreateSessionFromModel``, since version 22. It does not know the
        custom ops of options.
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"graph must be a Graph, not {type(graph).__name__}")
        engine = engine_for(api, options, env)
        chosen = session_options_for(engine, options)
        session = cls.__new__(cls)
        if chosen is not None and (
            chosen._alive.get("custom_ops") or chosen._alive.get("op_domains")
        ):
            # A view, because the session is to keep these bytes only if the library borrows them.
            model = memoryview(graph.to_bytes(options=chosen, api=engine))
            source = source_of(engine, model)
        else:
            source = source_of_graph(engine, graph)
        session._open(engine, source, chosen, env=env, hold_gil=hold_gil)
        return session

    def _open(
        self,
        api: "Api",
        source: Source,
        options: "SessionOptions | None" = None,
        *,
        env: Env | None = None,
        hold_gil: bool = False,
    ) -> None:
        """Make the library's session and read what it tells of the model.

        Parameters
        ----------
        api : Api
            A table with an engine.
        source : Source
            What the session is made of.
        options : SessionOptions, optional
            As of the class.
        env, hold_gil
            As of the class.
        """
        chosen = session_options_for(api, options)
        environment = environment_of(api, env)
        handle = environment.handle
        kept = Made([environment, handle, source.keep])
        given: Any = ffi.NULL
        if chosen is not None:
            chosen = chosen.clone()  # so that the caller's may change meanwhile
            given = chosen.handle
            kept += [given, chosen._alive, chosen._values, borrowed_of(source.content, chosen)]
        self._python = calls_of_python(environment, chosen)
        self._check_gil(hold_gil)
        self._take(api, kept, has_threads=has_threads(chosen), hold_gil=hold_gil)
        self._options = chosen
        # The session goes on to use allocators that another thread may replace at any time.
        with environment._state.making(kept):
            source.create(handle, given, ffi.cast("OrtSession**", self._out))
        self._read_ports()

    @classmethod
    def from_handle(cls, api: "Api", handle: Any, lender: object) -> Self:
        """Wrap a session that belongs to somebody else.

        Parameters
        ----------
        api : Api
            The table of the session's library.
        handle : cdata of ``OrtSession *``
            The session. It is not released.
        lender : object
            What keeps it valid; it is kept alive.
        """
        api, handle = made_by(api), pointer("handle", handle, "OrtSession*")
        session = cls.__new__(cls)
        session._python = "a session that was made elsewhere"
        session._take(api, lender, has_threads=True, borrowed=True)
        ffi.cast("OrtSession**", session._out)[0] = handle
        session._read_ports()
        return session

    def _take(
        self,
        api: "Api",
        kept: object,
        *,
        has_threads: bool,
        hold_gil: bool = False,
        borrowed: bool = False,
    ) -> None:
        """Begin as the owner of what C will write to `_out`, unless that is borrowed."""
        strings = address_of(api.default_allocator.handle)
        parts = api._maker, Value, self._rules, kept, strings
        self._begin(*parts, has_threads, bool(self._python), bool(hold_gil), borrowed)
        self._specs = self._source = self._options = self._recorder = None

    def _check_gil(self, hold_gil: bool) -> None:
        """Refuse to keep the GIL in runs that might wait for a thread that wants it."""
        if hold_gil and self._python:
            raise ValueError(
                "hold_gil=True needs runs that call no Python, which another thread could do; "
                f"this may: {self._python}"
            )

    bind = bind
    run_async = run_async
    run_future = run_future

    def __repr__(self) -> str:
        if self.closed:
            return "<Session closed>"
        return f"<Session {_listed(self.inputs)} -> {_listed(self.outputs)} of {self.api}>"


def _listed(specs: tuple[ValueSpec, ...]) -> str:
    return ", ".join(f"{spec.name}: {spec.describe()}" for spec in specs)
