/* SPDX-License-Identifier: MIT */
/* A library of custom ops that double a float tensor, or with the attribute "alpha" multiply it by
 * that. "Doubles" is right; each other one has a bug, most of which the results of a single call do
 * not show. Compiled with -DASKS=99 the library asks for a table that no host has. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unwind.h>

#include "onnxruntime_c_api.h"

#include "own_domain.h"
#include "plain_op.h"

#ifndef ASKS
#define ASKS 24
#endif

enum bug {
#define BUG(bug, name) bug,
#include "buggy_ops.def"
#undef BUG
  BUGS
};
static const char* const names[BUGS] = {
#define BUG(bug, name) #name,
#include "buggy_ops.def"
};

struct op {
  OrtCustomOp base;
  const char* name;
  enum bug bug;
};

struct kernel {
  enum bug bug;
  float alpha;
  float calls;
  const float* first;
};

static const char* name(const OrtCustomOp* op) { return ((const struct op*)op)->name; }

static int last_version(const OrtCustomOp* op) {
  (void)op;
  return 1000;
}

static OrtStatus* infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  int64_t shape[16] = {0};
  size_t rank;
  const OrtOpAttr* axis = NULL; /* only this function asks for it */
  api->ReleaseStatus(api->ShapeInferContext_GetAttribute(context, "axis", &axis));
  OrtStatus* status = api->ShapeInferContext_GetInputTypeShape(context, 0, &info);
  if (status != NULL) {
    return status;
  }
  api->ReleaseStatus(api->GetDimensionsCount(info, &rank));
  api->ReleaseStatus(api->GetDimensions(info, shape, rank));
  rank += ((const struct op*)op)->bug == SAYS_OTHER_SHAPE;
  OrtTensorTypeAndShapeInfo* result = NULL;
  status = api->CreateTensorTypeAndShapeInfo(&result);
  if (status == NULL) {
    api->ReleaseStatus(api->SetTensorElementType(result, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT));
    api->ReleaseStatus(api->SetDimensions(result, shape, rank));
    status = api->ShapeInferContext_SetOutputTypeShape(context, 0, result);
    api->ReleaseTensorTypeAndShapeInfo(result);
  }
  return status;
}

static float last_alpha;

static OrtStatus* create(const OrtCustomOp* op, const OrtApi* given, const OrtKernelInfo* info,
                         void** kernel) {
  const enum bug bug = ((const struct op*)op)->bug;
  float alpha = 2;
  size_t size = 0;
  OrtStatus* status = given->KernelInfoGetAttribute_float(info, "alpha", &alpha);
  given->ReleaseStatus(bug == LEAKS_STATUS ? NULL : status);
  given->ReleaseStatus(given->KernelInfoGetAttribute_string(info, "sep", NULL, &size));
  struct kernel* self = malloc(sizeof *self);
  *self = (struct kernel){.bug = bug, .alpha = bug == IGNORES_ALPHA ? 2 : alpha};
  last_alpha = alpha;
  *kernel = self;
  return NULL;
}

static void destroy(void* kernel) {
  const enum bug bug = ((const struct kernel*)kernel)->bug;
  if (bug == CRASHES_AT_END) {
    abort();
  }
  free(bug == DESTROYS_NOTHING ? NULL : kernel);
}

