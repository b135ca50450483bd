/* SPDX-License-Identifier: MIT */
/*
 *     arena_fork LIBRARY
 *
 * The process forks while another thread takes, or gives back, all that an arena may have. The
 * child has neither that thread nor what it was about to do, but all of the room. Linked with the
 * core's objects, since the arena must stand over an allocator of this program.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "adaptors/adaptor.h"
#include "arena/arena.h"
#include "client.h"

enum { MAX_MEM = 1 << 20 };

static OrtAllocator* memory;
static OrtAllocator* arena;
/* Whether calls of the inner allocator wait, and whether one does. */
static int holds, is_held;

static void wait_here(void) {
  while (__atomic_load_n(&holds, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&is_held, 1, __ATOMIC_RELEASE);
    usleep(100);
  }
}

static void* ORT_API_CALL slow_alloc(OrtAllocator* unused, size_t size) {
  (void)unused;
  wait_here();
  return memory->Alloc(memory, size);
}

static void ORT_API_CALL slow_free(OrtAllocator* unused, void* block) {
  (void)unused;
  wait_here();
  memory->Free(memory, block);
}

static const OrtMemoryInfo* ORT_API_CALL slow_info(const OrtAllocator* unused) {
  (void)unused;
  return memory->Info(memory);
}

static void* take_all(void* unused) {
  arena->Free(arena, arena->Alloc(arena, MAX_MEM));
  return unused;
}

static void* shrink(void* unused) {
  CHECK(arena->Shrink(arena) == NULL);
  return unused;
}

/* Forks while `work` is in the inner allocator on another thread. */
static void fork_in(void* (*work)(void*)) {
  pthread_t worker;
  is_held = 0;
  __atomic_store_n(&holds, 1, __ATOMIC_RELEASE);
  CHECK(pthread_create(&worker, NULL, work, NULL) == 0);
  while (!__atomic_load_n(&is_held, __ATOMIC_ACQUIRE)) {
    usleep(100);
  }
  pid_t child = fork();
  __atomic_store_n(&holds, 0, __ATOMIC_RELEASE);
  if (child == 0) {
    alarm(120);
    CHECK(arena->Alloc(arena, MAX_MEM) != NULL && arena->Alloc(arena, 1) == NULL);
    _exit(0);
  }
  int result = 0;
  CHECK(waitpid(child, &result, 0) == child && result == 0);
  CHECK(pthread_join(worker, NULL) == 0);
}

int main(void) {
  const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtAllocator slow = {.version = 1, .Alloc = slow_alloc, .Free = slow_free, .Info = slow_info};
  struct OrtArenaCfg measures = core_default_arena_cfg;
  measures.max_mem = MAX_MEM;
  measures.extend_strategy = 1;
  CHECK(api->GetAllocatorWithDefaultOptions(&memory) == NULL);
  CHECK(core_create_arena(&slow, &measures, NULL, &arena) == NULL);
  fork_in(take_all);
  fork_in(shrink);
  core_release_adaptor(arena);
  return 0;
}
