/* SPDX-License-Identifier: MIT */
/*
 * The n-th call of the system inside the core fails, for every n: the caller gets a clean
 * answer, and the heap goes on with what it has.
 *
 * system_faults: linked with the core's objects and -Wl,--wrap for the functions below.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "adaptors/adaptor.h"
#include "arena/arena.h"
#include "../clients/client.h"
#include "heap/heap.h"

static long calls;
static long first_failing;
static long end_of_failing;

static int fails(void) {
  long call = calls++;
  return call >= first_failing && call < end_of_failing;
}

void* __real_mmap(void* at, size_t length, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t length, int protection, int flags, int file, off_t offset) {
  if (fails()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap(at, length, protection, flags, file, offset);
}

int __real_mprotect(void* at, size_t length, int protection);
int __wrap_mprotect(void* at, size_t length, int protection) {
  return fails() ? -1 : __real_mprotect(at, length, protection);
}

int __real_madvise(void* at, size_t length, int advice);
int __wrap_madvise(void* at, size_t length, int advice) {
  return fails() ? -1 : __real_madvise(at, length, advice);
}

int __real_pthread_key_create(pthread_key_t* key, void (*end)(void*));
int __wrap_pthread_key_create(pthread_key_t* key, void (*end)(void*)) {
  return fails() ? EAGAIN : __real_pthread_key_create(key, end);
}

static const OrtApi* api;
static OrtAllocator* allocator;

/* Whether a call was refused, for a lack of memory: nothing came of it then. */
static int is_refused(OrtStatus* status, const void* made) {
  if (status == NULL) {
    return 0;
  }
  CHECK(api->GetErrorCode(status) == ORT_RUNTIME_EXCEPTION && made == NULL);
  CHECK(strstr(api->GetErrorMessage(status), "out of memory") != NULL);
  api->ReleaseStatus(status);
  return 1;
}

/* Makes what has locks of its own, and ends it. */
static int make_and_end(void) {
  OrtEnv* env = NULL;
  OrtAllocator* arena = NULL;
  int refused = is_refused(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "id", &env), env);
  refused += is_refused(core_create_arena(allocator, NULL, NULL, &arena), arena);
  core_release_adaptor(arena);
  api->ReleaseEnv(env);
  return refused;
}

/* Takes a block of each kind, as far as there are, and gives them back. */
static int take_and_give(void) {
  static const size_t sizes[] = {100, 5000, (size_t)1 << 20, (size_t)70 << 20, (size_t)1100 << 20};
  void* blocks[CORE_COUNT_OF(sizes)];
  int refused = 0;
  for (size_t i = 0; i < CORE_COUNT_OF(sizes); i++) {
    blocks[i] = &api;
    OrtStatus* status = api->AllocatorAlloc(allocator, sizes[i], &blocks[i]);
    if (status != NULL) {
      CHECK(api->GetErrorCode(status) == ORT_RUNTIME_EXCEPTION && blocks[i] == (void*)&api);
      CHECK(strstr(api->GetErrorMessage(status), "out of memory") != NULL);
      api->ReleaseStatus(status);
      blocks[i] = NULL;
      refused++;
      continue;
    }
    ((char*)blocks[i])[0] = ((char*)blocks[i])[sizes[i] - 1] = 1;
  }
  for (size_t i = 0; i < CORE_COUNT_OF(sizes); i++) {
    CHECK(api->AllocatorFree(allocator, blocks[i]) == NULL);
  }
  CHECK(allocator->Shrink(allocator) == NULL);
  return refused;
}

/* Ends a process in which the calls from number `first` to before `end` failed: with 0 if there
 * were so many, else with 3. */
static void attempt(long first, long end) {
  first_failing = first;
  end_of_failing = end;
  take_and_give();
  make_and_end();
  int reached = calls > first;
  end_of_failing = 0;
  struct heap_stats stats;
  heap_read_stats(&stats);
  CHECK(stats.live_bytes == 0);
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    CHECK(heap_live_objects((enum core_kind)kind) == 0);
  }
  /* A heap that could not begin stays away; any other has recovered. */
  CHECK(heap_self == &heap_nobody || take_and_give() + make_and_end() == 0);
  exit(reached ? 0 : 3);
}

static long try_all(int alone) {
  for (long n = 0;; n++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      attempt(n, alone ? n + 1 : LONG_MAX);
    }
    int result = 0;
    waitpid(child, &result, 0);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 3) {
      return n;
    }
    if (result != 0) {
      fprintf(stderr, "call %ld failed: ended with %d\n", n, result);
      exit(1);
    }
  }
}

int main(void) {
  api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  printf("alone: %ld\n", try_all(1));
  printf("with all that follow: %ld\n", try_all(0));
  return 0;
}
