/* SPDX-License-Identifier: MIT */
/* The entry point, the versions, and the function table. */
#include <stdio.h>

#include "ortcore.h"

#include "heap/heap.h"
#include "table/stubs.h"

#define CORE_SYMBOL(name) ort_##name
#include "table/stub_rows.def"
#include "ort_slots.def"

static const OrtApi api_table = {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  .name = ort_##name,
#include "ort_slots.def"
};

/* The API version of each slot, written a second time and on purpose: a client of version n reads
 * the slots up to version n, so the ends of shipped versions must never change. */
#define VERSION_OF_SLOT(i) \
  ((i) <= 101   ? 1        \
   : (i) <= 118 ? 2        \
   : (i) <= 124 ? 3        \
   : (i) <= 126 ? 4        \
   : (i) <= 149 ? 5        \
   : (i) <= 157 ? 6        \
   : (i) <= 161 ? 7        \
   : (i) <= 169 ? 8        \
   : (i) <= 191 ? 9        \
   : (i) <= 203 ? 10       \
   : (i) <= 209 ? 11       \
   : (i) <= 218 ? 12       \
   : (i) <= 224 ? 13       \
   : (i) <= 238 ? 14       \
   : (i) <= 254 ? 15       \
   : (i) <= 265 ? 16       \
   : (i) <= 275 ? 17       \
   : (i) <= 279 ? 18       \
   : (i) <= 284 ? 20       \
   : (i) <= 317 ? 22       \
   : (i) <= 389 ? 23       \
   : (i) <= 413 ? 24       \
   : (i) <= 418 ? 25       \
   : (i) <= 421 ? 27       \
   : (i) <= 423 ? 28       \
   : (i) <= 424 ? 29       \
                : 30)

/* Clients find a slot by its offset, so the offset and the version of each one are checked. */
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments)         \
  _Static_assert(                                                                             \
      offsetof(OrtApi, name) == (index) * sizeof(void*) && (since) == VERSION_OF_SLOT(index), \
      #name " is not in slot " #index " or not of version " #since);
#include "ort_slots.def"
_Static_assert(sizeof(OrtApi) == ORTCORE_TRACED_SLOTS * sizeof(void*),
               "a slot was added to a version that shipped");
_Static_assert(sizeof(OrtApiBase) == 2 * sizeof(void*),
               "OrtApiBase has no version and cannot grow");

const OrtApi* core_refuse_version(uint32_t version, uint32_t newest, const char* version_string) {
  fprintf(
      stderr,
      "The requested API version [%u] is not available, only API versions [1, %u] are supported "
      "in this build. Current ORT Version is: %s\n",
      version, newest, version_string);
  return NULL;
}

static const OrtApi* ORT_API_CALL get_api(uint32_t version) NO_EXCEPTION {
  if (version >= 1 && version <= ORT_API_VERSION) {
    return &api_table;
  }
  return core_refuse_version(version, ORT_API_VERSION, CORE_VERSION_STRING);
}

static const char* ORT_API_CALL get_version_string(void) NO_EXCEPTION {
  return CORE_VERSION_STRING;
}

static const OrtApiBase api_base = {.GetApi = get_api, .GetVersionString = get_version_string};

const OrtApiBase* core_api_base(void) { return &api_base; }

CORE_EXPORT const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION { return &api_base; }

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif
#ifndef CORE_FLAGS
#define CORE_FLAGS "unknown"
#endif

const char* ORT_API_CALL ort_GetBuildInfoString(void) NO_EXCEPTION {
  return "ORT Build Info: ortcffi core, version=" CORE_VERSION_STRING ", compiler=" COMPILER
         ", allocator=" HEAP_NAME ", flags=" CORE_FLAGS;
}
