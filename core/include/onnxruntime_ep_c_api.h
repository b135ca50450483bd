/* SPDX-License-Identifier: MIT */
/**
 * @file onnxruntime_ep_c_api.h
 * What a plug-in execution provider fills in, and what it may call. Included by
 * onnxruntime_c_api.h; do not include it by itself.
 *
 * A plug-in execution provider is a shared library that exports CreateEpFactories and
 * ReleaseEpFactory. A factory knows the devices that its provider can use and makes an OrtEp for
 * each session; the OrtEp takes nodes of the session's graph, and either compiles them or has
 * kernels for them. The provider implements the structs below, and calls back through OrtApi and
 * OrtEpApi.
 *
 * Rules for the structs
 *     Each begins with a version; set it to ORT_API_VERSION. The library reads no field that is
 *     newer, and none that its documentation lets be NULL and that is NULL. A struct is passed to
 *     its own functions first, as `this_ptr`, so a provider puts it first in a struct of its own.
 *     What a provider hands out stays the provider's, and is released through the Release function
 *     beside it. Functions may be called by any thread, but not by two at a time for one object
 *     unless the comment says so. Strings are UTF-8 and stay valid as long as the object that gave
 *     them.
 *
 * The core registers libraries of providers and calls their factories, and its sessions run models
 * on them. The functions of ortcore.h have an OrtEp take nodes of a model, compile and compute them
 * without a session. The functions of OrtEpApi that the core does not implement answer
 * ORT_NOT_IMPLEMENTED.
 */
