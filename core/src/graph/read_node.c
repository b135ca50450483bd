/* SPDX-License-Identifier: MIT */
/* Makes nodes and their attributes of the bytes of a model. */

#include "graph/reading.h"
#include "onnx/fields.h"

/* Reads the texts of a node. */
static OrtStatus* read_texts(struct core_scope* scope, OrtNode* node) {
  struct core_message op_type = {NULL, NULL}, domain = {NULL, NULL}, name = {NULL, NULL};
  core_find_message(node->bytes, NODE_OPERATOR, &op_type);
  core_find_message(node->bytes, NODE_DOMAIN, &domain);
  core_find_message(node->bytes, NODE_NAME, &name);
  if (core_message_is(domain, "ai.onnx")) {
    domain.end = domain.at;
  }
  CORE_REFUSE_IF(core_message_size(op_type) == 0, ORT_INVALID_GRAPH,
                 "the node '%.*s' has no operator", CORE_SHOWN(name));
  CORE_TRY(core_read_text(scope, op_type, &node->op_type));
  CORE_TRY(core_read_text(scope, domain, &node->domain));
  return core_read_text(scope, name, &node->name);
}

/* Counts operands and attributes; false where the bytes are malformed. */
static bool count_fields(OrtNode* node, size_t* attributes) {
  struct core_message rest = node->bytes;
  struct core_field field;
  *attributes = 0;
  while (core_next_field(&rest, &field)) {
    if (field.wire == CORE_LENGTH) {
      node->input_count += field.number == NODE_INPUT;
      node->output_count += field.number == NODE_OUTPUT;
      *attributes += field.number == NODE_ATTRIBUTE;
    }
  }
  return !core_is_malformed(&rest);
}

static OrtStatus* define_outputs(struct core_scope* scope, OrtNode* node) {
  struct core_message rest = node->bytes, name;
  OrtValueInfo* value;
  for (size_t i = 0; core_next_message(&rest, NODE_OUTPUT, &name); i++) {
    if (core_message_size(name) > 0) {
      CORE_TRY(core_define_value(scope, name, &value));
      value->producer = node;
      value->producer_index = i;
      node->values[node->input_count + i] = value;
    }
  }
  return NULL;
}

OrtStatus* core_read_node(struct core_scope* scope, struct core_message bytes, OrtNode** out) {
  struct core_pool* pool = &scope->root->pool;
  size_t attributes;
  OrtNode* node = core_pool_take(pool, sizeof *node);
  CORE_NEED_MEMORY(node, sizeof *node);
  node->object.references = CORE_PERMANENT;
  node->graph = scope->graph;
  node->provider = "";
  node->bytes = bytes;
  CORE_REFUSE_IF(!count_fields(node, &attributes), ORT_INVALID_PROTOBUF, "a node is malformed");
  size_t operands = node->input_count + node->output_count;
  CORE_TAKE_ARRAY(pool, node->values, operands);
  node->attributes.capacity = attributes;
  CORE_TAKE_ARRAY(pool, node->attributes.items, attributes);
  CORE_TRY(read_texts(scope, node));
  CORE_TRY(define_outputs(scope, node));
  *out = node;
  return NULL;
}

/* --- attributes ------------------------------------------------------------------------------ */

bool core_find_attribute_bytes(const OrtNode* node, const char* name, struct core_message* out) {
  struct core_message rest = node->bytes, one, text;
  bool is_there = false;
  while (core_next_message(&rest, NODE_ATTRIBUTE, &one)) {
    if (core_find_message(one, ATTRIBUTE_NAME, &text) && core_message_is(text, name)) {
      *out = one;
      is_there = true;
    }
  }
  return is_there;
}

/* The types that the API can show, with ONNX's numbers for them and the fields of their values. */
#define SHOWN(type) {ORT_OP_ATTR_##type, ATTRIBUTE_IS_##type, ATTRIBUTE_##type}
static const struct {
  OrtOpAttrType type;
  uint32_t stated, field;
} shown[] = {SHOWN(INT),   SHOWN(FLOAT),  SHOWN(STRING), SHOWN(TENSOR),
             SHOWN(GRAPH), SHOWN(FLOATS), SHOWN(INTS),   SHOWN(STRINGS)};

uint32_t core_onnx_of_attribute(OrtOpAttrType type) {
  size_t i = 0;
  while (i < CORE_COUNT_OF(shown) && shown[i].type != type) {
    i++;
  }
  return i < CORE_COUNT_OF(shown) ? shown[i].stated : 0;
}

/* An AttributeProto that is being read. */
struct stored {
  struct core_message bytes;
  struct core_message name;
  OrtOpAttrType type;
};

/* Finds the type of an AttributeProto: the one that it states, or else the one that its fields
 * have, as in files before version 2 of the format. `is_clear` is false where it states none, or
 * its fields have another. False where it is malformed. */
