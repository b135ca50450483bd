/* SPDX-License-Identifier: MIT */
/**
 * @file onnxruntime_c_api.h
 * The ONNX Runtime C API at version 30, as ortcffi's core provides it.
 */
#ifndef ORTCFFI_ONNXRUNTIME_C_API_H_
#define ORTCFFI_ONNXRUNTIME_C_API_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORT_API_VERSION 30

#ifdef __cplusplus
extern "C" {
#endif

#ifdef _WIN32
#ifndef ORT_API_CALL
#define ORT_API_CALL __stdcall
#endif
#define ORTCHAR_T wchar_t
#define ORT_TSTR_INNER_(x) L##x
#define ORT_TSTR(x) ORT_TSTR_INNER_(x)
#ifdef ORT_DLL_IMPORT
#define ORT_EXPORT __declspec(dllimport)
#else
#define ORT_EXPORT
#endif
#else
#define ORT_API_CALL
#define ORTCHAR_T char
#define ORT_TSTR(x) x
#define ORT_EXPORT
#endif

#define ORT_FILE ORT_TSTR(__FILE__)

#ifdef __cplusplus
#define NO_EXCEPTION noexcept
#else
#define NO_EXCEPTION
#endif

#if defined(__GNUC__)
#define ORT_ALL_ARGS_NONNULL __attribute__((nonnull))
#define ORT_MUST_USE_RESULT __attribute__((warn_unused_result))
#else
#define ORT_ALL_ARGS_NONNULL
#define ORT_MUST_USE_RESULT
#endif

#ifdef _MSC_VER
#include <specstrings.h>
#else
#define _In_
#define _In_z_
#define _In_opt_
#define _In_opt_z_
#define _Out_
#define _Outptr_
#define _Outptr_opt_
#define _Out_opt_
#define _Inout_
#define _Inout_opt_
#define _Frees_ptr_opt_
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Check_return_
#define _Outptr_result_maybenull_
#define _Outptr_result_maybenull_z_
#define _In_reads_(X)
#define _Inout_updates_(X)
#define _Out_writes_(X)
#define _Inout_updates_all_(X)
#define _Out_writes_bytes_all_(X)
#define _Out_writes_all_(X)
#define _In_reads_opt_(X)
#define _Outptr_result_buffer_maybenull_(X)
#define _Success_(X)
#endif

#define ORT_API(RETURN_TYPE, NAME, ...) RETURN_TYPE ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_STATUS(NAME, ...)                                                       \
  _Success_(return == 0) _Check_return_ _Ret_maybenull_ OrtStatusPtr ORT_API_CALL NAME( \
      __VA_ARGS__)                                                                      \
  NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API2_STATUS(NAME, ...)                                             \
  _Check_return_ _Ret_maybenull_ OrtStatusPtr(ORT_API_CALL* NAME)(__VA_ARGS__) \
      NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API_STATUS_IMPL(NAME, ...)                                                  \
  _Success_(return == 0) _Check_return_ _Ret_maybenull_ OrtStatusPtr ORT_API_CALL NAME( \
      __VA_ARGS__) NO_EXCEPTION
#define ORT_RUNTIME_CLASS(X) \
  struct Ort##X;             \
  typedef struct Ort##X Ort##X
#define ORT_CLASS_RELEASE(X) \
  void(ORT_API_CALL * Release##X)(_Frees_ptr_opt_ Ort##X * input) NO_EXCEPTION

typedef enum OrtErrorCode {
#define ORT_ERROR_CODE(name, value) name = value,
#include "ort_error_codes.def"
} OrtErrorCode;

typedef enum ONNXTensorElementDataType {
#define ORT_ELEMENT_TYPE(name, value, bits) ONNX_TENSOR_ELEMENT_DATA_TYPE_##name = value,
#include "ort_element_types.def"
} ONNXTensorElementDataType;

typedef enum ONNXType {
  ONNX_TYPE_UNKNOWN = 0,
  ONNX_TYPE_TENSOR = 1,
  ONNX_TYPE_SEQUENCE = 2,
  ONNX_TYPE_MAP = 3,
  ONNX_TYPE_OPAQUE = 4,
  ONNX_TYPE_SPARSETENSOR = 5,
  ONNX_TYPE_OPTIONAL = 6,
} ONNXType;

typedef enum OrtSparseFormat {
  ORT_SPARSE_UNDEFINED = 0,
  ORT_SPARSE_COO = 1,
  ORT_SPARSE_CSRC = 2,
  ORT_SPARSE_BLOCK_SPARSE = 4,
} OrtSparseFormat;

enum OrtSparseIndicesFormat {
  ORT_SPARSE_COO_INDICES = 0,
  ORT_SPARSE_CSR_INNER_INDICES = 1,
  ORT_SPARSE_CSR_OUTER_INDICES = 2,
  ORT_SPARSE_BLOCK_SPARSE_INDICES = 3,
};

typedef enum OrtLoggingLevel {
  ORT_LOGGING_LEVEL_VERBOSE = 0,
  ORT_LOGGING_LEVEL_INFO = 1,
  ORT_LOGGING_LEVEL_WARNING = 2,
  ORT_LOGGING_LEVEL_ERROR = 3,
  ORT_LOGGING_LEVEL_FATAL = 4,
} OrtLoggingLevel;

typedef enum OrtOpAttrType {
  ORT_OP_ATTR_UNDEFINED = 0,
  ORT_OP_ATTR_INT = 1,
  ORT_OP_ATTR_INTS = 2,
  ORT_OP_ATTR_FLOAT = 3,
  ORT_OP_ATTR_FLOATS = 4,
  ORT_OP_ATTR_STRING = 5,
  ORT_OP_ATTR_STRINGS = 6,
  ORT_OP_ATTR_GRAPH = 7,
  ORT_OP_ATTR_TENSOR = 8,
} OrtOpAttrType;

typedef enum GraphOptimizationLevel {
  ORT_DISABLE_ALL = 0,
  ORT_ENABLE_BASIC = 1,
  ORT_ENABLE_EXTENDED = 2,
  ORT_ENABLE_LAYOUT = 3,
  ORT_ENABLE_ALL = 99,
} GraphOptimizationLevel;

typedef enum ExecutionMode {
  ORT_SEQUENTIAL = 0,
  ORT_PARALLEL = 1,
} ExecutionMode;

typedef enum OrtLanguageProjection {
  ORT_PROJECTION_C = 0,
  ORT_PROJECTION_CPLUSPLUS = 1,
  ORT_PROJECTION_CSHARP = 2,
  ORT_PROJECTION_PYTHON = 3,
  ORT_PROJECTION_JAVA = 4,
  ORT_PROJECTION_WINML = 5,
  ORT_PROJECTION_NODEJS = 6,
} OrtLanguageProjection;

typedef enum OrtAllocatorType {
  OrtInvalidAllocator = -1,
  OrtDeviceAllocator = 0,
  OrtArenaAllocator = 1,
  OrtReadOnlyAllocator = 2,
} OrtAllocatorType;

typedef enum OrtMemType {
  OrtMemTypeCPUInput = -2,
  OrtMemTypeCPUOutput = -1,
  OrtMemTypeCPU = OrtMemTypeCPUOutput,
  OrtMemTypeDefault = 0,
} OrtMemType;

typedef enum OrtDeviceMemoryType {
  OrtDeviceMemoryType_DEFAULT = 0,
  OrtDeviceMemoryType_HOST_ACCESSIBLE = 5,
} OrtDeviceMemoryType;

typedef enum OrtMemoryInfoDeviceType {
  OrtMemoryInfoDeviceType_CPU = 0,
  OrtMemoryInfoDeviceType_GPU = 1,
  OrtMemoryInfoDeviceType_FPGA = 2,
  OrtMemoryInfoDeviceType_NPU = 3,
} OrtMemoryInfoDeviceType;

typedef enum OrtHardwareDeviceType {
  OrtHardwareDeviceType_CPU = 0,
  OrtHardwareDeviceType_GPU = 1,
  OrtHardwareDeviceType_NPU = 2,
} OrtHardwareDeviceType;

typedef enum OrtExecutionProviderDevicePolicy {
  OrtExecutionProviderDevicePolicy_DEFAULT = 0,
  OrtExecutionProviderDevicePolicy_PREFER_CPU = 1,
  OrtExecutionProviderDevicePolicy_PREFER_NPU = 2,
  OrtExecutionProviderDevicePolicy_PREFER_GPU = 3,
  OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE = 4,
  OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY = 5,
  OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER = 6,
} OrtExecutionProviderDevicePolicy;

typedef enum OrtDeviceEpIncompatibilityReason {
  OrtDeviceEpIncompatibility_NONE = 0,
  OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1,
  OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 2,
  OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 4,
  OrtDeviceEpIncompatibility_UNKNOWN = -2147483647 - 1,
} OrtDeviceEpIncompatibilityReason;

typedef enum OrtCudnnConvAlgoSearch {
  OrtCudnnConvAlgoSearchExhaustive = 0,
  OrtCudnnConvAlgoSearchHeuristic = 1,
  OrtCudnnConvAlgoSearchDefault = 2,
} OrtCudnnConvAlgoSearch;

typedef enum OrtExternalMemoryHandleType {
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32 = 2,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD = 3,
} OrtExternalMemoryHandleType;

typedef enum OrtExternalSemaphoreType {
  ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2,
} OrtExternalSemaphoreType;

typedef enum OrtGraphicsApi {
  ORT_GRAPHICS_API_NONE = 0,
  ORT_GRAPHICS_API_D3D12 = 1,
  ORT_GRAPHICS_API_VULKAN = 2,
} OrtGraphicsApi;

typedef enum OrtCompiledModelCompatibility {
  OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
  OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
  OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,
  OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3,
} OrtCompiledModelCompatibility;

typedef enum OrtCustomOpInputOutputCharacteristic {
  INPUT_OUTPUT_REQUIRED = 0,
  INPUT_OUTPUT_OPTIONAL = 1,
  INPUT_OUTPUT_VARIADIC = 2,
} OrtCustomOpInputOutputCharacteristic;

typedef enum OrtCompileApiFlags {
  OrtCompileApiFlags_NONE = 0,
  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1,
  OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 2,
} OrtCompileApiFlags;

typedef enum OrtProfilingEventCategory {
  OrtProfilingEventCategory_SESSION = 0,
  OrtProfilingEventCategory_NODE = 1,
  OrtProfilingEventCategory_KERNEL = 2,
  OrtProfilingEventCategory_API = 3,
} OrtProfilingEventCategory;

typedef enum OrtResourceCountKind {
  OrtResourceCountKind_None = 0,
  OrtResourceCountKind_TotalBytes = 1,
} OrtResourceCountKind;

typedef enum OrtEpDataLayout {
  OrtEpDataLayout_NCHW = 0,
  OrtEpDataLayout_NHWC = 1,
  OrtEpDataLayout_Default = 0,
} OrtEpDataLayout;

typedef enum OrtGraphCaptureNodeAssignmentPolicy {
  OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP = 0,
  OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES = 1,
} OrtGraphCaptureNodeAssignmentPolicy;

typedef enum OrtWeightlessSupport {
  OrtWeightlessSupport_NONE = 0,
  OrtWeightlessSupport_EXTERNAL_ONLY = 1,
  OrtWeightlessSupport_ALL = 2,
} OrtWeightlessSupport;

ORT_RUNTIME_CLASS(Env);
ORT_RUNTIME_CLASS(Status);
ORT_RUNTIME_CLASS(MemoryInfo);
ORT_RUNTIME_CLASS(IoBinding);
ORT_RUNTIME_CLASS(Session);
ORT_RUNTIME_CLASS(Value);
ORT_RUNTIME_CLASS(RunOptions);
ORT_RUNTIME_CLASS(TypeInfo);
ORT_RUNTIME_CLASS(TensorTypeAndShapeInfo);
ORT_RUNTIME_CLASS(MapTypeInfo);
ORT_RUNTIME_CLASS(SequenceTypeInfo);
ORT_RUNTIME_CLASS(OptionalTypeInfo);
ORT_RUNTIME_CLASS(SessionOptions);
ORT_RUNTIME_CLASS(CustomOpDomain);
ORT_RUNTIME_CLASS(ModelMetadata);
ORT_RUNTIME_CLASS(ThreadPoolParams);
ORT_RUNTIME_CLASS(ThreadingOptions);
ORT_RUNTIME_CLASS(ArenaCfg);
ORT_RUNTIME_CLASS(PrepackedWeightsContainer);
ORT_RUNTIME_CLASS(TensorRTProviderOptionsV2);
ORT_RUNTIME_CLASS(NvTensorRtRtxProviderOptions);
ORT_RUNTIME_CLASS(CUDAProviderOptionsV2);
ORT_RUNTIME_CLASS(CANNProviderOptions);
ORT_RUNTIME_CLASS(DnnlProviderOptions);
ORT_RUNTIME_CLASS(Op);
ORT_RUNTIME_CLASS(OpAttr);
ORT_RUNTIME_CLASS(Logger);
ORT_RUNTIME_CLASS(ShapeInferContext);
ORT_RUNTIME_CLASS(LoraAdapter);
ORT_RUNTIME_CLASS(ValueInfo);
ORT_RUNTIME_CLASS(Node);
ORT_RUNTIME_CLASS(Graph);
ORT_RUNTIME_CLASS(Model);
ORT_RUNTIME_CLASS(ModelCompilationOptions);
ORT_RUNTIME_CLASS(HardwareDevice);
ORT_RUNTIME_CLASS(EpDevice);
ORT_RUNTIME_CLASS(KeyValuePairs);
ORT_RUNTIME_CLASS(SyncStream);
ORT_RUNTIME_CLASS(ExternalInitializerInfo);
ORT_RUNTIME_CLASS(ExternalResourceImporter);
ORT_RUNTIME_CLASS(DeviceEpIncompatibilityDetails);
ORT_RUNTIME_CLASS(EpAssignedSubgraph);
ORT_RUNTIME_CLASS(EpAssignedNode);
ORT_RUNTIME_CLASS(KernelInfo);
ORT_RUNTIME_CLASS(KernelContext);
ORT_RUNTIME_CLASS(TrainingApi);
ORT_RUNTIME_CLASS(EpGraphSupportInfo);
ORT_RUNTIME_CLASS(MemoryDevice);
ORT_RUNTIME_CLASS(NodeComputeContext);
ORT_RUNTIME_CLASS(OpSchema);
ORT_RUNTIME_CLASS(OpSchemaTypeConstraint);
ORT_RUNTIME_CLASS(ProfilingEventsContainer);
ORT_RUNTIME_CLASS(ProfilingEvent);
ORT_RUNTIME_CLASS(KernelRegistry);
ORT_RUNTIME_CLASS(KernelDefBuilder);
ORT_RUNTIME_CLASS(KernelDef);
ORT_RUNTIME_CLASS(DataType);
ORT_RUNTIME_CLASS(SharedPrePackedWeightCache);

typedef OrtStatus* OrtStatusPtr;

typedef struct OrtAllocator OrtAllocator;
typedef struct OrtApi OrtApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtCUDAProviderOptions OrtCUDAProviderOptions;
typedef struct OrtCompileApi OrtCompileApi;
typedef struct OrtCustomOp OrtCustomOp;
typedef struct OrtDataTransferImpl OrtDataTransferImpl;
typedef struct OrtEnvCreationOptions OrtEnvCreationOptions;
typedef struct OrtEp OrtEp;
typedef struct OrtEpApi OrtEpApi;
typedef struct OrtEpFactory OrtEpFactory;
typedef struct OrtEpProfilerImpl OrtEpProfilerImpl;
typedef struct OrtExternalMemoryDescriptor OrtExternalMemoryDescriptor;
typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
typedef struct OrtExternalResourceImporterImpl OrtExternalResourceImporterImpl;
typedef struct OrtExternalSemaphoreDescriptor OrtExternalSemaphoreDescriptor;
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
typedef struct OrtExternalTensorDescriptor OrtExternalTensorDescriptor;
typedef struct OrtGraphicsInteropConfig OrtGraphicsInteropConfig;
typedef struct OrtInteropApi OrtInteropApi;
typedef struct OrtKernelImpl OrtKernelImpl;
typedef struct OrtLoopKernelHelper OrtLoopKernelHelper;
typedef struct OrtMIGraphXProviderOptions OrtMIGraphXProviderOptions;
typedef struct OrtModelEditorApi OrtModelEditorApi;
typedef struct OrtNodeComputeInfo OrtNodeComputeInfo;
typedef struct OrtNodeFusionOptions OrtNodeFusionOptions;
typedef struct OrtOpenVINOProviderOptions OrtOpenVINOProviderOptions;
typedef struct OrtROCMProviderOptions OrtROCMProviderOptions;
typedef struct OrtResourceCount OrtResourceCount;
typedef struct OrtScanKernelHelper OrtScanKernelHelper;
typedef struct OrtSyncNotificationImpl OrtSyncNotificationImpl;
typedef struct OrtSyncStreamImpl OrtSyncStreamImpl;
typedef struct OrtTensorRTProviderOptions OrtTensorRTProviderOptions;
typedef struct OrtThreadPoolCallbacksConfig OrtThreadPoolCallbacksConfig;

/* placeholder */
struct OrtCustomHandleType {
  char __place_holder;
};
typedef const struct OrtCustomHandleType* OrtCustomThreadHandle;

typedef void(ORT_API_CALL* OrtExperimentalFnPtr)(void) NO_EXCEPTION;
typedef void(ORT_API_CALL* OrtLoggingFunction)(void* param, OrtLoggingLevel severity,
                                               const char* category, const char* logid,
                                               const char* code_location,
                                               const char* message) NO_EXCEPTION;
typedef OrtStatus*(ORT_API_CALL* EpSelectionDelegate)(
    const OrtEpDevice** ep_devices, size_t num_devices, const OrtKeyValuePairs* model_metadata,
    const OrtKeyValuePairs* runtime_metadata, const OrtEpDevice** selected, size_t max_selected,
    size_t* num_selected, void* state)NO_EXCEPTION;
typedef OrtStatus*(ORT_API_CALL* OrtWriteBufferFunc)(void* state, const void* buffer,
                                                     size_t buffer_num_bytes)NO_EXCEPTION;
typedef OrtStatus*(ORT_API_CALL* OrtGetInitializerLocationFunc)(
    void* state, const char* initializer_name, const OrtValue* initializer_value,
    const OrtExternalInitializerInfo* external_info,
    OrtExternalInitializerInfo** new_external_info)NO_EXCEPTION;
typedef void(ORT_API_CALL* OrtThreadWorkerFn)(void* ort_worker_fn_param) NO_EXCEPTION;
typedef OrtCustomThreadHandle(ORT_API_CALL* OrtCustomCreateThreadFn)(
    void* ort_custom_thread_creation_options, OrtThreadWorkerFn ort_thread_worker_fn,
    void* ort_worker_fn_param) NO_EXCEPTION;
typedef void(ORT_API_CALL* OrtCustomJoinThreadFn)(OrtCustomThreadHandle ort_custom_thread_handle)
    NO_EXCEPTION;
typedef void*(ORT_API_CALL* OrtThreadPoolWorkEnqueueFn)(void* user_context)NO_EXCEPTION;
typedef void(ORT_API_CALL* OrtThreadPoolWorkStartFn)(void* user_context,
                                                     void* enqueue_data) NO_EXCEPTION;
typedef void(ORT_API_CALL* OrtThreadPoolWorkStopFn)(void* user_context,
                                                    void* enqueue_data) NO_EXCEPTION;
typedef void(ORT_API_CALL* OrtThreadPoolWorkAbandonFn)(void* user_context,
                                                       void* enqueue_data) NO_EXCEPTION;
typedef OrtStatus*(ORT_API_CALL* RegisterCustomOpsFn)(OrtSessionOptions* options,
                                                      const OrtApiBase* api)NO_EXCEPTION;
typedef void(ORT_API_CALL* RunAsyncCallbackFn)(void* user_data, OrtValue** outputs,
                                               size_t num_outputs, OrtStatus* status) NO_EXCEPTION;
typedef OrtStatus*(ORT_API_CALL* OrtKernelCreateFunc)(void* kernel_create_func_state,
                                                      const OrtKernelInfo* info,
                                                      OrtKernelImpl** kernel_out)NO_EXCEPTION;
typedef OrtStatus*(ORT_API_CALL* CreateEpApiFactoriesFn)(
    const char* registered_name, const OrtApiBase* ort_api_base, const OrtLogger* default_logger,
    OrtEpFactory** factories, size_t max_factories, size_t* num_factories)NO_EXCEPTION;
typedef OrtStatus*(ORT_API_CALL* ReleaseEpApiFactoryFn)(OrtEpFactory* factory)NO_EXCEPTION;

struct OrtAllocator {
  uint32_t version;
  void*(ORT_API_CALL* Alloc)(OrtAllocator* this_, size_t size)NO_EXCEPTION;
  void(ORT_API_CALL* Free)(OrtAllocator* this_, void* p) NO_EXCEPTION;
  const OrtMemoryInfo*(ORT_API_CALL* Info)(const OrtAllocator* this_)NO_EXCEPTION;
  void*(ORT_API_CALL* Reserve)(OrtAllocator* this_, size_t size)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetStats)(const OrtAllocator* this_, OrtKeyValuePairs** out)NO_EXCEPTION;
  void*(ORT_API_CALL* AllocOnStream)(OrtAllocator* this_, size_t size,
                                     OrtSyncStream* stream)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* Shrink)(OrtAllocator* this_)NO_EXCEPTION;
};

