/* SPDX-License-Identifier: MIT */
/*
 * Ops that ask for what surrounds them, and that make and call other ops. In the domain "calling":
 *   Scale       multiplies by its attribute "by"
 *   Configured  adds what the session's configuration entry "to.add" has: 1 for each character
 *   Fourfold    calls Scale by 2 twice
 *   Double      calls ONNX's Add of its input and itself
 *   Wrong       makes an op for which there is no type "T"
 */
#include <stdlib.h>
#include <string.h>

#include "own_domain.h"
#include "plain_op.h"

/* The op comes first: its functions get it as their argument. */
struct op {
  OrtCustomOp callbacks;
  const char* name;
};

struct kernel {
  float by, added;
  OrtOp* inner;
};

static const char* ORT_API_CALL name(const OrtCustomOp* op) { return ((const struct op*)op)->name; }
static OrtStatus* make_inner(const char* its_name, const OrtKernelInfo* info, OrtOp** out) {
  const ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  const char *any = "T", *first = "Input0";
  const float two = 2;
  OrtOpAttr* by = NULL;
  if (strcmp(its_name, "Double") == 0) {
    return api->CreateOp(info, "Add", "", 14, &any, &type, 1, NULL, 0, 2, 1, out);
  }
  if (strcmp(its_name, "Wrong") == 0) {
    return api->CreateOp(info, "Scale", "calling", 1, &any, &type, 1, NULL, 0, 1, 1, out);
  }
  TRY(api->CreateOpAttr("by", &two, 1, ORT_OP_ATTR_FLOAT, &by));
  OrtStatus* status = api->CreateOp(info, "Scale", "calling", 1, &first, &type, 1,
                                    (const OrtOpAttr* const*)&by, 1, 1, 1, out);
  api->ReleaseOpAttr(by);
  return status;
}

static OrtStatus* read_entry(const OrtKernelInfo* info, float* added) {
  OrtKeyValuePairs* entries = NULL;
  TRY(api->KernelInfo_GetConfigEntries(info, &entries));
  const char* to_add = api->GetKeyValue(entries, "to.add");
  *added = to_add != NULL ? (float)strlen(to_add) : 0;
  api->ReleaseKeyValuePairs(entries);
  return NULL;
}

static OrtStatus* ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* given,
                                      const OrtKernelInfo* info, void** out) {
  struct kernel made = {.by = 1};
  (void)given;
  if (strcmp(name(op), "Scale") == 0) {
    TRY(api->KernelInfoGetAttribute_float(info, "by", &made.by));
  } else if (strcmp(name(op), "Configured") == 0) {
    TRY(read_entry(info, &made.added));
  } else {
    TRY(make_inner(name(op), info, &made.inner));
  }
  struct kernel* kernel = malloc(sizeof *kernel);
  *kernel = made;
  *out = kernel;
  return NULL;
}

static void ORT_API_CALL destroy(void* kernel) {
  api->ReleaseOp(((struct kernel*)kernel)->inner);
  free(kernel);
}

static OrtStatus* ORT_API_CALL compute_numbers(void* kernel, OrtKernelContext* context) {
  const struct kernel* self = kernel;
  struct plain_call call;
  TRY(plain_begin(api, context, &call));
  for (size_t i = 0; i < call.count; i++) call.y[i] = self->by * call.x[i] + self->added;
  return NULL;
}

static OrtStatus* ORT_API_CALL compute_fourfold(void* kernel, OrtKernelContext* context) {
  const OrtOp* inner = ((const struct kernel*)kernel)->inner;
  struct plain_call call;
  TRY(plain_begin(api, context, &call));
  TRY(api->InvokeOp(context, inner, &call.in, 1, &call.out, 1));
  call.in = call.out; /* element by element, so it may be both */
  return api->InvokeOp(context, inner, &call.in, 1, &call.out, 1);
}

static OrtStatus* ORT_API_CALL compute_double(void* kernel, OrtKernelContext* context) {
  struct plain_call call;
  TRY(plain_begin(api, context, &call));
  const OrtValue* in[] = {call.in, call.in};
  return api->InvokeOp(context, ((const struct kernel*)kernel)->inner, in, 2, &call.out, 1);
}

#define OP(its_name, compute)            \
  {                                      \
    .name = (its_name), .callbacks = {   \
      .version = 16,                     \
      .GetName = name,                   \
      PLAIN_OP,                          \
      .GetInputTypeCount = plain_count,  \
      .GetOutputTypeCount = plain_count, \
      .CreateKernelV2 = create,          \
      .KernelComputeV2 = (compute),      \
      .KernelDestroy = destroy           \
    }                                    \
  }

static const struct op ops[] = {OP("Scale", compute_numbers), OP("Configured", compute_numbers),
                                OP("Fourfold", compute_fourfold), OP("Double", compute_double),
                                OP("Wrong", compute_numbers)};

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) {
  api = base->GetApi(24); /* which Configured alone needs */
  api = api != NULL ? api : base->GetApi(16);
  TRY(api->CreateCustomOpDomain("calling", &domain));
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    TRY(api->CustomOpDomain_Add(domain, &ops[i].callbacks));
  }
  return api->AddCustomOpDomain(options, domain);
}
