/* SPDX-License-Identifier: MIT */
/* A thread's own bins: what happens when one runs empty or full. */

#include "heap/heap_internal.h"

/* Until its first allocation a thread uses these bins: always empty when taking, always full when
 * freeing, never written. */
struct heap_thread heap_nobody = {.bins = {[0 ... HEAP_MARKS - 1] = {.limit = INT64_MIN}}};

/* From this class on, an empty bin takes blocks of larger classes, up to so many classes above. */
#define BORROW_FROM 17
#define BORROW_STEPS 4

/* From this size on, getting zeroed pages from the system costs less than writing zeros. */
#define LAZY_FROM ((size_t)1 << 20)

void heap_report_broken(const struct heap_block* block) {
  fprintf(stderr, "ortcffi: block %p of %zu bytes was written to after it was freed, or overrun\n",
          (const void*)block, heap_class_size(heap_mark(block)));
}

/* The number of blocks in `head`. No field counts it, so that a fast path writes `pops` or `pushes`
 * alone: the number follows from these and the limit. */
static int64_t loaded(const struct heap_bin* bin) {
  return bin->capacity - (bin->limit - (int64_t)(bin->pushes - bin->pops));
}

/* Gives the bin a list of blocks; it is full when `capacity` of them are in it. */
static void set_loaded(struct heap_bin* bin, struct heap_block* head, size_t count) {
  bin->head = head;
  bin->limit = (int64_t)(bin->pushes - bin->pops) + bin->capacity - (int64_t)count;
}

/* Counts small blocks only: large bins have no spare batches. */
static void count_spares(struct heap_thread* self, size_t size_class, int64_t blocks) {
  if (size_class < HEAP_FIRST_LARGE) {
    self->spare_bytes += blocks * (int64_t)heap_class_size(size_class);
  }
}

/* Moves the bin's blocks to its list of spare batches. */
static void set_aside(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* batch = bin->head;
  size_t count = (size_t)loaded(bin);
  set_loaded(bin, NULL, 0);
  batch->batch_count = count;
  batch->next_batch = bin->spares;
  bin->spares = batch;
  count_spares(self, size_class, (int64_t)count);
}

/* Ends at a batch whose key is gone, since its links and count cannot be trusted either. */
static void give_spares(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* batch = bin->spares;
  bin->spares = NULL;
  while (batch != NULL && batch->key == heap_key(batch)) {
    struct heap_block* next = batch->next_batch;
    size_t count = batch->batch_count;
    count_spares(self, size_class, -(int64_t)count);
    heap_central_give(size_class, batch, count);
    batch = next;
  }
}

static void give_bin(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  int64_t count = loaded(bin);
  if (bin->head != NULL && count > 0) {
    heap_central_give(size_class, bin->head, (size_t)count);
  }
  /* A small bin keeps its room. A large one is granted room again block by block. */
  if (size_class >= HEAP_FIRST_LARGE) {
    self->granted -= bin->capacity * (int64_t)heap_class_size(size_class);
    bin->capacity = 0;
  }
  set_loaded(bin, NULL, 0);
  give_spares(self, size_class);
}

void heap_end_thread(struct heap_thread* self) {
  for (size_t size_class = 1; size_class <= HEAP_LAST_CLASS; size_class++) {
    give_bin(self, size_class);
  }
}

int64_t heap_thread_live(const struct heap_thread* thread) {
  int64_t sum = HEAP_READ(thread->huge_bytes);
  for (size_t i = 1; i <= HEAP_LAST_CLASS; i++) {
    const struct heap_bin* bin = &thread->bins[i];
    sum += (int64_t)(HEAP_READ(bin->pops) - HEAP_READ(bin->pushes)) * (int64_t)heap_class_size(i);
  }
  return sum;
}

