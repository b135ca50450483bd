/* SPDX-License-Identifier: MIT */
/* A library of execution providers that has none: it is loaded for the logger that it gets,
 * whose address it leaves in the environment of the process. */
#include <stdio.h>
#include <stdlib.h>

#include "onnxruntime_c_api.h"

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t capacity, size_t* count) {
  (void)name, (void)base, (void)factories, (void)capacity;
  char address[32];
  snprintf(address, sizeof address, "%p", (const void*)logger);
  setenv("BORROWED_LOGGER", address, 1);
  *count = 0;
  return NULL;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  (void)factory;
  return NULL;
}