static void use_scratch(OrtKernelContext* context, enum bug bug) {
  const OrtMemoryInfo* info;
  OrtMemoryInfo* cpu;
  OrtAllocator* allocator;
  void* block;
  api->ReleaseStatus(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
  api->ReleaseStatus(api->KernelContext_GetAllocator(context, cpu, &allocator));
  api->ReleaseMemoryInfo(cpu);
  api->ReleaseStatus(api->AllocatorGetInfo(allocator, &info));
  if (bug == KEEPS_BLOCK) {
    api->ReleaseStatus(api->AllocatorAlloc(allocator, 4096, &block));
  } else {
    api->ReleaseStatus(api->AllocatorAlloc(allocator, 24, &block));
    memset(block, 0, 25);
    api->ReleaseStatus(api->AllocatorFree(allocator, block));
  }
  api->ReleaseAllocator(allocator);
}

static void slowly(const float* x, float* y, size_t count) {
  static volatile float scratch[64];
  static atomic_int writes;
  for (size_t i = 0; i < count && i < 64; i++) {
    scratch[i] = 2 * x[i];
  }
  int mine = ++writes;
  for (int i = 0; i < 10 && writes == mine; i++) { /* another thread writes soon, if there is one */
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  for (size_t i = 0; i < count && i < 64; i++) {
    y[i] = scratch[i];
  }
}

static void compute_numbers(struct kernel* self, const float* x, float* y, size_t count) {
  static float calls;
  static float first_alpha;
  float added = 0;
  float alpha = self->alpha;
  if (self->bug == SHARES_SCRATCH) {
    slowly(x, y, count);
    return;
  }
  if (self->first == NULL) {
    self->first = x;
  }
  x = self->bug == READS_FIRST_INPUT ? self->first : x;
  self->calls++;
  calls++;
  if (self->bug == COUNTS || self->bug == COUNTS_FOR_ALL) {
    added = self->bug == COUNTS ? self->calls : calls;
  }
  first_alpha = first_alpha == 0 ? alpha : first_alpha;
  if (self->bug == USES_LAST_ALPHA || self->bug == USES_FIRST_ALPHA) {
    alpha = self->bug == USES_LAST_ALPHA ? last_alpha : first_alpha;
  }
  for (size_t i = 0; i < count - (self->bug == LEAVES_LAST && count > 0); i++) {
    y[i] = alpha * x[i] + added;
  }
}

static void end_badly(enum bug bug, size_t count) {
  static _Thread_local struct _Unwind_Exception thrown;
  if (bug == THROWS) {
    memset(&thrown, 0, sizeof thrown);
    _Unwind_RaiseException(&thrown);
  } else if (bug == CRASHES) {
    fputs("about to crash\n", stderr);
    raise(SIGSEGV);
  } else if (bug == CRASHES_ON_EMPTY && count == 0) {
    raise(SIGSEGV);
  } else if (bug == RELEASES_TWICE) {
    OrtStatus* status = api->CreateStatus(ORT_FAIL, "released twice");
    api->ReleaseStatus(status);
    api->ReleaseStatus(status);
  }
  while (bug == HANGS || (bug == LOOPS_ON_EMPTY && count == 0)) {
    nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
  }
}

volatile float last_read;
void* volatile last_left;

static void touch_too_much(enum bug bug, OrtKernelContext* context, float* x, float* y,
                           size_t count) {
  switch (bug) {
    case WRITES_AFTER_OUTPUT:
      y[count] = 0;
      break;
    case WRITES_BEFORE_OUTPUT:
      y[-1] = 0;
      break;
    case WRITES_AFTER_INPUT:
      x[count] = 0;
      break;
    case WRITES_TO_INPUT:
      if (count > 1) x[1] = -1;
      break;
    case WRITES_AFTER_SCRATCH:
    case KEEPS_BLOCK:
      use_scratch(context, bug);
      break;
    case WRITES_DOUBLES:
      for (size_t i = 0; i < count; i++) {
        ((double*)y)[i] = x[i];
      }
      break;
    case READS_AFTER_INPUT:
      last_read = count > 0 ? x[count] : 0;
      break;
    case LEAKS_MEMORY:
      last_left = malloc(32);
      break;
    default:
      break;
  }
}

static OrtStatus* compute(void* kernel, OrtKernelContext* context) {
  struct kernel* self = kernel;
  OrtTensorTypeAndShapeInfo* left;
  struct plain_call call;
  OrtStatus* status = plain_begin(api, context, &call);
  if (status != NULL) {
    return status;
  }
  if (self->bug == LEAKS_INFO) {
    api->ReleaseStatus(api->GetTensorTypeAndShape(call.in, &left));
  }
  compute_numbers(self, call.x, call.y, call.count);
  touch_too_much(self->bug, context, call.x, call.y, call.count);
  end_badly(self->bug, call.count);
  return NULL;
}

static struct op ops[BUGS];

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) {
  api = base->GetApi(ASKS);
  OrtStatus* status = api->CreateCustomOpDomain("buggy", &domain);
  for (int bug = 0; bug < BUGS && status == NULL; bug++) {
    struct op* op = &ops[bug];
    op->name = names[bug];
    op->bug = (enum bug)bug;
    op->base = (OrtCustomOp){
        .version = 24,
        .GetName = name,
        PLAIN_OP,
        .GetInputTypeCount = plain_count,
        .GetOutputTypeCount = plain_count,
        .KernelDestroy = bug == LACKS_DESTROY ? NULL : destroy,
        .GetStartVersion = plain_one,
        .GetEndVersion = last_version,
        .CreateKernelV2 = create,
        .KernelComputeV2 = compute,
        .InferOutputShapeFn = bug == SAYS_OTHER_SHAPE || bug == LEAVES_LAST ? infer : NULL,
    };
    status = api->CustomOpDomain_Add(domain, &op->base);
  }
  return status == NULL ? api->AddCustomOpDomain(options, domain) : status;
}
