/* SPDX-License-Identifier: MIT */
/* OrtValueInfo: a value of a graph, with its name and type. */
#include <string.h>

#include "graph/graph.h"
#include "values/type_info.h"

static void end_value_info(void* block) {
  struct OrtValueInfo* value = block;
  ort_ReleaseTypeInfo(value->type);
}

static const struct core_class value_info_class = {.kind = CORE_VALUE_INFO, .end = end_value_info};

ORT_API_STATUS_IMPL(ort_model_editor_CreateValueInfo, const char* name,
                    const OrtTypeInfo* type_info, OrtValueInfo** value_info) {
  CORE_REQUIRE(CreateValueInfo, name, type_info, value_info);
  if (*name == 0) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "CreateValueInfo: name must not be empty");
  }
  if (type_info->kind != ONNX_TYPE_TENSOR) {
    CORE_FAIL(ORT_FAIL, "CreateValueInfo: type_info must be that of a dense tensor");
  }
  size_t size = strlen(name) + 1;
  struct OrtValueInfo* value = core_new_object(&value_info_class, sizeof *value + size);
  if (value == NULL) {
    return CORE_OUT_OF_MEMORY(CreateValueInfo, sizeof *value + size);
  }
  value->name = memcpy(value + 1, name, size);
  OrtStatus* status = core_copy_type_info("CreateValueInfo", type_info, &value->type);
  if (status != NULL) {
    core_drop(value);
    return status;
  }
  *value_info = value;
  return NULL;
}

void ORT_API_CALL ort_ReleaseValueInfo(OrtValueInfo* input) NO_EXCEPTION { core_drop(input); }

ORT_API_STATUS_IMPL(ort_GetValueInfoName, const OrtValueInfo* value_info, const char** name) {
  CORE_REQUIRE(GetValueInfoName, value_info, name);
  *name = value_info->name;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetValueInfoTypeInfo, const OrtValueInfo* value_info,
                    const OrtTypeInfo** type_info) {
  CORE_REQUIRE(GetValueInfoTypeInfo, value_info, type_info);
  *type_info = value_info->type;
  return NULL;
}
