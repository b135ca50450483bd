# SPDX-License-Identifier: MIT
"""`InferenceSession` as programs see it."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ortcffi.compat._devices import device_of
from ortcffi.compat._environment import CPU, built_in_providers, get_available_providers, has_cpu
from ortcffi.compat._errors import reraise
from ortcffi.compat._feeds import EncodedName
from ortcffi.compat._providers import check_and_normalize_provider_args, is_strict
from ortcffi.compat._session import InferenceSession as CSession
from ortcffi.compat._session import options_of_run
from ortcffi.compat._values import OrtValue
from ortcffi.errors import OrtError

if TYPE_CHECKING:
    from ortcffi.compat._binding import IOBinding
    from ortcffi.compat._devices import OrtMemoryInfo
    from ortcffi.compat._hardware import OrtEpDevice
    from ortcffi.compat._metadata import ModelMetadata, NodeArg, OrtEpAssignedSubgraph
    from ortcffi.compat._options import SessionOptions

__all__ = ["InferenceSession", "Session"]


class Session:
    """What an `InferenceSession` can do."""

    def __init__(self, enable_fallback: bool = True) -> None:
        self._sess: Any = None
        self._enable_fallback = enable_fallback

    def set_providers(self, providers: Any = None, provider_options: Any = None) -> None:
        """Load the model anew, with other execution providers."""
        self._sess = None
        for name in ("_inputs_meta", "_outputs_meta"):
            vars(self).pop(name, None)
        self._load(providers, provider_options)

    def _load(self, providers: Any, options: Any, disabled_optimizers: Any = None) -> None:
        raise NotImplementedError

    def disable_fallback(self) -> None:
        """Let a failure of an execution provider be an error."""
        self._enable_fallback = False

    def enable_fallback(self) -> None:
        """Have the model loaded anew for the CPU if an execution provider fails."""
        self._enable_fallback = True

    # --- what there is ----------------------------------------------------------------------------

    @cached_property
    def _inputs_meta(self) -> "list[NodeArg]":
        return self._sess.inputs_meta  # type: ignore[no-any-return]

    @cached_property
    def _outputs_meta(self) -> "list[NodeArg]":
        return self._sess.outputs_meta  # type: ignore[no-any-return]

    def get_session_options(self) -> "SessionOptions":
        """Return the options of the session."""
        return self._sess.session_options  # type: ignore[no-any-return]

    def get_inputs(self) -> "list[NodeArg]":
        """Return the inputs of the model, in the same list each time."""
        return self._inputs_meta

    def get_outputs(self) -> "list[NodeArg]":
        """Return the outputs of the model, in the same list each time."""
        return self._outputs_meta

    def get_overridable_initializers(self) -> "list[NodeArg]":
        """Return the inputs that the model has a default for."""
        return self._sess.overridable_initializers  # type: ignore[no-any-return]

    def get_modelmeta(self) -> "ModelMetadata":
        """Return the model's metadata."""
        return self._sess.model_meta  # type: ignore[no-any-return]

    def get_input_memory_infos(self) -> "list[OrtMemoryInfo]":
        """Return where inputs are wanted."""
        return self._sess.input_meminfos  # type: ignore[no-any-return]

    def get_output_memory_infos(self) -> "list[OrtMemoryInfo]":
        """Return where outputs are made."""
        return self._sess.output_meminfos  # type: ignore[no-any-return]

    def get_input_epdevices(self) -> list["OrtEpDevice | None"]:
        """Return the devices that inputs are wanted on."""
        return self._sess.input_epdevices  # type: ignore[no-any-return]

    def get_providers(self) -> list[str]:
        """Return the names of the execution providers."""
        return self._sess.get_providers()  # type: ignore[no-any-return]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return the options of the execution providers."""
        return self._sess.get_provider_options()  # type: ignore[no-any-return]

    def get_provider_graph_assignment_info(self) -> "list[OrtEpAssignedSubgraph]":
        """Return which execution providers run which nodes."""
        return self._sess.get_provider_graph_assignment_info()  # type: ignore[no-any-return]

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
        """Run the model and return the contents of its outputs."""
        if type(input_feed) is not dict or len(input_feed) < self._count:
            self._check(input_feed)
        try:
            if run_options is None:
                return self._run(input_feed, output_names or None)  # type: ignore[no-any-return]
            options = options_of_run(run_options)
            return self._run(input_feed, output_names or None, options=options)  # type: ignore[no-any-return]
        except EncodedName:
            pass
        except Exception as error:
            self._check(input_feed)  # there may be as many names as inputs, but others
            if not isinstance(error, OrtError):
                raise
            try:
                if len(self._sess._without_none(input_feed)) == len(input_feed):
                    reraise(error)
            except OrtError as failure:
                self._fall_back(failure)
        return self._try(CSession.run, output_names, input_feed, run_options)  # type: ignore[no-any-return]

    def _check(self, feed: Mapping[str, Any]) -> None:
        if feed.keys() >= self._required:
            return
        given = list(feed.keys())
        names = [each.name for each in self._sess.inputs_meta]
        missing = [name for name in names if name in self._required and name not in given]
        raise ValueError(
            f"Required inputs ({missing}) are missing from input feed ({given})."
        ) from None

    def _try(self, call: Callable[..., Any], names: Any, feed: Any, options: Any) -> Any:
        """Run the model; for the CPU if an execution provider fails."""
        self._check(feed)
        try:
            return call(self._sess, names or None, feed, options)
        except OrtError as failure:
            self._fall_back(failure)
            return call(self._sess, names or None, feed, options)

    def _fall_back(self, failure: OrtError) -> None:
        """Load the model for the CPU if an execution provider failed, or raise the failure."""
        from ortcffi.compat._errors import EPFail

        may = self._enable_fallback and has_cpu() and not is_strict()
        if not (isinstance(failure, EPFail) and may):
            raise failure
        print(f"EP Error: {failure!s} using {self.get_providers()}")
        print(f"Falling back to {[CPU]} and retrying.")
        self.set_providers([CPU])
        self.disable_fallback()

    def run_async(
        self,
        output_names: Any,
        input_feed: Mapping[str, Any],
        callback: Callable[[Any, Any, str], None],
        user_data: Any,
        run_options: Any = None,
    ) -> None:
        """Run the model in another thread, which calls ``callback(results, user_data, error)``."""

        def start(session: CSession, names: Any, feed: Any, options: Any) -> None:
            session.run_async(names, feed, callback, user_data, options)

        self._try(start, output_names, input_feed, run_options)

    def run_with_ort_values(
        self,
        output_names: Any,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: Any = None,
    ) -> list[OrtValue]:
        """Run the model and return its outputs as values."""
        results: list[OrtValue] = self._try(
            CSession._run_values, output_names, input_dict_ort_values, run_options
        )
        return results

    def run_with_iobinding(self, iobinding: "IOBinding", run_options: Any = None) -> None:
        """Run the model with what is bound."""
        if iobinding._session is not self._sess:
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
        """Run the model and put its outputs into a vector."""
        run = self._sess.run_with_ortvaluevector
        run(run_options, feed_names, feeds, fetch_names, fetches, fetch_devices)

    def io_binding(self) -> "IOBinding":
        """Return inputs and outputs that runs use until others are bound."""
        from ortcffi.compat._binding import IOBinding

        return IOBinding(self)

    # --- the rest ---------------------------------------------------------------------------------

    def end_profiling(self) -> str:
        """End the profile and return its path."""
        return self._sess.end_profiling()  # type: ignore[no-any-return]

    def get_profiling_start_time_ns(self) -> int:
        """Return when the profile began, as ``time.monotonic_ns`` does."""
        return self._sess.get_profiling_start_time_ns  # type: ignore[no-any-return]

    def create_ortvalue_from_shape_and_type(
        self,
        shape: Sequence[int],
        element_type: Any,
        device_type: str,
        device_id: int = 0,
        vendor_id: int = -1,
    ) -> OrtValue:
        """Make a tensor with arbitrary content."""
        device = device_of(device_type, device_id, vendor_id)
        return OrtValue.ortvalue_from_shape_and_type(shape, element_type, device)

    def release_captured_graph(self, graph_annotation_id: int = 0) -> None:
        """Release what was captured of runs on a device."""
        self._sess.release_captured_graph(graph_annotation_id)

    def set_ep_dynamic_options(self, options: dict[str, str]) -> None:
        """Change options of execution providers."""
        self._sess.set_ep_dynamic_options(options)

    def get_tuning_results(self) -> list[Any]:
        """Return what kernels have been tuned to."""
        return self._sess.get_tuning_results()  # type: ignore[no-any-return]

    def set_tuning_results(self, results: list[Any], *, error_on_invalid: bool = False) -> None:
        """Set what kernels are tuned to."""
        self._sess.set_tuning_results(results, error_on_invalid)

    _required: set[str]  # the inputs that are not optional
    _count: int  # of all inputs
    _run: Callable[..., Any]  # that of the engine