static bool find_type(struct core_message bytes, OrtOpAttrType* type, bool* is_clear) {
  struct core_field field;
  uint64_t said = 0;
  OrtOpAttrType found = ORT_OP_ATTR_UNDEFINED;
  unsigned values = 0;
  while (core_next_field(&bytes, &field)) {
    if (field.number == ATTRIBUTE_TYPE && field.wire == CORE_VARINT) {
      said = field.value;
    }
    for (size_t i = 0; i < CORE_COUNT_OF(shown); i++) {
      if (field.number == shown[i].field) {
        found = shown[i].type;
        values |= 1U << found;
      }
    }
  }
  *type = said == 0 ? found : ORT_OP_ATTR_UNDEFINED;
  for (size_t i = 0; i < CORE_COUNT_OF(shown); i++) {
    *type = said == shown[i].stated ? shown[i].type : *type;
  }
  *is_clear = said > 0 && said <= ATTRIBUTE_IS_TYPE_PROTOS &&
              (values == 0 || values == 1U << (unsigned)*type);
  return !core_is_malformed(&bytes);
}

/* Makes an attribute in the pool, with room for its value, which is zeroed. */
static OrtStatus* new_attribute(struct core_scope* scope, const struct stored* stored, size_t size,
                                OrtOpAttr** out) {
  OrtOpAttr* attribute = core_pool_take(&scope->root->pool, sizeof *attribute + size);
  CORE_NEED_MEMORY(attribute, sizeof *attribute + size);
  attribute->object.references = CORE_PERMANENT;
  attribute->type = stored->type;
  attribute->size = size;
  *out = attribute;
  return core_read_text(scope, stored->name, &attribute->name);
}

static OrtStatus* read_numbers(struct core_scope* scope, const struct stored* stored,
                               uint32_t number, bool is_single, OrtOpAttr** out) {
  bool is_float = stored->type == ORT_OP_ATTR_FLOAT || stored->type == ORT_OP_ATTR_FLOATS;
  struct core_numbers numbers = {
      .message = stored->bytes, .number = number, .wire = is_float ? CORE_FIXED32 : CORE_VARINT};
  size_t each = is_float ? sizeof(float) : sizeof(int64_t);
  size_t count = is_single ? 1 : core_count_numbers(numbers);
  uint64_t value;
  CORE_TRY(new_attribute(scope, stored, count * each, out));
  uint8_t* to = (uint8_t*)(*out + 1);
  while (core_next_number(&numbers, &value)) {
    memcpy(to, &value, each);
    to += is_single ? 0 : each;
  }
  return NULL;
}

static OrtStatus* read_string(struct core_scope* scope, const struct stored* stored,
                              OrtOpAttr** out) {
  struct core_message text = {NULL, NULL};
  core_find_message(stored->bytes, ATTRIBUTE_STRING, &text);
  CORE_TRY(new_attribute(scope, stored, core_message_size(text), out));
  if (core_message_size(text) > 0) {
    memcpy(*out + 1, text.at, core_message_size(text));
  }
  return NULL;
}

/* Stores the strings one after the other, each with its terminating zero (see OrtOpAttr). */
static OrtStatus* read_strings(struct core_scope* scope, const struct stored* stored,
                               OrtOpAttr** out) {
  struct core_message rest = stored->bytes, text;
  size_t size = 0;
  while (core_next_message(&rest, ATTRIBUTE_STRINGS, &text)) {
    size += core_message_size(text) + 1;
  }
  CORE_TRY(new_attribute(scope, stored, size, out));
  char* to = (char*)(*out + 1);
  rest = stored->bytes;
  while (core_next_message(&rest, ATTRIBUTE_STRINGS, &text)) {
    memcpy(to, text.at, core_message_size(text));
    to += core_message_size(text) + 1;
  }
  return NULL;
}

static OrtStatus* read_tensor(struct core_scope* scope, const struct stored* stored,
                              OrtOpAttr** out) {
  OrtGraph* root = scope->root;
  struct core_tensor* tensor = NULL;
  struct core_message bytes = {NULL, NULL};
  CORE_TRY(new_attribute(scope, stored, sizeof tensor, out));
  core_find_message(stored->bytes, ATTRIBUTE_TENSOR, &bytes);
  CORE_TRY(core_read_tensor(root->model, bytes, &tensor));
  if (!core_list_add(&root->tensors, tensor)) {
    core_drop(tensor);
    return core_no_memory(sizeof tensor);
  }
  *(struct core_tensor**)(*out + 1) = tensor;
  return NULL;
}

