/* SPDX-License-Identifier: MIT */
/* How sessions begin and end. */
#include "session/session.h"

#include <string.h>

#include "model/model.h"
#include "object/keyed_list.h"

static void end_session(void* block) {
  OrtSession* session = block;
  core_end_frames(session);
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
  if (session->has_lock) {
    core_mutex_end(&session->lock);
  }
  core_pool_end(&session->pool);
  core_drop(session->model);
  ort_ReleaseSessionOptions(session->options);
  core_drop(session->env);
}

const struct core_class core_session_class = {.kind = CORE_SESSION, .end = end_session};

/* Refuses an option that would be ignored otherwise. */
static OrtStatus* check_profiling(const char* function, const OrtSessionOptions* options) {
  return options->settings.profiling
             ? core_status(ORT_NOT_IMPLEMENTED, function,
                           ": sessions of this library write no profile (EnableProfiling)", NULL)
             : NULL;
}

/* The same, and what the real library says where a provider has compiled nodes. */
static OrtStatus* check_optimized_path(const char* function, const OrtSession* session) {
  if (session->options->texts[CORE_OPTIMIZED_MODEL_PATH].bytes == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < session->ep_count; i++) {
    if (session->eps[i].compiled != NULL) {
      CORE_FAIL(ORT_FAIL,
                "Unable to serialize model as it contains compiled nodes. Please disable any "
                "execution providers which generate compiled nodes.");
    }
  }
  return core_status(ORT_NOT_IMPLEMENTED, function,
                     ": this library optimizes no model, so it has none to write "
                     "(SetOptimizedModelFilePath)",
                     NULL);
}

/* Gives the session a model of its own if its options change something in the model. */
static OrtStatus* change_model(const char* function, OrtSession* session) {
  const struct core_items* lists = session->options->lists;
  const struct core_items* used[CORE_SESSION_LISTS] = {NULL};
  bool is_changed = false;
  for (size_t i = 0; i < CORE_SESSION_LISTS; i++) {
    used[i] = lists[i].count > 0 ? &lists[i] : NULL;
    is_changed |= i != CORE_SESSION_CONFIG && used[i] != NULL;
  }
  if (!is_changed) {
    return NULL;
  }
  const struct core_changes changes = {used[CORE_FREE_DIMENSIONS], used[CORE_INITIALIZERS],
                                       used[CORE_EXTERNAL_INITIALIZERS], used[CORE_EXTERNAL_FILES]};
  OrtModel* changed = NULL;
  CORE_TRY(core_change_model(function, session->model, &changes, &changed));
  core_drop(session->model);
  session->model = changed;
  return NULL;
}

static OrtStatus* fill(const char* function, OrtSession* session,
                       const OrtSessionOptions* options) {
  CORE_TRY(options != NULL ? ort_CloneSessionOptions(options, &session->options)
                           : ort_CreateSessionOptions(&session->options));
  CORE_TRY(check_profiling(function, session->options));
  CORE_TRY(change_model(function, session));
  CORE_TRY(core_model_graph(function, session->model, CORE_PREPARED, &session->graph));
  session->has_lock = core_mutex_begin(&session->lock);
  if (!session->has_lock) {
    return core_no_memory(function, sizeof session->lock);
  }
  CORE_TRY(core_partition(function, session));
  CORE_TRY(check_optimized_path(function, session));
  CORE_TRY(core_note_assigned(function, session));
  return core_plan(function, session);
}

OrtStatus* core_new_session(const char* function, const OrtEnv* env, OrtModel* model,
                            const OrtSessionOptions* options, OrtSession** out) {
  OrtSession* session = core_new_object(&core_session_class, sizeof *session);
  if (session == NULL) {
    return core_no_memory(function, sizeof *session);
  }
  session->env = (OrtEnv*)env;
  session->model = model;
  core_retain(&session->env->object);
  core_retain(&model->object);
  OrtStatus* status = fill(function, session, options);
  if (status != NULL) {
    core_drop(session);
    return status;
  }
  *out = session;
  return NULL;
}

/* Makes a session of a model that was opened for it. */
static OrtStatus* hand_out(const char* function, const OrtEnv* env, OrtModel* model,
                           const OrtSessionOptions* options, OrtSession** out) {
  OrtStatus* status = core_new_session(function, env, model, options, out);
  core_drop(model);
  return status;
}

ORT_API_STATUS_IMPL(ort_CreateSession, const OrtEnv* env, const ORTCHAR_T* model_path,
                    const OrtSessionOptions* options, OrtSession** out) {
  OrtModel* model = NULL;
  CORE_REQUIRE(CreateSession, env, model_path, out);
  CORE_TRY(core_open_model_file("CreateSession", model_path, &model));
  return hand_out("CreateSession", env, model, options, out);
}

ORT_API_STATUS_IMPL(ort_CreateSessionFromArray, const OrtEnv* env, const void* model_data,
                    size_t model_data_length, const OrtSessionOptions* options, OrtSession** out) {
  OrtModel* model = NULL;
  CORE_REQUIRE(CreateSessionFromArray, env, model_data, out);
  CORE_TRY(core_copy_model("CreateSessionFromArray", model_data, model_data_length, &model));
  return hand_out("CreateSessionFromArray", env, model, options, out);
}

/* Kernels of the core pack no weights, so there are none to share. */
ORT_API_STATUS_IMPL(ort_CreateSessionWithPrepackedWeightsContainer, const OrtEnv* env,
                    const ORTCHAR_T* model_path, const OrtSessionOptions* options,
                    OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out) {
  CORE_REQUIRE(CreateSessionWithPrepackedWeightsContainer, env, model_path,
               prepacked_weights_container, out);
  return ort_CreateSession(env, model_path, options, out);
}

ORT_API_STATUS_IMPL(ort_CreateSessionFromArrayWithPrepackedWeightsContainer, const OrtEnv* env,
                    const void* model_data, size_t model_data_length,
                    const OrtSessionOptions* options,
                    OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out) {
  CORE_REQUIRE(CreateSessionFromArrayWithPrepackedWeightsContainer, env, model_data,
               prepacked_weights_container, out);
  return ort_CreateSessionFromArray(env, model_data, model_data_length, options, out);
}

ORT_API_STATUS_IMPL(ort_model_editor_CreateSessionFromModel, const OrtEnv* env,
                    const OrtModel* model, const OrtSessionOptions* options, OrtSession** out) {
  CORE_REQUIRE(CreateSessionFromModel, env, model, out);
  return core_new_session("CreateSessionFromModel", env, (OrtModel*)model, options, out);
}

void ORT_API_CALL ort_ReleaseSession(OrtSession* input) NO_EXCEPTION { core_drop(input); }
