/* SPDX-License-Identifier: MIT */
/* The bytes of a ModelProto, written by hand. The length of a message has three bytes, so that it
 * can be filled in at the end. */
#ifndef ORTCFFI_TESTS_MODEL_BYTES_H_
#define ORTCFFI_TESTS_MODEL_BYTES_H_

#include <stdint.h>
#include <string.h>

/* CHECK is the includer's. */

struct model_bytes {
  uint8_t at[4096];
  size_t size;
  /* Where the contents of the messages begin that are not ended. */
  size_t begins[16];
  size_t depth;
};

static inline void put_varint(struct model_bytes* to, uint64_t number) {
  CHECK(to->size + 10 <= sizeof to->at);
  for (; number > 0x7f; number >>= 7) {
    to->at[to->size++] = (uint8_t)(number | 0x80);
  }
  to->at[to->size++] = (uint8_t)number;
}

static inline void put_number(struct model_bytes* to, unsigned field, uint64_t number) {
  put_varint(to, field << 3);
  put_varint(to, number);
}

static inline void begin_message(struct model_bytes* to, unsigned field) {
  put_varint(to, field << 3 | 2);
  CHECK(to->size + 3 <= sizeof to->at && to->depth < 16);
  to->size += 3;
  to->begins[to->depth++] = to->size;
}

static inline void end_message(struct model_bytes* to) {
  size_t begin = to->begins[--to->depth], length = to->size - begin;
  to->at[begin - 3] = (uint8_t)(length | 0x80);
  to->at[begin - 2] = (uint8_t)(length >> 7 | 0x80);
  to->at[begin - 1] = (uint8_t)(length >> 14);
}

static inline void put_bytes(struct model_bytes* to, unsigned field, const void* bytes,
                             size_t size) {
  begin_message(to, field);
  CHECK(size <= sizeof to->at - to->size);
  memcpy(to->at + to->size, bytes, size);
  to->size += size;
  end_message(to);
}

static inline void put_text(struct model_bytes* to, unsigned field, const char* text) {
  put_bytes(to, field, text, strlen(text));
}

/* Two texts in a message: an entry of metadata, for example. */
static inline void put_entry(struct model_bytes* to, unsigned field, const char* key,
                             const char* value) {
  begin_message(to, field);
  put_text(to, 1, key);
  put_text(to, 2, value);
  end_message(to);
}

/* A ValueInfoProto of a tensor with one dimension of that length, or of that name, or none. */
static inline void put_value(struct model_bytes* to, unsigned field, const char* name, int type,
                             int64_t length, const char* dimension) {
  begin_message(to, field);
  put_text(to, 1, name);
  begin_message(to, 2);
  begin_message(to, 1);
  put_number(to, 1, (uint64_t)type);
  begin_message(to, 2);
  if (dimension != NULL || length >= 0) {
    begin_message(to, 1);
    if (dimension != NULL) {
      put_text(to, 2, dimension);
    } else {
      put_number(to, 1, (uint64_t)length);
    }
    end_message(to);
  }
  end_message(to);
  end_message(to);
  end_message(to);
  end_message(to);
}

/* A tensor of two floats. */
static inline void put_floats(struct model_bytes* to, unsigned field, const char* name, float first,
                              float second) {
  const float values[] = {first, second};
  begin_message(to, field);
  put_number(to, 1, 2);
  put_number(to, 2, 1);
  put_text(to, 8, name);
  put_bytes(to, 9, values, sizeof values);
  end_message(to);
}

/* Begins a NodeProto; names of operands are separated by spaces, and "-" is none. */
static inline void begin_node(struct model_bytes* to, const char* op, const char* inputs,
                              const char* outputs) {
  begin_message(to, 1);
  for (unsigned field = 1; field <= 2; field++) {
    const char* names = field == 1 ? inputs : outputs;
    while (*names != 0) {
      size_t length = strcspn(names, " ");
      put_bytes(to, field, names, *names == '-' ? 0 : length);
      names += length + (names[length] == ' ');
    }
  }
  put_text(to, 3, outputs);
  put_text(to, 4, op);
}

static inline void put_node(struct model_bytes* to, const char* op, const char* inputs,
                            const char* outputs) {
  begin_node(to, op, inputs, outputs);
  end_message(to);
}

/* An attribute that is a graph with one node and one output of floats. */
static inline void put_branch(struct model_bytes* to, const char* name, const char* op,
                              const char* inputs, const char* output) {
  begin_message(to, 5);
  put_text(to, 1, name);
  begin_message(to, 6);
  put_text(to, 2, name);
  put_node(to, op, inputs, output);
  put_value(to, 12, output, 1, 2, NULL);
  end_message(to);
  put_number(to, 20, 5);
  end_message(to);
}

