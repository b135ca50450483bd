/* SPDX-License-Identifier: MIT */
/**
 * @file session.h
 * Sessions: the nodes of a model, each taken by an execution provider or a custom op, in an order
 * in which they can run.
 *
 * A session is made in three steps. partition.c has the providers of the options take and compile
 * what they can, and finds custom ops for the rest; plan.c orders the kernels and numbers the
 * values between them. After that a session does not change, so that any thread may run it.
 */
#pragma once

#include "compile/ep.h"
#include "env/env.h"
#include "kernels/kernel.h"
#include "options/session_options.h"

/** The number of a value in a run; CORE_NO_VALUE for an operand that is left out. */
typedef uint32_t core_value_number;
#define CORE_NO_VALUE UINT32_MAX

/** A value that a node makes in the memory of its provider's device, and the value that is its copy
 * in the CPU's memory, which other nodes read. */
struct core_copy {
  core_value_number from;
  core_value_number to;
};

/** A part of a run: one kernel, and the values that it reads and makes. */
struct core_step {
  size_t input_count;
  size_t output_count;
  /** The numbers of the inputs, then of the outputs. */
  core_value_number* values;
  /** Outputs to copy from the device once the kernel has made them. */
  struct core_copy* copies;
  size_t copy_count;
  /** Values to release after this step: no later step reads them, and they are no outputs. */
  core_value_number* ends;
  size_t end_count;
  OrtcoreKernel* kernel;
  /** The operands as the kernel was made with them. */
  const OrtcoreOperand* inputs;
  const OrtcoreOperand* outputs;
  /** The node that it stands for, and who runs it, for messages and profiles. */
  const OrtNode* node;
  /** What a provider compiled of it; NULL for a custom op. */
  const OrtcoreCompiledNode* compiled;
  const char* provider;
};

/** An input, an output or an initializer that runs may replace. */
struct core_port {
  const char* name;
  /** NULL where the model does not say. Belongs to the model. */
  const OrtTypeInfo* type;
  core_value_number value;
};

struct core_ports {
  struct core_port* list;
  size_t count;
};

/** A provider of the session. */
struct core_session_ep {
  struct core_ep* ep;
  OrtcoreClaims* claims;
  OrtcoreCompiled* compiled;
};

struct core_frame;
struct core_profile;

/** The name of whoever runs custom ops, as in ONNX Runtime. */
#define CORE_NO_PROVIDER "CPUExecutionProvider"

/** The states of a session. */
enum core_session_state {
  /** Its model is loaded; it can only be finalized. */
  CORE_SESSION_LOADED,
  CORE_SESSION_READY,
  CORE_SESSION_FAILED
};

struct OrtSession {
  struct core_object object;
  enum core_session_state state;
  struct OrtEnv* env;
  /** The environment's logger, with what the options replace. Providers and kernels borrow it. */
  struct OrtLogger logger;
  /** A copy of the caller's, which has references to custom ops and libraries of providers. */
  OrtSessionOptions* options;
  OrtModel* model;
  const OrtGraph* graph;
  /** The graph whose nodes run: `graph`, or its copy in the layout that a provider prefers. */
  const OrtGraph* last_graph;
  /** The memory of all arrays here. */
  struct core_pool pool;
  struct core_session_ep* eps;
  size_t ep_count;
  struct core_step* steps;
  size_t step_count;
  size_t step_room;
  /** The largest number of operands of a step. */
  size_t most_operands;
  struct core_ports inputs;
  struct core_ports overridable;
  struct core_ports outputs;
  /** By number: the tensor of an initializer, which belongs to the model; NULL for other values. */
  const OrtValue** constants;
  uint32_t value_count;
  /** Who runs which nodes; NULL where the options do not ask for that. */
  const OrtEpAssignedSubgraph** assigned;
  size_t assigned_count;
  /** Whether a provider runs one call at a time. */
  bool runs_alone;
  /** Whether providers return nodes EPContext for what they compile, for a compiled model. */
  bool makes_contexts;
  /** Whether the session only writes a compiled model, so that it needs no kernels. */
  bool only_compiles;
  /** Entries of the metadata of such a model, beside those of the model that it is made of. */
  struct core_items context_entries;
  /** For changes of a session that is only loaded, and for `runner`. */
  core_mutex lock;
  /** A mark of the thread that runs alone; NULL for none. */
  const void* runner;
  /** Signalled when `runner` becomes NULL. */
  core_condition turn;
  /** A frame that no run uses; atomic, may be NULL. */
  struct core_frame* spare;
  /** What the options ask for, until the session ends; NULL for none. */
  struct core_profile* profile;
  /** How many threads it has, the caller's among them. */
  size_t thread_count;
  /** How many of them a kernel may use: all where the options say how many, or have functions that
   * create them; else the caller's, beside which some would have to be started in each call. */
  uint32_t kernel_threads;
  /** Whether it uses the threads of the environment. */
  bool shares_threads;
  /** Its own threads, until the client releases it; NULL for none. */
  struct core_thread_pool* threads;
};

