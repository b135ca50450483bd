/* SPDX-License-Identifier: MIT */
/* Definitions of kernels, and what reads them. */
#include "ep/kernel_def.h"

#include "values/value.h"

static const char* text_of(const char* text) { return text == NULL ? "" : text; }

const char* ORT_API_CALL ort_ep_KernelDef_GetOperatorType(const OrtKernelDef* kernel_def)
    NO_EXCEPTION {
  return kernel_def == NULL ? "" : text_of(kernel_def->op_type);
}

const char* ORT_API_CALL ort_ep_KernelDef_GetDomain(const OrtKernelDef* kernel_def) NO_EXCEPTION {
  return kernel_def == NULL ? "" : text_of(kernel_def->domain);
}

const char* ORT_API_CALL ort_ep_KernelDef_GetExecutionProvider(const OrtKernelDef* kernel_def)
    NO_EXCEPTION {
  return kernel_def == NULL ? "" : text_of(kernel_def->provider);
}

CORE_PAIR_GETTER(ort_ep_KernelDef_GetSinceVersion, int, kernel_def->first, int, kernel_def->last,
                 const OrtKernelDef* kernel_def)

const struct core_place* core_find_place(const struct OrtKernelDef* def, size_t index,
                                         bool is_output) {
  for (size_t i = 0; i < def->place_count; i++) {
    if (def->places[i].index == index && def->places[i].is_output == is_output) {
      return &def->places[i];
    }
  }
  return NULL;
}

static OrtMemType memory_of(const struct OrtKernelDef* def, size_t index, bool is_output) {
  const struct core_place* place = core_find_place(def, index, is_output);
  return place != NULL ? place->memory : OrtMemTypeDefault;
}

bool core_is_for_cpu(const struct OrtKernelDef* def, size_t index, bool is_output) {
  OrtMemType memory = def != NULL ? memory_of(def, index, is_output) : OrtMemTypeDefault;
  return memory == OrtMemTypeCPUInput || memory == OrtMemTypeCPUOutput;
}

CORE_GETTER(ort_ep_KernelDef_GetInputMemType, OrtMemType, memory_of(kernel_def, input_index, false),
            const OrtKernelDef* kernel_def, size_t input_index)
CORE_GETTER(ort_ep_KernelDef_GetOutputMemType, OrtMemType,
            memory_of(kernel_def, output_index, true), const OrtKernelDef* kernel_def,
            size_t output_index)
CORE_RELEASER(ort_ep_ReleaseKernelDef, OrtKernelDef)

#define TYPE(n) {(ONNXTensorElementDataType)(n)}
static const OrtDataType data_types[CORE_ELEMENT_TYPES] = {
    TYPE(0),  TYPE(1),  TYPE(2),  TYPE(3),  TYPE(4),  TYPE(5),  TYPE(6),  TYPE(7),  TYPE(8),
    TYPE(9),  TYPE(10), TYPE(11), TYPE(12), TYPE(13), TYPE(14), TYPE(15), TYPE(16), TYPE(17),
    TYPE(18), TYPE(19), TYPE(20), TYPE(21), TYPE(22), TYPE(23), TYPE(24), TYPE(25), TYPE(26)};

CORE_SLOT(ort_ep_GetTensorDataType, ONNXTensorElementDataType elem_type, const OrtDataType** out) {
  CORE_TRY(core_check_element_type("tensor", elem_type));
  *out = &data_types[elem_type];
  return NULL;
}
