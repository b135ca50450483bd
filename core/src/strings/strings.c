/* SPDX-License-Identifier: MIT */
#include "strings/strings.h"

#include <stdlib.h>

#include "heap/heap.h"
#include "platform/short_texts.h"

static bool is_local(const struct core_string* string) {
  return string->text == string->local || string->text == NULL;
}

void core_strings_clear(struct core_string* elements, size_t count) {
  for (size_t i = 0; i < count; i++) {
    elements[i].text = elements[i].local;
    elements[i].length = 0;
    elements[i].local[0] = '\0';
  }
}

/* Whether a text is in the tensor's common block. */
static bool is_together(const struct core_strings* strings, const char* text) {
  return (uintptr_t)text - (uintptr_t)strings->texts < strings->texts_size;
}

/* Frees the texts that are not in the common block. */
static void end_elements(struct core_strings* strings) {
  if (!strings->has_own_texts && !strings->is_exposed) {
    return;
  }
  for (size_t i = 0; i < strings->count; i++) {
    const struct core_string* string = &strings->elements[i];
    if (!is_local(string) && !is_together(strings, string->text)) {
      free(string->text);
    }
  }
}

void core_strings_end(struct core_strings* strings) {
  end_elements(strings);
  heap_free(strings->texts);
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

static bool assign(struct core_string* string, const char* text, size_t length) {
  if (!make_room(string, length)) {
    return false;
  }
  memmove(string->text, text, length);
  string->text[length] = '\0';
  string->length = length;
  return true;
}

/* Copies all texts into one common block. */
static OrtStatus* fill_together(struct core_strings* strings, const struct core_span* texts,
                                size_t size) {
  char* block = heap_alloc(size);
  CORE_NEED_MEMORY(block, size);
  char* at = block;
  for (size_t i = 0; i < strings->count; i++) {
    size_t length = texts[i].length;
    core_copy_short_text(at, (size_t)(block + size - at), texts[i].bytes, length);
    at[length] = '\0';
    at += length + 1;
  }
  /* Free the old texts only now: `texts` may point to them. */
  end_elements(strings);
  at = block;
  for (size_t i = 0; i < strings->count; i++) {
    struct core_string* string = &strings->elements[i];
    string->text = at;
    string->length = string->capacity = texts[i].length;
    at += texts[i].length + 1;
  }
  heap_free(strings->texts);
  strings->texts = block;
  strings->texts_size = size;
  strings->has_own_texts = false;
  return NULL;
}

/* Copies each text into memory of its own; frees all of them if one fails. */
static OrtStatus* make_apart(const struct core_span* texts, size_t count,
                             struct core_string* made) {
  core_strings_clear(made, count);
  for (size_t i = 0; i < count; i++) {
    if (!assign(&made[i], texts[i].bytes, texts[i].length)) {
      for (size_t j = 0; j < i; j++) {
        if (!is_local(&made[j])) {
          free(made[j].text);
        }
      }
      return core_no_memory(texts[i].length);
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
static OrtStatus* fill_apart(struct core_strings* strings, const struct core_span* texts) {
  size_t count = strings->count;
  struct core_string* made = heap_alloc(count * sizeof *made);
  CORE_NEED_MEMORY(made, count * sizeof *made);
  OrtStatus* status = make_apart(texts, count, made);
  if (status == NULL) {
    end_elements(strings);
    for (size_t i = 0; i < count; i++) {
      move_string(&made[i], &strings->elements[i]);
    }
  }
  heap_free(made);
  return status;
}

bool core_strings_fill_short(struct core_strings* strings, const char* const* texts) {
#if defined(CORE_WHOLE_REGISTERS)
  size_t count = strings->count;
  if (strings->has_texts || strings->is_exposed) {
    return false; /* which must stay if the fill fails, or which `texts` may point to */
  }
  size_t i = 0;
  while (i < count && texts[i] != NULL &&
         core_load_short(texts[i], strings->elements[i].local, &strings->elements[i].length)) {
    i++;
  }
  if (CORE_LIKELY(i == count)) {
    strings->has_texts = true;
    return true;
  }
  core_strings_clear(strings->elements, i + 1);
#else
#endif
  return false;
}

OrtStatus* core_strings_fill(struct core_strings* strings, const struct core_span* texts,
                             size_t size) {
  strings->has_texts = true;
  return strings->is_exposed ? fill_apart(strings, texts) : fill_together(strings, texts, size);
}

OrtStatus* core_strings_copy(const struct core_strings* from, struct core_strings* to) {
  size_t count = from->count;
  if (count == 0 || to->count == 0) {
    return NULL;
  }
  struct core_span* texts = heap_alloc(count * sizeof *texts);
  CORE_NEED_MEMORY(texts, count * sizeof *texts);
  size_t size = count;
  for (size_t i = 0; i < count; i++) {
    const struct core_string* string = &from->elements[i];
    texts[i] = (struct core_span){core_string_text(string), string->length};
    size += string->length;
  }
  OrtStatus* status = core_strings_fill(to, texts, size);
  heap_free(texts);
  return status;
}

/* Other threads may read meanwhile: the old texts stay valid until the tensor is filled again or
 * freed, and a lock allows one exposure at a time. */
OrtStatus* core_strings_expose(struct core_strings* strings) {
  OrtStatus* status = NULL;
  if (__atomic_load_n(&strings->is_exposed, __ATOMIC_ACQUIRE)) {
    return NULL;
  }
  core_lock(CORE_LOCK_STRINGS);
  strings->has_own_texts = strings->has_texts = true; /* also where memory is exhausted half way */
  size_t exposed = strings->is_exposed ? strings->count : 0;
  for (; exposed < strings->count && status == NULL; exposed++) {
    struct core_string* string = &strings->elements[exposed];
    if (is_together(strings, string->text)) {
      char* own = malloc(string->length + 1);
      if (own == NULL) {
        status = core_no_memory(string->length + 1);
      } else {
        memcpy(own, string->text, string->length + 1);
        __atomic_store_n(&string->text, own, __ATOMIC_RELEASE);
      }
    }
  }
  __atomic_store_n(&strings->is_exposed, status == NULL, __ATOMIC_RELEASE);
  core_unlock(CORE_LOCK_STRINGS);
  return status;
}

/* Sets one element, whose old text may be in the common block. */
OrtStatus* core_strings_set(struct core_strings* strings, size_t index, const char* text,
                            size_t length) {
  struct core_string* string = &strings->elements[index];
  struct core_string made;
  core_strings_clear(&made, 1);
  strings->has_own_texts = strings->has_texts = true;
  if (!is_together(strings, string->text)) {
    return assign(string, text, length) ? NULL : core_no_memory(length);
  }
  CORE_RETURN_IF(!assign(&made, text, length), core_no_memory(length));
  move_string(&made, string);
  return NULL;
}

OrtStatus* core_strings_resize(struct core_strings* strings, size_t index, size_t length) {
  struct core_string* string = &strings->elements[index];
  struct core_string resized;
  core_strings_clear(&resized, 1);
  strings->has_own_texts = strings->has_texts = true;
  CORE_RETURN_IF(!make_room(&resized, length), core_no_memory(length));
  size_t kept = string->length < length ? string->length : length;
  memcpy(resized.text, core_string_text(string), kept);
  memset(resized.text + kept, 0, length - kept + 1);
  resized.length = length;
  if (!is_local(string) && !is_together(strings, string->text)) {
    free(string->text);
  }
  move_string(&resized, string);
  return NULL;
}
