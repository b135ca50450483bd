/* SPDX-License-Identifier: MIT */
/* Makes graphs of the bytes of a model. A name may be used before the field that defines it, so
 * there are several passes over the fields: inputs, initializers, nodes with their outputs, types
 * and outputs, then the inputs of nodes. */

#include "graph/reading.h"
#include "onnx/check_fields.h"

bool core_pool_list_add(struct core_pool* pool, struct core_list* list, void* item) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity > 0 ? 2 * list->capacity : 4;
    void** items = core_pool_array(pool, capacity, sizeof *items);
    if (items == NULL) {
      return false;
    }
    if (list->count > 0) {
      memcpy(items, list->items, list->count * sizeof *items);
    }
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = item;
  return true;
}

OrtStatus* core_scope_add(struct core_scope* scope, struct core_list* list, const void* item) {
  return core_pool_list_add(&scope->root->pool, list, (void*)item)
             ? NULL
             : core_no_memory(list->capacity * sizeof item);
}

OrtStatus* core_read_text(const struct core_scope* scope, struct core_message text,
                          const char** out) {
  size_t size = core_message_size(text);
  CORE_REFUSE_IF(size > 0 && memchr(text.at, 0, size) != NULL, ORT_INVALID_GRAPH,
                 "the name '%.*s' has a zero byte", CORE_SHOWN(text));
  *out = core_pool_text(&scope->root->pool, text.at, size);
  return *out != NULL ? NULL : core_no_memory(size + 1);
}

/* --- values ---------------------------------------------------------------------------------- */

static uint32_t hash_of(struct core_message name) {
  return core_hash(name.at, core_message_size(name));
}

/* The place of a name in the table: that of its value, or a free one. */
static OrtValueInfo** find_place(const struct core_scope* scope, struct core_message name,
                                 uint32_t hash) {
  size_t i = hash & (scope->place_count - 1);
  while (scope->places[i] != NULL &&
         (scope->places[i]->hash != hash || !core_message_is(name, scope->places[i]->name))) {
    i = (i + 1) & (scope->place_count - 1);
  }
  return &scope->places[i];
}

/* Doubles the table when it is half full. */
static bool grow(struct core_scope* scope) {
  if (2 * (scope->value_count + 1) <= scope->place_count) {
    return true;
  }
  size_t count = scope->place_count > 0 ? 2 * scope->place_count : 16;
  OrtValueInfo** places = core_pool_array(&scope->root->pool, count, sizeof *places);
  if (places == NULL) {
    return false;
  }
  for (size_t i = 0; i < scope->place_count; i++) {
    OrtValueInfo* value = scope->places[i];
    if (value != NULL) {
      size_t at = value->hash & (count - 1);
      while (places[at] != NULL) {
        at = (at + 1) & (count - 1);
      }
      places[at] = value;
    }
  }
  scope->places = places;
  scope->place_count = count;
  return true;
}

OrtStatus* core_define_value(struct core_scope* scope, struct core_message name,
                             OrtValueInfo** out) {
  OrtGraph* root = scope->root;
  uint32_t hash = hash_of(name);
  CORE_RETURN_IF(!grow(scope), core_no_memory(scope->place_count * sizeof(void*)));
  OrtValueInfo** place = find_place(scope, name, hash);
  CORE_REFUSE_IF(*place != NULL, ORT_FAIL, "the value '%.*s' is made twice", CORE_SHOWN(name));
  OrtValueInfo* value = core_pool_take(&root->pool, sizeof *value);
  CORE_NEED_MEMORY(value, sizeof *value);
  CORE_TRY(core_read_text(scope, name, &value->name));
  value->object.references = CORE_PERMANENT;
  value->graph = scope->graph;
  value->hash = hash;
  value->next = root->values;
  root->values = value;
  scope->value_count++;
  *place = *out = value;
  return NULL;
}

OrtStatus* core_enter_value(struct core_scope* scope, OrtValueInfo* value) {
  CORE_RETURN_IF(!grow(scope), core_no_memory(scope->place_count * sizeof(void*)));
  OrtValueInfo** place = find_place(scope, core_message_of(value->name), value->hash);
  if (*place == NULL) {
    *place = value;
    scope->value_count++;
  }
  return NULL;
}

