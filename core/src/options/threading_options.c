/* SPDX-License-Identifier: MIT */
#include "options/session_options.h"

#include "options/option_slots.h"

#define AFFINITY_LIMIT 4096

#define OWNER OrtThreadingOptions
#define SELF tp_options
#define FIELD(name) name
#include "options/threading_options.def"

SETTER(ort_SetGlobalCustomCreateThreadFn, functions.create, OrtCustomCreateThreadFn,
       ort_custom_create_thread_fn)
SETTER(ort_SetGlobalCustomThreadCreationOptions, functions.creation_options, void*,
       ort_custom_thread_creation_options)
SETTER(ort_SetGlobalCustomJoinThreadFn, functions.join, OrtCustomJoinThreadFn,
       ort_custom_join_thread_fn)

static void end_threading_options(void* block) { core_end_texts(block, CORE_OF_THREADING); }

const struct core_class core_threading_options_class = {.kind = CORE_THREADING_OPTIONS,
                                                        .end = end_threading_options};

CORE_SLOT(ort_CreateThreadingOptions, OrtThreadingOptions** out) {
  CORE_NEW(struct OrtThreadingOptions, options, &core_threading_options_class);
  core_begin_options(options, CORE_OF_THREADING);
  *out = options;
  return NULL;
}

CORE_RELEASER(ort_ReleaseThreadingOptions, OrtThreadingOptions)

OrtThreadingOptions* core_copy_threading_options(const OrtThreadingOptions* options) {
  struct OrtThreadingOptions* copy = core_copy_bytes(options, sizeof *copy);
  if (copy == NULL) {
    return NULL;
  }
  core_begin(&copy->object, &core_threading_options_class, 0);
  if (!core_copy_texts_of(options, copy, CORE_OF_THREADING)) {
    ort_ReleaseThreadingOptions(copy);
    return NULL;
  }
  return copy;
}

CORE_SLOT(ort_SetGlobalSpinControl, OrtThreadingOptions* tp_options, int allow_spinning) {
  CORE_FAIL_IF(allow_spinning != 0 && allow_spinning != 1, ORT_INVALID_ARGUMENT,
               "SetGlobalSpinControl: allow_spinning must be 0 or 1");
  tp_options->spinning = allow_spinning == 1;
  return NULL;
}

CORE_SLOT(ort_SetGlobalIntraOpThreadAffinity, OrtThreadingOptions* tp_options,
          const char* affinity_string) {
  size_t length = strnlen(affinity_string, AFFINITY_LIMIT + 1);
  CORE_FAIL_IF(length == 0 || length > AFFINITY_LIMIT, ORT_INVALID_ARGUMENT,
               "SetGlobalIntraOpThreadAffinity: affinity_string must have 1 to 4096 bytes");
  return core_set_text(&tp_options->affinity, affinity_string, length + 1);
}