#ifndef ORTCFFI_ONNXRUNTIME_EP_C_API_H_
#define ORTCFFI_ONNXRUNTIME_EP_C_API_H_

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Choices
 * @{ */

/** The part of the library that an event of a profile comes from. */
typedef enum OrtProfilingEventCategory {
  OrtProfilingEventCategory_SESSION = 0,
  OrtProfilingEventCategory_NODE = 1,
  OrtProfilingEventCategory_KERNEL = 2,
  OrtProfilingEventCategory_API = 3,
} OrtProfilingEventCategory;

/** Which member of OrtResourceCount's union counts. */
typedef enum OrtResourceCountKind {
  OrtResourceCountKind_None = 0,
  OrtResourceCountKind_TotalBytes = 1,
} OrtResourceCountKind;

/** The order of a tensor's dimensions: batch, channels, height, width; or channels last. */
typedef enum OrtEpDataLayout {
  OrtEpDataLayout_NCHW = 0,
  OrtEpDataLayout_NHWC = 1,
  OrtEpDataLayout_Default = 0,
} OrtEpDataLayout;

/** Which nodes must be the provider's before runs may be recorded as a device's graph. */
typedef enum OrtGraphCaptureNodeAssignmentPolicy {
  OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP = 0,
  /** Nodes that only compute shapes may be the CPU's. */
  OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES = 1,
} OrtGraphCaptureNodeAssignmentPolicy;
/** @} */

/** @name Handles
 * As in onnxruntime_c_api.h.
 * @{ */

/** Where GetCapability() says which nodes the provider takes. Borrowed for the time of the call. */
ORT_RUNTIME_CLASS(EpGraphSupportInfo);
/** A device and the kind of its memory, without a name. Borrowed from an OrtMemoryInfo or OrtValue.
 */
ORT_RUNTIME_CLASS(MemoryDevice);
/** What is known of a compiled node when its state is made. Borrowed for the time of the call. */
ORT_RUNTIME_CLASS(NodeComputeContext);
/** The definition of an operator. */
ORT_RUNTIME_CLASS(OpSchema);
/** The types that an operator takes at one place. Borrowed from its OrtOpSchema. */
ORT_RUNTIME_CLASS(OpSchemaTypeConstraint);
/** Where a profiler puts its events. Borrowed for the time of the call. */
ORT_RUNTIME_CLASS(ProfilingEventsContainer);
/** A name, a category, a start, a duration and arguments. */
ORT_RUNTIME_CLASS(ProfilingEvent);
/** The kernels of a provider. */
ORT_RUNTIME_CLASS(KernelRegistry);
/** Puts an OrtKernelDef together. */
ORT_RUNTIME_CLASS(KernelDefBuilder);
/** Which operator a kernel is for: name, domain, versions, types. */
ORT_RUNTIME_CLASS(KernelDef);
/** A type as kernels are registered for. Borrowed from the library, for ever. */
ORT_RUNTIME_CLASS(DataType);
/** Where kernels of several sessions share weights in the form they like best. Borrowed. */
ORT_RUNTIME_CLASS(SharedPrePackedWeightCache);
/** The functions that read and write the data of compiled models. */
ORT_RUNTIME_CLASS(EpContextConfig);

typedef struct OrtDataTransferImpl OrtDataTransferImpl;
typedef struct OrtEp OrtEp;
typedef struct OrtEpFactory OrtEpFactory;
typedef struct OrtEpProfilerImpl OrtEpProfilerImpl;
typedef struct OrtExternalResourceImporterImpl OrtExternalResourceImporterImpl;
typedef struct OrtKernelImpl OrtKernelImpl;
typedef struct OrtLoopKernelHelper OrtLoopKernelHelper;
typedef struct OrtNodeComputeInfo OrtNodeComputeInfo;
typedef struct OrtNodeFusionOptions OrtNodeFusionOptions;
typedef struct OrtResourceCount OrtResourceCount;
typedef struct OrtScanKernelHelper OrtScanKernelHelper;
typedef struct OrtSyncNotificationImpl OrtSyncNotificationImpl;
typedef struct OrtSyncStreamImpl OrtSyncStreamImpl;
/** @} */

/** @name Copies and streams
 * How a provider moves data to and from its devices and puts its work in order.
 * @{ */

/** Copies tensors between devices. Copies of several threads may run at once. */
struct OrtDataTransferImpl {
  uint32_t ort_version_supported;

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtDataTransferImpl* this_ptr);

  /** Whether tensors can be copied from one device to the other. */
  ORT_API_T(bool, CanCopy, const OrtDataTransferImpl* this_ptr,
            const OrtMemoryDevice* src_memory_device, const OrtMemoryDevice* dst_memory_device);

  /**
   * Copies each source into the destination at its index.
   *
   * @param src_tensors `num_tensors` tensors.
   * @param dst_tensors As many, of the same sizes.
   * @param streams A stream for each copy, or NULL for one that is to be done on return; the whole
   *     array is NULL for a provider without streams.
   * @param num_tensors How many.
   */
  ORT_API2_STATUS(CopyTensors, OrtDataTransferImpl* this_ptr, const OrtValue** src_tensors,
                  OrtValue** dst_tensors, OrtSyncStream** streams, size_t num_tensors);
};

/** A mark in a stream that others can wait for. */
struct OrtSyncNotificationImpl {
  uint32_t ort_version_supported;

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtSyncNotificationImpl* this_ptr);

  /** Puts the mark behind the work that its stream holds now. */
  ORT_API2_STATUS(Activate, OrtSyncNotificationImpl* this_ptr);

  /** Has another stream wait for the mark, and returns at once. */
  ORT_API2_STATUS(WaitOnDevice, OrtSyncNotificationImpl* this_ptr, OrtSyncStream* consumer_stream);

  /** Returns when the mark is reached. */
  ORT_API2_STATUS(WaitOnHost, OrtSyncNotificationImpl* this_ptr);
};

/** A queue of work on a device. */
struct OrtSyncStreamImpl {
  uint32_t ort_version_supported;

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtSyncStreamImpl* this_ptr);

  /** The device's own handle to the queue, a cudaStream_t for one. */
  ORT_API_T(void*, GetHandle, OrtSyncStreamImpl* this_ptr);

  /** Makes a mark for this stream; released through its own Release. */
  ORT_API2_STATUS(CreateNotification, OrtSyncStreamImpl* this_ptr,
                  OrtSyncNotificationImpl** notification);

  /** Sees to it that all work queued so far gets done. */
  ORT_API2_STATUS(Flush, OrtSyncStreamImpl* this_ptr);

  /** Called when a run is over, to release what was kept for it. */
  ORT_API2_STATUS(OnSessionRunEnd, OrtSyncStreamImpl* this_ptr);
};
/** @} */

