/* SPDX-License-Identifier: MIT */
#include "strings/strings.h"

#include <stdlib.h>

#include "heap/heap.h"

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

static void end_string(const struct core_string* string) {
  if (!is_local(string)) {
    free(string->text);
  }
}

void core_strings_end(struct core_strings* strings) {
  for (size_t i = 0; i < strings->count; i++) {
    end_string(&strings->elements[i]);
  }
}

/* Makes room for `length` bytes and a zero, and discards the old text. On failure the string is
 * unchanged. */
static OrtStatus* make_room(struct core_string* string, size_t length) {
  if (is_local(string)) {
    string->text = string->local;
  }
  if (length <= (is_local(string) ? sizeof string->local - 1 : string->capacity)) {
    return NULL;
  }
  char* block = length < PTRDIFF_MAX ? malloc(length + 1) : NULL;
  CORE_NEED_MEMORY(block, length);
  end_string(string);
  string->text = block;
  string->capacity = length;
  return NULL;
}

static OrtStatus* assign(struct core_string* string, const char* text, size_t length) {
  CORE_TRY(make_room(string, length));
  memmove(string->text, text, length);
  string->text[length] = '\0';
  string->length = length;
  return NULL;
}

/* Moves a string over another one whose text was freed. */
static void move_string(const struct core_string* from, struct core_string* to) {
  *to = *from;
  if (from->text == from->local) {
    to->text = to->local;
  }
}

/* Makes as many elements as a tensor has, so that it is filled completely or not at all. */
static OrtStatus* make_elements(const struct core_strings* strings, struct core_string** out) {
  size_t size = strings->count * sizeof **out;
  *out = heap_alloc(size);
  CORE_RETURN_IF(*out == NULL && size > 0, core_no_memory(size));
  core_strings_clear(*out, strings->count);
  return NULL;
}

/* Gives a tensor the elements that were made, or frees them where one has failed. */
static OrtStatus* take_elements(struct core_strings* strings, struct core_string* made,
                                OrtStatus* status) {
  for (size_t i = 0; i < strings->count; i++) {
    end_string(status == NULL ? &strings->elements[i] : &made[i]);
    if (status == NULL) {
      move_string(&made[i], &strings->elements[i]);
    }
  }
  heap_free(made);
  return status;
}

OrtStatus* core_strings_fill(struct core_strings* strings, const char* const* texts) {
  struct core_string* made;
  OrtStatus* status = NULL;
  CORE_TRY(make_elements(strings, &made));
  for (size_t i = 0; status == NULL && i < strings->count; i++) {
    status = texts[i] != NULL
                 ? assign(&made[i], texts[i], strlen(texts[i]))
                 : core_fail(ORT_INVALID_ARGUMENT, "s must not have an element that is NULL");
  }
  return take_elements(strings, made, status);
}

OrtStatus* core_strings_copy(const struct core_strings* from, struct core_strings* to) {
  struct core_string* made;
  OrtStatus* status = NULL;
  if (from->count == 0 || to->count == 0) {
    return NULL;
  }
  CORE_TRY(make_elements(to, &made));
  for (size_t i = 0; status == NULL && i < to->count; i++) {
    const struct core_string* string = &from->elements[i];
    status = assign(&made[i], core_string_text(string), string->length);
  }
  return take_elements(to, made, status);
}

OrtStatus* core_strings_set(struct core_strings* strings, size_t index, const char* text,
                            size_t length) {
  return assign(&strings->elements[index], text, length);
}

OrtStatus* core_strings_resize(struct core_strings* strings, size_t index, size_t length) {
  struct core_string* string = &strings->elements[index];
  struct core_string resized;
  core_strings_clear(&resized, 1);
  CORE_TRY(make_room(&resized, length));
  size_t kept = string->length < length ? string->length : length;
  memcpy(resized.text, core_string_text(string), kept);
  memset(resized.text + kept, 0, length - kept + 1);
  resized.length = length;
  end_string(string);
  move_string(&resized, string);
  return NULL;
}
