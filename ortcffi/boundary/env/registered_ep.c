/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/registered_eps.h"
#include "platform/private_copy.h"
#include "boundary/env/eps.h"

struct ortcffi_registered_ep {
  OrtEnv* env;
  int* ended;
  char name[];
};

static OrtStatus* register_library(const OrtApi* api, const ortcffi_ep_host* host,
                                   const ortcffi_registered_ep* ep, const char* path) {
  ORTCHAR_T native[CORE_PATH_ROOM];
  const char* why = core_refuse_library(path);
  if (why == NULL && core_native_path(path, native, sizeof native) > sizeof native) {
    why = "the path is too long";
  }
  if (why != NULL) {
    char text[CORE_PATH_ROOM + CORE_LIBRARY_ERROR];
    (void)snprintf(text, sizeof text, "%s: %s", path, why);
    return api->CreateStatus(ORT_FAIL, text);
  }
  return host == NULL ? api->RegisterExecutionProviderLibrary(ep->env, ep->name, native)
                      : core_register_ep_library(ep->env, host->base, ep->name, native,
                                                 host->hardware, host->hardware_count);
}

/* The same with a copy of the library, which the host opens before this returns. */
static OrtStatus* register_copy(const OrtApi* api, const ortcffi_ep_host* host,
                                const ortcffi_registered_ep* ep, const char* path) {
  struct core_library_copy copy;
  char error[CORE_LIBRARY_ERROR];
  if (!core_library_begin_copy(path, &copy, error)) {
    return api->CreateStatus(ORT_FAIL, error);
  }
  OrtStatus* status = register_library(api, host, ep, copy.path);
  core_library_end_copy(&copy);
  return status;
}

OrtStatus* ortcffi_register_ep(const OrtApi* api, OrtEnv* env, const char* name, const char* path,
                               int in_copy, const ortcffi_ep_host* host, int* ended,
                               ortcffi_registered_ep** out) {
  size_t size = strlen(name) + 1;
  ortcffi_registered_ep* ep = malloc(sizeof *ep + size);
  if (ep == NULL) {
    return api->CreateStatus(ORT_RUNTIME_EXCEPTION, "out of memory");
  }
  ep->env = env;
  ep->ended = ended;
  memcpy(ep->name, name, size);
  OrtStatus* status =
      in_copy ? register_copy(api, host, ep, path) : register_library(api, host, ep, path);
  if (status != NULL) {
    free(ep);
    return status;
  }
  *out = ep;
  return NULL;
}

void ortcffi_unregister_ep(const OrtApi* api, ortcffi_registered_ep* ep) {
  api->ReleaseStatus(api->UnregisterExecutionProviderLibrary(ep->env, ep->name));
  *ep->ended = 1;
  free(ep);
}

bool ortcffi_new_figures(OrtcoreFigures** out) {
  *out = calloc(1, sizeof **out);
  return *out != NULL;
}

void ortcffi_free_figures(OrtcoreFigures* figures) { free(figures); }
