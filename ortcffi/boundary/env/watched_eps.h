/* SPDX-License-Identifier: MIT */
/* What the extension's own exports ask first: whether a name or a factory is a watched library's.
 */
#ifndef ORTCFFI_BOUNDARY_WATCHED_EPS_H_
#define ORTCFFI_BOUNDARY_WATCHED_EPS_H_

#include <stdbool.h>

#include "onnxruntime_ep_c_api.h"

/* Whether the name stands for a watched library; then `status` is what its CreateEpFactories
 * answered. */
bool ortcffi_watched_create(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                            OrtEpFactory** factories, size_t room, size_t* out, OrtStatus** status);

/* Whether the factory is a watched library's; then it has been released. */
bool ortcffi_watched_release(OrtEpFactory* factory, OrtStatus** status);

#endif /* ORTCFFI_BOUNDARY_WATCHED_EPS_H_ */
