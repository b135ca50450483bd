/* SPDX-License-Identifier: MIT */
/* GetExperimentalFunction: functions that are not slots, found by name. */

#include "compile/ep.h"
#include "ep/profiling.h"
#include "env/registered_eps.h"
#include "kernels/kernel.h"
#include "model/model.h"
#include "table/versions.h"
#include "values/type_info.h"

/* ONNX Runtime's own function that shows how these functions work; its answer is the same there. */
static OrtStatus* ORT_API_CALL experimental_api_test(uint64_t* out) NO_EXCEPTION {
  CORE_REQUIRE(OrtApi_ExperimentalApiTest, out);
  *out = 12345;
  return NULL;
}

static const struct {
  const char* name;
  OrtExperimentalFnPtr function;
} functions[] = {
    {"OrtApi_ExperimentalApiTest_SinceV28", (OrtExperimentalFnPtr)experimental_api_test},
    {ORTCORE_EMULATE, (OrtExperimentalFnPtr)core_emulate},
    {ORTCORE_TRACE_BEGIN, (OrtExperimentalFnPtr)core_trace_begin},
    {ORTCORE_TRACE_END, (OrtExperimentalFnPtr)core_trace_end},
    {ORTCORE_LOGGER, (OrtExperimentalFnPtr)core_default_logger},
    {ORTCORE_LOG, (OrtExperimentalFnPtr)core_log_text},
    {ORTCORE_KERNEL_BASE, (OrtExperimentalFnPtr)core_kernel_base},
    {ORTCORE_TENSOR_ATTRIBUTE, (OrtExperimentalFnPtr)core_tensor_attribute},
    {ORTCORE_KERNEL_CREATE, (OrtExperimentalFnPtr)core_host_kernel},
    {ORTCORE_KERNEL_COMPUTE, (OrtExperimentalFnPtr)core_kernel_compute},
    {ORTCORE_EMPTY_SEQUENCE, (OrtExperimentalFnPtr)core_empty_sequence},
    {ORTCORE_KERNEL_SET_OUTPUT, (OrtExperimentalFnPtr)core_kernel_set_output},
    {ORTCORE_KERNEL_INFER_SHAPES, (OrtExperimentalFnPtr)core_kernel_infer_shapes},
    {ORTCORE_KERNEL_ASKED, (OrtExperimentalFnPtr)core_kernel_asked},
    {ORTCORE_KERNEL_RELEASE, (OrtExperimentalFnPtr)core_kernel_release},
    {ORTCORE_REGISTER_LIBRARY, (OrtExperimentalFnPtr)core_register_library},
    {ORTCORE_WATCHED_BASE, (OrtExperimentalFnPtr)core_watched_base},
    {ORTCORE_WATCHED_OBJECTS, (OrtExperimentalFnPtr)core_watched_objects},
    {ORTCORE_FIND_OP, (OrtExperimentalFnPtr)core_find_op},
    {ORTCORE_OPEN_MODEL, (OrtExperimentalFnPtr)core_open_model},
    {ORTCORE_OPEN_MODEL_BYTES, (OrtExperimentalFnPtr)core_open_model_bytes},
    {ORTCORE_MODEL_GRAPH, (OrtExperimentalFnPtr)core_graph_of_model},
    {ORTCORE_UNTYPED_VALUES, (OrtExperimentalFnPtr)core_untyped_values},
    {ORTCORE_WRITE_MODEL, (OrtExperimentalFnPtr)core_write_model},
    {ORTCORE_CREATE_EP, (OrtExperimentalFnPtr)core_create_ep},
    {ORTCORE_RELEASE_EP, (OrtExperimentalFnPtr)core_release_ep},
    {ORTCORE_EP_CLAIM, (OrtExperimentalFnPtr)core_ep_claim},
    {ORTCORE_RELEASE_CLAIMS, (OrtExperimentalFnPtr)core_release_claims},
    {ORTCORE_EP_COMPILE, (OrtExperimentalFnPtr)core_ep_compile},
    {ORTCORE_RELEASE_COMPILED, (OrtExperimentalFnPtr)core_release_compiled},
    {ORTCORE_END_PROFILING, (OrtExperimentalFnPtr)core_end_profiling},
    {ORTCORE_REGISTER_EP_LIBRARY, (OrtExperimentalFnPtr)core_register_ep_library},
};

OrtExperimentalFnPtr ORT_API_CALL ort_GetExperimentalFunction(const char* name) NO_EXCEPTION {
  for (size_t i = 0; name != NULL && i < CORE_COUNT_OF(functions); i++) {
    if (strcmp(name, functions[i].name) == 0) {
      return functions[i].function;
    }
  }
  return NULL;
}
