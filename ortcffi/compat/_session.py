# SPDX-License-Identifier: MIT
"""Sessions as the official package's compiled module has them."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

from ortcffi.compat._arguments import function, instance, string, switch
from ortcffi.compat._devices import OrtDevice, OrtMemoryInfo
from ortcffi.compat._environment import CPU, api, has_cpu, pairs, state
from ortcffi.compat._errors import reraise, translated
from ortcffi.compat._feeds import EncodedName, Engine
from ortcffi.compat._values import OrtValue, OrtValueVector
from ortcffi.errors import Fail, OrtError
from ortcffi.session.session import Session
from ortcffi.values.element_types import ValueKind

if TYPE_CHECKING:
    from ortcffi.compat._binding import SessionIOBinding
    from ortcffi.compat._hardware import OrtEpDevice
    from ortcffi.compat._metadata import ModelMetadata, NodeArg, OrtEpAssignedSubgraph
    from ortcffi.compat._options import RunOptions, SessionOptions
    from ortcffi.session._compiled import Job
    from ortcffi.values.type_info import ValueSpec

__all__ = ["InferenceSession", "options_of_run"]

_FROM_MODEL = "ORT_LOAD_CONFIG_FROM_MODEL"  # the library itself reads it


class _NotInitialized:
    """Stands for the engine before `initialize_session`."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # which Python itself asks for
            raise AttributeError(name)
        reraise(Fail("Session not initialized."))


