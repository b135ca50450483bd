/* SPDX-License-Identifier: MIT */
/* What the trials of faults.c share. Each file of them ends what its `prepare` functions made. */
#ifndef ORTCFFI_TESTS_FAULTS_H_
#define ORTCFFI_TESTS_FAULTS_H_

#include "../clients/client.h"
#include "heap/heap.h"

/* What every out-parameter holds before a call. */
#define UNTOUCHED ((void*)16)

extern const OrtApi* api;
extern OrtAllocator* allocator;

/* One call. `prepare` makes what it needs, `undo` gives back what it made; both without faults. */
struct trial {
  /* The slots that it tries, and words that are none. */
  const char* name;
  void (*prepare)(void);
  OrtStatus* (*make)(void** out);
  void (*undo)(void* out);
  /* The code of the status that it makes when nothing is lacking. */
  OrtErrorCode code;
};
#define TRIAL(name, prepare, make, undo) {name, prepare, make, undo, ORT_OK}

/* Some trials, up to one without a name, and what ends all that their `prepare` made. */
struct section {
  const struct trial* trials;
  void (*clean)(void);
};
extern const struct section foundations, adaptors, tensors, types, containers, sparse, options,
    environments, custom_ops, arenas, kernels, hardware_devices, graphs, models, profiling, eps,
    compiled_nodes, device_nodes, sessions, ep_sessions;

/* What a call answers whose failure shows in its effects alone. */
OrtStatus* failed_without_status(void);
/* The same for what kernels answer where there is no memory for an output: ORT_FAIL. */
OrtStatus* as_lack_of_memory(OrtStatus* status);
/* A value of a graph that is a tensor of floats. */
OrtValueInfo* float_value(const char* name, const int64_t* dims, size_t rank);
size_t count_pairs(const OrtKeyValuePairs* pairs);
void release_pairs(void* out);
void release_info(void* out);

#endif /* ORTCFFI_TESTS_FAULTS_H_ */
