/* SPDX-License-Identifier: MIT */
/** @file context_model.h Writes what the providers of a session compiled as a model. */
#ifndef ORTCFFI_CONTEXT_MODEL_H_
#define ORTCFFI_CONTEXT_MODEL_H_

#include "session/session.h"

/** Whether a provider of a session has compiled nodes. */
bool core_has_compiled_nodes(const OrtSession* session);

/** Writes the model of a session, whose steps are in order, with the nodes that its providers made
 * in the place of those that they compiled. */
OrtStatus* core_write_context_model(const OrtSession* session, const OrtcoreWriting* writing);

/** Finds the path, in UTF-8, to which a session writes this model because its options ask for it.
 * Fails if there is such a file. */
OrtStatus* core_find_context_path(const OrtSession* session, char path[CORE_PATH_ROOM]);

/** Writes it to a file; the path is UTF-8. On failure there is no file. Initializers go to another
 * file beside it, if an entry of the options names one. */
OrtStatus* core_save_context_model(const OrtSession* session, const char* path);

#endif /* ORTCFFI_CONTEXT_MODEL_H_ */
