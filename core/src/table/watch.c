/* SPDX-License-Identifier: MIT */
/*
 * Watched tables: they note which slot made what a client has not released yet.
 *
 * Each slot that the core answers has one more function here, which notes the new objects that the
 * call hands out. The tables of unwatched clients do not lead here.
 */
#include "object/object.h"
#include "platform/platform.h"
#include "table/notes.h"

/* An object that a client has not released. */
struct noted {
  struct noted* next;
  const void* object;
  uint64_t* alive;
};

#define CHAINS 1024
static struct noted* chains[CHAINS];
static uint64_t alive[ORTCORE_TRACED_SLOTS];
static core_once once = CORE_ONCE_INIT;
/* Whether any object was ever noted. Atomic. */
static bool is_used;

static struct noted** chain_of(const void* object) {
  return &chains[(uintptr_t)object / HEAP_LINE % CHAINS];
}

void core_note(const void* object, uint64_t* count) {
  struct noted* noted = object != NULL ? heap_alloc_object(sizeof *noted) : NULL;
  if (noted != NULL) {
    core_lock(CORE_LOCK_WATCH);
    struct noted** chain = chain_of(object);
    *noted = (struct noted){*chain, object, count};
    *chain = noted;
    ++*count;
    core_unlock(CORE_LOCK_WATCH);
    __atomic_store_n(&is_used, true, __ATOMIC_RELEASE);
  }
}

void core_forget_counted(const uint64_t* numbers, size_t count) {
  core_lock(CORE_LOCK_WATCH);
  for (size_t i = 0; i < CHAINS; i++) {
    struct noted** place = &chains[i];
    while (*place != NULL) {
      struct noted* noted = *place;
      if (noted->alive >= numbers && noted->alive < numbers + count) {
        *place = noted->next;
        heap_free(noted);
      } else {
        place = &noted->next;
      }
    }
  }
  core_unlock(CORE_LOCK_WATCH);
}

void core_watch_forget(const void* object) {
  struct noted* found = NULL;
  if (object == NULL || !__atomic_load_n(&is_used, __ATOMIC_ACQUIRE)) {
    return;
  }
  core_lock(CORE_LOCK_WATCH);
  for (struct noted** place = chain_of(object); *place != NULL; place = &(*place)->next) {
    if ((*place)->object == object) {
      found = *place;
      *place = found->next;
      --*found->alive;
      break;
    }
  }
  core_unlock(CORE_LOCK_WATCH);
  heap_free(found);
}

void ORT_API_CALL core_watched_objects(uint64_t* out) {
  if (out != NULL) {
    core_lock(CORE_LOCK_WATCH);
    memcpy(out, alive, sizeof alive);
    core_unlock(CORE_LOCK_WATCH);
  }
}

static OrtStatus* note_status(unsigned slot, OrtStatus* status) {
  if (status != NULL && !core_is_permanent(&status->object)) {
    core_note(status, &alive[slot]);
  }
  return status;
}

#define NOTE_MADE(place) (core_slot_lends(slot) ? (void)0 : core_note_made(place, &alive[slot]))

/* The table that is watched. */
static const OrtApi* inner;

#define ORT_SLOT_STATUS(index, since, topic, who, gil, name, parameters, arguments) \
  static CORE_COLD OrtStatus* ORT_API_CALL watched_##name parameters NO_EXCEPTION { \
    const unsigned slot = index;                                                    \
    OrtStatus* status = inner->name arguments;                                      \
    if (CORE_LIKELY(status == NULL)) {                                              \
      NOTE_ALL arguments                                                            \
    }                                                                               \
    return note_status(slot, status);                                               \
  }
#define ORT_SLOT_VOID(index, since, topic, who, gil, name, parameters, arguments)  \
  static CORE_COLD void ORT_API_CALL watched_##name parameters NO_EXCEPTION {      \
    const unsigned slot = index;                                                   \
    if (strncmp(#name, "Release", 7) == 0) { /* before another gets the address */ \
      core_watch_forget(FIRST arguments);                                          \
    }                                                                              \
    inner->name arguments;                                                         \
    NOTE_ALL arguments                                                             \
  }
/* These make nothing. */
#define ORT_SLOT_VALUE(index, since, topic, who, gil, returns, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, gil, returns, name)
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
#define ORT_SLOT_STATUS(index, since, topic, who, gil, name, parameters, arguments) WATCH(name)
#define ORT_SLOT_VOID(index, since, topic, who, gil, name, parameters, arguments) WATCH(name)
#define ORT_SLOT_VALUE(index, since, topic, who, gil, returns, name, parameters, arguments)
#define ORT_SLOT_GETTER(index, since, topic, who, gil, returns, name)
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
