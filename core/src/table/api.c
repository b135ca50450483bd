/* SPDX-License-Identifier: MIT */
/* The entry point, the versions, and the tables: OrtApi and those that its slots answer. */

#include "ortcore.h"

#include "heap/heap.h"
#include "table/arguments.inc"
#include "table/versions.h"

/* A NULL is refused before 'not implemented', so that a caller's mistake has the same answer before
 * and after the slot is written. */
#define STUB_STATUS(symbol, name, parameters, arguments, text)    \
  static OrtStatus* ORT_API_CALL symbol parameters NO_EXCEPTION { \
    STUB_REQUIRE(name, STUB_LIST arguments);                      \
    CORE_FAIL(ORT_NOT_IMPLEMENTED, #name text);                   \
  }
#define STUB_REQUIRE(name, ...) CORE_REQUIRE(name, __VA_ARGS__)
#define STUB_LIST(...) __VA_ARGS__
#define STUB_VOID(symbol, parameters) \
  static void ORT_API_CALL symbol parameters NO_EXCEPTION {}
#define STUB_VALUE(symbol, returns, parameters) \
  static returns ORT_API_CALL symbol parameters NO_EXCEPTION { return (returns)0; }

/* Why the core answers a slot of a table with ORT_NOT_IMPLEMENTED. Of the other rows, releases are
 * for objects that no row makes, and GetTrainingApi is NULL in most builds of the real library. */
#define CORE_WHY_OrtApi                                                                     \
  "it is for providers that a library is built with, of which the core has none: register " \
  "a library of the provider"
#define CORE_WHY_OrtEpApi "sessions of the core share no packed weights"
#define CORE_WHY_OrtModelPackageApi "it reads no model packages; the library onnxruntime does"

#define STUB_STATUS_HOST(symbol, name, parameters, arguments)
#define STUB_STATUS_ENGINE(symbol, name, parameters, arguments) \
  STUB_STATUS(symbol, name, parameters, arguments,              \
              " is not implemented in ortcffi's core: " CORE_JOIN(CORE_WHY_, ORT_TABLE))
#define STUB_STATUS_NOT_YET(symbol, name, parameters, arguments) \
  STUB_STATUS(symbol, name, parameters, arguments, " is not implemented yet in ortcffi's core")

#define STUB_VOID_HOST(symbol, parameters)
#define STUB_VOID_ENGINE(symbol, parameters) STUB_VOID(symbol, parameters)
#define STUB_VOID_NOT_YET(symbol, parameters) STUB_VOID(symbol, parameters)

#define STUB_VALUE_HOST(symbol, returns, parameters)
#define STUB_VALUE_TABLE(symbol, returns, parameters)
#define STUB_VALUE_ENGINE(symbol, returns, parameters) STUB_VALUE(symbol, returns, parameters)
#define STUB_VALUE_NOT_YET(symbol, returns, parameters) STUB_VALUE(symbol, returns, parameters)

#define ROWS "table/stub_rows.def"
#include "ort_tables.def"

/* A member for each type of table, with the same name. */
static const struct {
  OrtApi OrtApi;
  OrtModelEditorApi OrtModelEditorApi;
  OrtCompileApi OrtCompileApi;
  OrtInteropApi OrtInteropApi;
  OrtEpApi OrtEpApi;
  OrtModelPackageApi OrtModelPackageApi;
} tables = {
#define ROW(index, since, topic, who, returns, name, parameters) \
  .ORT_TABLE.name = CORE_SYMBOL(name),
#define ROWS "ort_rows.def"
#include "ort_tables.def"
#undef ROW
};

#define TABLE_GETTER(NAME, type) \
  const type* ORT_API_CALL NAME(void) NO_EXCEPTION { return &tables.type; }
TABLE_GETTER(ort_GetModelEditorApi, OrtModelEditorApi)
TABLE_GETTER(ort_GetCompileApi, OrtCompileApi)
TABLE_GETTER(ort_GetInteropApi, OrtInteropApi)
TABLE_GETTER(ort_GetEpApi, OrtEpApi)
TABLE_GETTER(ort_GetModelPackageApi, OrtModelPackageApi)

/* Clients find a slot by its offset. */
#define ROW(index, since, topic, who, returns, name, parameters)             \
  _Static_assert(offsetof(ORT_TABLE, name) == (index) * sizeof(void*), #name \
                 " is not in its "                                           \
                 "slot");
#define ROWS "ort_rows.def"
#include "ort_tables.def"
#undef ROW

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
   : (i) <= 425 ? 30       \
   : (i) <= 427 ? 31       \
                : 32)

#define ORT_SLOT(index, since, topic, who, returns, name, parameters) \
  _Static_assert((since) == VERSION_OF_SLOT(index), #name " is not of version " #since);
#include "ort_slots.def"
_Static_assert(sizeof(OrtApi) == ORTCORE_TRACED_SLOTS * sizeof(void*),
               "a slot was added to a version that shipped");
_Static_assert(sizeof(OrtApiBase) == 2 * sizeof(void*),
               "OrtApiBase has no version and cannot grow");

/* The version that GetApi refused last on this thread. GetApi has no status to say it with, and a
 * library that asked for it often fails later without a word of it. */
static _Thread_local uint32_t refused_version CORE_TLS;

uint32_t core_take_refused_version(void) {
  uint32_t version = refused_version;
  refused_version = 0;
  return version;
}

/* Clients look for the text that onnxruntime prints, so it is the same. */
const OrtApi* core_refuse_version(uint32_t version, uint32_t newest, const char* version_string) {
  refused_version = version;
  fprintf(
      stderr,
      "The requested API version [%u] is not available, only API versions [1, %u] are supported "
      "in this build. Current ORT Version is: %s\n",
      version, newest, version_string);
  return NULL;
}

static const OrtApi* ORT_API_CALL get_api(uint32_t version) NO_EXCEPTION {
  if (version >= 1 && version <= ORT_API_VERSION) {
    return &tables.OrtApi;
  }
  return core_refuse_version(version, ORT_API_VERSION, CORE_VERSION_STRING);
}

static const char* ORT_API_CALL get_version_string(void) NO_EXCEPTION {
  return CORE_VERSION_STRING;
}

static const OrtApiBase api_base = {.GetApi = get_api, .GetVersionString = get_version_string};

const OrtApiBase* core_api_base(void) { return &api_base; }

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
#ifndef CORE_BUILD
#define CORE_BUILD "of make"
#endif

const char* core_build(void) { return CORE_BUILD; }

/* Here, because in a file that uses heap_alloc the compiler would no longer inline all uses. */
void* core_heap_alloc(size_t size) { return heap_alloc(size); }

void core_heap_free(void* block) { heap_free(block); }

const char* ORT_API_CALL ort_GetBuildInfoString(void) NO_EXCEPTION {
  return "ORT Build Info: ortcffi core, version=" CORE_VERSION_STRING ", compiler=" COMPILER
         ", allocator=" HEAP_NAME ", flags=" CORE_FLAGS;
}
