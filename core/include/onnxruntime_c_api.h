/* SPDX-License-Identifier: MIT */
/**
 * @file onnxruntime_c_api.h
 * The ONNX Runtime C API at version ORT_API_VERSION, as ortcffi's core declares and provides it.
 *
 * What this is
 *     One exported function, OrtGetApiBase(), leads to one table of function pointers, OrtApi. The
 *     table is the whole API: a client finds a function by its place in it, never by a symbol. This
 *     header is binary compatible with any library of version ORT_API_VERSION, so a client
 *     compiled against it runs on ortcffi's core and on a full ONNX Runtime alike.
 *
 * How a client uses it
 *
 *     const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
 *     if (api == NULL) {
 *       return -1;                        // the library is older than this header
 *     }
 *     OrtMemoryInfo* info = NULL;
 *     OrtStatus* status = api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info);
 *     if (status != NULL) {
 *       fprintf(stderr, "%s\n", api->GetErrorMessage(status));
 *       api->ReleaseStatus(status);
 *       return -1;
 *     }
 *     api->ReleaseMemoryInfo(info);
 *
 * Versions
 *     ORT_API_VERSION counts the API's releases. A new version appends functions to the table and
 *     fields to versioned structs; nothing that has shipped is moved, changed or removed. A client
 *     asks GetApi() for the version it was compiled with and may use the functions up to that
 *     version; a library answers with NULL if it is older. A struct that a client fills in starts
 *     with a version of its own: set it to ORT_API_VERSION. It tells the library which fields are
 *     there, and the library reads no further.
 *
 * Statuses
 *     A function that can fail returns an OrtStatus*: NULL is success, anything else is an object
 *     with a code and a message, which the caller releases with ReleaseStatus(). After a failure
 *     nothing else needs to be released, and out-parameters are as they were before the call.
 *     Functions that release return nothing, cannot fail and take NULL.
 *
 * Ownership
 *     What a Create function hands out belongs to the caller until it goes to the Release function
 *     of the same name. A const pointer that a Get function hands out is borrowed: it lives as long
 *     as the object that was asked. Memory that a function takes from an OrtAllocator given to it
 *     goes back to that allocator. Arguments are copied unless the function says that it keeps
 *     them.
 *
 * Strings
 *     Strings are UTF-8 and end with a NUL, those that go in and those that come out. File paths
 *     are ORTCHAR_T, the character type of the system's own paths.
 *
 * Threads
 *     Base and table are constants and may be read by any thread at any time. An object may be used
 *     by several threads as long as none of them changes or releases it meanwhile. Allocators may
 *     be called by any thread at any time, and a block may be freed by another thread than the one
 *     that took it.
 *
 * Exceptions
 *     No exception crosses this API in either direction. In C++ the functions of the tables are
 *     noexcept; callbacks must not throw, whether their type says so or not.
 *
 * What ortcffi's core answers
 *     Each row of the slot lists (ort_slots.def and its kin) says who answers it. The functions
 *     that need an inference engine return ORT_NOT_IMPLEMENTED with a message that names them. No
 *     pointer in any table is NULL.
 */
#ifndef ORTCFFI_ONNXRUNTIME_C_API_H_
#define ORTCFFI_ONNXRUNTIME_C_API_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* Clients have always been able to rely on these two. */
#include <stdlib.h>
#include <string.h>

/** The version of the API that this header declares; what a client passes to GetApi(). */
#define ORT_API_VERSION 32

/** @name Calling convention, visibility, characters
 * What differs between systems. Callbacks that a client passes in are declared with ORT_API_CALL
 * where their type has it; functions that a client's library exports (RegisterCustomOps, for one)
 * with ORT_EXPORT as well.
 * @{ */

/**
 * @def ORT_API_CALL
 * The calling convention of the API: stdcall on Windows, the only one there is elsewhere.
 *
 * @def ORT_EXPORT
 * In front of a declaration: the function leaves its library. Windows exports what a module
 * definition file lists; define ORT_DLL_IMPORT there to link against the import library.
 *
 * @def ORTCHAR_T
 * A character of a file path: wchar_t (UTF-16) on Windows, char (UTF-8) elsewhere.
 *
 * @def ORT_TSTR
 * A string literal made of ORTCHAR_T.
 *
 * @def ORT_TSTR_ON_MACRO
 * The same for a macro that expands to a string literal.
 *
 * @def ORT_FILE
 * The name of the source file, made of ORTCHAR_T.
 */
#ifdef _WIN32
#ifndef ORT_API_CALL
#define ORT_API_CALL __stdcall
#endif
#ifdef ORT_DLL_IMPORT
#define ORT_EXPORT __declspec(dllimport)
#else
#define ORT_EXPORT
#endif
#define ORTCHAR_T wchar_t
#ifndef ORT_TSTR
#define ORT_TSTR(X) L##X
#define ORT_TSTR_ON_MACRO(X) L"" X
#endif
#else
#define ORT_API_CALL
#if defined(__GNUC__)
#define ORT_EXPORT __attribute__((visibility("default")))
#else
#define ORT_EXPORT
#endif
#ifndef ORTCHAR_T
#define ORTCHAR_T char
#endif
#ifndef ORT_TSTR
#define ORT_TSTR(X) X
#define ORT_TSTR_ON_MACRO(X) X
#endif
#endif

#ifndef ORT_FILE
#define ORT_FILE_INTERNAL(X) ORT_TSTR(X)
#define ORT_FILE ORT_FILE_INTERNAL(__FILE__)
#endif
/** @} */

/** @name Contracts
 * What the compiler may hold a caller or an implementation to.
 * @{ */

/**
 * @def NO_EXCEPTION
 * Behind a declaration: nothing is thrown. Part of the type since C++17, so a callback type has it
 * only where every client can be asked for it.
 *
 * @def ORT_ALL_ARGS_NONNULL
 * Behind a declaration: no pointer argument may be NULL. For clients' own functions; the tables do
 * not use it, because the core answers NULL with a status.
 *
 * @def ORT_MUST_USE_RESULT
 * Behind a declaration: dropping the result is a mistake, as it is for a status.
 */
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
/** @} */

/** @name SAL annotations
 * Microsoft's source annotations for parameters: in or out, may it be NULL, how many elements.
 * Other systems do not know them, so there they are nothing.
 * @{ */
#ifdef _WIN32
#include <specstrings.h>
#ifndef _Frees_ptr_opt_ /* MinGW-w64 lacks it. */
#define _Frees_ptr_opt_
#endif
#else
#define _In_
#define _In_z_
#define _In_opt_
#define _In_opt_z_
#define _Out_
#define _Out_opt_
#define _Outptr_
#define _Outptr_opt_
#define _Inout_
#define _Inout_opt_
#define _Frees_ptr_opt_
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Check_return_
#define _Outptr_result_maybenull_
#define _Outptr_result_maybenull_z_
#define _In_reads_(X)
#define _In_reads_opt_(X)
#define _Inout_updates_(X)
#define _Out_writes_(X)
#define _Out_writes_opt_(X)
#define _Inout_updates_all_(X)
#define _Out_writes_bytes_all_(X)
#define _Out_writes_all_(X)
#define _Outptr_result_buffer_maybenull_(X)
#define _Success_(X)
#endif
/** @} */

/** @name Declaration macros
 * Every function of the API is declared through one of these, so that none forgets its calling
 * convention. The arguments after the name are the parameter list; a function without parameters
 * says void.
 * @{ */

