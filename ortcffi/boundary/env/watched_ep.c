/* SPDX-License-Identifier: MIT */
#include "boundary/env/eps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "platform/platform.h"
#include "boundary/gil.h"

#define MOST_FACTORIES 16
#define LONGEST_TEXT 512

struct ortcffi_watched_ep {
  ortcffi_watched_ep* next;
  char* name;
  char* path;
  uint32_t version;
  struct handle* handle; /* the WatchedEp */
  /* Between CreateEpFactories and the release of the last factory. The handle is held. */
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

/* The lock of LIST_OF_WATCHED_EPS guards the list, and what is open. */
static ortcffi_watched_ep* first;

static ortcffi_watched_ep* find_named(const char* name) {
  ortcffi_watched_ep* ep = first;
  while (ep != NULL && (handle_state(ep->handle) >= HANDLE_CLOSED || strcmp(ep->name, name) != 0)) {
    ep = ep->next;
  }
  return ep;
}

static void free_ep(ortcffi_watched_ep* ep) {
  if (ep != NULL) {
    free(ep->name);
    free(ep->path);
    free(ep);
  }
}

struct listing {
  ortcffi_watched_ep* ep;
  bool is_listed, is_taken; /* neither: there is no memory */
};

static void list_ep(void* argument) {
  struct listing* listing = argument;
  if (handle_enlist(listing->ep->handle) < 0) {
    PyErr_Clear();
    return;
  }
  lock_list(LIST_OF_WATCHED_EPS);
  listing->is_taken = find_named(listing->ep->name) != NULL;
  listing->is_listed = !listing->is_taken;
  if (listing->is_listed) {
    listing->ep->next = first;
    first = listing->ep;
  }
  unlock_list(LIST_OF_WATCHED_EPS);
}

OrtStatus* ortcffi_watch_ep(const char* name, const char* path, uint32_t version, void* handle,
                            ortcffi_watched_ep** out) {
  ortcffi_watched_ep* ep = calloc(1, sizeof *ep);
  if (ep != NULL) {
    ep->handle = handle;
    ep->name = strdup(name);
    ep->path = strdup(path);
    ep->version = version;
  }
  struct listing listing = {ep, false, false};
  if (ep != NULL && ep->name != NULL && ep->path != NULL) {
    (void)call_with_gil(list_ep, &listing);
  }
  if (!listing.is_listed) {
    free_ep(ep);
    return listing.is_taken
               ? core_status(ORT_FAIL, "a library is already watched under the name %s", name)
               : core_status(ORT_RUNTIME_EXCEPTION, "out of memory");
  }
  *out = ep;
  return NULL;
}

static void unlist(void* ep) {
  lock_list(LIST_OF_WATCHED_EPS);
  ortcffi_watched_ep** place = &first;
  while (*place != ep) {
    place = &(*place)->next;
  }
  *place = (*place)->next;
  unlock_list(LIST_OF_WATCHED_EPS);
}

void ortcffi_unwatch_ep(const OrtApi* api, ortcffi_watched_ep* ep) {
  if (call_with_gil(unlist, ep)) {
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
  ep->library = core_library_open_utf8(ep->path, error);
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

static void drop_ep(void* argument) {
  ortcffi_watched_ep* ep = argument;
  struct handle* handle = ep->handle;
  lock_list(LIST_OF_WATCHED_EPS);
  ep->is_open = false;
  unlock_list(LIST_OF_WATCHED_EPS);
  handle_drop(handle); /* which may free `ep` */
  Py_DECREF((PyObject*)handle);
}

static void end_watch(ortcffi_watched_ep* ep) {
  if (ep->library != NULL) {
    core_library_close(ep->library);
    ep->library = NULL;
  }
  ((OrtcoreTraceEnd)core_table()->GetExperimentalFunction(ORTCORE_TRACE_END))(ep->trace);
  ep->trace = NULL;
  (void)call_with_gil(drop_ep, ep);
}

struct search {
  const char* name;
  const OrtEpFactory* factory;
  ortcffi_watched_ep* found;
};

/* Finds a library that is not open, and holds its handle. */
static void open_named(void* argument) {
  struct search* search = argument;
  PyObject* object = NULL;
  lock_list(LIST_OF_WATCHED_EPS);
  ortcffi_watched_ep* ep = find_named(search->name);
  if (ep != NULL && !ep->is_open) {
    object = handle_found(ep->handle);
  }
  if (object != NULL && handle_try_hold(ep->handle)) {
    ep->is_open = true;
    search->found = ep;
    object = NULL; /* drop_ep drops both */
  }
  unlock_list(LIST_OF_WATCHED_EPS);
  Py_XDECREF(object);
}

bool ortcffi_watched_create(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                            OrtEpFactory** factories, size_t room, size_t* out,
                            OrtStatus** status) {
  struct search search = {.name = name};
  if (!call_with_gil(open_named, &search) || search.found == NULL) {
    return false;
  }
  ortcffi_watched_ep* ep = search.found;
  CreateEpApiFactoriesFn create = NULL;
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

/* Removes a factory from its library. */
static void take_factory(void* argument) {
  struct search* search = argument;
  lock_list(LIST_OF_WATCHED_EPS);
  for (ortcffi_watched_ep* ep = first; ep != NULL && search->found == NULL; ep = ep->next) {
    for (size_t i = 0; i < ep->count; i++) {
      if (ep->factories[i] == search->factory) {
        ep->factories[i] = NULL;
        search->found = ep;
      }
    }
  }
  unlock_list(LIST_OF_WATCHED_EPS);
}

bool ortcffi_watched_release(OrtEpFactory* factory, OrtStatus** status) {
  struct search search = {.factory = factory};
  if (factory != NULL && !call_with_gil(take_factory, &search)) {
    take_factory(&search); /* Python has ended: nothing changes the list any more */
  }
  ortcffi_watched_ep* ep = search.found;
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
