/* SPDX-License-Identifier: MIT */
/* The tensors and files in session options that replace a model's initializers, and the container
 * of prepacked weights that sessions share. */

#include "platform/platform.h"
#include "options/session_options.h"
#include "values/value.h"

void core_retain_initializers(const struct core_items* items) {
  for (size_t i = 0; i < items->count; i++) {
    core_retain_value(items->list[i].pointer);
  }
}

void core_release_initializers(const struct core_items* items) {
  for (size_t i = 0; i < items->count; i++) {
    ort_ReleaseValue((OrtValue*)items->list[i].pointer);
  }
}

/* Adds a value under a new name. It must be a tensor over memory that it does not own. */
static OrtStatus* add_value(struct core_items* items, const char* name, const OrtValue* value) {
  CORE_REFUSE_IF(!core_is_tensor(value), ORT_INVALID_ARGUMENT, "the value must be a tensor");
  CORE_REFUSE_IF(core_lacks_data(core_tensor_of(value)), ORT_INVALID_ARGUMENT,
                 "the tensor must have data");
  CORE_REFUSE_IF(core_owns_data(core_tensor_of(value)), ORT_INVALID_ARGUMENT,
                 "the tensor must be one over the caller's memory "
                 "(CreateTensorWithDataAsOrtValue); this one owns its memory");
  size_t size = strlen(name) + 1;
  CORE_REFUSE_IF(core_items_find(items, name, size) != NULL, ORT_INVALID_ARGUMENT,
                 "a value was already added for %s", name);
  struct core_item* item = core_items_add(items, name, size, NULL);
  CORE_NEED_MEMORY(item, size);
  item->pointer = core_target(value);
  return NULL;
}

CORE_SLOT(ort_AddInitializer, OrtSessionOptions* options, const char* name, const OrtValue* val) {
  return add_value(&options->lists[CORE_INITIALIZERS], name, val);
}

/* The status for a bad element of an array argument. */
static OrtStatus* refuse_element(const char* array, size_t i, const char* reason) {
  return core_fail(ORT_INVALID_ARGUMENT, "%s[%zu] %s", array, i, reason);
}

/* Refuses arrays that hold a NULL. */
static OrtStatus* require_elements(const char* name, const void* array, size_t count) {
  const void* const* pointers = array;
  for (size_t i = 0; i < count; i++) {
    CORE_RETURN_IF(pointers[i] == NULL, refuse_element(name, i, "must not be NULL"));
  }
  return NULL;
}

CORE_SLOT(ort_AddExternalInitializers, OrtSessionOptions* options,
          const char* const* initializer_names, const OrtValue* const* initializers,
          size_t num_initializers) {
  CORE_REQUIRE_IF(num_initializers > 0, AddExternalInitializers, initializer_names, initializers);
  CORE_TRY(require_elements("initializer_names", initializer_names, num_initializers));
  CORE_TRY(require_elements("initializers", initializers, num_initializers));
  struct core_items* items = &options->lists[CORE_EXTERNAL_INITIALIZERS];
  size_t before = items->count;
  OrtStatus* status = NULL;
  for (size_t i = 0; status == NULL && i < num_initializers; i++) {
    status = add_value(items, initializer_names[i], initializers[i]);
  }
  CORE_TRY_OR(status, core_items_cut(items, before));
  for (size_t i = before; i < items->count; i++) {
    core_retain_value(items->list[i].pointer);
  }
  return NULL;
}

/* Adds a file under a name that must be new. */
static OrtStatus* add_file(struct core_items* items, const ORTCHAR_T* const* names, size_t i) {
  size_t size = core_path_size(names[i]);
  CORE_RETURN_IF(core_items_find(items, names[i], size) != NULL,
                 refuse_element("external_initializer_file_names", i, "was given before"));
  return core_items_add(items, names[i], size, NULL) == NULL ? core_no_memory(size) : NULL;
}

CORE_SLOT(ort_AddExternalInitializersFromFilesInMemory, OrtSessionOptions* options,
          const ORTCHAR_T* const* external_initializer_file_names,
          char* const* external_initializer_file_buffer_array,
          const size_t* external_initializer_file_lengths, size_t num_external_initializer_files) {
  size_t count = num_external_initializer_files;
  CORE_REQUIRE_IF(count > 0, AddExternalInitializersFromFilesInMemory,
                  external_initializer_file_names, external_initializer_file_buffer_array,
                  external_initializer_file_lengths);
  CORE_TRY(
      require_elements("external_initializer_file_names", external_initializer_file_names, count));
  CORE_TRY(require_elements("external_initializer_file_buffer_array",
                            external_initializer_file_buffer_array, count));
  struct core_items* items = &options->lists[CORE_EXTERNAL_FILES];
  size_t before = items->count;
  OrtStatus* status = NULL;
  for (size_t i = 0; status == NULL && i < count; i++) {
    status = add_file(items, external_initializer_file_names, i);
  }
  CORE_TRY_OR(status, core_items_cut(items, before));
  for (size_t i = 0; i < count; i++) {
    items->list[before + i].pointer = external_initializer_file_buffer_array[i];
    items->list[before + i].number = (int64_t)external_initializer_file_lengths[i];
  }
  return NULL;
}

/* An inference engine would put weights here; the core, which has none, only counts containers. */
struct OrtPrepackedWeightsContainer {
  struct core_object object;
};

static const struct core_class container_class = {.kind = CORE_PREPACKED_WEIGHTS};

CORE_SLOT(ort_CreatePrepackedWeightsContainer, OrtPrepackedWeightsContainer** out) {
  CORE_NEW(struct OrtPrepackedWeightsContainer, container, &container_class);
  *out = container;
  return NULL;
}

CORE_RELEASER(ort_ReleasePrepackedWeightsContainer, OrtPrepackedWeightsContainer)
