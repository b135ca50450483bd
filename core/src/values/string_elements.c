/* SPDX-License-Identifier: MIT */
/* The elements of string tensors in memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "platform/platform.h"
#include "platform/short_texts.h"
#include "values/string_elements.h"

static bool is_local(const struct core_string* string) {
  return string->text == string->local || string->text == NULL;
}

void core_strings_begin(struct core_string* strings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    strings[i].text = strings[i].local;
    strings[i].length = 0;
    strings[i].local[0] = '\0';
  }
}

/* Whether a text is in the tensor's common block. */
static bool is_together(const struct core_tensor* tensor, const char* text) {
  return (uintptr_t)text - (uintptr_t)tensor->texts < tensor->texts_size;
}

/* Frees the texts that are not in the common block. */
static void end_elements(struct core_tensor* tensor) {
  struct core_string* strings = tensor->data;
  if (!tensor->has_own_texts && !tensor->is_exposed) {
    return;
  }
  for (size_t i = 0; i < tensor->shape.count; i++) {
    if (!is_local(&strings[i]) && !is_together(tensor, strings[i].text)) {
      free(strings[i].text);
    }
  }
}

void core_end_strings(struct core_tensor* tensor) {
  end_elements(tensor);
  heap_free(tensor->texts);
}

/* Makes room for `length` bytes and a zero, and discards the old text. False when out of memory,
 * with the string unchanged. */
static bool make_room(struct core_string* string, size_t length) {
  if (is_local(string)) {
    string->text = string->local;
  }
  size_t capacity = is_local(string) ? sizeof string->local - 1 : string->capacity;
  if (CORE_LIKELY(length <= capacity)) {
    return true;
  }
  char* block = length < PTRDIFF_MAX ? malloc(length + 1) : NULL;
  if (block == NULL) {
    return false;
  }
  if (!is_local(string)) {
    free(string->text);
  }
  string->text = block;
  string->capacity = length;
  return true;
}

bool core_string_assign(struct core_string* string, const char* text, size_t length) {
  if (!make_room(string, length)) {
    return false;
  }
  memmove(string->text, text, length);
  string->text[length] = '\0';
  string->length = length;
  return true;
}

/* Copies all texts into one common block. */
static OrtStatus* fill_together(const char* function, struct core_tensor* tensor,
                                const struct core_span* texts, size_t size) {
  char* block = heap_alloc(size);
  if (block == NULL) {
    return core_no_memory(function, size);
  }
  char* at = block;
  for (size_t i = 0; i < tensor->shape.count; i++) {
    size_t length = texts[i].length;
    core_copy_text(at, (size_t)(block + size - at), texts[i].bytes, length);
    at[length] = '\0';
    at += length + 1;
  }
  /* Free the old texts only now: `texts` may point to them. */
  end_elements(tensor);
  struct core_string* strings = tensor->data;
  at = block;
  for (size_t i = 0; i < tensor->shape.count; i++) {
    size_t length = texts[i].length;
    strings[i].text = at;
    strings[i].length = length;
    strings[i].capacity = length;
    at += length + 1;
  }
  heap_free(tensor->texts);
  tensor->texts = block;
  tensor->texts_size = size;
  tensor->has_own_texts = false;
  return NULL;
}

/* Copies each text into memory of its own; frees all of them if one fails. */
static OrtStatus* make_apart(const char* function, const struct core_span* texts, size_t count,
                             struct core_string* made) {
  core_strings_begin(made, count);
  for (size_t i = 0; i < count; i++) {
    if (!core_string_assign(&made[i], texts[i].bytes, texts[i].length)) {
      for (size_t j = 0; j < i; j++) {
        if (!is_local(&made[j])) {
          free(made[j].text);
        }
      }
      return core_no_memory(function, texts[i].length);
    }
  }
  return NULL;
}

/* Moves a string over another one whose text was freed. */
static void move_string(const struct core_string* from, struct core_string* to) {
  *to = *from;
  if (from->text == from->local) {
    to->text = to->local;
  }
}

/* Makes all strings before it changes the tensor, which is filled completely or not at all. */
static OrtStatus* fill_apart(const char* function, struct core_tensor* tensor,
                             const struct core_span* texts) {
  size_t count = tensor->shape.count;
  struct core_string* made = heap_alloc(count * sizeof *made);
  if (made == NULL) {
    return core_no_memory(function, count * sizeof *made);
  }
  OrtStatus* status = make_apart(function, texts, count, made);
  if (status == NULL) {
    end_elements(tensor);
    for (size_t i = 0; i < count; i++) {
      move_string(&made[i], (struct core_string*)tensor->data + i);
    }
  }
  heap_free(made);
  return status;
}

