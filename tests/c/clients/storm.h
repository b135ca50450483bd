/* SPDX-License-Identifier: MIT */
/*
 * A storm of allocations: threads take blocks of random sizes, fill them with a pattern, hand some
 * to each other, check the pattern and free. A client that includes this sets `api`, `allocator`
 * and, if it is not 64, `alignment`.
 */
#ifndef ORTCFFI_TESTS_STORM_H_
#define ORTCFFI_TESTS_STORM_H_

#include <string.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include "table.h"

#define SLOTS 256
#define MAILBOX 64

struct block {
  unsigned char* data;
  size_t size;
  unsigned char pattern;
};

static OrtAllocator* allocator;
static const OrtApi* api;
/* What every block is a multiple of. */
static uintptr_t alignment = 64;
static struct block mailbox[MAILBOX];
static pthread_mutex_t mailbox_lock = PTHREAD_MUTEX_INITIALIZER;
static long operations = 200000;
/* What an arena may have in all, or 0: there may be no block then, and it shrinks now and then. */
static int64_t most = 0;

static void fail(const char* what, const struct block* block) {
  fprintf(stderr, "storm: %s (block %p of %zu bytes)\n", what, (void*)block->data, block->size);
  abort();
}

/* Mostly small, some large, now and then beyond every size class. */
static size_t random_size(uint64_t* state) {
  if (most > 0) {
    return (size_t)(next_random(state) % (next_random(state) % 200000 + 1)) + 1;
  }
  uint64_t kind = next_random(state) % 10000;
  unsigned bits = kind < 9000 ? 12 : kind < 9900 ? 17 : kind < 9999 ? 22 : 31;
  return (size_t)(next_random(state) & (((uint64_t)1 << (next_random(state) % bits + 1)) - 1)) + 1;
}

/* Huge blocks are only touched at both ends. */
static size_t touched(size_t size) { return size < (1 << 16) ? size : 4096; }

static void take(struct block* block, uint64_t* state) {
  block->size = random_size(state);
  block->pattern = (unsigned char)next_random(state);
  void* data = NULL;
  OrtStatus* status = api->AllocatorAlloc(allocator, block->size, &data);
  if (status != NULL && most > 0) {
    api->ReleaseStatus(status);
    return;
  }
  if (status != NULL) {
    fail(api->GetErrorMessage(status), block);
  }
  block->data = data;
  if ((uintptr_t)data % alignment != 0) {
    fail("not aligned", block);
  }
  memset(block->data, block->pattern, touched(block->size));
  block->data[block->size - 1] = block->pattern;
}

static void give(struct block* block) {
  for (size_t i = 0; i < touched(block->size) - 1; i++) {
    if (block->data[i] != block->pattern) {
      fail("changed by somebody else", block);
    }
  }
  if (block->data[block->size - 1] != block->pattern) {
    fail("changed at its end", block);
  }
  OrtStatus* status = api->AllocatorFree(allocator, block->data);
  if (status != NULL) {
    fail(api->GetErrorMessage(status), block);
  }
  block->data = NULL;
}

static void swap_with_mailbox(struct block* block, size_t index) {
  pthread_mutex_lock(&mailbox_lock);
  struct block other = mailbox[index];
  mailbox[index] = *block;
  pthread_mutex_unlock(&mailbox_lock);
  *block = other;
}

static void* blow(void* unused) {
  static uint64_t seed;
  struct block blocks[SLOTS] = {{NULL, 0, 0}};
  uint64_t state = __atomic_add_fetch(&seed, 1, __ATOMIC_RELAXED) * 0x9E3779B97F4A7C15U + 1;
  for (long i = 0; i < operations; i++) {
    struct block* block = &blocks[next_random(&state) % SLOTS];
    if (block->data == NULL) {
      take(block, &state);
    } else if (next_random(&state) % 8 == 0) {
      swap_with_mailbox(block, next_random(&state) % MAILBOX);
    } else {
      give(block);
    }
    if (most > 0 && i % 4096 == 0) {
      CHECK(allocator->Shrink(allocator) == NULL);
      CHECK(figure_of(api, allocator, "TotalAllocated") <= most);
    }
  }
  for (size_t i = 0; i < SLOTS; i++) {
    if (blocks[i].data != NULL) {
      give(&blocks[i]);
    }
  }
  return unused;
}

static long in_use(void) {
  if (allocator->GetStats == NULL) {
    return 0;
  }
  /* Without the pairs themselves, which were not there yet when they were counted. */
  return (long)figure_of(api, allocator, "InUse");
}

static void fork_and_go_on(void) {
#if !defined(_WIN32)
  usleep(20000);
  pid_t child = fork();
  if (child == 0) {
    /* The other threads, and what they held, stayed behind. */
    memset(mailbox, 0, sizeof mailbox);
    pthread_mutex_init(&mailbox_lock, NULL);
    on_threads(2, blow, NULL);
    _exit(0);
  }
  int result = 0;
  waitpid(child, &result, 0);
  if (result != 0) {
    fprintf(stderr, "storm: the child ended with %d\n", result);
    abort();
  }
#endif
}

static void one_round(size_t threads, int forking) {
  pthread_t ids[MOST_THREADS];
  begin_threads(ids, threads, blow, NULL);
  if (forking) {
    fork_and_go_on();
  }
  join_threads(ids, threads);
}

/* Arguments from number 2 on: [THREADS [OPERATIONS [ROUNDS [fork]]]]. Each round starts new
 * threads; with `fork` the process forks in the middle of a round and both sides go on. Returns 0
 * if every block was aligned, held its pattern to the end, and nothing was left in use. */
static int storm(int argc, char** argv) {
  size_t threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 2;
  operations = argc > 3 ? strtol(argv[3], NULL, 10) : operations;
  long rounds = argc > 4 ? strtol(argv[4], NULL, 10) : 1;
  int forking = argc > 5 && strcmp(argv[5], "fork") == 0;
  CHECK(threads <= MOST_THREADS);
  long before = in_use();
  for (long round = 0; round < rounds; round++) {
    one_round(threads, forking);
  }
  for (size_t i = 0; i < MAILBOX; i++) {
    if (mailbox[i].data != NULL) {
      give(&mailbox[i]);
    }
  }
  long after = in_use();
  if (after != before) {
    fprintf(stderr, "storm: %ld bytes in use before, %ld after\n", before, after);
    return 1;
  }
  puts("calm");
  return 0;
}

#endif /* ORTCFFI_TESTS_STORM_H_ */