/** @name Memory and semaphores of other APIs
 * What a provider implements so that OrtInteropApi works on its devices.
 * @{ */

/** Memory that was taken in. The provider makes it and may append to it. */
struct OrtExternalMemoryHandle {
  /** ORT_API_VERSION. */
  uint32_t version;
  /** Where it was taken in. */
  const OrtEpDevice* ep_device;
  /** What it was taken in from. */
  OrtExternalMemoryDescriptor descriptor;
  /** Lets go of the memory and destroys this object. */
  void(ORT_API_CALL* Release)(OrtExternalMemoryHandle* handle);
};

/** A semaphore that was taken in. The provider makes it and may append to it. */
struct OrtExternalSemaphoreHandle {
  /** ORT_API_VERSION. */
  uint32_t version;
  /** Where it was taken in. */
  const OrtEpDevice* ep_device;
  /** What it was taken in from. */
  OrtExternalSemaphoreDescriptor descriptor;
  /** Lets go of the semaphore and destroys this object. */
  void(ORT_API_CALL* Release)(OrtExternalSemaphoreHandle* handle);
};

/** Takes in memory and semaphores on one device. */
struct OrtExternalResourceImporterImpl {
  uint32_t ort_version_supported;

  /** Whether memory of this kind can be taken in. */
  ORT_API_T(bool, CanImportMemory, const OrtExternalResourceImporterImpl* this_ptr,
            OrtExternalMemoryHandleType handle_type);

  /** Takes in memory. ReleaseMemory lets go of it. */
  ORT_API2_STATUS(ImportMemory, OrtExternalResourceImporterImpl* this_ptr,
                  const OrtExternalMemoryDescriptor* desc, OrtExternalMemoryHandle** out_handle);

  /** Lets go of such memory. */
  ORT_API_T(void, ReleaseMemory, OrtExternalResourceImporterImpl* this_ptr,
            OrtExternalMemoryHandle* handle);

  /** Makes a tensor whose data is in such memory; nothing is copied. */
  ORT_API2_STATUS(CreateTensorFromMemory, OrtExternalResourceImporterImpl* this_ptr,
                  const OrtExternalMemoryHandle* mem_handle,
                  const OrtExternalTensorDescriptor* tensor_desc, OrtValue** out_tensor);

  /** Whether a semaphore of this kind can be taken in. */
  ORT_API_T(bool, CanImportSemaphore, const OrtExternalResourceImporterImpl* this_ptr,
            OrtExternalSemaphoreType type);

  /** Takes in a semaphore. ReleaseSemaphore lets go of it. */
  ORT_API2_STATUS(ImportSemaphore, OrtExternalResourceImporterImpl* this_ptr,
                  const OrtExternalSemaphoreDescriptor* desc,
                  OrtExternalSemaphoreHandle** out_handle);

  /** Lets go of such a semaphore. */
  ORT_API_T(void, ReleaseSemaphore, OrtExternalResourceImporterImpl* this_ptr,
            OrtExternalSemaphoreHandle* handle);

  /** Has a stream wait until the semaphore reaches a value. */
  ORT_API2_STATUS(WaitSemaphore, OrtExternalResourceImporterImpl* this_ptr,
                  OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);

  /** Has a stream set the semaphore to a value when it gets there. */
  ORT_API2_STATUS(SignalSemaphore, OrtExternalResourceImporterImpl* this_ptr,
                  OrtExternalSemaphoreHandle* handle, OrtSyncStream* stream, uint64_t value);

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtExternalResourceImporterImpl* this_ptr);
};
/** @} */

