/* SPDX-License-Identifier: MIT */
/* The kernels of an execution provider. */

#include "ep/kernel_def.h"
#include "ep/library.h"
#include "object/list.h"

static void end_registry(void* block) {
  struct OrtKernelRegistry* registry = block;
  for (size_t i = 0; i < registry->count; i++) {
    core_drop(registry->kernels[i].def);
  }
  heap_free(registry->kernels);
}

static const struct core_class registry_class = {.kind = CORE_KERNEL_REGISTRY, .end = end_registry};

CORE_SLOT(ort_ep_CreateKernelRegistry, OrtKernelRegistry** kernel_registry) {
  CORE_NEW(struct OrtKernelRegistry, registry, &registry_class);
  *kernel_registry = registry;
  return NULL;
}

CORE_RELEASER(ort_ep_ReleaseKernelRegistry, OrtKernelRegistry)

static bool have_common_type(const struct core_type_constraint* a,
                             const struct core_type_constraint* b) {
  for (size_t i = 0; i < a->count; i++) {
    for (size_t k = 0; k < b->count; k++) {
      if (a->types[i] == b->types[k]) {
        return true;
      }
    }
  }
  return false;
}

/* Whether two kernels have no common type for a parameter that both constrain. */
static bool differ_in_types(const OrtKernelDef* a, const OrtKernelDef* b) {
  for (size_t i = 0; i < a->constraint_count; i++) {
    for (size_t k = 0; k < b->constraint_count; k++) {
      if (strcmp(a->constraints[i].name, b->constraints[k].name) == 0 &&
          !have_common_type(&a->constraints[i], &b->constraints[k])) {
        return true;
      }
    }
  }
  return false;
}

/* As in ONNX Runtime, kernels do not conflict if the new one sets a memory that the other one sets
 * as well, or about which the other one says nothing. */
static bool fits_by_memory(const OrtKernelDef* added, const OrtKernelDef* other) {
  for (size_t i = 0; i < added->place_count; i++) {
    const struct core_place* own = &added->places[i];
    const struct core_place* place = core_find_place(other, own->index, own->is_output);
    if (place == NULL || place->memory == own->memory) {
      return true;
    }
  }
  return false;
}

static bool conflict(const OrtKernelDef* added, const OrtKernelDef* other) {
  return core_is_same_text(added->op_type, other->op_type) &&
         core_is_same_text(added->domain, other->domain) &&
         core_is_same_text(added->provider, other->provider) &&
         added->first <= core_last_of(other) && other->first <= core_last_of(added) &&
         !differ_in_types(added, other) && !fits_by_memory(added, other);
}

CORE_SLOT(ort_ep_KernelRegistry_AddKernel, OrtKernelRegistry* kernel_registry,
          const OrtKernelDef* kernel_def, OrtKernelCreateFunc kernel_create_func,
          void* kernel_create_func_state) {
  for (size_t i = 0; i < kernel_registry->count; i++) {
    CORE_REFUSE_IF(conflict(kernel_def, kernel_registry->kernels[i].def), ORT_FAIL,
                   "the registry has a kernel for the same nodes of %s",
                   ort_ep_KernelDef_GetOperatorType(kernel_def));
  }
  struct core_registered_kernel added = {(OrtKernelDef*)kernel_def, kernel_create_func,
                                         kernel_create_func_state};
  CORE_RETURN_IF(!core_grow((void**)&kernel_registry->kernels, kernel_registry->count,
                            &kernel_registry->capacity, sizeof added),
                 core_no_memory(sizeof added));
  core_retain(&added.def->object);
  kernel_registry->kernels[kernel_registry->count++] = added;
  return NULL;
}

CORE_EP_RELEASE(release_kernel, OrtKernelImpl)

void ORT_API_CALL ort_ep_ReleaseKernelImpl(OrtKernelImpl* input) NO_EXCEPTION {
  if (input != NULL && input->Release != NULL) {
    core_ep_log(NULL, core_ep_call("ReleaseKernelImpl", release_kernel, input));
  }
}
