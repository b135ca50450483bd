/* SPDX-License-Identifier: MIT */
/* The threads' own bins: what happens when one runs empty, is full, or its thread ends. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "heap_internal.h"

/* Until its first call a thread has the bins of nobody: always empty to take from, always full to
 * give to, never written. */
struct heap_thread heap_nobody = {
    .bins = {[0 ... HEAP_MARKS - 1] = {.limit = INT64_MIN}}};
__thread struct heap_thread* heap_self __attribute__((tls_model("initial-exec"))) = &heap_nobody;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int ready;

/* Every thread that has bins, those whose thread has ended and that wait for another, and what
 * ended threads had counted. */
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap_thread* threads;
static struct heap_thread* vacant;
static struct heap_stats ended;
static int64_t ended_live;
static int64_t ended_objects[CORE_KINDS];
static int64_t peak;

static int64_t loaded(const struct heap_bin* bin, size_t size_class) {
  return (int64_t)heap_batch(size_class) - (bin->limit - (int64_t)(bin->pushes - bin->pops));
}

static void set_loaded(struct heap_bin* bin, size_t size_class, struct heap_block* head,
                       size_t count) {
  bin->head = head;
  bin->limit = (int64_t)(bin->pushes - bin->pops) + (int64_t)heap_batch(size_class) - (int64_t)count;
}

/* Beyond here the bin knows nothing of the batch. */
static void give_batch(struct heap_thread* self, size_t size_class, struct heap_block* batch,
                       size_t count) {
  self->floor -= (int64_t)(count * self->bins[size_class].size);
  heap_central_give(size_class, batch, count);
}

/* Only small blocks count: large ones have the thread's own cap. */
static void count_spares(struct heap_thread* self, size_t size_class, int64_t blocks) {
  if (size_class < HEAP_FIRST_LARGE) {
    self->spare_bytes += blocks * (int64_t)self->bins[size_class].size;
  }
}

static void give_spares(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* batch = bin->spares;
  bin->spares = NULL;
  while (batch != NULL && batch->key == heap_key(batch)) {
    struct heap_block* next = batch->next_batch;
    size_t count = batch->batch_count;
    count_spares(self, size_class, -(int64_t)count);
    give_batch(self, size_class, batch, count);
    batch = next;
  }
}

static void give_bin(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  int64_t count = loaded(bin, size_class);
  if (bin->head != NULL && count > 0) {
    give_batch(self, size_class, bin->head, (size_t)count);
  }
  set_loaded(bin, size_class, NULL, 0);
  give_spares(self, size_class);
}

static void give_all(struct heap_thread* self) {
  for (size_t size_class = 1; size_class <= HEAP_LAST_CLASS; size_class++) {
    give_bin(self, size_class);
  }
}

static void thread_end(void* argument) {
  struct heap_thread* self = argument;
  heap_self = &heap_nobody;
  give_all(self);
  pthread_mutex_lock(&threads_lock);
  for (size_t i = 1; i <= HEAP_LAST_CLASS; i++) {
    ended.allocations += self->bins[i].pops;
    ended.frees += self->bins[i].pushes;
  }
  ended_live += self->live;
  for (size_t i = 0; i < CORE_KINDS; i++) {
    ended_objects[i] += self->objects[i];
  }
  struct heap_thread** at = &threads;
  while (*at != self) {
    at = &(*at)->next;
  }
  *at = self->next;
  self->next = vacant;
  vacant = self;
  pthread_mutex_unlock(&threads_lock);
}

static void before_fork(void) {
  pthread_mutex_lock(&threads_lock);
  heap_central_lock();
  heap_region_lock();
}

static void after_fork(void) {
  heap_region_unlock();
  heap_central_unlock();
  pthread_mutex_unlock(&threads_lock);
}

static void begin(void) {
  ready = heap_region_begin() && pthread_key_create(&key, thread_end) == 0 &&
          pthread_atfork(before_fork, after_fork, after_fork) == 0;
}

static void fill_bins(struct heap_thread* self) {
  memset(self, 0, sizeof *self);
  for (size_t i = 0; i < HEAP_MARKS; i++) {
    self->bins[i].limit = INT64_MIN;
  }
  for (size_t i = 1; i <= HEAP_LAST_CLASS; i++) {
    struct heap_bin* bin = &self->bins[i];
    bin->size = heap_class_size(i);
    bin->stride = heap_class_stride(i);
    bin->inverse = (((uint64_t)1 << 42) + bin->stride - 1) / bin->stride;
    set_loaded(bin, i, NULL, 0);
  }
  self->floor = -HEAP_THREAD_CAP;
}

