/* SPDX-License-Identifier: MIT */
/* The measured loops of one thread. Each returns the nanoseconds it took, or -1. */
#include "boundary/bench/bench_take.h"

#define PAGE 4096

static int64_t create_status(const ortcffi_bench_job* job) {
  const OrtApi* api = job->subject.api;
  const char* message = job->message;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    api->ReleaseStatus(api->CreateStatus(ORT_INVALID_ARGUMENT, message));
  }
  return bench_now() - start;
}

/* What a client does with a failure: reads code and message, and releases the status. */
static inline int read_and_release(const OrtApi* api, OrtStatus* status) {
  if (status == NULL) {
    return 0;
  }
  OrtErrorCode code = api->GetErrorCode(status);
  const char* message = api->GetErrorMessage(status);
  api->ReleaseStatus(status);
  return code != ORT_OK && message != NULL;
}

static int64_t fail_alloc(const ortcffi_bench_job* job) {
  const OrtApi* api = job->subject.api;
  OrtAllocator* allocator = job->subject.allocator;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    void* block = NULL;
    if (!read_and_release(api, api->AllocatorAlloc(allocator, job->size, &block))) {
      return -1;
    }
  }
  return bench_now() - start;
}

static int64_t fail_info(const ortcffi_bench_job* job) {
  const OrtApi* api = job->subject.api;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    OrtMemoryInfo* info = NULL;
    if (!read_and_release(api, api->CreateMemoryInfo("NoSuchDevice", OrtDeviceAllocator, 0,
                                                     OrtMemTypeDefault, &info))) {
      return -1;
    }
  }
  return bench_now() - start;
}

static int64_t read_status(const ortcffi_bench_job* job) {
  const OrtApi* api = job->subject.api;
  OrtStatus* status = api->CreateStatus(ORT_INVALID_ARGUMENT, job->message);
  int64_t wrong = 0;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    wrong += api->GetErrorCode(status) != ORT_INVALID_ARGUMENT;
    wrong += api->GetErrorMessage(status) == NULL;
  }
  int64_t taken = bench_now() - start;
  api->ReleaseStatus(status);
  return wrong == 0 ? taken : -1;
}

static int64_t get_api(const ortcffi_bench_job* job) {
  const OrtApiBase* base = job->subject.base;
  int64_t wrong = 0;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    wrong += base->GetApi(1) == NULL;
  }
  int64_t taken = bench_now() - start;
  return wrong == 0 ? taken : -1;
}

static int64_t release_null(const ortcffi_bench_job* job) {
  const OrtApi* api = job->subject.api;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    api->ReleaseStatus(NULL);
  }
  return bench_now() - start;
}

BENCH_INLINE int64_t pair_by_kind(const ortcffi_bench_job* job, enum bench_kind kind) {
  const ortcffi_bench_subject subject = job->subject;
  size_t size = job->size;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    void* block = bench_take(&subject, kind, size);
    if (block == NULL || !bench_give(&subject, kind, block)) {
      return -1;
    }
  }
  return bench_now() - start;
}
BENCH_EACH_KIND(pair, const ortcffi_bench_job, subject)

BENCH_INLINE int64_t batch_by_kind(const ortcffi_bench_job* job, enum bench_kind kind) {
  const ortcffi_bench_subject subject = job->subject;
  size_t size = job->size;
  int64_t start = bench_now();
  for (int64_t done = 0; done < job->count; done += job->slot_count) {
    for (int64_t i = 0; i < job->slot_count; i++) {
      job->slots[i] = bench_take(&subject, kind, size);
    }
    for (int64_t i = 0; i < job->slot_count; i++) {
      if (job->slots[i] == NULL || !bench_give(&subject, kind, job->slots[i])) {
        return -1;
      }
      job->slots[i] = NULL;
    }
  }
  return bench_now() - start;
}
BENCH_EACH_KIND(batch, const ortcffi_bench_job, subject)

BENCH_INLINE int64_t touch_by_kind(const ortcffi_bench_job* job, enum bench_kind kind) {
  const ortcffi_bench_subject subject = job->subject;
  int64_t start = bench_now();
  for (int64_t i = 0; i < job->count; i++) {
    volatile char* block = (volatile char*)bench_take(&subject, kind, job->size);
    if (block == NULL) {
      return -1;
    }
    for (size_t at = 0; at < job->size; at += PAGE) {
      block[at] = 1;
    }
    if (!bench_give(&subject, kind, (void*)block)) {
      return -1;
    }
  }
  return bench_now() - start;
}
BENCH_EACH_KIND(touch, const ortcffi_bench_job, subject)

BENCH_INLINE int64_t follow_plan(const ortcffi_bench_job* job, enum bench_kind kind, int whole) {
  const ortcffi_bench_subject subject = job->subject;
  const uint32_t* plan = job->plan;
  int64_t start = bench_now();
  for (int64_t i = 0, at = 0; i < job->count; i++) {
    if (!bench_step(&subject, kind, plan[at], job->slots, whole)) {
      return -1;
    }
    at = at + 1 == job->plan_count ? 0 : at + 1;
  }
  return bench_now() - start;
}

BENCH_INLINE int64_t lifetimes_by_kind(const ortcffi_bench_job* job, enum bench_kind kind) {
  return follow_plan(job, kind, 0);
}
BENCH_EACH_KIND(lifetimes, const ortcffi_bench_job, subject)

BENCH_INLINE int64_t fill_by_kind(const ortcffi_bench_job* job, enum bench_kind kind) {
  return follow_plan(job, kind, 1);
}
BENCH_EACH_KIND(fill, const ortcffi_bench_job, subject)

BENCH_INLINE int64_t clear_by_kind(const ortcffi_bench_job* job, enum bench_kind kind) {
  int64_t freed = 0;
  for (int64_t i = 0; i < job->slot_count; i++) {
    if (job->slots[i] != NULL) {
      freed += bench_give(&job->subject, kind, job->slots[i]);
      job->slots[i] = NULL;
    }
  }
  return freed;
}
BENCH_EACH_KIND(clear, const ortcffi_bench_job, subject)

static int64_t (*const loops[])(const ortcffi_bench_job* job) = {
    [ORTCFFI_BENCH_STATUS] = create_status,
    [ORTCFFI_BENCH_FAIL_ALLOC] = fail_alloc,
    [ORTCFFI_BENCH_FAIL_INFO] = fail_info,
    [ORTCFFI_BENCH_READ_STATUS] = read_status,
    [ORTCFFI_BENCH_GET_API] = get_api,
    [ORTCFFI_BENCH_RELEASE_NULL] = release_null,
    [ORTCFFI_BENCH_PAIR] = pair,
    [ORTCFFI_BENCH_BATCH] = batch,
    [ORTCFFI_BENCH_TOUCH] = touch,
    [ORTCFFI_BENCH_LIFETIMES] = lifetimes,
    [ORTCFFI_BENCH_FILL] = fill,
    [ORTCFFI_BENCH_TWO_THREADS] = bench_two_threads,
    [ORTCFFI_BENCH_TWO_PAIRS] = bench_two_pairs,
    [ORTCFFI_BENCH_HANDOVER] = bench_handover,
    [ORTCFFI_BENCH_TENSOR_OVER] = bench_tensor_over,
    [ORTCFFI_BENCH_NEW_TENSOR] = bench_new_tensor,
    [ORTCFFI_BENCH_STRINGS] = bench_strings,
};

int64_t ortcffi_bench_run(const ortcffi_bench_job* job) { return loops[job->loop](job); }

void ortcffi_bench_clear(const ortcffi_bench_job* job) { clear(job); }
