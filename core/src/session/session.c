/* SPDX-License-Identifier: MIT */
/* How sessions begin and end. */
#include "session/session.h"

#include <stdarg.h>

#include "ep/library.h"
#include "model/model.h"
#include "options/session_options.h"
#include "session/profile.h"

static void end_session(void* block) {
  OrtSession* session = block;
  core_end_thread_pool(session->threads);
  core_end_frames(session);
  if (session->profile != NULL) {
    core_ep_log(&session->logger, core_named("ReleaseSession", core_end_profile(session->profile)));
    core_free_profile(session->profile);
  }
  for (size_t i = 0; i < session->step_count; i++) {
    core_kernel_release(session->steps[i].kernel);
  }
  heap_free(session->steps);
  /* In reverse: a later provider may have nodes of the graph that was copied for an earlier one. */
  for (size_t i = session->ep_count; i-- > 0;) {
    core_release_compiled(session->eps[i].compiled);
    core_release_claims(session->eps[i].claims);
    core_release_ep(&session->eps[i].ep->seen);
  }
  core_condition_end(&session->turn);
  core_mutex_end(&session->lock);
  core_items_end(&session->context_entries);
  core_pool_end(&session->pool);
  core_drop(session->model);
  ort_ReleaseSessionOptions(session->options);
  core_drop(session->env);
}

const struct core_class core_session_class = {.kind = CORE_SESSION, .end = end_session};

bool core_has_compiled_nodes(const OrtSession* session) {
  for (size_t i = 0; i < session->ep_count; i++) {
    if (session->eps[i].compiled != NULL) {
      return true;
    }
  }
  return false;
}

static OrtStatus* refuse_version(OrtErrorCode code, const char* domain, int64_t version,
                                 const char* why) {
  return core_fail(code, "the model has version %" PRId64 " of the operator set '%.80s', %s",
                   version, domain[0] == 0 ? "ai.onnx" : domain, why);
}

/* Refuses a model whose operators or format have meanings that the core does not know: its table of
 * ONNX's operators is of one release of ONNX. */
static OrtStatus* check_opset_versions(const OrtSession* session) {
  const struct core_opsets* opsets = &session->model->opsets;
  const char* only_released = core_config_get(&session->options->lists[CORE_SESSION_CONFIG],
                                              "session.allow_released_opsets_only");
  CORE_REFUSE_IF(session->model->ir_version == 0, ORT_FAIL,
                 "the model does not say the version of ONNX's format that it has");
  CORE_REFUSE_IF(session->model->ir_version > core_newest_ir_version(), ORT_FAIL,
                 "the model has version %" PRId64
                 " of ONNX's format, of which this library knows %" PRId64 " and earlier ones",
                 session->model->ir_version, core_newest_ir_version());
  bool takes_newer = only_released != NULL && strcmp(only_released, "1") != 0;
  CORE_REFUSE_IF(opsets->count == 0, ORT_FAIL, "the model does not say its operator sets");
  for (size_t i = 0; i < opsets->count; i++) {
    int64_t newest = core_newest_opset(opsets->domains[i]), version = opsets->versions[i];
    char why[160];
    CORE_RETURN_IF(newest > 0 && version < 1, refuse_version(ORT_INVALID_GRAPH, opsets->domains[i],
                                                             version, "which begins with 1"));
    if (newest > 0 && version > newest && !takes_newer) {
      snprintf(why, sizeof why,
               "of which this library knows %" PRId64
               " and earlier ones; the entry "
               "session.allow_released_opsets_only with the value 0 takes it as that one",
               newest);
      return refuse_version(ORT_FAIL, opsets->domains[i], version, why);
    }
  }
  return NULL;
}

/* Refuses a path that would be ignored otherwise, with what the real library says where a provider
 * has compiled nodes. */
static OrtStatus* check_optimized_path(const OrtSession* session) {
  if (session->options->settings.optimized_model_path == NULL) {
    return NULL;
  }
  CORE_FAIL_IF(core_has_compiled_nodes(session), ORT_FAIL,
               "Unable to serialize model as it contains compiled nodes. Please disable any "
               "execution providers which generate compiled nodes.");
  return core_fail(
      ORT_NOT_IMPLEMENTED,
      "this library optimizes no model, so it has none to write (SetOptimizedModelFilePath)");
}

/* Whether others have the model of a session, in whose graph the session names the providers that
 * have taken nodes, for those that come after them. */
static bool is_shared(const OrtSession* session) {
  return session->options->ep_choices.count > 1 &&
         __atomic_load_n(&session->model->object.references, __ATOMIC_ACQUIRE) > 1;
}

