/* SPDX-License-Identifier: MIT */
/* What an execution provider has left in the metadata of a compiled model. */

#include "memory/allocator.h"
#include "model/model.h"
#include "onnx/check_fields.h"

static const char prefix[] = "ep_compatibility_info.";

static bool is_key_of(struct core_message key, const char* ep_type) {
  size_t length = sizeof prefix - 1;
  if (core_message_size(key) < length || memcmp(key.at, prefix, length) != 0) {
    return false;
  }
  key.at += length;
  return core_message_is(key, ep_type);
}

/* Finds the text of a provider among the fields of a model; without one, `out->at` is NULL. The
 * graph is not looked at. */
static OrtStatus* find_text(struct core_message model, const char* ep_type,
                            struct core_message* out) {
  struct core_message entry, key;
  CORE_REFUSE_IF(core_check_model_fields(model) > CORE_FIELDS_IN_PARTS, ORT_INVALID_GRAPH,
                 "the bytes are no ONNX model");
  while (out->at == NULL && core_next_message(&model, MODEL_METADATA, &entry)) {
    if (core_find_message(entry, ENTRY_KEY, &key) && is_key_of(key, ep_type)) {
      *out = (struct core_message){entry.at, entry.at};
      core_find_message(entry, ENTRY_VALUE, out);
    }
  }
  return NULL;
}

static OrtStatus* answer(struct core_message model, const char* ep_type, OrtAllocator* allocator,
                         char** out) {
  struct core_message text = {NULL, NULL};
  char* copy = NULL;
  CORE_TRY(find_text(model, ep_type, &text));
  if (text.at != NULL) {
    CORE_TRY(core_allocate_text(allocator, text.at, core_message_size(text), &copy));
  }
  *out = copy;
  return NULL;
}

CORE_SLOT(ort_GetCompatibilityInfoFromModel, const ORTCHAR_T* model_path, const char* ep_type,
          OrtAllocator* allocator, char** compatibility_info) {
  char path[CORE_PATH_ROOM], real[CORE_PATH_ROOM];
  struct core_mapping file = {NULL, 0};
  CORE_FAIL_IF(*ep_type == 0, ORT_INVALID_ARGUMENT,
               "GetCompatibilityInfoFromModel: ep_type must not be empty");
  CORE_FAIL_IF(!core_whole_path_utf8(model_path, path), ORT_INVALID_GRAPH,
               "GetCompatibilityInfoFromModel: model_path is too long");
  CORE_RETURN_IF(!core_map_file(path, &file),
                 core_refuse_file(path, core_find_file(path, real), ORT_INVALID_GRAPH));
  struct core_message model = {file.bytes, file.bytes + file.size};
  OrtStatus* status = answer(model, ep_type, allocator, compatibility_info);
  core_unmap_file(&file);
  return status;
}

CORE_SLOT(ort_GetCompatibilityInfoFromModelBytes, const void* model_data, size_t model_data_length,
          const char* ep_type, OrtAllocator* allocator, char** compatibility_info) {
  CORE_FAIL_IF(model_data_length == 0 || *ep_type == 0, ORT_INVALID_ARGUMENT,
               "GetCompatibilityInfoFromModelBytes: neither model_data nor ep_type may be empty");
  CORE_TRY(core_check_model_size(model_data_length));
  const uint8_t* bytes = model_data;
  struct core_message model = {bytes, bytes + model_data_length};
  return answer(model, ep_type, allocator, compatibility_info);
}