/** @name Profiling
 * @{ */

/** Adds a provider's events to the library's profile. */
struct OrtEpProfilerImpl {
  uint32_t ort_version_supported;

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtEpProfilerImpl* this_ptr);

  /**
   * Begins.
   *
   * @param ep_profiling_start_offset_ns Nanoseconds by which the library's profile began earlier,
   *     to be added to the provider's times.
   */
  ORT_API2_STATUS(StartProfiling, OrtEpProfilerImpl* this_ptr,
                  int64_t ep_profiling_start_offset_ns);

  /** Called when an event of the library's begins; the id ties the provider's own events to it. May
   * be NULL. */
  ORT_API2_STATUS(StartEvent, OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id);

  /** Called when it has ended, with what it was. May be NULL. */
  ORT_API2_STATUS(StopEvent, OrtEpProfilerImpl* this_ptr, uint64_t ort_event_correlation_id,
                  const OrtProfilingEvent* ort_event);

  /** Ends, and hands over the provider's events. */
  ORT_API2_STATUS(EndProfiling, OrtEpProfilerImpl* this_ptr,
                  OrtProfilingEventsContainer* events_container);
};
/** @} */

/** @name Compiled nodes and kernels
 * The two ways in which a provider computes.
 * @{ */

/** How nodes are fused that a provider takes together. */
struct OrtNodeFusionOptions {
  uint32_t ort_version_supported;
  /** The provider keeps the constants itself, so the fused node needs no inputs for them. */
  bool drop_constant_initializers;
};

/** How a compiled node is run. Compute may be called by several threads at once. */
struct OrtNodeComputeInfo {
  uint32_t ort_version_supported;

  /** Makes what the node keeps from run to run. */
  OrtStatus*(ORT_API_CALL* CreateState)(OrtNodeComputeInfo* this_ptr,
                                        OrtNodeComputeContext* compute_context,
                                        void** compute_state);

  /** Computes: reads the context's inputs, writes its outputs. */
  OrtStatus*(ORT_API_CALL* Compute)(OrtNodeComputeInfo* this_ptr, void* compute_state,
                                    OrtKernelContext* kernel_context);

  /** Destroys what CreateState made. */
  void(ORT_API_CALL* ReleaseState)(OrtNodeComputeInfo* this_ptr, void* compute_state);
};

/** The kernel of one node. Compute may be called by several threads at once. */
struct OrtKernelImpl {
  uint32_t ort_version_supported;
  /** A provider sets it to 0; later only the library writes to it. */
  uint32_t flags;

  /** Computes: reads the context's inputs, writes its outputs. */
  ORT_API2_STATUS(Compute, OrtKernelImpl* this_ptr, OrtKernelContext* context);

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtKernelImpl* this_ptr);

  /**
   * Lets the kernel bring a constant input into the form it likes best. May be NULL.
   *
   * @param tensor The weight; may be gone after the call.
   * @param input_index Which input it is.
   * @param allocator For the packed form.
   * @param prepacked_weight_cache Where the packed form goes if sessions are to share it; NULL if
   *     the kernel keeps it.
   * @param[out] is_packed Whether the kernel no longer needs the weight itself.
   */
  ORT_API2_STATUS(PrePackWeight, OrtKernelImpl* this_ptr, const OrtValue* tensor, int input_index,
                  OrtAllocator* allocator, OrtSharedPrePackedWeightCache* prepacked_weight_cache,
                  bool* is_packed);

  /**
   * Gives the kernel the packed form that sessions share, its own or another kernel's. May be NULL.
   *
   * @param buffer_data_ptrs `num_buffers` buffers, valid as long as the kernel.
   * @param buffer_data_sizes Their sizes in bytes.
   * @param input_index Which input they are for.
   */
  ORT_API2_STATUS(SetSharedPrePackedWeight, OrtKernelImpl* this_ptr,
                  const void* const* buffer_data_ptrs, const size_t* buffer_data_sizes,
                  size_t num_buffers, int input_index);
};

