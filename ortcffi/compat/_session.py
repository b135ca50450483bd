# SPDX-License-Identifier: MIT
"""`InferenceSession`, as programs see it and as the official package's compiled module has it."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

from ortcffi.compat._arguments import function, instance, string, switch
from ortcffi.compat._delegates import returned
from ortcffi.compat._devices import OrtDevice, OrtMemoryInfo, device_of
from ortcffi.compat._environment import CPU, api, has_cpu, pairs, state
from ortcffi.compat._errors import reraise, translated
from ortcffi.compat._feeds import EncodedName, Engine
from ortcffi.compat._providers import known_and_options
from ortcffi.compat._values import OrtValue, OrtValueVector
from ortcffi.errors import Fail, OrtError
from ortcffi.session.session import Session as _Session
from ortcffi.values.element_types import ValueKind

if TYPE_CHECKING:
    from ortcffi._compiled import Job
    from ortcffi.compat._binding import IOBinding
    from ortcffi.compat._metadata import ModelMetadata, NodeArg, OrtEpAssignedSubgraph
    from ortcffi.compat._options import SessionOptions
    from ortcffi.values.type_info import ValueSpec

_FROM_MODEL = "ORT_LOAD_CONFIG_FROM_MODEL"  # the library itself reads it


class _NotInitialized:
    """Stands for the engine before `initialize_session`."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # which Python itself asks for
            raise AttributeError(name)
        reraise(Fail("Session not initialized."))