static OrtStatus* read_graph(struct core_scope* scope, OrtNode* node, const struct stored* stored,
                             OrtOpAttr** out) {
  struct core_pool* pool = &scope->root->pool;
  struct core_message bytes = {NULL, NULL};
  OrtGraph* graph;
  CORE_TRY(new_attribute(scope, stored, 0, out));
  CORE_REFUSE_IF(!core_find_message(stored->bytes, ATTRIBUTE_GRAPH, &bytes), ORT_INVALID_GRAPH,
                 "the attribute '%.*s' has no graph", CORE_SHOWN(stored->name));
  CORE_TRY(core_read_subgraph(scope, node, bytes, &graph));
  struct core_list names = {(void**)node->subgraph_names, node->subgraphs.count,
                            node->subgraphs.capacity};
  CORE_RETURN_IF(!core_pool_list_add(pool, &names, (void*)(*out)->name) ||
                     !core_pool_list_add(pool, &node->subgraphs, graph),
                 core_no_memory(sizeof graph));
  node->subgraph_names = (const char**)names.items;
  return NULL;
}

/* Makes the attribute by its type. An attribute that the API cannot show gets no value: lists of
 * tensors or graphs, types, and references to attributes of the function around it. */
static OrtStatus* read_value(struct core_scope* scope, OrtNode* node, const struct stored* stored,
                             OrtOpAttr** out) {
  switch (stored->type) {
    case ORT_OP_ATTR_INT:
      return read_numbers(scope, stored, ATTRIBUTE_INT, true, out);
    case ORT_OP_ATTR_INTS:
      return read_numbers(scope, stored, ATTRIBUTE_INTS, false, out);
    case ORT_OP_ATTR_FLOAT:
      return read_numbers(scope, stored, ATTRIBUTE_FLOAT, true, out);
    case ORT_OP_ATTR_FLOATS:
      return read_numbers(scope, stored, ATTRIBUTE_FLOATS, false, out);
    case ORT_OP_ATTR_STRING:
      return read_string(scope, stored, out);
    case ORT_OP_ATTR_STRINGS:
      return read_strings(scope, stored, out);
    case ORT_OP_ATTR_TENSOR:
      return read_tensor(scope, stored, out);
    case ORT_OP_ATTR_GRAPH:
      return read_graph(scope, node, stored, out);
    default:
      return new_attribute(scope, stored, 0, out);
  }
}

static OrtStatus* read_attribute(struct core_scope* scope, OrtNode* node,
                                 struct core_message bytes) {
  struct stored stored = {.bytes = bytes};
  struct core_message text;
  OrtOpAttr* made = NULL;
  bool is_clear = true;
  core_find_message(bytes, ATTRIBUTE_NAME, &stored.name);
  CORE_REFUSE_IF(!find_type(bytes, &stored.type, &is_clear), ORT_INVALID_PROTOBUF,
                 "the attribute '%.*s' is malformed", CORE_SHOWN(stored.name));
  CORE_REFUSE_IF(scope->graph->form != CORE_AS_WRITTEN &&
                     (core_message_size(stored.name) == 0 ||
                      (!is_clear && scope->graph->model->ir_version >= 2)),
                 ORT_INVALID_GRAPH,
                 "the attribute '%.*s' must have a name, a type, and one value of that type",
                 CORE_SHOWN(stored.name));
  if (core_find_message(bytes, ATTRIBUTE_REFERENCE, &text)) {
    stored.type = ORT_OP_ATTR_UNDEFINED;
  }
  CORE_TRY(read_value(scope, node, &stored, &made));
  node->attributes.items[node->attributes.count++] = made;
  return NULL;
}

/* An execution provider sees the operator's default of an attribute that the node leaves out. */
static OrtStatus* add_defaults(struct core_scope* scope, OrtNode* node) {
  for (size_t i = 0; i < core_schema_attribute_count(node->schema); i++) {
    const struct core_schema_attribute attribute = core_schema_attribute_at(node->schema, i);
    if (attribute.default_value != NULL && core_find_attribute(node, attribute.name) == NULL) {
      CORE_TRY(core_scope_add(scope, &node->attributes, attribute.default_value));
    }
  }
  return NULL;
}

OrtStatus* core_connect_node(struct core_scope* scope, OrtNode* node) {
  struct core_message rest = node->bytes;
  struct core_field field;
  OrtValueInfo* value;
  for (size_t i = 0; core_next_field(&rest, &field);) {
    if (field.wire != CORE_LENGTH) {
      continue;
    }
    if (field.number == NODE_ATTRIBUTE) {
      CORE_TRY(read_attribute(scope, node, field.bytes));
    } else if (field.number == NODE_INPUT) {
      if (core_message_size(field.bytes) > 0) {
        CORE_TRY(core_find_value(scope, field.bytes, &value));
        CORE_REFUSE_IF(value == NULL, ORT_INVALID_GRAPH,
                       "Invalid model. Node input '%.*s' is not a graph input, initializer, or "
                       "output of a previous node",
                       CORE_SHOWN(field.bytes));
        node->values[i] = value;
      }
      i++;
    }
  }
  if (scope->graph->form == CORE_AS_WRITTEN) {
    return NULL;
  }
  node->schema = core_is_described(node) ? core_schema_of(node) : NULL;
  if (node->schema == NULL) {
    return NULL; /* a provider may have the operator, also one that ONNX has in other versions */
  }
  CORE_TRY(core_check_node(node));
  return add_defaults(scope, node);
}
