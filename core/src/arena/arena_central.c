/* SPDX-License-Identifier: MIT */
/* Free chunks: small ones in one list per size, the others in a tree by size and address. */
#include "arena/arena_internal.h"

/* The tree is a treap: a search tree by size and address, a heap by pseudo-random priority. */
#define LESS(chunk) ((chunk)->previous)
#define MORE(chunk) ((chunk)->next)

/* From the chunk's address: it needs no room in the chunk, and no generator. */
static uint64_t priority(const struct arena_chunk* chunk) {
  return ((uintptr_t)chunk >> 6) * 0x9e3779b97f4a7c15U;
}

static int is_before(const struct arena_chunk* a, const struct arena_chunk* b) {
  return a->size != b->size ? a->size < b->size : a->start < b->start;
}

/* Goes down to where the priority belongs, and splits what is below into the chunks before and
 * after the new one. */
static void tree_add(struct arena_chunk** tree, struct arena_chunk* chunk) {
  struct arena_chunk** at = tree;
  while (*at != NULL && priority(*at) > priority(chunk)) {
    at = is_before(*at, chunk) ? &MORE(*at) : &LESS(*at);
  }
  struct arena_chunk* rest = *at;
  struct arena_chunk** less = &LESS(chunk);
  struct arena_chunk** more = &MORE(chunk);
  *at = chunk;
  while (rest != NULL) {
    if (is_before(rest, chunk)) {
      *less = rest;
      less = &MORE(rest);
      rest = MORE(rest);
    } else {
      *more = rest;
      more = &LESS(rest);
      rest = LESS(rest);
    }
  }
  *less = NULL;
  *more = NULL;
}

/* Joins the chunk's two subtrees in its place. */
static void tree_remove(struct arena_chunk** tree, struct arena_chunk* chunk) {
  struct arena_chunk** at = tree;
  while (*at != chunk) {
    at = is_before(*at, chunk) ? &MORE(*at) : &LESS(*at);
  }
  struct arena_chunk* less = LESS(chunk);
  struct arena_chunk* more = MORE(chunk);
  while (less != NULL && more != NULL) {
    if (priority(less) > priority(more)) {
      *at = less;
      at = &MORE(less);
      less = MORE(less);
    } else {
      *at = more;
      at = &LESS(more);
      more = LESS(more);
    }
  }
  *at = less != NULL ? less : more;
}

/* Returns the smallest chunk of at least that size; of equal ones, the one at the lowest address.
 */
static struct arena_chunk* tree_find(struct arena_chunk* tree, size_t size) {
  struct arena_chunk* found = NULL;
  while (tree != NULL) {
    if (tree->size >= size) {
      found = tree;
      tree = LESS(tree);
    } else {
      tree = MORE(tree);
    }
  }
  return found;
}

static void put_in(struct arena* self, struct arena_chunk* chunk) {
  size_t index = chunk->size / ARENA_GRANULE - 1;
  arena_set_state(chunk, ARENA_FREE);
  if (index >= ARENA_EXACT) {
    tree_add(&self->tree, chunk);
    return;
  }
  chunk->previous = NULL;
  chunk->next = self->exact[index];
  if (chunk->next != NULL) {
    chunk->next->previous = chunk;
  }
  self->exact[index] = chunk;
  self->has_exact[index / 64] |= (uint64_t)1 << index % 64;
}

void arena_take_out(struct arena* self, struct arena_chunk* chunk) {
  size_t index = chunk->size / ARENA_GRANULE - 1;
  if (index >= ARENA_EXACT) {
    tree_remove(&self->tree, chunk);
    return;
  }
  if (chunk->next != NULL) {
    chunk->next->previous = chunk->previous;
  }
  if (chunk->previous != NULL) {
    chunk->previous->next = chunk->next;
    return;
  }
  self->exact[index] = chunk->next;
  if (chunk->next == NULL) {
    self->has_exact[index / 64] &= ~((uint64_t)1 << index % 64);
  }
}

static struct arena_chunk* find_free_chunk(const struct arena* self, size_t rounded) {
  size_t index = rounded / ARENA_GRANULE - 1;
  if (index < ARENA_EXACT) {
    size_t word = index / 64;
    uint64_t bits = self->has_exact[word] & (UINT64_MAX << index % 64);
    while (bits == 0 && ++word < CORE_COUNT_OF(self->has_exact)) {
      bits = self->has_exact[word];
    }
    if (bits != 0) {
      return self->exact[word * 64 + (size_t)__builtin_ctzll(bits)];
    }
  }
  return tree_find(self->tree, rounded);
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

/* A chunk in a thread's cache is no free neighbour: it is joined when the cache is emptied. */
void arena_give(struct arena* self, struct arena_chunk* chunk) {
  struct arena_chunk* after = chunk->after;
  if (after != NULL && arena_state_of(after) == ARENA_FREE) {
    arena_take_out(self, after);
    join(self, chunk, after);
  }
  struct arena_chunk* before = chunk->before;
  if (before != NULL && arena_state_of(before) == ARENA_FREE) {
    arena_take_out(self, before);
    join(self, before, chunk);
    chunk = before;
  }
  put_in(self, chunk);
}