void heap_add_calls(struct heap_stats* out, const struct heap_thread* thread) {
  out->allocations += HEAP_READ(thread->huge_pops);
  out->frees += HEAP_READ(thread->huge_pushes);
  for (size_t i = 1; i <= HEAP_LAST_CLASS; i++) {
    out->allocations += HEAP_READ(thread->bins[i].pops);
    out->frees += HEAP_READ(thread->bins[i].pushes);
  }
}

void heap_begin_thread(struct heap_thread* self) {
  memset(self, 0, sizeof *self);
  self->secret = heap_region.secret;
  /* Marks that are not classes keep this: a bin without blocks that is always full. */
  for (size_t i = 0; i < HEAP_MARKS; i++) {
    self->bins[i].limit = INT64_MIN;
  }
  for (size_t i = 1; i <= HEAP_LAST_CLASS; i++) {
    struct heap_bin* bin = &self->bins[i];
    if (i < HEAP_FIRST_LARGE) {
      bin->inverse = UINT64_MAX / heap_class_stride(i) + 1;
      bin->capacity = (int64_t)heap_batch(i);
    }
    set_loaded(bin, NULL, 0);
  }
}

/* Moves the blocks in large bins to the spare batches, so that taking one needs the slow path. */
static void hide_large(struct heap_thread* self) {
  for (size_t i = HEAP_FIRST_LARGE; i <= HEAP_LAST_CLASS; i++) {
    struct heap_bin* bin = &self->bins[i];
    if (bin->head != NULL) {
      /* Keep one spare batch at most, because spares do not count against the thread's cap. */
      give_spares(self, i);
      set_aside(self, i);
    }
  }
}

/* Recomputes the peak. The fast path does not: large bins therefore show it free blocks only if
 * taking all of them could not raise the peak. */
static void note_peak(struct heap_thread* self) {
  int64_t room = heap_note_peak();
  int64_t shown = 0;
  for (size_t i = HEAP_FIRST_LARGE; i <= HEAP_LAST_CLASS; i++) {
    if (self->bins[i].head != NULL) {
      shown += loaded(&self->bins[i]) * (int64_t)heap_class_size(i);
    }
  }
  if (shown > room) {
    hide_large(self);
  }
}

/* Huge blocks come from the system and go back there at once: the time to touch their pages is far
 * longer than a lock and two system calls. */
static void* alloc_huge(struct heap_thread* self, size_t size) {
  size_t segments = (size + HEAP_SEGMENT - 1) >> HEAP_SEGMENT_SHIFT;
  int64_t taken = heap_region_take(segments, HEAP_HUGE);
  if (taken < 0) {
    return NULL;
  }
  HEAP_ADD(self->huge_pops, 1);
  HEAP_ADD(self->huge_bytes, (int64_t)(segments << HEAP_SEGMENT_SHIFT));
  note_peak(self);
  return heap_segment_start((size_t)taken);
}

static enum heap_verdict free_huge(struct heap_thread* self, void* pointer) {
  size_t segment = heap_segment_of(pointer);
  HEAP_ADD(self->huge_pushes, 1);
  HEAP_ADD(self->huge_bytes, -((int64_t)heap_segments[segment].run << HEAP_SEGMENT_SHIFT));
  heap_region_give(segment);
  return HEAP_FREED;
}

/* Fills an empty bin with a spare batch, or with one from the central list. */
static int refill(struct heap_thread* self, size_t size_class, int fresh) {
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* batch = bin->spares;
  size_t count;
  if (batch != NULL && batch->key == heap_key(batch)) {
    count = batch->batch_count;
    bin->spares = batch->next_batch;
    count_spares(self, size_class, -(int64_t)count);
  } else {
    bin->spares = NULL;
    batch = heap_central_take(size_class, fresh, &count);
    if (batch == NULL) {
      return 0;
    }
  }
  set_loaded(bin, batch, count);
  return 1;
}

/* The next pointer of an overwritten block cannot be trusted, so the list is dropped. */
static void drop_broken(struct heap_bin* bin) {
  if (bin->head != NULL && bin->head->key != heap_key(bin->head)) {
    heap_report_broken(bin->head);
    set_loaded(bin, NULL, 0);
  }
}

