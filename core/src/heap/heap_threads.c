/* SPDX-License-Identifier: MIT */
/* The list of threads that have a part of the heap, and the statistics over all of them. */
#include "heap/heap.h"
#include "platform/platform.h"

__thread struct heap_thread* heap_self CORE_TLS = &heap_nobody;

static core_once once = CORE_ONCE_INIT;
static core_thread_key key;
static int ready;

/* All threads' parts; the parts of ended threads, for new threads to reuse; and the counts of ended
 * threads. */
static struct heap_thread* threads;
static struct heap_thread* vacant;
static struct heap_stats ended;
static int64_t ended_live;
static int64_t ended_objects[CORE_KINDS];
static int64_t peak;

static void thread_end(void* argument) {
  struct heap_thread* self = argument;
  /* Whatever else this thread does while it ends begins with a part of its own again. */
  heap_self = &heap_nobody;
  heap_end_thread(self);
  core_lock(CORE_LOCK_HEAP);
  heap_add_calls(&ended, self);
  ended_live += heap_thread_live(self);
  for (size_t i = 0; i < CORE_KINDS; i++) {
    ended_objects[i] += (int64_t)(self->created[i] - self->released[i]);
  }
  struct heap_thread** at = &threads;
  while (*at != self) {
    at = &(*at)->next;
  }
  *at = self->next;
  self->next = vacant;
  vacant = self;
  core_unlock(CORE_LOCK_HEAP);
}

static void at_fork(enum core_fork step) { heap_at_fork(step == CORE_BEFORE_FORK, threads); }

static void begin_threads(void) {
  ready = core_locks_begin() && heap_begin() && core_thread_key_create(&key, thread_end);
  core_at_fork(CORE_LOCK_HEAP, at_fork);
}

struct heap_thread* heap_thread_begin(void) {
  core_run_once(&once, begin_threads);
  if (!ready) {
    return NULL;
  }
  core_lock(CORE_LOCK_HEAP);
  struct heap_thread* self = vacant;
  /* From the system and never given back: the heap has no memory yet for a thread's first block. */
  if (self != NULL) {
    vacant = self->next;
  } else {
    self = core_map(sizeof *self);
  }
  if (self != NULL) {
    heap_begin_thread(self);
    self->next = threads;
    threads = self;
  }
  core_unlock(CORE_LOCK_HEAP);
  if (self == NULL) {
    return NULL;
  }
  heap_self = self;
  core_thread_key_set(key, self);
  return self;
}

static int64_t sum_live(void) {
  int64_t sum = ended_live;
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    sum += heap_thread_live(thread);
  }
  peak = sum > peak ? sum : peak;
  return sum;
}

int64_t heap_note_peak(void) {
  core_lock(CORE_LOCK_HEAP);
  int64_t live = sum_live();
  int64_t room = peak - live;
  core_unlock(CORE_LOCK_HEAP);
  return room;
}

void heap_count_bad_free(void) { __atomic_fetch_add(&ended.bad_frees, 1, __ATOMIC_RELAXED); }

void heap_read_stats(struct heap_stats* out) {
  core_lock(CORE_LOCK_HEAP);
  *out = ended;
  out->live_bytes = (uint64_t)sum_live();
  out->peak_bytes = (uint64_t)peak;
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    heap_add_calls(out, thread);
  }
  core_unlock(CORE_LOCK_HEAP);
  heap_system_stats(out);
}

int64_t heap_live_objects(enum core_kind kind) {
  core_lock(CORE_LOCK_HEAP);
  int64_t sum = ended_objects[kind];
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    sum += (int64_t)(HEAP_READ(thread->created[kind]) - HEAP_READ(thread->released[kind]));
  }
  core_unlock(CORE_LOCK_HEAP);
  return sum;
}

void heap_count_slow(enum core_kind kind, int64_t change) {
  struct heap_thread* self = heap_thread_begin();
  if (self != NULL) {
    HEAP_ADD(self->created[kind], change);
    return;
  }
  core_lock(CORE_LOCK_HEAP);
  ended_objects[kind] += change;
  core_unlock(CORE_LOCK_HEAP);
}
