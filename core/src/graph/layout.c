/* SPDX-License-Identifier: MIT */
/* Makes nodes read and write the channels last: each gets a Transpose before its first input and
 * after its first output, and a domain of its own. All other nodes see the same values as before.
 */

#include "graph/reading.h"
#include "values/type_info.h"

/* Operators with channels have far fewer. */
#define MOST_DIMENSIONS 16

/* A graph whose layout is being changed. The scope has the values of all names. */
struct change {
  struct core_scope scope;
  OrtGraph* graph;
  /* The nodes that the graph had, by id. */
  OrtNode** nodes;
  /* The copies with the channels last, by the address of the value. */
  struct core_items copies;
};

/* Writes for each dimension of the new shape its index in the old one. */
static void make_order(bool to_last, size_t rank, int64_t* order) {
  order[0] = 0;
  for (size_t i = 1; i < rank; i++) {
    order[i] = to_last ? (i + 1 < rank ? (int64_t)i + 1 : 1)
                       : (i > 1 ? (int64_t)i - 1 : (int64_t)rank - 1);
  }
}

/* Gives a value the type of another one, with its dimensions in another order. */
static OrtStatus* set_type(const OrtValueInfo* of, const int64_t* order, size_t rank,
                           OrtValueInfo* value) {
  const OrtTensorTypeAndShapeInfo* known;
  int64_t dims[MOST_DIMENSIONS];
  const char* names[MOST_DIMENSIONS];
  CORE_TRY(core_known_tensor(of, &known));
  if (known == NULL) {
    return NULL;
  }
  OrtTensorTypeAndShapeInfo info = {.type = known->type};
  if (known->has_shape && known->rank == rank) {
    for (size_t i = 0; i < rank; i++) {
      dims[i] = known->dims[order[i]];
      names[i] = known->names[order[i]];
    }
    info = (OrtTensorTypeAndShapeInfo){
        .type = known->type, .has_shape = true, .rank = rank, .dims = dims, .names = names};
  }
  return core_new_tensor_type(ONNX_TYPE_TENSOR, &info, &value->type);
}

static bool has_name(struct change* change, const char* name) {
  OrtValueInfo* found;
  return core_find_value(&change->scope, core_message_of(name), &found) == NULL && found != NULL;
}

/* Makes a value that has another one's elements in another order. */
static OrtStatus* new_value_like(struct change* change, const OrtValueInfo* of,
                                 const int64_t* order, size_t rank, OrtValueInfo** out) {
  size_t size = strlen(of->name) + 32;
  char* name = core_pool_take(&change->graph->pool, size);
  CORE_NEED_MEMORY(name, size);
  for (unsigned i = 0; i == 0 || has_name(change, name); i++) {
    snprintf(name, size, "%s_nhwc%.0u", of->name, i);
  }
  CORE_TRY(core_define_value(&change->scope, core_message_of(name), out));
  return set_type(of, order, rank, *out);
}

static OrtStatus* new_order(struct change* change, const int64_t* order, size_t rank,
                            OrtOpAttr** out) {
  size_t size = rank * sizeof *order;
  OrtOpAttr* attribute = core_pool_take(&change->graph->pool, sizeof *attribute + size);
  CORE_NEED_MEMORY(attribute, size);
  attribute->object.references = CORE_PERMANENT;
  attribute->name = "perm";
  attribute->type = ORT_OP_ATTR_INTS;
  attribute->size = size;
  memcpy(attribute + 1, order, size);
  *out = attribute;
  return NULL;
}

static OrtStatus* add_transpose(struct change* change, const OrtValueInfo* input,
                                OrtValueInfo* output, const int64_t* order, size_t rank) {
  struct core_pool* pool = &change->graph->pool;
  OrtOpAttr* attribute = NULL;
  OrtNode* node = core_pool_take(pool, sizeof *node);
  const OrtValueInfo** values = core_pool_array(pool, 2, sizeof *values);
  CORE_RETURN_IF(node == NULL || values == NULL, core_no_memory(sizeof *node));
  CORE_TRY(new_order(change, order, rank, &attribute));
  node->object.references = CORE_PERMANENT;
  node->op_type = "Transpose";
  node->domain = node->provider = "";
  node->name = output->name;
  node->graph = change->graph;
  node->id = change->graph->node_numbers++;
  node->input_count = node->output_count = 1;
  node->values = values;
  values[0] = input;
  values[1] = output;
  output->producer = node;
  output->producer_index = 0;
  return core_pool_list_add(pool, &node->attributes, attribute) &&
                 core_pool_list_add(pool, &change->graph->nodes, node)
             ? NULL
             : core_no_memory(sizeof(void*));
}

