/* SPDX-License-Identifier: MIT */
/* Notes of the objects that clients have not released. */
#include "status/notes.h"

#include "object/object.h"
#include "platform/platform.h"

/* An object that a client has not released. */
struct noted {
  struct noted* next;
  const void* object;
  uint64_t* alive;
  bool is_status;
  bool is_read;
};

#define CHAINS 1024
static struct noted* chains[CHAINS];
/* Whether any object was ever noted. Atomic. */
static bool is_used;

static struct noted** chain_of(const void* object) {
  return &chains[(uintptr_t)object / HEAP_LINE % CHAINS];
}

bool core_note_as(const void* object, uint64_t* alive, bool is_status) {
  struct noted* noted = heap_alloc_object(sizeof *noted);
  if (noted == NULL) {
    return false;
  }
  core_lock(CORE_LOCK_NOTES);
  struct noted** chain = chain_of(object);
  *noted = (struct noted){*chain, object, alive, is_status, false};
  *chain = noted;
  ++*alive;
  core_unlock(CORE_LOCK_NOTES);
  __atomic_store_n(&is_used, true, __ATOMIC_RELEASE);
  return true;
}

void core_note(const void* object, uint64_t* alive) {
  if (object != NULL) {
    (void)core_note_as(object, alive, false);
  }
}

/* The place of an object's last note in its chain, or the end of the chain. */
static struct noted** find(const void* object) {
  struct noted** place = chain_of(object);
  while (*place != NULL && (*place)->object != object) {
    place = &(*place)->next;
  }
  return place;
}

uint64_t* core_noted_in(const void* object, bool* is_unread) {
  core_lock(CORE_LOCK_NOTES);
  struct noted* found = *find(object);
  uint64_t* alive = found != NULL ? found->alive : NULL;
  if (is_unread != NULL && found != NULL) {
    *is_unread = found->is_status && !found->is_read;
    found->is_read = true;
  }
  core_unlock(CORE_LOCK_NOTES);
  return alive;
}

void core_forget(const void* object) {
  if (object == NULL || !__atomic_load_n(&is_used, __ATOMIC_ACQUIRE)) {
    return;
  }
  core_lock(CORE_LOCK_NOTES);
  struct noted** place = find(object);
  struct noted* found = *place;
  if (found != NULL) {
    *place = found->next;
    --*found->alive;
  }
  core_unlock(CORE_LOCK_NOTES);
  heap_free(found);
}

static bool counts_in(const struct noted* noted, const uint64_t* numbers, size_t count) {
  return noted->alive >= numbers && noted->alive < numbers + count;
}

void core_forget_counted(const uint64_t* numbers, size_t count) {
  core_lock(CORE_LOCK_NOTES);
  for (size_t i = 0; i < CHAINS; i++) {
    struct noted** place = &chains[i];
    while (*place != NULL) {
      struct noted* noted = *place;
      if (counts_in(noted, numbers, count)) {
        *place = noted->next;
        heap_free(noted);
      } else {
        place = &noted->next;
      }
    }
  }
  core_unlock(CORE_LOCK_NOTES);
}

void core_each_noted(const uint64_t* numbers, size_t count, core_noted_fn each, void* argument) {
  core_lock(CORE_LOCK_NOTES); /* a status is forgotten before it is freed */
  for (size_t i = 0; i < CHAINS; i++) {
    for (const struct noted* noted = chains[i]; noted != NULL; noted = noted->next) {
      if (counts_in(noted, numbers, count)) {
        each(argument, (size_t)(noted->alive - numbers), noted->is_status ? noted->object : NULL);
      }
    }
  }
  core_unlock(CORE_LOCK_NOTES);
}
