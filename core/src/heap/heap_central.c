/* SPDX-License-Identifier: MIT */
/* The central lists: free blocks that threads exchange in batches, without a look at the blocks.
 * Above a cap, blocks return to their segments: only so a segment becomes empty, and its pages can
 * go back to the system. The lock of a class is taken before that of the region, never after. */
#include "heap/heap_internal.h"

struct central {
  core_mutex lock;
  struct heap_block* batches;
  size_t blocks;
  /* The number of free blocks in the class's segments. */
  size_t scattered;
  /* The list of this class's segments that have a free block or room for one, as index + 1. */
  uint32_t segments;
} __attribute__((aligned(64)));

static struct central centrals[HEAP_LAST_CLASS + 1] = {
    [0 ... HEAP_LAST_CLASS] = {.lock = CORE_MUTEX_INIT}};
/* Bytes of large blocks in all central lists. */
static size_t large_bytes;

static void link_segment(struct central* central, size_t segment) {
  struct heap_segment* info = &heap_segments[segment];
  info->previous = 0;
  info->next = central->segments;
  if (info->next != 0) {
    heap_segments[info->next - 1].previous = (uint32_t)segment + 1;
  }
  central->segments = (uint32_t)segment + 1;
}

static void unlink_segment(struct central* central, size_t segment) {
  struct heap_segment* info = &heap_segments[segment];
  if (info->previous != 0) {
    heap_segments[info->previous - 1].next = info->next;
  } else {
    central->segments = info->next;
  }
  if (info->next != 0) {
    heap_segments[info->next - 1].previous = info->previous;
  }
}

/* Drops the free list of a segment: its first block was overwritten, so `next` cannot be trusted.
 */
static void abandon(struct central* central, struct heap_segment* info) {
  heap_report_broken(info->free);
  central->scattered -= info->free_count;
  info->free = NULL;
  info->free_count = 0;
}

/* Returns a block that was in use before, from the first segment that has one. */
static struct heap_block* used_block(struct central* central) {
  uint32_t next;
  for (uint32_t at = central->segments; at != 0; at = next) {
    struct heap_segment* info = &heap_segments[at - 1];
    struct heap_block* block = info->free;
    next = info->next;
    if (block != NULL && block->key != heap_key(block)) {
      abandon(central, info);
      block = NULL;
    } else if (block != NULL) {
      info->free = block->next;
      info->free_count--;
      central->scattered--;
    }
    if (info->free_count == 0 && info->carved == info->capacity) {
      unlink_segment(central, at - 1);
    }
    if (block != NULL) {
      return block;
    }
  }
  return NULL;
}

/* Returns a block from memory that was never in use as a block of this class. A segment is carved
 * block by block, so that its further pages stay untouched as long as possible. */
static struct heap_block* fresh_block(struct central* central, size_t size_class) {
  uint32_t at = central->segments;
  while (at != 0 && heap_segments[at - 1].carved == heap_segments[at - 1].capacity) {
    at = heap_segments[at - 1].next;
  }
  if (at == 0) {
    int64_t taken = heap_region_take(1, size_class);
    if (taken < 0) {
      return NULL;
    }
    heap_segments[taken].capacity = (uint32_t)(HEAP_SEGMENT / heap_class_stride(size_class));
    link_segment(central, (size_t)taken);
    at = (uint32_t)taken + 1;
  }
  struct heap_segment* info = &heap_segments[at - 1];
  char* start = heap_segment_start(at - 1) + info->carved * heap_class_stride(size_class);
  struct heap_block* block = (struct heap_block*)start;
  block->key = heap_key(block);
  info->carved++;
  if (info->free_count == 0 && info->carved == info->capacity) {
    unlink_segment(central, at - 1);
  }
  return block;
}

static struct heap_block* collect(struct central* central, size_t size_class, int fresh,
                                  size_t* count) {
  struct heap_block* batch = NULL;
  size_t wanted = heap_batch(size_class);
  for (*count = 0; *count < wanted; ++*count) {
    struct heap_block* block = central->scattered > 0 ? used_block(central)
                               : fresh                ? fresh_block(central, size_class)
                                                      : NULL;
    if (block == NULL) {
      break;
    }
    block->next = batch;
    batch = block;
  }
  return batch;
}

static struct heap_block* new_large(size_t size_class, size_t* count) {
  /* Room for the largest heap_color, since the run's first segment is not known yet. */
  size_t bytes = heap_class_size(size_class) + 64 * HEAP_LINE;
  size_t segments = (bytes + HEAP_SEGMENT - 1) >> HEAP_SEGMENT_SHIFT;
  int64_t taken = heap_region_take(segments, size_class);
  if (taken < 0) {
    return NULL;
  }
  char* start = heap_segment_start((size_t)taken) + heap_color((size_t)taken);
  struct heap_block* block = (struct heap_block*)start;
  block->key = heap_key(block);
  block->next = NULL;
  *count = 1;
  return block;
}

