/* SPDX-License-Identifier: MIT */
/* The measured loops of two threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "boundary/bench/bench_take.h"

struct team;

/* One of the two threads. */
struct seat {
  struct team* team;
  int index;
  int64_t start;
  int64_t end; /* -1: an answer was not the expected one */
};

struct team {
  const ortcffi_bench_job* job;
  int64_t (*work)(struct seat* seat);
  atomic_int here;
  struct seat seats[2];
};

/* Calls the seat's work on one of the allowed processors, where the system lets a thread choose. On
 * a busy machine both threads would now and then share one and take turns, without the cost of
 * talking to each other: the minimum of a measurement would be just that. */
#if defined(__linux__)
static void take_processor(int index, const cpu_set_t* allowed) {
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (CPU_ISSET(processor, allowed) && index-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(processor, &one);
      pthread_setaffinity_np(pthread_self(), sizeof one, &one);
      return;
    }
  }
}

static int64_t work_on_own_processor(struct seat* seat) {
  cpu_set_t allowed;
  int known = pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) == 0;
  if (known) {
    take_processor(seat->index, &allowed);
  }
  int64_t end = seat->team->work(seat);
  if (known) {
    pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
  }
  return end;
}
#else
static int64_t work_on_own_processor(struct seat* seat) { return seat->team->work(seat); }
#endif

/* Both threads wait here for each other, awake. */
static void meet(struct seat* seat) {
  atomic_fetch_add(&seat->team->here, 1);
  while (atomic_load(&seat->team->here) < 2) {
    sched_yield();
  }
  seat->start = bench_now();
}

static void* run_seat(void* argument) {
  struct seat* seat = (struct seat*)argument;
  seat->end = work_on_own_processor(seat);
  return NULL;
}

/* From the first thread's start to the last one's end. */
static int64_t run_team(struct team* team) {
  struct seat* seats = team->seats;
  seats[0] = (struct seat){team, 0, 0, 0};
  seats[1] = (struct seat){team, 1, 0, 0};
  pthread_t second;
  if (pthread_create(&second, NULL, run_seat, &seats[1]) != 0) {
    return -1;
  }
  run_seat(&seats[0]);
  pthread_join(second, NULL);
  if (seats[0].end < 0 || seats[1].end < 0) {
    return -1;
  }
  int64_t start = seats[0].start < seats[1].start ? seats[0].start : seats[1].start;
  return (seats[0].end > seats[1].end ? seats[0].end : seats[1].end) - start;
}

BENCH_INLINE int64_t lifetimes_by_kind(struct seat* seat, enum bench_kind kind) {
  const ortcffi_bench_job* job = seat->team->job;
  const ortcffi_bench_subject subject = job->subject;
  void** slots = job->slots + seat->index * (job->slot_count / 2);
  int works = 1;
  for (int64_t i = 0; i < job->plan_count; i++) {
    works &= bench_step(&subject, kind, job->plan[i], slots, 0);
  }
  meet(seat);
  for (int64_t i = 0, at = 0; i < job->count; i++) {
    works &= bench_step(&subject, kind, job->plan[at], slots, 0);
    at = at + 1 == job->plan_count ? 0 : at + 1;
  }
  return works ? bench_now() : -1;
}
BENCH_EACH_KIND(lifetimes, struct seat, team->job->subject)

int64_t bench_two_threads(const ortcffi_bench_job* job) {
  struct team team = {.job = job, .work = lifetimes};
  return run_team(&team);
}

BENCH_INLINE int64_t pairs_by_kind(struct seat* seat, enum bench_kind kind) {
  const ortcffi_bench_job* job = seat->team->job;
  const ortcffi_bench_subject subject = job->subject;
  int works = 1;
  meet(seat);
  for (int64_t i = 0; i < job->count; i++) {
    void* block = bench_take(&subject, kind, job->size);
    works &= block != NULL && bench_give(&subject, kind, block);
  }
  return works ? bench_now() : -1;
}
BENCH_EACH_KIND(pairs, struct seat, team->job->subject)

int64_t bench_two_pairs(const ortcffi_bench_job* job) {
  struct team team = {.job = job, .work = pairs};
  return run_team(&team);
}

/* A ring of pointers with one writer and one reader. Positions are published once per batch, so
 * that the line they are in does not travel for every block. */
#define RING 4096
#define RING_BATCH 64

struct ring {
  struct team team;
  _Alignas(BENCH_LINE) _Atomic int64_t written;
  _Alignas(BENCH_LINE) _Atomic int64_t read;
  _Alignas(BENCH_LINE) void* blocks[RING];
};

static void wait_for(_Atomic int64_t* position, int64_t at_least) {
  for (int spins = 1; atomic_load_explicit(position, memory_order_acquire) < at_least; spins++) {
    if (spins % 64 == 0) {
      sched_yield();
    }
  }
}

BENCH_INLINE int64_t put_by_kind(struct seat* seat, enum bench_kind kind) {
  struct ring* ring = (struct ring*)seat->team;
  const ortcffi_bench_job* job = ring->team.job;
  const ortcffi_bench_subject subject = job->subject;
  meet(seat);
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
  return bench_now();
}
BENCH_EACH_KIND(put, struct seat, team->job->subject)

BENCH_INLINE int64_t take_out_by_kind(struct seat* seat, enum bench_kind kind) {
  struct ring* ring = (struct ring*)seat->team;
  const int64_t count = ring->team.job->count;
  const ortcffi_bench_subject subject = ring->team.job->subject;
  int works = 1;
  meet(seat);
  for (int64_t i = 0; i < count; i++) {
    if (i % RING_BATCH == 0) {
      atomic_store_explicit(&ring->read, i, memory_order_release);
      wait_for(&ring->written, i + RING_BATCH < count ? i + RING_BATCH : count);
    }
    void* block = ring->blocks[i % RING];
    works &= block != NULL && bench_give(&subject, kind, block);
  }
  atomic_store_explicit(&ring->read, count, memory_order_release);
  return works ? bench_now() : -1;
}
BENCH_EACH_KIND(take_out, struct seat, team->job->subject)

static int64_t put_or_take_out(struct seat* seat) {
  return seat->index == 0 ? put(seat) : take_out(seat);
}

int64_t bench_handover(const ortcffi_bench_job* job) {
  struct ring ring = {.team = {.job = job, .work = put_or_take_out}};
  return run_team(&ring.team);
}
