/* SPDX-License-Identifier: MIT */
/* Libraries of execution providers behind a trace: a host opens the extension under a name, and the
 * library that stands for the name gets the table of a trace in front of the host's. */
#ifndef ORTCFFI_BOUNDARY_WATCHED_EP_H_
#define ORTCFFI_BOUNDARY_WATCHED_EP_H_

#include "onnxruntime_ep_c_api.h"
#include "ortcore.h"

typedef struct ortcffi_watched_ep ortcffi_watched_ep;

/* Has a name stand for a library, from when a host asks for its factories. `version` is that of the
 * API which the library is to see, 0 for the host's own. Status of the core. */
OrtStatus* ortcffi_watch_ep(const char* name, const ORTCHAR_T* path, uint32_t version,
                            ortcffi_watched_ep** out);

/* Ends it, once a host has released the factories. */
void ortcffi_unwatch_ep(const OrtApi* api, ortcffi_watched_ep* ep);

/* What the library did, also after its end; `fails` may be written at any time, also before. */
OrtcoreFigures* ortcffi_watched_figures(ortcffi_watched_ep* ep);

#endif /* ORTCFFI_BOUNDARY_WATCHED_EP_H_ */
