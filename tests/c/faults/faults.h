/* SPDX-License-Identifier: MIT */
/* What calls need whose allocations fail. */
#ifndef ORTCFFI_TESTS_FAULTS_H_
#define ORTCFFI_TESTS_FAULTS_H_

#include "calls.h"
#include "core.h"

/** Before and after each call; faults.c. */
void enter(int slot, const void* frame);
bool is_made_again(OrtStatus** status);
/** Whether a call that fails may leave more each time, which an object keeps until it ends. */
extern bool may_keep;
#define BESIDE_THE_TABLES 0

/** The status of a call of a function that is in no table, whose allocations fail. */
#define TRIED(call)                                       \
  ({                                                      \
    enter(BESIDE_THE_TABLES, __builtin_frame_address(0)); \
    OrtStatus* status_;                                   \
    do {                                                  \
      status_ = (call);                                   \
    } while (is_made_again(&status_));                    \
    status_;                                              \
  })
/** The same for a call that writes a pointer to `made`, and must not fail: the pointer. */
#define MADE(type, call)            \
  ({                                \
    type* made = NULL;              \
    if (!say_status(TRIED(call))) { \
      exit(1);                      \
    }                               \
    made;                           \
  })

/** The default allocator. */
static inline OrtAllocator* heap(void) {
  return NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
}

#endif /* ORTCFFI_TESTS_FAULTS_H_ */
