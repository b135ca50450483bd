/* SPDX-License-Identifier: MIT */
/**
 * @file short_texts.h
 * Short texts in whole registers: to call strlen and memcpy for a few bytes takes longer than what
 * they do. Reading past the end of a text is safe within its page.
 */
#pragma once

#include "platform/platform.h"

/* Sanitizers and valgrind would report reads past the end of a text. */
#if defined(__SSE2__) && !defined(CORE_EXACT_READS) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CORE_WHOLE_REGISTERS 1
#include <emmintrin.h>
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#undef CORE_WHOLE_REGISTERS
#endif
#endif

#define CORE_SMALLEST_PAGE 4096
#define CORE_REGISTER 16

/** Whether so many bytes from a text on are in its page, where `size` is at most a page. */
static inline bool core_is_in_page(const char* text, size_t size) {
  return ((uintptr_t)text & (CORE_SMALLEST_PAGE - 1)) <= CORE_SMALLEST_PAGE - size;
}

/** The length of a text that ends with a zero. */
static inline size_t core_text_length(const char* text) {
#if defined(CORE_WHOLE_REGISTERS)
  if (CORE_LIKELY(core_is_in_page(text, CORE_REGISTER))) {
    __m128i start = _mm_loadu_si128((const __m128i*)(const void*)text);
    int zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(start, _mm_setzero_si128()));
    if (CORE_LIKELY(zeros != 0)) {
      return (size_t)__builtin_ctz((unsigned)zeros);
    }
  }
#endif
  return strlen(text);
}

#if defined(CORE_WHOLE_REGISTERS)
/** Copies a text of less than CORE_REGISTER bytes and its zero to room for so many, with anything
 * behind it, and writes its length. False for a longer one, with `to` and `length` changed. */
static inline bool core_load_short(const char* text, char* to, size_t* length) {
  if (CORE_UNLIKELY(!core_is_in_page(text, CORE_REGISTER))) {
    size_t found = strlen(text);
    memcpy(to, text, found < CORE_REGISTER ? found + 1 : 0);
    *length = found;
    return found < CORE_REGISTER;
  }
  __m128i start = _mm_loadu_si128((const __m128i*)(const void*)text);
  int zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(start, _mm_setzero_si128()));
  _mm_storeu_si128((__m128i*)(void*)to, start);
  *length = (size_t)__builtin_ctz((unsigned)zeros | 1U << CORE_REGISTER);
  return zeros != 0;
}
#endif

/** Copies a text of `length` bytes, of at least one, to where there is room for `room`: what is
 * behind it there may be overwritten, too. */
static inline void core_copy_short_text(char* to, size_t room, const char* from, size_t length) {
#if defined(CORE_WHOLE_REGISTERS)
  if (CORE_LIKELY(length <= CORE_REGISTER && room >= CORE_REGISTER &&
                  core_is_in_page(from, CORE_REGISTER))) {
    __m128i text = _mm_loadu_si128((const __m128i*)(const void*)from);
    _mm_storeu_si128((__m128i*)(void*)to, text);
    return;
  }
#else
#endif
  memcpy(to, from, length);
}
