/* SPDX-License-Identifier: MIT */
/* Kernels: how they begin and end, and how an op's functions are called. */
#include "kernels/kernel.h"

#include "platform/catching.h"

/* Since when a struct has CreateKernelV2 and KernelComputeV2. */
#define STATUS_SINCE 16

static __thread OrtAllocator* running CORE_TLS;

OrtAllocator* core_running_allocator(void) { return running; }

OrtAllocator* core_enter_kernel(OrtAllocator* allocator) {
  OrtAllocator* before = running;
  running = allocator;
  return before;
}

static void enter(void* call) {
  struct core_op_call* own = call;
  own->function(own);
}

bool core_computes_with_status(const OrtCustomOp* op) {
  return op->version >= STATUS_SINCE && op->KernelComputeV2 != NULL;
}

/* What is wrong about an exception; "" for an op whose functions have no other way to fail. */
static const char* left(const struct core_node* node) {
  if (node->ep != NULL) {
    return "an exception left the execution provider: ";
  }
  return core_computes_with_status(node->op)
             ? "an exception left the op, which can answer a status: "
             : "";
}

static void report(void* call, const char* text) {
  struct core_op_call* own = call;
  /* The exception replaces a status that the function has set before. */
  ort_ReleaseStatus(own->status);
  own->status = core_status(ORT_RUNTIME_EXCEPTION, "%s%s", left(own->node), text);
}

/* The status of an op, with op and node in its text. */
static CORE_COLD OrtStatus* explain(const struct core_node* node, OrtStatus* status) {
  OrtErrorCode code = ort_GetErrorCode(status);
  if (code == ORT_OK) {
    ort_ReleaseStatus(status);
    return core_node_status(node, ORT_FAIL, "the op answered a status with the code ORT_OK");
  }
  const char* message = ort_GetErrorMessage(status);
  message = message[0] != 0 ? message : "the op answered a status without a message";
  OrtStatus* explained = core_node_status(node, code, "%s", message);
  ort_ReleaseStatus(status);
  return explained;
}

OrtStatus* core_call_op(struct core_op_call* call) {
  OrtAllocator* before = core_enter_kernel(call->node->allocator);
  core_call_catching(enter, call, report);
  running = before;
  return CORE_LIKELY(call->status == NULL) ? NULL : explain(call->node, call->status);
}

struct create_call {
  struct core_op_call call;
  OrtcoreKernel* kernel;
};

static bool creates_with_status(const OrtCustomOp* op) {
  return op->version >= STATUS_SINCE && op->CreateKernelV2 != NULL;
}

OrtStatus* core_create_of_op(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info,
                             void** kernel) {
  if (creates_with_status(op)) {
    return op->CreateKernelV2(op, api, info, kernel);
  }
  *kernel = op->CreateKernel(op, api, info);
  return NULL;
}

static void create(struct core_op_call* call) {
  OrtcoreKernel* kernel = ((struct create_call*)call)->kernel;
  call->status = core_create_of_op(call->node->op, call->node->api, &kernel->info, &kernel->state);
}

static void destroy(struct core_op_call* call) {
  OrtcoreKernel* kernel = ((struct create_call*)call)->kernel;
  if (call->node->op->KernelDestroy != NULL) {
    call->node->op->KernelDestroy(kernel->state);
  }
}

static OrtStatus* check_op(const OrtCustomOp* op) {
  CORE_FAIL_IF(op->version == 0, ORT_INVALID_ARGUMENT,
               "ortcore_kernel_create: the op's version must not be 0");
  CORE_FAIL_IF(!creates_with_status(op) && op->CreateKernel == NULL, ORT_INVALID_ARGUMENT,
               "ortcore_kernel_create: the op has no CreateKernel");
  CORE_FAIL_IF(!core_computes_with_status(op) && op->KernelCompute == NULL, ORT_INVALID_ARGUMENT,
               "ortcore_kernel_create: the op has no KernelCompute");
  return NULL;
}

/* Other threads of the op may still ask, so the caller gets a copy. */
void ORT_API_CALL core_kernel_asked(const OrtcoreKernel* kernel, char* asked) {
  const struct core_node* node = kernel->node;
  if (node->asked != NULL) {
    memcpy(asked, node->asked, node->asked_room);
    if (__atomic_load_n(&node->asked_size, __ATOMIC_RELAXED) > node->asked_room) {
      asked[0] = '0' + ORT_OP_ATTR_UNDEFINED;
    }
  }
}

static void end_kernel(void* block) {
  OrtcoreKernel* kernel = block;
  while (kernel->contexts != NULL) {
    OrtKernelContext* context = kernel->contexts;
    kernel->contexts = context->next;
    heap_free(context);
  }
  heap_free(kernel->spare);
  kernel->info.object.class = NULL;
  if (kernel->node != NULL) {
    core_leave_node(kernel->node);
    core_drop(kernel->node);
  }
}

static const struct core_class kernel_class = {.kind = CORE_KERNEL, .end = end_kernel};

OrtStatus* core_kernel_create(const struct core_kernel_host* host, const OrtcoreNode* node,
                              OrtcoreKernel** out) {
  CORE_REQUIRE(ortcore_kernel_create, node, out);
  CORE_FAIL_IF(node->version < CORE_KERNELS_SINCE, ORT_INVALID_ARGUMENT,
               "ortcore_kernel_create: the node's version must be 30 or more");
  CORE_REQUIRE(ortcore_kernel_create, node->op);
  CORE_TRY(check_op(node->op));
  OrtcoreKernel* kernel = core_new_object(&kernel_class, sizeof *kernel);
  CORE_RETURN_IF(kernel == NULL, CORE_OUT_OF_MEMORY(ortcore_kernel_create, sizeof *kernel));
  kernel->compute = core_computes_with_status(node->op) ? node->op->KernelComputeV2 : NULL;
  OrtStatus* status = core_new_node(host, node, &kernel->node);
  if (status != NULL) {
    core_drop(kernel);
    return core_named("ortcore_kernel_create", status);
  }
  kernel->info = (OrtKernelInfo){{&core_kernel_info_class, CORE_PERMANENT, 0}, kernel->node};
  struct create_call own = {{kernel->node, create, NULL}, kernel};
  status = core_call_op(&own.call);
  core_kernel_asked(kernel, node->asked);
  CORE_HAND_OUT(status, kernel, out);
}

void ORT_API_CALL core_kernel_release(OrtcoreKernel* kernel) {
  if (kernel == NULL) {
    return;
  }
  struct create_call own = {{kernel->node, destroy, NULL}, kernel};
  /* No caller can receive what a destructor threw. */
  ort_ReleaseStatus(core_call_op(&own.call));
  core_drop(kernel);
}
