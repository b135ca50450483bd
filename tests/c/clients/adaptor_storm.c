/* SPDX-License-Identifier: MIT */
/*
 * Storms over adaptors: one around another, with every block recorded; an aligned one; an arena.
 *
 * adaptor_storm LIBRARY [THREADS [OPERATIONS [ROUNDS [fork]]]]: as storm.h says. Linked with the
 * core's objects; the library is not asked.
 */
#include "memory/adaptor.h"
#include "arena/arena.h"
#include "client.h"
#include "storm.h"

#define ALIGNMENT ((size_t)4096)

static uint32_t site(int depth) { return (void)depth, 7; }

/* The figures that a storm has to leave behind, and nobody in the list of blocks. */
static void must_be_calm(OrtAllocator* tracking) {
  struct core_tracking_figures figures;
  core_tracking_read(tracking, &figures);
  CHECK(figures.current == 0 && figures.peak > 0);
  CHECK(figures.allocations == figures.frees && figures.allocations > 0);
  CHECK(core_tracking_blocks(tracking, 0, NULL, 0) == 0);
}

int main(int argc, char** argv) {
  api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtAllocator* base = NULL;
  OrtAllocator* limiting = NULL;
  OrtAllocator* tracking = NULL;
  OrtAllocator* aligned = NULL;
  CHECK(api->GetAllocatorWithDefaultOptions(&base) == NULL);
  CHECK(core_create_limiting(base, (size_t)INT64_MAX, &limiting) == NULL);
  CHECK(core_create_tracking(limiting, &tracking) == NULL);
  CHECK(core_create_aligned(tracking, ALIGNMENT, &aligned) == NULL);
  /* Where sums of a size and the limit could overflow. */
  CHECK(limiting->Alloc(limiting, (size_t)INT64_MAX) == NULL);
  core_set_site_source(site);
  core_tracking_record(tracking, 1);

  allocator = tracking;
  int result = storm(argc, argv);
  must_be_calm(tracking);
  allocator = aligned;
  alignment = ALIGNMENT;
  result = result != 0 ? result : storm(argc, argv);
  must_be_calm(tracking);

  OrtAllocator* arena = NULL;
  CHECK(core_create_arena(tracking, NULL, NULL, &arena) == NULL);
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
