/* SPDX-License-Identifier: MIT */
#include "options/run_options.h"

#include <string.h>

#include "heap/heap.h"
#include "options/settings.h"
#include "platform/platform.h"

static void end_run_options(void* block) {
  struct OrtRunOptions* options = block;
  heap_free(options->tag);
  heap_free(options->profile_prefix);
  core_items_end(&options->config);
  core_list_end(&options->adapters);
}

const struct core_class core_run_options_class = {.kind = CORE_RUN_OPTIONS, .end = end_run_options};

CORE_SLOT(ort_CreateRunOptions, OrtRunOptions** out) {
  CORE_REQUIRE(CreateRunOptions, out);
  struct OrtRunOptions* options = core_new_object(&core_run_options_class, sizeof *options);
  if (options == NULL) {
    return core_no_memory(sizeof *options);
  }
  options->log_severity = CORE_DEFAULT_SEVERITY;
  *out = options;
  return NULL;
}

void ORT_API_CALL ort_ReleaseRunOptions(OrtRunOptions* input) NO_EXCEPTION { core_drop(input); }

CORE_STORES(ort_RunOptionsSetRunLogVerbosityLevel, OrtRunOptions, options, int, log_verbosity_level,
            log_verbosity)
CORE_STORES(ort_RunOptionsSetRunLogSeverityLevel, OrtRunOptions, options, int, log_severity_level,
            log_severity)

CORE_SLOT(ort_RunOptionsSetRunTag, OrtRunOptions* options, const char* run_tag) {
  CORE_REQUIRE(RunOptionsSetRunTag, options);
  if (run_tag == NULL) {
    return NULL;
  }
  size_t size = strlen(run_tag) + 1;
  char* copy = core_copy_bytes(run_tag, size);
  if (copy == NULL) {
    return core_no_memory(size);
  }
  heap_free(options->tag);
  options->tag = copy;
  return NULL;
}

CORE_READS(ort_RunOptionsGetRunLogVerbosityLevel, OrtRunOptions, options, int, log_verbosity_level,
           log_verbosity)
CORE_READS(ort_RunOptionsGetRunLogSeverityLevel, OrtRunOptions, options, int, log_severity_level,
           log_severity)

CORE_SLOT(ort_RunOptionsGetRunTag, const OrtRunOptions* options, const char** run_tag) {
  CORE_REQUIRE(RunOptionsGetRunTag, options, run_tag);
  *run_tag = options->tag == NULL ? "" : options->tag;
  return NULL;
}

CORE_SLOT(ort_RunOptionsSetTerminate, OrtRunOptions* options) {
  CORE_REQUIRE(RunOptionsSetTerminate, options);
  __atomic_store_n(&options->is_terminated, true, __ATOMIC_RELEASE);
  return NULL;
}

CORE_SLOT(ort_RunOptionsUnsetTerminate, OrtRunOptions* options) {
  CORE_REQUIRE(RunOptionsUnsetTerminate, options);
  __atomic_store_n(&options->is_terminated, false, __ATOMIC_RELEASE);
  return NULL;
}

void ORT_API_CALL ort_RunOptionsSetSyncStream(OrtRunOptions* options,
                                              OrtSyncStream* sync_stream) NO_EXCEPTION {
  if (options != NULL) {
    options->stream = sync_stream;
  }
}

CORE_SLOT(ort_RunOptionsEnableProfiling, OrtRunOptions* options,
          const ORTCHAR_T* profile_file_prefix) {
  CORE_REQUIRE(RunOptionsEnableProfiling, options, profile_file_prefix);
  size_t size = core_path_size(profile_file_prefix);
  ORTCHAR_T* copy = core_copy_bytes(profile_file_prefix, size);
  if (copy == NULL) {
    return core_no_memory(size);
  }
  heap_free(options->profile_prefix);
  options->profile_prefix = copy;
  return NULL;
}

CORE_SLOT(ort_RunOptionsDisableProfiling, OrtRunOptions* options) {
  CORE_REQUIRE(RunOptionsDisableProfiling, options);
  heap_free(options->profile_prefix);
  options->profile_prefix = NULL;
  return NULL;
}