struct OrtCUDAProviderOptions {
  int device_id;
  OrtCudnnConvAlgoSearch cudnn_conv_algo_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy;
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void* user_compute_stream;
  OrtArenaCfg* default_memory_arena_cfg;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
};

struct OrtROCMProviderOptions {
  int device_id;
  int miopen_conv_exhaustive_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy;
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void* user_compute_stream;
  OrtArenaCfg* default_memory_arena_cfg;
  int enable_hip_graph;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
};

struct OrtTensorRTProviderOptions {
  int device_id;
  int has_user_compute_stream;
  void* user_compute_stream;
  int trt_max_partition_iterations;
  int trt_min_subgraph_size;
  size_t trt_max_workspace_size;
  int trt_fp16_enable;
  int trt_int8_enable;
  const char* trt_int8_calibration_table_name;
  int trt_int8_use_native_calibration_table;
  int trt_dla_enable;
  int trt_dla_core;
  int trt_dump_subgraphs;
  int trt_engine_cache_enable;
  const char* trt_engine_cache_path;
  int trt_engine_decryption_enable;
  const char* trt_engine_decryption_lib_path;
  int trt_force_sequential_engine_build;
};

struct OrtMIGraphXProviderOptions {
  int device_id;
  int migraphx_fp16_enable;
  int migraphx_fp8_enable;
  int migraphx_int8_enable;
  int migraphx_use_native_calibration_table;
  const char* migraphx_int8_calibration_table_name;
  int migraphx_save_compiled_model;
  const char* migraphx_save_model_path;
  int migraphx_load_compiled_model;
  const char* migraphx_load_model_path;
  bool migraphx_exhaustive_tune;
  size_t migraphx_mem_limit;
  int migraphx_arena_extend_strategy;
};

