/* SPDX-License-Identifier: MIT */
/*
 * A call whose allocations fail, written CALL("its name") { ... }, of what rows in Python cannot
 * reach. Its answer is a line of text, said through the functions below.
 */
#ifndef ORTCFFI_TESTS_FAULTS_H_
#define ORTCFFI_TESTS_FAULTS_H_

#include "../clients/check.h"
#include "core.h"
#include "onnxruntime_c_api.h"
#include "ortcore.h"

struct call {
  const char* name;
  void (*make)(void);
};

/* The linker gathers pointers to the calls of all files in one section, so that no list repeats
 * their names; a linker that collects garbage would drop it. */
#if __has_attribute(retain)
#define IN_SECTION section("calls"), used, retain
#else
#define IN_SECTION section("calls"), used
#endif
#define CALL(text) CALL_COUNTED(text, __COUNTER__)
#define CALL_COUNTED(text, count) CALL_NUMBER(text, count)
#define CALL_NUMBER(text, n)                                                          \
  static void make_##n(void);                                                         \
  static const struct call call_##n = {text, make_##n};                               \
  static const struct call* const listed_##n __attribute__((IN_SECTION)) = &call_##n; \
  static void make_##n(void)

extern const OrtApi* api;

/** Says text as printf does; parts of an answer are separated by "; ". */
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

/** Says "OK", or the code and the message; releases the status. True for success. */
bool say_status(OrtStatus* status);

/** Says "NULL" or "non-NULL". */
void say_pointer(const void* pointer);

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
