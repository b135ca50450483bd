/* SPDX-License-Identifier: MIT */
/* The loops that `python -m ortcffi bench` measures, run without Python between two operations.
 * They are in an extension of their own, `ortcffi._bench`, which nothing else needs. */
#ifndef ORTCFFI_BOUNDARY_BENCH_H_
#define ORTCFFI_BOUNDARY_BENCH_H_

#include "onnxruntime_c_api.h"

/* What a loop runs over: a table, as a C client sees it, or the functions of a plain allocator. */
typedef struct ortcffi_bench_subject {
  /* NULL in all three: a plain allocator. */
  const OrtApiBase* base;
  const OrtApi* api;
  OrtAllocator* allocator;
  /* malloc or its like; NULL where `take_aligned`, which asks for 64-byte blocks, stands in. */
  void* (*take)(size_t size);
  void* (*take_aligned)(size_t alignment, size_t size);
  void (*give)(void* block);
} ortcffi_bench_subject;

/* Each loop and what one operation of it is. The first six and the last three need a table. */
typedef enum ortcffi_bench_loop {
  ORTCFFI_BENCH_STATUS,       /* a status with `message` created and released */
  ORTCFFI_BENCH_FAIL_ALLOC,   /* AllocatorAlloc of `size` fails, status read and released */
  ORTCFFI_BENCH_FAIL_INFO,    /* CreateMemoryInfo of no device fails, status read and released */
  ORTCFFI_BENCH_READ_STATUS,  /* code and message of one status */
  ORTCFFI_BENCH_GET_API,      /* the table asked for */
  ORTCFFI_BENCH_RELEASE_NULL, /* no status released */
  ORTCFFI_BENCH_PAIR,         /* a block of `size` taken and freed */
  ORTCFFI_BENCH_BATCH,        /* the same, in turns of `slot_count` blocks taken, then freed */
  ORTCFFI_BENCH_TOUCH,        /* the same as PAIR, a byte of every page written */
  ORTCFFI_BENCH_LIFETIMES,    /* the next step of `plan`, first line written */
  ORTCFFI_BENCH_FILL,         /* the next step of `plan`, whole block written */
  ORTCFFI_BENCH_TWO_THREADS,  /* LIFETIMES on each of two threads, half of `slots` each */
  ORTCFFI_BENCH_TWO_PAIRS,    /* PAIR on each of two threads */
  ORTCFFI_BENCH_HANDOVER,     /* one thread takes the blocks of `plan`, the other frees them */
  ORTCFFI_BENCH_TENSOR_OVER,  /* a tensor over 1 KiB of the caller's, made and released */
  ORTCFFI_BENCH_NEW_TENSOR,   /* a tensor of `size` bytes from the allocator, made and released */
  ORTCFFI_BENCH_STRINGS       /* a tensor of 1000 strings made, filled, read and released */
} ortcffi_bench_loop;

typedef struct ortcffi_bench_job {
  ortcffi_bench_subject subject;
  ortcffi_bench_loop loop;
  int64_t count; /* operations */
  size_t size;
  const char* message;
  /* Steps, each a slot times 2^17 plus a size: what the slot holds is freed, the size is taken. */
  const uint32_t* plan;
  int64_t plan_count;
  void** slots; /* NULL or blocks in use, left so at the end */
  int64_t slot_count;
} ortcffi_bench_job;

/* Runs a job; CFFI calls it without the GIL. Nanoseconds passed, or -1 if an answer was not the
 * expected one (memory ran out, a call that should fail did not). */
int64_t ortcffi_bench_run(const ortcffi_bench_job* job);

/* Frees what is in the job's slots, and empties them. */
void ortcffi_bench_clear(const ortcffi_bench_job* job);

/* Runs of a session with one input and one output: with a value, or with what a binding has. */
typedef struct ortcffi_bench_runs {
  const OrtApi* api;
  OrtSession* session;
  const char* input;
  const char* output;
  OrtValue* x;
  OrtIoBinding* binding; /* NULL to run with `x` and have the output allocated */
  int64_t count;
} ortcffi_bench_runs;

/* Runs a session. Nanoseconds passed, or -1 if a run failed. */
int64_t ortcffi_bench_run_session(const ortcffi_bench_runs* runs);

/* What this machine can do: a table that answers the measured slots with the least of work. It
 * checks no argument, no double free and no limit, and never gives memory back. NULL if the
 * addresses it needs cannot be had. */
const OrtApiBase* ortcffi_bench_floor(void);

#endif /* ORTCFFI_BOUNDARY_BENCH_H_ */
