/* SPDX-License-Identifier: MIT */
/* Numbers the values, orders the steps, and finds the last step that uses each value. */

#include "session/session.h"

/* The work on one session. Arrays about values are indexed by the number of the value, arrays about
 * steps by the order in which partition.c made them. */
struct plan {
  OrtSession* session;
  /* An item's number is that of the value. */
  struct core_items names;
  /* How many values the devices of providers make, so how many copies there may be. */
  size_t most_copies;
  /* The step that makes a value, or NO_STEP. */
  uint32_t* makers;
  /* How many values a step still waits for. */
  uint32_t* waits;
  /* The steps that read a value: those from starts[value] to starts[value + 1]. */
  uint32_t* starts;
  uint32_t* readers;
  /* How many readers are in the list already, while it is filled. */
  uint32_t* counts;
  /* Steps in the order in which they run. The first `ready` are there: they wait for nothing but
   * steps before them. */
  uint32_t* order;
  size_t ready;
  struct core_pool pool;
};
#define NO_STEP UINT32_MAX

static OrtStatus* invalid(const char* what, const char* name) {
  return core_fail(ORT_INVALID_GRAPH, "%s%s", what, name);
}

/* The number of a name, a new one if it has none yet. */
static OrtStatus* number_of(struct plan* plan, const char* name, core_value_number* out) {
  *out = CORE_NO_VALUE;
  if (name == NULL || name[0] == 0) {
    return NULL;
  }
  size_t before = plan->names.count;
  struct core_item* item = core_items_of(&plan->names, name);
  CORE_NEED_MEMORY(item, strlen(name));
  if (plan->names.count > before) {
    item->number = plan->session->value_count++;
  }
  *out = (core_value_number)item->number;
  return NULL;
}

static OrtStatus* number_step(struct plan* plan, struct core_step* step) {
  OrtSession* session = plan->session;
  size_t count = step->input_count + step->output_count;
  CORE_TAKE_ARRAY(&session->pool, step->values, count);
  for (size_t i = 0; i < count; i++) {
    bool is_input = i < step->input_count;
    const OrtcoreOperand* operand =
        is_input ? &step->inputs[i] : &step->outputs[i - step->input_count];
    CORE_TRY(number_of(plan, operand->name, &step->values[i]));
  }
  session->most_operands = count > session->most_operands ? count : session->most_operands;
  return NULL;
}

/* Numbers the values of ports. */
static OrtStatus* number_ports(struct plan* plan, struct core_ports* ports) {
  for (size_t i = 0; i < ports->count; i++) {
    CORE_TRY(number_of(plan, ports->list[i].name, &ports->list[i].value));
  }
  return NULL;
}

/* --- constants -------------------------------------------------------------------------------- */

static OrtStatus* set_constant(struct plan* plan, const OrtValueInfo* value) {
  struct core_item* item = core_items_named(&plan->names, value->name);
  return item == NULL ? NULL : core_initializer_of(value, &plan->session->constants[item->number]);
}

/* Finds the tensors of initializers that a step reads or that are outputs. Others belong to nodes
 * that a provider has compiled, so no run needs them. */
static OrtStatus* find_constants(struct plan* plan) {
  OrtSession* session = plan->session;
  const OrtGraph* graphs[] = {session->graph, session->last_graph};
  size_t count = session->value_count + plan->most_copies;
  CORE_TAKE_ARRAY(&session->pool, session->constants, count);
  for (size_t g = 0; g < (graphs[0] == graphs[1] ? 1 : 2); g++) {
    for (size_t i = 0; i < graphs[g]->initializers.count; i++) {
      CORE_TRY(set_constant(plan, graphs[g]->initializers.items[i]));
    }
  }
  return NULL;
}

/* --- the order -------------------------------------------------------------------------------- */