extern const struct core_class core_session_class;

/** Where the model of a session comes from: a path, bytes, or a model. */
struct core_source {
  const ORTCHAR_T* path;
  const void* bytes;
  size_t size;
  OrtModel* model;
};

/** Makes a session. One that only compiles can only be written as a compiled model: nodes that no
 * provider takes stay. */
OrtStatus* core_new_session(const OrtEnv* env, const OrtSessionOptions* options,
                            const struct core_source* source, bool only_compiles, OrtSession** out);

/** Adds the providers to the options that their policy or their function chooses for a session;
 * does nothing if the caller has added providers or wants no choice. */
OrtStatus* core_choose_devices(OrtSession* session);

/** Logs a message of a file of the core, made as by printf; what is beyond 300 bytes is cut. */
void core_session_log(const OrtSession* session, OrtLoggingLevel severity, const char* file,
                      const char* format, ...) CORE_FORMAT(4);

/** Fails where the options, or those that they are a copy of, say that the session is not to be
 * made. */
OrtStatus* core_check_cancelled(const OrtSession* session);

/** Makes the steps of a session from providers and custom ops, in no particular order. */
OrtStatus* core_partition(OrtSession* session);

/** Whether the options have an entry with the value "1". */
static inline bool core_session_wants(const OrtSession* session, const char* key) {
  const char* value = core_config_get(&session->options->lists[CORE_SESSION_CONFIG], key);
  return value != NULL && strcmp(value, "1") == 0;
}

/** The provider that computes a step; NULL for a custom op. */
static inline const struct core_session_ep* core_ep_of_step(const OrtSession* session,
                                                            const struct core_step* step) {
  const struct core_session_ep* own = session->eps;
  if (step->compiled == NULL) {
    return NULL;
  }
  while (own->ep != core_ep_of_compiled(step->compiled)) {
    own++;
  }
  return own;
}

/** The provider that was made last. */
static inline const struct core_session_ep* core_last_ep(const OrtSession* session) {
  return &session->eps[session->ep_count - 1];
}

/** Asks the last provider how it runs, and whether it passes what it compiles to the function of
 * the options. */
OrtStatus* core_ask_provider(OrtSession* session);

/** For a compiled model, checks what the last provider compiled, and notes what it marks it with.
 */
OrtStatus* core_check_compiled(OrtSession* session);

/** Checks the entry of the options that says which weights are left out of what providers compile,
 * and sets the older entry alike. */
OrtStatus* core_read_weightless(OrtSession* session);

/** Refuses devices whose metadata does not name the mode that the options ask for. */
OrtStatus* core_check_weightless_devices(const OrtSession* session,
                                         const OrtEpDevice* const* devices, size_t count);

/** The last provider of a session, with its devices. */
struct core_weightless {
  const OrtSession* session;
  const OrtEpDevice* const* devices;
  size_t count;
};

/** For core_ep_call, with that struct: refuses the provider if it cannot compile as the options ask
 * for, and logs where that is not known. */
OrtStatus* core_ask_for_weightless(void* argument);

/** Has the metadata of a compiled model say the mode. */
OrtStatus* core_note_weightless(OrtSession* session);

/** Before the steps are ordered, notes who runs which nodes, if the options ask for it, and logs it
 * where the logger takes the severity VERBOSE. */
OrtStatus* core_note_assigned(OrtSession* session);

/** Makes the ports of a graph those of the session, without the numbers of their values. On failure
 * the session keeps its ports. */
OrtStatus* core_list_ports(OrtSession* session, const OrtGraph* graph);

/** Returns a status where the session is not finalized. */
#define CORE_REQUIRE_READY(session, code, text) \
  CORE_FAIL_IF((session)->state != CORE_SESSION_READY, code, text)

/** Lists the ports, numbers the values, and orders the steps. */
OrtStatus* core_plan(OrtSession* session);

/** The port with a name, or NULL; the one at `guess` is looked at first, because callers mostly
 * give names in the order of the model. */
const struct core_port* core_find_port(const struct core_ports* ports, const char* name,
                                       size_t guess);