/**
 * Makes a kernel for one node.
 *
 * @param kernel_create_func_state What the provider gave with the function.
 * @param info The node's attributes, inputs and outputs; borrowed for the time of the call.
 * @param[out] kernel_out The kernel, for the library to release.
 */
typedef OrtStatus*(ORT_API_CALL* OrtKernelCreateFunc)(void* kernel_create_func_state,
                                                      const OrtKernelInfo* info,
                                                      OrtKernelImpl** kernel_out);

/** What the library's Loop kernel needs of a provider. */
struct OrtLoopKernelHelper {
  uint32_t ort_version_supported;

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtLoopKernelHelper* this_ptr);

  /**
   * Puts the outputs of all iterations behind one another.
   *
   * @param stream_handle The device's own handle to the stream; may be NULL.
   * @param per_iteration_outputs `num_per_iteration_outputs` tensors of one shape.
   * @param output Room for them all, `output_size_in_bytes` of it.
   */
  ORT_API2_STATUS(ConcatOutput, OrtLoopKernelHelper* this_ptr, void* stream_handle,
                  const OrtValue* const* per_iteration_outputs, size_t num_per_iteration_outputs,
                  void* output, size_t output_size_in_bytes);
};

/** What the library's Scan kernel needs of a provider. */
struct OrtScanKernelHelper {
  uint32_t ort_version_supported;

  /** Destroys this object. */
  ORT_API_T(void, Release, OrtScanKernelHelper* this_ptr);

  /**
   * Permutes the dimensions of a tensor.
   *
   * @param permutation For each dimension of the output, that of the input.
   * @param stream May be NULL.
   * @param output Made by the library, of the right shape.
   */
  ORT_API2_STATUS(Transpose, OrtScanKernelHelper* this_ptr, const size_t* permutation,
                  size_t num_permutation_elems, const OrtValue* input, OrtSyncStream* stream,
                  OrtValue* output);
};
/** @} */

/** @name The provider
 * @{ */

/** An amount of something that a device has only so much of. */
struct OrtResourceCount {
  /** An OrtResourceCountKind. */
  uint32_t kind;
  /** 0. */
  uint32_t reserved;
  /** The amount. */
  union {
    uint64_t total_bytes;
    /** Room for kinds to come. */
    uint64_t reserved_words[6];
  } value;
};

/** A provider at work in one session. Fields from CreateAllocator on may be NULL. */
struct OrtEp {
  uint32_t ort_version_supported;

  /** The provider's name, the factory's. */
  ORT_API_T(const char*, GetName, const OrtEp* this_ptr);

  /** Looks through a graph and says which nodes the provider takes, and which of them fused. */
  ORT_API2_STATUS(GetCapability, OrtEp* this_ptr, const OrtGraph* graph,
                  OrtEpGraphSupportInfo* graph_support_info);

  /**
   * Compiles fused nodes. May be NULL in a provider that has kernels.
   *
   * @param graphs What is in each node; borrowed for the time of the call.
   * @param fused_nodes The nodes.
   * @param count How many.
   * @param[out] node_compute_infos How each is run. Stays the provider's;
   *     ReleaseNodeComputeInfos releases it.
   * @param[out] ep_context_nodes For each node, one that holds its compiled form, for the library
   * to save and release; or NULL.
   */
  ORT_API2_STATUS(Compile, OrtEp* this_ptr, const OrtGraph** graphs, const OrtNode** fused_nodes,
                  size_t count, OrtNodeComputeInfo** node_compute_infos,
                  OrtNode** ep_context_nodes);

  /** Releases what Compile gave. NULL where that is. */
  ORT_API_T(void, ReleaseNodeComputeInfos, OrtEp* this_ptr, OrtNodeComputeInfo** node_compute_infos,
            size_t num_node_compute_infos);

  /** The layout that the provider likes best. May be NULL: NCHW. */
  ORT_API2_STATUS(GetPreferredDataLayout, OrtEp* this_ptr, OrtEpDataLayout* preferred_data_layout);

