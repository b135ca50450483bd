/* SPDX-License-Identifier: MIT */
/**
 * @file kernel.h
 * The kernel host: what ortcore.h describes, by the names that the core uses.
 *
 * A node is what a kernel was made for. It does not change, so that any thread may read it; the
 * kernel and each copy of its info hold it. A context is one call; it belongs to its kernel, so
 * that it still differs from a running one when a kernel keeps it.
 */
#pragma once

#include "custom_ops/custom_op.h"
#include "object/pool.h"
#include "ortcore.h"
#include "platform/platform.h"
#include "values/type_info.h"

/** The version of the header that brought struct OrtcoreNode. */
#define CORE_KERNELS_SINCE 30
/** The version that added `options` to it. */
#define CORE_NODE_OPTIONS_SINCE 32

/** What kernels borrow from the topics above. */
struct core_kernel_host {
  /** The table for nodes without one. */
  const OrtApi* api;
  /** The logger for nodes without one, asked for at each use. */
  const OrtLogger* (*logger)(void);
  /** The custom ops of options. */
  const struct core_custom_ops* (*custom_ops)(const OrtSessionOptions* options);
};

/* Nodes. */

/** No op has more inputs, outputs or attributes: a larger number is taken for a mistake. */
#define CORE_MOST_OPERANDS 65536

/** An input or output of a node. */
struct core_node_operand {
  /** "": the node leaves it out. */
  const char* name;
  /** What the node says; may be NULL. */
  OrtTypeInfo* type_info;
  /** May be NULL, as once the kernel has ended. Kernels borrow it as `borrowed_constant`. */
  OrtValue* constant;
  OrtValue borrowed_constant;
};

/** What each call is checked against. */
struct core_expected {
  /** UNDEFINED where neither node nor op says. */
  ONNXTensorElementDataType type;
  /** Whether the node has the operand, so that its name is not "". */
  bool is_there;
  /** Whether each call gives the input, or makes the output. */
  bool is_required;
};

/** All inputs or all outputs. */
struct core_side {
  /** `few`, or a longer array. */
  struct core_expected* expected;
#define CORE_FEW_OPERANDS 4
  struct core_expected few[CORE_FEW_OPERANDS];
  /** The length of `list` and `expected`. */
  size_t count;
  /** The fewest values that the op can do with. */
  size_t least;
  /** Whether the number of operands may differ from call to call. */
  bool is_open;
  /** Whether the last one is variadic and takes values of any type, but all of the same. */
  bool is_homogeneous;
  struct core_node_operand* list;
  struct core_operand* declared;
  size_t declared_count;
  const char* what;
};

struct core_thread_pool;

struct core_node {
  struct core_object object;
  /** What each call reads comes first, and together: a large model does not fit into caches. */
  OrtAllocator* allocator;
  struct core_side inputs;
  struct core_side outputs;
  const OrtCustomOp* op;
  /** For memory of the provider's device; NULL where it computes in the CPU's, or the kernel has
   * ended. */
  OrtAllocator* device_allocator;
  /** The execution provider whose kernel it is; NULL for a custom op, or the kernel has ended. */
  const OrtEp* ep;
  /** The node of the graph that such a kernel computes; else NULL. */
  const OrtNode* of;
  const struct core_kernel_host* host;
  const OrtApi* api;
  /** NULL: the host's, also once the kernel has ended. */
  const OrtLogger* logger;
  uint32_t threads;
  /** Where the pool with these threads is, if there is one; NULL: the kernel is in no session. */
  struct core_thread_pool* const* pool;
  /** NULL: none, or the kernel has ended. */
  const OrtSessionOptions* options;
  int since_version;
  const char* op_name;
  const char* domain;
  const char* name;
  OrtOpAttr** attributes;
  size_t attribute_count;
  /** NULL: those of the options. */
  OrtKeyValuePairs* config;
  /** As in OrtcoreNode; zeroed. NULL: not wanted. */
  char* asked;
  size_t asked_room;
  /** Atomic; more than the room if that was too small. */
  size_t asked_size;
  /** The memory of all arrays and texts here. */
  struct core_pool memory;
};

