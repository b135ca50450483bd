/* SPDX-License-Identifier: MIT */
/*
 * The op Configured of the domain "configured" adds what the session's configuration entry
 * "to.add" has: 1 for each character.
 */
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"

#include "own_domain.h"
#include "plain_op.h"
#include "trying.h"

static const char* ORT_API_CALL name(const OrtCustomOp* op) { return (void)op, "Configured"; }

static OrtStatus* ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* given,
                                      const OrtKernelInfo* info, void** out) {
  OrtKeyValuePairs* entries = NULL;
  (void)op;
  (void)given;
  TRY(api->KernelInfo_GetConfigEntries(info, &entries));
  const char* to_add = api->GetKeyValue(entries, "to.add");
  float* kernel = malloc(sizeof *kernel);
  *kernel = to_add != NULL ? (float)strlen(to_add) : 0;
  api->ReleaseKeyValuePairs(entries);
  *out = kernel;
  return NULL;
}

static void ORT_API_CALL destroy(void* kernel) { free(kernel); }

static OrtStatus* ORT_API_CALL compute(void* kernel, OrtKernelContext* context) {
  const int64_t one = 1;
  const OrtValue* in = NULL;
  OrtValue* out = NULL;
  float *from = NULL, *to = NULL;
  TRY(api->KernelContext_GetInput(context, 0, &in));
  TRY(api->KernelContext_GetOutput(context, 0, &one, 1, &out));
  TRY(api->GetTensorMutableData((OrtValue*)in, (void**)&from));
  TRY(api->GetTensorMutableData(out, (void**)&to));
  *to = *from + *(const float*)kernel;
  return NULL;
}

static const OrtCustomOp op = {.version = 16,
                               .GetName = name,
                               PLAIN_OP,
                               .GetInputTypeCount = plain_count,
                               .GetOutputTypeCount = plain_count,
                               .CreateKernelV2 = create,
                               .KernelComputeV2 = compute,
                               .KernelDestroy = destroy};

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) {
  api = base->GetApi(24);
  if (api == NULL) {
    return base->GetApi(16)->CreateStatus(ORT_FAIL, "version 24 of the API is needed");
  }
  TRY(api->CreateCustomOpDomain("configured", &domain));
  OrtStatus* status = api->CustomOpDomain_Add(domain, &op);
  return status != NULL ? status : api->AddCustomOpDomain(options, domain);
}
