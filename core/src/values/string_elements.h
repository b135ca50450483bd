/* SPDX-License-Identifier: MIT */
/**
 * @file string_elements.h
 * The elements of string tensors.
 *
 * They have the layout of libstdc++'s std::string, because clients in C++ read elements as such and
 * pass arrays of them. Clients with another C++ library must not pass such buffers. The texts of a
 * fill are in the elements if all are short enough, else in one common block of the heap. Elements
 * that a client may assign to have memory from malloc, which operator delete frees.
 */
#ifndef ORTCFFI_STRING_ELEMENTS_H_
#define ORTCFFI_STRING_ELEMENTS_H_

#include "values/value.h"

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

/** Makes elements empty. */
void core_strings_begin(struct core_string* strings, size_t count);
/** Sets an element that is not in `texts`; false when out of memory, with the element unchanged. */
bool core_string_assign(struct core_string* string, const char* text, size_t length);
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
bool core_fill_short_strings(struct core_tensor* tensor, const char* const* texts);
/** Sets all elements or none; `size` is the sum of all texts with a zero byte each. */
OrtStatus* core_fill_strings(const char* function, struct core_tensor* tensor,
                             const struct core_span* texts, size_t size);
/** Sets an element of a tensor. */
OrtStatus* core_set_string(const char* function, struct core_tensor* tensor, size_t index,
                           const char* text, size_t length);
/** Cuts an element, or lengthens it with zero bytes. */
OrtStatus* core_resize_string(const char* function, struct core_tensor* tensor, size_t index,
                              size_t length);
/** Copies all strings of a tensor into another with as many. */
OrtStatus* core_copy_strings(const char* function, const struct core_tensor* from,
                             struct core_tensor* to);
/** Gives every element memory of its own before a client may change the elements. */
OrtStatus* core_expose_strings(const char* function, struct core_tensor* tensor);
/** Frees the texts of a tensor. */
void core_end_strings(struct core_tensor* tensor);

#endif /* ORTCFFI_STRING_ELEMENTS_H_ */