/* A node Constant that makes a number. */
static inline void put_constant(struct model_bytes* to, const char* name, float value) {
  begin_node(to, "Constant", "", name);
  begin_message(to, 5);
  put_text(to, 1, "value_float");
  put_varint(to, 2 << 3 | 5);
  CHECK(to->size + sizeof value <= sizeof to->at);
  memcpy(to->at + to->size, &value, sizeof value);
  to->size += sizeof value;
  put_number(to, 20, 1);
  end_message(to);
  end_message(to);
}

static inline void put_branching_graph(struct model_bytes* to) {
  begin_message(to, 7);
  put_text(to, 2, "main");
  put_text(to, 10, "about the graph");
  put_value(to, 11, "x", 1, 0, "length");
  put_value(to, 11, "cond", 9, -1, NULL);
  put_value(to, 11, "o", 1, 2, NULL);
  put_floats(to, 5, "w", 1, 2);
  put_floats(to, 5, "o", 3, 4);
  put_floats(to, 5, "unused", 5, 6);
  put_node(to, "Add", "x w", "a");
  put_constant(to, "c", 0.5F);
  begin_node(to, "If", "cond", "y");
  put_branch(to, "then_branch", "Add", "a w", "sum");
  put_branch(to, "else_branch", "Mul", "a c", "product");
  end_message(to);
  put_node(to, "Clip", "y - c", "clipped");
  put_node(to, "Softmax", "clipped", "z");
  put_node(to, "Add", "a o", "b");
  put_value(to, 12, "z", 1, 0, "length");
  put_value(to, 12, "b", 1, 0, "length");
  end_message(to);
}

/*
 * A model whose graph has something for every slot to answer: x and the overridable o are inputs, w
 * is an initializer, and c is a node Constant. `a = x + w; y = cond ? a + w : a * c; z = Clip(y,
 * max=c)`.
 */
static inline struct model_bytes branching_model(void) {
  struct model_bytes to = {.size = 0};
  put_number(&to, 1, 10);
  put_text(&to, 2, "maker");
  put_text(&to, 4, "models");
  put_number(&to, 5, 3);
  put_text(&to, 6, "about the model");
  put_branching_graph(&to);
  begin_message(&to, 8);
  put_text(&to, 1, "");
  put_number(&to, 2, 21);
  end_message(&to);
  put_entry(&to, 14, "key", "value");
  put_entry(&to, 14, "other", "");
  return to;
}

/* A tensor of a type, whose two elements the caller puts behind it. */
static inline void begin_tensor(struct model_bytes* to, unsigned field, const char* name,
                                unsigned type) {
  begin_message(to, field);
  put_number(to, 1, 2);
  put_number(to, 2, type);
  put_text(to, 8, name);
}

static inline void put_ints(struct model_bytes* to, unsigned field, const char* name) {
  begin_tensor(to, field, name, 7);
  put_number(to, 7, 1);
  put_number(to, 7, 3);
  end_message(to);
}

/* An initializer of two floats in the file "weights". */
static inline void put_external(struct model_bytes* to, const char* name) {
  begin_tensor(to, 5, name, 1);
  put_entry(to, 13, "location", "weights");
  put_number(to, 14, 1);
  end_message(to);
}

static inline void put_initializers(struct model_bytes* to) {
  put_external(to, "external");
  begin_tensor(to, 5, "texts", 8);
  put_text(to, 6, "a text that is longer than any that a string keeps in itself");
  put_text(to, 6, "b");
  end_message(to);
  put_ints(to, 5, "numbers");
  begin_message(to, 15);
  put_floats(to, 1, "sparse", 1, 2);
  put_ints(to, 2, "");
  put_number(to, 3, 4);
  end_message(to);
}

static inline void put_attribute(struct model_bytes* to, const char* name, unsigned type) {
  begin_message(to, 5);
  put_text(to, 1, name);
  put_number(to, 20, type);
  if (type == 4) {
    put_floats(to, 5, "", 1, 2);
  } else if (type == 8) {
    put_text(to, 9, "a");
  } else {
    put_number(to, 8, 1);
  }
  end_message(to);
}

/* A model with an external initializer, a sparse one, one of strings, and one of typed numbers, and
 * with attributes of several kinds. */
static inline struct model_bytes wide_model(void) {
  struct model_bytes to = {.size = 0};
  put_number(&to, 1, 10);
  begin_message(&to, 7);
  put_text(&to, 2, "wide");
  put_initializers(&to);
  begin_node(&to, "Op", "external texts numbers sparse", "y");
  put_attribute(&to, "tensor", 4);
  put_attribute(&to, "strings", 8);
  put_attribute(&to, "ints", 7);
  end_message(&to);
  put_value(&to, 12, "y", 1, 0, "length");
  end_message(&to);
  put_entry(&to, 14, "key", "value");
  return to;
}

#endif /* ORTCFFI_TESTS_MODEL_BYTES_H_ */
