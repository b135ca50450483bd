/* SPDX-License-Identifier: MIT */
#include "boundary/env/eps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "platform/platform.h"

#define MOST_FACTORIES 16
#define LONGEST_TEXT 512

struct ortcffi_watched_ep {
  ortcffi_watched_ep* next;
  char *name, *path;
  uint32_t version;
  bool is_dropped;
  /* Between CreateEpFactories and the release of the last factory. */
  bool is_open;
  const OrtApi* host;
  OrtcoreTrace* trace;
  void* library;
  ReleaseEpApiFactoryFn release;
  OrtEpFactory* factories[MOST_FACTORIES];
  size_t count;
  /* Where the trace counts. It stays until the library has been closed. */
  OrtcoreFigures figures;
};

/* Behind CORE_LOCK_WATCHED_EPS. */
static ortcffi_watched_ep* first;

static void free_ep(ortcffi_watched_ep* ep) {
  if (ep != NULL) {
    free(ep->name);
    free(ep->path);
    free(ep);
  }
}

OrtStatus* ortcffi_watch_ep(const char* name, const ORTCHAR_T* path, uint32_t version,
                            ortcffi_watched_ep** out) {
  ortcffi_watched_ep* ep = calloc(1, sizeof *ep);
  if (ep != NULL) {
    ep->name = strdup(name);
    ep->path = strdup(path);
    ep->version = version;
  }
  if (ep == NULL || ep->name == NULL || ep->path == NULL) {
    free_ep(ep);
    return core_status(ORT_RUNTIME_EXCEPTION, "out of memory");
  }
  core_lock(CORE_LOCK_WATCHED_EPS);
  ortcffi_watched_ep* other = first;
  while (other != NULL && (other->is_dropped || strcmp(other->name, name) != 0)) {
    other = other->next;
  }
  if (other == NULL) {
    ep->next = first;
    first = ep;
  }
  core_unlock(CORE_LOCK_WATCHED_EPS);
  if (other != NULL) {
    free_ep(ep);
    return core_status(ORT_FAIL, "a library is already watched under the name %s", name);
  }
  *out = ep;
  return NULL;
}

/* With the lock held. */
static void unlist(ortcffi_watched_ep* ep) {
  ortcffi_watched_ep** place = &first;
  while (*place != ep) {
    place = &(*place)->next;
  }
  *place = ep->next;
}

void ortcffi_unwatch_ep(const OrtApi* api, ortcffi_watched_ep* ep) {
  (void)api;
  core_lock(CORE_LOCK_WATCHED_EPS);
  bool is_open = ep->is_open;
  ep->is_dropped = true;
  if (!is_open) {
    unlist(ep);
  }
  core_unlock(CORE_LOCK_WATCHED_EPS);
  if (!is_open) {
    free_ep(ep);
  }
}

OrtcoreFigures* ortcffi_watched_figures(ortcffi_watched_ep* ep) { return &ep->figures; }

static const OrtApi* core_table(void) { return core_api_base()->GetApi(ORT_API_VERSION); }

/* --- what a host asks --------------------------------------------------------------------------*/

/* A copy of a status as an object of the host, which may be another library. */
static OrtStatus* for_host(const OrtApi* host, OrtStatus* status) {
  if (status == NULL) {
    return NULL;
  }
  const OrtApi* core = core_table();
  OrtStatus* made = host->CreateStatus(core->GetErrorCode(status), core->GetErrorMessage(status));
  core->ReleaseStatus(status);
  return made;
}

static OrtStatus* begin_trace(ortcffi_watched_ep* ep, const OrtApiBase* base) {
  unsigned newest = 0;
  sscanf(base->GetVersionString(), "%*u.%u", &newest);
  newest = newest < ORT_API_VERSION ? newest : ORT_API_VERSION;
  if (newest == 0 || ep->version > newest) {
    return core_status(ORT_INVALID_ARGUMENT, "the host is older than as_host: its version is %s",
                       base->GetVersionString());
  }
  uint32_t version = ep->version != 0 ? ep->version : newest;
  char text[LONGEST_TEXT];
  snprintf(text, sizeof text, "1.%u.0", (unsigned)version);
  const char* shown = version == newest ? base->GetVersionString() : text;
  uint64_t fails[ORTCORE_TRACED_ALL]; /* set to zero by a trace that begins */
  memcpy(fails, ep->figures.fails, sizeof fails);
  OrtcoreTraceBegin begin =
      (OrtcoreTraceBegin)core_table()->GetExperimentalFunction(ORTCORE_TRACE_BEGIN);
  CORE_TRY(begin(base->GetApi(newest), version, shown, &ep->figures, &ep->trace));
  memcpy(ep->figures.fails, fails, sizeof fails);
  ep->figures.notes = 1;
  return NULL;
}