struct heap_block* heap_central_take(size_t size_class, int fresh, size_t* count) {
  struct central* central = &centrals[size_class];
  core_mutex_lock(&central->lock);
  struct heap_block* batch = central->batches;
  if (batch != NULL && batch->key != heap_key(batch)) {
    heap_report_broken(batch);
    central->batches = batch = NULL;
    central->blocks = 0;
  }
  if (batch != NULL) {
    central->batches = batch->next_batch;
    *count = batch->batch_count;
    central->blocks -= *count;
    if (size_class >= HEAP_FIRST_LARGE) {
      __atomic_fetch_sub(&large_bytes, *count * heap_class_size(size_class), __ATOMIC_RELAXED);
    }
  } else if (size_class < HEAP_FIRST_LARGE) {
    batch = collect(central, size_class, fresh, count);
  } else if (fresh) {
    batch = new_large(size_class, count);
  }
  core_mutex_unlock(&central->lock);
  return batch;
}

/* Puts blocks back into their segments; a segment with none in use is returned to the system. The
 * blocks after an overwritten one are lost. */
static void scatter(struct central* central, struct heap_block* block) {
  while (block != NULL && block->key == heap_key(block)) {
    struct heap_block* next = block->next;
    size_t segment = heap_segment_of(block);
    struct heap_segment* info = &heap_segments[segment];
    /* It was full until now, so it was in no list. */
    if (info->free_count == 0 && info->carved == info->capacity) {
      link_segment(central, segment);
    }
    block->next = info->free;
    info->free = block;
    info->free_count++;
    central->scattered++;
    if (info->free_count == info->carved) {
      central->scattered -= info->free_count;
      unlink_segment(central, segment);
      heap_region_give(segment);
    }
    block = next;
  }
}

static void release_large(struct heap_block* block) {
  while (block != NULL && block->key == heap_key(block)) {
    struct heap_block* next = block->next;
    heap_region_give(heap_segment_of(block));
    block = next;
  }
}

static void give_back(struct central* central, size_t size_class, struct heap_block* batch) {
  if (size_class < HEAP_FIRST_LARGE) {
    scatter(central, batch);
  } else {
    release_large(batch);
  }
}

void heap_central_give(size_t size_class, struct heap_block* batch, size_t count) {
  struct central* central = &centrals[size_class];
  size_t bytes = count * heap_class_size(size_class);
  core_mutex_lock(&central->lock);
  int small = size_class < HEAP_FIRST_LARGE;
  size_t held = small ? central->blocks * heap_class_size(size_class)
                      : __atomic_load_n(&large_bytes, __ATOMIC_RELAXED);
  if (held + bytes <= (small ? HEAP_CENTRAL_CAP : HEAP_LARGE_CAP)) {
    batch->batch_count = count;
    batch->next_batch = central->batches;
    central->batches = batch;
    central->blocks += count;
    if (!small) {
      __atomic_fetch_add(&large_bytes, bytes, __ATOMIC_RELAXED);
    }
  } else {
    give_back(central, size_class, batch);
  }
  core_mutex_unlock(&central->lock);
}

void heap_central_shrink(void) {
  for (size_t size_class = 1; size_class <= HEAP_LAST_CLASS; size_class++) {
    struct central* central = &centrals[size_class];
    core_mutex_lock(&central->lock);
    struct heap_block* batch = central->batches;
    if (size_class >= HEAP_FIRST_LARGE) {
      __atomic_fetch_sub(&large_bytes, central->blocks * heap_class_size(size_class),
                         __ATOMIC_RELAXED);
    }
    central->batches = NULL;
    central->blocks = 0;
    while (batch != NULL && batch->key == heap_key(batch)) {
      struct heap_block* next = batch->next_batch;
      give_back(central, size_class, batch);
      batch = next;
    }
    core_mutex_unlock(&central->lock);
  }
}

/* Only the locks of the central lists are taken: bins need none. In the child the bins of the other
 * threads stay as they are, with their free blocks, which no thread uses there, and their counts.
 */
void heap_at_fork(int is_before, struct heap_thread* threads) {
  for (size_t i = 0; i < CORE_COUNT_OF(centrals); i++) {
    (is_before ? core_mutex_lock : core_mutex_unlock)(&centrals[i].lock);
  }
}
