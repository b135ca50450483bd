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

/* Begins an element, in memory that is not initialized, for a text of `length` bytes. Where it
 * fails, the element has no text. */
static OrtStatus* begin_string(struct core_string* string, size_t length) {
  string->text = string->local;
  string->length = length;
  if (CORE_UNLIKELY(length >= sizeof string->local)) {
    string->text = length < PTRDIFF_MAX ? malloc(length + 1) : NULL;
    string->capacity = length;
    CORE_NEED_MEMORY(string->text, length);
  }
  string->text[length] = '\0';
  return NULL;
}

static OrtStatus* make_string(struct core_string* string, const char* text, size_t length) {
  CORE_TRY(begin_string(string, length));
  memcpy(string->text, text, length);
  return NULL;
}

/* Frees the text of an element and gives it that of another one. */
static void replace_string(struct core_string* string, const struct core_string* made) {
  end_string(string);
  *string = *made;
  if (made->text == made->local) {
    string->text = string->local;
  }
}

/* Makes room for as many elements as a tensor has, which is filled completely or not at all. */
static OrtStatus* make_elements(const struct core_strings* strings, struct core_string** out) {
  size_t size = strings->count * sizeof **out;
  *out = heap_alloc(size);
  CORE_RETURN_IF(*out == NULL && size > 0, core_no_memory(size));
  return NULL;
}

/* Gives a tensor the `count` elements that were made, or frees them where the last has failed. */
static OrtStatus* take_elements(struct core_strings* strings, struct core_string* made,
                                size_t count, OrtStatus* status) {
  for (size_t i = 0; i < count; i++) {
    if (status == NULL) {
      replace_string(&strings->elements[i], &made[i]);
    } else {
      end_string(&made[i]);
    }
  }
  heap_free(made);
  return status;
}

OrtStatus* core_strings_fill(struct core_strings* strings, const char* const* texts) {
  struct core_string* made;
  OrtStatus* status = NULL;
  size_t count = 0;
  for (size_t i = 0; i < strings->count; i++) {
    CORE_REFUSE_IF(texts[i] == NULL, ORT_INVALID_ARGUMENT,
                   "s must not have an element that is NULL");
  }
  CORE_TRY(make_elements(strings, &made));
  for (; status == NULL && count < strings->count; count++) {
    status = make_string(&made[count], texts[count], strlen(texts[count]));
  }
  return take_elements(strings, made, count, status);
}

OrtStatus* core_strings_copy(const struct core_strings* from, struct core_strings* to) {
  struct core_string* made;
  OrtStatus* status = NULL;
  size_t count = 0;
  if (from->count == 0 || to->count == 0) {
    return NULL;
  }
  CORE_TRY(make_elements(to, &made));
  for (; status == NULL && count < to->count; count++) {
    const struct core_string* string = &from->elements[count];
    status = make_string(&made[count], core_string_text(string), string->length);
  }
  return take_elements(to, made, count, status);
}

OrtStatus* core_strings_set(struct core_strings* strings, size_t index, const char* text,
                            size_t length) {
  struct core_string made;
  CORE_TRY(make_string(&made, text, length));
  replace_string(&strings->elements[index], &made);
  return NULL;
}

OrtStatus* core_strings_resize(struct core_strings* strings, size_t index, size_t length) {
  struct core_string* string = &strings->elements[index];
  struct core_string resized;
  CORE_TRY(begin_string(&resized, length));
  size_t kept = string->length < length ? string->length : length;
  memcpy(resized.text, core_string_text(string), kept);
  memset(resized.text + kept, 0, length - kept);
  replace_string(string, &resized);
  return NULL;
}
