/* SPDX-License-Identifier: MIT */
/**
 * @file core.h
 * What the files of the core share: the headers of C, the slot functions, failing statuses,
 * live-object counts.
 *
 * Names: `ort_X` is the function in slot X, `core_x` is shared between files, `x` is static.
 */
#pragma once

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "exported.h"
#include "onnxruntime_c_api.h"

/** The value of a macro as a string literal. */
#define CORE_TEXT(macro) CORE_TEXT_OF(macro)
#define CORE_TEXT_OF(text) #text
/** Release 1.n of ONNX Runtime has API version n. */
#define CORE_VERSION_STRING "1." CORE_TEXT(ORT_API_VERSION) ".0"

#if defined(__GNUC__)
#define CORE_LIKELY(x) __builtin_expect(!!(x), 1)
#define CORE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CORE_INLINE __attribute__((always_inline))
#define CORE_NOINLINE __attribute__((noinline))
#define CORE_COLD __attribute__((cold, noinline))
#else
#define CORE_LIKELY(x) (x)
#define CORE_UNLIKELY(x) (x)
#define CORE_INLINE
#define CORE_NOINLINE
#define CORE_COLD
#endif

#define CORE_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* How thread-local variables are found. Initial-exec takes one instruction instead of a call, and
 * room that glibc keeps for libraries that are opened later. Other C libraries, such as musl, keep
 * none and would not open the library. */
#if defined(__GLIBC__)
#define CORE_TLS __attribute__((tls_model("initial-exec")))
#else
#define CORE_TLS
#endif

/* Slot functions. One prototype for each row that the core answers itself. */
#define CORE_SYMBOL(name) CORE_JOIN(ORT_PREFIX, name)
#define CORE_JOIN(prefix, name) CORE_JOINED(prefix, name)
#define CORE_JOINED(prefix, name) prefix##name
#define CORE_BODY(symbol) CORE_JOIN(symbol, _body)
#define CORE_PROTOTYPE_HOST(returns, symbol, parameters) \
  returns ORT_API_CALL CORE_BODY(symbol)                 \
  parameters NO_EXCEPTION;                               \
  returns ORT_API_CALL symbol parameters NO_EXCEPTION;
#define CORE_PROTOTYPE_TABLE(returns, symbol, parameters) \
  returns ORT_API_CALL symbol parameters NO_EXCEPTION;
#define CORE_PROTOTYPE_ENGINE(returns, symbol, parameters)
#define CORE_PROTOTYPE_NOT_YET(returns, symbol, parameters)
#define ROW(index, since, topic, who, returns, name, parameters) \
  CORE_PROTOTYPE_##who(returns, CORE_SYMBOL(name), parameters)
#define ROWS "ort_rows.def"
#include "ort_tables.def"
#undef ROW
/** The head of the definition of a slot that can fail. The slot itself calls this body, and puts
 * its name in front of the message of a status of core_fail: table/named.c. */
#define CORE_SLOT(NAME, ...) OrtStatus* ORT_API_CALL CORE_BODY(NAME)(__VA_ARGS__) NO_EXCEPTION
/** A slot that reads one thing: its last parameter, a `type*`, gets the value of an expression of
 * the other ones. */
#define CORE_GETTER(NAME, type, expression, ...) \
  CORE_SLOT(NAME, __VA_ARGS__, type* core_out) { \
    *core_out = expression;                      \
    return NULL;                                 \
  }
/** A slot that reads two things, to its last two parameters. */
#define CORE_PAIR_GETTER(NAME, type, expression, second_type, second, ...) \
  CORE_SLOT(NAME, __VA_ARGS__, type* core_out, second_type* core_second) { \
    *core_out = expression;                                                \
    *core_second = second;                                                 \
    return NULL;                                                           \
  }
/** A slot that cannot fail and reads one thing of an object: 0 or NULL of none. */
#define CORE_VALUE_GETTER(NAME, type, expression, owner_type, owner) \
  type ORT_API_CALL NAME(owner_type owner) NO_EXCEPTION {            \
    return owner == NULL ? (type)0 : expression;                     \
  }

/* Objects. What the core hands out begins with the same head, allocators after the struct of the
 * API. object/object.h has the functions. */

/** The kinds of object that the core counts while they are alive. */
enum core_kind {
#define KIND(kind, text) CORE_##kind,
#include "object/kinds.def"
#undef KIND
  CORE_KINDS
};

/** What the objects of a class have in common. Its address also tells them from objects of another
 * library, and of another copy of the core. */
struct core_class {
  enum core_kind kind;
  /** Where the head is in the object's block. */
  uint32_t offset;
  /** Frees what the object owns, but not its block, whose start it gets. NULL: it owns nothing. */
  void (*end)(void* block);
};

/** The head. */
struct core_object {
  /** NULL once the object has ended, so that one that is used too late is refused, while its block
   * has not been reused. */
  const struct core_class* class;
  /** Atomic. CORE_PERMANENT or more for a constant, and for a part of another object. */
  uint32_t references;
  /** Which one of its kind it is: a status's error code, a value's ONNXType. */
  uint32_t type;
};

