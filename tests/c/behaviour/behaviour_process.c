/* SPDX-License-Identifier: MIT */
/* Providers, GPUs, thread pools: what the API tells of the process. */
#include "behaviour.h"

CALL("GetAvailableProviders(&p,&n)") {
  char** providers = NULL;
  int count = 0;
  say_status(api->GetAvailableProviders(&providers, &count));
  for (int i = 0; i < count; i++) {
    say("%s", providers[i]);
  }
  say_status(api->ReleaseAvailableProviders(providers, count));
}
CALL("ReleaseAvailableProviders(NULL,0)") { say_status(api->ReleaseAvailableProviders(NULL, 0)); }
CALL("ReleaseAvailableProviders(NULL,2)") { say_status(api->ReleaseAvailableProviders(NULL, 2)); }
CALL("SetCurrentGpuDeviceId(0)") { say_status(api->SetCurrentGpuDeviceId(0)); }
CALL("GetCurrentGpuDeviceId(&id)") {
  int id = 77;
  say_status(api->GetCurrentGpuDeviceId(&id));
  say("id=%d", id);
}
CALL("GetCurrentGpuDeviceId(NULL)") { say_status(api->GetCurrentGpuDeviceId(NULL)); }

static void set_callbacks(uint32_t version) {
  struct OrtThreadPoolCallbacksConfig config = {.version = version};
  OrtEnv* env = NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &new_));
  say_status(api->SetPerSessionThreadPoolCallbacks(env, &config));
  api->ReleaseEnv(env);
}
CALL("SetPerSessionThreadPoolCallbacks(e,config)") { set_callbacks(api_version); }
CALL("SetPerSessionThreadPoolCallbacks(e,version 0)") { set_callbacks(0); }
CALL("SetPerSessionThreadPoolCallbacks(e,version 1)") { set_callbacks(1); }
CALL("SetPerSessionThreadPoolCallbacks(e,version too new)") { set_callbacks(api_version + 1); }
CALL("SetPerSessionThreadPoolCallbacks(NULL,config)") {
  struct OrtThreadPoolCallbacksConfig config = {.version = api_version};
  say_status(api->SetPerSessionThreadPoolCallbacks(NULL, &config));
}
