/* SPDX-License-Identifier: MIT */
/* OrtValueInfo: a value of a graph, with its name and type. */

#include "graph/graph.h"
#include "values/type_info.h"

static void end_value_info(void* block) {
  struct OrtValueInfo* value = block;
  ort_ReleaseTypeInfo(value->type);
  core_drop(value->tensor);
}

static const struct core_class value_info_class = {.kind = CORE_VALUE_INFO, .end = end_value_info};

static OrtStatus* new_value(const char* name, OrtValueInfo** out) {
  size_t size = strlen(name) + 1;
  struct OrtValueInfo* value = core_new_object(&value_info_class, sizeof *value + size);
  CORE_NEED_MEMORY(value, sizeof *value + size);
  value->name = memcpy(value + 1, name, size);
  *out = value;
  return NULL;
}

OrtStatus* core_new_initializer(const char* name, OrtValueInfo** out) {
  CORE_TRY(new_value(name, out));
  (*out)->flags = CORE_IS_INITIALIZER;
  return NULL;
}

CORE_SLOT(ort_model_editor_CreateValueInfo, const char* name, const OrtTypeInfo* type_info,
          OrtValueInfo** value_info) {
  CORE_FAIL_IF(*name == 0, ORT_INVALID_ARGUMENT, "CreateValueInfo: name must not be empty");
  CORE_FAIL_IF(type_info->kind != ONNX_TYPE_TENSOR, ORT_FAIL,
               "CreateValueInfo: type_info must be that of a dense tensor");
  OrtValueInfo* value = NULL;
  CORE_TRY(new_value(name, &value));
  CORE_HAND_OUT(core_copy_type_info(type_info, &value->type), value, value_info);
}

CORE_RELEASER(ort_ReleaseValueInfo, OrtValueInfo)

CORE_QUICK_GETTER(ort_GetValueInfoName, GetValueInfoName, const char*, name, value_info->name,
                  const OrtValueInfo*, value_info)

/* --- types and tensors, made at the first request -------------------------------------------- */

/* Makes the type that the model states, or else that of the initializer; NULL without either. */
static OrtStatus* make_type(OrtValueInfo* value, OrtTypeInfo** out) {
  const OrtValue* tensor = NULL;
  if (value->type_bytes.at != NULL) {
    return core_read_type(value->type_bytes, value->graph->model->changes.dimensions, out);
  }
  CORE_TRY(core_initializer_of(value, &tensor));
  return tensor != NULL ? ort_GetTypeInfo(tensor, out) : NULL;
}

OrtStatus* core_known_type(const OrtValueInfo* value_info, const OrtTypeInfo** out) {
  OrtValueInfo* value = core_origin(value_info);
  OrtTypeInfo* type = __atomic_load_n(&value->type, __ATOMIC_ACQUIRE);
  *out = NULL;
  if (type == NULL) {
    OrtTypeInfo* made = NULL;
    CORE_TRY(make_type(value, &made));
    if (made != NULL) {
      type = core_publish((void**)&value->type, made);
    }
    if (type != made) {
      ort_ReleaseTypeInfo(made);
    }
  }
  *out = type;
  return NULL;
}

OrtStatus* core_known_tensor(const OrtValueInfo* value, const OrtTensorTypeAndShapeInfo** out) {
  const OrtTypeInfo* type;
  *out = NULL;
  CORE_TRY(core_known_type(value, &type));
  if (type != NULL && type->kind == ONNX_TYPE_TENSOR) {
    *out = type->tensor;
  }
  return NULL;
}

CORE_SLOT(ort_GetValueInfoTypeInfo, const OrtValueInfo* value_info, const OrtTypeInfo** type_info) {
  CORE_TRY(core_known_type(value_info, type_info));
  CORE_REFUSE_IF(*type_info == NULL, ORT_FAIL, "the model does not say the type of '%s'",
                 value_info->name);
  return NULL;
}

/* Refuses an initializer that is an input of another type. */
static OrtStatus* check_initializer(const OrtValueInfo* value, const OrtValue* tensor) {
  const OrtTensorTypeAndShapeInfo* info = NULL;
  const struct core_shape* shape = core_shape_of(tensor);
  if (value->flags & CORE_IS_INPUT && value->type_bytes.at != NULL) {
    CORE_TRY(core_known_tensor(value, &info));
  }
  if (info == NULL || shape == NULL) {
    return NULL;
  }
  if (info->type == shape->type &&
      (!info->has_shape || core_fits_dimensions(shape, info->dims, info->rank))) {
    return NULL;
  }
  return core_fail(ORT_FAIL, "the initializer '%s' is an input of another element type or shape",
                   value->name);
}