struct OrtOpenVINOProviderOptions {
  const char* device_type;
  unsigned char enable_npu_fast_compile;
  const char* device_id;
  size_t num_of_threads;
  const char* cache_dir;
  void* context;
  unsigned char enable_opencl_throttling;
  unsigned char enable_dynamic_shapes;
};

struct OrtApiBase {
  const OrtApi*(ORT_API_CALL* GetApi)(uint32_t version)NO_EXCEPTION;
  const char*(ORT_API_CALL* GetVersionString)(void)NO_EXCEPTION;
};

struct OrtThreadPoolCallbacksConfig {
  uint32_t version;
  OrtThreadPoolWorkEnqueueFn on_enqueue;
  OrtThreadPoolWorkStartFn on_start_work;
  OrtThreadPoolWorkStopFn on_stop_work;
  OrtThreadPoolWorkAbandonFn on_abandon;
  void* user_context;
};

struct OrtExternalMemoryDescriptor {
  uint32_t version;
  OrtExternalMemoryHandleType handle_type;
  void* native_handle;
  size_t size_bytes;
  size_t offset_bytes;
};

struct OrtExternalSemaphoreDescriptor {
  uint32_t version;
  OrtExternalSemaphoreType type;
  void* native_handle;
};

struct OrtGraphicsInteropConfig {
  uint32_t version;
  OrtGraphicsApi graphics_api;
  void* command_queue;
  const OrtKeyValuePairs* additional_options;
};