OrtStatus* core_find_value(struct core_scope* scope, struct core_message name, OrtValueInfo** out) {
  OrtValueInfo* around = NULL;
  *out = scope->place_count > 0 ? *find_place(scope, name, hash_of(name)) : NULL;
  if (*out != NULL || scope->outer == NULL) {
    return NULL;
  }
  CORE_TRY(core_find_value(scope->outer, name, &around));
  if (around == NULL) {
    return NULL;
  }
  CORE_TRY(core_define_value(scope, name, out));
  (*out)->origin = core_origin(around);
  (*out)->flags = CORE_IS_OUTER | (around->flags & (CORE_IS_INITIALIZER | CORE_IS_OVERRIDABLE));
  CORE_TRY(core_scope_add(scope, &scope->copies, *out));
  return core_scope_add(scope, &scope->copied, around);
}

/* --- passes over the fields ------------------------------------------------------------------ */

/* The fields of a GraphProto, or of a FunctionProto, which has no types and no initializers. */
struct numbers {
  uint32_t name, node, input, output, value, initializer, sparse_initializer;
  bool is_function;
};
static const struct numbers numbers_of_graph = {GRAPH_NAME,
                                                GRAPH_NODE,
                                                GRAPH_INPUT,
                                                GRAPH_OUTPUT,
                                                GRAPH_VALUE,
                                                GRAPH_INITIALIZER,
                                                GRAPH_SPARSE_INITIALIZER,
                                                false};
static const struct numbers numbers_of_function = {
    FUNCTION_NAME, FUNCTION_NODE, FUNCTION_INPUT, FUNCTION_OUTPUT, FUNCTION_VALUE, 0, 0, true};

/* Splits a ValueInfoProto. An input or output of a function is no such message: the field is its
 * name. */
static void split_value(const struct numbers* numbers, const struct core_field* field,
                        struct core_message* name, struct core_message* type) {
  *name = numbers->is_function && field->number != numbers->value
              ? field->bytes
              : (struct core_message){field->bytes.at, field->bytes.at};
  *type = (struct core_message){NULL, NULL};
  if (!numbers->is_function || field->number == numbers->value) {
    core_find_message(field->bytes, VALUE_NAME, name);
    core_find_message(field->bytes, VALUE_TYPE, type);
    if (core_message_size(*type) == 0) { /* it says nothing */
      type->at = type->end = NULL;
    }
  }
}

static OrtStatus* read_inputs(struct core_scope* scope, const struct numbers* numbers,
                              struct core_message bytes) {
  struct core_message name, type;
  struct core_field field;
  OrtValueInfo* value;
  while (core_next_field(&bytes, &field)) {
    if (field.wire != CORE_LENGTH) {
      continue;
    }
    if (field.number == numbers->name) {
      CORE_TRY(core_read_text(scope, field.bytes, &scope->graph->name));
    } else if (field.number == numbers->input) {
      split_value(numbers, &field, &name, &type);
      CORE_TRY(core_define_value(scope, name, &value));
      value->flags = CORE_IS_INPUT;
      value->type_bytes = type;
      CORE_TRY(core_scope_add(scope, &scope->graph->inputs, value));
    }
  }
  return core_is_malformed(&bytes) ? core_fail(ORT_INVALID_PROTOBUF, "a graph is malformed") : NULL;
}

/* The name of an initializer; for a sparse one, the tensor of its values has it. */
static struct core_message name_of_initializer(struct core_message bytes, bool is_sparse) {
  struct core_message name = {bytes.at, bytes.at}, values;
  if (!is_sparse) {
    core_find_message(bytes, TENSOR_NAME, &name);
  } else if (core_find_message(bytes, SPARSE_VALUES, &values)) {
    core_find_message(values, TENSOR_NAME, &name);
  }
  return name;
}