/* Uses free blocks of a slightly larger class before untouched memory. That keeps the sum of the
 * classes' high-water marks close to what is in use. */
static size_t borrow(struct heap_thread* self, size_t size_class) {
  if (size_class < BORROW_FROM) {
    return 0;
  }
  for (size_t larger = size_class + 1;
       larger <= size_class + BORROW_STEPS && larger < HEAP_FIRST_LARGE; larger++) {
    drop_broken(&self->bins[larger]);
    if (self->bins[larger].head != NULL || refill(self, larger, 0)) {
      return larger;
    }
  }
  return 0;
}

/* Whether this allocation may raise the high-water mark. Small bins are checked only when they run
 * empty, so the peak is exact to within what a bin holds. */
static int rises(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  if (size_class >= HEAP_FIRST_LARGE) {
    return 1;
  }
  int64_t used = (int64_t)(bin->pops - bin->pushes);
  int higher = used >= bin->mark;
  bin->mark = higher ? used + 1 + (used >> 6) : bin->mark;
  return higher;
}

/* Looks for a block where it costs least memory: among this thread's and other threads' free blocks
 * of the class, then among those of larger classes, and only then in memory never touched. */
void* heap_alloc_slow(size_t size) {
  if (size == 0) {
    return NULL;
  }
  struct heap_thread* self = heap_self;
  if (self == &heap_nobody && (self = heap_thread_begin()) == NULL) {
    return NULL;
  }
  if (size > HEAP_LARGEST) {
    return size < heap_region.span ? alloc_huge(self, size) : NULL;
  }
  size_t size_class = heap_class_of(size);
  struct heap_bin* bin = &self->bins[size_class];
  drop_broken(bin);
  if (bin->head == NULL && !refill(self, size_class, 0)) {
    size_t larger = borrow(self, size_class);
    if (larger != 0) {
      size_class = larger;
      size = heap_class_size(larger);
    } else if (!refill(self, size_class, 1)) {
      return NULL;
    }
  }
  int higher = rises(self, size_class);
  void* block =
      size_class < HEAP_FIRST_LARGE ? heap_try_alloc_small(size) : heap_try_alloc_large(size);
  if (higher) {
    note_peak(self);
  }
  return block;
}

/* Doubles the capacity of a full bin, so that a program that frees many blocks at once sets batches
 * aside less often. Where the thread's bins together would exceed their cap, all are reset to the
 * capacity of one batch instead. */
static void widen(struct heap_thread* self, size_t size_class) {
  struct heap_bin* bin = &self->bins[size_class];
  int64_t more = bin->capacity * (int64_t)heap_class_size(size_class);
  if (bin->capacity >= HEAP_WIDEST) {
    return;
  }
  if (self->capacity_bytes + more > HEAP_CAPACITY_CAP) {
    for (size_t i = 1; i < HEAP_FIRST_LARGE; i++) {
      int64_t batch = (int64_t)heap_batch(i);
      self->bins[i].limit -= self->bins[i].capacity - batch;
      self->bins[i].capacity = batch;
    }
    self->capacity_bytes = 0;
    return;
  }
  self->capacity_bytes += more;
  bin->limit += bin->capacity;
  bin->capacity *= 2;
}

/* Makes room in a full small bin. */
static void spill(struct heap_thread* self, size_t size_class) {
  widen(self, size_class);
  struct heap_bin* bin = &self->bins[size_class];
  if ((int64_t)(bin->pushes - bin->pops) < bin->limit) {
    return;
  }
  set_aside(self, size_class);
  if (self->spare_bytes > HEAP_SPARE_CAP) {
    give_spares(self, size_class);
  }
}

/* Makes room for one more block in a full large bin. If the thread's cap is used up, all large bins
 * give back their blocks and start again empty. Returns false if the block is too large to keep. */