/** A function that a library exports, or one that implements a slot. */
#define ORT_API(RETURN_TYPE, NAME, ...) RETURN_TYPE ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION

/** A pointer to such a function: a slot or a field. */
#define ORT_API_T(RETURN_TYPE, NAME, ...) RETURN_TYPE(ORT_API_CALL* NAME)(__VA_ARGS__) NO_EXCEPTION

/** A function that a library exports and that can fail. */
#define ORT_API_STATUS(NAME, ...)                                                       \
  _Success_(return == 0) _Check_return_ _Ret_maybenull_ OrtStatusPtr ORT_API_CALL NAME( \
      __VA_ARGS__)                                                                      \
  NO_EXCEPTION ORT_MUST_USE_RESULT

/** A pointer to a function that can fail. */
#define ORT_API2_STATUS(NAME, ...)                                             \
  _Check_return_ _Ret_maybenull_ OrtStatusPtr(ORT_API_CALL* NAME)(__VA_ARGS__) \
      NO_EXCEPTION ORT_MUST_USE_RESULT

/** The head of a function's definition that implements a slot that can fail. */
#define ORT_API_STATUS_IMPL(NAME, ...)                                                  \
  _Success_(return == 0) _Check_return_ _Ret_maybenull_ OrtStatusPtr ORT_API_CALL NAME( \
      __VA_ARGS__) NO_EXCEPTION

/** Declares the handle OrtX, a struct that only the library can see into. */
#define ORT_RUNTIME_CLASS(X) \
  struct Ort##X;             \
  typedef struct Ort##X Ort##X

