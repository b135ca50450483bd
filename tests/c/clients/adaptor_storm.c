/* SPDX-License-Identifier: MIT */
/*
 * Storms over adaptors: one around another, with every block recorded; an aligned one; an arena.
 *
 * adaptor_storm LIBRARY [THREADS [OPERATIONS [ROUNDS [fork]]]]: as storm.h says. Linked with the
 * core's objects; the library is not asked.
 */
#include "adaptors/adaptor.h"
#include "adaptors/scopes.h"
#include "arena/arena.h"
#include "client.h"
#include "storm.h"

#define ALIGNMENT ((size_t)4096)

static uint32_t site_of(int depth) {
  CHECK(depth == 1);
  return 7;
}

/* The statistics that a storm has to leave behind. */
static void must_be_calm(OrtAllocator* tracking) {
  struct core_tracking_figures figures;
  core_tracking_read(tracking, &figures);
  CHECK(figures.current == 0 && figures.peak > 0);
  CHECK(figures.allocations == figures.frees && figures.allocations > 0);
}

/* Of the blocks of a scope, all are freed and some were in use at its peak. */
static void must_have_counted(core_scope* scope) {
  size_t count = core_scope_blocks(scope, NULL, 0);
  core_tracked_block* blocks = calloc(count, sizeof *blocks);
  CHECK(count > 0 && blocks != NULL && core_scope_blocks(scope, blocks, count) == count);
  for (size_t i = 0; i < count; i++) {
    CHECK(blocks[i].block == NULL && blocks[i].at_peak && blocks[i].site == 7);
  }
  free(blocks);
  core_scope_figures figures;
  core_close_scope(scope, &figures);
  CHECK(figures.live == 0 && figures.peak > 0 && figures.total >= figures.peak);
  CHECK(figures.allocations == figures.frees);
}

/* A storm with a scope open. */
static int storm_in_scope(int argc, char** argv, OrtAllocator* tracking) {
  core_scope* scope = NULL;
  CHECK(core_open_scope(tracking, 1, &scope) == NULL);
  int result = storm(argc, argv);
  must_be_calm(tracking);
  must_have_counted(scope);
  core_release_scope(scope);
  return result;
}

int main(int argc, char** argv) {
  api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtAllocator* base = NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
  OrtAllocator* limiting = NEW(OrtAllocator, core_create_limiting(base, (size_t)INT64_MAX, &new_));
  OrtAllocator* tracking = NEW(OrtAllocator, core_create_tracking(limiting, &new_));
  OrtAllocator* aligned = NEW(OrtAllocator, core_create_aligned(tracking, ALIGNMENT, &new_));
  /* Where sums of a size and the limit could overflow. */
  CHECK(limiting->Alloc(limiting, (size_t)INT64_MAX) == NULL);
  core_set_site_source(site_of);

  allocator = tracking;
  int result = storm_in_scope(argc, argv, tracking);
  allocator = aligned;
  alignment = ALIGNMENT;
  result = result != 0 ? result : storm_in_scope(argc, argv, tracking);

  OrtAllocator* arena = NEW(OrtAllocator, core_create_arena(tracking, NULL, NULL, &new_));
  allocator = arena;
  alignment = 64;
  result = result != 0 ? result : storm(argc, argv);
  core_release_adaptor(arena);
  must_be_calm(tracking);

  core_set_site_source(NULL);
  core_release_adaptor(aligned);
  core_release_adaptor(tracking);
  core_release_adaptor(limiting);
  return result;
}
