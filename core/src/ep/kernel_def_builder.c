/* SPDX-License-Identifier: MIT */

#include "ep/kernel_def.h"
#include "object/list.h"

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
#define BUILDS(function)                                                                        \
  CORE_REQUIRE(function, kernel_def_builder);                                                   \
  struct OrtKernelDef* def = kernel_def_builder->def;                                           \
  if (def == NULL) {                                                                            \
    CORE_FAIL(ORT_INVALID_ARGUMENT,                                                             \
              #function ": kernel_def_builder has built its definition; make another builder"); \
  }

static OrtStatus* set_text(char** text, const char* value) {
  char* copy = NULL;
  CORE_REFUSE_IF(value == NULL, ORT_RUNTIME_EXCEPTION, "the text must not be NULL");
  CORE_TRY(core_copy_text(value, &copy));
  heap_free(*text);
  *text = copy;
  return NULL;
}

CORE_SLOT(ort_ep_KernelDefBuilder_SetOperatorType, OrtKernelDefBuilder* kernel_def_builder,
          const char* op_type) {
  BUILDS(KernelDefBuilder_SetOperatorType);
  return set_text(&def->op_type, op_type);
}

CORE_SLOT(ort_ep_KernelDefBuilder_SetDomain, OrtKernelDefBuilder* kernel_def_builder,
          const char* domain) {
  BUILDS(KernelDefBuilder_SetDomain);
  return set_text(&def->domain, domain);
}

CORE_SLOT(ort_ep_KernelDefBuilder_SetExecutionProvider, OrtKernelDefBuilder* kernel_def_builder,
          const char* ep_name) {
  BUILDS(KernelDefBuilder_SetExecutionProvider);
  return set_text(&def->provider, ep_name);
}

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

CORE_SLOT(ort_ep_KernelDefBuilder_SetInputMemType, OrtKernelDefBuilder* kernel_def_builder,
          size_t input_index, OrtMemType mem_type) {
  BUILDS(KernelDefBuilder_SetInputMemType);
  return set_place(def, input_index, false, mem_type);
}

CORE_SLOT(ort_ep_KernelDefBuilder_SetOutputMemType, OrtKernelDefBuilder* kernel_def_builder,
          size_t output_index, OrtMemType mem_type) {
  BUILDS(KernelDefBuilder_SetOutputMemType);
  return set_place(def, output_index, true, mem_type);
}

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
#define CHECK_ALIASES(function)                                                    \
  BUILDS(function);                                                                \
  CORE_REQUIRE(function, input_indices, output_indices);                           \
  if (num_io_indices == 0) {                                                       \
    CORE_FAIL(ORT_INVALID_ARGUMENT, #function ": num_io_indices must be above 0"); \
  }                                                                                \
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