OrtStatus* core_new_node(const struct core_kernel_host* host, const OrtcoreNode* from,
                         struct core_node** out);

/** Ends what the node of a kernel that ends has of others: copies of the kernel's info may stay,
 * but not what they borrow. */
void core_leave_node(struct core_node* node);

/** A failing status whose text begins with the op and the node. */
OrtStatus* core_node_status(const struct core_node* node, OrtErrorCode code, const char* format,
                            ...) CORE_FORMAT(3);

/** What the op declares of the i-th input or output; the last one may be variadic. NULL where there
 * is none. */
const struct core_operand* core_declared(const struct core_side* side, size_t i);
/** Whether the node has the i-th input or output. */
static inline bool core_node_has(const struct core_side* side, size_t i) {
  return CORE_LIKELY(i < side->count) ? side->expected[i].is_there : side->is_open;
}
/** The element type of the i-th input or output; UNDEFINED where it is not known. */
static inline ONNXTensorElementDataType core_node_type(const struct core_side* side, size_t i) {
  if (CORE_LIKELY(i < side->count)) {
    return side->expected[i].type;
  }
  const struct core_operand* declared = core_declared(side, i);
  return declared != NULL ? declared->type : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

const OrtOpAttr* core_node_attribute(const struct core_node* node, const char* name);
/** Notes that the op asks for an attribute. */
void core_note_asked(struct core_node* node, OrtOpAttrType type, const char* name);
const OrtLogger* core_node_logger(const struct core_node* node);

/* Kernels. */

/** What a kernel borrows: a part of the kernel, or a copy. */
struct OrtKernelInfo {
  /** The class is NULL once the kernel has ended, so that an info that was kept too long is
   * refused. */
  struct core_object object;
  struct core_node* node;
};
extern const struct core_class core_kernel_info_class;

struct OrtcoreKernel {
  struct core_object object;
  struct core_node* node;
  struct OrtKernelInfo info;
  /** What CreateKernel answered; may be NULL. */
  void* state;
  /** The op's KernelComputeV2; NULL where its KernelCompute computes. */
  OrtStatusPtr(ORT_API_CALL* compute)(void* state, OrtKernelContext* context);
  /** Contexts that no call uses: one that is taken without the lock, and the others. */
  struct OrtKernelContext* spare;
  struct OrtKernelContext* contexts;
};

struct core_scratch;

struct OrtKernelContext {
  uintptr_t mark;
  const OrtcoreKernel* kernel;
  const struct core_node* node;
  struct OrtKernelContext* next;
  struct core_scratch* scratch;
  /** Whether outputs are made in memory of the provider's device. */
  bool is_on_device;
  /** The stream of the provider's device; NULL without one. */
  OrtSyncStream* stream;
  /** In a run of a session, its options, or NULL. */
  const OrtRunOptions* run_options;
  /** The logger of the run; NULL: the node's. */
  const OrtLogger* logger;
  /** In a run of a session, what it does on the device that computes the node. */
  struct core_device_run* device_run;
  /** In a run of a session, where it has a tensor that no step reads any more, or NULL. The first
   * output may become that tensor; the place is NULL then. */
  OrtValue** idle;
  size_t input_count;
  size_t output_count;
  /** How many inputs and outputs there can be. */
  size_t room;
  /** The inputs, then the outputs. */
  struct core_passed {
    /** The target is NULL for an input that is left out, and for an output until GetOutput makes
     * it. Outputs: atomic. */
    OrtValue handle;
    bool is_callers;
    /** The output is to be in the CPU's memory, wherever the others are. */
    bool is_for_cpu;
  } passed[];
};
#define CORE_CONTEXT_MARK ((uintptr_t)0x4B65726E43747874)

/** The size of a context with room for so many inputs and outputs. */
static inline size_t core_context_size(size_t room) {
  return sizeof(struct OrtKernelContext) + room * sizeof(struct core_passed);
}

/** Makes a context of a block of that size, for calls of a kernel one after the other. */
void core_begin_context(OrtKernelContext* context, const OrtcoreKernel* kernel, size_t room);

/** An input of the running call, or its constant; NULL where there is none. */
static inline const OrtValue* core_context_input(const OrtKernelContext* context, size_t i) {
  const struct core_side* side = &context->node->inputs;
  if (i < context->input_count && context->passed[i].is_callers) {
    return &context->passed[i].handle;
  }
  return i < side->count && side->list[i].constant != NULL ? &side->list[i].borrowed_constant
                                                           : NULL;
}

/** An op may have one of the two functions that answer a status without the other: each is called
 * where it is there, as the real library does. */
bool core_computes_with_status(const OrtCustomOp* op);
OrtStatus* core_create_of_op(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                             void** kernel);

/** A call of an op's function, at the beginning of a struct with the arguments. */
struct core_op_call {
  const struct core_node* node;
  /** Makes the call, and may set the status. */
  void (*function)(struct core_op_call* call);
  OrtStatus* status;
};

/** Makes a call in which GetAllocatorWithDefaultOptions answers the node's allocator. An exception
 * becomes a status, and a status begins with the op and the node. */
OrtStatus* core_call_op(struct core_op_call* call);

/** The allocator of the kernel that the calling thread is in; NULL outside of kernels. */
OrtAllocator* core_running_allocator(void);
/** Sets it; returns the one before. */
OrtAllocator* core_enter_kernel(OrtAllocator* allocator);

/** Takes memory of scratch buffers back. */
void core_free_scratch(OrtKernelContext* context);

OrtStatus* core_kernel_create(const struct core_kernel_host* host, const OrtcoreNode* node,
                              OrtcoreKernel** out);
CORE_FOR_EXTENSION OrtStatus* ORT_API_CALL core_kernel_compute(OrtcoreKernel* kernel,
                                                               const OrtValue* const* inputs,
                                                               size_t input_count,
                                                               OrtValue** outputs,
                                                               size_t output_count);
/** The same in a context of the caller with room for the operands, which no other call uses. */
OrtStatus* core_kernel_compute_in(OrtKernelContext* context, const OrtValue* const* inputs,
                                  size_t input_count, OrtValue** outputs, size_t output_count);
OrtStatus* ORT_API_CALL core_kernel_set_output(OrtKernelContext* context, size_t index,
                                               const OrtValue* value);
OrtStatus* ORT_API_CALL core_kernel_infer_shapes(OrtcoreKernel* kernel,
                                                 const OrtTensorTypeAndShapeInfo* const* inputs,
                                                 size_t input_count,
                                                 OrtTensorTypeAndShapeInfo** outputs,
                                                 size_t output_count);
void ORT_API_CALL core_kernel_asked(const OrtcoreKernel* kernel, char* asked);
void ORT_API_CALL core_kernel_release(OrtcoreKernel* kernel);

/* What the slots of kernel infos and contexts have in common. */

/** Guards the first argument of a slot, which kernels may have kept for too long. */
#define CORE_REQUIRE_BORROWED(function, argument, mark, its_mark)                  \
  CORE_REQUIRE(function, argument);                                                \
  CORE_FAIL_IF(__atomic_load_n(&(argument)->mark, __ATOMIC_RELAXED) != (its_mark), \
               ORT_INVALID_ARGUMENT,                                               \
               #function ": " #argument " is used after the call that it was valid for")
#define CORE_REQUIRE_CONTEXT(function) \
  CORE_REQUIRE_BORROWED(function, context, mark, CORE_CONTEXT_MARK)

/** Copies a text into a client's buffer. `size` gets what it needs, also where it is too small. */
OrtStatus* core_give_text(const char* text, size_t length, char* out, size_t* size);

/** The allocator of a node for some memory: the CPU's, or that of the provider's device. */
OrtStatus* core_node_allocator(const struct core_node* node, const OrtMemoryInfo* info,
                               OrtAllocator** out);
