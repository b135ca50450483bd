/* SPDX-License-Identifier: MIT */
/*
 * A call, written CALL("its name") { ... }, of what rows in Python cannot reach. Its answer is a
 * line of text, said through the functions below.
 */
#ifndef ORTCFFI_TESTS_CALLS_H_
#define ORTCFFI_TESTS_CALLS_H_

#include "../clients/check.h"
#include "onnxruntime_c_api.h"
#include "ortcore.h"

struct call {
  const char* name;
  void (*make)(void);
};

/* The linker gathers pointers to the calls of all files in one section, so that no list repeats
 * their names. */
#if defined(__APPLE__)
#define IN_SECTION section("__DATA,calls"), used
#elif defined(__ELF__) && __has_attribute(retain)
/* Otherwise a linker that collects garbage drops the section. */
#define IN_SECTION section("calls"), used, retain
#else
#define IN_SECTION section("calls"), used
#endif
/* Where gcc optimises it would reverse the pointers of a file. Answers of builds with different
 * flags are compared line by line. */
#if __has_attribute(no_reorder)
#define IN_ORDER no_reorder
#else
#define IN_ORDER
#endif
#define CALL(text) CALL_COUNTED(text, __COUNTER__)
#define CALL_COUNTED(text, count) CALL_NUMBER(text, count)
#define CALL_NUMBER(text, n)                                                                    \
  static void make_##n(void);                                                                   \
  static const struct call call_##n = {text, make_##n};                                         \
  static const struct call* const listed_##n __attribute__((IN_SECTION, IN_ORDER)) = &call_##n; \
  static void make_##n(void)

extern const OrtApi* api;
/* MinGW-w64 has a printf of its own beside the system's. */
#if defined(__MINGW_PRINTF_FORMAT)
#define PRINTF __MINGW_PRINTF_FORMAT
#else
#define PRINTF printf
#endif

/** Says text as printf does; parts of an answer are separated by "; ". */
void say(const char* format, ...) __attribute__((format(PRINTF, 1, 2)));

/** Says "OK", or the code's name and the message; releases the status. True for success. */
bool say_status(OrtStatus* status);

/** Says "NULL" or "non-NULL". */
void say_pointer(const void* pointer);

#endif /* ORTCFFI_TESTS_CALLS_H_ */
