/* SPDX-License-Identifier: MIT */
/* A custom op as a kernel of an execution provider. */
#include "compile/compiled_node.h"
#include "kernels/kernel.h"

struct op_kernel {
  OrtKernelImpl base;
  const OrtCustomOp* op;
  void* kernel;
};

static OrtStatus* ORT_API_CALL compute(OrtKernelImpl* self, OrtKernelContext* context) {
  const struct op_kernel* own = (const struct op_kernel*)self;
  if (core_computes_with_status(own->op)) {
    return own->op->KernelComputeV2(own->kernel, context);
  }
  own->op->KernelCompute(own->kernel, context);
  return NULL;
}

static void ORT_API_CALL destroy(OrtKernelImpl* self) {
  const struct op_kernel own = *(const struct op_kernel*)self;
  heap_free(self);
  if (own.op->KernelDestroy != NULL) {
    own.op->KernelDestroy(own.kernel);
  }
}

static OrtStatus* ORT_API_CALL create(void* op, const OrtKernelInfo* info, OrtKernelImpl** out) {
  struct op_kernel* made = heap_alloc(sizeof *made);
  CORE_NEED_MEMORY(made, sizeof *made);
  *made = (struct op_kernel){
      {.ort_version_supported = ORT_API_VERSION, .Compute = compute, .Release = destroy}, op, NULL};
  OrtStatus* status = core_create_of_op(op, info->node->api, info, &made->kernel);
  if (status != NULL) {
    heap_free(made);
    return status;
  }
  *out = &made->base;
  return NULL;
}

struct core_registered_kernel core_kernel_of_op(const OrtCustomOp* op) {
  static struct OrtKernelDef any = {.object = {.references = CORE_PERMANENT}};
  return (struct core_registered_kernel){&any, create, (void*)op};
}