/* Gives the session a model of its own if it or its options change something in the model. */
static OrtStatus* change_model(OrtSession* session) {
  const struct core_items* lists = session->options->lists;
  const struct core_items* used[CORE_SESSION_LISTS] = {NULL};
  const struct core_custom_ops* ops = &session->options->custom_ops;
  OrtModel* changed = NULL;
  const char* folder = core_config_get(&lists[CORE_SESSION_CONFIG],
                                       "session.model_external_initializers_file_folder_path");
  folder = folder != NULL && folder[0] != 0 ? folder : NULL;
  bool is_changed = ops->domains.count > 0 || is_shared(session) || folder != NULL;
  for (size_t i = 0; i < CORE_SESSION_LISTS; i++) {
    used[i] = lists[i].count > 0 ? &lists[i] : NULL;
    is_changed |= i != CORE_SESSION_CONFIG && used[i] != NULL;
  }
  if (!is_changed) {
    return NULL;
  }
  const struct core_changes changes = {.dimensions = used[CORE_FREE_DIMENSIONS],
                                       .initializers = used[CORE_INITIALIZERS],
                                       .external_initializers = used[CORE_EXTERNAL_INITIALIZERS],
                                       .files = used[CORE_EXTERNAL_FILES],
                                       .folder = folder,
                                       .custom_ops = ops};
  CORE_TRY(core_change_model(session->model, &changes, &changed));
  core_drop(session->model);
  session->model = changed;
  return NULL;
}

/* The form of the graph that providers see. */
static enum core_graph_form form_for(const OrtSession* session) {
  return session->options->settings.optimization_level == ORT_DISABLE_ALL ? CORE_PREPARED
                                                                          : CORE_FOLDED;
}

/* Makes the logger; again, once the options have changed. */
static void begin_logger(OrtSession* session) {
  const struct core_session_settings* settings = &session->options->settings;
  const struct OrtLogger* default_logger = &session->env->logger;
  bool has_function = settings->logging_function != NULL;
  session->logger = (struct OrtLogger){
      .function = has_function ? settings->logging_function : default_logger->function,
      .param = has_function ? settings->logging_param : default_logger->param,
      .id = settings->log_id != NULL ? settings->log_id : "",
      .severity = settings->log_severity >= 0
                      ? settings->log_severity
                      : __atomic_load_n(&default_logger->severity, __ATOMIC_RELAXED)};
}

void core_session_log(const OrtSession* session, OrtLoggingLevel severity, const char* file,
                      const char* format, ...) {
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const struct core_record record = {severity, CORE_LOG_CATEGORY, file, text};
  core_logger_log(&session->logger, &record);
}

OrtStatus* core_check_cancelled(const OrtSession* session) {
  CORE_FAIL_IF(__atomic_load_n(&session->options->settings.loading_cancelled->is_cancelled,
                               __ATOMIC_ACQUIRE),
               ORT_MODEL_LOAD_CANCELED, "Session initialization canceled due to user request.");
  return NULL;
}

static void note_threads(OrtSession* session, int intra_op,
                         const struct core_thread_functions* functions) {
  session->thread_count = core_thread_count(intra_op);
  session->kernel_threads =
      intra_op > 0 || functions->create != NULL ? (uint32_t)session->thread_count : 1;
}

static OrtStatus* begin_threads(OrtSession* session) {
  const struct core_session_settings* settings = &session->options->settings;
  const char* affinities = core_config_get(&session->options->lists[CORE_SESSION_CONFIG],
                                           "session.intra_op_thread_affinities");
  session->shares_threads = !settings->per_session_threads;
  CORE_FAIL_IF(affinities != NULL && affinities[0] == 0, ORT_FAIL,
               "Affinity string must not be empty");
  if (!session->shares_threads) {
    note_threads(session, settings->intra_op_threads, &settings->threads);
    int inter_op = settings->execution_mode == ORT_PARALLEL ? settings->inter_op_threads : 1;
    return core_new_thread_pool(&settings->threads, settings->intra_op_threads, inter_op,
                                &session->threads);
  }
  CORE_REFUSE_IF(session->env->threading == NULL, ORT_FAIL,
                 "the options want the threads of the environment (DisablePerSessionThreads), "
                 "which has none: it was not created with CreateEnvWithGlobalThreadPools");
  note_threads(session, session->env->threading->intra_op_threads,
               &session->env->threading->functions);
  return NULL;
}

/* Begins a session: whatever does not need the model. */
static OrtStatus* begin_session(OrtSession* session, const OrtSessionOptions* options) {
  CORE_TRY(options != NULL ? ort_CloneSessionOptions(options, &session->options)
                           : ort_CreateSessionOptions(&session->options));
  begin_logger(session);
  CORE_TRY(begin_threads(session));
  const ORTCHAR_T* prefix = session->options->settings.profiling;
  return prefix != NULL ? core_begin_profile(prefix, &session->logger, &session->profile) : NULL;
}

