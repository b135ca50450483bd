/* SPDX-License-Identifier: MIT */
/*
 * A custom-op library, of the API version ASKED. FIRST is what it does before it asks for a table,
 * and WITH_TABLE what it does with the table.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

#ifndef ASKED
#define ASKED ORT_API_VERSION
#endif
#ifndef FIRST
#define FIRST
#endif
#ifndef WITH_TABLE
#define WITH_TABLE
#endif

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) NO_EXCEPTION {
  (void)options;
  FIRST;
  const OrtApi* api = base->GetApi(ASKED);
  if (api == NULL) {
    return NULL;
  }
  WITH_TABLE;
  return NULL;
}
