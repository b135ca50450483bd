/* SPDX-License-Identifier: MIT */
/* Chunks by address, and the free ones by size. */

#include "arena/arena_internal.h"

/* --- by address ------------------------------------------------------------------------------- */

static struct arena_chunk** chain_of(const struct arena* self, const void* pointer) {
  uint64_t granule = (uintptr_t)pointer / ARENA_GRANULE;
  return &self->chains[(granule * 0x9e3779b97f4a7c15U >> 32) & (self->chain_count - 1)];
}

struct arena_chunk* arena_find(const struct arena* self, const void* pointer) {
  struct arena_chunk* chunk = self->chain_count > 0 ? *chain_of(self, pointer) : NULL;
  while (chunk != NULL && chunk->start != pointer) {
    chunk = chunk->chained;
  }
  return chunk;
}

static void enter(struct arena* self, struct arena_chunk* chunk) {
  struct arena_chunk** chain = chain_of(self, chunk->start);
  chunk->chained = *chain;
  *chain = chunk;
}

/* Doubles the table when it has as many chunks as chains. Without memory chains become longer;
 * false where there are none. */
static bool make_room(struct arena* self) {
  size_t before = self->chain_count, count = before > 0 ? 2 * before : 64;
  if (self->chunk_count < before) {
    return true;
  }
  struct arena_chunk** old = self->chains;
  struct arena_chunk** chains = heap_alloc(count * sizeof *chains);
  if (chains == NULL) {
    return before > 0;
  }
  memset(chains, 0, count * sizeof *chains);
  self->chains = chains;
  self->chain_count = count;
  for (size_t i = 0; i < before; i++) {
    for (struct arena_chunk *chunk = old[i], *next; chunk != NULL; chunk = next) {
      next = chunk->chained;
      enter(self, chunk);
    }
  }
  heap_free(old);
  return true;
}

struct arena_chunk* arena_new_chunk(struct arena* self, char* start, size_t size) {
  struct arena_chunk* chunk = make_room(self) ? heap_alloc(sizeof *chunk) : NULL;
  if (chunk != NULL) {
    *chunk = (struct arena_chunk){.start = start, .size = size};
    enter(self, chunk);
    self->chunk_count++;
  }
  return chunk;
}

void arena_forget_chunk(struct arena* self, struct arena_chunk* chunk) {
  struct arena_chunk** at = chain_of(self, chunk->start);
  while (*at != chunk) {
    at = &(*at)->chained;
  }
  *at = chunk->chained;
  self->chunk_count--;
  heap_free(chunk);
}

void arena_forget_chunks(struct arena* self) {
  for (size_t i = 0; i < self->chain_count; i++) {
    while (self->chains[i] != NULL) {
      arena_forget_chunk(self, self->chains[i]);
    }
  }
  heap_free(self->chains);
}

/* --- by size ---------------------------------------------------------------------------------- */

static size_t bin_of(size_t size) {
  size_t granules = size / ARENA_GRANULE;
  if (granules <= ARENA_EXACT) {
    return granules - 1;
  }
  /* The place of the highest bit, 8 or more; the three bits below it choose one of eight. */
  size_t bit = 63 - (size_t)__builtin_clzll(granules);
  return ARENA_EXACT + 8 * (bit - 8) + (granules >> (bit - 3) & 7);
}

/* Makes a pointer lead to a chunk, which may be NULL. */
static void link_to(struct arena_chunk** link, struct arena_chunk* chunk) {
  *link = chunk;
  if (chunk != NULL) {
    chunk->link = link;
  }
}

static void put_in(struct arena* self, struct arena_chunk* chunk) {
  size_t bin = bin_of(chunk->size);
  struct arena_chunk** at = &self->bins[bin];
  while (*at != NULL && (*at)->size < chunk->size) {
    at = &(*at)->larger;
  }
  struct arena_chunk *first = *at, *larger = first;
  bool is_first = first == NULL || first->size != chunk->size;
  if (!is_first) {
    larger = first->larger;
    first->larger = NULL;
  }
  chunk->is_free = true;
  link_to(at, chunk);
  link_to(&chunk->same, is_first ? NULL : first);
  link_to(&chunk->larger, larger);
  self->has_free[bin / 64] |= (uint64_t)1 << bin % 64;
}

void arena_take_out(struct arena* self, struct arena_chunk* chunk) {
  size_t bin = bin_of(chunk->size);
  chunk->is_free = false;
  if (chunk->same != NULL) {
    link_to(&chunk->same->larger, chunk->larger);
    link_to(chunk->link, chunk->same);
  } else {
    link_to(chunk->link, chunk->larger);
  }
  if (self->bins[bin] == NULL) {
    self->has_free[bin / 64] &= ~((uint64_t)1 << bin % 64);
  }
}

/* The smallest free chunk of at least that size. */
static struct arena_chunk* find_free_chunk(const struct arena* self, size_t rounded) {
  size_t bin = bin_of(rounded), next = bin + 1, word = next / 64;
  struct arena_chunk* chunk = self->bins[bin];
  while (chunk != NULL && chunk->size < rounded) {
    chunk = chunk->larger;
  }
  if (chunk != NULL || word == CORE_COUNT_OF(self->has_free)) {
    return chunk;
  }
  uint64_t bits = self->has_free[word] & (UINT64_MAX << next % 64);
  while (bits == 0 && ++word < CORE_COUNT_OF(self->has_free)) {
    bits = self->has_free[word];
  }
  return bits != 0 ? self->bins[word * 64 + (size_t)__builtin_ctzll(bits)] : NULL;
}

/* Splits off what a block does not need, by ONNX Runtime's rule: if the rest is as large as the
 * block, or more than may lie idle. Without memory for a second chunk the block keeps it all. */
static void split(struct arena* self, struct arena_chunk* chunk, size_t rounded) {
  size_t rest = chunk->size - rounded;
  if (rest == 0 || (rest < rounded && rest < (size_t)self->cfg.max_dead_bytes)) {
    return;
  }
  struct arena_chunk* second = arena_new_chunk(self, chunk->start + rounded, rest);
  if (second == NULL) {
    return;
  }
  second->before = chunk;
  second->after = chunk->after;
  if (second->after != NULL) {
    second->after->before = second;
  }
  chunk->after = second;
  chunk->size = rounded;
  put_in(self, second);
}

struct arena_chunk* arena_best_fit(struct arena* self, size_t rounded) {
  struct arena_chunk* chunk = find_free_chunk(self, rounded);
  if (chunk != NULL) {
    arena_take_out(self, chunk);
    split(self, chunk, rounded);
  }
  return chunk;
}

static void join(struct arena* self, struct arena_chunk* left, struct arena_chunk* right) {
  left->size += right->size;
  left->after = right->after;
  if (left->after != NULL) {
    left->after->before = left;
  }
  arena_forget_chunk(self, right);
}

void arena_give(struct arena* self, struct arena_chunk* chunk) {
  struct arena_chunk *before = chunk->before, *after = chunk->after;
  if (after != NULL && after->is_free) {
    arena_take_out(self, after);
    join(self, chunk, after);
  }
  if (before != NULL && before->is_free) {
    arena_take_out(self, before);
    join(self, before, chunk);
    chunk = before;
  }
  put_in(self, chunk);
}