struct OrtExternalTensorDescriptor {
  uint32_t version;
  ONNXTensorElementDataType element_type;
  const int64_t* shape;
  size_t rank;
  size_t offset_bytes;
};

struct OrtEnvCreationOptions {
  uint32_t version;
  int32_t logging_severity_level;
  const char* log_id;
  OrtLoggingFunction custom_logging_function;
  void* custom_logging_param;
  const OrtThreadingOptions* threading_options;
  const OrtKeyValuePairs* config_entries;
};

struct OrtCustomOp {
  uint32_t version;
  void*(ORT_API_CALL* CreateKernel)(const OrtCustomOp* op, const OrtApi* api,
                                    const OrtKernelInfo* info)NO_EXCEPTION;
  const char*(ORT_API_CALL* GetName)(const OrtCustomOp* op)NO_EXCEPTION;
  const char*(ORT_API_CALL* GetExecutionProviderType)(const OrtCustomOp* op)NO_EXCEPTION;
  ONNXTensorElementDataType(ORT_API_CALL* GetInputType)(const OrtCustomOp* op,
                                                        size_t index) NO_EXCEPTION;
  size_t(ORT_API_CALL* GetInputTypeCount)(const OrtCustomOp* op) NO_EXCEPTION;
  ONNXTensorElementDataType(ORT_API_CALL* GetOutputType)(const OrtCustomOp* op,
                                                         size_t index) NO_EXCEPTION;
  size_t(ORT_API_CALL* GetOutputTypeCount)(const OrtCustomOp* op) NO_EXCEPTION;
  void(ORT_API_CALL* KernelCompute)(void* op_kernel, OrtKernelContext* context) NO_EXCEPTION;
  void(ORT_API_CALL* KernelDestroy)(void* op_kernel) NO_EXCEPTION;
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetInputCharacteristic)(
      const OrtCustomOp* op, size_t index) NO_EXCEPTION;
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetOutputCharacteristic)(
      const OrtCustomOp* op, size_t index) NO_EXCEPTION;
  OrtMemType(ORT_API_CALL* GetInputMemoryType)(const OrtCustomOp* op, size_t index) NO_EXCEPTION;
  int(ORT_API_CALL* GetVariadicInputMinArity)(const OrtCustomOp* op) NO_EXCEPTION;
  int(ORT_API_CALL* GetVariadicInputHomogeneity)(const OrtCustomOp* op) NO_EXCEPTION;
  int(ORT_API_CALL* GetVariadicOutputMinArity)(const OrtCustomOp* op) NO_EXCEPTION;
  int(ORT_API_CALL* GetVariadicOutputHomogeneity)(const OrtCustomOp* op) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateKernelV2)(const OrtCustomOp* op, const OrtApi* api,
                                           const OrtKernelInfo* info, void** kernel)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* KernelComputeV2)(void* op_kernel, OrtKernelContext* context)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* InferOutputShapeFn)(const OrtCustomOp* op,
                                               OrtShapeInferContext*)NO_EXCEPTION;
  int(ORT_API_CALL* GetStartVersion)(const OrtCustomOp* op) NO_EXCEPTION;
  int(ORT_API_CALL* GetEndVersion)(const OrtCustomOp* op) NO_EXCEPTION;
  size_t(ORT_API_CALL* GetMayInplace)(int** input_index, int** output_index) NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseMayInplace)(int* input_index, int* output_index) NO_EXCEPTION;
  size_t(ORT_API_CALL* GetAliasMap)(int** input_index, int** output_index) NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseAliasMap)(int* input_index, int* output_index) NO_EXCEPTION;
};

