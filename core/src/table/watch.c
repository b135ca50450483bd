/* SPDX-License-Identifier: MIT */
/*
 * Watched tables: they note which slot made what a client has not released yet.
 *
 * Each slot that the core answers has one more function here, which notes the new objects that the
 * call hands out. The tables of unwatched clients do not lead here.
 */
#include <string.h>

#include "object/object.h"
#include "platform/platform.h"
#include "table/versions.h"

/* An object that a client has not released. */
struct noted {
  struct noted* next;
  const void* object;
  unsigned slot;
};

#define CHAINS 1024
static struct noted* chains[CHAINS];
static uint64_t alive[ORTCORE_TRACED_SLOTS];
static core_once once = CORE_ONCE_INIT;
/* Whether any client has been given a watched table. Atomic. */
static bool is_used;

static struct noted** chain_of(const void* object) {
  return &chains[(uintptr_t)object / HEAP_LINE % CHAINS];
}

/* Without memory the object is not noted. */
static void note(unsigned slot, const void* object) {
  struct noted* noted = object != NULL ? heap_alloc_object(sizeof *noted) : NULL;
  if (noted != NULL) {
    core_lock(CORE_LOCK_WATCH);
    struct noted** chain = chain_of(object);
    *noted = (struct noted){*chain, object, slot};
    *chain = noted;
    alive[slot]++;
    core_unlock(CORE_LOCK_WATCH);
  }
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
      alive[found->slot]--;
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
    note(slot, status);
  }
  return status;
}

/* Whether a slot hands out what its caller must not release. */
#define SLOT(name) (offsetof(OrtApi, name) / sizeof(void*))
static inline bool lends(unsigned slot) {
  return slot == SLOT(KernelContext_GetOutput) ||
         slot == SLOT(KernelContext_GetPreallocatedOutput) ||
         slot == SLOT(ShapeInferContext_GetInputTypeShape);
}

/* `place` is where the caller wanted a pointer to the new object. */
static void note_made(unsigned slot, uintptr_t place) {
  const void* object = NULL;
  if (place != 0 && !lends(slot)) {
    memcpy(&object, (const void*)place, sizeof object);
    note(slot, object);
  }
}

/* Whether an argument is the place for a new object. What the caller may only read is const. */
#define IS_PLACE(argument)              \
  _Generic((argument),                  \
      OrtValue * *: 1,                  \
      OrtTypeInfo * *: 1,               \
      OrtTensorTypeAndShapeInfo * *: 1, \
      OrtOpAttr * *: 1,                 \
      OrtKernelInfo * *: 1,             \
      OrtKeyValuePairs * *: 1,          \
      OrtMemoryInfo * *: 1,             \
      default: 0)
#define NOTE(argument) (IS_PLACE(argument) ? note_made(slot, (uintptr_t)(argument)) : (void)0);
#define NOTE_1(a) NOTE(a)
#define NOTE_2(a, ...) NOTE(a) NOTE_1(__VA_ARGS__)
#define NOTE_3(a, ...) NOTE(a) NOTE_2(__VA_ARGS__)
#define NOTE_4(a, ...) NOTE(a) NOTE_3(__VA_ARGS__)
#define NOTE_5(a, ...) NOTE(a) NOTE_4(__VA_ARGS__)
#define NOTE_6(a, ...) NOTE(a) NOTE_5(__VA_ARGS__)
#define NOTE_7(a, ...) NOTE(a) NOTE_6(__VA_ARGS__)
#define NOTE_8(a, ...) NOTE(a) NOTE_7(__VA_ARGS__)
#define NOTE_9(a, ...) NOTE(a) NOTE_8(__VA_ARGS__)
#define NOTE_10(a, ...) NOTE(a) NOTE_9(__VA_ARGS__)
#define NOTE_11(a, ...) NOTE(a) NOTE_10(__VA_ARGS__)
#define NOTE_12(a, ...) NOTE(a) NOTE_11(__VA_ARGS__)
/* The macro for as many arguments. */
#define NOTE_OF(a, b, c, d, e, f, g, h, i, j, k, l, chosen, ...) chosen
#define NOTE_ALL(...)                                                                             \
  NOTE_OF(__VA_ARGS__, NOTE_12, NOTE_11, NOTE_10, NOTE_9, NOTE_8, NOTE_7, NOTE_6, NOTE_5, NOTE_4, \
          NOTE_3, NOTE_2, NOTE_1, )                                                               \
  (__VA_ARGS__)
#define FIRST(...) FIRST_OF(__VA_ARGS__, )
#define FIRST_OF(first, ...) first

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

static void prepare(void) {
  fill_tables();
  __atomic_store_n(&is_used, true, __ATOMIC_RELEASE);
}

CORE_HOST_BASES(CORE_EACH_HOST);

const OrtApiBase* ORT_API_CALL core_watched_base(uint32_t version) {
  if (version == 0 || version > ORT_API_VERSION) {
    return NULL;
  }
  core_run_once(&once, prepare);
  return &bases[version];
}