/** The inputs and outputs of a run, as the caller names them. */
struct core_feeds {
  const char* const* input_names;
  const OrtValue* const* inputs;
  size_t input_count;
  const char* const* output_names;
  OrtValue** outputs;
  size_t output_count;
};

/** Returns a status for a run that is asked for no output. */
#define CORE_REQUIRE_OUTPUTS(count) \
  CORE_FAIL_IF((count) == 0, ORT_INVALID_ARGUMENT, "At least one output should be requested.")

/** Runs a session; see the slot Run. `options` may be NULL. */
OrtStatus* core_run(OrtSession* session, const OrtRunOptions* options,
                    const struct core_feeds* feeds);

/** Frees what a session keeps for runs. */
void core_end_frames(OrtSession* session);

/* Adapters: tensors that runs use in the place of a model's initializers. */

struct core_lora_parameter {
  const char* name;
  OrtValue* value;
};

struct OrtLoraAdapter {
  struct core_object object;
  /** The memory of the list, and of the bytes that have names and elements. */
  struct core_pool pool;
  /** Of those with one name, the first counts. */
  struct core_lora_parameter* parameters;
  size_t count;
};

/* Writes what the providers of a session compiled as a model. */

/** Whether a provider of a session has compiled nodes. */
bool core_has_compiled_nodes(const OrtSession* session);

/** Writes the model of a session, whose steps are in order, with the nodes that its providers made
 * in the place of those that they compiled. */
OrtStatus* core_write_context_model(const OrtSession* session, const OrtcoreWriting* writing);

/** Finds the path, in UTF-8, to which a session writes this model because its options ask for it.
 * Fails if there is such a file. */
OrtStatus* core_find_context_path(const OrtSession* session, char path[CORE_PATH_ROOM]);

/** Writes it to a file; the path is UTF-8. On failure there is no file. Initializers go to another
 * file beside it, if an entry of the options names one. */
OrtStatus* core_save_context_model(const OrtSession* session, const char* path);

/** The memory of one run. A session keeps one frame for the next run. */
struct core_frame {
  /** The values by number; before a run, only the constants. */
  OrtValue** values;
  /** By number: whether the run made the value, and so releases it. */
  bool* is_own;
  /** The operands of the current step. */
  OrtValue** operands;
  /** What the run does on devices, one for each provider. */
  struct core_device_run* device_runs;
  /** A small tensor that the run made and no step reads any more, or NULL: a step whose output is
   * like it gets it instead of a new one. */
  OrtValue* idle;
  /** NULL for a run without one. */
  struct core_profile* profile;
  /** One for each step. */
  OrtKernelContext* contexts[];
};

/** Checks the inputs of a run against the ports, those of adapters as well, and puts them among the
 * values. `options` may be NULL. */
OrtStatus* core_set_inputs(const OrtSession* session, struct core_frame* frame,
                           const OrtRunOptions* options, const struct core_feeds* feeds);

/** Checks the outputs, and puts those that the caller gave among the values: a step writes into
 * them; not into an optional one, which would not show that the step makes none. */
OrtStatus* core_set_outputs(const OrtSession* session, struct core_frame* frame,
                            const struct core_feeds* feeds);

/** Hands the outputs over; on failure the caller gets none. */
OrtStatus* core_hand_over(const OrtSession* session, const struct core_frame* frame,
                          const struct core_feeds* feeds);

/** The work on one session. Nodes are known by the names of their outputs: these stay the same when
 * the graph is copied in another layout for a provider. */
struct core_partition {
  OrtSession* session;
  /** The outputs of the nodes that a provider has taken; the number is that of the group of several
   * nodes, which counts from 1, or 0. */
  struct core_items taken;
  size_t group_count;
  /** While a provider gets its groups, by place in the graph: of the nodes that an earlier provider
   * has taken as one, each leads to the next one, and the last to the first. NULL where there are
   * no such groups. */
  const size_t* circles;
  /** The failure of the first provider that could not say what it takes; may be NULL. */
  OrtStatus* failed;
};

/** The name of a node's first output; NULL for a node without outputs, which need not run. */
const char* core_first_output(const OrtNode* node);

/** Whether a provider has taken a node, or it need not run. */
bool core_is_taken(const struct core_partition* partition, const OrtNode* node);

/** Takes for a provider the nodes of its groups that are still free. If one group is not convex,
 * the provider gets none. */
OrtStatus* core_choose_groups(struct core_partition* partition, OrtcoreClaims* claims,
                              const struct core_ep* ep);