class InferenceSession(Session):
    """A model that can be run."""

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: "SessionOptions | None" = None,
        providers: Sequence[str | tuple[str, dict[Any, Any]]] | None = None,
        provider_options: Sequence[dict[Any, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(enable_fallback=int(kwargs.get("enable_fallback", 1)) == 1)
        self._is_path = not isinstance(path_or_bytes, bytes)
        if self._is_path and not isinstance(path_or_bytes, (str, os.PathLike)):
            raise TypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        self._model = os.fspath(path_or_bytes) if self._is_path else path_or_bytes
        if self._model == "" or not _are_options(sess_options):
            raise TypeError("__init__(): incompatible constructor arguments")
        # Programs look for these two, such as those of the package optimum.
        self._model_path = self._model if self._is_path else None
        self._model_bytes = None if self._is_path else self._model
        self._given_options = sess_options
        self._read_config = int(kwargs.get("read_config_from_model", 1)) == 1
        try:
            self._load(providers, provider_options, kwargs.get("disabled_optimizers"))
        except (ValueError, RuntimeError) as error:
            is_other = sess_options is not None and sess_options.has_providers()
            is_other |= any(each not in (CPU, (CPU, {})) for each in providers or ())
            if not (self._enable_fallback and has_cpu() and is_other) or is_strict():
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

    def _load(self, providers: Any, options: Any, disabled_optimizers: Any = None) -> None:
        if self._model is None:
            raise RuntimeError("the session of a model package cannot be loaded anew")
        names, chosen = ([], []) if providers is None else _normalized(providers, options)
        given = self._given_options
        if given is not None and names and given.has_providers():
            warnings.warn(
                "Specified 'providers'/'provider_options' when creating InferenceSession but "
                "SessionOptions has already been configured with providers. InferenceSession will "
                "only use the providers passed to InferenceSession().",
                stacklevel=3,
            )
        session = CSession(given, self._model, self._is_path, self._read_config)
        session.initialize_session(names, chosen, disabled_optimizers or ())
        self._take(session)

    @classmethod
    def _around(cls, session: CSession) -> "InferenceSession":
        """Wrap a session that was not loaded from a model, and so cannot be loaded anew."""
        made: Any = cls.__new__(cls)
        Session.__init__(made, enable_fallback=False)
        made._model = made._model_path = made._model_bytes = made._given_options = None
        made._is_path = made._read_config = False
        made._take(session)
        return made  # type: ignore[no-any-return]

    def _take(self, session: CSession) -> None:
        self._sess = session
        self._run = session._engine.run
        self._required, self._count = session._engine._required()


def _are_options(given: Any) -> bool:
    """Whether a session can be given this for its options; None needs no module of options."""
    if given is None:
        return True
    from ortcffi.compat._options import SessionOptions

    return isinstance(given, SessionOptions)


def _normalized(providers: Any, options: Any) -> tuple[list[str], list[dict[str, str]]]:
    """The names of execution providers, and the options of each."""
    given = [each[0] if isinstance(each, tuple) and each else each for each in providers or ()]
    names = [each for each in given if isinstance(each, str)]
    if {"TensorrtExecutionProvider", "NvTensorRTRTXExecutionProvider"} <= set(names):
        raise ValueError("TensorRT and TensorRT RTX cannot be used in the same session.")
    return check_and_normalize_provider_args(providers, options, _known(names))


def _known(names: list[str]) -> Sequence[str]:
    """The names that a session's providers may have; `names` are those that were given."""
    known = built_in_providers()
    if all(name in known for name in names):  # asked first: the other question takes longer
        return known
    from ortcffi.session.providers import is_for_core

    hosted = [name for name in names if is_for_core(name)]
    return [*get_available_providers(), *hosted]
