/* SPDX-License-Identifier: MIT */
/* How a measured loop takes and frees a block, the same in every loop file. */
#ifndef ORTCFFI_BENCH_TAKE_H_
#define ORTCFFI_BENCH_TAKE_H_

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "onnxruntime_c_api.h"
#include "boundary/bench/bench.h"

#define BENCH_LINE 64
#define BENCH_SIZE_BITS 17

/* A constant where a loop is compiled, so that no measurement includes a test of the kind. */
enum bench_kind { BENCH_TABLE, BENCH_PLAIN, BENCH_ALIGNED };

#define BENCH_INLINE static inline __attribute__((always_inline))

/* Defines name(it) as name_by_kind(it, kind), compiled once for each kind of it->subject. */
#define BENCH_EACH_KIND(name, type, subject)  \
  static int64_t name(type* it) {             \
    if (it->subject.api != NULL) {            \
      return name##_by_kind(it, BENCH_TABLE); \
    }                                         \
    if (it->subject.take != NULL) {           \
      return name##_by_kind(it, BENCH_PLAIN); \
    }                                         \
    return name##_by_kind(it, BENCH_ALIGNED); \
  }

BENCH_INLINE void* bench_take(const ortcffi_bench_subject* subject, enum bench_kind kind,
                              size_t size) {
  if (kind == BENCH_PLAIN) {
    return subject->take(size);
  }
  if (kind == BENCH_ALIGNED) {
    return subject->take_aligned(BENCH_LINE, size);
  }
  void* block = NULL;
  OrtStatus* status = subject->api->AllocatorAlloc(subject->allocator, size, &block);
  if (status != NULL) {
    subject->api->ReleaseStatus(status);
    return NULL;
  }
  return block;
}

/* False if the subject calls the free an error. */
BENCH_INLINE int bench_give(const ortcffi_bench_subject* subject, enum bench_kind kind,
                            void* block) {
  if (kind != BENCH_TABLE) {
    subject->give(block);
    return 1;
  }
  return subject->api->AllocatorFree(subject->allocator, block) == NULL;
}

static inline int64_t bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* One step of a plan. False if memory ran out. */
BENCH_INLINE int bench_step(const ortcffi_bench_subject* subject, enum bench_kind kind,
                            uint32_t step, void** slots, int whole) {
  void** slot = slots + (step >> BENCH_SIZE_BITS);
  size_t size = step & ((1u << BENCH_SIZE_BITS) - 1);
  if (*slot != NULL && !bench_give(subject, kind, *slot)) {
    return 0;
  }
  void* block = bench_take(subject, kind, size);
  *slot = block;
  if (block == NULL) {
    return 0;
  }
  memset(block, 1, whole ? size : 1);
  return 1;
}

/* The loops of bench_threads.c. */
int64_t bench_two_threads(const ortcffi_bench_job* job);
int64_t bench_two_pairs(const ortcffi_bench_job* job);
int64_t bench_handover(const ortcffi_bench_job* job);

/* The loops of bench_values.c. */
int64_t bench_tensor_over(const ortcffi_bench_job* job);
int64_t bench_new_tensor(const ortcffi_bench_job* job);
int64_t bench_strings(const ortcffi_bench_job* job);

#endif /* ORTCFFI_BENCH_TAKE_H_ */
