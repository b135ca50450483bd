/* SPDX-License-Identifier: MIT */
/* Finds the chunk that starts at an address. It is written under the lock and read without, so no
 * memory that a reader may have reached is freed before the arena ends: neither directories and
 * leaves, nor chunks, which are kept for reuse. */

#include "arena/arena_internal.h"
#include "heap/heap.h"

#define FIRST_ENTRIES 64
#define SLAB_CHUNKS 63

struct arena_slab {
  struct arena_slab* next;
  struct arena_chunk chunks[SLAB_CHUNKS];
};

static struct arena_directory* new_directory(size_t entries) {
  struct arena_directory* directory;
  size_t size = sizeof *directory + entries * sizeof directory->entries[0];
  directory = heap_alloc(size);
  if (directory != NULL) {
    memset(directory, 0, size);
    directory->mask = entries - 1;
  }
  return directory;
}

int arena_map_begin(struct arena* self) {
  self->directory = new_directory(FIRST_ENTRIES);
  return self->directory != NULL;
}

void arena_map_end(struct arena* self) {
  struct arena_directory* directory = self->directory;
  for (size_t i = 0; i <= directory->mask; i++) {
    heap_free(directory->entries[i].leaf);
  }
  while (directory != NULL) {
    struct arena_directory* previous = directory->previous;
    heap_free(directory);
    directory = previous;
  }
  while (self->slabs != NULL) {
    struct arena_slab* next = self->slabs->next;
    heap_free(self->slabs);
    self->slabs = next;
  }
}

/* Readers need no lock, so the leaf is stored before the number that makes the entry visible. */
static void add_leaf(struct arena_directory* directory, uintptr_t number, struct arena_leaf* leaf) {
  size_t at = arena_hash(number);
  while (directory->entries[at & directory->mask].number != 0) {
    at++;
  }
  directory->entries[at & directory->mask].leaf = leaf;
  __atomic_store_n(&directory->entries[at & directory->mask].number, number, __ATOMIC_RELEASE);
  directory->count++;
}

/* Keeps half of the entries empty. The old directory stays allocated, because others may read it.
 */
static int make_room(struct arena* self) {
  struct arena_directory* old = self->directory;
  if (old->count * 2 <= old->mask) {
    return 1;
  }
  struct arena_directory* directory = new_directory((old->mask + 1) * 2);
  if (directory == NULL) {
    return 0;
  }
  for (size_t i = 0; i <= old->mask; i++) {
    if (old->entries[i].number != 0) {
      add_leaf(directory, old->entries[i].number, old->entries[i].leaf);
    }
  }
  directory->previous = old;
  __atomic_store_n(&self->directory, directory, __ATOMIC_RELEASE);
  return 1;
}

static struct arena_chunk** place_of(struct arena_leaf* leaf, const char* start) {
  return &leaf->chunks[((uintptr_t)start / ARENA_GRANULE) % ARENA_LEAF_CHUNKS];
}

static struct arena_leaf* leaf_for(struct arena* self, const char* start) {
  struct arena_leaf* leaf = arena_leaf_of(self, start);
  if (leaf == NULL && make_room(self) && (leaf = heap_alloc(sizeof *leaf)) != NULL) {
    memset(leaf, 0, sizeof *leaf);
    add_leaf(self->directory, ((uintptr_t)start >> ARENA_LEAF_SHIFT) + 1, leaf);
  }
  return leaf;
}

static struct arena_chunk* spare_chunk(struct arena* self) {
  if (self->spare == NULL) {
    struct arena_slab* slab = heap_alloc(sizeof *slab);
    if (slab == NULL) {
      return NULL;
    }
    memset(slab, 0, sizeof *slab);
    slab->next = self->slabs;
    self->slabs = slab;
    for (size_t i = 0; i < SLAB_CHUNKS; i++) {
      slab->chunks[i].next = self->spare;
      self->spare = &slab->chunks[i];
    }
  }
  return self->spare;
}

struct arena_chunk* arena_new_chunk(struct arena* self, char* start, size_t size) {
  struct arena_leaf* leaf = leaf_for(self, start);
  struct arena_chunk* chunk = leaf == NULL ? NULL : spare_chunk(self);
  if (chunk == NULL) {
    return NULL;
  }
  self->spare = chunk->next;
  chunk->size = size;
  chunk->before = NULL;
  chunk->after = NULL;
  arena_set_state(chunk, ARENA_FREE);
  __atomic_store_n(&chunk->start, start, __ATOMIC_RELAXED);
  __atomic_store_n(place_of(leaf, start), chunk, __ATOMIC_RELEASE);
  return chunk;
}

void arena_forget_chunk(struct arena* self, struct arena_chunk* chunk) {
  /* A reader who has the chunk already finds that it starts elsewhere. */
  struct arena_chunk** place = place_of(arena_leaf_of(self, chunk->start), chunk->start);
  __atomic_store_n(place, NULL, __ATOMIC_RELAXED);
  __atomic_store_n(&chunk->start, NULL, __ATOMIC_RELAXED);
  chunk->next = self->spare;
  self->spare = chunk;
}