  /**
   * Whether an operator is to be changed to a layout. May be NULL: the library decides.
   *
   * @param[out] should_convert 1 for yes, 0 for no, -1 to leave it to the library.
   */
  ORT_API2_STATUS(ShouldConvertDataLayoutForOp, OrtEp* this_ptr, const char* domain,
                  const char* op_type, OrtEpDataLayout target_data_layout, int* should_convert);

  /** Changes settings while the session lives. May be NULL. */
  ORT_API2_STATUS(SetDynamicOptions, OrtEp* this_ptr, const char* const* option_keys,
                  const char* const* option_values, size_t num_options);

  /** Called when a run begins. May be NULL. */
  ORT_API2_STATUS(OnRunStart, OrtEp* this_ptr, const OrtRunOptions* run_options);

  /** Called when it has ended; `sync_stream` says whether to wait for its work. May be NULL. */
  ORT_API2_STATUS(OnRunEnd, OrtEp* this_ptr, const OrtRunOptions* run_options, bool sync_stream);

  /** Makes an allocator for this session alone. NULL: the factory's is asked. */
  ORT_API2_STATUS(CreateAllocator, OrtEp* this_ptr, const OrtMemoryInfo* memory_info,
                  OrtAllocator** allocator);

  /** Makes a stream for this session alone. NULL: the factory's is asked. */
  ORT_API2_STATUS(CreateSyncStreamForDevice, OrtEp* this_ptr, const OrtMemoryDevice* memory_device,
                  OrtSyncStreamImpl** stream);

  /** What a compiled model is marked with, for ValidateCompiledModelCompatibilityInfo to read. */
  ORT_API_T(const char*, GetCompiledModelCompatibilityInfo, OrtEp* this_ptr, const OrtGraph* graph);

  /** The provider's kernels; stay the provider's. */
  ORT_API2_STATUS(GetKernelRegistry, OrtEp* this_ptr, const OrtKernelRegistry** kernel_registry);

  /** Whether runs of one session may overlap. NULL: they may. */
  ORT_API2_STATUS(IsConcurrentRunSupported, OrtEp* this_ptr, bool* is_supported);

  /** Returns when the device has nothing left to do. */
  ORT_API2_STATUS(Sync, OrtEp* this_ptr);

  /** Makes a profiler. */
  ORT_API2_STATUS(CreateProfiler, OrtEp* this_ptr, OrtEpProfilerImpl** profiler);

  /** Whether runs are to be recorded as a device's graph. */
  ORT_API_T(bool, IsGraphCaptureEnabled, const OrtEp* this_ptr);

  /** Whether the graph of that number has been recorded. */
  ORT_API_T(bool, IsGraphCaptured, const OrtEp* this_ptr, int graph_annotation_id);

  /** Plays it back. */
  ORT_API2_STATUS(ReplayGraph, OrtEp* this_ptr, int graph_annotation_id);

  /** Which nodes must be the provider's for that. */
  ORT_API_T(OrtGraphCaptureNodeAssignmentPolicy, GetGraphCaptureNodeAssignmentPolicy,
            const OrtEp* this_ptr);

  /** What the device has left. */
  ORT_API2_STATUS(GetAvailableResource, const OrtEp* this_ptr, OrtResourceCount* available);

  /** Called when the session is ready, to release what only loading needed. */
  ORT_API2_STATUS(OnSessionInitializationEnd, OrtEp* this_ptr);

  /** The memory that the provider computes in by default; stays the provider's. NULL: the default
   * memory of its device. */
  ORT_API2_STATUS(GetDefaultMemoryDevice, const OrtEp* this_ptr, const OrtMemoryDevice** device);

  /** Forgets the graph of that number. */
  ORT_API2_STATUS(ReleaseCapturedGraph, OrtEp* this_ptr, int graph_annotation_id);

