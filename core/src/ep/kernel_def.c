/* SPDX-License-Identifier: MIT */
#include "ep/kernel_def.h"
#include "object/list.h"
#include "values/value.h"

struct OrtKernelDefBuilder {
  struct core_object object;
  /** What is being built; NULL once it was. */
  struct OrtKernelDef* def;
};

static void end_def(void* block) {
  struct OrtKernelDef* def = block;
  for (size_t i = 0; i < def->constraint_count; i++) {
    heap_free(def->constraints[i].name);
    heap_free(def->constraints[i].types);
  }
  heap_free(def->constraints);
  heap_free(def->places);
  heap_free(def->op_type);
  heap_free(def->domain);
  heap_free(def->provider);
}

static const struct core_class def_class = {.kind = CORE_KERNEL_DEF, .end = end_def};

static void end_builder(void* block) { core_drop(((struct OrtKernelDefBuilder*)block)->def); }

static const struct core_class builder_class = {.kind = CORE_KERNEL_DEF_BUILDER,
                                                .end = end_builder};

CORE_SLOT(ort_ep_CreateKernelDefBuilder, OrtKernelDefBuilder** kernel_def_builder_out) {
  struct OrtKernelDef* def = core_new_object(&def_class, sizeof *def);
  struct OrtKernelDefBuilder* builder =
      def == NULL ? NULL : core_new_object(&builder_class, sizeof *builder);
  if (builder == NULL) {
    core_drop(def);
    return core_no_memory(sizeof *builder + sizeof *def);
  }
  def->first = 1;
  def->last = INT_MAX;
  builder->def = def;
  *kernel_def_builder_out = builder;
  return NULL;
}

CORE_RELEASER(ort_ep_ReleaseKernelDefBuilder, OrtKernelDefBuilder)

