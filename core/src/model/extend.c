/* SPDX-License-Identifier: MIT */
/* Adds a graph of the model editor to a model: the model is written anew with what the graph has,
 * and read as a model that has the weights of both. */

#include "model/model.h"
#include "onnx/fields.h"

/* The work on one model. */
struct extending {
  const OrtModel* of;
  const OrtModel* by;
  struct core_writing to;
};

static bool is_named(const struct core_list* values, struct core_message name) {
  size_t i = 0;
  while (i < values->count &&
         !core_message_is(name, ((const OrtValueInfo*)values->items[i])->name)) {
    i++;
  }
  return i < values->count;
}

/* Whether the graph has an input or output, with its type, of the name of a typed value. */
static bool is_port(const OrtGraph* by, struct core_message value) {
  struct core_message name;
  return core_find_message(value, VALUE_NAME, &name) &&
         (is_named(&by->inputs, name) || is_named(&by->outputs, name));
}

/* Writes a field of the model's graph. What is an input or output no longer stays a typed value. */
static void write_field(struct core_writing* to, const OrtGraph* by, struct core_field field,
                        const uint8_t* start, const uint8_t* end) {
  bool is_replaced = (field.number == GRAPH_INPUT && by->inputs.count > 0) ||
                     (field.number == GRAPH_OUTPUT && by->outputs.count > 0);
  if (field.wire != CORE_LENGTH) {
    core_write_raw(to, start, (size_t)(end - start));
    return;
  }
  field.number = is_replaced ? GRAPH_VALUE : field.number;
  if (field.number != GRAPH_VALUE || !is_port(by, field.bytes)) {
    core_write_message(to, field.number, field.bytes);
  }
}

/* The graph may be there in several parts. */
static OrtStatus* write_graph(struct extending* work, OrtModel* model) {
  const OrtGraph* by = work->by->editor_graph;
  struct core_message bytes = work->of->bytes;
  struct core_message graph;
  struct core_field field;
  size_t message = core_begin_message(&work->to, MODEL_GRAPH);
  while (core_next_message(&bytes, MODEL_GRAPH, &graph)) {
    for (const uint8_t* start = graph.at; core_next_field(&graph, &field); start = graph.at) {
      write_field(&work->to, by, field, start, graph.at);
    }
  }
  CORE_TRY(core_write_editor_graph(by, &work->to, model));
  core_end_message(&work->to, message);
  return NULL;
}

/* Writes the operator sets that only the graph uses. */
static OrtStatus* write_opsets(struct extending* work) {
  const struct core_opsets* added = &work->by->opsets;
  for (size_t i = 0; i < added->count; i++) {
    const int64_t* version = core_find_opset(&work->of->opsets, added->domains[i]);
    CORE_REFUSE_IF(version != NULL && *version != added->versions[i], ORT_INVALID_ARGUMENT,
                   "model must use the version of the session's model of the domain %s",
                   added->domains[i][0] != 0 ? added->domains[i] : "ai.onnx");
    if (version == NULL) {
      core_write_opset(&work->to, added->domains[i], added->versions[i]);
    }
  }
  return NULL;
}

static OrtStatus* write(struct extending* work, OrtModel* model) {
  static const uint32_t written[] = {MODEL_GRAPH};
  core_copy_other_fields(&work->to, work->of->bytes, written, CORE_COUNT_OF(written));
  CORE_TRY(write_opsets(work));
  CORE_TRY(write_graph(work, model));
  return work->to.has_failed ? core_no_memory(work->to.capacity) : NULL;
}

static OrtStatus* extend(struct extending* work, OrtModel* model) {
  CORE_TRY(core_share_weights(model, work->of));
  core_retain(&((OrtModel*)work->by)->object);
  model->extended_by = work->by;
  CORE_TRY(write(work, model));
  model->own = work->to.bytes;
  work->to.bytes = NULL;
  model->bytes = (struct core_message){model->own, model->own + work->to.size};
  return core_read_model(model);
}

OrtStatus* core_extend_model(const OrtModel* of, const OrtModel* by, OrtModel** out) {
  struct extending work = {.of = of, .by = by};
  OrtModel* model = NULL;
  CORE_REFUSE_IF(by->editor_graph == NULL, ORT_INVALID_ARGUMENT,
                 "model must have a graph, given by AddGraphToModel");
  CORE_TRY(core_new_model(&model));
  OrtStatus* status = extend(&work, model);
  heap_free(work.to.bytes);
  CORE_HAND_OUT(status, model, out);
}