static OrtStatus* find_makers(struct plan* plan, const bool* is_given) {
  const OrtSession* session = plan->session;
  memset(plan->makers, 0xFF, session->value_count * sizeof *plan->makers);
  for (uint32_t s = 0; s < session->step_count; s++) {
    const struct core_step* step = &session->steps[s];
    for (size_t i = 0; i < step->output_count; i++) {
      core_value_number value = step->values[step->input_count + i];
      if (value == CORE_NO_VALUE) {
        continue;
      }
      CORE_RETURN_IF(plan->makers[value] != NO_STEP || is_given[value],
                     invalid("more than one node, input or initializer makes the value ",
                             step->outputs[i].name));
      plan->makers[value] = s;
    }
  }
  return NULL;
}

/* Lists the readers of each value: counts them, then puts each into its place. */
static void list_readers(struct plan* plan) {
  const OrtSession* session = plan->session;
  for (uint32_t s = 0; s < session->step_count; s++) {
    const struct core_step* step = &session->steps[s];
    for (size_t i = 0; i < step->input_count; i++) {
      plan->starts[step->values[i] + 1]++; /* CORE_NO_VALUE + 1 is 0, which is not read */
    }
  }
  plan->starts[0] = 0;
  for (uint32_t v = 0; v < session->value_count; v++) {
    plan->starts[v + 1] += plan->starts[v];
  }
  for (uint32_t s = 0; s < session->step_count; s++) {
    const struct core_step* step = &session->steps[s];
    for (size_t i = 0; i < step->input_count; i++) {
      core_value_number value = step->values[i];
      if (value != CORE_NO_VALUE) {
        plan->readers[plan->starts[value] + plan->counts[value]++] = s;
      }
    }
  }
}

/* Counts the values that each step waits for. A value that no step makes must be given. */
static OrtStatus* count_waits(struct plan* plan, const bool* is_given) {
  const OrtSession* session = plan->session;
  for (uint32_t s = 0; s < session->step_count; s++) {
    const struct core_step* step = &session->steps[s];
    for (size_t i = 0; i < step->input_count; i++) {
      core_value_number value = step->values[i];
      if (value == CORE_NO_VALUE) {
        continue;
      }
      if (plan->makers[value] != NO_STEP) {
        plan->waits[s]++;
      } else if (!is_given[value]) {
        return invalid("no node makes the value ", step->inputs[i].name);
      }
    }
    if (plan->waits[s] == 0) {
      plan->order[plan->ready++] = s;
    }
  }
  return NULL;
}

/* A topological sort (Kahn's algorithm): a step is ready when the last value that it waits for has
 * been made. */
static OrtStatus* order_steps(struct plan* plan) {
  const OrtSession* session = plan->session;
  for (size_t at = 0; at < plan->ready; at++) {
    const struct core_step* step = &session->steps[plan->order[at]];
    for (size_t i = 0; i < step->output_count; i++) {
      core_value_number value = step->values[step->input_count + i];
      if (value == CORE_NO_VALUE) {
        continue;
      }
      for (uint32_t r = plan->starts[value]; r < plan->starts[value + 1]; r++) {
        if (--plan->waits[plan->readers[r]] == 0) {
          plan->order[plan->ready++] = plan->readers[r];
        }
      }
    }
  }
  for (uint32_t s = 0; s < session->step_count; s++) {
    CORE_RETURN_IF(plan->waits[s] > 0,
                   invalid("nodes that providers take as one depend on their own outputs: ",
                           session->steps[s].node->name));
  }
  return NULL;
}

/* Puts the steps into their order. */
static OrtStatus* move_steps(struct plan* plan) {
  OrtSession* session = plan->session;
  size_t size = session->step_count * sizeof *session->steps;
  struct core_step* moved = core_pool_take(&plan->pool, size);
  CORE_NEED_MEMORY(moved, size);
  for (uint32_t at = 0; at < session->step_count; at++) {
    moved[at] = session->steps[plan->order[at]];
  }
  if (size > 0) {
    memcpy(session->steps, moved, size);
  }
  return NULL;
}