bool core_fill_short_strings(struct core_tensor* tensor, const char* const* texts) {
#if defined(CORE_WHOLE_REGISTERS)
  struct core_string* strings = tensor->data;
  size_t count = tensor->shape.count;
  if (tensor->has_texts || tensor->is_exposed) {
    return false; /* which must stay if the fill fails, or which `texts` may point to */
  }
  size_t i = 0;
  while (i < count && texts[i] != NULL &&
         core_load_short(texts[i], strings[i].local, &strings[i].length)) {
    i++;
  }
  if (CORE_LIKELY(i == count)) {
    tensor->has_texts = true;
    return true;
  }
  core_strings_begin(strings, i + 1);
#else
  (void)tensor;
  (void)texts;
#endif
  return false;
}

OrtStatus* core_fill_strings(const char* function, struct core_tensor* tensor,
                             const struct core_span* texts, size_t size) {
  tensor->has_texts = true;
  return tensor->is_exposed ? fill_apart(function, tensor, texts)
                            : fill_together(function, tensor, texts, size);
}

OrtStatus* core_copy_strings(const char* function, const struct core_tensor* from,
                             struct core_tensor* to) {
  size_t count = from->shape.count;
  const struct core_string* strings = from->data;
  if (count == 0 || strings == NULL || to->data == NULL) {
    return NULL;
  }
  struct core_span* texts = heap_alloc(count * sizeof *texts);
  if (texts == NULL) {
    return core_no_memory(function, count * sizeof *texts);
  }
  size_t size = count;
  for (size_t i = 0; i < count; i++) {
    texts[i] = (struct core_span){core_string_text(&strings[i]), strings[i].length};
    size += strings[i].length;
  }
  OrtStatus* status = core_fill_strings(function, to, texts, size);
  heap_free(texts);
  return status;
}

/* Other threads may read meanwhile: the old texts stay valid until the tensor is filled again or
 * freed, and a lock allows one exposure at a time. */
OrtStatus* core_expose_strings(const char* function, struct core_tensor* tensor) {
  OrtStatus* status = NULL;
  if (__atomic_load_n(&tensor->is_exposed, __ATOMIC_ACQUIRE)) {
    return NULL;
  }
  core_lock(CORE_LOCK_STRINGS);
  tensor->has_own_texts = tensor->has_texts = true; /* also where memory is exhausted half way */
  struct core_string* strings = tensor->data;
  size_t exposed = tensor->is_exposed ? tensor->shape.count : 0;
  for (; exposed < tensor->shape.count && status == NULL; exposed++) {
    struct core_string* string = &strings[exposed];
    if (is_together(tensor, string->text)) {
      char* own = malloc(string->length + 1);
      if (own == NULL) {
        status = core_no_memory(function, string->length + 1);
      } else {
        memcpy(own, string->text, string->length + 1);
        __atomic_store_n(&string->text, own, __ATOMIC_RELEASE);
      }
    }
  }
  __atomic_store_n(&tensor->is_exposed, status == NULL, __ATOMIC_RELEASE);
  core_unlock(CORE_LOCK_STRINGS);
  return status;
}

/* Sets one element, whose old text may be in the common block. */
OrtStatus* core_set_string(const char* function, struct core_tensor* tensor, size_t index,
                           const char* text, size_t length) {
  struct core_string* string = (struct core_string*)tensor->data + index;
  struct core_string made;
  core_strings_begin(&made, 1);
  tensor->has_own_texts = tensor->has_texts = true;
  if (!is_together(tensor, string->text)) {
    return core_string_assign(string, text, length) ? NULL : core_no_memory(function, length);
  }
  if (!core_string_assign(&made, text, length)) {
    return core_no_memory(function, length);
  }
  move_string(&made, string);
  return NULL;
}

OrtStatus* core_resize_string(const char* function, struct core_tensor* tensor, size_t index,
                              size_t length) {
  struct core_string* string = (struct core_string*)tensor->data + index;
  struct core_string resized;
  core_strings_begin(&resized, 1);
  tensor->has_own_texts = tensor->has_texts = true;
  if (!make_room(&resized, length)) {
    return core_no_memory(function, length);
  }
  size_t kept = string->length < length ? string->length : length;
  memcpy(resized.text, core_string_text(string), kept);
  memset(resized.text + kept, 0, length - kept + 1);
  resized.length = length;
  if (!is_local(string) && !is_together(tensor, string->text)) {
    free(string->text);
  }
  move_string(&resized, string);
  return NULL;
}
