/* SPDX-License-Identifier: MIT */
/*
 * Emulated hosts: tables of older API versions.
 *
 * A slot function cannot see through which table it was called. For its message to name the host,
 * each host has its own functions for the slots that it lacks: some 3800 of ten bytes each. Their
 * tables are filled in on first use: as constants, each pointer would need a relocation, and these
 * take more space than the code.
 */
#include <stdio.h>
#include <string.h>

#include "custom_ops/custom_op.h"
#include "table/versions.h"
#include "platform/platform.h"

/* Stubs ignore their arguments. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/* The hosts that lack something. */
#define HOSTS (ORT_API_VERSION - 1)

/* One string of all names: an array of pointers would need a relocation for each. */
static const char names[] =
#define ORT_SLOT(index, since, topic, who, returns, name, parameters, arguments) #name "\0"
#include "ort_slots.def"
    ;
static const uint8_t versions[] = {
#define ORT_SLOT(index, since, topic, who, returns, name, parameters, arguments) since,
#include "ort_slots.def"
};

void core_describe_late_slot(char text[CORE_LATE_ROOM], const char* name, unsigned since,
                             uint32_t host, const char* version_string) {
  snprintf(text, CORE_LATE_ROOM, "%s came with API version %u; this host is %s, of API version %u",
           name, since, version_string, host);
}

/* Slot and host in one number, so that each of the many stubs passes one argument. */
#define LATE(index, host) ((index) << 8 | (host))

static CORE_COLD OrtStatus* late(unsigned late_slot) {
  unsigned index = late_slot >> 8, host = late_slot & 0xFF;
  char version_string[16], text[CORE_LATE_ROOM];
  snprintf(version_string, sizeof version_string, "1.%u.0", host);
  const char* name = names;
  for (unsigned i = 0; i < index; i++) {
    name += strlen(name) + 1;
  }
  core_describe_late_slot(text, name, versions[index], host, version_string);
  return core_status(ORT_NOT_IMPLEMENTED, "%s", text);
}

/* Cold functions are optimized for size. */
#define STATUS_STUB(host, index, name, parameters)                                    \
  static CORE_COLD OrtStatus* ORT_API_CALL name##_in_##host parameters NO_EXCEPTION { \
    return late(LATE(index, host));                                                   \
  }
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments) \
  CORE_EACH_HOST_BEFORE(since, STATUS_STUB, index, name, parameters)
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments) \
  static CORE_COLD void ORT_API_CALL no_##name parameters NO_EXCEPTION {}
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments) \
  static CORE_COLD returns ORT_API_CALL no_##name parameters NO_EXCEPTION { return (returns)0; }
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  ORT_SLOT_VALUE(index, since, topic, who, returns, name, (void), ())
#include "ort_slots.def"

static OrtApi tables[HOSTS + 1];
static core_once once = CORE_ONCE_INIT;

static const OrtApiBase bases[];

/* The slots that load op libraries. A library gets the base of the host, not the core's. */
#define REGISTRATION(host, ...)                                                   \
  static CORE_COLD OrtStatus* ORT_API_CALL register_v1_in_##host(                 \
      OrtSessionOptions* options, const char* path, void** handle) NO_EXCEPTION { \
    return core_register_library_v1(options, &bases[host], path, handle);         \
  }                                                                               \
  static CORE_COLD OrtStatus* ORT_API_CALL register_v2_in_##host(                 \
      OrtSessionOptions* options, const ORTCHAR_T* path) NO_EXCEPTION {           \
    return core_register_library_v2(options, &bases[host], path);                 \
  }                                                                               \
  static CORE_COLD OrtStatus* ORT_API_CALL register_function_in_##host(           \
      OrtSessionOptions* options, const char* name) NO_EXCEPTION {                \
    return core_register_function(options, &bases[host], name);                   \
  }
CORE_EACH_OLDER_HOST(REGISTRATION, )

#define SET_REGISTRATION(host, ...)                                            \
  tables[host].RegisterCustomOpsLibrary = register_v1_in_##host;               \
  if ((host) >= 14) {                                                          \
    tables[host].RegisterCustomOpsLibrary_V2 = register_v2_in_##host;          \
    tables[host].RegisterCustomOpsUsingFunction = register_function_in_##host; \
  }

/* A function for each slot: in one function, gcc would compare each pair of the thousands of
 * stores, which takes it seconds. */
#define SET_STUB(host, name) tables[host].name = name##_in_##host;
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments) \
  static CORE_COLD void set_##name(void) { CORE_EACH_HOST_BEFORE(since, SET_STUB, name) }
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments)
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name)
#include "ort_slots.def"

static CORE_COLD void fill_tables(void) {
  for (int host = 1; host <= HOSTS; host++) {
    tables[host] = *core_api_base()->GetApi(ORT_API_VERSION);
  }
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments) set_##name();
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments) \
  for (int host = 1; host < (since); host++) {                               \
    tables[host].name = no_##name;                                           \
  }
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments) \
  ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  ORT_SLOT_VOID(index, since, topic, who, name, (void), ())
#include "ort_slots.def"
  CORE_EACH_OLDER_HOST(SET_REGISTRATION, )
}

CORE_HOST_BASES(CORE_EACH_OLDER_HOST);

const OrtApiBase* ORT_API_CALL core_emulate(uint32_t version) {
  if (version == 0 || version > ORT_API_VERSION) {
    return NULL;
  }
  core_run_once(&once, fill_tables);
  return version == ORT_API_VERSION ? core_api_base() : &bases[version];
}