/** The slot that releases an OrtX; it takes NULL. */
#define ORT_CLASS_RELEASE(X) \
  void(ORT_API_CALL * Release##X)(_Frees_ptr_opt_ Ort##X * input) NO_EXCEPTION

/** The value that a field has in C++ before anybody sets it. In C a client sets each field. */
#ifdef __cplusplus
#define ORT_FIELD_DEFAULT(VALUE) = VALUE
#else
#define ORT_FIELD_DEFAULT(VALUE)
#endif
/** @} */

#ifdef __cplusplus
extern "C" {
#endif

/** @name Values and their types
 * What a value holds. Numbers are fixed and new ones are appended; a client must expect numbers
 * that it does not know from a library newer than itself.
 * @{ */

/** The code of a status, for programs; the message is for people. */
typedef enum OrtErrorCode {
#define ORT_ERROR_CODE(name, value) name = value,
#include "ort_error_codes.def"
} OrtErrorCode;

/**
 * The type of a tensor's elements; the numbers are those of ONNX's TensorProto.DataType. The list,
 * with the size of each type, is in ort_element_types.def.
 */
typedef enum ONNXTensorElementDataType {
#define ORT_ELEMENT_TYPE(name, value, bits, text) ONNX_TENSOR_ELEMENT_DATA_TYPE_##name = value,
#include "ort_element_types.def"
} ONNXTensorElementDataType;

/** What kind of thing an OrtValue or a type is. */
typedef enum ONNXType {
  ONNX_TYPE_UNKNOWN = 0,
  ONNX_TYPE_TENSOR = 1,
  /** Values of one type, in an order. */
  ONNX_TYPE_SEQUENCE = 2,
  /** Keys of one element type, each with a value; kept as a tensor of keys and one of values. */
  ONNX_TYPE_MAP = 3,
  /** A type known by domain and name alone. */
  ONNX_TYPE_OPAQUE = 4,
  ONNX_TYPE_SPARSETENSOR = 5,
  /** A tensor or sequence that may be absent. */
  ONNX_TYPE_OPTIONAL = 6,
} ONNXType;

/** How a sparse tensor keeps the places of its values. Powers of two, so that sets fit in an int.
 */
typedef enum OrtSparseFormat {
  ORT_SPARSE_UNDEFINED = 0,
  /** One index or one pair of indices for each value. */
  ORT_SPARSE_COO = 1,
  /** Compressed rows: a column for each value, and where each row starts. */
  ORT_SPARSE_CSRC = 2,
  /** Dense blocks, with indices for each block. */
  ORT_SPARSE_BLOCK_SPARSE = 4,
} OrtSparseFormat;

/** Which indices of a sparse tensor GetSparseTensorIndices() is to give. */
enum OrtSparseIndicesFormat {
  ORT_SPARSE_COO_INDICES = 0,
  /** The column of each value. */
  ORT_SPARSE_CSR_INNER_INDICES = 1,
  /** For each row, the position of its first value; one more entry than there are rows. */
  ORT_SPARSE_CSR_OUTER_INDICES = 2,
  ORT_SPARSE_BLOCK_SPARSE_INDICES = 3,
};

/** The type of a node's attribute. The plural ones are arrays. */
typedef enum OrtOpAttrType {
  ORT_OP_ATTR_UNDEFINED = 0,
  /** int64_t. */
  ORT_OP_ATTR_INT = 1,
  ORT_OP_ATTR_INTS = 2,
  /** 32-bit float. */
  ORT_OP_ATTR_FLOAT = 3,
  ORT_OP_ATTR_FLOATS = 4,
  /** UTF-8, without a NUL of its own. */
  ORT_OP_ATTR_STRING = 5,
  ORT_OP_ATTR_STRINGS = 6,
  /** A subgraph, as in If, Loop and Scan. */
  ORT_OP_ATTR_GRAPH = 7,
  ORT_OP_ATTR_TENSOR = 8,
} OrtOpAttrType;
/** @} */

/** @name Choices for environments and sessions
 * @{ */

/** How bad a log message is. As a setting: the least that is logged. */
typedef enum OrtLoggingLevel {
  ORT_LOGGING_LEVEL_VERBOSE = 0,
  ORT_LOGGING_LEVEL_INFO = 1,
  ORT_LOGGING_LEVEL_WARNING = 2,
  ORT_LOGGING_LEVEL_ERROR = 3,
  ORT_LOGGING_LEVEL_FATAL = 4,
} OrtLoggingLevel;

/** How far a session rewrites its graph. Each level includes those before it. */
typedef enum GraphOptimizationLevel {
  ORT_DISABLE_ALL = 0,
  /** Rewrites that hold on every device: constants folded, redundant nodes removed. */
  ORT_ENABLE_BASIC = 1,
  /** Also nodes fused into ones that particular devices have. */
  ORT_ENABLE_EXTENDED = 2,
  /** Also data layouts changed to what the device prefers. */
  ORT_ENABLE_LAYOUT = 3,
  ORT_ENABLE_ALL = 99,
} GraphOptimizationLevel;

/** Whether independent nodes of a graph may run at the same time. */
typedef enum ExecutionMode {
  ORT_SEQUENTIAL = 0,
  ORT_PARALLEL = 1,
} ExecutionMode;

/** The language that a process calls from; for telemetry. */
typedef enum OrtLanguageProjection {
  ORT_PROJECTION_C = 0,
  ORT_PROJECTION_CPLUSPLUS = 1,
  ORT_PROJECTION_CSHARP = 2,
  ORT_PROJECTION_PYTHON = 3,
  ORT_PROJECTION_JAVA = 4,
  ORT_PROJECTION_WINML = 5,
  ORT_PROJECTION_NODEJS = 6,
} OrtLanguageProjection;
/** @} */

/** @name Memory and devices
 * Where memory is and who may touch it. An OrtMemoryInfo puts these together with a name and a
 * device's number.
 * @{ */

/** How an allocator gets its memory. */
typedef enum OrtAllocatorType {
  OrtInvalidAllocator = -1,
  /** Straight from the device; the kind of the core's default allocator. */
  OrtDeviceAllocator = 0,
  /** From an arena, which keeps what is freed and hands it out again. */
  OrtArenaAllocator = 1,
  /** Memory that is written once, for initializers. */
  OrtReadOnlyAllocator = 2,
} OrtAllocatorType;

/** What a device's memory is for, from the point of view of the one that computes there. */
typedef enum OrtMemType {
  /** In the CPU's memory, read by a device. */
  OrtMemTypeCPUInput = -2,
  /** Within the CPU's reach, written by a device. */
  OrtMemTypeCPUOutput = -1,
  /** Within the CPU's reach, for what a device needs in passing. */
  OrtMemTypeCPU = OrtMemTypeCPUOutput,
  /** The device's ordinary memory. */
  OrtMemTypeDefault = 0,
} OrtMemType;

/** Whether the CPU can reach a device's memory. */
typedef enum OrtDeviceMemoryType {
  /** The device's own. */
  OrtDeviceMemoryType_DEFAULT = 0,
  /** Pinned or shared: both sides can reach it. */
  OrtDeviceMemoryType_HOST_ACCESSIBLE = 5,
} OrtDeviceMemoryType;

/** Which weights may be missing from a model that is compiled. */
typedef enum OrtWeightlessSupport {
  OrtWeightlessSupport_NONE = 0,
  /** Those that are in files of their own. */
  OrtWeightlessSupport_EXTERNAL_ONLY = 1,
  OrtWeightlessSupport_ALL = 2,
  /** What a provider can do, not what is asked for: all of them, or those in files. */
  OrtWeightlessSupport_ALL_OR_EXTERNAL_ONLY = 3,
} OrtWeightlessSupport;

/** The kind of device that memory belongs to. */
typedef enum OrtMemoryInfoDeviceType {
  OrtMemoryInfoDeviceType_CPU = 0,
  OrtMemoryInfoDeviceType_GPU = 1,
  OrtMemoryInfoDeviceType_FPGA = 2,
  OrtMemoryInfoDeviceType_NPU = 3,
} OrtMemoryInfoDeviceType;

/** The kind of a piece of hardware that was found. Its numbers are not those of
 * OrtMemoryInfoDeviceType. */
typedef enum OrtHardwareDeviceType {
  OrtHardwareDeviceType_CPU = 0,
  OrtHardwareDeviceType_GPU = 1,
  OrtHardwareDeviceType_NPU = 2,
} OrtHardwareDeviceType;
/** @} */

/** @name Choosing execution providers
 * @{ */

/** What a session is to look for when it picks its devices by itself. */
typedef enum OrtExecutionProviderDevicePolicy {
  OrtExecutionProviderDevicePolicy_DEFAULT = 0,
  OrtExecutionProviderDevicePolicy_PREFER_CPU = 1,
  OrtExecutionProviderDevicePolicy_PREFER_NPU = 2,
  OrtExecutionProviderDevicePolicy_PREFER_GPU = 3,
  /** The fastest. */
  OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE = 4,
  /** The most work for the energy. */
  OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY = 5,
  /** The least energy over all. */
  OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER = 6,
} OrtExecutionProviderDevicePolicy;

/** Why a provider cannot use a device. Bits; several may be set. */
typedef enum OrtDeviceEpIncompatibilityReason {
  OrtDeviceEpIncompatibility_NONE = 0,
  OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1,
  OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 2,
  OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 4,
  /** Bit 31, written so that it is an int. */
  OrtDeviceEpIncompatibility_UNKNOWN = -2147483647 - 1,
} OrtDeviceEpIncompatibilityReason;

/** Whether a model that was compiled elsewhere runs here. */
typedef enum OrtCompiledModelCompatibility {
  /** The model was not compiled for this provider. */
  OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
  OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
  /** It runs, and would run better if it were compiled again. */
  OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,
  OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3,
} OrtCompiledModelCompatibility;

/** When compiling a model counts as failed; bits for ModelCompilationOptions_SetFlags(). */
typedef enum OrtCompileApiFlags {
  OrtCompileApiFlags_NONE = 0,
  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1,
  OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 2,
} OrtCompileApiFlags;

/** How cuDNN picks an algorithm for a convolution. */
typedef enum OrtCudnnConvAlgoSearch {
  /** Tries them all, once. */
  OrtCudnnConvAlgoSearchExhaustive = 0,
  /** Asks cuDNN for its guess. */
  OrtCudnnConvAlgoSearchHeuristic = 1,
  /** Takes the implicit GEMM with precomputed indices. */
  OrtCudnnConvAlgoSearchDefault = 2,
} OrtCudnnConvAlgoSearch;
/** @} */

/** @name Sharing with graphics
 * Kinds of objects of other APIs that memory and order can be shared with.
 * @{ */

/** What kind of handle to shared memory is given. */
typedef enum OrtExternalMemoryHandleType {
  /** A Direct3D 12 resource, as an NT handle. */
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
  /** A Direct3D 12 heap, as an NT handle. */
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
  /** Vulkan device memory, as an NT handle. */
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32 = 2,
  /** Vulkan device memory, as a file descriptor. */
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD = 3,
} OrtExternalMemoryHandleType;

/** What kind of handle to a semaphore or fence is given. */
typedef enum OrtExternalSemaphoreType {
  ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2,
} OrtExternalSemaphoreType;

/** The graphics API on the other side. */
typedef enum OrtGraphicsApi {
  ORT_GRAPHICS_API_NONE = 0,
  ORT_GRAPHICS_API_D3D12 = 1,
  ORT_GRAPHICS_API_VULKAN = 2,
} OrtGraphicsApi;
/** @} */

/** @name Handles
 * Objects that only the library can see into. A client holds pointers to them, gets them from a
 * Create function and gives them back to the Release function of the same name, unless the line
 * below says that they are borrowed. A handle of one library must not reach another, even where
 * both have the same version.
 * @{ */

/** The process's one environment: logging, thread pools, shared allocators. Outlives sessions. */
ORT_RUNTIME_CLASS(Env);
/** Why a call failed. NULL is success. */
ORT_RUNTIME_CLASS(Status);
/** Where memory is: a name, a device, the kind of allocator and of memory. Never changes. */
ORT_RUNTIME_CLASS(MemoryInfo);
/** The inputs and outputs of runs, bound ahead to memory of the caller's choice. */
ORT_RUNTIME_CLASS(IoBinding);
/** A model, loaded and ready to run. */
ORT_RUNTIME_CLASS(Session);
/** A tensor, sparse tensor, sequence, map or optional. */
ORT_RUNTIME_CLASS(Value);
/** Settings of one run, and the switch that ends it early. */
ORT_RUNTIME_CLASS(RunOptions);
/** The type of a value, of any kind. */
ORT_RUNTIME_CLASS(TypeInfo);
/** Element type and shape of a tensor. */
ORT_RUNTIME_CLASS(TensorTypeAndShapeInfo);
/** Key and value type of a map. */
ORT_RUNTIME_CLASS(MapTypeInfo);
/** Element type of a sequence. */
ORT_RUNTIME_CLASS(SequenceTypeInfo);
/** What an optional holds if it holds anything. Borrowed from its OrtTypeInfo. */
ORT_RUNTIME_CLASS(OptionalTypeInfo);
/** Settings of a session to be. */
ORT_RUNTIME_CLASS(SessionOptions);
/** Custom ops under one domain name. Must outlive the sessions that use it. */
ORT_RUNTIME_CLASS(CustomOpDomain);
/** What a model says about itself. */
ORT_RUNTIME_CLASS(ModelMetadata);
/** Settings of one thread pool. */
ORT_RUNTIME_CLASS(ThreadPoolParams);
/** Settings of the environment's thread pools. */
ORT_RUNTIME_CLASS(ThreadingOptions);
/** Settings of an arena. */
ORT_RUNTIME_CLASS(ArenaCfg);
/** Weights in the form that kernels like best, shared between sessions. */
ORT_RUNTIME_CLASS(PrepackedWeightsContainer);
/** Settings of the TensorRT provider, by key. */
ORT_RUNTIME_CLASS(TensorRTProviderOptionsV2);
/** Settings of the TensorRT-for-RTX provider, by key. */
ORT_RUNTIME_CLASS(NvTensorRtRtxProviderOptions);
/** Settings of the CUDA provider, by key. */
ORT_RUNTIME_CLASS(CUDAProviderOptionsV2);
/** Settings of the CANN provider, by key. */
ORT_RUNTIME_CLASS(CANNProviderOptions);
/** Settings of the oneDNN provider, by key. */
ORT_RUNTIME_CLASS(DnnlProviderOptions);
/** A built-in operator that a custom kernel calls. */
ORT_RUNTIME_CLASS(Op);
/** An attribute of a node. */
ORT_RUNTIME_CLASS(OpAttr);
/** Where to log. Borrowed. */
ORT_RUNTIME_CLASS(Logger);
/** What shape inference of a custom op may ask and tell. Borrowed for the time of the call. */
ORT_RUNTIME_CLASS(ShapeInferContext);
/** A LoRA adapter's weights. */
ORT_RUNTIME_CLASS(LoraAdapter);
/** An input, output or inner value of a graph. */
ORT_RUNTIME_CLASS(ValueInfo);
/** A node of a graph. */
ORT_RUNTIME_CLASS(Node);
/** A graph. */
ORT_RUNTIME_CLASS(Graph);
/** A graph and the opsets that it is written in. */
ORT_RUNTIME_CLASS(Model);
/** Settings of a compilation. */
ORT_RUNTIME_CLASS(ModelCompilationOptions);
/** A piece of hardware that was found. Borrowed from the environment. */
ORT_RUNTIME_CLASS(HardwareDevice);
/** A piece of hardware and a provider that can use it. Borrowed from the environment. */
ORT_RUNTIME_CLASS(EpDevice);
/** Strings by name, in the order in which they were added. */
ORT_RUNTIME_CLASS(KeyValuePairs);
/** A queue of work on a device. */
ORT_RUNTIME_CLASS(SyncStream);
/** Where in which file an initializer's data is. */
ORT_RUNTIME_CLASS(ExternalInitializerInfo);
/** Takes in memory and semaphores of graphics APIs. */
ORT_RUNTIME_CLASS(ExternalResourceImporter);
/** Why a provider cannot use a device, with the provider's own words. */
ORT_RUNTIME_CLASS(DeviceEpIncompatibilityDetails);
/** A part of a session's graph that one provider took. Borrowed from the session. */
ORT_RUNTIME_CLASS(EpAssignedSubgraph);
/** A node of such a part. Borrowed from the session. */
ORT_RUNTIME_CLASS(EpAssignedNode);
/** What a kernel may ask about its node when it is made. Borrowed for the time of the call. */
ORT_RUNTIME_CLASS(KernelInfo);
/** A kernel's inputs and outputs. Borrowed for the time of the call. */
ORT_RUNTIME_CLASS(KernelContext);
/** For which execution providers variants of a model package are chosen. */
ORT_RUNTIME_CLASS(ModelPackageOptions);
/** A model package that was read. */
ORT_RUNTIME_CLASS(ModelPackageContext);
/** The variant of a model package's component that was chosen. */
ORT_RUNTIME_CLASS(ModelPackageComponentContext);
/** The training API. No library that we know has it. */
ORT_RUNTIME_CLASS(TrainingApi);

/** How a status is returned by what the declaration macros declare. */
typedef OrtStatus* OrtStatusPtr;
/** @} */

/** @name Structs with fields
 * Their definitions follow, here or in onnxruntime_ep_c_api.h.
 * @{ */
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtApi OrtApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtCUDAProviderOptions OrtCUDAProviderOptions;
typedef struct OrtCompileApi OrtCompileApi;
typedef struct OrtCustomOp OrtCustomOp;
typedef struct OrtEnvCreationOptions OrtEnvCreationOptions;
typedef struct OrtEpApi OrtEpApi;
typedef struct OrtExternalMemoryDescriptor OrtExternalMemoryDescriptor;
typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
typedef struct OrtExternalSemaphoreDescriptor OrtExternalSemaphoreDescriptor;
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
typedef struct OrtExternalTensorDescriptor OrtExternalTensorDescriptor;
typedef struct OrtGraphicsInteropConfig OrtGraphicsInteropConfig;
typedef struct OrtInteropApi OrtInteropApi;
typedef struct OrtMIGraphXProviderOptions OrtMIGraphXProviderOptions;
typedef struct OrtModelEditorApi OrtModelEditorApi;
typedef struct OrtModelPackageApi OrtModelPackageApi;
typedef struct OrtOpenVINOProviderOptions OrtOpenVINOProviderOptions;
typedef struct OrtROCMProviderOptions OrtROCMProviderOptions;
typedef struct OrtTensorRTProviderOptions OrtTensorRTProviderOptions;
typedef struct OrtThreadPoolCallbacksConfig OrtThreadPoolCallbacksConfig;
/** @} */

/** @name The entry
 * The only part of the API that is found by name, and the only struct that can never grow: nobody
 * knows which version of it a library has.
 * @{ */

/** Two functions that lead to everything else. 16 bytes on a 64-bit machine, for ever. */
struct OrtApiBase {
  /**
   * The table of functions of an API version.
   *
   * A library has one table, and hands out the same pointer for each version that it knows: the
   * core for 1 to ORT_API_VERSION. Where the version is 0 or newer than the library, one line on
   * stderr says so and the answer is NULL.
   *
   * @param version The version that the client was compiled with: ORT_API_VERSION.
   * @return The table, a constant of the library; or NULL.
   */
  const OrtApi*(ORT_API_CALL* GetApi)(uint32_t version)NO_EXCEPTION;

  /**
   * The library's version, as "major.minor.patch". The minor number is the newest API version that
   * the library knows; ask here first to avoid GetApi()'s line on stderr.
   *
   * @return A constant string.
   */
  const char*(ORT_API_CALL* GetVersionString)(void)NO_EXCEPTION;
};

/**
 * The exported function that is the way into a library.
 *
 * @return A constant of the library, never NULL. It is valid until the library is unloaded.
 */
ORT_EXPORT const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION;
/** @} */

/** @name Allocators
 * Memory from one side for the other. The library hands out its own allocators and takes a
 * client's; both are this struct, and either side calls the other's through it.
 * @{ */

/**
 * An allocator: a version and seven functions, each given the struct itself first.
 *
 * The version says which fields the struct has; one who reads a field first looks whether it is
 * there and not NULL. Version, Alloc, Free and Info have always been there; Reserve came with 18,
 * GetStats and AllocOnStream with 23, Shrink with 25. So a struct of version 25 or newer has 64
 * bytes on a 64-bit machine, and one of version 23 or 24 has 56. A client that fills one in sets
 * the version to ORT_API_VERSION and sets what it does not have to NULL; only Alloc, Free and Info
 * must be there. A client that derives a struct of its own puts this one first.
 *
 * An allocator must outlive each block, value and session that uses it.
 *
 *     struct counting {
 *       OrtAllocator base;                // first, so that a pointer to it is a pointer to this
 *       const OrtMemoryInfo* info;
 *       atomic_size_t blocks;
 *     };
 *
 *     static void* ORT_API_CALL counting_alloc(OrtAllocator* this_, size_t size) {
 *       void* block = size == 0 ? NULL : aligned_alloc(64, (size + 63) & ~(size_t)63);
 *       if (block != NULL) {
 *         atomic_fetch_add(&((struct counting*)this_)->blocks, 1);
 *       }
 *       return block;
 *     }
 */
struct OrtAllocator {
  /** The version of the API that the struct was compiled with. */
  uint32_t version;

  /**
   * Takes a block of at least `size` bytes.
   *
   * @param this_ This struct.
   * @param size Bytes. 0 gives NULL, which is no failure.
   * @return A block, or NULL if there is none. The core's are aligned to 64 bytes; a client that
   *     needs an alignment of somebody else's must check.
   */
  void*(ORT_API_CALL* Alloc)(OrtAllocator* this_, size_t size);

  /**
   * Gives a block back.
   *
   * @param this_ The struct that the block came from.
   * @param p The block, or NULL. The core reports on stderr, and otherwise ignores, a pointer that
   *     it did not hand out or that was freed before, wherever it can tell.
   */
  void(ORT_API_CALL* Free)(OrtAllocator* this_, void* p);

  /**
   * Says where the blocks are.
   *
   * @param this_ This struct.
   * @return A description that lives as long as the allocator and belongs to it.
   */
  const OrtMemoryInfo*(ORT_API_CALL* Info)(const OrtAllocator* this_);

  /**
   * Since version 18. Takes a block that is kept for long, past whatever the allocator does to
   * make short-lived blocks cheap; an arena takes it from outside itself. May be NULL: then Alloc
   * is called instead. The core's is the same as Alloc.
   *
   * @param this_ This struct.
   * @param size Bytes. 0 gives NULL.
   * @return A block for Free, or NULL if there is none.
   */
  void*(ORT_API_CALL* Reserve)(OrtAllocator* this_, size_t size);

  /**
   * Since version 23. Gives the allocator's statistics as pairs of names and decimal numbers. May
   * be NULL.
   *
   * Names that allocators share: Limit, InUse, TotalAllocated, MaxInUse, NumAllocs, NumReserves,
   * NumArenaExtensions, NumArenaShrinkages, MaxAllocSize. An allocator gives those that it has and
   * may add its own; sizes are bytes.
   *
   * @param this_ This struct.
   * @param[out] out The pairs; the caller releases them with ReleaseKeyValuePairs().
   */
  ORT_API2_STATUS(GetStats, const OrtAllocator* this_, OrtKeyValuePairs** out);

  /**
   * Since version 23. Takes a block for work that is queued on a stream. May be NULL, as the core's
   * is: then Alloc is called instead.
   *
   * @param this_ This struct.
   * @param size Bytes. 0 gives NULL.
   * @param stream The stream whose work will use the block.
   * @return A block for Free, or NULL if there is none.
   */
  void*(ORT_API_CALL* AllocOnStream)(OrtAllocator* this_, size_t size, OrtSyncStream* stream);

  /**
   * Since version 25. Gives memory that is kept but not used back to where it came from. Blocks in
   * use stay where they are. May be NULL.
   *
   * @param this_ This struct.
   */
  ORT_API2_STATUS(Shrink, OrtAllocator* this_);
};
/** @} */

/** @name Callbacks
 * Functions of the client's that the library calls. The client's pointer that was given with the
 * function comes first or last among the arguments, as the type says. A callback may be called by
 * any thread; it must not throw, and it must not release what it borrowed. A status that it
 * returns belongs to the library: make it with CreateStatus(), return NULL for success.
 * @{ */

/** A function of an experiment, found by name; cast it to the type that its documentation gives. */
typedef void(ORT_API_CALL* OrtExperimentalFnPtr)(void);

/**
 * Takes log messages.
 *
 * @param param The client's pointer.
 * @param severity How bad it is.
 * @param category The part of the library that speaks.
 * @param logid The name that the environment, session or run was given.
 * @param code_location File, line and function.
 * @param message The message. All strings are valid during the call only.
 */
typedef void(ORT_API_CALL* OrtLoggingFunction)(void* param, OrtLoggingLevel severity,
                                               const char* category, const char* logid,
                                               const char* code_location, const char* message);

/**
 * Picks the devices that a session is to use.
 *
 * @param ep_devices All devices, best guess first.
 * @param num_devices How many.
 * @param model_metadata What the model says about itself.
 * @param runtime_metadata What is known about this run; may be NULL.
 * @param[out] selected Room for pointers out of `ep_devices`, most wanted first.
 * @param max_selected How many there is room for.
 * @param[out] num_selected How many were picked.
 * @param state The client's pointer.
 */
typedef OrtStatus*(ORT_API_CALL* EpSelectionDelegate)(
    const OrtEpDevice** ep_devices, size_t num_devices, const OrtKeyValuePairs* model_metadata,
    const OrtKeyValuePairs* runtime_metadata, const OrtEpDevice** selected, size_t max_selected,
    size_t* num_selected, void* state);

/**
 * Takes a piece of a compiled model; called until all of it is written.
 *
 * @param state The client's pointer.
 * @param buffer The piece, valid during the call.
 * @param buffer_num_bytes Its size.
 */
typedef OrtStatus*(ORT_API_CALL* OrtWriteBufferFunc)(void* state, const void* buffer,
                                                     size_t buffer_num_bytes);

/**
 * Takes data that a compiled model refers to by name.
 *
 * @param state The client's pointer.
 * @param name The name, UTF-8, valid during the call.
 * @param buffer The data, valid during the call.
 * @param buffer_num_bytes Its size.
 */
typedef OrtStatus*(ORT_API_CALL* OrtWriteNamedBufferFunc)(void* state, const char* name,
                                                          const void* buffer,
                                                          size_t buffer_num_bytes);

/**
 * Gives data that a compiled model refers to by name.
 *
 * @param state The client's pointer.
 * @param name The name, UTF-8, valid during the call.
 * @param allocator Allocates the buffer.
 * @param[out] buffer The data. The caller frees it with the allocator.
 * @param[out] data_size Its size.
 */
typedef OrtStatus*(ORT_API_CALL* OrtReadNamedBufferFunc)(void* state, const char* name,
                                                         OrtAllocator* allocator, void** buffer,
                                                         size_t* data_size);

/**
 * Decides where an initializer of a compiled model goes.
 *
 * @param state The client's pointer.
 * @param initializer_name Its name.
 * @param initializer_value Its data.
 * @param external_info Where the data was in the model as it came; NULL if inside it.
 * @param[out] new_external_info Where the client has put the data, as made by
 *     CreateExternalInitializerInfo(), for the library to keep; NULL leaves the data in the model.
 */
typedef OrtStatus*(ORT_API_CALL* OrtGetInitializerLocationFunc)(
    void* state, const char* initializer_name, const OrtValue* initializer_value,
    const OrtExternalInitializerInfo* external_info,
    OrtExternalInitializerInfo** new_external_info);

/**
 * What a custom-op library exports under the name RegisterCustomOps: adds its domains to the
 * options of a session.
 *
 * @param options The options.
 * @param api The base of the library that calls. Ops and kernels must use this one, not one that
 *     they find by themselves.
 */
typedef OrtStatus*(ORT_API_CALL* RegisterCustomOpsFn)(OrtSessionOptions* options,
                                                      const OrtApiBase* api);

/**
 * Called when a run started by RunAsync() has ended, on a thread of the library's pool.
 *
 * @param user_data The client's pointer.
 * @param outputs The outputs, the array that RunAsync() was given.
 * @param num_outputs How many.
 * @param status NULL, or why the run failed; the client releases it.
 */
typedef void (*RunAsyncCallbackFn)(void* user_data, OrtValue** outputs, size_t num_outputs,
                                   OrtStatusPtr status);
/** @} */

/** @name Threads of the client's
 * For clients that want to make the threads of the library's pools themselves, or to be called
 * about the work that is put into them. These types have no ORT_API_CALL.
 * @{ */

/** What a thread of a pool has to run, once, until the pool ends. */
typedef void (*OrtThreadWorkerFn)(void* ort_worker_fn_param);

/** What a client's handle to a thread points to; only the client knows what it is. */
struct OrtCustomHandleType {
  /** C wants a member. */
  char __place_holder;
};

/** A thread that the client made. */
typedef const struct OrtCustomHandleType* OrtCustomThreadHandle;

/**
 * Makes a thread.
 *
 * @param ort_custom_thread_creation_options The client's pointer.
 * @param ort_thread_worker_fn What the thread has to run.
 * @param ort_worker_fn_param The argument for it.
 * @return A handle for the function that joins; NULL if no thread could be made.
 */
typedef OrtCustomThreadHandle (*OrtCustomCreateThreadFn)(void* ort_custom_thread_creation_options,
                                                         OrtThreadWorkerFn ort_thread_worker_fn,
                                                         void* ort_worker_fn_param);

/** Waits for a thread to end and lets go of the handle. */
typedef void (*OrtCustomJoinThreadFn)(OrtCustomThreadHandle ort_custom_thread_handle);

/**
 * Called when work is put into a queue, by the thread that does so.
 *
 * @param user_context The client's pointer.
 * @return A pointer that goes with the work to the functions below, whoever calls them; may be
 * NULL.
 */
typedef void* (*OrtThreadPoolWorkEnqueueFn)(void* user_context);

/** Called when a thread of the pool starts such work. */
typedef void (*OrtThreadPoolWorkStartFn)(void* user_context, void* enqueue_data);

/** Called when it has ended. */
typedef void (*OrtThreadPoolWorkStopFn)(void* user_context, void* enqueue_data);

/** Called when it will never start; what belongs to `enqueue_data` is to be freed. */
typedef void (*OrtThreadPoolWorkAbandonFn)(void* user_context, void* enqueue_data);

/** Functions that are called about the work of a pool. Each function may be NULL. */
struct OrtThreadPoolCallbacksConfig {
  /** ORT_API_VERSION. */
  uint32_t version;
  OrtThreadPoolWorkEnqueueFn on_enqueue;
  OrtThreadPoolWorkStartFn on_start_work;
  OrtThreadPoolWorkStopFn on_stop_work;
  OrtThreadPoolWorkAbandonFn on_abandon;
  /** Handed to each function; must outlive the pool. */
  void* user_context;
};
/** @} */

/** @name Making an environment
 * @{ */

/** The arguments of CreateEnvWithOptions(). The strings are copied; a NULL stands for nothing
 * special unless its field says otherwise. */
struct OrtEnvCreationOptions {
  /** ORT_API_VERSION. */
  uint32_t version;
  /** An OrtLoggingLevel: the least that is logged, where a session or a run does not say more. */
  int32_t logging_severity_level;
  /** A name that goes with each message. Must not be NULL. */
  const char* log_id;
  /** Takes the messages; NULL sends them to the library's own sink. */
  OrtLoggingFunction custom_logging_function;
  /** The client's pointer for that function; must outlive the environment. */
  void* custom_logging_param;
  /** Asks for thread pools that all sessions share; NULL gives each session its own. */
  const OrtThreadingOptions* threading_options;
  /** Further settings by name; NULL for none. */
  const OrtKeyValuePairs* config_entries;
};
/** @} */

/** @name Settings of providers, as structs
 * From the API's first versions, when a provider's settings were the fields of a struct. They have
 * no version and will not grow; the functions that end in _V2, and
 * SessionOptionsAppendExecutionProvider(), take settings by name instead. The core has no providers
 * and only declares them. An int that says whether is 0 for no. In C every field must be set; in
 * C++ the structs of CUDA, ROCm and OpenVINO start with the defaults.
 * @{ */

/** Settings of the CUDA provider. */
struct OrtCUDAProviderOptions {
  /** CUDA's number of the device. */
  int device_id ORT_FIELD_DEFAULT(0);
  OrtCudnnConvAlgoSearch cudnn_conv_algo_search ORT_FIELD_DEFAULT(OrtCudnnConvAlgoSearchExhaustive);
  /** Bytes that the arena may take from the device. */
  size_t gpu_mem_limit ORT_FIELD_DEFAULT(SIZE_MAX);
  /** How the arena grows: 0 to the next power of two, 1 by what is asked for. */
  int arena_extend_strategy ORT_FIELD_DEFAULT(0);
  /** Whether copies are queued on the stream that computes; 0 may race. */
  int do_copy_in_default_stream ORT_FIELD_DEFAULT(1);
  /** Whether the next field counts. */
  int has_user_compute_stream ORT_FIELD_DEFAULT(0);
  /** A cudaStream_t of the client's, which must outlive the session. */
  void* user_compute_stream ORT_FIELD_DEFAULT(nullptr);
  /** Settings of the arena, which outrank those above; NULL for none. */
  OrtArenaCfg* default_memory_arena_cfg ORT_FIELD_DEFAULT(nullptr);
  /** Whether kernels with several implementations use the one that was found fastest. */
  int tunable_op_enable ORT_FIELD_DEFAULT(0);
  /** Whether to find it. */
  int tunable_op_tuning_enable ORT_FIELD_DEFAULT(0);
  /** Milliseconds that finding it may take for each kernel; 0 for no limit. */
  int tunable_op_max_tuning_duration_ms ORT_FIELD_DEFAULT(0);
};

/** Settings of the ROCm provider; fields of the same name as CUDA's mean the same. */
struct OrtROCMProviderOptions {
  int device_id ORT_FIELD_DEFAULT(0);
  /** Whether MIOpen tries all algorithms for a convolution. */
  int miopen_conv_exhaustive_search ORT_FIELD_DEFAULT(0);
  size_t gpu_mem_limit ORT_FIELD_DEFAULT(SIZE_MAX);
  int arena_extend_strategy ORT_FIELD_DEFAULT(0);
  int do_copy_in_default_stream ORT_FIELD_DEFAULT(1);
  int has_user_compute_stream ORT_FIELD_DEFAULT(0);
  /** A hipStream_t of the client's. */
  void* user_compute_stream ORT_FIELD_DEFAULT(nullptr);
  OrtArenaCfg* default_memory_arena_cfg ORT_FIELD_DEFAULT(nullptr);
  /** Whether runs are recorded as a HIP graph and played back. */
  int enable_hip_graph ORT_FIELD_DEFAULT(0);
  int tunable_op_enable ORT_FIELD_DEFAULT(0);
  int tunable_op_tuning_enable ORT_FIELD_DEFAULT(0);
  int tunable_op_max_tuning_duration_ms ORT_FIELD_DEFAULT(0);
};

/** Settings of the TensorRT provider. */
struct OrtTensorRTProviderOptions {
  /** CUDA's number of the device. */
  int device_id;
  int has_user_compute_stream;
  void* user_compute_stream;
  /** How often the graph may be parted anew to fit what TensorRT supports. */
  int trt_max_partition_iterations;
  /** Parts with fewer nodes are left to other providers. */
  int trt_min_subgraph_size;
  /** Bytes of scratch memory. */
  size_t trt_max_workspace_size;
  int trt_fp16_enable;
  int trt_int8_enable;
  const char* trt_int8_calibration_table_name;
  /** Whether that table was written by TensorRT itself. */
  int trt_int8_use_native_calibration_table;
  /** Whether to use the deep-learning accelerator, and which. */
  int trt_dla_enable;
  int trt_dla_core;
  /** Whether the parts are written to files, for debugging. */
  int trt_dump_subgraphs;
  /** Whether built engines are kept in files, and in which directory. */
  int trt_engine_cache_enable;
  const char* trt_engine_cache_path;
  /** Whether those files are encrypted, and the library that decrypts them. */
  int trt_engine_decryption_enable;
  const char* trt_engine_decryption_lib_path;
  /** Whether engines for several devices are built one after the other. */
  int trt_force_sequential_engine_build;
};

/** Settings of the MIGraphX provider. */
struct OrtMIGraphXProviderOptions {
  /** HIP's number of the device. */
  int device_id;
  int migraphx_fp16_enable;
  int migraphx_fp8_enable;
  int migraphx_int8_enable;
  /** Whether the calibration table was written by MIGraphX itself. */
  int migraphx_use_native_calibration_table;
  const char* migraphx_int8_calibration_table_name;
  /** Whether the compiled model is written to a file, and to which. */
  int migraphx_save_compiled_model;
  const char* migraphx_save_model_path;
  /** Whether it is read from a file instead of being compiled, and from which. */
  int migraphx_load_compiled_model;
  const char* migraphx_load_model_path;
  /** Whether compiling tries all it can. */
  bool migraphx_exhaustive_tune;
  /** Bytes that the arena may take from the device; SIZE_MAX for no limit. */
  size_t migraphx_mem_limit;
  /** How the arena grows, as for CUDA. */
  int migraphx_arena_extend_strategy;
};

/** Settings of the OpenVINO provider. */
struct OrtOpenVINOProviderOptions {
  /** The device by OpenVINO's name, with its precision: "CPU_FP32", for one. */
  const char* device_type ORT_FIELD_DEFAULT(nullptr);
  unsigned char enable_npu_fast_compile ORT_FIELD_DEFAULT(0);
  /** Which device, where there are several of a type. */
  const char* device_id ORT_FIELD_DEFAULT(nullptr);
  /** 0 for the provider's own choice. */
  size_t num_of_threads ORT_FIELD_DEFAULT(0);
  /** Directory for compiled models; NULL for none. */
  const char* cache_dir ORT_FIELD_DEFAULT(nullptr);
  /** An OpenCL context of the client's; NULL for none. */
  void* context ORT_FIELD_DEFAULT(nullptr);
  unsigned char enable_opencl_throttling ORT_FIELD_DEFAULT(0);
  /** Whether shapes may change between runs. */
  unsigned char enable_dynamic_shapes ORT_FIELD_DEFAULT(0);
};
/** @} */

/** @name What is shared with graphics
 * Descriptions that OrtInteropApi takes. Each begins with a version: ORT_API_VERSION.
 * @{ */

/** Memory that another API has. */
struct OrtExternalMemoryDescriptor {
  uint32_t version;
  OrtExternalMemoryHandleType handle_type;
  /** The handle itself; stays the client's. */
  void* native_handle;
  /** Bytes of the whole allocation. */
  size_t size_bytes;
  /** Where in it to begin. */
  size_t offset_bytes;
};

/** A semaphore or fence that another API has. */
struct OrtExternalSemaphoreDescriptor {
  uint32_t version;
  OrtExternalSemaphoreType type;
  /** The handle itself; stays the client's. */
  void* native_handle;
};

/** A tensor in memory that was imported. */
struct OrtExternalTensorDescriptor {
  uint32_t version;
  ONNXTensorElementDataType element_type;
  /** `rank` dimensions; copied. */
  const int64_t* shape;
  size_t rank;
  /** Where in the imported memory the first element is. */
  size_t offset_bytes;
};

/** The graphics API that a device is to work with. */
struct OrtGraphicsInteropConfig {
  uint32_t version;
  OrtGraphicsApi graphics_api;
  /** The queue that the client submits to, in the graphics API's own type; may be NULL. */
  void* command_queue;
  /** Settings by name; NULL for none. */
  const OrtKeyValuePairs* additional_options;
};
/** @} */

/** @name Custom operators
 * An operator of the client's: the struct describes its inputs and outputs and makes its kernels.
 * It is called through pointers to itself, so a client that needs more puts this struct first in
 * one of its own. It must outlive each session that uses it.
 * @{ */

/** Whether an input or output must be there. */
typedef enum OrtCustomOpInputOutputCharacteristic {
  INPUT_OUTPUT_REQUIRED = 0,
  INPUT_OUTPUT_OPTIONAL = 1,
  /** Any number of them; only the last input and the last output can be. */
  INPUT_OUTPUT_VARIADIC = 2,
} OrtCustomOpInputOutputCharacteristic;

/**
 * One custom operator. As with OrtAllocator, the version says which fields are there: those up to
 * KernelDestroy always, the others from the version that stands with them. 208 bytes on a 64-bit
 * machine.
 *
 * A kernel is whatever its maker says it is: a pointer that the library hands back. Kernels of one
 * op may run on several threads at once, and so may one kernel.
 *
 * What an op needs, from the oldest fields on, in a library that exports RegisterCustomOps:
 *
 *     static const OrtCustomOp twice = {
 *         .version = ORT_API_VERSION,
 *         .GetName = twice_name,                          // "Twice"
 *         .GetInputTypeCount = one,
 *         .GetInputType = any_float,
 *         .GetOutputTypeCount = one,
 *         .GetOutputType = any_float,
 *         .CreateKernelV2 = twice_create,
 *         .KernelComputeV2 = twice_compute,
 *         .KernelDestroy = twice_destroy,
 *         .GetExecutionProviderType = on_cpu,             // NULL
 *         .GetInputCharacteristic = required,
 *         .GetOutputCharacteristic = required,
 *         .GetInputMemoryType = in_default_memory,
 *     };
 */
struct OrtCustomOp {
  /** The version of the API that the struct was compiled with. */
  uint32_t version;

  /**
   * Makes a kernel for one node. Used unless the version is at least 16 and CreateKernelV2 is
   * there.
   *
   * @param op This struct.
   * @param api The table that the kernel is to use.
   * @param info The node's attributes, inputs and outputs; borrowed for the time of the call.
   * @return The kernel.
   */
  void*(ORT_API_CALL* CreateKernel)(const OrtCustomOp* op, const OrtApi* api,
                                    const OrtKernelInfo* info);

  /** The operator's name, as nodes have it. */
  const char*(ORT_API_CALL* GetName)(const OrtCustomOp* op);

  /** The provider that the kernels run on, by name; NULL for the CPU. */
  const char*(ORT_API_CALL* GetExecutionProviderType)(const OrtCustomOp* op);

  /** The element type of an input; UNDEFINED for any. */
  ONNXTensorElementDataType(ORT_API_CALL* GetInputType)(const OrtCustomOp* op, size_t index);

  /** How many inputs there are. */
  size_t(ORT_API_CALL* GetInputTypeCount)(const OrtCustomOp* op);

  /** The element type of an output; UNDEFINED for that of the inputs of any type. */
  ONNXTensorElementDataType(ORT_API_CALL* GetOutputType)(const OrtCustomOp* op, size_t index);

  /** How many outputs there are. */
  size_t(ORT_API_CALL* GetOutputTypeCount)(const OrtCustomOp* op);

  /**
   * Computes: reads the context's inputs, writes its outputs. Cannot fail; see KernelComputeV2.
   *
   * @param op_kernel What CreateKernel returned.
   * @param context The inputs and outputs of this run; borrowed for the time of the call.
   */
  void(ORT_API_CALL* KernelCompute)(void* op_kernel, OrtKernelContext* context);

  /** Destroys a kernel. */
  void(ORT_API_CALL* KernelDestroy)(void* op_kernel);

  /** Since version 8. Whether an input must be there. */
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetInputCharacteristic)(const OrtCustomOp* op,
                                                                             size_t index);

  /** Since version 8. Whether an output must be there. */
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL* GetOutputCharacteristic)(const OrtCustomOp* op,
                                                                              size_t index);

  /** Since version 13. Where an input is wanted: in the device's memory or in the CPU's. */
  OrtMemType(ORT_API_CALL* GetInputMemoryType)(const OrtCustomOp* op, size_t index);

  /** Since version 14. The least number of values that a variadic input takes. */
  int(ORT_API_CALL* GetVariadicInputMinArity)(const OrtCustomOp* op);

  /** Since version 14. Whether those all have one type; 0 for no. */
  int(ORT_API_CALL* GetVariadicInputHomogeneity)(const OrtCustomOp* op);

  /** Since version 14. The least number of values that a variadic output has. */
  int(ORT_API_CALL* GetVariadicOutputMinArity)(const OrtCustomOp* op);

  /** Since version 14. Whether those all have one type; 0 for no. */
  int(ORT_API_CALL* GetVariadicOutputHomogeneity)(const OrtCustomOp* op);

  /**
   * Since version 16. As CreateKernel, and can fail. NULL: CreateKernel is used.
   *
   * @param op This struct.
   * @param api The table that the kernel is to use.
   * @param info The node; borrowed for the time of the call.
   * @param[out] kernel The kernel.
   * @return NULL, or why there is no kernel: the session is not made.
   */
  OrtStatusPtr(ORT_API_CALL* CreateKernelV2)(const OrtCustomOp* op, const OrtApi* api,
                                             const OrtKernelInfo* info, void** kernel);

  /** Since version 16. As KernelCompute, and can fail. Used if CreateKernelV2 is there. */
  OrtStatusPtr(ORT_API_CALL* KernelComputeV2)(void* op_kernel, OrtKernelContext* context);

  /**
   * Since version 17. Works out the outputs' types and shapes from the inputs'. NULL: they are not
   * known before the kernel has run.
   *
   * @param op This struct.
   * @param context The node; borrowed for the time of the call.
   */
  OrtStatusPtr(ORT_API_CALL* InferOutputShapeFn)(const OrtCustomOp* op,
                                                 OrtShapeInferContext* context);

  /** Since version 17. The first version of the domain's opset that has this op; may be NULL. */
  int(ORT_API_CALL* GetStartVersion)(const OrtCustomOp* op);

  /** Since version 17. The last one; may be NULL. */
  int(ORT_API_CALL* GetEndVersion)(const OrtCustomOp* op);

  /**
   * Since version 18. The pairs of input and output that may share their memory. May be NULL, and
   * so may the three below.
   *
   * @param[out] input_index An array of inputs.
   * @param[out] output_index An array of outputs, as long.
   * @return How long they are. The next field releases them.
   */
  size_t(ORT_API_CALL* GetMayInplace)(int** input_index, int** output_index);

  /** Since version 18. Releases what GetMayInplace gave. */
  void(ORT_API_CALL* ReleaseMayInplace)(int* input_index, int* output_index);

  /** Since version 18. The pairs that must share their memory: outputs that are views. */
  size_t(ORT_API_CALL* GetAliasMap)(int** input_index, int** output_index);

  /** Since version 18. Releases what GetAliasMap gave. */
  void(ORT_API_CALL* ReleaseAliasMap)(int* input_index, int* output_index);
};
/** @} */