struct OrtExternalMemoryHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalMemoryDescriptor descriptor;
  void(ORT_API_CALL* Release)(OrtExternalMemoryHandle* handle) NO_EXCEPTION;
};

struct OrtExternalSemaphoreHandle {
  uint32_t version;
  const OrtEpDevice* ep_device;
  OrtExternalSemaphoreDescriptor descriptor;
  void(ORT_API_CALL* Release)(OrtExternalSemaphoreHandle* handle) NO_EXCEPTION;
};

struct OrtDataTransferImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtDataTransferImpl* this_ptr) NO_EXCEPTION;
  bool(ORT_API_CALL* CanCopy)(const OrtDataTransferImpl* this_ptr,
                              const OrtMemoryDevice* src_memory_device,
                              const OrtMemoryDevice* dst_memory_device) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CopyTensors)(OrtDataTransferImpl* this_ptr, const OrtValue** src_tensors,
                                        OrtValue** dst_tensors, OrtSyncStream** streams,
                                        size_t num_tensors)NO_EXCEPTION;
};

struct OrtSyncNotificationImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtSyncNotificationImpl* this_ptr) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* Activate)(OrtSyncNotificationImpl* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* WaitOnDevice)(OrtSyncNotificationImpl* this_ptr,
                                         OrtSyncStream* consumer_stream)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* WaitOnHost)(OrtSyncNotificationImpl* this_ptr)NO_EXCEPTION;
};