static OrtStatus* open_library(ortcffi_watched_ep* ep, CreateEpApiFactoriesFn* create) {
  char error[CORE_LIBRARY_ERROR];
  ep->library = core_library_open(ep->path, error);
  if (ep->library == NULL) {
    return core_status(ORT_FAIL, "%s", error);
  }
  void* made = core_library_symbol(ep->library, "CreateEpFactories");
  void* release = core_library_symbol(ep->library, "ReleaseEpFactory");
  if (made == NULL || release == NULL) {
    return core_status(ORT_FAIL, "the library exports no execution provider: %s", ep->path);
  }
  memcpy(create, &made, sizeof made);
  memcpy(&ep->release, &release, sizeof release);
  return NULL;
}

/* Execution providers that want a newer table often answer success, without a factory. */
static OrtStatus* no_factory(const ortcffi_watched_ep* ep) {
  int wanted = 63;
  while (wanted > 0 && (ep->figures.asked >> wanted & 1) == 0) {
    wanted--;
  }
  return core_status(ORT_FAIL, "no factory was made; the library asked for API version %d", wanted);
}

static void end_watch(ortcffi_watched_ep* ep) {
  if (ep->library != NULL) {
    core_library_close(ep->library);
    ep->library = NULL;
  }
  ((OrtcoreTraceEnd)core_table()->GetExperimentalFunction(ORTCORE_TRACE_END))(ep->trace);
  ep->trace = NULL;
  core_lock(CORE_LOCK_WATCHED_EPS);
  ep->is_open = false;
  bool is_dropped = ep->is_dropped;
  if (is_dropped) {
    unlist(ep);
  }
  core_unlock(CORE_LOCK_WATCHED_EPS);
  if (is_dropped) {
    free_ep(ep);
  }
}

static ortcffi_watched_ep* open_named(const char* name) {
  core_lock(CORE_LOCK_WATCHED_EPS);
  ortcffi_watched_ep* ep = first;
  while (ep != NULL && (ep->is_open || ep->is_dropped || strcmp(ep->name, name) != 0)) {
    ep = ep->next;
  }
  if (ep != NULL) {
    ep->is_open = true;
  }
  core_unlock(CORE_LOCK_WATCHED_EPS);
  return ep;
}

bool ortcffi_watched_create(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                            OrtEpFactory** factories, size_t room, size_t* out,
                            OrtStatus** status) {
  ortcffi_watched_ep* ep = open_named(name);
  if (ep == NULL) {
    return false;
  }
  CreateEpApiFactoriesFn create;
  ep->host = base->GetApi(1);
  *status = for_host(ep->host, begin_trace(ep, base));
  if (*status == NULL) {
    *status = for_host(ep->host, open_library(ep, &create));
  }
  room = room < MOST_FACTORIES ? room : MOST_FACTORIES;
  if (*status == NULL) {
    *status = create(name, ep->trace->base, logger, factories, room, out);
  }
  for (size_t i = 0; *status == NULL && i < *out && i < room; i++) {
    if (factories[i] != NULL) {
      ep->factories[ep->count++] = factories[i];
    }
  }
  if (*status == NULL && ep->count == 0) {
    *status = for_host(ep->host, no_factory(ep));
  }
  if (*status != NULL) {
    end_watch(ep);
  }
  return true;
}

/* Removes a factory from its library, which is returned. */
static ortcffi_watched_ep* take_factory(const OrtEpFactory* factory) {
  core_lock(CORE_LOCK_WATCHED_EPS);
  ortcffi_watched_ep* ep = first;
  for (; ep != NULL; ep = ep->next) {
    size_t i = 0;
    while (i < ep->count && ep->factories[i] != factory) {
      i++;
    }
    if (i < ep->count) {
      ep->factories[i] = NULL;
      break;
    }
  }
  core_unlock(CORE_LOCK_WATCHED_EPS);
  return ep;
}

bool ortcffi_watched_release(OrtEpFactory* factory, OrtStatus** status) {
  ortcffi_watched_ep* ep = factory != NULL ? take_factory(factory) : NULL;
  if (ep == NULL) {
    return false;
  }
  *status = ep->release(factory);
  while (ep->count > 0 && ep->factories[ep->count - 1] == NULL) {
    ep->count--;
  }
  if (ep->count == 0) {
    end_watch(ep);
  }
  return true;
}