/* Finds the copy of a value with the channels last, or makes it: nodes with the same input share
 * it. */
static OrtStatus* find_input(struct change* change, const OrtValueInfo* value, size_t rank,
                             const OrtValueInfo** out) {
  int64_t order[MOST_DIMENSIONS];
  OrtValueInfo* made;
  struct core_item* item = core_items_find(&change->copies, &value, sizeof value);
  if (item != NULL) {
    *out = item->pointer;
    return NULL;
  }
  make_order(true, rank, order);
  CORE_TRY(new_value_like(change, value, order, rank, &made));
  CORE_TRY(add_transpose(change, value, made, order, rank));
  item = core_items_add(&change->copies, &value, sizeof value, NULL);
  CORE_NEED_MEMORY(item, sizeof *item);
  item->pointer = *out = made;
  return NULL;
}

static OrtStatus* move_output(struct change* change, OrtNode* node, size_t rank) {
  int64_t order[MOST_DIMENSIONS];
  const OrtValueInfo** place = &node->values[node->input_count];
  OrtValueInfo *value = (OrtValueInfo*)*place, *made;
  make_order(true, rank, order);
  CORE_TRY(new_value_like(change, value, order, rank, &made));
  *place = made;
  made->producer = node;
  make_order(false, rank, order);
  return add_transpose(change, made, value, order, rank);
}

static OrtStatus* move_node(struct change* change, OrtNode* node) {
  const OrtTensorTypeAndShapeInfo* type;
  CORE_TRY(core_known_tensor(node->values[0], &type));
  CORE_REFUSE_IF(type == NULL || !type->has_shape, ORT_FAIL,
                 "the provider wants the channels last, and the model does not say how many "
                 "dimensions a value has: %s",
                 node->values[0]->name);
  if (type->rank < 3) {
    return NULL;
  }
  CORE_REFUSE_IF(type->rank > MOST_DIMENSIONS, ORT_FAIL,
                 "the provider wants the channels last of a value with more than 16 dimensions: %s",
                 node->values[0]->name);
  CORE_TRY(find_input(change, node->values[0], type->rank, &node->values[0]));
  CORE_TRY(move_output(change, node, type->rank));
  node->domain = CORE_CHANNELS_LAST;
  return NULL;
}

/* Changes nodes, and lists their ids in the graph. */
static OrtStatus* move_nodes(struct change* change, const size_t* ids, size_t count) {
  OrtGraph* graph = change->graph;
  for (size_t i = 0; i < count; i++) {
    CORE_TRY(move_node(change, change->nodes[ids[i]]));
    graph->moved[graph->moved_count++] = ids[i];
  }
  return NULL;
}

/* Lists nodes by id, and values by name. */
static OrtStatus* list_all(struct change* change) {
  const OrtGraph* graph = change->graph;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    OrtNode* node = graph->nodes.items[i];
    change->nodes[node->id] = node;
  }
  for (OrtValueInfo* value = graph->values; value != NULL; value = value->next) {
    CORE_TRY(core_enter_value(&change->scope, value));
  }
  return NULL;
}

static OrtStatus* apply(struct change* change, const OrtGraph* from, const size_t* ids,
                        size_t count) {
  OrtGraph* graph = change->graph;
  CORE_TAKE_ARRAY(&graph->pool, graph->moved, from->moved_count + count);
  CORE_TAKE_ARRAY(&graph->pool, change->nodes, graph->node_numbers);
  CORE_TRY(list_all(change));
  CORE_TRY(move_nodes(change, from->moved, from->moved_count));
  CORE_TRY(move_nodes(change, ids, count));
  for (OrtValueInfo* value = graph->values; value != NULL; value = value->next) {
    if (value->graph == graph) {
      value->uses = NULL;
      value->use_count = 0;
    }
  }
  return core_order_nodes(&change->scope);
}

OrtStatus* core_move_channels(const OrtGraph* from, const size_t* ids, size_t count,
                              OrtGraph** out) {
  OrtGraph* graph = NULL;
  CORE_TRY(core_read_graph(from->model, from->form, &graph));
  struct change change = {.scope = {.root = graph, .graph = graph}, .graph = graph};
  OrtStatus* status = apply(&change, from, ids, count);
  core_items_end(&change.copies);
  CORE_HAND_OUT(status, graph, out);
}