/** @name The tables
 * Each is a struct of function pointers, expanded from a list that has one row per slot: its place,
 * the version that it came with, its signature and its documentation. Look a function up there. The
 * order is the interface; nothing is NULL.
 * @{ */

/** All functions of the API: ort_slots.def. 429 slots, 3432 bytes on a 64-bit machine. */
struct OrtApi {
#include "ort_as_members.def"
#include "ort_slots.def"
};

/** Builds and changes models: ort_model_editor_slots.def. From GetModelEditorApi(). */
struct OrtModelEditorApi {
#include "ort_as_members.def"
#include "ort_model_editor_slots.def"
};

/** Compiles models ahead of time: ort_compile_slots.def. From GetCompileApi(). */
struct OrtCompileApi {
#include "ort_as_members.def"
#include "ort_compile_slots.def"
};

/** Shares memory and order with graphics: ort_interop_slots.def. From GetInteropApi(). */
struct OrtInteropApi {
#include "ort_as_members.def"
#include "ort_interop_slots.def"
};

/** Reads model packages: ort_model_package_slots.def. From GetModelPackageApi(). */
struct OrtModelPackageApi {
#include "ort_as_members.def"
#include "ort_model_package_slots.def"
};
/** @} */

/** @name Exports of full builds
 * Libraries that were built with one of these providers export a function that adds it to a
 * session's options. They are older than SessionOptionsAppendExecutionProvider(), which new code
 * uses. Every library, the core too, exports that of the CPU and no other: a client that calls
 * another does not link with it. ORT_NO_PROVIDER_EXPORTS leaves them out.
 * @{ */
#ifndef ORT_NO_PROVIDER_EXPORTS
/**
 * Adds the CPU, on which whatever no other provider takes runs anyway.
 * @param[in] options The options. NULL: the core answers ORT_INVALID_ARGUMENT; others crash.
 * @param[in] use_arena Whether the provider has an arena. The core, which has no kernels
 * of its own, ignores it.
 * @return NULL, or a status.
 */
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_CPU, OrtSessionOptions* options,
                          int use_arena);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_CUDA, OrtSessionOptions* options,
                          int device_id);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_ROCM, OrtSessionOptions* options,
                          int device_id);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_MIGraphX,
                          OrtSessionOptions* options, int device_id);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_Dnnl, OrtSessionOptions* options,
                          int use_arena);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_Tensorrt,
                          OrtSessionOptions* options, int device_id);
#endif
/** @} */

#ifdef __cplusplus
}
#endif

#include "onnxruntime_ep_c_api.h"

#endif /* ORTCFFI_ONNXRUNTIME_C_API_H_ */
