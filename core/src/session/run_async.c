/* SPDX-License-Identifier: MIT */
/* RunAsync, on the threads that the client has made for the session or the environment. Where there
 * are none each run has a thread of its own, which ends with it. */
#include "session/session.h"

struct job {
  struct core_thread thread;
  struct core_task task;
  /** A reference. */
  OrtSession* session;
  const OrtRunOptions* options;
  struct core_feeds feeds;
  RunAsyncCallbackFn callback;
  void* user_data;
};

/* Drops the session before the callback: a client may count objects from then on. */
static void run_job(void* argument) {
  struct job job = *(struct job*)argument;
  heap_free(argument);
  OrtStatus* status = core_named("Run", core_run(job.session, job.options, &job.feeds));
  core_drop(job.session);
  job.callback(job.user_data, job.feeds.outputs, status == NULL ? job.feeds.output_count : 0,
               status);
}

/* False where there is no thread for it. */
static bool start(struct job* job) {
  const OrtSession* session = job->session;
  struct core_thread_pool* pool =
      session->shares_threads ? session->env->threads : session->threads;
  return pool != NULL ? core_pool_do(pool, &job->task) : core_thread_start_alone(&job->thread);
}

CORE_SLOT(ort_RunAsync, OrtSession* session, const OrtRunOptions* run_options,
          const char* const* input_names, const OrtValue* const* input, size_t input_len,
          const char* const* output_names, size_t output_names_len, OrtValue** output,
          RunAsyncCallbackFn run_async_callback, void* user_data) {
  CORE_REQUIRE_IF(input_len > 0, RunAsync, input_names, input);
  CORE_REQUIRE_OUTPUTS(output_names_len);
  CORE_FAIL_IF(session->thread_count < 2, ORT_INVALID_ARGUMENT,
               "RunAsync: session must have a second thread (SetIntraOpNumThreads, "
               "SetGlobalIntraOpNumThreads)");
  struct job* job = heap_alloc(sizeof *job);
  CORE_NEED_MEMORY(job, sizeof *job);
  *job = (struct job){
      .thread = {.function = run_job, .argument = job},
      .task = {.function = run_job, .argument = job},
      .session = session,
      .options = run_options,
      .feeds = {input_names, input, input_len, output_names, output, output_names_len},
      .callback = run_async_callback,
      .user_data = user_data,
  };
  core_retain(&session->object);
  if (!start(job)) {
    core_drop(session);
    heap_free(job);
    CORE_FAIL(ORT_FAIL, "RunAsync: there is no thread for the run");
  }
  return NULL;
}
