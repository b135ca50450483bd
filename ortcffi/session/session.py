# SPDX-License-Identifier: MIT
"""`Session`: a model that a library has loaded, and its runs."""

import math
import os
import time
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ortcffi._convert import pointer, seconds
from ortcffi._handle import Closing, out_of
from ortcffi._native import ffi
from ortcffi._public import Suggests, few, public, shortened
from ortcffi._table import made_by
from ortcffi.env.env import Env
from ortcffi.errors import OrtError
from ortcffi.session.compiled import note_made
from ortcffi.session.creation import (
    Source,
    borrowed_of,
    chosen_for,
    environment_of,
    has_threads,
    hint_of_ops,
    may_call_python,
    options_for,
    parts_of_model,
    return_unused,
    source_of,
    warn_of_ignored_arena,
)
from ortcffi.session.loaded import Loaded
from ortcffi.session.rules import RULES
from ortcffi.session.runs import bind, predict, run_async, run_future, run_profiled
from ortcffi.session.series import attach
from ortcffi.table.engine import hold_registered
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ortcffi._convert import AnyPath
    from ortcffi.kernels.python_op import PythonOp
    from ortcffi.options.session_options import SessionOptions
    from ortcffi.options.shared import PrepackedWeights
    from ortcffi.session.providers import Provider
    from ortcffi.table.api import Api
    from ortcffi.values.type_info import ValueSpec

_POINTER = ffi.typeof("OrtSession*")