static OrtStatus* read_initializer(struct core_scope* scope, struct core_message bytes,
                                   bool is_sparse) {
  struct core_message name = name_of_initializer(bytes, is_sparse);
  OrtValueInfo* value = scope->place_count > 0 ? *find_place(scope, name, hash_of(name)) : NULL;
  if (value == NULL) {
    CORE_TRY(core_define_value(scope, name, &value));
  }
  /* Of several tensors for one initializer the last one counts, as in ONNX Runtime, except where a
   * graph is added to a model. */
  bool is_new = !(value->flags & CORE_IS_INITIALIZER);
  CORE_REFUSE_IF(!is_new && scope->graph->model->extended_by != NULL, ORT_FAIL,
                 "the initializer '%.*s' is there twice", CORE_SHOWN(name));
  bool overridable = value->flags & CORE_IS_INPUT && scope->graph->model->ir_version >= 4;
  value->flags = (value->flags & ~(uint32_t)CORE_IS_SPARSE) | CORE_IS_INITIALIZER |
                 (overridable ? CORE_IS_OVERRIDABLE : 0) | (is_sparse ? CORE_IS_SPARSE : 0);
  value->tensor_bytes = bytes;
  return is_new ? core_scope_add(scope, &scope->graph->initializers, value) : NULL;
}

static OrtStatus* read_initializers(struct core_scope* scope, const struct numbers* numbers,
                                    struct core_message bytes) {
  struct core_field field;
  while (!numbers->is_function && core_next_field(&bytes, &field)) {
    if (field.wire == CORE_LENGTH &&
        (field.number == numbers->initializer || field.number == numbers->sparse_initializer)) {
      CORE_TRY(read_initializer(scope, field.bytes, field.number == numbers->sparse_initializer));
    }
  }
  return NULL;
}

/* An execution provider sees the output of a node Constant as an initializer. */
static OrtStatus* fold_constant(struct core_scope* scope, const OrtNode* node, bool* is_folded) {
  struct core_message attribute, text;
  *is_folded = false;
  if (scope->graph->form == CORE_AS_WRITTEN || node->domain[0] != 0 ||
      strcmp(node->op_type, "Constant") != 0) {
    return NULL;
  }
  CORE_REFUSE_IF(node->output_count != 1 || node->values[node->input_count] == NULL ||
                     !core_find_message(node->bytes, NODE_ATTRIBUTE, &attribute),
                 ORT_FAIL,
                 "the node '%.127s' of operator Constant has not one value and one output",
                 node->name);
  /* One that is wrong is kept, and refused where nodes are checked. */
  *is_folded = !core_find_message(attribute, ATTRIBUTE_REFERENCE, &text) &&
               core_is_constant_value(scope->graph->model, attribute);
  if (!*is_folded) {
    return NULL;
  }
  OrtValueInfo* value = (OrtValueInfo*)node->values[node->input_count];
  value->flags |= CORE_IS_INITIALIZER | CORE_IS_CONSTANT_NODE;
  value->producer = NULL;
  value->tensor_bytes = attribute;
  return core_scope_add(scope, &scope->graph->initializers, value);
}

static OrtStatus* read_nodes(struct core_scope* scope, const struct numbers* numbers,
                             struct core_message bytes) {
  size_t* count = &scope->graph->node_numbers;
  struct core_message one;
  OrtNode* node;
  bool is_folded;
  while (core_next_message(&bytes, numbers->node, &one)) {
    CORE_TRY(core_read_node(scope, one, &node));
    CORE_TRY(fold_constant(scope, node, &is_folded));
    if (!is_folded) {
      node->id = (*count)++;
      CORE_TRY(core_scope_add(scope, &scope->graph->nodes, node));
    }
  }
  return NULL;
}

/* Whether a type is a value's that the model states for it, as an output or otherwise. That of an
 * initializer is the type of its elements, unless it goes to an output as a sparse tensor. */
static bool takes_type(const struct core_scope* scope, const OrtValueInfo* value,
                       struct core_message type, bool is_output) {
  struct core_message inner;
  if (value->flags & CORE_IS_INITIALIZER &&
      (!is_output || (scope->graph->form != CORE_AS_WRITTEN &&
                      core_member_of_type(type, &inner) != TYPE_SPARSE_TENSOR))) {
    return false;
  }
  return is_output || value->type_bytes.at == NULL;
}