/* Makes a session that has its model ready to run. `event` is that of its profile. */
static OrtStatus* prepare(OrtSession* session, const struct core_timing* event) {
  char path[CORE_PATH_ROOM];
  bool saves = session->makes_contexts && !session->only_compiles;
  CORE_TRY(check_opset_versions(session));
  CORE_TRY(core_read_weightless(session));
  if (saves) {
    CORE_TRY(core_find_context_path(session, path));
  }
  CORE_TRY(core_choose_devices(session));
  CORE_TRY(change_model(session));
  CORE_TRY(core_model_graph(session->model, form_for(session), &session->graph));
  CORE_TRY(core_list_ports(session, session->graph));
  CORE_TRY(core_check_initializers(session->graph));
  CORE_TRY(core_partition(session));
  CORE_TRY(check_optimized_path(session));
  if (session->profile != NULL) {
    core_profile_providers(session->profile, session, event);
  }
  CORE_TRY(core_check_cancelled(session));
  CORE_TRY(core_note_assigned(session));
  CORE_TRY(core_plan(session));
  return saves && core_has_compiled_nodes(session) ? core_save_context_model(session, path) : NULL;
}

static OrtStatus* initialize(OrtSession* session) {
  const struct core_timing event = core_begin_event(session->profile);
  session->makes_contexts = core_session_wants(session, "ep.context_enable");
  OrtStatus* status = prepare(session, &event);
  core_end_event(session->profile, &event, "session_initialization");
  session->state = status == NULL ? CORE_SESSION_READY : CORE_SESSION_FAILED;
  return status;
}

static OrtStatus* open_model(const struct core_source* source, OrtModel** out) {
  if (source->model != NULL) {
    CORE_REFUSE_IF(source->model->graph_bytes.at == NULL, ORT_INVALID_ARGUMENT,
                   "the model must have a graph, given by AddGraphToModel");
    core_retain(&source->model->object);
    *out = source->model;
    return NULL;
  }
  return source->path != NULL ? core_open_model_file(source->path, out)
                              : core_copy_model(source->bytes, source->size, out);
}

static OrtStatus* load(OrtSession* session, const struct core_source* source) {
  const char* format =
      core_config_get(&session->options->lists[CORE_SESSION_CONFIG], "session.load_model_format");
  CORE_TRY(core_check_cancelled(session));
  CORE_REFUSE_IF(format != NULL && strcmp(format, "ORT") == 0, ORT_FAIL,
                 "this library loads models of ONNX's format alone, and the entry "
                 "session.load_model_format says ORT");
  const struct core_timing timing = core_begin_event(session->profile);
  OrtStatus* status = open_model(source, &session->model);
  bool is_file = session->model != NULL && session->model->path[0] != 0;
  core_end_event(session->profile, &timing, is_file ? "model_loading_uri" : "model_loading_array");
  return status;
}

static OrtStatus* hand_out(OrtStatus* status, OrtSession* session, OrtSession** out) {
  CORE_HAND_OUT(status, session, out);
}

/* Makes a session whose model is loaded. */
static OrtStatus* new_loaded(const OrtEnv* env, const OrtSessionOptions* options,
                             const struct core_source* source, OrtSession** out) {
  CORE_NEW(OrtSession, session, &core_session_class);
  session->env = (OrtEnv*)env;
  core_retain(&session->env->object);
  core_mutex_begin(&session->lock);
  core_condition_begin(&session->turn);
  OrtStatus* status = begin_session(session, options);
  return hand_out(status == NULL ? load(session, source) : status, session, out);
}

OrtStatus* core_new_session(const OrtEnv* env, const OrtSessionOptions* options,
                            const struct core_source* source, bool only_compiles,
                            OrtSession** out) {
  OrtSession* session = NULL;
  CORE_TRY(new_loaded(env, options, source, &session));
  session->only_compiles = only_compiles;
  return hand_out(initialize(session), session, out);
}

CORE_SLOT(ort_CreateSession, const OrtEnv* env, const ORTCHAR_T* model_path,
          const OrtSessionOptions* options, OrtSession** out) {
  const struct core_source source = {.path = model_path};
  return core_new_session(env, options, &source, false, out);
}

CORE_SLOT(ort_CreateSessionFromArray, const OrtEnv* env, const void* model_data,
          size_t model_data_length, const OrtSessionOptions* options, OrtSession** out) {
  const struct core_source source = {.bytes = model_data, .size = model_data_length};
  return core_new_session(env, options, &source, false, out);
}

