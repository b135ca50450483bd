/* SPDX-License-Identifier: MIT */
/* Lists the inputs, the outputs and the initializers that runs may replace, and finds them by name.
 */
#include "session/session.h"

/* Whether all tensors of a type have an element type. */
static bool has_elements(const OrtTypeInfo* type) {
  while (type->inner != NULL) {
    type = type->inner;
  }
  return type->tensor->type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

/* An input must have a type, which nothing else decides, and tensors' elements must have one. */
static OrtStatus* check_type(const OrtValueInfo* value, const OrtTypeInfo* type) {
  CORE_REFUSE_IF(type == NULL && value->flags & CORE_IS_INPUT, ORT_FAIL,
                 "the model does not say the type of the input %s", value->name);
  return type != NULL && !has_elements(type)
             ? core_fail(ORT_INVALID_GRAPH, "the model does not say the element type of %s",
                         value->name)
             : NULL;
}

static OrtStatus* add_port(struct core_ports* ports, const OrtValueInfo* value) {
  struct core_port* port = &ports->list[ports->count];
  CORE_TRY(core_known_type(value, &port->type));
  CORE_TRY(check_type(value, port->type));
  CORE_REFUSE_IF(value->name[0] == 0, ORT_INVALID_GRAPH,
                 "an input, output or initializer has no name");
  port->name = value->name;
  port->value = CORE_NO_VALUE;
  ports->count++;
  return NULL;
}

/* Lists the values that have all flags of `with` and none of `without`. */
static OrtStatus* list_ports(struct core_pool* pool, const struct core_list* values, uint32_t with,
                             uint32_t without, struct core_ports* ports) {
  *ports = (struct core_ports){core_pool_array(pool, values->count, sizeof *ports->list), 0};
  CORE_NEED_MEMORY(ports->list, values->count * sizeof *ports->list);
  for (size_t i = 0; i < values->count; i++) {
    const OrtValueInfo* value = values->items[i];
    if ((value->flags & with) == with && (value->flags & without) == 0) {
      CORE_TRY(add_port(ports, value));
    }
  }
  return NULL;
}

OrtStatus* core_list_ports(OrtSession* session, const OrtGraph* graph) {
  struct core_pool* pool = &session->pool;
  struct core_ports inputs, overridable, outputs;
  CORE_TRY(list_ports(pool, &graph->inputs, 0, CORE_IS_INITIALIZER, &inputs));
  CORE_TRY(list_ports(pool, &graph->initializers, CORE_IS_OVERRIDABLE, 0, &overridable));
  CORE_TRY(list_ports(pool, &graph->outputs, 0, 0, &outputs));
  session->inputs = inputs;
  session->overridable = overridable;
  session->outputs = outputs;
  return NULL;
}

const struct core_port* core_find_port(const struct core_ports* ports, const char* name,
                                       size_t guess) {
  if (guess < ports->count && strcmp(ports->list[guess].name, name) == 0) {
    return &ports->list[guess];
  }
  for (size_t i = 0; i < ports->count; i++) {
    if (strcmp(ports->list[i].name, name) == 0) {
      return &ports->list[i];
    }
  }
  return NULL;
}
