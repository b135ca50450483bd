/* SPDX-License-Identifier: MIT */
/**
 * @file ortcore.h
 * What ortcffi's core offers beside the API: hosts of older API versions, traces, the environment's
 * logger, kernels of custom ops and profilers without a session.
 *
 * Nothing here is exported. Each function is found by its name, through a slot of the table:
 *
 *     OrtcoreEmulate emulate =
 *         (OrtcoreEmulate)api->GetExperimentalFunction(ORTCORE_EMULATE);
 *
 * Other libraries answer NULL to these names. Any thread may call any function.
 */
#ifndef ORTCORE_H_
#define ORTCORE_H_

#include "onnxruntime_c_api.h"
#include "onnxruntime_ep_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Older hosts
 * A library may be older or newer than its clients. To see what a client does then, give it the
 * base of a host of another version: to RegisterCustomOps, say, in the place of OrtGetApiBase().
 * @{ */

#define ORTCORE_EMULATE "ortcore_emulate"

/**
 * The base of a host that is ONNX Runtime 1.version.0.
 *
 * To anything newer GetApi answers NULL, and writes a line to stderr. Slots up to the version are
 * the core's own, and so are the objects that they make. A slot that came later, which a client
 * finds by reading on, answers ORT_NOT_IMPLEMENTED and names itself and the version that it came
 * with; without a status it answers zero or NULL. The tables that slots lead to, such as
 * GetModelEditorApi's, are those of ORT_API_VERSION.
 *
 * @param version API version, from 1 to ORT_API_VERSION, which is the core itself.
 * @return A constant of the library; NULL for another version.
 */
typedef const OrtApiBase*(ORT_API_CALL* OrtcoreEmulate)(uint32_t version);
/** @} */

/** @name Traces
 * A trace stands before the table of a provider, passes each call on, and counts it by slot. It can
 * have calls fail, and note what clients do not release.
 * @{ */

/** The slots of OrtApi and of OrtEpApi that a trace counts. */
#define ORTCORE_TRACED_SLOTS 429
#define ORTCORE_TRACED_EP_SLOTS 78
#define ORTCORE_TRACED_ALL (ORTCORE_TRACED_SLOTS + ORTCORE_TRACED_EP_SLOTS)

/** For `fails`: no call of the slot succeeds. */
#define ORTCORE_EACH_CALL UINT64_MAX

/** For `notes`. */
#define ORTCORE_NOTE_STATUSES 2

/** What clients did. The counts may grow while they are read. */
typedef struct OrtcoreFigures {
  /** Bit v: GetApi was asked for version v. The highest bit: for its number or more. */
  uint64_t asked;
  /** Calls of each slot of OrtApi, then of OrtEpApi. */
  uint64_t calls[ORTCORE_TRACED_ALL];
  /** Bit v: version v is the lowest whose OrtCustomOp has all fields that an op, which was added to
   * a domain, relies on. */
  uint64_t op_structs;
  /** For the caller to write: the number of the one call of each slot that fails with ORT_FAIL, and
   * is not passed on; counted as in `calls`, from 1. ORTCORE_EACH_CALL: all. 0: none. Slots without
   * a status do not fail. */
  uint64_t fails[ORTCORE_TRACED_ALL];
  /** For the caller to write: whether objects are noted from now on. Calls are slower then.
   * ORTCORE_NOTE_STATUSES: and statuses that are not the core's, for clients that release them
   * with the table. */
  uint64_t notes;
  /** How many noted objects of each slot were not released. Statuses are noted where the
   * table is the core's, which knows when a host releases them; attributes are not, since nodes
   * take them over. */
  uint64_t alive[ORTCORE_TRACED_ALL];
} OrtcoreFigures;

/** What clients are given. */
typedef struct OrtcoreTrace {
  /** For a client that takes a base. Its GetApi has the versions up to that of the trace. */
  const OrtApiBase* base;
  /** For a client that takes a table. All its slots can be called, as with an older host. */
  const OrtApi* api;
  /** Where the calls are counted. */
  OrtcoreFigures* figures;
} OrtcoreTrace;

#define ORTCORE_TRACE_BEGIN "ortcore_trace_begin"

/**
 * Begins to trace a table.
 *
 * @param[in] api The table, of any library, which must stay loaded. Borrowed.
 * @param[in] version The API version of the table: how many slots may be read. At
 *     most those up to ORT_API_VERSION are.
 * @param[in] version_string What the base's GetVersionString is to answer. Copied, up to 255 bytes.
 * @param[in,out] figures Where to count: memory that another process sees too, say. Set to zero.
 *     Borrowed while a client may still call the table, which can be after the end of the trace.
 *     NULL for memory of the core's, which is the trace's until its end.
 * @param[out] out The trace. Give it to OrtcoreTraceEnd.
 * @return NULL, or a status of the core: ORT_INVALID_ARGUMENT for a NULL argument, version 0 or a
 *     table that is itself a trace's, ORT_FAIL while two traces are open, which is as many as there
 *     can be.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreTraceBegin)(const OrtApi* api, uint32_t version,
                                                    const char* version_string,
                                                    OrtcoreFigures* figures, OrtcoreTrace** out);

#define ORTCORE_TRACE_END "ortcore_trace_end"

/**
 * Ends a trace. A client that has kept the table can still call it, until another trace begins,
 * which may take the table over and pass its calls to another library.
 *
 * @param[in] trace The trace; not to be read any more. NULL does nothing.
 */
typedef void(ORT_API_CALL* OrtcoreTraceEnd)(OrtcoreTrace* trace);
/** @} */

/** @name The environment's logger
 * What sessions and kernels get from the API, without a session or a kernel.
 * @{ */

#define ORTCORE_LOGGER "ortcore_logger"

/** The default logger of the environment, valid while that lives; NULL where there is none. */
typedef const OrtLogger*(ORT_API_CALL* OrtcoreLogger)(void);

#define ORTCORE_LOG "ortcore_log"

/**
 * Logs a record as the library itself would, through the environment's logger: with the function
 * that the environment was created with, or else on stderr, unless the severity is too low. The
 * environment lives at least until the call ends.
 *
 * @param[in] severity Severity of the record.
 * @param[in] category UTF-8 name of the part that speaks. NULL for the library's own.
 * @param[in] location UTF-8 text, by custom "file:line function". May be NULL.
 * @param[in] message UTF-8 text, taken literally. May be NULL.
 * @return 0 where there is no environment, else 1.
 */
typedef int(ORT_API_CALL* OrtcoreLog)(OrtLoggingLevel severity, const char* category,
                                      const char* location, const char* message);
/** @} */

/** @name Kernels
 * Runs the kernel of a custom op without a model or a session. The caller describes the node that
 * it stands for, and gives the inputs to each call.
 *
 * What an op or its kernel answers is checked, and an exception of C++ that leaves one of its
 * functions becomes a status with its text (not on Windows, where it still ends the process). The
 * text of each failure names the op and the node.
 * @{ */

/** A kernel of a custom op. Any number of threads may compute with one kernel at once. */
typedef struct OrtcoreKernel OrtcoreKernel;

/** An input or an output of a node. Zeroed: it has no name, so it is not there. */
typedef struct OrtcoreOperand {
  /** UTF-8. NULL or "": the node leaves this optional operand out. */
  const char* name;
  /** Element type of the tensor, where `type` is NULL. UNDEFINED: the one that the op declares. */
  ONNXTensorElementDataType element_type;
  /** What the model would say of the type, with a shape where it is known. May be NULL. */
  const OrtTypeInfo* type;
  /** Of an input: the tensor that never changes, an initializer in a model. NULL for none. */
  const OrtValue* constant;
} OrtcoreOperand;

/** A node of a model that is not there. All is copied, except for what is said to be borrowed;
 * values are held. Zeroed but for version and op, it is a node with a default for everything. */
typedef struct OrtcoreNode {
  /** ORT_API_VERSION: says which fields the struct has. */
  uint32_t version;
  /** The op. Borrowed until the kernel ends. */
  const OrtCustomOp* op;
  /** The table that CreateKernel is given. NULL: that of the base ORTCORE_KERNEL_BASE of version
   * ORT_API_VERSION. Must be a table of this library. */
  const OrtApi* api;
  /** UTF-8 domain of the op. NULL: "". */
  const char* domain;
  /** UTF-8 name of the node. NULL: "". */
  const char* name;
  /** Attributes: those of CreateOpAttr, and tensors of ORTCORE_TENSOR_ATTRIBUTE. */
  const OrtOpAttr* const* attributes;
  size_t attribute_count;
  /** Inputs. NULL: as many as the op declares, optional ones too and of a variadic one the least,
   * named input0, input1, and so on; each call may then give as many as the op allows. */
  const OrtcoreOperand* inputs;
  size_t input_count;
  /** Outputs, the same way. The element type of an output that the op declares as UNDEFINED is
   * that of the operand, or else that of the only input of such a type. */
  const OrtcoreOperand* outputs;
  size_t output_count;
  /** Gives the memory of outputs, scratch memory and what the kernel asks for. Borrowed until the
   * kernel and the outputs of its calls end. NULL: the default allocator. */
  OrtAllocator* allocator;
  /** The logger that the kernel gets for its session and run. Borrowed until the kernel ends.
   * NULL: the environment's as it is at each call, and stderr where there is none. */
  const OrtLogger* logger;
  /** Configuration entries of the session. NULL: those of options, as they are at each call. */
  const OrtKeyValuePairs* config;
  /** Threads that KernelContext_ParallelFor may use, the caller's among them. 0 and 1: only the
   * caller's. At most 1024. */
  uint32_t threads;
  /** Where ortcore_kernel_create writes, also on failure, which attributes the op asked for: for
   * each an OrtOpAttrType as a digit, then the name with its zero byte. ORT_OP_ATTR_UNDEFINED:
   * there may be more, because there was no room or the op copied its info. ORT_OP_ATTR_GRAPH: the
   * op's shape inference asked for one of any type, and the node has none. Zeroed. NULL: not
   * wanted. */
  char* asked;
  size_t asked_room;
  /** Since version 32. Options whose custom ops the kernel may make with CreateOp. Borrowed until
   * the kernel ends. NULL: it may make none. */
  const OrtSessionOptions* options;
} OrtcoreNode;

#define ORTCORE_KERNEL_BASE "ortcore_kernel_base"

/**
 * The base that a library of custom ops should register with if its kernels are to run here. It
 * is that of ORTCORE_EMULATE, except for one slot: on a thread that is inside a function of a
 * kernel, GetAllocatorWithDefaultOptions answers the allocator that the kernel was made with.
 *
 * @param version API version, from 1 to ORT_API_VERSION.
 * @return A constant of the library; NULL for another version.
 */
typedef const OrtApiBase*(ORT_API_CALL* OrtcoreKernelBase)(uint32_t version);

#define ORTCORE_WATCHED_BASE "ortcore_watched_base"

/**
 * As ORTCORE_KERNEL_BASE, and the slots note which of them made what their clients have not yet
 * released: values, statuses, types, attributes, copies of infos, ops, pairs and memory infos. What
 * an op answers from its functions is the host's. Blocks of an allocator are not noted, because
 * most are freed without a slot. Calls are slower.
 *
 * @param version API version, from 1 to ORT_API_VERSION.
 * @return A constant of the library; NULL for another version.
 */
typedef const OrtApiBase*(ORT_API_CALL* OrtcoreWatchedBase)(uint32_t version);

#define ORTCORE_WATCHED_OBJECTS "ortcore_watched_objects"

/**
 * Tells how many noted objects of all clients are alive.
 *
 * @param[out] out ORTCORE_TRACED_SLOTS numbers: for each slot, how many it has made.
 */
typedef void(ORT_API_CALL* OrtcoreWatchedObjects)(uint64_t* out);

#define ORTCORE_TENSOR_ATTRIBUTE "ortcore_tensor_attribute"

/**
 * Makes an attribute that is a tensor, which CreateOpAttr cannot.
 *
 * @param[in] name UTF-8 name of the attribute. Copied.
 * @param[in] tensor The tensor; held until the attribute is released. It must not be changed.
 * @param[out] out The attribute. Give it to ReleaseOpAttr.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a NULL argument, a value that is no tensor,
 * or a tensor over no memory.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreTensorAttribute)(const char* name, const OrtValue* tensor,
                                                         OrtOpAttr** out);

#define ORTCORE_KERNEL_CREATE "ortcore_kernel_create"

/**
 * Makes the kernel of a node: calls CreateKernelV2 or CreateKernel of its op.
 *
 * @param[in] node The node. Not needed after the call, except for what the kernel borrows of it.
 * @param[out] out The kernel. Give it to OrtcoreKernelRelease.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a node that does not fit its op or an op
 *     that lacks a function, ORT_RUNTIME_EXCEPTION for an exception, otherwise what the op answers.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreKernelCreate)(const OrtcoreNode* node, OrtcoreKernel** out);

#define ORTCORE_KERNEL_COMPUTE "ortcore_kernel_compute"

/**
 * Calls KernelComputeV2 or KernelCompute.
 *
 * @param[in] kernel The kernel.
 * @param[in] inputs Values of this library, one for each input of the node; variadic ones one by
 *     one, NULL for an optional one that is not there. What follows the last one given is not
 *     there either. Borrowed.
 * @param[in] input_count How many.
 * @param[in,out] outputs In: values to be written to, whose types and shapes must then be right, or
 *     NULL for those that the kernel is to allocate. Out, on success only: in the place of each
 *     NULL a value to be released with ReleaseValue, or NULL for an optional output that the
 *     kernel did not make.
 * @param[in] output_count How many: at most the outputs of the node, and at least the required
 *     ones.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for inputs or outputs that do not fit,
 *     ORT_FAIL for a required output that the kernel did not make, ORT_RUNTIME_EXCEPTION for an
 *     exception, otherwise what the kernel answers.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreKernelCompute)(OrtcoreKernel* kernel,
                                                       const OrtValue* const* inputs,
                                                       size_t input_count, OrtValue** outputs,
                                                       size_t output_count);

#define ORTCORE_EMPTY_SEQUENCE "ortcore_empty_sequence"

/**
 * Makes a sequence without tensors, which CreateValue cannot.
 *
 * @param type The element type of the tensors that it has none of.
 * @param[out] out The sequence. Give it to ReleaseValue.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for NULL and for a number that is no such type.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreEmptySequence)(ONNXTensorElementDataType type,
                                                       OrtValue** out);

#define ORTCORE_KERNEL_SET_OUTPUT "ortcore_kernel_set_output"

/**
 * Makes a sequence or a map the output of a kernel, which KernelContext_GetOutput cannot. For
 * kernels of custom ops and for nodes that an execution provider has compiled. An output of
 * optional type that a kernel does not make holds nothing.
 *
 * @param[in] context What the running call was given.
 * @param[in] index The output. Without effect where the node leaves it out.
 * @param[in] value The sequence or map, of this library; held as long as somebody reads it.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a NULL argument, for a tensor or another type
 *     than the model declares, and for an output that exists already.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreKernelSetOutput)(OrtKernelContext* context, size_t index,
                                                         const OrtValue* value);

#define ORTCORE_KERNEL_INFER_SHAPES "ortcore_kernel_infer_shapes"

/**
 * Calls InferOutputShapeFn.
 *
 * @param[in] kernel A kernel, whose attributes are used.
 * @param[in] inputs Types and shapes of inputs. NULL where nothing is known.
 * @param[in] input_count How many: at most the inputs of the node.
 * @param[out] outputs Types and shapes, as many as the node has outputs, each to be released with
 *     ReleaseTensorTypeAndShapeInfo. NULL where the op sets nothing, and for all if it has no such
 *     function.
 * @param[in] output_count Room in `outputs`; the outputs of the node, or more.
 * @return NULL, or a status as of OrtcoreKernelCompute.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreKernelInferShapes)(
    OrtcoreKernel* kernel, const OrtTensorTypeAndShapeInfo* const* inputs, size_t input_count,
    OrtTensorTypeAndShapeInfo** outputs, size_t output_count);

#define ORTCORE_KERNEL_ASKED "ortcore_kernel_asked"

/**
 * Tells which attributes the op has asked for until now, also in its shape inference.
 *
 * @param[in] kernel A kernel that was made with `asked` in its node.
 * @param[out] asked As `asked` of the node, with room for `asked_room` bytes.
 */
typedef void(ORT_API_CALL* OrtcoreKernelAsked)(const OrtcoreKernel* kernel, char* asked);

#define ORTCORE_KERNEL_RELEASE "ortcore_kernel_release"

/**
 * Ends a kernel: calls KernelDestroy. No call with this kernel may be running.
 *
 * @param[in] kernel The kernel. NULL does nothing.
 */
typedef void(ORT_API_CALL* OrtcoreKernelRelease)(OrtcoreKernel* kernel);

/** Whether a library of custom ops is opened as a private copy. */
typedef enum OrtcoreCopy {
  /** If the process has loaded the file already. */
  ORTCORE_COPY_IF_LOADED = 0,
  ORTCORE_COPY_NEVER = 1,
  ORTCORE_COPY_ALWAYS = 2
} OrtcoreCopy;

#define ORTCORE_REGISTER_LIBRARY "ortcore_register_library"

/**
 * Opens a library of custom ops and calls its RegisterCustomOps. As RegisterCustomOpsLibrary_V2,
 * with a base of the caller's choice and, where that is asked for, as a copy.
 *
 * Such libraries keep the table that they are given in variables, so two libraries of ONNX Runtime
 * that use one of them disturb each other. A private copy has variables of its own, even those that
 * C++ makes unique in the process. Only Linux has private copies; elsewhere the file is opened.
 *
 * @param[in,out] options Options of this library. They and their copies keep the library open.
 * @param[in] base What RegisterCustomOps is given. NULL: ORTCORE_KERNEL_BASE of
 *     ORT_API_VERSION.
 * @param[in] path UTF-8 path of the library, or a name that the loader searches for.
 * @param[in] copy Whether to open a copy.
 * @param[out] is_copy Whether a copy was opened. May be NULL.
 * @return NULL, or a status: ORT_FAIL for what cannot be opened or does not export
 *     RegisterCustomOps, otherwise what that answers.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreRegisterLibrary)(OrtSessionOptions* options,
                                                         const OrtApiBase* base, const char* path,
                                                         OrtcoreCopy copy, int* is_copy);

#define ORTCORE_FIND_OP "ortcore_find_op"

/**
 * Finds a registered custom op.
 *
 * @param[in] options Options of this library.
 * @param[in] domain UTF-8 domain of the op. NULL: any.
 * @param[in] name UTF-8 name of the op.
 * @return The first op of that name. What registered it owns it. NULL where there is none,
 *     and for a NULL argument.
 */
typedef const OrtCustomOp*(ORT_API_CALL* OrtcoreFindOp)(const OrtSessionOptions* options,
                                                        const char* domain, const char* name);
/** @} */

/** @name Profilers of execution providers
 * @{ */

/** Gets an event, which lives for the time of the call. */
typedef void(ORT_API_CALL* OrtcoreTakeEvent)(void* state, const OrtProfilingEvent* event);

#define ORTCORE_END_PROFILING "ortcore_end_profiling"

/**
 * Has a profiler hand over its events without a session: calls EndProfiling.
 *
 * @param[in] profiler The profiler, whose provider uses this library's table. Borrowed.
 * @param[in] take Called for each event, in the order in which they were added.
 * @param[in] state Passed to `take`.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a NULL argument or a profiler without
 *     EndProfiling, otherwise what the profiler answers, of which no event is then taken.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreEndProfiling)(OrtEpProfilerImpl* profiler,
                                                      OrtcoreTakeEvent take, void* state);
/** @} */

/** @name Execution providers
 * @{ */

#define ORTCORE_REGISTER_EP_LIBRARY "ortcore_register_ep_library"

/**
 * Registers a library with execution providers, as RegisterExecutionProviderLibrary, on a host of
 * the caller's choice: with hardware that the machine may lack, and with an older table.
 *
 * @param[in,out] env The environment.
 * @param[in] base What CreateEpFactories is given. NULL: that of this library.
 * @param[in] name UTF-8 name for UnregisterExecutionProviderLibrary. Copied.
 * @param[in] path Path of the library: wide on Windows, UTF-8 elsewhere.
 * @param[in] hardware The hardware that the factories are shown, hardware_count devices of this
 *     library; held until the library is unregistered. NULL: what GetHardwareDevices answers.
 * @param[in] hardware_count How many; may be 0.
 * @return NULL, or a status as of RegisterExecutionProviderLibrary.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreRegisterEpLibrary)(OrtEnv* env, const OrtApiBase* base,
                                                           const char* name, const ORTCHAR_T* path,
                                                           const OrtHardwareDevice* const* hardware,
                                                           size_t hardware_count);
/** @name Models
 * Reads and writes ONNX files. The API itself has functions for the graphs of a model, which an
 * execution provider is shown, and for making a model, but none to open a file.
 * @{ */

#define ORTCORE_OPEN_MODEL "ortcore_open_model"

/**
 * Opens a model from a file, which is mapped: it must not change before the model is released.
 * The graph is read when ortcore_model_graph first asks for it, weights when a call asks for a
 * tensor. External data is found in the folder of the file, or where links from there lead to that
 * stand beside the file that `model_path` itself leads to.
 *
 * @param[in] model_path Path of the file: wide on Windows, UTF-8 elsewhere.
 * @param[out] out The model. Give it to ReleaseModel.
 * @return NULL, or a status: ORT_NO_SUCHFILE where there is no such file, ORT_INVALID_PROTOBUF
 *     where it is no model, ORT_INVALID_ARGUMENT for a NULL argument or a path that is not that of
 *     a file.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreOpenModel)(const ORTCHAR_T* model_path, OrtModel** out);

#define ORTCORE_OPEN_MODEL_BYTES "ortcore_open_model_bytes"

/**
 * Opens a model from bytes.
 *
 * @param[in] bytes The bytes, `size` of them. Borrowed until the model is released.
 * @param[in] size How many.
 * @param[in] weights_of A model that the new one keeps, and whose folder it has, where external
 *     data is. NULL for a model without external data.
 * @param[out] out The model. Give it to ReleaseModel.
 * @return NULL, or a status: ORT_INVALID_PROTOBUF where the bytes are no model,
 *     ORT_INVALID_ARGUMENT for a NULL argument.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreOpenModelBytes)(const void* bytes, size_t size,
                                                        OrtModel* weights_of, OrtModel** out);

#define ORTCORE_MODEL_GRAPH "ortcore_model_graph"

/**
 * Which graph of a model. A number from ORTCORE_FUNCTIONS on is that of a function of the model, in
 * the order of the file: a graph whose values have no types, and whose opsets are those of the
 * model.
 */
typedef enum OrtcoreGraph {
  /** The graph as the file has it. */
  ORTCORE_GRAPH_AS_WRITTEN = 0,
  /** The graph as an execution provider sees it: nodes Constant are initializers, nodes that lead
   * to no output and initializers that no node uses are gone, attributes that a node leaves out
   * have the operator's defaults, and values without a type the element types that their operators
   * decide. */
  ORTCORE_GRAPH_PREPARED = 1,
  /** The same, as an execution provider sees it in a session whose options allow optimizations:
   * nodes Shape and Size of a value whose shape is known are initializers. */
  ORTCORE_GRAPH_FOLDED = 2,
  ORTCORE_FUNCTIONS = 3
} OrtcoreGraph;

/**
 * Reads a graph of a model. All its functions are those of the API, such as Graph_GetNodes.
 *
 * @param[in] model The model, opened or given a graph.
 * @param[in] which An OrtcoreGraph, or the number of a function.
 * @param[out] out The graph. It belongs to the model.
 * @return NULL, or a status: ORT_INVALID_GRAPH where the graph cannot be read, ORT_INVALID_ARGUMENT
 *     for a NULL argument or a graph that the model does not have.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreModelGraph)(const OrtModel* model, size_t which,
                                                    const OrtGraph** out);

#define ORTCORE_UNTYPED_VALUES "ortcore_untyped_values"

/**
 * Counts the values that nodes of the main graph make of which the model does not say the type.
 *
 * @param[in] model The model, opened or given a graph.
 * @param[out] out How many.
 * @return NULL, or a status: what ortcore_model_graph answers.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreUntypedValues)(const OrtModel* model, size_t* out);

#define ORTCORE_WRITE_MODEL "ortcore_write_model"

/** How a model is written. Zeroed but for version and write, it is written whole. */
typedef struct OrtcoreWriting {
  /** ORT_API_VERSION: says which fields the struct has. */
  uint32_t version;
  /** Called with the bytes of the model, in parts. A failing status ends the writing. */
  OrtWriteBufferFunc write;
  void* state;
  /** Called with the bytes of tensors that go to another file. NULL: none do. */
  OrtWriteBufferFunc write_external;
  void* external_state;
  /** The name of that file, relative to the model's folder, UTF-8. */
  const char* external_name;
  /** A tensor of so many bytes, or more, goes there; an empty one does not. */
  size_t external_above;
  /** A tensor of `external_aligned_from` bytes, or more, begins at a multiple of it; 0: 4096, from
   * which files can be mapped. 1: no tensor is aligned. */
  size_t external_alignment;
  size_t external_aligned_from;
  /** Called first, with each initializer that is a dense tensor of numbers, and with the tensor of
   * each node Constant: says where the client has stored it. NULL: no function is called. */
  OrtGetInitializerLocationFunc locate;
  void* locate_state;
} OrtcoreWriting;

/**
 * Writes a model. What was read comes out with the same meaning, unknown fields too; only where the
 * elements of tensors are changes. External data is read for it.
 *
 * @param[in] model The model.
 * @param[in] writing How. Not needed after the call.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a NULL argument and for a model of more than
 *     2 GiB, ORT_INVALID_GRAPH where external data is not there, otherwise what the functions
 *     answer.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreWriteModel)(const OrtModel* model,
                                                    const OrtcoreWriting* writing);
/** @} */

/** @name Execution providers on graphs
 * Has a provider look at the graph of a model, compile what it takes of it, and run that, without a
 * session. Calls of a provider that throw answer a status with ORT_RUNTIME_EXCEPTION.
 * @{ */

/** A provider that a factory made. */
typedef struct OrtcoreEp {
  /** Its name, UTF-8. */
  const char* name;
  /** What CreateEp made. */
  OrtEp* ep;
} OrtcoreEp;

#define ORTCORE_CREATE_EP "ortcore_create_ep"

/**
 * Makes a provider: calls CreateEp of the factory of some devices.
 *
 * @param[in] devices `count` devices of one factory, such as GetEpDevices lists.
 * @param[in] count How many, from 1 to 8.
 * @param[in] options Options of the session that there is not; with the provider's own as
 *     configuration entries. Borrowed for the call.
 * @param[in] logger The logger of the provider. Borrowed until the provider is released. May be
 *     NULL.
 * @param[out] out The provider, which keeps its library open. Give it to OrtcoreReleaseEp.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a NULL argument or devices that do not
 *     belong together, ORT_FAIL for a provider without a name or GetCapability, otherwise what
 *     CreateEp answers.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreCreateEp)(const OrtEpDevice* const* devices, size_t count,
                                                  const OrtSessionOptions* options,
                                                  const OrtLogger* logger, OrtcoreEp** out);

#define ORTCORE_RELEASE_EP "ortcore_release_ep"

/** Gives a provider back. It ends when what it took and compiled has ended too. NULL does nothing.
 */
typedef void(ORT_API_CALL* OrtcoreReleaseEp)(OrtcoreEp* ep);

/** Nodes that a provider takes. */
typedef struct OrtcoreGroup {
  /** Nodes of the graph, node_count of them. */
  const OrtNode* const* nodes;
  size_t node_count;
  /** 1 for AddNodesToFuse, 0 for AddSingleNode. */
  int is_fused;
  /** Whether the provider keeps constants itself. */
  int drops_constants;
} OrtcoreGroup;

/** What a provider takes of a graph. */
typedef struct OrtcoreClaims {
  const OrtcoreGroup* groups;
  size_t group_count;
  /** The graph that the nodes are of. It is the one that was given, unless the provider wants the
   * channels last: then it is one that the claims keep, in which nodes that the provider takes have
   * a Transpose before their first input and after their first output, and the domain
   * com.ms.internal.nhwc. Other nodes have the same numbers in it, values the same names. Ask
   * further providers about this graph. */
  const OrtGraph* graph;
} OrtcoreClaims;

#define ORTCORE_EP_CLAIM "ortcore_ep_claim"

/**
 * Asks a provider what it takes of a graph: calls GetCapability, for the graphs in nodes first.
 * Where GetPreferredDataLayout says NHWC, the layout of what it takes is changed, and GetCapability
 * called again.
 *
 * @param[in] ep The provider.
 * @param[in] graph A graph of a model, as ORTCORE_GRAPH_PREPARED, or the graph of other claims. It
 *     must outlive the claims, and the model what is compiled of them.
 * @param[out] out The claims. Give them to OrtcoreReleaseClaims.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a NULL argument or a graph of the model
 *     editor, ORT_FAIL for a node whose layout is to change and whose first input has no known
 *     number of dimensions, otherwise what the provider answers.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreEpClaim)(OrtcoreEp* ep, const OrtGraph* graph,
                                                 OrtcoreClaims** out);

#define ORTCORE_RELEASE_CLAIMS "ortcore_release_claims"

/** Gives claims back. NULL does nothing. */
typedef void(ORT_API_CALL* OrtcoreReleaseClaims)(OrtcoreClaims* claims);

/** A node that a provider compiled, or has a kernel for. OrtcoreKernelCreate makes a kernel of it:
 * operands and attributes go into OrtcoreNode as they are. A kernel must end before the compiled
 * node. */
typedef struct OrtcoreCompiledNode {
  /** A custom op whose kernels are what CreateState makes, or the provider's own. */
  const OrtCustomOp* op;
  /** The fused node, or the one of the graph, whose inputs and outputs are those of the kernel. */
  const OrtNode* node;
  const OrtcoreOperand* inputs;
  size_t input_count;
  const OrtcoreOperand* outputs;
  size_t output_count;
  /** The node EPContext that stands for it in a compiled model; NULL where the provider made none.
   */
  const OrtNode* context_node;
  /** The attributes of a single node, for OrtcoreNode. */
  const OrtOpAttr* const* attributes;
  size_t attribute_count;
  /** What Compile gave for a fused node; NULL for a single one. */
  const struct OrtNodeComputeInfo* info;
} OrtcoreCompiledNode;

/** What a provider compiled, a node for each group: fused ones first. */
typedef struct OrtcoreCompiled {
  const OrtcoreCompiledNode* nodes;
  size_t node_count;
} OrtcoreCompiled;

#define ORTCORE_EP_COMPILE "ortcore_ep_compile"

/**
 * Has a provider compile what it took: calls Compile, once for all groups that are fused, and finds
 * its kernels for the others.
 *
 * @param[in] claims The claims.
 * @param[out] out What was compiled. Give it to OrtcoreReleaseCompiled.
 * @return NULL, or a status: ORT_INVALID_ARGUMENT for a NULL argument or no claims, ORT_FAIL for a
 *     node without an info or a kernel, otherwise what Compile answers.
 */
typedef OrtStatus*(ORT_API_CALL* OrtcoreEpCompile)(OrtcoreClaims* claims, OrtcoreCompiled** out);

#define ORTCORE_RELEASE_COMPILED "ortcore_release_compiled"

/** Gives back what was compiled. All its kernels must have ended. NULL does nothing. */
typedef void(ORT_API_CALL* OrtcoreReleaseCompiled)(OrtcoreCompiled* compiled);
/** @} */

#ifdef __cplusplus
}
#endif

#endif /* ORTCORE_H_ */