struct OrtSyncStreamImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtSyncStreamImpl* this_ptr) NO_EXCEPTION;
  void*(ORT_API_CALL* GetHandle)(OrtSyncStreamImpl* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateNotification)(OrtSyncStreamImpl* this_ptr,
                                               OrtSyncNotificationImpl** notification)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* Flush)(OrtSyncStreamImpl* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* OnSessionRunEnd)(OrtSyncStreamImpl* this_ptr)NO_EXCEPTION;
};

struct OrtExternalResourceImporterImpl {
  uint32_t ort_version_supported;
  bool(ORT_API_CALL* CanImportMemory)(const OrtExternalResourceImporterImpl* this_ptr,
                                      OrtExternalMemoryHandleType handle_type) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* ImportMemory)(OrtExternalResourceImporterImpl* this_ptr,
                                         const OrtExternalMemoryDescriptor* desc,
                                         OrtExternalMemoryHandle** out_handle)NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseMemory)(OrtExternalResourceImporterImpl* this_ptr,
                                    OrtExternalMemoryHandle* handle) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateTensorFromMemory)(OrtExternalResourceImporterImpl* this_ptr,
                                                   const OrtExternalMemoryHandle* mem_handle,
                                                   const OrtExternalTensorDescriptor* tensor_desc,
                                                   OrtValue** out_tensor)NO_EXCEPTION;
  bool(ORT_API_CALL* CanImportSemaphore)(const OrtExternalResourceImporterImpl* this_ptr,
                                         OrtExternalSemaphoreType type) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* ImportSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
                                            const OrtExternalSemaphoreDescriptor* desc,
                                            OrtExternalSemaphoreHandle** out_handle)NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
                                       OrtExternalSemaphoreHandle* handle) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* WaitSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
                                          OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream,
                                          uint64_t value)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* SignalSemaphore)(OrtExternalResourceImporterImpl* this_ptr,
                                            OrtExternalSemaphoreHandle* handle,
                                            OrtSyncStream* stream, uint64_t value)NO_EXCEPTION;
  void(ORT_API_CALL* Release)(OrtExternalResourceImporterImpl* this_ptr) NO_EXCEPTION;
};