  /** Which weights may be missing from a model that the provider compiles. */
  ORT_API2_STATUS(GetWeightlessSupport, const OrtEp* this_ptr, OrtWeightlessSupport* support);

  /**
   * Since version 31. Whether the provider uses the functions that read and write the data of
   * compiled models (SessionOptionsGetEpContextConfig). NULL: neither. The library refuses to
   * compile with a function that the provider does not use.
   *
   * @param[out] flags A sum of 1, it reads, and 2, it writes. Other bits are an error.
   */
  ORT_API2_STATUS(GetEpContextDataCallbackSupport, const OrtEp* this_ptr, uint32_t* flags);
};

/**
 * What a provider's library exports under the name CreateEpFactories.
 *
 * @param registered_name The name that the library was registered under.
 * @param ort_api_base The base of the library that calls; the provider uses this one.
 * @param default_logger Where to log outside of sessions.
 * @param[out] factories Room for pointers to factories.
 * @param max_factories How many there is room for.
 * @param[out] num_factories How many were made.
 */
typedef OrtStatus* (*CreateEpApiFactoriesFn)(const char* registered_name,
                                             const OrtApiBase* ort_api_base,
                                             const OrtLogger* default_logger,
                                             OrtEpFactory** factories, size_t max_factories,
                                             size_t* num_factories);

/** What a provider's library exports under the name ReleaseEpFactory. */
typedef OrtStatus* (*ReleaseEpApiFactoryFn)(OrtEpFactory* factory);

/** Knows the devices of a provider and makes what sessions need. Lives until its library is
 * unregistered; its functions may be called by several threads at once. Fields from
 * ValidateCompiledModelCompatibilityInfo on may be NULL, but not CreateDataTransfer, which ONNX
 * Runtime calls unchecked. */
struct OrtEpFactory {
  uint32_t ort_version_supported;

  /** The provider's name. */
  ORT_API_T(const char*, GetName, const OrtEpFactory* this_ptr);

  /** Who made it. */
  ORT_API_T(const char*, GetVendor, const OrtEpFactory* this_ptr);

  /**
   * Picks out of the hardware that was found what the provider can use.
   *
   * @param devices `num_devices` pieces of hardware.
   * @param[out] ep_devices Room for one device for each that can be used, as made by
   *     CreateEpDevice(); they become the library's.
   * @param max_ep_devices How many there is room for.
   * @param[out] num_ep_devices How many there are.
   */
  ORT_API2_STATUS(GetSupportedDevices, OrtEpFactory* this_ptr,
                  const OrtHardwareDevice* const* devices, size_t num_devices,
                  OrtEpDevice** ep_devices, size_t max_ep_devices, size_t* num_ep_devices);

  /**
   * Makes a provider for a session.
   *
   * @param devices `num_devices` devices that the session is to use.
   * @param ep_metadata_pairs What the factory said about each of them.
   * @param session_options The session's settings; borrowed for the time of the call.
   * @param logger The session's log, which lives as long as the session.
   * @param[out] ep The provider. ReleaseEp releases it.
   */
  ORT_API2_STATUS(CreateEp, OrtEpFactory* this_ptr, const OrtHardwareDevice* const* devices,
                  const OrtKeyValuePairs* const* ep_metadata_pairs, size_t num_devices,
                  const OrtSessionOptions* session_options, const OrtLogger* logger, OrtEp** ep);

  /** Releases what CreateEp made. */
  ORT_API_T(void, ReleaseEp, OrtEpFactory* this_ptr, OrtEp* ep);

  /** The vendor's PCI number. */
  ORT_API_T(uint32_t, GetVendorId, const OrtEpFactory* this_ptr);

  /** The provider's version: three numbers and dots. */
  ORT_API_T(const char*, GetVersion, const OrtEpFactory* this_ptr);

  /** Reads what GetCompiledModelCompatibilityInfo wrote: does such a model run on these devices? */
  ORT_API2_STATUS(ValidateCompiledModelCompatibilityInfo, OrtEpFactory* this_ptr,
                  const OrtHardwareDevice* const* devices, size_t num_devices,
                  const char* compatibility_info,
                  OrtCompiledModelCompatibility* model_compatibility);

