# SPDX-License-Identifier: MIT
"""The configuration keys that ONNX Runtime is known to read, to say what a wrong one may mean."""

__all__ = ["RUN_KEYS", "SESSION_KEYS"]

_NAMES = {
    "ep": """
        context_embed_mode context_enable context_file_path
        context_model_external_initializers_file_name context_node_name_prefix
        context_source_model_path cpu.qmoe_deferred_scale cuda.fpa_intb_dequant_gemm_min_m
        cuda.fpa_intb_gemm cuda.fpa_intb_profile_m
        cuda.gqa_workspace_max_total_sequence_length cuda.matmul_nbits_m_chunk_size
        cuda.matmul_packed_allow_unrounded_gemv cuda.moe_packed_gpu_experts
        cuda.runtime_fusion.causal_conv_with_state cuda.runtime_fusion.unit_swish
        enable_weightless enable_weightless_ep_context_nodes enable_weightless_mode
        nnapi.partitioning_stop_ops share_ep_contexts stop_share_ep_contexts
    """,
    "mlas": """
        disable_kleidiai kleidiai.conv_igemm_max_work nchwc_depthwise_sliding
        nchwc_pointwise_conv_max_input_channel_batch qnbit.force_fp32 use_lut_gemm
    """,
    "optimization": """
        constant_folding_max_output_size_in_bytes disable_specified_optimizers
        enable_cast_chain_elimination enable_gelu_approximation
        enable_memory_probe_recompute_config memory_optimizer_config
        minimal_build_optimizations
    """,
    "session": """
        allow_released_opsets_only
        collect_node_memory_stats_to_file compile_only debug_layout_transformation
        disable_aot_function_inlining disable_cpu_ep_fallback disable_double_qdq_remover
        disable_model_compile disable_prepacking disable_qdq_constant_folding
        disable_quant_qdq dynamic_block_base enable_cpu_mem_arena
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
        layer_assignment_settings load_model_format log_id
        log_severity_level log_verbosity_level max_shape_override
        model_external_initializers_file_folder_path
        moe.offload.allow_file_backing moe.offload.async_max_tokens moe.offload.budget_group
        moe.offload.cpu_execution moe.offload.cpu_threads moe.offload.derived_cache_dir
        moe.offload.device_expert_bytes moe.offload.device_working_bytes
        moe.offload.gpu_budget_bytes moe.offload.gpu_device_mem_limit
        moe.offload.host_expert_bytes moe.offload.host_working_bytes
        moe.offload.min_expert_weight moe.offload.mode moe.offload.node_overrides
        moe.offload.pinned_bytes moe.offload.placement moe.offload.popularity_file
        moe.offload.prefill_wave_experts moe.offload.reserve_device_bytes
        moe.offload.skip_tail_cold_only moe.offload.skip_zero_cold_doorbell
        moe.offload.source_root moe.offload.tail_substitution_min_rank
        moe.offload.tail_substitution_threshold moe_expert_counter_alpha
        moe_expert_counter_beta moe_expert_counter_state_file name_based_layer_assignment
        node_partition_config_file optimized_model_external_initializers_file_name
        optimized_model_external_initializers_min_size_in_bytes optimized_model_filepath
        prepack.enable_parallel qdq_matmulnbits_accuracy_level qdq_matmulnbits_block_size
        qdqisint8allowed record_ep_graph_assignment_info resource_cuda_partitioning_settings
        save_external_prepacked_constant_initializers save_model_format set_denormal_as_zero
        set_ep_dynamic_options strict_shape_type_inference strict_workspace_verification
        use_deterministic_compute use_device_allocator_for_initializers use_env_allocators
        use_external_initializer_file_buffers_directly use_memory_mapped_ort_model
        use_ort_model_bytes_directly use_ort_model_bytes_for_initializers
        use_per_session_threads x64quantprecision
    """,
}
SESSION_KEYS = [f"{area}.{name}" for area, names in _NAMES.items() for name in names.split()]
RUN_KEYS = ["disable_synchronize_execution_providers", "gpu_graph_id"]
RUN_KEYS += ["memory.enable_memory_arena_shrinkage", "qnn.htp_perf_mode"]
RUN_KEYS += ["qnn.htp_perf_mode_post_run", "qnn.lora_config", "qnn.rpc_control_latency"]
