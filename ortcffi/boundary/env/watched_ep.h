/* SPDX-License-Identifier: MIT */
/* Libraries of execution providers behind a trace: a host opens the extension under a name, and the
 * library that stands for the name gets the table of a trace in front of the host's. */
#ifndef ORTCFFI_BOUNDARY_WATCHED_EP_H_
#define ORTCFFI_BOUNDARY_WATCHED_EP_H_

#include "onnxruntime_ep_c_api.h"
#include "ortcore.h"

typedef struct ortcffi_watched_ep ortcffi_watched_ep;

/* Gives a library a name, by which hosts that open this extension ask for its factories. `version`
 * is the API version that the library sees; 0 for the host's own. The status is the core's. */
OrtStatus* ortcffi_watch_ep(const char* name, const ORTCHAR_T* path, uint32_t version,
                            ortcffi_watched_ep** out);

/* Removes the name and closes the library: at once, or when the host has released the last factory.
 */
void ortcffi_unwatch_ep(const OrtApi* api, ortcffi_watched_ep* ep);

/* The figures of the trace, valid also after the library has been closed. `fails` may be written at
 * any time. */
OrtcoreFigures* ortcffi_watched_figures(ortcffi_watched_ep* ep);

#endif /* ORTCFFI_BOUNDARY_WATCHED_EP_H_ */
