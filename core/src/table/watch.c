/* SPDX-License-Identifier: MIT */
/*
 * Watched tables: they note which slot made what a client has not released yet.
 *
 * Each slot that the core answers has one more function here, which notes the new objects that the
 * call hands out. The tables of unwatched clients do not lead here.
 */
#include "object/object.h"
#include "platform/platform.h"
#include "table/new_objects.h"

static uint64_t alive[ORTCORE_TRACED_SLOTS];
static core_once once = CORE_ONCE_INIT;

void ORT_API_CALL core_watched_objects(uint64_t* out) {
  if (out != NULL) {
    core_lock(CORE_LOCK_NOTES);
    memcpy(out, alive, sizeof alive);
    core_unlock(CORE_LOCK_NOTES);
  }
}

void core_each_watched_status(core_noted_status_fn each, void* argument) {
  core_each_noted_status(alive, CORE_COUNT_OF(alive), each, argument);
}

#define NOTE_MADE(place) (core_slot_borrows(slot) ? (void)0 : core_note_made(place, &alive[slot]))

/* The table that is watched. */
static const OrtApi* inner;

#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments)      \
  static CORE_COLD OrtStatus* ORT_API_CALL watched_##name parameters NO_EXCEPTION { \
    const unsigned slot = index;                                                    \
    OrtStatus* status = inner->name arguments;                                      \
    if (CORE_LIKELY(status == NULL)) {                                              \
      NOTE_ALL arguments                                                            \
    }                                                                               \
    return core_note_status(status, &alive[slot]);                                  \
  }
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments)       \
  static CORE_COLD void ORT_API_CALL watched_##name parameters NO_EXCEPTION {      \
    const unsigned slot = index;                                                   \
    if (strncmp(#name, "Release", 7) == 0) { /* before another gets the address */ \
      core_forget(FIRST arguments);                                                \
    }                                                                              \
    inner->name arguments;                                                         \
    NOTE_ALL arguments                                                             \
  }
/* These make nothing. */
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name)
#include "ort_slots.def"

static OrtApi tables[ORT_API_VERSION + 1];

/* What a host lacks or answers in its own way stays as it is. */
static CORE_COLD void fill_tables(void) {
  inner = core_kernel_base(ORT_API_VERSION)->GetApi(ORT_API_VERSION);
  for (uint32_t version = 1; version <= ORT_API_VERSION; version++) {
    OrtApi* table = &tables[version];
    *table = *core_kernel_base(version)->GetApi(version);
#define WATCH(name)                 \
  if (table->name == inner->name) { \
    table->name = watched_##name;   \
  }
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments) WATCH(name)
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments) WATCH(name)
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name)
#include "ort_slots.def"
  }
}

CORE_HOST_BASES(CORE_EACH_HOST);

const OrtApiBase* ORT_API_CALL core_watched_base(uint32_t version) {
  if (version == 0 || version > ORT_API_VERSION) {
    return NULL;
  }
  core_run_once(&once, fill_tables);
  return &bases[version];
}
