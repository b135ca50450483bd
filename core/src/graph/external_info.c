/* SPDX-License-Identifier: MIT */
/* OrtExternalInitializerInfo: the file and offset of an initializer that is not in the model. */

#include "graph/tensor_bytes.h"
#include "values/type_info.h"

struct OrtExternalInitializerInfo {
  struct core_object object;
  int64_t offset;
  size_t size;
  /** Behind the struct. */
  const ORTCHAR_T* path;
};

static const struct core_class external_info_class = {.kind = CORE_EXTERNAL_INFO};

static OrtStatus* new_info(const ORTCHAR_T* path, int64_t offset, size_t size,
                           OrtExternalInitializerInfo** out) {
  size_t length = core_path_size(path);
  OrtExternalInitializerInfo* info = core_new_object(&external_info_class, sizeof *info + length);
  CORE_NEED_MEMORY(info, sizeof *info + length);
  info->offset = offset;
  info->size = size;
  info->path = memcpy(info + 1, path, length);
  *out = info;
  return NULL;
}

CORE_SLOT(ort_CreateExternalInitializerInfo, const ORTCHAR_T* filepath, int64_t file_offset,
          size_t byte_size, OrtExternalInitializerInfo** out) {
  CORE_FAIL_IF(filepath == NULL, ORT_RUNTIME_EXCEPTION,
               "CreateExternalInitializerInfo: filepath must not be NULL");
  return new_info(filepath, file_offset, byte_size, out);
}

CORE_SLOT(ort_ValueInfo_GetExternalInitializerInfo, const OrtValueInfo* value_info,
          OrtExternalInitializerInfo** info) {
  struct core_external_data data;
  char name[CORE_PATH_ROOM];
  ORTCHAR_T path[CORE_PATH_ROOM];
  size_t size = 0;
  const OrtValueInfo* value = core_origin(value_info);
  if (!(value->flags & CORE_IS_INITIALIZER) ||
      value->flags & (CORE_IS_SPARSE | CORE_IS_CONSTANT_NODE | CORE_IS_REPLACED) ||
      value->graph->model->changes.files != NULL || !core_is_external(value->tensor_bytes)) {
    *info = NULL;
    return NULL;
  }
  CORE_TRY(core_read_external(value->tensor_bytes, &data));
  if (core_is_in_memory(value->graph->model, &data)) {
    *info = NULL;
    return NULL;
  }
  CORE_FAIL_IF(
      !core_external_name(&data, name) || core_native_path(name, path, sizeof path) > sizeof path,
      ORT_FAIL,
      "ValueInfo_GetExternalInitializerInfo: the model has external data in a file whose "
      "name no file can have");
  CORE_TRY(core_measure_tensor(value->graph->model, value->tensor_bytes, &size));
  return new_info(path, (int64_t)data.offset, size, info);
}

CORE_RELEASER(ort_ReleaseExternalInitializerInfo, OrtExternalInitializerInfo)

CORE_VALUE_GETTER(ort_ExternalInitializerInfo_GetFilePath, const ORTCHAR_T*, info->path,
                  const OrtExternalInitializerInfo*, info)
CORE_VALUE_GETTER(ort_ExternalInitializerInfo_GetFileOffset, int64_t, info->offset,
                  const OrtExternalInitializerInfo*, info)
CORE_VALUE_GETTER(ort_ExternalInitializerInfo_GetByteSize, size_t, info->size,
                  const OrtExternalInitializerInfo*, info)