class InferenceSession:
    """A model that the library has loaded, once `initialize_session` was called."""

    _engine: Session = _NotInitialized()  # type: ignore[assignment]
    _options: "SessionOptions | None"  # those of the engine, which must not change
    _shown: "SessionOptions | None" = None  # a copy of them for programs, from their first use on

    def __init__(
        self,
        options: "SessionOptions | None",
        model: Any,
        is_path: bool,
        read_config: bool = False,
        /,
    ) -> None:
        self._model, self._is_path, self._reads = model, is_path, read_config
        self._given = self._options = options
        self._providers: dict[str, dict[str, str]] = {}

    @translated
    def initialize_session(
        self,
        providers: Sequence[str],
        provider_options: Sequence[Mapping[str, str]],
        disabled_optimizers: Any = (),
        /,
    ) -> None:
        """Load the model."""
        if isinstance(providers, str):
            raise TypeError("initialize_session(): incompatible function arguments: no list of str")
        options: Any = None
        names: list[str] = []
        is_core = api().is_core
        added = [name for name in providers if name != CPU or is_core]  # a library has its CPU's
        if self._given is not None:
            options, names = self._given._copy(keep_providers=not providers)
        elif added or state.stand_ins or disabled_optimizers:
            options = _new_options()
        has_threads = options is None or options.use_per_session_threads
        if "threading" in state.chosen and has_threads:
            raise RuntimeError(
                "use_per_session_threads must be false when using a global thread pool"
            )
        given = list(provider_options) or [{} for _ in providers]
        found: dict[str, dict[str, str]] = {name: {} for name in names}
        for name, each in zip(providers, given, strict=True):
            settings = pairs(each)
            used = options._append(name, settings) if name in added else CPU
            if used is not None:
                found[used] = {} if used == CPU else dict(each)
        for name in state.stand_ins:
            if name not in found:
                options._append(name, {})
                found[name] = {}
        if has_cpu():
            found.setdefault(CPU, {})
        self._providers = found
        if disabled_optimizers:
            key = "optimization.disable_specified_optimizers"
            options._options.config[key] = ";".join(disabled_optimizers)
        self._engine = Engine(self._model, None if options is None else options._options)
        self._options = options
        if self._reads and os.environ.get(_FROM_MODEL) == "1":
            self._read_config()

    @classmethod
    def _around(cls, engine: Session, options: "SessionOptions") -> "InferenceSession":
        """Wrap a session that was made without `initialize_session`."""
        made = cls.__new__(cls)
        made._engine, made._options, made._providers = engine, options, {CPU: {}}
        return made

    def _read_config(self) -> None:
        """Show the options that the model itself has set."""
        import json

        config = self.model_meta.custom_metadata_map.get("ort_config", "{}")
        for name, value in json.loads(config).get("session_options", {}).items():
            if name in ("intra_op_num_threads", "inter_op_num_threads"):
                setattr(self.session_options, name, value)
            elif name == "enable_profiling":
                self.session_options._profiling = bool(value)

    # --- what there is ----------------------------------------------------------------------------

    @property
    def session_options(self) -> "SessionOptions":
        """The options of the session; to change them does not change it."""
        if self._shown is None:
            self._shown = _new_options() if self._options is None else self._options._twin()
        return self._shown

    @cached_property
    def _inputs(self) -> "list[NodeArg]":
        return _node_args(self._engine.inputs)

    @cached_property
    def _outputs(self) -> "list[NodeArg]":
        return _node_args(self._engine.outputs)

    @property
    def inputs_meta(self) -> "list[NodeArg]":
        """The inputs; the same objects each time."""
        return self._inputs.copy()

    @property
    def outputs_meta(self) -> "list[NodeArg]":
        """The outputs; the same objects each time."""
        return self._outputs.copy()

    @property
    def overridable_initializers(self) -> "list[NodeArg]":
        """Inputs that the model has a default for."""
        return _node_args(self._engine.overridable_initializers)

    @cached_property
    def model_meta(self) -> "ModelMetadata":
        """The model's metadata."""
        from ortcffi.compat._metadata import metadata_of

        return metadata_of(self._engine)

    def get_providers(self) -> list[str]:
        """Return the names of the execution providers."""
        return list(self._providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return the options of the execution providers, as they were given."""
        return {name: dict(options) for name, options in self._providers.items()}

    @translated
    def get_provider_graph_assignment_info(self) -> "list[OrtEpAssignedSubgraph]":
        """Return which execution providers run which nodes."""
        from ortcffi.compat._metadata import assignment_of

        return assignment_of(self._engine)

    @property
    def input_meminfos(self) -> list[OrtMemoryInfo]:
        """Where inputs are wanted."""
        return [OrtMemoryInfo._of(info) for info in self._engine.input_memory]

    @property
    def output_meminfos(self) -> list[OrtMemoryInfo]:
        """Where outputs are made."""
        return [OrtMemoryInfo._of(info) for info in self._engine.output_memory]

    @property
    def input_epdevices(self) -> list["OrtEpDevice | None"]:
        """The devices that inputs are wanted on."""
        from ortcffi.compat._hardware import OrtEpDevice

        return [OrtEpDevice(each) if each else None for each in self._engine.input_devices]

    # --- runs -------------------------------------------------------------------------------------

    def run(
        self, names: Sequence[str], feed: Mapping[str, Any], options: Any = None, /
    ) -> list[Any]:
        """Run the model and return the contents of its outputs."""
        results: list[Any] = self._run(self._engine.run, names, feed, options)
        return results

    def _run(self, run: Callable[..., Any], names: Any, feed: Any, options: Any) -> Any:
        """Call a function of the engine, whose errors get their official classes."""
        try:
            return run(feed, names, options=None if options is None else options_of_run(options))
        except EncodedName:
            decoded = {string("a name", name): x for name, x in feed.items()}
            names = names and [string("a name", name) for name in names]
            return self._run(run, names, decoded, options)
        except OrtError as error:
            given = self._without_none(feed)
            if len(given) < len(feed):  # so the engine has refused the feed, and run nothing
                return self._run(run, names, given, options)
            reraise(error)

    def _without_none(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        """A feed without None, which is officially no input, whatever the name.

        Where an input is optional None stays: there the engine takes it.
        """
        optional = {each.name for each in self._engine.inputs if each.kind is ValueKind.OPTIONAL}
        return {name: x for name, x in feed.items() if x is not None or name in optional}

    def run_with_ort_values(
        self, feed: Mapping[str, OrtValue], names: Sequence[str], options: Any = None, /
    ) -> OrtValueVector:
        """Run the model and return its outputs as values."""
        return OrtValueVector(self._run_values(names, feed, options))

    def _run_values(self, names: Any, feed: Any, options: Any) -> list[OrtValue]:
        """The outputs as values."""
        found = self._run(self._engine.run_values, names, feed, options)
        return [OrtValue._of(each) for each in found]

    def run_with_ortvaluevector(  # as many as the official function
        self,
        options: "RunOptions | None",
        feed_names: Sequence[str],
        feeds: OrtValueVector,
        names: Sequence[str],
        fetches: OrtValueVector,
        _devices: Any,
        /,
    ) -> None:
        """Run the model and add its outputs to a vector."""
        instance("fetches", fetches, OrtValueVector)
        given = instance("feeds", feeds, OrtValueVector)
        if len(feed_names) != len(given):
            raise RuntimeError("feed_names and feeds must be of the same length")
        feed = dict(zip(feed_names, given, strict=True))
        fetches[:] = self.run_with_ort_values(feed, names, options)

    def run_async(
        self,
        names: Sequence[str],
        feed: Mapping[str, Any],
        callback: Callable[[Sequence[Any], Any, str], None],
        user_data: Any,
        options: Any = None,
        /,
    ) -> None:
        """Run the model in another thread, which calls the callback at the end."""
        function("callback", callback)
        notify = partial(_tell, callback, user_data)
        self._run(partial(self._engine._submit, notify, None, None, False), names, feed, options)

    def run_with_iobinding(self, binding: "SessionIOBinding", options: Any = None, /) -> None:
        """Run the model with what is bound."""
        binding._run(options)

    # --- the rest ---------------------------------------------------------------------------------

    @translated
    def end_profiling(self) -> str:
        """End the profile and return its path."""
        return self._engine._end_profile()

    @property
    def get_profiling_start_time_ns(self) -> int:
        """When the profile began."""
        return self._engine.profiling_start

    @translated
    def set_ep_dynamic_options(self, options: Mapping[str, str], /) -> None:
        """Change options of execution providers."""
        self._engine.set_ep_options(pairs(instance("options", options, dict)))

    def get_tuning_results(self) -> list[Any]:
        """Return what kernels have been tuned to: nothing, since the C API cannot tell."""
        return []

    def set_tuning_results(self, results: list[Any], error_on_invalid: bool = False, /) -> None:
        """Raise if there are any: the C API has no function for it."""
        given = instance("results", results, list)
        if switch("error_on_invalid", error_on_invalid) and given:
            raise RuntimeError("tuning results cannot be set: the C API has no function for it")

    def create_ortvalue_from_shape_and_type(
        self, shape: Sequence[int], element_type: Any, device: OrtDevice, /
    ) -> OrtValue:
        """Make a tensor with arbitrary content."""
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device)

    create_ortvalue_from_shape_and_onnx_type = create_ortvalue_from_shape_and_type

    @translated
    def release_captured_graph(self, number: int, /) -> None:
        """Release what was captured of runs on a device, where the library has a function."""
        if self._engine.api.supports("SessionReleaseCapturedGraph"):
            self._engine.release_captured_graph(number)

    def is_webgpu_graph_capture_enabled(self) -> bool:
        """Return whether runs are captured, which only WebGPU does."""
        return False

    def webgpu_context_id(self) -> int:
        """Return -1: the C API cannot tell."""
        return -1


# Sessions that no options are given, and runs, need no module of options.


def _new_options() -> "SessionOptions":
    from ortcffi.compat._options import SessionOptions

    return SessionOptions()


def options_of_run(options: Any) -> Any:
    """The options for the engine; raises for what is none."""
    from ortcffi.compat._options import RunOptions

    if not isinstance(options, RunOptions):
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
