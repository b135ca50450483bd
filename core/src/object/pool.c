/* SPDX-License-Identifier: MIT */
#include "object/pool.h"

#include "heap/heap.h"
#include "platform/platform.h"

#define FIRST_BLOCK ((size_t)1024)
#define LARGEST_BLOCK ((size_t)256 << 10)

struct core_pool_block {
  struct core_pool_block* before;
  size_t room;
};

static size_t whole_pages(size_t size) {
  return (size + core_page_size() - 1) & ~(core_page_size() - 1);
}

/* A block is as large as all before it, within limits, so that a small pool stays small. */
static bool add_block(struct core_pool* pool, size_t size) {
  size_t room = pool->size < FIRST_BLOCK     ? FIRST_BLOCK
                : pool->size > LARGEST_BLOCK ? LARGEST_BLOCK
                                             : pool->size;
  room = size > room ? size : room;
  struct core_pool_block* block = NULL;
  if (pool->closes) {
    room = whole_pages(sizeof *block + room) - sizeof *block;
    block = core_map(sizeof *block + room);
  } else {
    block = heap_alloc(sizeof *block + room);
  }
  if (block == NULL) {
    return false;
  }
  memset(block + 1, 0, room);
  *block = (struct core_pool_block){pool->last, room};
  pool->last = block;
  pool->left = room;
  pool->size += room;
  return true;
}

void* core_pool_take(struct core_pool* pool, size_t size) {
  if (size > SIZE_MAX / 2) {
    return NULL;
  }
  size = (size + 7) & ~(size_t)7;
  if (pool->left < size && !add_block(pool, size)) {
    return NULL;
  }
  uint8_t* at = (uint8_t*)(pool->last + 1) + pool->last->room - pool->left;
  pool->left -= size;
  return at;
}

void* core_pool_array(struct core_pool* pool, size_t count, size_t size) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : core_pool_take(pool, bytes + 1);
}

const char* core_pool_text(struct core_pool* pool, const void* bytes, size_t size) {
  char* text = core_pool_take(pool, size + 1);
  if (text != NULL && size > 0) {
    memcpy(text, bytes, size);
  }
  return text;
}

void core_pool_end(struct core_pool* pool) {
  while (pool->last != NULL) {
    struct core_pool_block* block = pool->last;
    pool->last = block->before;
    if (!pool->closes) {
      heap_free(block);
    } else {
      core_address_close(block, sizeof *block + block->room);
    }
  }
  *pool = (struct core_pool){0};
}