/* --- when values are released ----------------------------------------------------------------- */

/* Lists for each step the values to release after it: it is the last one that reads them, or makes
 * them and no step reads them. */
static OrtStatus* plan_ends(struct plan* plan, const bool* is_output) {
  OrtSession* session = plan->session;
  uint32_t *places, *last;
  CORE_TAKE_ARRAY(&plan->pool, places, session->step_count);
  CORE_TAKE_ARRAY(&plan->pool, last, session->value_count);
  for (uint32_t at = 0; at < session->step_count; at++) {
    struct core_step* step = &session->steps[at];
    for (size_t i = 0; i < step->input_count + step->output_count; i++) {
      if (step->values[i] != CORE_NO_VALUE) {
        last[step->values[i]] = at;
      }
    }
  }
  for (core_value_number value = 0; value < session->value_count; value++) {
    bool is_made = plan->makers[value] != NO_STEP;
    places[last[value]] += is_made && !is_output[value];
  }
  for (uint32_t at = 0; at < session->step_count; at++) {
    struct core_step* step = &session->steps[at];
    CORE_TAKE_ARRAY(&session->pool, step->ends, places[at]);
  }
  for (core_value_number value = 0; value < session->value_count; value++) {
    if (plan->makers[value] != NO_STEP && !is_output[value]) {
      struct core_step* step = &session->steps[last[value]];
      step->ends[step->end_count++] = value;
    }
  }
  return NULL;
}

/* --- memory of devices ------------------------------------------------------------------------ */

static const struct core_ep* device_of(const struct core_step* step, size_t operand) {
  return step->compiled != NULL ? core_device_of_operand(step->compiled, operand) : NULL;
}

/* Where the steps read a value that a step made on a device. */
struct reads {
  core_value_number value;
  const struct core_ep* device;
  bool are_there;
  bool are_elsewhere;
};

/* Finds these reads. If `copy` is a value, reads elsewhere are changed to reads of the copy. */
static void find_reads(const struct plan* plan, struct reads* reads,
                       const core_value_number* copy) {
  for (uint32_t r = plan->starts[reads->value]; r < plan->starts[reads->value + 1]; r++) {
    const struct core_step* step = &plan->session->steps[plan->readers[r]];
    for (size_t i = 0; i < step->input_count; i++) {
      bool is_there = device_of(step, i) == reads->device;
      if (step->values[i] != reads->value) {
        continue;
      }
      reads->are_there |= is_there;
      reads->are_elsewhere |= !is_there;
      if (copy != NULL && !is_there) {
        step->values[i] = *copy;
      }
    }
  }
}

/* Has a step copy a value from the device once, for all who read it elsewhere. */
static void add_copy(struct plan* plan, struct core_step* step, struct reads* reads,
                     bool* is_output) {
  OrtSession* session = plan->session;
  core_value_number copy = session->value_count++;
  step->copies[step->copy_count++] = (struct core_copy){reads->value, copy};
  find_reads(plan, reads, &copy);
  for (size_t i = 0; i < session->outputs.count; i++) {
    core_value_number* output = &session->outputs.list[i].value;
    *output = *output == reads->value ? copy : *output;
  }
  plan->makers[copy] = plan->makers[reads->value];
  is_output[copy] = is_output[reads->value];
  is_output[reads->value] = false;
}

/* An output of a step stays on its device if a step reads it there. Otherwise the step itself has
 * it copied, into the output that the caller gave if there is one. */
static void place_output(struct plan* plan, struct core_step* step, size_t output,
                         bool* is_output) {
  struct reads reads = {.value = step->values[step->input_count + output],
                        .device = device_of(step, step->input_count + output)};
  if (reads.device == NULL || reads.value == CORE_NO_VALUE) {
    return;
  }
  find_reads(plan, &reads, NULL);
  if (!reads.are_there) {
    return;
  }
  core_leave_on_device(step->compiled, output);
  if (reads.are_elsewhere || is_output[reads.value]) {
    add_copy(plan, step, &reads, is_output);
  }
}

