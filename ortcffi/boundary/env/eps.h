/* SPDX-License-Identifier: MIT */
/* Libraries of execution providers that an environment has registered, or that are watched. */
#ifndef ORTCFFI_BOUNDARY_EPS_H_
#define ORTCFFI_BOUNDARY_EPS_H_

#include <stdbool.h>

#include "onnxruntime_c_api.h"
#include "onnxruntime_ep_c_api.h"
#include "ortcore.h"

/* A library of execution providers that an environment has registered, as an object of its own: a
 * device of it holds this object. */

typedef struct ortcffi_registered_ep ortcffi_registered_ep;

/* What only the core can give to a library; every field may be NULL. */
typedef struct ortcffi_ep_host {
  /* The base; hardware that stands for what was found. */
  const OrtApiBase* base;
  const OrtHardwareDevice* const* hardware;
  size_t hardware_count;
} ortcffi_ep_host;

/* Registers a library, or a copy of it with variables of its own where the system can make one.
 * `host` is NULL for what RegisterExecutionProviderLibrary gives; otherwise the table must be the
 * core's. The path is UTF-8. `ended`, which must live as long, is 1 once the library has been
 * unregistered. */
OrtStatus* ortcffi_register_ep(const OrtApi* api, OrtEnv* env, const char* name, const char* path,
                               int in_copy, const ortcffi_ep_host* host, int* ended,
                               ortcffi_registered_ep** out);

/* Unregisters it. The environment must still be there. */
void ortcffi_unregister_ep(const OrtApi* api, ortcffi_registered_ep* ep);

/* Writes zeroed figures for the trace of a watched library; false where there is no memory. */
bool ortcffi_new_figures(OrtcoreFigures** out);
void ortcffi_free_figures(OrtcoreFigures* figures);

#endif /* ORTCFFI_BOUNDARY_EPS_H_ */
