/* SPDX-License-Identifier: MIT */
/* The functions that are no slots, by name. */
#include <string.h>

#include "table/hosts.h"
#include "env/logging.h"

static const struct {
  const char* name;
  OrtExperimentalFnPtr function;
} functions[] = {
    {ORTCORE_EMULATE, (OrtExperimentalFnPtr)core_emulate},
    {ORTCORE_TRACE_BEGIN, (OrtExperimentalFnPtr)core_trace_begin},
    {ORTCORE_TRACE_END, (OrtExperimentalFnPtr)core_trace_end},
    {ORTCORE_LOGGER, (OrtExperimentalFnPtr)core_default_logger},
    {ORTCORE_LOG, (OrtExperimentalFnPtr)core_log_text},
};

OrtExperimentalFnPtr ORT_API_CALL ort_GetExperimentalFunction(const char* name) NO_EXCEPTION {
  for (size_t i = 0; name != NULL && i < CORE_COUNT_OF(functions); i++) {
    if (strcmp(name, functions[i].name) == 0) {
      return functions[i].function;
    }
  }
  return NULL;
}
