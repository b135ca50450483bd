/* SPDX-License-Identifier: MIT */
/* A model for sessions with or without an engine, since a custom op runs its nodes: a = 2 * x and
 * b = 2 * w, where w is [1, 2] unless a run replaces it. */
#ifndef ORTCFFI_TESTS_SESSION_MODEL_H_
#define ORTCFFI_TESTS_SESSION_MODEL_H_

#include "model_bytes.h"
#include "onnxruntime_c_api.h"
#include "plain_op.h"

/* CHECK is the includer's. */

static const OrtApi* twice_api;

static inline const char* ORT_API_CALL twice_name(const OrtCustomOp* op) {
  (void)op;
  return "Twice";
}
static inline OrtStatusPtr ORT_API_CALL twice_create(const OrtCustomOp* op, const OrtApi* given,
                                                     const OrtKernelInfo* info, void** kernel) {
  (void)op;
  (void)given;
  (void)info;
  *kernel = NULL;
  return NULL;
}
static inline OrtStatusPtr ORT_API_CALL twice_compute(void* kernel, OrtKernelContext* context) {
  struct plain_call call;
  (void)kernel;
  OrtStatus* status = plain_begin(twice_api, context, &call);
  for (size_t i = 0; status == NULL && i < call.count; i++) {
    call.y[i] = 2 * call.x[i];
  }
  return status;
}
static inline void ORT_API_CALL twice_destroy(void* kernel) { (void)kernel; }

static const OrtCustomOp twice_op = {
    .version = 16,
    .GetName = twice_name,
    PLAIN_OP,
    .GetInputTypeCount = plain_count,
    .GetOutputTypeCount = plain_count,
    .KernelDestroy = twice_destroy,
    .CreateKernelV2 = twice_create,
    .KernelComputeV2 = twice_compute,
};

/* The domain must be released after the options. */
static inline OrtCustomOpDomain* add_twice(const OrtApi* api, OrtSessionOptions* options) {
  twice_api = api;
  OrtCustomOpDomain* domain = NEW(OrtCustomOpDomain, api->CreateCustomOpDomain("twice", &new_));
  CHECK(api->CustomOpDomain_Add(domain, &twice_op) == NULL);
  CHECK(api->AddCustomOpDomain(options, domain) == NULL);
  return domain;
}

#define TWICE(input, output) NODE("Twice", "1'" input "'", output, "7'twice'")
#define OF_ANY_LENGTH(field, name) PORT(field, name, 1, NAMED("n"))
/* The end of the graph and what a model has behind it. */
#define WITH_TWICE "} 8{1'' 2:17} 8{1'twice' 2:1}"

/* The elements of w may be in a file, "weights". */
static inline struct model_bytes session_model_of(bool is_external) {
  return model_of("1:8 7{", TWICE("x", "a"), TWICE("w", "b"), "2'doubles'",
                  is_external ? EXTERNAL("w") : FLOATS(5, "w", "1,2"), OF_ANY_LENGTH(11, "x"),
                  PORT(11, "w", 1, TWO), OF_ANY_LENGTH(12, "a"), PORT(12, "b", 1, TWO), WITH_TWICE);
}

static inline struct model_bytes session_model(void) { return session_model_of(false); }

#endif /* ORTCFFI_TESTS_SESSION_MODEL_H_ */
