/* SPDX-License-Identifier: MIT */
/*
 * A fuzzer of the API: bytes become calls, and a model of what is alive says what each call must
 * answer. What a part of it makes, it also ends.
 */
#ifndef ORTCFFI_TESTS_FUZZ_H_
#define ORTCFFI_TESTS_FUZZ_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adaptors/adaptor.h"
#include "heap/heap.h"

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

extern const OrtApi* api;

/** Checks that the core has nothing left. */
static inline void must_be_empty(void) {
  struct heap_stats stats;
  heap_read_stats(&stats);
  CHECK(stats.live_bytes == 0);
  for (int kind = 0; kind < CORE_KINDS; kind++) {
    CHECK(heap_live_objects((enum core_kind)kind) == 0);
  }
}

/** The next byte of the input, or 0 at its end. */
unsigned next_byte(void);
/** The next `bytes` bytes as a number. */
size_t next_number(unsigned bytes);
/** A string of up to `length` bytes, without a zero among them. */
void next_string(char* out, size_t length);
/** Memory of the fuzzer's own, which is always there. */
void* must_malloc(size_t size);

/** Whether a call may have failed for a lack of memory: an allocation was made to. */
int may_lack_memory(void);
/** While the model itself makes calls, no allocation fails. */
void pause_faults(void);
void resume_faults(void);
/** Checks that a status says so, and releases it. */
void must_lack_memory(OrtStatus* status);
/** Checks a status's code and releases it. */
void must_be(OrtStatus* status, OrtErrorCode code);
/** Whether a call succeeded, which it must if `can` and only then, unless memory lacks. A failure's
 * status is released; it must have one of up to two codes. */
int succeeded(OrtStatus* status, int can, OrtErrorCode code, OrtErrorCode other);

/* Each does one call with one kind of object, and ends all of them. */
void use_blocks(void);
void end_blocks(void);
void use_pairs(void);
void end_pairs(void);
void use_tensors(void);
void use_containers(void);
void use_sparse(void);
void end_values(void);
void use_options(void);
void end_options(void);
void use_kernels(void);
/** Reads and writes a model, which ends at once. */
void use_models(void);
void end_kernels(void);

#endif /* ORTCFFI_TESTS_FUZZ_H_ */