OrtStatus* core_initializer_of(const OrtValueInfo* value_info, const OrtValue** out) {
  OrtValueInfo* value = core_origin(value_info);
  OrtValue* tensor = __atomic_load_n(&value->tensor, __ATOMIC_ACQUIRE);
  if (tensor == NULL && value->flags & CORE_IS_INITIALIZER) {
    OrtValue* made = NULL;
    CORE_TRY(core_read_initializer(value, &made));
    CORE_TRY_OR(check_initializer(value, made), core_drop(made));
    core_make_part(&made->object);
    tensor = core_publish((void**)&value->tensor, made);
    if (tensor != made) {
      core_end_part(&made->object);
    }
  }
  *out = tensor;
  return NULL;
}

OrtStatus* core_check_initializers(const OrtGraph* graph) {
  const OrtValue* tensor;
  for (size_t i = 0; i < graph->initializers.count; i++) {
    const OrtValueInfo* value = graph->initializers.items[i];
    bool is_sparse = value->flags & CORE_IS_SPARSE && value->tensor == NULL;
    CORE_TRY(core_about(is_sparse ? core_check_sparse(value) : core_initializer_of(value, &tensor),
                        "the initializer '%.100s'", value->name));
  }
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const OrtNode* node = graph->nodes.items[i];
    for (size_t k = 0; k < node->subgraphs.count; k++) {
      CORE_TRY(core_check_initializers(node->subgraphs.items[k]));
    }
  }
  return NULL;
}

CORE_SLOT(ort_ValueInfo_GetInitializerValue, const OrtValueInfo* value_info,
          const OrtValue** initializer_value) {
  return core_initializer_of(value_info, initializer_value);
}

/* --- producer and consumers ------------------------------------------------------------------ */

CORE_SLOT(ort_ValueInfo_GetValueProducer, const OrtValueInfo* value_info,
          const OrtNode** producer_node, size_t* producer_output_index) {
  CORE_FAIL_IF(value_info->graph == NULL, ORT_NOT_FOUND,
               "ValueInfo_GetValueProducer: the value is in no graph");
  *producer_node = value_info->producer;
  if (producer_output_index != NULL) {
    *producer_output_index = value_info->producer_index;
  }
  return NULL;
}

CORE_SLOT(ort_ValueInfo_GetValueNumConsumers, const OrtValueInfo* value_info,
          size_t* num_consumers) {
  CORE_FAIL_IF(value_info->graph == NULL, ORT_FAIL,
               "ValueInfo_GetValueNumConsumers: the value is in no graph");
  *num_consumers = value_info->use_count;
  return NULL;
}

CORE_SLOT(ort_ValueInfo_GetValueConsumers, const OrtValueInfo* value_info, const OrtNode** nodes,
          int64_t* input_indices, size_t num_consumers) {
  if (value_info->use_count > 0) {
    CORE_REQUIRE(ValueInfo_GetValueConsumers, nodes, input_indices);
  }
  CORE_FAIL_IF(value_info->graph == NULL, ORT_FAIL,
               "ValueInfo_GetValueConsumers: the value is in no graph");
  CORE_FAIL_IF(num_consumers < value_info->use_count, ORT_INVALID_ARGUMENT,
               "ValueInfo_GetValueConsumers: num_consumers is less than the items of the list");
  for (size_t i = 0; i < value_info->use_count; i++) {
    nodes[i] = value_info->uses[i].node;
    input_indices[i] = value_info->uses[i].index;
  }
  return NULL;
}

/* Whether a value has all flags of `has`, and none of `lacks`. */
static bool has_flags(const OrtValueInfo* value, uint32_t has, uint32_t lacks) {
  return (value->flags & (has | lacks)) == has;
}

CORE_GETTER(ort_ValueInfo_IsRequiredGraphInput, bool,
            has_flags(value_info, CORE_IS_INPUT, CORE_IS_INITIALIZER),
            const OrtValueInfo* value_info)
CORE_GETTER(ort_ValueInfo_IsOptionalGraphInput, bool,
            has_flags(value_info, CORE_IS_INPUT | CORE_IS_OVERRIDABLE, 0) ||
                has_flags(value_info, CORE_IS_INPUT | CORE_IS_CONSTANT_INPUT, 0),
            const OrtValueInfo* value_info)
CORE_GETTER(ort_ValueInfo_IsGraphOutput, bool, has_flags(value_info, CORE_IS_OUTPUT, 0),
            const OrtValueInfo* value_info)
CORE_GETTER(ort_ValueInfo_IsConstantInitializer, bool, core_is_constant(value_info),
            const OrtValueInfo* value_info)
CORE_GETTER(ort_ValueInfo_IsFromOuterScope, bool, has_flags(value_info, CORE_IS_OUTER, 0),
            const OrtValueInfo* value_info)