static OrtStatus* place_outputs(struct plan* plan, bool* is_output) {
  const OrtSession* session = plan->session;
  for (uint32_t s = 0; plan->most_copies > 0 && s < session->step_count; s++) {
    struct core_step* step = &session->steps[s];
    CORE_TAKE_ARRAY(&plan->session->pool, step->copies, step->output_count);
    for (size_t i = 0; i < step->output_count; i++) {
      place_output(plan, step, i, is_output);
    }
  }
  return NULL;
}

/* --- all of it -------------------------------------------------------------------------------- */

static OrtStatus* number_all(struct plan* plan) {
  OrtSession* session = plan->session;
  CORE_TRY(number_ports(plan, &session->inputs));
  CORE_TRY(number_ports(plan, &session->overridable));
  CORE_TRY(number_ports(plan, &session->outputs));
  for (size_t i = 0; i < session->step_count; i++) {
    const struct core_step* step = &session->steps[i];
    CORE_TRY(number_step(plan, &session->steps[i]));
    for (size_t k = 0; k < step->output_count; k++) {
      plan->most_copies += device_of(step, step->input_count + k) != NULL;
    }
  }
  return find_constants(plan);
}

static OrtStatus* take_memory(struct plan* plan) {
  size_t values = plan->session->value_count + plan->most_copies;
  size_t steps = plan->session->step_count, reads = 0;
  for (size_t i = 0; i < steps; i++) {
    reads += plan->session->steps[i].input_count;
  }
  CORE_TAKE_ARRAY(&plan->pool, plan->makers, values);
  CORE_TAKE_ARRAY(&plan->pool, plan->starts, values + 1);
  CORE_TAKE_ARRAY(&plan->pool, plan->readers, reads);
  CORE_TAKE_ARRAY(&plan->pool, plan->counts, values);
  CORE_TAKE_ARRAY(&plan->pool, plan->waits, steps);
  CORE_TAKE_ARRAY(&plan->pool, plan->order, steps);
  return NULL;
}

static void mark_ports(const struct core_ports* ports, bool* marks) {
  for (size_t i = 0; i < ports->count; i++) {
    marks[ports->list[i].value] = true;
  }
}

static OrtStatus* make_plan(struct plan* plan) {
  OrtSession* session = plan->session;
  CORE_TRY(number_all(plan));
  CORE_TRY(take_memory(plan));
  size_t values = session->value_count + plan->most_copies;
  bool *is_given, *is_output;
  CORE_TAKE_ARRAY(&plan->pool, is_given, values);
  CORE_TAKE_ARRAY(&plan->pool, is_output, values);
  mark_ports(&session->inputs, is_given);
  mark_ports(&session->outputs, is_output);
  for (core_value_number value = 0; value < session->value_count; value++) {
    is_given[value] |= session->constants[value] != NULL;
  }
  CORE_TRY(find_makers(plan, is_given));
  for (size_t i = 0; i < session->outputs.count; i++) {
    const struct core_port* port = &session->outputs.list[i];
    CORE_RETURN_IF(plan->makers[port->value] == NO_STEP && !is_given[port->value],
                   invalid("no node makes the output ", port->name));
  }
  list_readers(plan);
  CORE_TRY(count_waits(plan, is_given));
  CORE_TRY(order_steps(plan));
  CORE_TRY(place_outputs(plan, is_output));
  CORE_TRY(move_steps(plan));
  return plan_ends(plan, is_output);
}

OrtStatus* core_plan(OrtSession* session) {
  struct plan plan = {.session = session};
  OrtStatus* status = make_plan(&plan);
  core_items_end(&plan.names);
  core_pool_end(&plan.pool);
  return status;
}
