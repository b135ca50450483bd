# SPDX-License-Identifier: MIT
"""Configuration entries of options, as mappings; the known keys; other lists of options."""

import warnings
from collections.abc import Callable, Collection, Iterator, MutableMapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ortcffi._convert import decode, encode
from ortcffi._handle import out_of, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import level_of_caller, meant
from ortcffi._table import core_api, create_environment
from ortcffi.errors import check
from ortcffi.options.settings import lock

if TYPE_CHECKING:
    from ortcffi.options.settings import Options

_NAMES = {
    "ep": """
        context_embed_mode context_enable context_file_path
        context_model_external_initializers_file_name context_node_name_prefix
        context_source_model_path cpu.qmoe_deferred_scale enable_weightless
        enable_weightless_ep_context_nodes enable_weightless_mode nnapi.partitioning_stop_ops
        share_ep_contexts stop_share_ep_contexts
    """,
    "ep.cuda": """
        fpa_intb_dequant_gemm_min_m fpa_intb_gemm fpa_intb_profile_m
        gqa_workspace_max_total_sequence_length matmul_nbits_m_chunk_size
        matmul_packed_allow_unrounded_gemv moe_packed_gpu_experts
        runtime_fusion.causal_conv_with_state runtime_fusion.unit_swish
    """,
    "mlas": """
        disable_kleidiai kleidiai.conv_igemm_max_work nchwc_depthwise_sliding
        nchwc_pointwise_conv_max_input_channel_batch qnbit.force_fp32 use_lut_gemm
    """,
    "optimization": """
        constant_folding_max_output_size_in_bytes disable_specified_optimizers
        enable_cast_chain_elimination enable_gelu_approximation enable_memory_probe_recompute_config
        memory_optimizer_config minimal_build_optimizations
    """,
    "session": """
        allow_released_opsets_only collect_node_memory_stats_to_file compile_only
        debug_layout_transformation disable_aot_function_inlining disable_cpu_ep_fallback
        disable_double_qdq_remover disable_model_compile disable_prepacking
        disable_qdq_constant_folding disable_quant_qdq dynamic_block_base enable_cpu_mem_arena
        enable_dq_matmulnbits_fusion enable_mem_pattern enable_moe_expert_counting
        enable_moe_expert_statistics enable_profiling enable_quant_qdq_cleanup
        enable_saved_runtime_optimizations execution_mode external_data_loader.chunk_bytes
        external_data_loader.min_size_bytes external_data_loader.pinned_memory_bytes
        external_data_loader.threads fail_on_suboptimal_compiled_model force_spinning_stop
        function_expansion_byte_limit function_expansion_node_limit gqa_value_layout
        graph_optimization_level graph_optimizations_loop_level inter_op.allow_spinning
        inter_op.spin_backoff_max inter_op.spin_duration_us inter_op_num_threads
        intra_op.allow_spinning intra_op.spin_backoff_max intra_op.spin_duration_us
        intra_op_num_threads intra_op_thread_affinities kernel_dispatch_policy
        layer_assignment_settings load_model_format log_id log_severity_level log_verbosity_level
        max_shape_override model_external_initializers_file_folder_path moe_expert_counter_alpha
        moe_expert_counter_beta moe_expert_counter_state_file name_based_layer_assignment
        node_partition_config_file optimized_model_external_initializers_file_name
        optimized_model_external_initializers_min_size_in_bytes optimized_model_filepath
        prepack.enable_parallel qdq_matmulnbits_accuracy_level qdq_matmulnbits_block_size
        qdqisint8allowed record_ep_graph_assignment_info resource_cuda_partitioning_settings
        save_external_prepacked_constant_initializers save_model_format set_denormal_as_zero
        set_ep_dynamic_options strict_shape_type_inference strict_workspace_verification
        use_deterministic_compute use_device_allocator_for_initializers use_env_allocators
        use_external_initializer_file_buffers_directly use_memory_mapped_ort_model
        use_ort_model_bytes_directly use_ort_model_bytes_for_initializers use_per_session_threads
        x64quantprecision
    """,
    "session.moe.offload": """
        allow_file_backing async_max_tokens budget_group cpu_execution cpu_threads derived_cache_dir
        device_expert_bytes device_working_bytes gpu_budget_bytes gpu_device_mem_limit
        host_expert_bytes host_working_bytes min_expert_weight mode node_overrides pinned_bytes
        placement popularity_file prefill_wave_experts reserve_device_bytes skip_tail_cold_only
        skip_zero_cold_doorbell source_root tail_substitution_min_rank tail_substitution_threshold
    """,
}
SESSION_KEYS = [f"{area}.{name}" for area, names in _NAMES.items() for name in names.split()]
RUN_KEYS = ["disable_synchronize_execution_providers", "gpu_graph_id"]
RUN_KEYS += ["memory.enable_memory_arena_shrinkage", "qnn.htp_perf_mode"]
RUN_KEYS += ["qnn.htp_perf_mode_post_run", "qnn.lora_config", "qnn.rpc_control_latency"]


_warned_of: set[str] = set()


