/* SPDX-License-Identifier: MIT */
/* RunAsync: each run has a thread of its own, which ends with it. */
#include "session/session.h"

struct job {
  struct core_thread thread;
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
  OrtStatus* status = core_run(job.session, job.options, &job.feeds);
  core_drop(job.session);
  job.callback(job.user_data, job.feeds.outputs, status == NULL ? job.feeds.output_count : 0,
               status);
}

ORT_API_STATUS_IMPL(ort_RunAsync, OrtSession* session, const OrtRunOptions* run_options,
                    const char* const* input_names, const OrtValue* const* input, size_t input_len,
                    const char* const* output_names, size_t output_names_len, OrtValue** output,
                    RunAsyncCallbackFn run_async_callback, void* user_data) {
  CORE_REQUIRE(RunAsync, session, output_names, output, run_async_callback);
  CORE_REQUIRE_IF(input_len > 0, RunAsync, input_names);
  CORE_REQUIRE_IF(input_len > 0, RunAsync, input);
  CORE_REQUIRE_OUTPUTS(output_names_len);
  struct job* job = heap_alloc(sizeof *job);
  if (job == NULL) {
    return CORE_OUT_OF_MEMORY(RunAsync, sizeof *job);
  }
  *job = (struct job){
      .thread = {.function = run_job, .argument = job},
      .session = session,
      .options = run_options,
      .feeds = {input_names, input, input_len, output_names, output, output_names_len},
      .callback = run_async_callback,
      .user_data = user_data,
  };
  core_retain(&session->object);
  if (!core_thread_start_alone(&job->thread)) {
    core_drop(session);
    heap_free(job);
    CORE_FAIL(ORT_FAIL, "RunAsync: the system has no room for another thread");
  }
  return NULL;
}
