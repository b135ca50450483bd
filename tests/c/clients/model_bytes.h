/* SPDX-License-Identifier: MIT */
/* The bytes of a ModelProto, of a text. A field of the text is its number, and then ":" and a
 * number, "=" and a float, "'" and a text up to the next "'", "#" and floats up to the next "#", or
 * a message in braces: "1:10 2'maker' 7{2'main'}". */
#ifndef ORTCFFI_TESTS_MODEL_BYTES_H_
#define ORTCFFI_TESTS_MODEL_BYTES_H_

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* CHECK is the includer's. */

struct model_bytes {
  uint8_t at[4096];
  size_t size;
  /* Where the contents of the messages begin that are not ended. */
  size_t begins[16];
  size_t depth;
};

static inline void put_bytes(struct model_bytes* to, const void* bytes, size_t size) {
  CHECK(size <= sizeof to->at - to->size);
  memcpy(to->at + to->size, bytes, size);
  to->size += size;
}

static inline void put_varint(struct model_bytes* to, uint64_t number) {
  for (; number > 0x7f; number >>= 7) {
    put_bytes(to, &(uint8_t){(uint8_t)(number | 0x80)}, 1);
  }
  put_bytes(to, &(uint8_t){(uint8_t)number}, 1);
}

/* The length of a message has three bytes, so that it can be filled in at the end. */
static inline void begin_message(struct model_bytes* to) {
  CHECK(to->depth < 16);
  put_bytes(to, "123", 3);
  to->begins[to->depth++] = to->size;
}

static inline void end_message(struct model_bytes* to) {
  size_t begin = to->begins[--to->depth], length = to->size - begin;
  to->at[begin - 3] = (uint8_t)(length | 0x80);
  to->at[begin - 2] = (uint8_t)(length >> 7 | 0x80);
  to->at[begin - 1] = (uint8_t)(length >> 14);
}

/* Puts floats that are separated by commas; answers the end of their text. */
static inline const char* put_floats(struct model_bytes* to, const char* text, char end) {
  do {
    const float number = strtof(text + 1, (char**)&text);
    put_bytes(to, &number, sizeof number);
  } while (*text == ',');
  CHECK(end == 0 || *text == end);
  return text + (end != 0);
}

/* Puts the field of a number whose contents begin with `*text`; answers where the next one is. */
static inline const char* put_field(struct model_bytes* to, unsigned field, const char* text) {
  static const char kinds[] = ":?'#=", wires[] = {0, 0, 2, 2, 5};
  const char kind = *text, *known = strchr(kinds, kind);
  put_varint(to, field << 3 | (unsigned)(known != NULL ? wires[known - kinds] : 2));
  if (kind == ':') {
    put_varint(to, strtoull(text + 1, (char**)&text, 10));
    return text;
  }
  if (kind == '=') return put_floats(to, text, 0);
  begin_message(to);
  if (kind == '{') return text + 1;
  const char* end = strchr(text + 1, kind);
  CHECK((kind == '\'' || kind == '#') && end != NULL);
  if (kind == '#') {
    put_floats(to, text, kind);
  } else {
    put_bytes(to, text + 1, (size_t)(end - text) - 1);
  }
  end_message(to);
  return end + 1;
}

static inline void put(struct model_bytes* to, const char* text) {
  while (*text != 0) {
    if (*text == ' ' || *text == '}') {
      if (*text++ == '}') end_message(to);
    } else {
      const unsigned field = (unsigned)strtoul(text, (char**)&text, 10);
      text = put_field(to, field, text);
    }
  }
}

/* A ValueInfoProto of a tensor of a type, a number, with dimensions. */
#define PORT(field, name, type, dimensions) \
  " " #field "{1'" name "' 2{1{1:" #type " 2{" dimensions "}}}}"
#define TWO "1{1:2}"
#define NAMED(dimension) "1{2'" dimension "'}"
/* A node, whose name is that of its output. */
#define NODE(op, inputs, output, more) \
  " 1{" inputs " 2'" output "' 3'" output "' 4'" op "'" more "}"
/* Tensors with two elements; the last one has them in the file "weights". */
#define FLOATS(field, name, numbers) " " #field "{1:2 2:1 8'" name "' 9#" numbers "#}"
#define INTS(field, name) " " #field "{1:2 2:7 8'" name "' 7:1 7:3}"
#define EXTERNAL(name) " 5{1:2 2:1 8'" name "' 13{1'location' 2'weights'} 14:1}"
/* An attribute that is a graph with one node and one output of floats. */
#define BRANCH(name, op, inputs, output) \
  "5{1'" name "' 6{2'" name "'" NODE(op, inputs, output, "") PORT(12, output, 1, TWO) "} 20:5}"

/* A model of texts, which follow each other. */
#define model_of(...) model_of_texts((const char* const[]){__VA_ARGS__, NULL})
static inline struct model_bytes model_of_texts(const char* const* texts) {
  struct model_bytes to = {.size = 0};
  while (*texts != NULL) {
    put(&to, *texts++);
  }
  return to;
}

/*
 * A model whose graph has something for every slot to answer: x and the overridable o are inputs, w
 * is an initializer, and c is a node Constant. `a = x + w; y = cond ? a + w : a * c; z = Clip(y,
 * max=c)`.
 */
static inline struct model_bytes branching_model(void) {
  return model_of(
      "1:10 2'maker' 4'models' 5:3 6'about the model' 7{2'main' 10'about the graph'",
      PORT(11, "x", 1, NAMED("length")), PORT(11, "cond", 9, ""), PORT(11, "o", 1, TWO),
      FLOATS(5, "w", "1,2"), FLOATS(5, "o", "3,4"), FLOATS(5, "unused", "5,6"),
      NODE("Add", "1'x' 1'w'", "a", ""), NODE("Constant", "", "c", "5{1'value_float' 2=0.5 20:1}"),
      NODE("If", "1'cond'", "y",
           BRANCH("then_branch", "Add", "1'a' 1'w'", "sum")
               BRANCH("else_branch", "Mul", "1'a' 1'c'", "product")),
      NODE("Clip", "1'y' 1'' 1'c'", "clipped", ""), NODE("Softmax", "1'clipped'", "z", ""),
      NODE("Add", "1'a' 1'o'", "b", ""), PORT(12, "z", 1, NAMED("length")),
      PORT(12, "b", 1, NAMED("length")), "} 8{1'' 2:21} 14{1'key' 2'value'} 14{1'other' 2''}");
}

/* A model with an external initializer, a sparse one, one of strings, and one of typed numbers, and
 * with attributes of several kinds. */
static inline struct model_bytes wide_model(void) {
  return model_of(
      "1:10 7{2'wide'", EXTERNAL("external"),
      "5{1:2 2:8 8'texts' 6'a text that is longer than any that a string keeps in itself' 6'b'}",
      INTS(5, "numbers"), "15{", FLOATS(1, "sparse", "1,2"), INTS(2, ""), "3:4}",
      NODE("Op", "1'external' 1'texts' 1'numbers' 1'sparse'", "y",
           "5{1'tensor' 20:4" FLOATS(5, "", "1,2") "} 5{1'strings' 20:8 9'a'} 5{1'ints' 20:7 8:1}"),
      PORT(12, "y", 1, NAMED("length")), "} 14{1'key' 2'value'}");
}

#endif /* ORTCFFI_TESTS_MODEL_BYTES_H_ */