class ConfigEntries(MutableMapping[str, str]):
    """The configuration entries of session options or run options: str to str.

    Keys have 1 to 1024 bytes, values up to 8192. Libraries also keep entries that they do not know.
    A key that is nearly one that ONNX Runtime is known to read is taken with a `UserWarning`, once.
    An entry can be replaced but not removed, because the API has no function for that.
    """

    __slots__ = ("_options",)

    ADD: ClassVar = ""
    GET: ClassVar = ""
    KNOWN: ClassVar[Collection[str]] = ()

    def __init__(self, options: "Options") -> None:
        self._options = options

    def _read(self) -> "Callable[[Any], None] | None":
        """Return the function that reads all entries as pairs; None for a library without one."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, str]:
        """Return a copy of all entries, in the library's order.

        Of a library that cannot list them, those that were set through this object.
        """
        from ortcffi.status import KeyValuePairs

        options = self._options
        # The table of an older host has no functions for pairs.
        api = core_api() if options.api.is_core else options.api
        pairs, out = KeyValuePairs._blank(api)
        with lock:
            here, read = self._set_here(), self._read()
            if read is None:
                return dict(here)
            read(out)
        pairs._open_handle()
        with pairs:
            found: dict[str, str] = pairs.to_dict()
            return found

    def _set_here(self) -> dict[str, str]:
        """Get the entries that were set through this object, for tables that cannot list them."""
        self._options.handle  # noqa: B018  # raises if closed
        kept: dict[str, str] = self._options._values.setdefault("config", {})
        return kept

    def _value(self, name: bytes) -> str | None:
        """Return the library's value of a key; None where it has none."""
        raise NotImplementedError

    def __getitem__(self, key: str) -> str:
        name = encode("key", key)
        if not self._options.api.supports(self.GET):
            return self._set_here()[key]
        with lock:  # the text may belong to the entry, which another thread may replace
            value = self._value(name)
        if value is None:
            raise KeyError(key)
        return value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and super().__contains__(key)

    def __setitem__(self, key: str, value: str) -> None:
        name, content = encode("key", key), encode(f"config[{key!r}]", value)
        with lock:
            kept = self._set_here()
            replaced = key in self
            if not replaced:
                self._warn_of_likely_mistake(key)
            if not replaced or self[key] != value:
                with _temporary_env(self._options) if replaced else nullcontext():
                    self._options._write(self.ADD, name, content)
            kept[key] = value  # also what other code has set, or a call that was interrupted

    def _warn_of_likely_mistake(self, key: str) -> None:
        known = self.KNOWN
        if key in known or key in _warned_of:
            return
        # Others may be those of a newer library, or of an execution provider.
        if likely := meant(key, known, likeness=0.85):
            _warned_of.add(key)  # copies of the options, which a session takes, have it too
            text = f"ONNX Runtime is not known to read a configuration entry {key!r}{likely}"
            warnings.warn(text, UserWarning, stacklevel=level_of_caller())

    def __delitem__(self, key: str) -> NoReturn:
        raise TypeError(f"the entry {key!r} cannot be removed: the API has no function for it")

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    def __repr__(self) -> str:
        options = self._options
        return f"<entries of {options!r}>" if options.closed else repr(self.to_dict())


class SessionConfig(ConfigEntries):
    """The entries of session options.

    API functions: ``AddSessionConfigEntry``, ``GetSessionConfigEntry``, ``HasSessionConfigEntry``,
    ``GetSessionOptionsConfigEntries``.
    """

    __slots__ = ()

    ADD, GET = "AddSessionConfigEntry", "GetSessionConfigEntry"
    KNOWN = SESSION_KEYS

    def _read(self) -> "Callable[[Any], None] | None":
        slot = "GetSessionOptionsConfigEntries"
        return partial(self._options._call, slot) if self._options.api.supports(slot) else None

    def _value(self, name: bytes) -> str | None:
        options, found, size = self._options, ffi.new("int*"), ffi.new("size_t*")
        options._call("HasSessionConfigEntry", name, found)
        if not found[0]:
            return None
        options._call("GetSessionConfigEntry", name, ffi.NULL, size)
        value = ffi.new("char[]", size[0])
        options._call("GetSessionConfigEntry", name, value, size)
        return decode(value)


class RunConfig(ConfigEntries):
    """The entries of run options.

    The API cannot list them: of other libraries than the embedded core, the entries that were set
    through this object are listed. API functions: ``AddRunConfigEntry``, ``GetRunConfigEntry``.
    """

    __slots__ = ()

    ADD, GET = "AddRunConfigEntry", "GetRunConfigEntry"
    KNOWN = RUN_KEYS

    def _read(self) -> "Callable[[Any], None] | None":
        options = self._options
        if not options.api.is_core:
            return None
        return lambda out: check(options.api.pointer, lib.core_run_config(options.handle, out))

    def _value(self, name: bytes) -> str | None:
        options = self._options
        value = lib.GetRunConfigEntry(options.api.pointer, options.handle, name)
        return decode(value) if value else None


@contextmanager
def _temporary_env(options: "Options") -> Iterator[None]:
    """Have an environment while an entry is replaced.

    ONNX Runtime then logs a warning, and ends the process if there is no environment to log to.
    """
    if options.api.is_core:
        yield
        return
    owner = owner_of("OrtEnv*", options.api, lib.ReleaseEnv)
    create_environment(options.api, "CreateEnv", (lib.ORT_LOGGING_LEVEL_FATAL, b""), out_of(owner))
    owner._open_handle()
    try:
        yield
    finally:
        owner.close()