/** More references than anybody drops, so that releasing such an object leaves it alone. */
#define CORE_PERMANENT ((uint32_t)1 << 31)

/** How many objects of a kind are alive, over all threads. */
CORE_FOR_EXTENSION int64_t core_live_objects(enum core_kind kind);
/** The name of a kind; NULL past the last. */
CORE_FOR_EXTENSION const char* core_kind_name(unsigned kind);

/* Statuses. A status either owns its message, in the bytes behind it, or is a constant whose
 * message is a literal. Constants need no memory, so a guard can always answer. */
struct OrtStatus {
  struct core_object object;
  const char* message;
};

extern const struct core_class core_status_class;
#define CORE_CONSTANT_STATUS(code, text) {{&core_status_class, CORE_PERMANENT, code}, text}

/** Hands out a constant status; the caller releases it like any other. */
OrtStatus* core_constant_status(const struct OrtStatus* constant);

/* The compiler checks arguments as those of printf; MinGW's knows another one by that name. */
#if defined(__clang__)
#define CORE_FORMAT(at) __attribute__((cold, format(printf, at, (at) + 1)))
#elif defined(__GNUC__)
#define CORE_FORMAT(at) __attribute__((cold, format(gnu_printf, at, (at) + 1)))
#else
#define CORE_FORMAT(at)
#endif

/** A status whose message is the slot's name, ": " and a text, made as by printf. Where there is no
 * memory for it, it is a constant. */
OrtStatus* core_fail(OrtErrorCode code, const char* format, ...) CORE_FORMAT(2);
/** The same with the text alone as the message. */
CORE_FOR_EXTENSION OrtStatus* core_status(OrtErrorCode code, const char* format, ...)
    CORE_FORMAT(2);
/** Puts a text and ": " between the slot's name and the rest of what core_fail made. Returns other
 * statuses and NULL as they are. */
OrtStatus* core_about(OrtStatus* status, const char* format, ...) CORE_FORMAT(2);
/** Puts the name of a slot, or of a function that is none, in front of what core_fail made. */
CORE_FOR_EXTENSION OrtStatus* core_name_failure(const char* name, OrtStatus* status);
static inline OrtStatus* core_named(const char* name, OrtStatus* status) {
  return CORE_LIKELY(status == NULL) ? NULL : core_name_failure(name, status);
}

/** The first of two answers that failed, or NULL; the other one is released. */
OrtStatus* core_first_failure(OrtStatus* status, OrtStatus* later);

/** The status for not having got `size` bytes; `before` is the message up to the number. */
OrtStatus* core_out_of_memory(const char* before, size_t length, size_t size);
#define CORE_NO_MEMORY_TEXT(function) #function ": out of memory: there is no block of "
/** The same with the name of the slot that is running. */
CORE_FOR_EXTENSION OrtStatus* core_no_memory(size_t size);
#define CORE_OUT_OF_MEMORY(function, size) \
  core_out_of_memory(CORE_NO_MEMORY_TEXT(function), sizeof CORE_NO_MEMORY_TEXT(function) - 1, size)

/** Returns from a slot function with a constant status. */
#define CORE_FAIL(error_code, text)                                                      \
  do {                                                                                   \
    static const struct OrtStatus core_failure = CORE_CONSTANT_STATUS(error_code, text); \
    return core_constant_status(&core_failure);                                          \
  } while (0)

/** The same where a condition holds. */
#define CORE_FAIL_IF(condition, error_code, text) \
  do {                                            \
    if (CORE_UNLIKELY(condition)) {               \
      CORE_FAIL(error_code, text);                \
    }                                             \
  } while (0)

/** Returns from a function early where a condition holds, with a failing status. */
#define CORE_RETURN_IF(condition, status) \
  do {                                    \
    if (CORE_UNLIKELY(condition)) {       \
      return status;                      \
    }                                     \
  } while (0)

/** Returns from a function early where a condition holds, with a status of core_fail. */
#define CORE_REFUSE_IF(condition, ...) CORE_RETURN_IF(condition, core_fail(__VA_ARGS__))
/** The same with core_no_memory. */
#define CORE_NEED_MEMORY(pointer, size) CORE_RETURN_IF((pointer) == NULL, core_no_memory(size))

/** Does one more thing where all before has worked. */
#define CORE_THEN(status, next)          \
  do {                                   \
    if (CORE_LIKELY((status) == NULL)) { \
      (status) = (next);                 \
    }                                    \
  } while (0)

/** Expands a macro with `f` and each of up to twelve arguments. */
#define CORE_EACH(macro, f, ...)                                                             \
  CORE_PICK(__VA_ARGS__, CORE_EACH_12, CORE_EACH_11, CORE_EACH_10, CORE_EACH_9, CORE_EACH_8, \
            CORE_EACH_7, CORE_EACH_6, CORE_EACH_5, CORE_EACH_4, CORE_EACH_3, CORE_EACH_2,    \
            CORE_EACH_1, )                                                                   \
  (macro, f, __VA_ARGS__)
