/* SPDX-License-Identifier: MIT */
/* The measured loops of two threads. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "bench_take.h"

/* Both threads wait here for each other, awake. */
static void meet(atomic_int* here) {
  atomic_fetch_add(here, 1);
  while (atomic_load(here) < 2) {
    sched_yield();
  }
}

/* Half of a job: a thread that follows the plan in its own half of the slots. */
struct half {
  const ortcffi_bench_job* job;
  void** slots;
  atomic_int* here;
  int64_t start;
  int64_t end; /* -1: memory ran out */
};

BENCH_INLINE int64_t half_by_kind(struct half* half, enum bench_kind kind) {
  const ortcffi_bench_job* job = half->job;
  const ortcffi_bench_subject subject = job->subject;
  int works = 1;
  for (int64_t i = 0; i < job->plan_count; i++) {
    works &= bench_step(&subject, kind, job->plan[i], half->slots, 0);
  }
  meet(half->here);
  half->start = bench_now();
  for (int64_t i = 0, at = 0; i < job->count && works; i++) {
    works = bench_step(&subject, kind, job->plan[at], half->slots, 0);
    at = at + 1 == job->plan_count ? 0 : at + 1;
  }
  return works ? bench_now() : -1;
}

static void* run_half(void* argument) {
  struct half* half = (struct half*)argument;
  const ortcffi_bench_subject* subject = &half->job->subject;
  if (subject->api != NULL) {
    half->end = half_by_kind(half, BENCH_TABLE);
  } else if (subject->take != NULL) {
    half->end = half_by_kind(half, BENCH_PLAIN);
  } else {
    half->end = half_by_kind(half, BENCH_ALIGNED);
  }
  return NULL;
}

int64_t bench_two_threads(const ortcffi_bench_job* job) {
  atomic_int here = 0;
  struct half halves[2];
  for (int i = 0; i < 2; i++) {
    halves[i] = (struct half){job, job->slots + i * (job->slot_count / 2), &here, 0, 0};
  }
  pthread_t other;
  if (pthread_create(&other, NULL, run_half, &halves[1]) != 0) {
    return -1;
  }
  run_half(&halves[0]);
  pthread_join(other, NULL);
  if (halves[0].end < 0 || halves[1].end < 0) {
    return -1;
  }
  int64_t start = halves[0].start < halves[1].start ? halves[0].start : halves[1].start;
  int64_t end = halves[0].end > halves[1].end ? halves[0].end : halves[1].end;
  return end - start;
}

/* A ring of pointers with one writer and one reader. Positions are published once per batch, so
 * that the line they are in does not travel for every block. */
#define RING 4096
#define RING_BATCH 64

struct ring {
  const ortcffi_bench_job* job;
  atomic_int here;
  _Alignas(BENCH_LINE) _Atomic int64_t written;
  _Alignas(BENCH_LINE) _Atomic int64_t read;
  int works;
  _Alignas(BENCH_LINE) void* blocks[RING];
};

static void wait_for(_Atomic int64_t* position, int64_t at_least) {
  for (int spins = 0; atomic_load_explicit(position, memory_order_acquire) < at_least; spins++) {
    if (spins % 64 == 63) {
      sched_yield();
    }
  }
}

BENCH_INLINE void write_by_kind(struct ring* ring, enum bench_kind kind) {
  const ortcffi_bench_job* job = ring->job;
  const ortcffi_bench_subject subject = job->subject;
  for (int64_t i = 0, at = 0; i < job->count; i++) {
    if (i % RING_BATCH == 0) {
      atomic_store_explicit(&ring->written, i, memory_order_release);
      wait_for(&ring->read, i + RING_BATCH - RING);
    }
    size_t size = job->plan[at] & ((1u << BENCH_SIZE_BITS) - 1);
    at = at + 1 == job->plan_count ? 0 : at + 1;
    volatile char* block = (volatile char*)bench_take(&subject, kind, size);
    if (block != NULL) {
      *block = 1;
    }
    ring->blocks[i % RING] = (void*)block;
  }
  atomic_store_explicit(&ring->written, job->count, memory_order_release);
}

BENCH_INLINE int read_by_kind(struct ring* ring, enum bench_kind kind) {
  const ortcffi_bench_subject subject = ring->job->subject;
  int works = 1;
  for (int64_t i = 0; i < ring->job->count; i++) {
    if (i % RING_BATCH == 0) {
      atomic_store_explicit(&ring->read, i, memory_order_release);
      int64_t next = i + RING_BATCH;
      wait_for(&ring->written, next < ring->job->count ? next : ring->job->count);
    }
    void* block = ring->blocks[i % RING];
    works &= block != NULL && bench_give(&subject, kind, block);
  }
  atomic_store_explicit(&ring->read, ring->job->count, memory_order_release);
  return works;
}

static enum bench_kind kind_of(const ortcffi_bench_subject* subject) {
  if (subject->api != NULL) {
    return BENCH_TABLE;
  }
  return subject->take != NULL ? BENCH_PLAIN : BENCH_ALIGNED;
}

static void* run_reader(void* argument) {
  struct ring* ring = (struct ring*)argument;
  meet(&ring->here);
  switch (kind_of(&ring->job->subject)) {
    case BENCH_TABLE:
      ring->works = read_by_kind(ring, BENCH_TABLE);
      break;
    case BENCH_PLAIN:
      ring->works = read_by_kind(ring, BENCH_PLAIN);
      break;
    case BENCH_ALIGNED:
      ring->works = read_by_kind(ring, BENCH_ALIGNED);
      break;
  }
  return NULL;
}

static void run_writer(struct ring* ring) {
  meet(&ring->here);
  switch (kind_of(&ring->job->subject)) {
    case BENCH_TABLE:
      write_by_kind(ring, BENCH_TABLE);
      break;
    case BENCH_PLAIN:
      write_by_kind(ring, BENCH_PLAIN);
      break;
    case BENCH_ALIGNED:
      write_by_kind(ring, BENCH_ALIGNED);
      break;
  }
}

int64_t bench_handover(const ortcffi_bench_job* job) {
  struct ring ring = {.job = job};
  pthread_t reader;
  if (pthread_create(&reader, NULL, run_reader, &ring) != 0) {
    return -1;
  }
  int64_t start = bench_now();
  run_writer(&ring);
  pthread_join(reader, NULL);
  int64_t taken = bench_now() - start;
  return ring.works ? taken : -1;
}
