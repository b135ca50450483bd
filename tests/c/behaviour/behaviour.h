/* SPDX-License-Identifier: MIT */
/*
 * One call with bad or borderline input, and its answer as a line of text.
 *
 * A call is written CALL("its name") { ... } and says its answer through the functions below. A
 * call runs in a process of its own, because some of them end the process on some libraries.
 *
 * All files are compiled as one, which takes half of the time: their static names differ, and where
 * several define a macro each undefines it in the end.
 */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_H_
#define ORTCFFI_TESTS_BEHAVIOUR_H_

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

/* Writes a call that says what a slot answers. */
#define ANSWER(text, ...) \
  CALL(text) { say_status(__VA_ARGS__); }

/* Writes a call whose body gets what `begin` makes and `end` gives back. */
#define CALL_WITH(text, type, argument, begin, end) \
  CALL_WITH_NUMBER(text, type, argument, begin, end, __COUNTER__)
#define CALL_WITH_NUMBER(text, type, argument, begin, end, n) \
  CALL_WITH_COUNTED(text, type, argument, begin, end, n)
#define CALL_WITH_COUNTED(text, type, argument, begin, end, n) \
  static void body_##n(type argument __attribute__((unused))); \
  CALL(text) {                                                 \
    type argument = begin();                                   \
    body_##n(argument);                                        \
    end(argument);                                             \
  }                                                            \
  static void body_##n(type argument __attribute__((unused)))

extern const OrtApiBase* base;
extern const OrtApi* api;
/** ORT_API_VERSION, or that of an older library. */
extern uint32_t api_version;

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

/** Says whether a call that was given `before` in its out-parameter has changed it. */
void say_out(const void* out, const void* before);

/** A text of one letter; the next call overwrites it. */
const char* long_text(char letter, size_t length);

/** Functions for threads, which make none. */
OrtCustomThreadHandle create_thread(void* options, OrtThreadWorkerFn worker, void* argument);
void join_thread(OrtCustomThreadHandle thread);

/** What a call must not read or write: an address that no page has. */
#define UNTOUCHED ((void*)0x10)

#endif /* ORTCFFI_TESTS_BEHAVIOUR_H_ */