#define CORE_PICK(a, b, c, d, e, f, g, h, i, j, k, l, thirteenth, ...) thirteenth
#define CORE_EACH_1(m, f, a) m(f, a)
#define CORE_EACH_2(m, f, a, ...) m(f, a) CORE_EACH_1(m, f, __VA_ARGS__)
#define CORE_EACH_3(m, f, a, ...) m(f, a) CORE_EACH_2(m, f, __VA_ARGS__)
#define CORE_EACH_4(m, f, a, ...) m(f, a) CORE_EACH_3(m, f, __VA_ARGS__)
#define CORE_EACH_5(m, f, a, ...) m(f, a) CORE_EACH_4(m, f, __VA_ARGS__)
#define CORE_EACH_6(m, f, a, ...) m(f, a) CORE_EACH_5(m, f, __VA_ARGS__)
#define CORE_EACH_7(m, f, a, ...) m(f, a) CORE_EACH_6(m, f, __VA_ARGS__)
#define CORE_EACH_8(m, f, a, ...) m(f, a) CORE_EACH_7(m, f, __VA_ARGS__)
#define CORE_EACH_9(m, f, a, ...) m(f, a) CORE_EACH_8(m, f, __VA_ARGS__)
#define CORE_EACH_10(m, f, a, ...) m(f, a) CORE_EACH_9(m, f, __VA_ARGS__)
#define CORE_EACH_11(m, f, a, ...) m(f, a) CORE_EACH_10(m, f, __VA_ARGS__)
#define CORE_EACH_12(m, f, a, ...) m(f, a) CORE_EACH_11(m, f, __VA_ARGS__)

/** Guards pointer arguments in this order; passes over numbers, and over an argument in
 * parentheses, which may be NULL. `function` is the slot's name. */
#define CORE_REQUIRE(function, ...) CORE_EACH(CORE_NEED, function, __VA_ARGS__)
#define CORE_NEED(function, argument)                                                   \
  if (CORE_IS_POINTER(argument) && #argument[0] != '(' && CORE_UNLIKELY(!(argument))) { \
    CORE_FAIL(ORT_INVALID_ARGUMENT, #function ": " #argument " must not be NULL");      \
  }
/* Whether an argument is a pointer is the compiler's knowledge. */
#define CORE_IS_POINTER(argument) \
  (__builtin_classify_type(argument) == __builtin_classify_type((void*)0))

/** Guards pointer arguments that only `needed` makes necessary. */
#define CORE_REQUIRE_IF(needed, function, ...) \
  do {                                         \
    if (needed) {                              \
      CORE_REQUIRE(function, __VA_ARGS__);     \
    }                                          \
  } while (0)

/** CORE_GETTER for a slot that has no body beside it (table/named.c). `function` is its name
 * without "ort_", `owner` and `out` are the names of its two parameters. */
#define CORE_QUICK_GETTER(NAME, function, type, out, expression, owner_type, owner) \
  OrtStatus* ORT_API_CALL NAME(owner_type owner, type* out) NO_EXCEPTION {          \
    CORE_REQUIRE(function, owner, out);                                             \
    *out = expression;                                                              \
    return NULL;                                                                    \
  }

/** Passes a failing status on to the caller. */
#define CORE_TRY(expression)                 \
  do {                                       \
    OrtStatus* core_tried = (expression);    \
    if (CORE_UNLIKELY(core_tried != NULL)) { \
      return core_tried;                     \
    }                                        \
  } while (0)

/** The same after statements that undo what the function has done. */
#define CORE_TRY_OR(call, undo)      \
  do {                               \
    OrtStatus* core_failed = (call); \
    if (core_failed != NULL) {       \
      undo;                          \
      return core_failed;            \
    }                                \
  } while (0)

/** One of the statistics that an allocator's GetStats answers. */
struct core_figure {
  const char* key;
  int64_t value;
};

/** Pairs of the names and values of statistics, in decimal. */
OrtStatus* core_figures(const struct core_figure* figures, size_t count, OrtKeyValuePairs** out);

/** Copies a list with texts, as the caller's pairs. */
struct core_items;
OrtStatus* core_pairs_of(const struct core_items* items, OrtKeyValuePairs** out);

/** A copy of pairs, the caller's; none for NULL. */
OrtStatus* core_copy_pairs(const OrtKeyValuePairs* from, OrtKeyValuePairs** out);

/** Adds a pair whose key is new, without looking for it. False where there is no memory. */
bool core_append_pair(OrtKeyValuePairs* pairs, const char* key, const char* value);

/** The core's own base. The exported name OrtGetApiBase may resolve to another library's. Defined
 * in table/api.c; declared here because topics below pass it to op libraries. */
CORE_FOR_EXTENSION const OrtApiBase* core_api_base(void);
/** Its newest table. */
static inline const OrtApi* core_api(void) { return core_api_base()->GetApi(ORT_API_VERSION); }

/** The version that this thread last asked a GetApi of the core for in vain; 0 if it did not since
 * the last call. Defined in table/api.c. */
uint32_t core_take_refused_version(void);
