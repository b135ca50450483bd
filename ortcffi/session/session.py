# SPDX-License-Identifier: MIT
"""`Session`: a model that a library has loaded, and its runs."""

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ortcffi._convert import INT32, decode, encode, integer, mapping, of_type, pointer, seconds
from ortcffi._handle import Closing, out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import Suggests, few, public, shortened
from ortcffi._table import made_by
from ortcffi.env.env import Env
from ortcffi.errors import OrtError
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo
from ortcffi.session.compiled import Engine
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
    source_of,
    warn_of_ignored_arena,
)
from ortcffi.session.rules import RULES
from ortcffi.session.runs import bind, predict, profiling, run_async, run_future, run_profiled
from ortcffi.session.series import attach
from ortcffi.table.engine import hold_registered
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ortcffi._compiled import Port
    from ortcffi._convert import AnyPath
    from ortcffi.ep.devices import EpDevice
    from ortcffi.kernels.python_op import PythonOp
    from ortcffi.models.metadata import ModelMetadata
    from ortcffi.options.prepacked import PrepackedWeights
    from ortcffi.options.session_options import SessionOptions
    from ortcffi.session.profile import Profile
    from ortcffi.session.providers import Provider
    from ortcffi.table.api import Api
    from ortcffi.values.type_info import ValueSpec

_POINTER = ffi.typeof("OrtSession*")


