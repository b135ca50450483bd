/* SPDX-License-Identifier: MIT */
/**
 * @file strings.h
 * The elements of string tensors.
 *
 * They have the layout of libstdc++'s std::string, because clients in C++ read elements as such and
 * pass arrays of them. Clients with another C++ library must not pass such buffers. The texts of a
 * fill are in the elements if all are short enough, else in one common block of the heap. Elements
 * that a client may assign to have memory from malloc, which operator delete frees.
 */
#pragma once

#include "core.h"

struct core_string {
  /** Points to `local`, a block from malloc, or into the tensor's `texts`. A zero byte follows the
   * text. NULL in a zeroed buffer. */
  char* text;
  size_t length;
  union {
    char local[16];
    size_t capacity;
  };
};

/** The elements of a tensor. */
struct core_strings {
  /** In memory of the tensor's allocator or of a client; `count` is 0 where there is none. */
  struct core_string* elements;
  size_t count;
  /** The common block with the texts of a fill, and its size. */
  char* texts;
  size_t texts_size;
  /** Whether a client may change the elements as std::string, so that each needs memory from
   * malloc; whether one may have such memory also without that; whether one may not be empty. */
  bool is_exposed;
  bool has_own_texts;
  bool has_texts;
};

/** Describes elements as they are. */
static inline void core_strings_begin(struct core_strings* strings, void* elements, size_t count,
                                      bool is_exposed) {
  *strings = (struct core_strings){
      .elements = elements, .count = elements != NULL ? count : 0, .is_exposed = is_exposed};
}
/** Makes elements empty that are not initialized. */
void core_strings_clear(struct core_string* elements, size_t count);
/** Frees the texts. */
void core_strings_end(struct core_strings* strings);

/** Returns the text of an element, empty in a zeroed buffer. Atomic, because another thread may
 * expose the tensor meanwhile, which moves the text. */
static inline const char* core_string_text(const struct core_string* string) {
  return string->length > 0 ? __atomic_load_n(&string->text, __ATOMIC_ACQUIRE) : "";
}

/** A text to fill a tensor with. */
struct core_span {
  const char* bytes;
  size_t length;
};

/** Sets the elements of a tensor that has no texts yet, without further memory. False, with the
 * tensor unchanged, where that cannot be: a text is NULL or too long to be in its element. */
bool core_strings_fill_short(struct core_strings* strings, const char* const* texts);
/** Sets all elements or none; `size` is the sum of all texts with a zero byte each. */
OrtStatus* core_strings_fill(struct core_strings* strings, const struct core_span* texts,
                             size_t size);
/** Sets an element. */
OrtStatus* core_strings_set(struct core_strings* strings, size_t index, const char* text,
                            size_t length);
/** Cuts an element, or lengthens it with zero bytes. */
OrtStatus* core_strings_resize(struct core_strings* strings, size_t index, size_t length);
/** Copies all elements into another tensor with as many; nothing if one of them has no memory. */
OrtStatus* core_strings_copy(const struct core_strings* from, struct core_strings* to);
/** Gives every element memory of its own before a client may change the elements. */
OrtStatus* core_strings_expose(struct core_strings* strings);
