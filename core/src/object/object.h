/* SPDX-License-Identifier: MIT */
/**
 * @file object.h
 * How objects of the core begin, are shared, and end.
 *
 * An object begins with one reference. What keeps it adds one, and the last core_drop ends it, on
 * any thread: it calls the end of its class, frees its block and counts it as released. An object
 * that is a part of another one, or a constant, has CORE_PERMANENT references and ends with what it
 * is in.
 *
 * A function that ends an object may call another library's, so no lock of the core may be held.
 */
#pragma once

#include "heap/heap.h"

/** Makes a zeroed object with one reference, in a block of `size` bytes; NULL when out of memory.
 */
void* core_new_object(const struct core_class* class, size_t size);

/** Fills in the head of an object whose block was allocated otherwise, and counts it. */
static inline CORE_INLINE void core_begin(struct core_object* self, const struct core_class* class,
                                          uint32_t type) {
  *self = (struct core_object){class, 1, type};
  heap_created(class->kind);
}

/** Adds a reference. */
static inline CORE_INLINE void core_retain(struct core_object* self) {
  __atomic_fetch_add(&self->references, 1, __ATOMIC_RELAXED);
}

/** Whether an object is a constant or a part of another one, so that releasing it does nothing. */
static inline CORE_INLINE int core_is_permanent(const struct core_object* self) {
  return self->references >= CORE_PERMANENT;
}

/** Whether the caller holds the only reference: no other thread can change the count then. */
static inline CORE_INLINE bool core_is_only_reference(const struct core_object* self) {
  return __atomic_load_n(&self->references, __ATOMIC_ACQUIRE) == 1;
}

/** Drops a reference; returns whether it was the last one. The only holder needs no atomic
 * decrement: no other thread can change the count. */
static inline CORE_INLINE int core_was_last(struct core_object* self) {
  uint32_t references = __atomic_load_n(&self->references, __ATOMIC_ACQUIRE);
  return CORE_LIKELY(references == 1) ||
         (references < CORE_PERMANENT &&
          __atomic_sub_fetch(&self->references, 1, __ATOMIC_ACQ_REL) == 0);
}

/** Ends an object whose last reference is gone. */
void core_end(struct core_object* self);

/** Drops a reference to what begins with a head; the last one ends it. Does nothing for NULL. */
static inline CORE_INLINE void core_drop(void* object) {
  if (object != NULL && core_was_last(object)) {
    core_end(object);
  }
}

/** The slot that releases objects of a type. */
#define CORE_RELEASER(NAME, type) \
  void ORT_API_CALL NAME(type* input) NO_EXCEPTION { core_drop(input); }

/** Declares `name`, a new object of a struct; returns from the function where there is no memory.
 */
#define CORE_NEW(type, name, class)                  \
  type* name = core_new_object(class, sizeof *name); \
  CORE_NEED_MEMORY(name, sizeof *name)

/** The same for a zeroed block of the heap. */
#define CORE_NEW_BLOCK(type, name)       \
  type* name = heap_alloc(sizeof *name); \
  CORE_NEED_MEMORY(name, sizeof *name);  \
  memset(name, 0, sizeof *name)

/** Ends a function that has made an object: hands it out, or drops it and passes a failing status
 * on. */
#define CORE_HAND_OUT(status, made, out)  \
  do {                                    \
    CORE_TRY_OR(status, core_drop(made)); \
    *(out) = (made);                      \
    return NULL;                          \
  } while (0)

/** Makes an object that has one reference a part of another one, which ends it with core_end_part.
 * Releasing a part does nothing, so a kernel that releases what it borrowed does no harm. */
static inline void core_make_part(struct core_object* self) { self->references = CORE_PERMANENT; }

static inline void core_end_part(struct core_object* self) {
  self->references = 1;
  core_drop(self);
}

/** Stores what a thread has made in an atomic place, unless another thread was first. Returns what
 * is stored: if that is not `made`, the caller ends its own. */
static inline void* core_publish(void** place, void* made) {
  void* first = NULL;
  return __atomic_compare_exchange_n(place, &first, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
             ? made
             : first;
}