class InferenceSession:
    """A model that can be run."""

    _engine: _Session = _NotInitialized()  # type: ignore[assignment]
    _options: "SessionOptions | None"  # those of the engine, which must not change
    _shown: "SessionOptions | None" = None  # a copy of them for programs, from their first use on
    _count: int  # of all inputs
    _run: Callable[..., Any]  # that of the engine

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: "SessionOptions | None" = None,
        providers: Sequence[str | tuple[str, dict[Any, Any]]] | None = None,
        provider_options: Sequence[dict[Any, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        self._enable_fallback = int(kwargs.get("enable_fallback", 1)) == 1
        model: Any = path_or_bytes
        is_path = not isinstance(model, bytes)
        if is_path and not isinstance(model, (str, os.PathLike)):
            raise TypeError(f"Unable to load from type '{type(model)}'")
        model = os.fspath(model) if is_path else model
        given: Any = sess_options
        if model == "" or (given is not None and not isinstance(given, _options("SessionOptions"))):
            raise TypeError("__init__(): incompatible constructor arguments")
        # Programs look for these two, such as those of the package optimum.
        self._model_path = model if is_path else None
        self._model_bytes = None if is_path else model
        reads = int(kwargs.get("read_config_from_model", 1)) == 1
        self._begin(sess_options, model, reads)
        try:
            self._load(providers, provider_options, kwargs.get("disabled_optimizers") or ())
        except (ValueError, RuntimeError) as error:
            is_other = sess_options is not None and sess_options.has_providers()
            is_other |= any(each not in (CPU, (CPU, {})) for each in providers or ())
            if not (self._enable_fallback and has_cpu() and is_other) or state.is_strict:
                raise
            print("*************** EP Error ***************")
            print(f"EP Error {error} when using {providers}")
            print(f"Falling back to {[CPU]} and retrying.")
            print("****************************************")
            try:
                self._load([CPU], None)
            except Exception as failure:
                raise failure from error
            self.disable_fallback()

    def _begin(self, options: "SessionOptions | None", model: Any, reads: bool) -> None:
        self._model, self._reads = model, reads
        self._given = self._options = options
        self._used: dict[str, dict[str, str]] = {}  # the execution providers, and their options

    def _load(self, providers: Any, options: Any, disabled_optimizers: Any = ()) -> None:
        if self._model is None:
            raise RuntimeError("the session of a model package cannot be loaded anew")
        names, chosen = ([], []) if providers is None else known_and_options(providers, options)
        if names and self._given is not None and self._given.has_providers():
            warnings.warn(
                "Specified 'providers'/'provider_options' when creating InferenceSession but "
                "SessionOptions has already been configured with providers. InferenceSession will "
                "only use the providers passed to InferenceSession().",
                stacklevel=3,
            )
        self.initialize_session(names, chosen, disabled_optimizers)

    @translated
    def initialize_session(
        self,
        providers: Sequence[str],
        provider_options: Sequence[Mapping[str, str]],
        disabled_optimizers: Any = (),
        /,
    ) -> None:
        if isinstance(providers, str):
            raise TypeError("initialize_session(): incompatible function arguments: no list of str")
        options: Any = None
        names: list[str] = []
        is_core = api().is_core
        added = [name for name in providers if name != CPU or is_core]  # a library has its CPU's
        if self._given is not None:
            options, names = self._given._copy(keep_providers=not providers)
        elif added or state.stand_ins or disabled_optimizers:
            options = _options("SessionOptions")()
        has_threads = options is None or options.use_per_session_threads
        if "threading" in state.chosen and has_threads:
            raise RuntimeError(
                "use_per_session_threads must be false when using a global thread pool"
            )
        given = list(provider_options) or [{} for _ in providers]
        found: dict[str, dict[str, str]] = {name: {} for name in names}
        for name, each in zip(providers, given, strict=True):
            used = options._append(name, pairs(each)) if name in added else CPU
            if used is not None:
                found[used] = {} if used == CPU else dict(each)
        for name in state.stand_ins:
            if name not in found:
                options._append(name, {})
                found[name] = {}
        if has_cpu():
            found.setdefault(CPU, {})
        if disabled_optimizers:
            key = "optimization.disable_specified_optimizers"
            options._options.config[key] = ";".join(disabled_optimizers)
        self._used = found
        self._take(Engine(self._model, None if options is None else options._options), options)
        if self._reads and os.environ.get(_FROM_MODEL) == "1":
            self._read_config()

    @classmethod
    def _around(cls, engine: _Session, options: "SessionOptions") -> "InferenceSession":
        """Wrap a session that was not loaded from a model, and so cannot be loaded anew."""
        made: Any = cls.__new__(cls)
        made._begin(None, None, False)
        made._model_path = made._model_bytes = None
        made._enable_fallback, made._used = False, {CPU: {}}
        made._take(engine, options)
        return made  # type: ignore[no-any-return]

    def _take(self, engine: _Session, options: "SessionOptions | None") -> None:
        self._engine, self._options, self._run = engine, options, engine.run
        self._count = len(engine._input_places)

    def _read_config(self) -> None:
        """Show the options that the model itself has set."""
        import json

        config = self.model_meta.custom_metadata_map.get("ort_config", "{}")
        for name, value in json.loads(config).get("session_options", {}).items():
            if name in ("intra_op_num_threads", "inter_op_num_threads"):
                setattr(self.session_options, name, value)
            elif name == "enable_profiling":
                self.session_options._profiling = bool(value)

    def set_providers(self, providers: Any = None, provider_options: Any = None) -> None:
        for name in ("_engine", "_run", "_shown", "_inputs_meta", "_outputs_meta", "model_meta"):
            vars(self).pop(name, None)
        self._load(providers, provider_options)

    @property
    def _sess(self) -> "CSession":
        """The same session, with the arguments that the compiled module's functions have."""
        made = CSession.__new__(CSession)
        made.__dict__ = self.__dict__
        return made

    def disable_fallback(self) -> None:
        self._enable_fallback = False

    def enable_fallback(self) -> None:
        self._enable_fallback = True

    # --- what there is ----------------------------------------------------------------------------

    @property
    def session_options(self) -> "SessionOptions":
        """The options of the session; to change them does not change it."""
        if self._shown is None:
            given = self._options
            self._shown = _options("SessionOptions")() if given is None else given._twin()
        return self._shown

    @cached_property
    def _required(self) -> set[str]:
        """Return the names of the inputs that are not optional and have no default."""
        return {each.name for each in self._engine.inputs if each.kind is not ValueKind.OPTIONAL}

    @cached_property
    def _inputs_meta(self) -> "list[NodeArg]":
        return _node_args(self._engine.inputs)

    @cached_property
    def _outputs_meta(self) -> "list[NodeArg]":
        return _node_args(self._engine.outputs)

    inputs_meta = property(lambda self: self._inputs_meta.copy())
    outputs_meta = property(lambda self: self._outputs_meta.copy())
    overridable_initializers = property(
        lambda self: _node_args(self._engine.overridable_initializers)
    )
    input_meminfos = property(lambda self: list(map(OrtMemoryInfo._of, self._engine.input_memory)))
    output_meminfos = property(
        lambda self: list(map(OrtMemoryInfo._of, self._engine.output_memory))
    )

    @property
    def input_epdevices(self) -> list[Any]:
        """The devices that inputs are wanted on, each an `OrtEpDevice` or None."""
        from ortcffi.compat._hardware import OrtEpDevice

        return [OrtEpDevice(each) if each else None for each in self._engine.input_devices]

    @cached_property
    def model_meta(self) -> "ModelMetadata":
        from ortcffi.compat._metadata import metadata_of

        return metadata_of(self._engine)

    def get_providers(self) -> list[str]:
        return list(self._used)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {name: dict(options) for name, options in self._used.items()}

    @translated
    def get_provider_graph_assignment_info(self) -> "list[OrtEpAssignedSubgraph]":
        from ortcffi.compat._metadata import assignment_of

        return assignment_of(self._engine)

    get_session_options = returned("session_options")
    get_inputs = returned("_inputs_meta")
    get_outputs = returned("_outputs_meta")
    get_overridable_initializers = returned("overridable_initializers")
    get_modelmeta = returned("model_meta")
    get_input_memory_infos = returned("input_meminfos")
    get_output_memory_infos = returned("output_meminfos")
    get_input_epdevices = returned("input_epdevices")

    # Programs also read the attributes that the official functions return.
    _sess_options = property(get_session_options)
    _overridable_initializers = property(get_overridable_initializers)
    _model_meta = property(get_modelmeta)
    _providers = property(get_providers)
    _provider_options = property(get_provider_options)

    # --- runs -------------------------------------------------------------------------------------

    def run(
        self, output_names: Any, input_feed: Mapping[str, Any], run_options: Any = None
    ) -> list[Any]:
        if type(input_feed) is not dict or len(input_feed) < self._count:
            self._check(input_feed)
        try:
            if run_options is None:
                return self._run(input_feed, output_names or None)  # type: ignore[no-any-return]
            options = _options_of_run(run_options)
            return self._run(input_feed, output_names or None, options=options)  # type: ignore[no-any-return]
        except EncodedName:
            pass
        except Exception as error:
            self._check(input_feed)  # there may be as many names as inputs, but others
            if not isinstance(error, OrtError):
                raise
            try:
                if len(self._without_none(input_feed)) == len(input_feed):
                    reraise(error)
            except OrtError as failure:
                self._fall_back(failure)
        return self._try(self._run_plainly, output_names, input_feed, run_options)  # type: ignore[no-any-return]

    def _check(self, feed: Mapping[str, Any]) -> None:
        if feed.keys() >= self._required:
            return
        given = list(feed.keys())
        names = [each.name for each in self._inputs_meta]
        missing = [name for name in names if name in self._required and name not in given]
        raise ValueError(
            f"Required inputs ({missing}) are missing from input feed ({given})."
        ) from None

    def _try(self, call: Callable[..., Any], names: Any, feed: Any, *more: Any) -> Any:
        """Run the model; for the CPU if an execution provider fails."""
        self._check(feed)
        try:
            return call(names or None, feed, *more)
        except OrtError as failure:
            self._fall_back(failure)
            return call(names or None, feed, *more)

    def _fall_back(self, failure: OrtError) -> None:
        """Load the model for the CPU if an execution provider failed, or raise the failure."""
        from ortcffi.compat._errors import EPFail

        may = self._enable_fallback and has_cpu() and not state.is_strict
        if not (isinstance(failure, EPFail) and may):
            raise failure
        print(f"EP Error: {failure!s} using {self.get_providers()}")
        print(f"Falling back to {[CPU]} and retrying.")
        self.set_providers([CPU])
        self.disable_fallback()

    def _run_plainly(self, output_names: Any, input_feed: Any, run_options: Any = None) -> Any:
        return self._call(self._engine.run, output_names, input_feed, run_options)

    def _call(self, run: Callable[..., Any], names: Any, feed: Any, options: Any) -> Any:
        try:
            return run(feed, names, options=None if options is None else _options_of_run(options))
        except EncodedName:
            decoded = {string("a name", name): x for name, x in feed.items()}
            names = names and [string("a name", name) for name in names]
            return self._call(run, names, decoded, options)
        except OrtError as error:
            given = self._without_none(feed)
            if len(given) < len(feed):  # so the engine has refused the feed, and run nothing
                return self._call(run, names, given, options)
            reraise(error)

    def _without_none(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        """Return a feed without names that the model lacks, where their value is None.

        None is officially no input, whatever the name; where the model has it, the engine does so.
        """
        known = {each.name for each in self._inputs_meta + self._overridable_initializers}
        return {name: x for name, x in feed.items() if x is not None or name in known}

    def _values(self, names: Any, feed: Any, options: Any) -> list[OrtValue]:
        found = self._call(self._engine.run_values, names, feed, options)
        return [OrtValue._of(each) for each in found]

    def run_with_ort_values(
        self,
        output_names: Any,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: Any = None,
    ) -> list[OrtValue]:
        return self._try(self._values, output_names, input_dict_ort_values, run_options)  # type: ignore[no-any-return]

    def run_with_iobinding(self, iobinding: "IOBinding", run_options: Any = None) -> None:
        if iobinding._engine is not self._engine:
            raise ValueError("IOBinding must be used with the session that created it.")
        iobinding._run(run_options)

    def run_with_ortvaluevector(  # noqa: PLR0913, PLR0917  # as many as officially
        self,
        run_options: Any,
        feed_names: Any,
        feeds: Any,
        fetch_names: Any,
        fetches: Any,
        fetch_devices: Any,
    ) -> None:
        del fetch_devices
        instance("fetches", fetches, OrtValueVector)
        if len(feed_names) != len(instance("feeds", feeds, OrtValueVector)):
            raise RuntimeError("feed_names and feeds must be of the same length")
        fetches[:] = self._values(fetch_names, dict(zip(feed_names, feeds)), run_options)  # noqa: B905

    def run_async(
        self,
        output_names: Any,
        input_feed: Mapping[str, Any],
        callback: Callable[[Any, Any, str], None],
        user_data: Any,
        run_options: Any = None,
    ) -> None:
        """Run the model in another thread, which calls ``callback(results, user_data, error)``."""
        notify = partial(_tell, function("callback", callback), user_data)
        submit = partial(self._engine._submit, notify, None, False, None)
        self._try(partial(self._call, submit), output_names, input_feed, run_options)

    def io_binding(self) -> "IOBinding":
        """Return inputs and outputs that runs use until others are bound."""
        from ortcffi.compat._binding import IOBinding

        return IOBinding(self)

    @translated
    def end_profiling(self) -> str:
        return self._engine._end_profile()

    get_profiling_start_time_ns = returned("_engine.profiling_start")

    @translated
    def set_ep_dynamic_options(self, options: dict[str, str]) -> None:
        self._engine.set_ep_options(pairs(instance("options", options, dict)))

    def get_tuning_results(self) -> list[Any]:
        """Return what kernels have been tuned to: nothing, since the C API cannot tell."""
        return []

    def set_tuning_results(self, results: list[Any], error_on_invalid: bool = False) -> None:
        """Raise if there are any: the C API has no function for it."""
        given = instance("results", results, list)
        if switch("error_on_invalid", error_on_invalid) and given:
            raise RuntimeError("tuning results cannot be set: the C API has no function for it")

    def create_ortvalue_from_shape_and_type(
        self,
        shape: Sequence[int],
        element_type: Any,
        device_type: str | OrtDevice,
        device_id: int = 0,
        vendor_id: int = -1,
    ) -> OrtValue:
        device = device_of(device_type, device_id, vendor_id)
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device)

    create_ortvalue_from_shape_and_onnx_type = create_ortvalue_from_shape_and_type

    @translated
    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        if self._engine.api.supports("SessionReleaseCapturedGraph"):
            self._engine.release_captured_graph(graph_annotation_id)

    def is_webgpu_graph_capture_enabled(self) -> bool:
        return False

    def webgpu_context_id(self) -> int:
        """Return -1: the C API cannot tell."""
        return -1


class CSession(InferenceSession):
    """A session of the compiled module: it has a model once `initialize_session` was called.

    It has other arguments than programs' sessions, and neither checks a feed nor falls back.
    """

    def __init__(
        self,
        options: "SessionOptions | None",
        model: Any,
        is_path: bool,
        read_config: bool = False,
        /,
    ) -> None:
        del is_path  # a model is bytes or a path
        self._begin(options, model, read_config)

    def _try(self, call: Callable[..., Any], names: Any, feed: Any, *more: Any) -> Any:
        return call(names, feed, *more)

    run = InferenceSession._run_plainly
    get_profiling_start_time_ns = property(InferenceSession.get_profiling_start_time_ns)

    def run_with_ort_values(self, feed: Any, names: Any, options: Any = None, /) -> OrtValueVector:
        return OrtValueVector(self._values(names, feed, options))


def _options(kind: str) -> Any:
    """Import a class of options: sessions and runs without options need none."""
    from ortcffi.compat import _options

    return getattr(_options, kind)


def _options_of_run(options: Any) -> Any:
    if not isinstance(options, _options("RunOptions")):
        raise TypeError(f"run(): incompatible function arguments: {options!r} are no RunOptions")
    return options._options


def _tell(callback: Callable[..., None], user_data: Any, job: "Job") -> None:
    """Call the callback of `run_async` with the outputs of a run, or with the text of its error."""
    try:
        results, message = job.result(), ""
    except BaseException as error:  # noqa: BLE001  # the callback gets its text
        text = error.message if isinstance(error, OrtError) else str(error)
        results, message = [], text or type(error).__name__
    callback(results, user_data, message)


def _node_args(specs: "tuple[ValueSpec, ...]") -> "list[NodeArg]":
    from ortcffi.compat._metadata import NodeArg

    return [NodeArg(spec) for spec in specs]