static int grant(struct heap_thread* self, size_t size_class) {
  int64_t bytes = (int64_t)heap_class_size(size_class);
  if (self->granted + bytes > HEAP_THREAD_CAP) {
    for (size_t i = HEAP_FIRST_LARGE; i <= HEAP_LAST_CLASS; i++) {
      give_bin(self, i);
    }
  }
  if (bytes > HEAP_THREAD_CAP) {
    return 0;
  }
  self->granted += bytes;
  self->bins[size_class].capacity++;
  self->bins[size_class].limit++;
  return 1;
}

/* Gives a block that the thread does not keep to the central list. */
static enum heap_verdict pass_on(struct heap_thread* self, size_t size_class, void* pointer) {
  struct heap_bin* bin = &self->bins[size_class];
  struct heap_block* block = pointer;
  block->key = heap_key(block);
  block->next = NULL;
  HEAP_ADD(bin->pushes, 1);
  bin->limit++; /* undo the push: the bin never held it */
  heap_central_give(size_class, block, 1);
  return HEAP_FREED;
}

/* Tells why a pointer cannot be freed; HEAP_FREED if it can. */
static enum heap_verdict judge(const void* pointer, size_t mark) {
  if (mark == HEAP_NOTHING) {
    return HEAP_FOREIGN;
  }
  size_t segment = heap_segment_of(pointer);
  size_t inside = (size_t)((const char*)pointer - heap_segment_start(segment));
  int starts = mark == HEAP_INSIDE        ? 0
               : mark == HEAP_HUGE        ? inside == 0
               : mark >= HEAP_FIRST_LARGE ? inside == heap_color(segment)
                                          : inside % heap_class_stride(mark) == 0;
  if (!starts) {
    return HEAP_INTERIOR;
  }
  const struct heap_block* block = pointer;
  return mark != HEAP_HUGE && block->key == heap_key(block) ? HEAP_TWICE : HEAP_FREED;
}

enum heap_verdict heap_free_slow(void* pointer) {
  if (pointer == NULL) {
    return HEAP_FREED;
  }
  size_t mark = heap_mark(pointer);
  enum heap_verdict verdict = judge(pointer, mark);
  if (verdict != HEAP_FREED) {
    heap_count_bad_free();
    return verdict;
  }
  struct heap_thread* self = heap_self;
  if (self == &heap_nobody && (self = heap_thread_begin()) == NULL) {
    /* There is no memory for the thread's bins: the block leaks. */
    return HEAP_FREED;
  }
  if (mark == HEAP_HUGE) {
    return free_huge(self, pointer);
  }
  struct heap_bin* bin = &self->bins[mark];
  if ((int64_t)(bin->pushes - bin->pops) >= bin->limit) {
    if (mark < HEAP_FIRST_LARGE) {
      spill(self, mark);
    } else if (!grant(self, mark)) {
      return pass_on(self, mark, pointer);
    }
  }
  return heap_free(pointer); /* by the fast path, now that the bin has room */
}

/* Whole pages are replaced by the system's; what is before and after them is written. */
void heap_zero(void* start, size_t size) {
  size_t offset = (uintptr_t)start - heap_region.base;
  if (size < LAZY_FROM || offset >= heap_region.span) {
    memset(start, 0, size);
    return;
  }
  uintptr_t page = core_page_size();
  char* end = (char*)start + size;
  char* first = (char*)(((uintptr_t)start + page - 1) & ~(page - 1));
  char* last = (char*)((uintptr_t)end & ~(page - 1));
  if (!core_address_zero(first, (size_t)(last - first))) {
    memset(first, 0, (size_t)(last - first));
  }
  memset(start, 0, (size_t)(first - (char*)start));
  memset(last, 0, (size_t)(end - last));
}

void heap_shrink(void) {
  if (heap_self != &heap_nobody) {
    heap_end_thread(heap_self);
  }
  heap_central_shrink();
}
