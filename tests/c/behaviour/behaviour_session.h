/* SPDX-License-Identifier: MIT */
/* What the calls of sessions and bindings share. Nothing is released: each call has a process. */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_SESSION_H_
#define ORTCFFI_TESTS_BEHAVIOUR_SESSION_H_

#include "behaviour_values.h"

/* Needs CHECK. */
#include "../clients/session_model.h"

/** The model of all calls, and its bytes and their number as arguments. */
struct model_bytes* session_bytes(void);
#define MODEL session_bytes()->at, session_bytes()->size

OrtEnv* session_env(void);
OrtSessionOptions* session_options(void);
/** A session of session_model(). */
OrtSession* some_session(void);

#endif /* ORTCFFI_TESTS_BEHAVIOUR_SESSION_H_ */
