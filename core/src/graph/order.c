/* SPDX-License-Identifier: MIT */
/* The uses of values, the order of nodes, and which of them lead to an output. */

#include "graph/reading.h"

/* Calls a function with each value that a node uses: its inputs, then what its subgraphs use. */
static void each_use(const OrtNode* node, void (*function)(OrtValueInfo*, struct core_use, void*),
                     void* argument) {
  for (size_t i = 0; i < node->input_count; i++) {
    if (node->values[i] != NULL) {
      function((OrtValueInfo*)node->values[i], (struct core_use){node, (int64_t)i}, argument);
    }
  }
  for (size_t i = 0; i < node->implicit_inputs.count; i++) {
    function(node->implicit_inputs.items[i], (struct core_use){node, -1}, argument);
  }
}

static void count_use(OrtValueInfo* value, struct core_use use, void* total) {
  value->use_count++;
  ++*(size_t*)total;
}

/* Gives a value its part of the array at its first use, and fills it in. */
static void note_use(OrtValueInfo* value, struct core_use use, void* next) {
  struct core_use** free_uses = next;
  if (value->uses == NULL) {
    value->uses = *free_uses;
    *free_uses += value->use_count;
    value->use_count = 0;
  }
  value->uses[value->use_count++] = use;
}

OrtStatus* core_list_uses(struct core_pool* pool, const struct core_list* nodes) {
  size_t total = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    each_use(nodes->items[i], count_use, &total);
  }
  struct core_use* uses = core_pool_array(pool, total, sizeof *uses);
  CORE_NEED_MEMORY(uses, total * sizeof *uses);
  for (size_t i = 0; i < nodes->count; i++) {
    each_use(nodes->items[i], note_use, &uses);
  }
  return NULL;
}

/* --- the order ------------------------------------------------------------------------------- */

/* Notes a node that stands before the one that makes its input. */
static void note_later(OrtValueInfo* value, struct core_use use, void* is_sorted) {
  if (value->producer != NULL && value->producer->id >= use.node->id) {
    *(bool*)is_sorted = false;
  }
}

static void count_producer(OrtValueInfo* value, struct core_use use, void* waits) {
  ((size_t*)waits)[use.node->id] += value->producer != NULL;
}

/* Lists the nodes that use a node's outputs and wait for nothing else. */
static void release_users(const OrtNode* node, size_t* waits, struct core_list* ready) {
  for (size_t i = 0; i < node->output_count; i++) {
    const OrtValueInfo* value = node->values[node->input_count + i];
    for (size_t k = 0; value != NULL && k < value->use_count; k++) {
      const OrtNode* user = value->uses[k].node;
      if (--waits[user->id] == 0) {
        ready->items[ready->count++] = (void*)user;
      }
    }
  }
}

/* A topological sort (Kahn's algorithm). Nodes that are in order already stay as they are. */
static OrtStatus* sort_nodes(struct core_scope* scope) {
  struct core_list* nodes = &scope->graph->nodes;
  bool is_sorted = true;
  CORE_TRY(core_list_uses(&scope->root->pool, nodes));
  for (size_t i = 0; i < nodes->count; i++) {
    each_use(nodes->items[i], note_later, &is_sorted);
  }
  if (is_sorted) {
    return NULL;
  }
  size_t numbers = scope->graph->node_numbers; /* nodes that are left out have numbers too */
  size_t* waits = core_pool_array(&scope->root->pool, numbers, sizeof *waits);
  struct core_list ready = {core_pool_array(&scope->root->pool, nodes->count, sizeof(void*)), 0,
                            nodes->count};
  CORE_RETURN_IF(waits == NULL || ready.items == NULL, core_no_memory(numbers * sizeof(void*)));
  for (size_t i = 0; i < nodes->count; i++) {
    each_use(nodes->items[i], count_producer, waits);
  }
  for (size_t i = 0; i < nodes->count; i++) {
    if (waits[((const OrtNode*)nodes->items[i])->id] == 0) {
      ready.items[ready.count++] = nodes->items[i];
    }
  }
  for (size_t i = 0; i < ready.count; i++) {
    release_users(ready.items[i], waits, &ready);
  }
  CORE_REFUSE_IF(ready.count < nodes->count, ORT_FAIL,
                 "the nodes of a graph depend on each other in a cycle");
  *nodes = ready;
  return NULL;
}

static void number_nodes(const struct core_list* nodes) {
  for (size_t i = 0; i < nodes->count; i++) {
    ((OrtNode*)nodes->items[i])->place = i;
  }
}

OrtStatus* core_order_nodes(struct core_scope* scope) {
  CORE_TRY(sort_nodes(scope));
  number_nodes(&scope->graph->nodes);
  return NULL;
}

/* --- nodes that lead to no output ------------------------------------------------------------- */

static void drop_use(OrtValueInfo* value, struct core_use use, void* argument) {
  value->use_count--;
}

static void forget_uses(OrtValueInfo* value, struct core_use use, void* argument) {
  value->uses = NULL;
  value->use_count = 0;
}

static bool is_read(const OrtNode* node) {
  for (size_t i = node->input_count; i < node->input_count + node->output_count; i++) {
    const OrtValueInfo* value = node->values[i];
    if (value != NULL && (value->use_count > 0 || value->flags & CORE_IS_OUTPUT)) {
      return true;
    }
  }
  return false;
}

bool core_is_custom_op(const OrtNode* node) {
  struct core_op_search search = {.ops = node->graph->model->changes.custom_ops,
                                  .domain = node->domain,
                                  .name = node->op_type,
                                  .version = core_opset_version_of(node)};
  return search.ops != NULL && core_next_op(&search) != NULL;
}

OrtStatus* core_leave_out_dead_nodes(struct core_scope* scope) {
  struct core_list* nodes = &scope->graph->nodes;
  size_t first = nodes->count;
  for (size_t i = nodes->count; i-- > 0;) {
    OrtNode* node = nodes->items[i];
    if (is_read(node) || core_is_custom_op(node)) {
      nodes->items[--first] = node;
    } else {
      each_use(node, drop_use, NULL);
    }
  }
  if (first == 0) {
    return NULL;
  }
  nodes->count -= first;
  memmove(nodes->items, nodes->items + first, nodes->count * sizeof(void*));
  number_nodes(nodes);
  for (size_t i = 0; i < nodes->count; i++) {
    each_use(nodes->items[i], forget_uses, NULL);
  }
  return core_list_uses(&scope->root->pool, nodes);
}