static OrtStatus* read_outputs(struct core_scope* scope, const struct numbers* numbers,
                               struct core_message bytes) {
  struct core_message name, type;
  struct core_field field;
  OrtValueInfo* value;
  while (core_next_field(&bytes, &field)) {
    bool is_output = field.number == numbers->output;
    if (field.wire != CORE_LENGTH || (!is_output && field.number != numbers->value)) {
      continue;
    }
    split_value(numbers, &field, &name, &type);
    if (!is_output) { /* optimizers leave types behind of values that no node makes any more */
      value = scope->place_count > 0 ? *find_place(scope, name, hash_of(name)) : NULL;
    } else {
      CORE_TRY(core_find_value(scope, name, &value));
      CORE_REFUSE_IF(value == NULL, ORT_FAIL, "the output '%.*s' is made by no node",
                     CORE_SHOWN(name));
      value->flags |= CORE_IS_OUTPUT;
      CORE_TRY(core_scope_add(scope, &scope->graph->outputs, value));
    }
    if (value != NULL && type.at != NULL && takes_type(scope, value, type, is_output)) {
      value->type_bytes = type;
    }
  }
  return NULL;
}

static OrtStatus* connect_nodes(struct core_scope* scope) {
  for (size_t i = 0; i < scope->graph->nodes.count; i++) {
    CORE_TRY(core_connect_node(scope, scope->graph->nodes.items[i]));
  }
  if (scope->graph->form != CORE_AS_WRITTEN) {
    CORE_TRY(core_check_node_names(scope));
  }
  CORE_TRY(core_order_nodes(scope));
  return scope->graph->form != CORE_AS_WRITTEN ? core_leave_out_dead_nodes(scope) : NULL;
}

/* Has the node of this graph use those values of the graph around that this one needs. */
static OrtStatus* use_copied(struct core_scope* scope) {
  for (size_t i = 0; i < scope->copies.count; i++) {
    const OrtValueInfo* copy = scope->copies.items[i];
    OrtValueInfo* copied = scope->copied.items[i];
    bool is_needed = copy->use_count > 0 || copy->flags & CORE_IS_OUTPUT;
    if (is_needed && copied->captured_by != scope->parent) {
      CORE_TRY(core_scope_add(scope, &scope->parent->implicit_inputs, copied));
      copied->captured_by = scope->parent;
    }
  }
  return NULL;
}

/* An execution provider sees only initializers that are used. Before version 4 of the format an
 * initializer is an input as well, and that is dropped with it. */
static void drop_unused(struct core_list* values) {
  size_t kept = 0;
  for (size_t i = 0; i < values->count; i++) {
    const OrtValueInfo* value = values->items[i];
    if (value->use_count > 0 || !(value->flags & CORE_IS_INITIALIZER) ||
        value->flags & (CORE_IS_OUTPUT | CORE_IS_OVERRIDABLE)) {
      values->items[kept++] = values->items[i];
    }
  }
  values->count = kept;
}

static OrtStatus* read_fields(struct core_scope* scope, const struct numbers* numbers,
                              struct core_message bytes) {
  CORE_TRY(read_inputs(scope, numbers, bytes));
  CORE_TRY(read_initializers(scope, numbers, bytes));
  CORE_TRY(read_nodes(scope, numbers, bytes));
  CORE_TRY(read_outputs(scope, numbers, bytes));
  if (scope->graph->form != CORE_AS_WRITTEN && scope->outer == NULL) {
    CORE_TRY(core_replace_initializers(scope));
  }
  if (scope->graph->form == CORE_FOLDED) {
    CORE_TRY(core_fold_shapes(scope));
  }
  CORE_TRY(connect_nodes(scope));
  CORE_TRY(use_copied(scope));
  if (scope->graph->form != CORE_AS_WRITTEN) {
    drop_unused(&scope->graph->initializers);
    drop_unused(&scope->graph->inputs);
  }
  return NULL;
}

OrtStatus* core_read_subgraph(struct core_scope* outer, OrtNode* parent, struct core_message bytes,
                              OrtGraph** out) {
  struct core_scope scope = {
      .root = outer->root, .outer = outer, .parent = parent, .depth = outer->depth + 1};
  CORE_REFUSE_IF(scope.depth >= CORE_DEEPEST_GRAPH, ORT_INVALID_GRAPH,
                 "graphs are nested too deeply");
  OrtGraph* graph = core_pool_take(&outer->root->pool, sizeof *graph);
  CORE_NEED_MEMORY(graph, sizeof *graph);
  graph->object.references = CORE_PERMANENT;
  graph->model = outer->graph->model;
  graph->opsets = outer->graph->opsets;
  graph->form = outer->graph->form;
  graph->parent = parent;
  graph->name = "";
  scope.graph = *out = graph;
  return read_fields(&scope, &numbers_of_graph, bytes);
}

