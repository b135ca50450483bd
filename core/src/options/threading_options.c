/* SPDX-License-Identifier: MIT */
#include "options/threading_options.h"

#include <string.h>

#include "object/object.h"
#include "options/settings.h"

#define AFFINITY_LIMIT 4096

static void end_threading_options(void* block) {
  heap_free(((struct OrtThreadingOptions*)block)->affinity);
}

const struct core_class core_threading_options_class = {.kind = CORE_THREADING_OPTIONS,
                                                        .end = end_threading_options};

CORE_SLOT(ort_CreateThreadingOptions, OrtThreadingOptions** out) {
  CORE_REQUIRE(CreateThreadingOptions, out);
  struct OrtThreadingOptions* options =
      core_new_object(&core_threading_options_class, sizeof *options);
  if (options == NULL) {
    return core_no_memory(sizeof *options);
  }
  options->spinning = true;
  *out = options;
  return NULL;
}

void ORT_API_CALL ort_ReleaseThreadingOptions(OrtThreadingOptions* input) NO_EXCEPTION {
  core_drop(input);
}

OrtThreadingOptions* core_copy_threading_options(const OrtThreadingOptions* options) {
  struct OrtThreadingOptions* copy = core_copy_bytes(options, sizeof *copy);
  if (copy == NULL) {
    return NULL;
  }
  core_begin(&copy->object, &core_threading_options_class, 0);
  if (options->affinity == NULL) {
    return copy;
  }
  copy->affinity = core_copy_bytes(options->affinity, strlen(options->affinity) + 1);
  if (copy->affinity == NULL) {
    ort_ReleaseThreadingOptions(copy);
    return NULL;
  }
  return copy;
}

CORE_STORES(ort_SetGlobalIntraOpNumThreads, OrtThreadingOptions, tp_options, int,
            intra_op_num_threads, intra_op_threads)
CORE_STORES(ort_SetGlobalInterOpNumThreads, OrtThreadingOptions, tp_options, int,
            inter_op_num_threads, inter_op_threads)

CORE_SLOT(ort_SetGlobalSpinControl, OrtThreadingOptions* tp_options, int allow_spinning) {
  CORE_REQUIRE(SetGlobalSpinControl, tp_options);
  if (allow_spinning != 0 && allow_spinning != 1) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "SetGlobalSpinControl: allow_spinning must be 0 or 1");
  }
  tp_options->spinning = allow_spinning == 1;
  return NULL;
}

CORE_SETS(ort_SetGlobalDenormalAsZero, OrtThreadingOptions, tp_options, denormal_as_zero, true)

CORE_SLOT(ort_SetGlobalIntraOpThreadAffinity, OrtThreadingOptions* tp_options,
          const char* affinity_string) {
  CORE_REQUIRE(SetGlobalIntraOpThreadAffinity, tp_options, affinity_string);
  size_t length = strnlen(affinity_string, AFFINITY_LIMIT + 1);
  if (length == 0 || length > AFFINITY_LIMIT) {
    CORE_FAIL(ORT_INVALID_ARGUMENT,
              "SetGlobalIntraOpThreadAffinity: affinity_string must have 1 to 4096 bytes");
  }
  char* copy = core_copy_bytes(affinity_string, length + 1);
  if (copy == NULL) {
    return core_no_memory(length + 1);
  }
  heap_free(tp_options->affinity);
  tp_options->affinity = copy;
  return NULL;
}

CORE_STORES(ort_SetGlobalCustomCreateThreadFn, OrtThreadingOptions, tp_options,
            OrtCustomCreateThreadFn, ort_custom_create_thread_fn, functions.create)
CORE_STORES(ort_SetGlobalCustomThreadCreationOptions, OrtThreadingOptions, tp_options, void*,
            ort_custom_thread_creation_options, functions.creation_options)
CORE_STORES(ort_SetGlobalCustomJoinThreadFn, OrtThreadingOptions, tp_options, OrtCustomJoinThreadFn,
            ort_custom_join_thread_fn, functions.join)