@public
class Session(Suggests, Loaded, Closing):
    """A model that a library has loaded.

    It is released by `close`, at the end of a ``with`` block, or when the object is destroyed;
    after the runs that are under way. Any thread may use it, several at a time too. API functions:
    ``CreateSession``, ``CreateSessionFromArray``, ``CreateSessionWithPrepackedWeightsContainer``,
    ``CreateSessionFromArrayWithPrepackedWeightsContainer``, ``ReleaseSession``; on the core, and
    for a `Graph`, ``CreateSessionFromModel``.

    Parameters
    ----------
    model : str, os.PathLike, bytes-like, Model or Graph
        The path of a model, in ONNX's or ONNX Runtime's own format; or its bytes, such as a memory
        map, which are not copied. Of a `Model` the file is loaded, or its bytes if it has none.
        Initializers of a `Graph` of 128 bytes or more are not copied: their memory must not change.
    options : SessionOptions, optional
        Options of the session. Where another library runs the model, those of the core are copied.
    api : Api, optional
        The library that runs the model. By default that of `options` or `prepacked_weights`, if it
        has an engine, or that of `env`; else the core, if `options` have its devices or custom ops,
        or choose devices and a library is registered with it; else that of `default_api`, if it has
        an engine; else what `load` finds. `Session.api` is the one that was chosen.
    providers : iterable, optional
        Execution providers, the preferred first: each the name of one that the library was built
        with, of an installed package such as ``"nxrt"`` or ``"ggml"`` (see `installed_eps`), the
        path of a library, one written in Python (`execution_provider`) or its name, or an
        `EpDevice`; or a pair of that and options. Of a library the first device is used. If all are
        packages, paths, written in Python, or devices of the core, the core runs the model, and
        fails where none of them takes a node. Otherwise that runs on the CPU.
    custom_ops : iterable, optional
        Ops of the model beside those of `options`: each one in Python (`custom_op`), or the path of
        a library of ops.
    prepacked_weights : PrepackedWeights, optional
        Where sessions share weights that kernels have repacked.
    env : Env, optional
        The environment, by default the one that the library has, or a new one. It is kept.
    share_weights : bool, str or os.PathLike, optional
        Have all processes map one copy of the weights. The first session of a model writes it, for
        ONNX Runtime and this processor, to the folder of that path, by default
        ``~/.cache/ortcffi/weights``. The model is then a path or bytes that do not change.
    after_fork : {"refuse", "remake"}, optional
        What the session does in the child of a fork, which has none of its threads: refuse to be
        used, or load the model, which must still be there, again at its first use. Bindings that
        were made before the fork are refused.

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
    """

    __slots__ = ()

    _rules = RULES
    _elsewhere: ClassVar = {
        "get_modelmeta": "metadata",
        "get_overridable_initializers": "overridable_initializers",
        "io_binding": "bind",
        "run_with_iobinding": "bind",
        "run_with_ort_values": "run_values",
    }

    def __init__(  # noqa: PLR0913  # as many as there are parts
        self,
        model: Any,
        options: "SessionOptions | None" = None,
        *,
        api: "Api | None" = None,
        providers: "Iterable[Provider] | None" = None,
        custom_ops: "Iterable[PythonOp | AnyPath] | None" = None,
        prepacked_weights: "PrepackedWeights | None" = None,
        env: Env | None = None,
        share_weights: "bool | AnyPath" = False,
        after_fork: Literal["refuse", "remake"] = "refuse",
    ) -> None:
        if not isinstance(model, (str, bytes)):
            from ortcffi.models.view import check_model

            check_model(model)
        if after_fork not in ("refuse", "remake"):
            raise ValueError(f"after_fork must be 'refuse' or 'remake', not {after_fork!r}")
        given = options, prepacked_weights, env
        engine, options, env = chosen_for(api, *given, providers, custom_ops)
        if share_weights:
            from ortcffi.session.sharing import shared_weights

            model, options = shared_weights(Session, engine, model, options, share_weights)
        takes_file = not engine.is_core or prepacked_weights is not None
        given = model
        if takes_file and not isinstance(model, (str, bytes)):
            shares = after_fork == "refuse"
            given, options = parts_of_model(engine, model, options, shares=shares)
        try:
            source = source_for(engine, given, options, prepacked_weights)
            self._open(engine, source, options, env=env)
        except OrtError as error:
            hint = hint_of_ops(error)
            if share_weights:
                hint = f"; if {os.path.dirname(model)!r} is damaged, remove it"
            if hint is not None:
                error.args = (f"{error.message}{hint}", *error.args[1:])
            raise
        self._source = None if type(given) is memoryview and given is not model else given
        attach(self)
        if share_weights:
            return_unused()
        if after_fork == "remake":
            self._remakes()

    def _remake(self) -> None:
        """Load the model again, in the child of a fork, in the place of the parent's session."""
        made = Session.__new__(type(self))
        source = source_for(self.api, self._source, self._options)
        made._open(self.api, source, self._options)
        if _ports_of(made) != _ports_of(self):
            raise RuntimeError(
                "this Session cannot be made again in the child of a fork: its model now has other "
                "inputs or outputs"
            )
        self._renew(made)

    def _open(
        self,
        api: "Api",
        source: Source,
        options: "SessionOptions | None" = None,
        *,
        env: Env | None = None,
        is_own: bool = False,
    ) -> None:
        """Make the library's session and read its inputs and outputs.

        The options need not be copied where the session is their only user: `is_own`.
        """
        chosen = options_for(api, options)
        environment = environment_of(api, env)
        state, handle = environment._state, environment.handle
        warn_of_ignored_arena(api, state, chosen)
        given: Any = ffi.NULL
        if chosen is not None:
            chosen = chosen if is_own else chosen._for_session()
            given = chosen.handle
        content = borrowed_of(source.content, chosen)
        calls_python = may_call_python(state, chosen)
        # Another thread may replace allocators, and register providers, while the session is made.
        shared = state.shared
        memory: list[Any] = [shared, *hold_registered(api).values()]
        parents = memory, environment, source.keep, chosen, content
        self._take(api, parents, chosen, calls_python, has_threads(api, chosen))
        self._arena = state.arena
        source.create(handle, given, out_of(self))
        memory[:1] = shared.until_now()
        self._read_ports()
        note_made(self)

    @classmethod
    def from_handle(cls, api: "Api", handle: Any, parent: object) -> Self:
        """Wrap a session that other code owns.

        Parameters
        ----------
        api : Api
            The table of the session's library.
        handle : cdata of ``OrtSession *``
            The session. It is not released.
        parent : object
            What keeps it valid; it is kept alive.
        """
        api, handle = made_by(api), pointer("handle", handle, "OrtSession*")
        session = cls.__new__(cls)
        session._take(api, ([], parent), None, calls_python=True, has_threads=True, borrowed=True)
        out_of(session)[0] = handle
        session._read_ports()
        return session

    def _take(  # noqa: PLR0913, PLR0917  # as many as C takes
        self,
        api: "Api",
        parents: tuple[Any, ...],
        options: "SessionOptions | None",
        calls_python: bool,
        has_threads: bool,
        borrowed: bool = False,
    ) -> None:
        """Begin as the owner of what C will write to the handle, unless that is borrowed.

        The first parent is a list of what the memory of outputs may come from.
        """
        self._options = options
        rules, settings = self._rules.for_c, (calls_python, has_threads, borrowed)
        self._begin(_POINTER, api._maker, Value, rules, parents, *settings)

    # --- runs; `run`, `run_values` and `cancel` are the compiled type's ---------------------------

    bind = bind
    predict = predict
    run_async = run_async
    run_future = run_future
    run_profiled = run_profiled

    def close(self, *, wait: bool = False, timeout: float | None = None) -> None:
        """Release the session; after the runs that are under way, which end as usual.

        Closing again does nothing. Results stay as they are. API function: ``ReleaseSession``.

        Parameters
        ----------
        wait : bool, optional
            Whether to return only when no run is under way any more. Not for an op in Python that
            such a run calls.
        timeout : float, optional
            Seconds to wait at most.

        Raises
        ------
        TimeoutError
            Runs were still under way then. The session is closed for others; `cancel` ends them.
        """
        limit = math.inf if timeout is None else seconds("timeout", timeout)
        if timeout is not None and not wait:
            raise ValueError(f"timeout={timeout!r} needs wait=True")
        super().close()
        self._options = None  # which keep what execution providers have registered
        end, pause = time.monotonic() + limit, 1e-4
        while wait and self.running:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(
                    f"{self.running} runs were under way after {limit:g} seconds: cancel() ends "
                    "them"
                )
            time.sleep(min(pause, left))
            pause = min(2 * pause, 0.02)

    # --- pickling ---------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        if self.closed:
            raise ValueError("this Session is closed")
        from ortcffi.session.pickling import parts_of

        return parts_of(self)

    def __copy__(self) -> Self:
        raise TypeError("a Session is not copied: threads share it")

    def __deepcopy__(self, _memo: object) -> Self:
        raise TypeError("a Session is not copied: threads share it")

    def __repr__(self) -> str:
        if self.closed:
            return "<Session closed>"
        return f"<Session {_listed(self.inputs)} -> {_listed(self.outputs)} of {self.api}>"


def source_for(
    api: "Api",
    model: Any,
    options: "SessionOptions | None",
    weights: "PrepackedWeights | None" = None,
) -> Source:
    """Return what a session of a library is made of."""
    if not api.is_core or weights is not None:
        return source_of(api, model, weights)
    from ortcffi.session.on_core import source_on_core

    return source_on_core(api, model, options)


def _ports_of(session: Session) -> tuple[str, str]:
    return _listed(session.inputs), _listed(session.outputs)


def _listed(specs: "tuple[ValueSpec, ...]") -> str:
    return ", ".join(few([f"{shortened(spec.name)}: {spec.describe()}" for spec in specs]))