/* --- the outermost graph --------------------------------------------------------------------- */

static void end_graph(void* block) {
  OrtGraph* graph = block;
  for (OrtValueInfo* value = graph->values; value != NULL; value = value->next) {
    ort_ReleaseTypeInfo(value->type);
    if (value->tensor != NULL) {
      core_end_part(&value->tensor->object);
    }
  }
  core_list_cut(&graph->tensors, 0);
  core_list_end(&graph->tensors);
  core_pool_end(&graph->pool);
}

const struct core_class core_graph_class = {.kind = CORE_GRAPH, .end = end_graph};

/* The body of a function, which imports operator sets of its own. */
static OrtStatus* read_function(struct core_scope* scope, struct core_message bytes) {
  struct core_opsets* opsets = core_pool_take(&scope->root->pool, sizeof *opsets);
  CORE_NEED_MEMORY(opsets, sizeof *opsets);
  CORE_TRY(core_read_opsets(&scope->root->pool, bytes, FUNCTION_OPSET, opsets));
  scope->graph->opsets = opsets;
  return read_fields(scope, &numbers_of_function, bytes);
}

/* Checks the bytes of a graph or a function, and joins what is there in parts. */
static OrtStatus* check_bytes(struct core_scope* scope, enum core_onnx kind,
                              struct core_message* bytes) {
  enum core_fields found = core_check_fields(*bytes, kind);
  CORE_REFUSE_IF(found == CORE_FIELDS_TOO_DEEP, ORT_INVALID_PROTOBUF,
                 "messages are nested too deeply");
  CORE_REFUSE_IF(found == CORE_FIELDS_DAMAGED, ORT_INVALID_PROTOBUF, "%s is malformed",
                 kind == ONNX_GRAPH ? "the graph" : "a function");
  if (found == CORE_FIELDS_WHOLE) {
    return NULL;
  }
  struct core_writing whole = {0};
  core_join_parts(&whole, *bytes, kind);
  size_t size = whole.size;
  const char* at = whole.has_failed ? NULL : core_pool_text(&scope->root->pool, whole.bytes, size);
  heap_free(whole.bytes);
  *bytes = (struct core_message){(const uint8_t*)at, (const uint8_t*)at + size};
  return at == NULL ? core_no_memory(size) : NULL;
}

OrtStatus* core_read_graph(const OrtModel* model, size_t which, OrtGraph** out) {
  bool is_function = which >= CORE_GRAPH_FORMS;
  CORE_NEW(OrtGraph, graph, &core_graph_class);
  graph->model = model;
  graph->form = is_function ? CORE_AS_WRITTEN : (enum core_graph_form)which;
  graph->name = "";
  struct core_scope scope = {.root = graph, .graph = graph};
  struct core_message bytes =
      is_function ? model->functions[which - CORE_GRAPH_FORMS] : model->graph_bytes;
  OrtStatus* status = check_bytes(&scope, is_function ? ONNX_FUNCTION : ONNX_GRAPH, &bytes);
  CORE_THEN(status, is_function ? read_function(&scope, bytes)
                                : read_fields(&scope, &numbers_of_graph, bytes));
  if (status == NULL && graph->form != CORE_AS_WRITTEN) {
    status = core_infer_types(graph);
  }
  CORE_HAND_OUT(status, graph, out);
}

OrtStatus* core_model_graph(const OrtModel* model, size_t which, const OrtGraph** out) {
  OrtGraph** place = &model->graphs[which];
  OrtGraph* found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (found == NULL) {
    OrtGraph* made = NULL;
    CORE_TRY(core_read_graph(model, which, &made));
    core_make_part(&made->object);
    found = core_publish((void**)place, made);
    if (found != made) {
      core_end_part(&made->object);
    }
  }
  *out = found;
  return NULL;
}
