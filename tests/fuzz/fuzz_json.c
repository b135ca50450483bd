/* SPDX-License-Identifier: MIT */
/* Texts that may be JSON. */
#include "fuzz.h"
#include "model_package/json.h"

#define LONGEST 255

/* Texts of the length that random bytes seldom make. */
static const char* const pieces[] = {"{\"a\":",     "[",       "]",    "}",    ",",
                                     "\"\\u00e4\"", "-1.5e+3", "true", "null", "\"\\ud83d\\ude00\"",
                                     "\"b\":",      "[[[["};

static size_t write_text(char* text) {
  size_t size = 0, wanted = next_byte();
  while (size < wanted) {
    unsigned byte = next_byte();
    const char* piece = byte < 128 ? NULL : pieces[byte % CORE_COUNT_OF(pieces)];
    if (piece == NULL) {
      text[size++] = (char)byte;
    } else if (size + strlen(piece) <= LONGEST) {
      memcpy(text + size, piece, strlen(piece));
      size += strlen(piece);
    } else {
      break;
    }
  }
  return size;
}

/* Every value but the outermost is a part of one that comes before it, once. */
static void check_tree(const struct core_json* json) {
  size_t parts = 0;
  for (uint32_t i = 0; i < json->count; i++) {
    const struct core_json_value* in = &json->values[i];
    CHECK((in->type == CORE_JSON_STRING) == (in->text != NULL));
    CHECK(in->type >= CORE_JSON_ARRAY || in->first == 0);
    for (const struct core_json_value* part = core_json_first(json, in); part != NULL;
         part = core_json_next(json, part)) {
      CHECK(part > in && (part->name != NULL) == (in->type == CORE_JSON_OBJECT));
      CHECK(part->name == NULL || core_json_member(json, in, part->name) == part);
      parts++;
    }
  }
  CHECK(parts + 1 == json->count);
}

void use_json(void) {
  char text[LONGEST];
  size_t at, size = write_text(text);
  char* exact = must_malloc(size); /* the sanitizer knows its end */
  struct core_json json;
  memcpy(exact, text, size);
  const char* wrong = core_json_read(exact, size, &json, &at);
  CHECK(at <= size && (wrong != core_json_no_memory || may_lack_memory()));
  if (wrong == NULL) {
    check_tree(&json);
  }
  core_json_end(&json);
  free(exact);
}