  /** Makes an allocator that sessions share. ReleaseAllocator releases it. */
  ORT_API2_STATUS(CreateAllocator, OrtEpFactory* this_ptr, const OrtMemoryInfo* memory_info,
                  const OrtKeyValuePairs* allocator_options, OrtAllocator** allocator);

  /** Releases what CreateAllocator made, also that of an OrtEp. */
  ORT_API_T(void, ReleaseAllocator, OrtEpFactory* this_ptr, OrtAllocator* allocator);

  /** Makes what copies tensors. The function must not be NULL: ONNX Runtime calls it when the
   * library is registered, without a check. It writes NULL to `data_transfer` where the CPU can
   * copy. */
  ORT_API2_STATUS(CreateDataTransfer, OrtEpFactory* this_ptr, OrtDataTransferImpl** data_transfer);

  /** Whether the provider has streams. NULL: no. */
  ORT_API_T(bool, IsStreamAware, const OrtEpFactory* this_ptr);

  /** Makes a stream. */
  ORT_API2_STATUS(CreateSyncStreamForDevice, OrtEpFactory* this_ptr,
                  const OrtMemoryDevice* memory_device, const OrtKeyValuePairs* stream_options,
                  OrtSyncStreamImpl** stream);

  /** Says why a piece of hardware cannot be used. */
  ORT_API2_STATUS(GetHardwareDeviceIncompatibilityDetails, OrtEpFactory* this_ptr,
                  const OrtHardwareDevice* hw, OrtDeviceEpIncompatibilityDetails* details);

  /** Makes what takes in memory and semaphores of other APIs on a device. */
  ORT_API2_STATUS(CreateExternalResourceImporterForDevice, OrtEpFactory* this_ptr,
                  const OrtEpDevice* ep_device, OrtExternalResourceImporterImpl** out_importer);

  /** How many domains of custom ops come with the provider. */
  ORT_API2_STATUS(GetNumCustomOpDomains, OrtEpFactory* this_ptr, size_t* num_domains);

  /** Those domains; they stay the provider's. */
  ORT_API2_STATUS(GetCustomOpDomains, OrtEpFactory* this_ptr, OrtCustomOpDomain** domains,
                  size_t num_domains);

  /** Gets a device ready to work with a graphics API. */
  ORT_API2_STATUS(InitGraphicsInterop, OrtEpFactory* this_ptr, const OrtEpDevice* ep_device,
                  const OrtGraphicsInteropConfig* config);

  /** Ends that. */
  ORT_API2_STATUS(DeinitGraphicsInterop, OrtEpFactory* this_ptr, const OrtEpDevice* ep_device);

  /** Picks among several compiled forms of a model, each described by pairs, the one for a device.
   */
  ORT_API2_STATUS(SelectBestModelCandidate, OrtEpFactory* this_ptr, const OrtHardwareDevice* device,
                  const OrtKeyValuePairs* const* candidates, size_t num_candidates,
                  const OrtSessionOptions* session_options, size_t* selected_index);

  /** Since version 32. Says what EpDevice_GetMemoryCapacity is asked. An output that is not wanted
   * is NULL. The names of the outputs and the type of memory_type are guesses: no header of this
   * version is public. */
  ORT_API2_STATUS(GetDeviceMemoryCapacity, OrtEpFactory* this_ptr, const OrtEpDevice* ep_device,
                  OrtDeviceMemoryType memory_type, uint64_t* memory_1, uint64_t* memory_2);
};

/** What a provider may call: ort_ep_slots.def. From GetEpApi(). */
struct OrtEpApi {
#include "ort_as_members.def"
#include "ort_ep_slots.def"
};
/** @} */

#ifdef __cplusplus
}
#endif

#endif /* ORTCFFI_ONNXRUNTIME_EP_C_API_H_ */
