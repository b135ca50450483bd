/* SPDX-License-Identifier: MIT */
/* The extension's exports CreateEpFactories and ReleaseEpFactory ask first whether a name or a
 * factory belongs to a watched library. */
#ifndef ORTCFFI_BOUNDARY_WATCHED_EPS_H_
#define ORTCFFI_BOUNDARY_WATCHED_EPS_H_

#include <stdbool.h>

#include "onnxruntime_ep_c_api.h"

/* Whether the name is that of a watched library. If so, calls its CreateEpFactories, whose answer
 * is in `status`. */
bool ortcffi_watched_create(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                            OrtEpFactory** factories, size_t room, size_t* out, OrtStatus** status);

/* Whether the factory is a watched library's. If so, releases it. */
bool ortcffi_watched_release(OrtEpFactory* factory, OrtStatus** status);

#endif /* ORTCFFI_BOUNDARY_WATCHED_EPS_H_ */
