/* SPDX-License-Identifier: MIT */
/* Replaces the tensors of initializers with those that the options of a session give. */

#include "graph/reading.h"
#include "graph/tensor_bytes.h"

static OrtStatus* refuse_value(enum OrtErrorCode code, const char* name, const char* why) {
  return core_fail(code, "the initializer '%s%s", name, why);
}

/* Replaces the tensor of an initializer with one that borrows the memory of `with`. The graph holds
 * a reference to `with`. */
static OrtStatus* replace(struct core_scope* scope, OrtValueInfo* value, const OrtValue* with) {
  const struct core_tensor* tensor = core_tensor_of(with);
  struct core_tensor* made = NULL;
  bool fits;
  CORE_RETURN_IF(!core_is_cpu_memory(&tensor->info),
                 refuse_value(ORT_INVALID_ARGUMENT, value->name,
                              "' is replaced with a tensor that is not in the CPU's memory"));
  CORE_TRY(core_fits_initializer(value, tensor, &fits));
  CORE_RETURN_IF(!fits,
                 refuse_value(ORT_INVALID_ARGUMENT, value->name,
                              "' is replaced with a tensor of another element type or shape"));
  CORE_TRY(core_borrow_tensor(&tensor->info, tensor->data, tensor->bytes, tensor->shape.dims,
                              tensor->shape.rank, tensor->shape.type, &made));
  if (!core_list_keep(&scope->root->tensors, &core_target(with)->object)) {
    core_drop(made);
    return core_no_memory(sizeof(void*));
  }
  core_make_part(&made->base.object);
  if (value->tensor != NULL) {
    core_end_part(&value->tensor->object);
  }
  value->tensor = &made->base;
  value->flags |= CORE_IS_REPLACED;
  return NULL;
}

/* A name that no initializer has is not an error: options may serve several models. */
static OrtStatus* replace_any(struct core_scope* scope, const struct core_items* items) {
  for (size_t i = 0; items != NULL && i < items->count; i++) {
    OrtValueInfo* value;
    CORE_TRY(core_find_value(scope, core_message_of(items->list[i].key), &value));
    if (value != NULL && value->flags & CORE_IS_INITIALIZER) {
      CORE_TRY(replace(scope, value, items->list[i].pointer));
    }
  }
  return NULL;
}

/* Each name must be that of an initializer with external data. */
static OrtStatus* replace_external(struct core_scope* scope, const struct core_items* items) {
  for (size_t i = 0; items != NULL && i < items->count; i++) {
    const char* name = items->list[i].key;
    OrtValueInfo* value;
    CORE_TRY(core_find_value(scope, core_message_of(name), &value));
    CORE_RETURN_IF(value == NULL || !(value->flags & CORE_IS_INITIALIZER),
                   refuse_value(ORT_FAIL, name, "' is to be replaced, and the model has none"));
    CORE_RETURN_IF(
        value->flags & (CORE_IS_SPARSE | CORE_IS_CONSTANT_NODE) ||
            !core_is_external(value->tensor_bytes),
        refuse_value(ORT_FAIL, name,
                     "' is to be replaced as external data, and the model has its elements"));
    CORE_TRY(replace(scope, value, items->list[i].pointer));
  }
  return NULL;
}

OrtStatus* core_replace_initializers(struct core_scope* scope) {
  const struct core_changes* changes = &scope->graph->model->changes;
  CORE_TRY(replace_external(scope, changes->external_initializers));
  return replace_any(scope, changes->initializers);
}
