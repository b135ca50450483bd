/* SPDX-License-Identifier: MIT */
/* What calls with the library of tests/c/provider share. */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_EPS_H_
#define ORTCFFI_TESTS_BEHAVIOUR_EPS_H_

#include "behaviour.h"
#include "onnxruntime_ep_c_api.h"

OrtEnv* env_of_eps(void);

/** The path of the library. */
const ORTCHAR_T* asked_ep(void);

/** What the library was asked since the last time, also after it was closed. */
const char* events_of_ep(void);

/** Registers the library under a name, which asks it to do what is said there, and gives its last
 * device. NULL, which is said, where the tests give no library: then the call is over. */
const OrtEpDevice* device_of_ep(OrtEnv* env, const char* words);

#endif /* ORTCFFI_TESTS_BEHAVIOUR_EPS_H_ */
