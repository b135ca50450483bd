/* SPDX-License-Identifier: MIT */
/* Libraries of execution providers that an environment has registered, and such that are watched.
 */
#ifndef ORTCFFI_BOUNDARY_EPS_H_
#define ORTCFFI_BOUNDARY_EPS_H_

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

/* Libraries of execution providers behind a trace: a host opens the extension under a name, and the
 * library that stands for the name gets the table of a trace in front of the host's. */

typedef struct ortcffi_watched_ep ortcffi_watched_ep;

/* Gives a library a name, by which hosts that open this extension ask for its factories. `version`
 * is the API version that the library sees; 0 for the host's own. `handle` is the address of the
 * Python object that owns what is made: it is held until the host has released the last factory.
 * The path is UTF-8. The status is the core's. */
OrtStatus* ortcffi_watch_ep(const char* name, const char* path, uint32_t version, void* handle,
                            ortcffi_watched_ep** out);

/* Removes the name. */
void ortcffi_unwatch_ep(const OrtApi* api, ortcffi_watched_ep* ep);

/* The figures of the trace, valid also after the library has been closed. `fails` may be written at
 * any time. */
OrtcoreFigures* ortcffi_watched_figures(ortcffi_watched_ep* ep);

#ifndef ORTCFFI_CDEF
#include <stdbool.h>

/* The extension's exports CreateEpFactories and ReleaseEpFactory ask first whether a name or a
 * factory belongs to a watched library. */

/* Whether the name is that of a watched library. If so, calls its CreateEpFactories, whose answer
 * is in `status`. */
bool ortcffi_watched_create(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                            OrtEpFactory** factories, size_t room, size_t* out, OrtStatus** status);

/* Whether the factory is a watched library's. If so, releases it. */
bool ortcffi_watched_release(OrtEpFactory* factory, OrtStatus** status);
#endif

#endif /* ORTCFFI_BOUNDARY_EPS_H_ */