@public
class Session(Suggests, Engine, Closing):
    """A model that a library has loaded.

    It is released by `close`, at the end of a ``with`` block, or when the object is destroyed;
    after the runs that are under way. Any thread may use it, several at a time too. API functions:
    ``CreateSession``, ``CreateSessionFromArray``, ``CreateSessionWithPrepackedWeightsContainer``,
    ``CreateSessionFromArrayWithPrepackedWeightsContainer``, ``ReleaseSession``.

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
            from ortcffi.session.sharing import return_unused, shared_weights

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
            if (hint := hint_of_ops(error)) is not None:
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
        rules, maker = self._rules.for_c, api._maker
        settings = calls_python, has_threads, borrowed
        self._begin(_POINTER, maker, Value, rules, parents, options, *settings)

    # --- inputs and outputs -----------------------------------------------------------------------

    def _all_specs(self) -> "tuple[tuple[ValueSpec, ...], ...]":
        """Return the inputs, the overridable initializers and the outputs."""
        if self._specs is None:
            api = self.api
            inputs, outputs, required = self._ports(
                lambda: owner_of("OrtTypeInfo*", api, lib.ReleaseTypeInfo)
            )
            parts = inputs[:required], inputs[required:], outputs
            specs = tuple(tuple(_spec(api, port) for port in part) for part in parts)
            if self._specs is None:  # another thread may have been first
                self._specs = specs
        return self._specs

    @property
    def inputs(self) -> "tuple[ValueSpec, ...]":
        """The inputs of the model, in its order.

        API functions: ``SessionGetInputCount``, ``SessionGetInputName``,
        ``SessionGetInputTypeInfo``.
        """
        return self._all_specs()[0]

    @property
    def overridable_initializers(self) -> "tuple[ValueSpec, ...]":
        """Inputs that the model has a default for.

        API functions: ``SessionGetOverridableInitializerCount``,
        ``SessionGetOverridableInitializerName``, ``SessionGetOverridableInitializerTypeInfo``.
        """
        return self._all_specs()[1]

    @property
    def outputs(self) -> "tuple[ValueSpec, ...]":
        """The outputs of the model, in its order.

        API functions: ``SessionGetOutputCount``, ``SessionGetOutputName``,
        ``SessionGetOutputTypeInfo``.
        """
        return self._all_specs()[2]

    # --- runs; `run`, `run_values`, `cancel` and `close` are the compiled type's ------------------

    bind = bind
    predict = predict
    profiling = profiling
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
        end = time.monotonic() + limit
        pause = 1e-4
        while wait and self.running:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(
                    f"{self.running} runs were under way after {limit:g} seconds: cancel() ends "
                    "them"
                )
            time.sleep(min(pause, left))
            pause = min(2 * pause, 0.02)

    # --- facts and settings -----------------------------------------------------------------------

    def _call(self, slot: str, *arguments: Any) -> None:
        self.api._call(slot, self.handle, *arguments)

    @property
    def metadata(self) -> "ModelMetadata":
        """The model's metadata. API function: ``SessionGetModelMetadata``."""
        from ortcffi.models.metadata import read_metadata

        return read_metadata(self, "SessionGetModelMetadata")

    # --- memory -----------------------------------------------------------------------------------

    def allocator(self, info: MemoryInfo | None = None) -> Allocator:
        """Return the allocator that the session uses for a kind of memory.

        It keeps the session. Its `~Allocator.stats` are those of the session's arena. API function:
        ``CreateAllocator``, since version 5.

        Parameters
        ----------
        info : MemoryInfo, optional
            The memory, by default the CPU's.
        """
        api = self.api
        of_type("info", info, MemoryInfo)
        if info is not None and not api.same_library(info.api):
            raise ValueError(f"info belongs to {info.api}, and the session to {api}")
        described = api.cpu_memory_info() if info is None else info
        # The handle keeps the session until the allocator has gone.
        made = Allocator.__new__(Allocator)
        out = made._begin_allocator(api, lib.ReleaseAllocator, self)
        self._call("CreateAllocator", described.handle, out)
        made._open_allocator()
        return made

    def shrink(self) -> None:
        """Return the unused memory of the session's arena to the system.

        The arena may be one that sessions share. If its chunks double, which is the default, it
        keeps the first of them. Outputs that are still in use keep the chunks that they are in. API
        function: ``Run``, whose options have the entry ``memory.enable_memory_arena_shrinkage`` and
        are terminated, so that no node runs; the inputs have no elements where the model allows
        that.

        Raises
        ------
        InvalidArgument
            The session has no arena.
        NotImplemented
            The library is the core, whose sessions have none.
        """
        from ortcffi.session.limits import shrink

        shrink(self)

    @property
    def input_memory(self) -> list[MemoryInfo]:
        """Where the session wants its inputs.

        API function: ``SessionGetMemoryInfoForInputs``, since version 23.
        """
        return self._infos("SessionGetMemoryInfoForInputs", len(self.inputs))

    @property
    def output_memory(self) -> list[MemoryInfo]:
        """Where the session makes its outputs.

        API function: ``SessionGetMemoryInfoForOutputs``, since version 23.
        """
        return self._infos("SessionGetMemoryInfoForOutputs", len(self.outputs))

    def _infos(self, slot: str, count: int) -> list[MemoryInfo]:
        out = ffi.new("const OrtMemoryInfo*[]", count)
        handle = self.handle  # keeps the session, also after it is closed
        self._call(slot, out, count)
        return [MemoryInfo(self.api, out[i], parent=handle) for i in range(count)]

    # --- execution providers ----------------------------------------------------------------------

    @property
    def input_devices(self) -> "list[EpDevice | None]":
        """The devices of inputs, None for one that has none.

        API function: ``SessionGetEpDeviceForInputs``, since version 23.
        """
        return self._devices("SessionGetEpDeviceForInputs", len(self.inputs))

    @property
    def output_devices(self) -> "list[EpDevice | None]":
        """The devices of outputs, None for one that has none.

        API function: ``SessionGetEpDeviceForOutputs``, since version 24.
        """
        return self._devices("SessionGetEpDeviceForOutputs", len(self.outputs))

    def _devices(self, slot: str, count: int) -> "list[EpDevice | None]":
        from ortcffi.ep.devices import EpDevice

        out = ffi.new("const OrtEpDevice*[]", count)
        handle = self.handle  # keeps the session, and so its environment
        self._call(slot, out, count)
        env = Env(api=self.api)
        return [EpDevice._of(self.api, each, handle, env) if each else None for each in out]

    @property
    def assignment(self) -> dict[str, list[str]]:
        """Which nodes run on which execution provider: names of provider and of operators.

        The session needs the configuration entry ``session.record_ep_graph_assignment_info`` to be
        ``"1"``. API functions: ``Session_GetEpGraphAssignmentInfo``,
        ``EpAssignedSubgraph_GetEpName``, ``EpAssignedSubgraph_GetNodes``,
        ``EpAssignedNode_GetName``, ``EpAssignedNode_GetDomain``,
        ``EpAssignedNode_GetOperatorType``, since version 24.

        Raises
        ------
        Fail
            The session was made without that entry.
        """
        from ortcffi.session.providers import assigned_groups

        found: dict[str, list[str]] = {}
        for provider, nodes in assigned_groups(self):
            found.setdefault(provider, []).extend(node.op_type for node in nodes)
        return found

    def set_ep_options(self, options: Mapping[str, str]) -> None:
        """Change options of execution providers while the session lives.

        API function: ``SetEpDynamicOptions``, since version 20.
        """
        pairs = mapping("options", options)
        keys = [ffi.new("char[]", encode("a key", key)) for key in pairs]
        values = [ffi.new("char[]", encode("a value", value)) for value in pairs.values()]
        arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
        self._call("SetEpDynamicOptions", *arrays, len(pairs))

    def release_captured_graph(self, annotation: int) -> None:
        """Release a graph that an execution provider captured in runs of that annotation.

        API function: ``SessionReleaseCapturedGraph``, since version 27.
        """
        self._call("SessionReleaseCapturedGraph", integer("annotation", annotation, INT32))

    # --- profiles ---------------------------------------------------------------------------------

    def end_profiling(self) -> "Profile":
        """End the profile that the options of the session began, and read it.

        API function: ``SessionEndProfiling``.

        Raises
        ------
        ValueError
            The session has no profile: set `SessionOptions.profiling` before it is made.
        """
        from ortcffi.session.profile import read_profile

        path = self._end_profile()
        if not path:
            raise ValueError("this Session has no profile: set SessionOptions.profiling for it")
        return read_profile(path)

    def _end_profile(self) -> str:
        """End the profile and return its path, "" if there is none."""
        from ortcffi.memory.blocks import scratch_for

        out, allocator = ffi.new("char**"), scratch_for(self.api)
        self._call("SessionEndProfiling", allocator, out)
        return decode(out[0])

    @property
    def profiling_start(self) -> int:
        """When the profile began, in nanoseconds of the library's clock.

        API function: ``SessionGetProfilingStartTimeNs``, since version 5.
        """
        out = ffi.new("uint64_t*")
        self._call("SessionGetProfilingStartTimeNs", out)
        return int(out[0])

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


def _spec(api: "Api", port: "Port") -> "ValueSpec":
    from ortcffi.values.type_info import TypeInfo, ValueSpec

    name, owner, kind, element, shape = port
    element_type = ElementType(element) if element != ElementType.UNDEFINED else None
    # Borrowed: an interrupt, or another thread, may want a spec of the same port.
    info = TypeInfo(api, owned_by(owner), parent=owner)
    return ValueSpec(name, info, ValueKind(kind), element_type, shape)