/* Kernels of the core pack no weights, so there are none to share. */
CORE_SLOT(ort_CreateSessionWithPrepackedWeightsContainer, const OrtEnv* env,
          const ORTCHAR_T* model_path, const OrtSessionOptions* options,
          OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out) {
  return ort_CreateSession(env, model_path, options, out);
}

CORE_SLOT(ort_CreateSessionFromArrayWithPrepackedWeightsContainer, const OrtEnv* env,
          const void* model_data, size_t model_data_length, const OrtSessionOptions* options,
          OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out) {
  return ort_CreateSessionFromArray(env, model_data, model_data_length, options, out);
}

CORE_SLOT(ort_model_editor_CreateSessionFromModel, const OrtEnv* env, const OrtModel* model,
          const OrtSessionOptions* options, OrtSession** out) {
  const struct core_source source = {.model = (OrtModel*)model};
  return core_new_session(env, options, &source, false, out);
}

/* --- sessions of the model editor ------------------------------------------------------------- */

/* Has the session show what a model has, which the session has or gets. */
static OrtStatus* show_model(OrtSession* session, OrtModel* model) {
  const OrtGraph* graph = NULL;
  CORE_TRY(core_model_graph(model, form_for(session), &graph));
  CORE_TRY(core_list_ports(session, graph));
  session->graph = graph;
  return NULL;
}

static OrtStatus* new_editor(const OrtEnv* env, const OrtSessionOptions* options,
                             const struct core_source* source, OrtSession** out) {
  OrtSession* session = NULL;
  CORE_TRY(new_loaded(env, options, source, &session));
  return hand_out(show_model(session, session->model), session, out);
}

CORE_SLOT(ort_model_editor_CreateModelEditorSession, const OrtEnv* env, const ORTCHAR_T* model_path,
          const OrtSessionOptions* options, OrtSession** out) {
  const struct core_source source = {.path = model_path};
  return new_editor(env, options, &source, out);
}

CORE_SLOT(ort_model_editor_CreateModelEditorSessionFromArray, const OrtEnv* env,
          const void* model_data, size_t model_data_length, const OrtSessionOptions* options,
          OrtSession** out) {
  const struct core_source source = {.bytes = model_data, .size = model_data_length};
  return new_editor(env, options, &source, out);
}

CORE_SLOT(ort_model_editor_SessionGetOpsetForDomain, const OrtSession* session, const char* domain,
          int* opset) {
  const int64_t* version = core_find_opset(&session->model->opsets, domain);
  CORE_FAIL_IF(version == NULL, ORT_FAIL, "Domain not used by model.");
  *opset = (int)*version;
  return NULL;
}

/* Nothing changes unless the new model can be read. */
static OrtStatus* apply(OrtSession* session, const OrtModel* model) {
  OrtModel* extended = NULL;
  CORE_FAIL_IF(session->state != CORE_SESSION_LOADED, ORT_MODEL_LOADED,
               "This session has already been initialized.");
  CORE_TRY(core_extend_model(session->model, model, &extended));
  CORE_TRY_OR(show_model(session, extended), core_drop(extended));
  core_drop(session->model);
  session->model = extended;
  return NULL;
}

CORE_SLOT(ort_model_editor_ApplyModelToModelEditorSession, OrtSession* session, OrtModel* model) {
  core_mutex_lock(&session->lock);
  OrtStatus* status = apply(session, model);
  core_mutex_unlock(&session->lock);
  return status;
}

/* The options may have other providers and settings than those that the model was loaded with. */
static OrtStatus* finalize(OrtSession* session, const OrtSessionOptions* options) {
  if (session->state == CORE_SESSION_READY) {
    return NULL;
  }
  CORE_FAIL_IF(session->state == CORE_SESSION_FAILED, ORT_FAIL,
               "FinalizeModelEditorSession: the session could not be finalized before");
  if (options != NULL) {
    OrtSessionOptions* copy = NULL;
    CORE_TRY(ort_CloneSessionOptions(options, &copy));
    ort_ReleaseSessionOptions(session->options);
    session->options = copy;
    begin_logger(session);
  }
  return initialize(session);
}

CORE_SLOT(ort_model_editor_FinalizeModelEditorSession, OrtSession* session,
          const OrtSessionOptions* options,
          OrtPrepackedWeightsContainer* prepacked_weights_container) {
  core_mutex_lock(&session->lock);
  OrtStatus* status = finalize(session, options);
  core_mutex_unlock(&session->lock);
  return status;
}

void ORT_API_CALL ort_ReleaseSession(OrtSession* input) NO_EXCEPTION {
  if (input != NULL) {
    /* Here, and not with the last reference, which a run on one of the threads may have. */
    core_end_thread_pool(input->threads);
    input->threads = NULL;
  }
  core_drop(input);
}
