/* SPDX-License-Identifier: MIT */
#include "options/session_options.h"

#include "options/option_slots.h"

#define OWNER OrtRunOptions
#define SELF options
#define FIELD(name) name
#include "options/run_options.def"

static void end_run_options(void* block) {
  struct OrtRunOptions* options = block;
  core_end_texts(options, CORE_OF_RUN);
  core_items_end(&options->config);
  core_list_end(&options->adapters);
}

const struct core_class core_run_options_class = {.kind = CORE_RUN_OPTIONS, .end = end_run_options};

CORE_SLOT(ort_CreateRunOptions, OrtRunOptions** out) {
  CORE_NEW(struct OrtRunOptions, options, &core_run_options_class);
  core_begin_options(options, CORE_OF_RUN);
  *out = options;
  return NULL;
}

CORE_RELEASER(ort_ReleaseRunOptions, OrtRunOptions)

CORE_SLOT(ort_RunOptionsSetRunTag, OrtRunOptions* options, const char* run_tag) {
  return run_tag == NULL ? NULL : core_set_text(&options->tag, run_tag, strlen(run_tag) + 1);
}

CORE_GETTER(ort_RunOptionsGetRunTag, const char*, options->tag == NULL ? "" : options->tag,
            const OrtRunOptions* options)

void ORT_API_CALL ort_RunOptionsSetSyncStream(OrtRunOptions* options,
                                              OrtSyncStream* sync_stream) NO_EXCEPTION {
  if (options != NULL) {
    options->stream = sync_stream;
  }
}