/* Guards the builder, and declares `def`, the definition that it builds. */
#define BUILDS(function)                              \
  CORE_REQUIRE(function, kernel_def_builder);         \
  struct OrtKernelDef* def = kernel_def_builder->def; \
  CORE_FAIL_IF(def == NULL, ORT_INVALID_ARGUMENT,     \
               #function ": kernel_def_builder has built its definition; make another builder")

static OrtStatus* set_text(char** text, const char* value) {
  char* copy = NULL;
  CORE_REFUSE_IF(value == NULL, ORT_RUNTIME_EXCEPTION, "the text must not be NULL");
  CORE_TRY(core_copy_text(value, &copy));
  heap_free(*text);
  *text = copy;
  return NULL;
}

#define TEXT_SETTER(NAME, function, text)                                       \
  CORE_SLOT(NAME, OrtKernelDefBuilder* kernel_def_builder, const char* value) { \
    BUILDS(function);                                                           \
    return set_text(&def->text, value);                                         \
  }
TEXT_SETTER(ort_ep_KernelDefBuilder_SetOperatorType, KernelDefBuilder_SetOperatorType, op_type)
TEXT_SETTER(ort_ep_KernelDefBuilder_SetDomain, KernelDefBuilder_SetDomain, domain)
TEXT_SETTER(ort_ep_KernelDefBuilder_SetExecutionProvider, KernelDefBuilder_SetExecutionProvider,
            provider)

CORE_SLOT(ort_ep_KernelDefBuilder_SetSinceVersion, OrtKernelDefBuilder* kernel_def_builder,
          int since_version_start, int since_version_end) {
  BUILDS(KernelDefBuilder_SetSinceVersion);
  CORE_FAIL_IF(since_version_start < 1 || since_version_end < since_version_start,
               ORT_INVALID_ARGUMENT,
               "KernelDefBuilder_SetSinceVersion: since_version_start must be 1 or more, and "
               "since_version_end no lower");
  def->first = since_version_start;
  def->last = since_version_end;
  return NULL;
}

/* --- operands -------------------------------------------------------------------------------- */

/* The first call for an operand counts. */
static OrtStatus* set_place(struct OrtKernelDef* def, size_t index, bool is_output,
                            OrtMemType memory) {
  if (core_find_place(def, index, is_output) != NULL) {
    return NULL;
  }
  CORE_RETURN_IF(
      !core_grow((void**)&def->places, def->place_count, &def->place_capacity, sizeof *def->places),
      core_no_memory(sizeof *def->places));
  def->places[def->place_count++] = (struct core_place){index, memory, is_output};
  return NULL;
}

#define PLACE_SETTER(NAME, function, is_output)                                                 \
  CORE_SLOT(NAME, OrtKernelDefBuilder* kernel_def_builder, size_t index, OrtMemType mem_type) { \
    BUILDS(function);                                                                           \
    return set_place(def, index, is_output, mem_type);                                          \
  }
PLACE_SETTER(ort_ep_KernelDefBuilder_SetInputMemType, KernelDefBuilder_SetInputMemType, false)
PLACE_SETTER(ort_ep_KernelDefBuilder_SetOutputMemType, KernelDefBuilder_SetOutputMemType, true)

CORE_SLOT(ort_ep_KernelDefBuilder_AddTypeConstraint, OrtKernelDefBuilder* kernel_def_builder,
          const char* arg_name, const OrtDataType* const* types, size_t num_types) {
  BUILDS(KernelDefBuilder_AddTypeConstraint);
  CORE_FAIL_IF(num_types == 0 || num_types > SIZE_MAX / sizeof *types, ORT_INVALID_ARGUMENT,
               "KernelDefBuilder_AddTypeConstraint: num_types must be above 0, and a number");
  for (size_t i = 0; i < num_types; i++) {
    CORE_FAIL_IF(types[i] == NULL, ORT_INVALID_ARGUMENT,
                 "KernelDefBuilder_AddTypeConstraint: types must not have NULL");
  }
  struct core_type_constraint made = {.count = num_types};
  CORE_RETURN_IF(!core_grow((void**)&def->constraints, def->constraint_count,
                            &def->constraint_capacity, sizeof made),
                 core_no_memory(sizeof made));
  CORE_TRY(core_copy_text(arg_name, &made.name));
  made.types = core_copy_bytes(types, num_types * sizeof *types);
  if (made.types == NULL) {
    heap_free(made.name);
    return core_no_memory(num_types * sizeof *types);
  }
  def->constraints[def->constraint_count++] = made;
  return NULL;
}

/* No input shares its memory with an output in the core, so there is nothing to keep of them. */
#define CHECK_ALIASES(function)                               \
  BUILDS(function);                                           \
  CORE_REQUIRE(function, input_indices, output_indices);      \
  CORE_FAIL_IF(num_io_indices == 0, ORT_INVALID_ARGUMENT,     \
               #function ": num_io_indices must be above 0"); \
  return NULL

CORE_SLOT(ort_ep_KernelDefBuilder_AddInputOutputAliases, OrtKernelDefBuilder* kernel_def_builder,
          const int* input_indices, const int* output_indices, size_t num_io_indices) {
  CHECK_ALIASES(KernelDefBuilder_AddInputOutputAliases);
}

CORE_SLOT(ort_ep_KernelDefBuilder_AddInputOutputMutableAliases,
          OrtKernelDefBuilder* kernel_def_builder, const int* input_indices,
          const int* output_indices, size_t num_io_indices) {
  CHECK_ALIASES(KernelDefBuilder_AddInputOutputMutableAliases);
}

CORE_SLOT(ort_ep_KernelDefBuilder_Build, OrtKernelDefBuilder* kernel_def_builder,
          OrtKernelDef** kernel_def_out) {
  BUILDS(KernelDefBuilder_Build);
  kernel_def_builder->def = NULL;
  *kernel_def_out = def;
  return NULL;
}

#define TEXT_GETTER(NAME, text)                                                    \
  const char* ORT_API_CALL NAME(const OrtKernelDef* kernel_def) NO_EXCEPTION {     \
    return kernel_def == NULL || kernel_def->text == NULL ? "" : kernel_def->text; \
  }
TEXT_GETTER(ort_ep_KernelDef_GetOperatorType, op_type)
TEXT_GETTER(ort_ep_KernelDef_GetDomain, domain)
TEXT_GETTER(ort_ep_KernelDef_GetExecutionProvider, provider)

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
