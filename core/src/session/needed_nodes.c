/* SPDX-License-Identifier: MIT */
/* Leaves nodes that lead to no output out of the graph of a session, before providers see it: some
 * take no node whose outputs such a node reads. */
#include "model/model.h"
#include "session/session.h"

/* Whether a node makes an output of the graph, or a value that a needed node reads. */
static bool is_read(const OrtNode* node, const bool* is_dead) {
  for (size_t i = node->input_count; i < node->input_count + node->output_count; i++) {
    const OrtValueInfo* value = node->values[i];
    if (value != NULL && value->flags & CORE_IS_OUTPUT) {
      return true;
    }
    for (size_t k = 0; value != NULL && k < value->use_count; k++) {
      if (!is_dead[value->uses[k].node->id]) {
        return true;
      }
    }
  }
  return false;
}

/* Marks by id the nodes that lead to no output. A custom op is needed anyway: it may do more than
 * compute. */
static OrtStatus* find_dead(const OrtSession* session, bool* is_dead, bool* has_dead) {
  const struct core_list* nodes = &session->graph->nodes;
  for (size_t i = nodes->count; i-- > 0;) { /* a node stands before those that read it */
    const OrtNode* node = nodes->items[i];
    const OrtCustomOp* op = NULL;
    if (!is_read(node, is_dead)) {
      CORE_TRY(core_op_of_node(session, node, &op));
      is_dead[node->id] = op == NULL;
      *has_dead |= op == NULL;
    }
  }
  return NULL;
}

OrtStatus* core_leave_out_dead_nodes(const char* function, OrtSession* session) {
  size_t count = session->graph->node_numbers;
  bool* is_dead = core_pool_array(&session->pool, count, sizeof *is_dead);
  bool has_dead = false;
  if (is_dead == NULL) {
    return core_no_memory(function, count);
  }
  CORE_TRY(find_dead(session, is_dead, &has_dead));
  if (!has_dead) {
    return NULL;
  }
  struct core_changes changes = session->model->changes;
  changes.left_out = is_dead;
  CORE_TRY(core_change_session_model(function, session, &changes));
  return core_model_graph(function, session->model, CORE_PREPARED, &session->graph);
}