struct OrtEpProfilerImpl {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtEpProfilerImpl* this_ptr) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* StartProfiling)(OrtEpProfilerImpl* this_ptr,
                                           int64_t ep_profiling_start_offset_ns)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* StartEvent)(OrtEpProfilerImpl* this_ptr,
                                       uint64_t ort_event_correlation_id)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* StopEvent)(OrtEpProfilerImpl* this_ptr,
                                      uint64_t ort_event_correlation_id,
                                      const OrtProfilingEvent* ort_event)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* EndProfiling)(OrtEpProfilerImpl* this_ptr,
                                         OrtProfilingEventsContainer* events_container)NO_EXCEPTION;
};

struct OrtNodeFusionOptions {
  uint32_t ort_version_supported;
  bool drop_constant_initializers;
};

struct OrtNodeComputeInfo {
  uint32_t ort_version_supported;
  OrtStatus*(ORT_API_CALL* CreateState)(OrtNodeComputeInfo* this_ptr,
                                        OrtNodeComputeContext* compute_context,
                                        void** compute_state)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* Compute)(OrtNodeComputeInfo* this_ptr, void* compute_state,
                                    OrtKernelContext* kernel_context)NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseState)(OrtNodeComputeInfo* this_ptr, void* compute_state) NO_EXCEPTION;
};

struct OrtKernelImpl {
  uint32_t ort_version_supported;
  uint32_t flags;
  OrtStatus*(ORT_API_CALL* Compute)(OrtKernelImpl* this_ptr, OrtKernelContext* context)NO_EXCEPTION;
  void(ORT_API_CALL* Release)(OrtKernelImpl* this_ptr) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* PrePackWeight)(OrtKernelImpl* this_ptr, const OrtValue* tensor,
                                          int input_index, OrtAllocator* allocator,
                                          OrtSharedPrePackedWeightCache* prepacked_weight_cache,
                                          bool* is_packed)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* SetSharedPrePackedWeight)(OrtKernelImpl* this_ptr,
                                                     const void* const* buffer_data_ptrs,
                                                     const size_t* buffer_data_sizes,
                                                     size_t num_buffers,
                                                     int input_index)NO_EXCEPTION;
};

struct OrtLoopKernelHelper {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtLoopKernelHelper* this_ptr) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* ConcatOutput)(OrtLoopKernelHelper* this_ptr, void* stream_handle,
                                         const OrtValue* const* per_iteration_outputs,
                                         size_t num_per_iteration_outputs, void* output,
                                         size_t output_size_in_bytes)NO_EXCEPTION;
};

struct OrtScanKernelHelper {
  uint32_t ort_version_supported;
  void(ORT_API_CALL* Release)(OrtScanKernelHelper* this_ptr) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* Transpose)(OrtScanKernelHelper* this_ptr, const size_t* permutation,
                                      size_t num_permutation_elems, const OrtValue* input,
                                      OrtSyncStream* stream, OrtValue* output)NO_EXCEPTION;
};

struct OrtResourceCount {
  uint32_t kind;
  uint32_t reserved;
  union {
    uint64_t total_bytes;
    uint64_t reserved_words[6];
  } value;
};

struct OrtEp {
  uint32_t ort_version_supported;
  const char*(ORT_API_CALL* GetName)(const OrtEp* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetCapability)(OrtEp* this_ptr, const OrtGraph* graph,
                                          OrtEpGraphSupportInfo* graph_support_info)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* Compile)(OrtEp* this_ptr, const OrtGraph** graphs,
                                    const OrtNode** fused_nodes, size_t count,
                                    OrtNodeComputeInfo** node_compute_infos,
                                    OrtNode** ep_context_nodes)NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseNodeComputeInfos)(OrtEp* this_ptr,
                                              OrtNodeComputeInfo** node_compute_infos,
                                              size_t num_node_compute_infos) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetPreferredDataLayout)(
      OrtEp* this_ptr, OrtEpDataLayout* preferred_data_layout)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* ShouldConvertDataLayoutForOp)(OrtEp* this_ptr, const char* domain,
                                                         const char* op_type,
                                                         OrtEpDataLayout target_data_layout,
                                                         int* should_convert)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* SetDynamicOptions)(OrtEp* this_ptr, const char* const* option_keys,
                                              const char* const* option_values,
                                              size_t num_options)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* OnRunStart)(OrtEp* this_ptr,
                                       const OrtRunOptions* run_options)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* OnRunEnd)(OrtEp* this_ptr, const OrtRunOptions* run_options,
                                     bool sync_stream)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateAllocator)(OrtEp* this_ptr, const OrtMemoryInfo* memory_info,
                                            OrtAllocator** allocator)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateSyncStreamForDevice)(OrtEp* this_ptr,
                                                      const OrtMemoryDevice* memory_device,
                                                      OrtSyncStreamImpl** stream)NO_EXCEPTION;
  const char*(ORT_API_CALL* GetCompiledModelCompatibilityInfo)(OrtEp* this_ptr,
                                                               const OrtGraph* graph)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetKernelRegistry)(
      OrtEp* this_ptr, const OrtKernelRegistry** kernel_registry)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* IsConcurrentRunSupported)(OrtEp* this_ptr,
                                                     bool* is_supported)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* Sync)(OrtEp* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateProfiler)(OrtEp* this_ptr,
                                           OrtEpProfilerImpl** profiler)NO_EXCEPTION;
  bool(ORT_API_CALL* IsGraphCaptureEnabled)(const OrtEp* this_ptr) NO_EXCEPTION;
  bool(ORT_API_CALL* IsGraphCaptured)(const OrtEp* this_ptr, int graph_annotation_id) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* ReplayGraph)(OrtEp* this_ptr, int graph_annotation_id)NO_EXCEPTION;
  OrtGraphCaptureNodeAssignmentPolicy(ORT_API_CALL* GetGraphCaptureNodeAssignmentPolicy)(
      const OrtEp* this_ptr) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetAvailableResource)(const OrtEp* this_ptr,
                                                 OrtResourceCount* available)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* OnSessionInitializationEnd)(OrtEp* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetDefaultMemoryDevice)(const OrtEp* this_ptr,
                                                   const OrtMemoryDevice** device)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* ReleaseCapturedGraph)(OrtEp* this_ptr,
                                                 int graph_annotation_id)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetWeightlessSupport)(const OrtEp* this_ptr,
                                                 OrtWeightlessSupport* support)NO_EXCEPTION;
};