/* The calling thread's bins, made on its first call; NULL where there is no memory for them. */
static struct heap_thread* thread_begin(void) {
  pthread_once(&once, begin);
  if (!ready) {
    return NULL;
  }
  pthread_mutex_lock(&threads_lock);
  struct heap_thread* self = vacant;
  if (self != NULL) {
    vacant = self->next;
  } else {
    self = mmap(NULL, sizeof *self, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (self != MAP_FAILED) {
    fill_bins(self);
    self->next = threads;
    threads = self;
  }
  pthread_mutex_unlock(&threads_lock);
  if (self == MAP_FAILED) {
    return NULL;
  }
  heap_self = self;
  pthread_setspecific(key, self);
  return self;
}

void* heap_alloc_slow(size_t size) {
  if (size == 0 || size > (SIZE_MAX >> 2) || (heap_self == &heap_nobody && !thread_begin())) {
    return NULL;
  }
  int64_t taken = heap_region_take((size + HEAP_SEGMENT - 1) >> HEAP_SEGMENT_SHIFT, HEAP_HUGE);
  if (taken < 0) {
    return NULL;
  }
  struct heap_thread* self = heap_self;
  HEAP_ADD(self->bins[HEAP_LAST_CLASS].pops, 1);
  HEAP_ADD(self->bins[HEAP_LAST_CLASS].limit, -1);
  int64_t bytes = (int64_t)heap_segments[taken].run << HEAP_SEGMENT_SHIFT;
  self->floor += bytes;
  HEAP_ADD(self->live, bytes);
  heap_peak(self);
  return heap_segment_start((size_t)taken);
}

static enum heap_verdict free_huge(struct heap_thread* self, void* pointer) {
  size_t segment = heap_segment_of(pointer);
  if (pointer != heap_segment_start(segment)) {
    return heap_bad_free(HEAP_INTERIOR);
  }
  int64_t bytes = (int64_t)heap_segments[segment].run << HEAP_SEGMENT_SHIFT;
  heap_region_give(segment);
  HEAP_ADD(self->bins[HEAP_LAST_CLASS].pushes, 1);
  HEAP_ADD(self->bins[HEAP_LAST_CLASS].limit, 1);
  self->floor -= bytes;
  HEAP_ADD(self->live, -bytes);
  return HEAP_FREED;
}

void* heap_refill(struct heap_thread* self, size_t size_class) {
  if (self == &heap_nobody && (self = thread_begin()) == NULL) {
    return NULL;
  }
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* batch = bin->spares;
  size_t count;
  if (batch != NULL && batch->key == heap_key(batch)) {
    count = batch->batch_count;
    bin->spares = batch->next_batch;
    count_spares(self, size_class, -(int64_t)count);
  } else {
    bin->spares = NULL;
    batch = heap_central_take(size_class, &count);
    if (batch == NULL) {
      return NULL;
    }
    self->floor += (int64_t)(count * bin->size);
  }
  set_loaded(bin, size_class, batch, count);
  return heap_alloc(bin->size);
}

/* The list behind a block that somebody wrote to leads anywhere: it is left alone. */
void* heap_broken(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  fprintf(stderr, "ortcffi: block %p of %zu bytes was written to after it was freed, or overrun\n",
          (void*)bin->head, (size_t)bin->size);
  set_loaded(bin, size_class, NULL, 0);
  return heap_refill(self, size_class);
}

/* Makes room in a full bin by setting its blocks aside as one more batch. */
static void spill(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* batch = bin->head;
  size_t count = heap_batch(size_class);
  set_loaded(bin, size_class, NULL, 0);
  batch->batch_count = count;
  batch->next_batch = bin->spares;
  bin->spares = batch;
  count_spares(self, size_class, (int64_t)count);
  if (self->spare_bytes > HEAP_SPARE_CAP) {
    give_spares(self, size_class);
  }
}

enum heap_verdict heap_free_slow(struct heap_thread* self, size_t mark, void* pointer) {
  if (pointer == NULL) {
    return HEAP_FREED;
  }
  if (mark == HEAP_NOTHING || mark == HEAP_INSIDE) {
    return heap_bad_free(mark == HEAP_NOTHING ? HEAP_FOREIGN : HEAP_INTERIOR);
  }
  if (self == &heap_nobody && (self = thread_begin()) == NULL) {
    return HEAP_FREED;
  }
  if (mark == HEAP_HUGE) {
    return free_huge(self, pointer);
  }
  if (self->bins[mark].head != NULL) {
    spill(self, mark);
  }
  return heap_free(pointer);
}

enum heap_verdict heap_bad_free(enum heap_verdict verdict) {
  __atomic_fetch_add(&ended.bad_frees, 1, __ATOMIC_RELAXED);
  return verdict;
}

void heap_trim_thread(struct heap_thread* self) {
  for (size_t size_class = HEAP_LAST_CLASS; size_class >= HEAP_FIRST_LARGE; size_class--) {
    if (self->live - self->floor >= HEAP_THREAD_CAP / 2) {
      return;
    }
    give_bin(self, size_class);
  }
}

static int64_t sum_live(void) {
  int64_t sum = ended_live;
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    sum += HEAP_READ(thread->live);
  }
  return sum;
}

void heap_peak(struct heap_thread* self) {
  pthread_mutex_lock(&threads_lock);
  int64_t sum = sum_live();
  peak = sum > peak ? sum : peak;
  pthread_mutex_unlock(&threads_lock);
  self->mark = self->live + 4096 + (self->live >> 10);
}

void heap_shrink(void) {
  if (heap_self != &heap_nobody) {
    give_all(heap_self);
  }
  heap_central_shrink();
}

void heap_read_stats(struct heap_stats* out) {
  pthread_mutex_lock(&threads_lock);
  *out = ended;
  int64_t live = sum_live();
  peak = live > peak ? live : peak;
  out->live_bytes = (uint64_t)live;
  out->peak_bytes = (uint64_t)peak;
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    for (size_t i = 1; i <= HEAP_LAST_CLASS; i++) {
      out->allocations += HEAP_READ(thread->bins[i].pops);
      out->frees += HEAP_READ(thread->bins[i].pushes);
    }
  }
  pthread_mutex_unlock(&threads_lock);
  heap_region_stats(out);
}

int64_t heap_live_objects(enum core_kind kind) {
  pthread_mutex_lock(&threads_lock);
  int64_t sum = ended_objects[kind];
  for (struct heap_thread* thread = threads; thread != NULL; thread = thread->next) {
    sum += HEAP_READ(thread->objects[kind]);
  }
  pthread_mutex_unlock(&threads_lock);
  return sum;
}

void heap_count_slow(enum core_kind kind, int64_t change) {
  struct heap_thread* self = thread_begin();
  if (self != NULL) {
    HEAP_ADD(self->objects[kind], change);
  }
}
