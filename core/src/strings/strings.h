/* SPDX-License-Identifier: MIT */
/**
 * @file strings.h
 * The elements of string tensors.
 *
 * They have the layout of libstdc++'s std::string, because clients in C++ read and assign elements
 * as such, and pass arrays of them. Clients with another C++ library must not pass such buffers.
 * Longer texts have memory from malloc, which operator delete frees.
 */
#pragma once

#include "core.h"

struct core_string {
  /** Points to `local` or to a block from malloc. A zero byte follows the text. NULL in a zeroed
   * buffer. */
  char* text;
  size_t length;
  union {
    char local[16];
    size_t capacity;
  };
};

/** The elements of a tensor, in memory of its allocator or of a client; `count` is 0 where there is
 * none. */
struct core_strings {
  struct core_string* elements;
  size_t count;
};

/** Describes elements as they are. */
static inline void core_strings_begin(struct core_strings* strings, void* elements, size_t count) {
  *strings = (struct core_strings){elements, elements != NULL ? count : 0};
}
/** Makes elements empty that are not initialized. */
void core_strings_clear(struct core_string* elements, size_t count);
/** Frees the texts. */
void core_strings_end(struct core_strings* strings);

/** Returns the text of an element, empty in a zeroed buffer. */
static inline const char* core_string_text(const struct core_string* string) {
  return string->length > 0 ? string->text : "";
}

/** Sets all elements or none; a text that is NULL is refused. */
OrtStatus* core_strings_fill(struct core_strings* strings, const char* const* texts);
/** Sets an element. */
OrtStatus* core_strings_set(struct core_strings* strings, size_t index, const char* text,
                            size_t length);
/** Cuts an element, or lengthens it with zero bytes. */
OrtStatus* core_strings_resize(struct core_strings* strings, size_t index, size_t length);
/** Copies all elements into another tensor with as many; nothing if one of them has no memory. */
OrtStatus* core_strings_copy(const struct core_strings* from, struct core_strings* to);