struct OrtEpFactory {
  uint32_t ort_version_supported;
  const char*(ORT_API_CALL* GetName)(const OrtEpFactory* this_ptr)NO_EXCEPTION;
  const char*(ORT_API_CALL* GetVendor)(const OrtEpFactory* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetSupportedDevices)(OrtEpFactory* this_ptr,
                                                const OrtHardwareDevice* const* devices,
                                                size_t num_devices, OrtEpDevice** ep_devices,
                                                size_t max_ep_devices,
                                                size_t* num_ep_devices)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateEp)(OrtEpFactory* this_ptr,
                                     const OrtHardwareDevice* const* devices,
                                     const OrtKeyValuePairs* const* ep_metadata_pairs,
                                     size_t num_devices, const OrtSessionOptions* session_options,
                                     const OrtLogger* logger, OrtEp** ep)NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseEp)(OrtEpFactory* this_ptr, OrtEp* ep) NO_EXCEPTION;
  uint32_t(ORT_API_CALL* GetVendorId)(const OrtEpFactory* this_ptr) NO_EXCEPTION;
  const char*(ORT_API_CALL* GetVersion)(const OrtEpFactory* this_ptr)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* ValidateCompiledModelCompatibilityInfo)(
      OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices, size_t num_devices,
      const char* compatibility_info,
      OrtCompiledModelCompatibility* model_compatibility)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateAllocator)(OrtEpFactory* this_ptr,
                                            const OrtMemoryInfo* memory_info,
                                            const OrtKeyValuePairs* allocator_options,
                                            OrtAllocator** allocator)NO_EXCEPTION;
  void(ORT_API_CALL* ReleaseAllocator)(OrtEpFactory* this_ptr,
                                       OrtAllocator* allocator) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateDataTransfer)(OrtEpFactory* this_ptr,
                                               OrtDataTransferImpl** data_transfer)NO_EXCEPTION;
  bool(ORT_API_CALL* IsStreamAware)(const OrtEpFactory* this_ptr) NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateSyncStreamForDevice)(OrtEpFactory* this_ptr,
                                                      const OrtMemoryDevice* memory_device,
                                                      const OrtKeyValuePairs* stream_options,
                                                      OrtSyncStreamImpl** stream)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetHardwareDeviceIncompatibilityDetails)(
      OrtEpFactory* this_ptr, const OrtHardwareDevice* hw,
      OrtDeviceEpIncompatibilityDetails* details)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* CreateExternalResourceImporterForDevice)(
      OrtEpFactory* this_ptr, const OrtEpDevice* ep_device,
      OrtExternalResourceImporterImpl** out_importer)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetNumCustomOpDomains)(OrtEpFactory* this_ptr,
                                                  size_t* num_domains)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* GetCustomOpDomains)(OrtEpFactory* this_ptr, OrtCustomOpDomain** domains,
                                               size_t num_domains)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* InitGraphicsInterop)(OrtEpFactory* this_ptr,
                                                const OrtEpDevice* ep_device,
                                                const OrtGraphicsInteropConfig* config)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* DeinitGraphicsInterop)(OrtEpFactory* this_ptr,
                                                  const OrtEpDevice* ep_device)NO_EXCEPTION;
  OrtStatus*(ORT_API_CALL* SelectBestModelCandidate)(OrtEpFactory* this_ptr,
                                                     const OrtHardwareDevice* device,
                                                     const OrtKeyValuePairs* const* candidates,
                                                     size_t num_candidates,
                                                     const OrtSessionOptions* session_options,
                                                     size_t* selected_index)NO_EXCEPTION;
};

struct OrtApi {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  returns(ORT_API_CALL* name) parameters NO_EXCEPTION;
#include "ort_slots.def"
};

struct OrtModelEditorApi {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  returns(ORT_API_CALL* name) parameters NO_EXCEPTION;
#include "ort_model_editor_slots.def"
};

struct OrtCompileApi {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  returns(ORT_API_CALL* name) parameters NO_EXCEPTION;
#include "ort_compile_slots.def"
};

struct OrtInteropApi {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  returns(ORT_API_CALL* name) parameters NO_EXCEPTION;
#include "ort_interop_slots.def"
};

struct OrtEpApi {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  returns(ORT_API_CALL* name) parameters NO_EXCEPTION;
#include "ort_ep_slots.def"
};

ORT_EXPORT const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION;

#ifdef __cplusplus
}
#endif

#endif /* ORTCFFI_ONNXRUNTIME_C_API_H_ */
