/* SPDX-License-Identifier: MIT */
/*
 * Sequences of a library, read in place: the only place where this package reads what another
 * project keeps private.
 *
 * Why: GetValue copies its result, and a row of a classifier's output, a map, takes three copies.
 * 150 rows of a classifier take 374 us that way; the official package takes 80, and so does this.
 * ONNX Runtime stores such a sequence as a std::vector of std::map, whose layout is part of the ABI
 * of libstdc++.
 *
 * The layout is not assumed, but checked. At the first sequence of a library, a sequence of each
 * kind is made, and its memory compared with its items; the system reads it, so that an invalid
 * address is an error and no crash. From then on a value is read in place if it has the same C++
 * type, which is how the library itself distinguishes types. In all other cases, and where the
 * environment has ORTCFFI_READ_IN_PLACE=0, GetValue is used.
 *
 * All functions need the GIL.
 */
#ifndef ORTCFFI_BOUNDARY_VALUES_LAYOUT_H_
#define ORTCFFI_BOUNDARY_VALUES_LAYOUT_H_

#include <stddef.h>
#include <stdint.h>

#include "onnxruntime_c_api.h"

struct maker;

/* What is known of a library's layout; zeroed before the check. */
struct layout {
  char is_known;
  char has_tensors;          /* sequences of tensors can be read */
  const void* type_of_ints;  /* of sequence(map(int64, float)); NULL if it cannot be read */
  const void* type_of_texts; /* of sequence(map(string, float)) */
};

struct node {
  int color;
  struct node *parent, *left, *right;
};

struct map {
  char compare[8];
  struct node header; /* its parent is the root; left and right are the ends */
  size_t count;
};

/* std::string; `few` has the characters of short ones. */
struct text {
  const char* data;
  size_t size;
  char few[16];
};

struct int_node {
  struct node node;
  int64_t key;
  float value;
};

struct text_node {
  struct node node;
  struct text key;
  float value;
};

/* The members of a sequence, one after the other in memory. */
struct members {
  const struct map* maps; /* NULL for tensors */
  const char* tensors;    /* OrtValues, each ORTCFFI_VALUE_SIZE bytes */
  size_t count;
  int has_texts; /* for keys */
};

#define ORTCFFI_VALUE_SIZE 24

/* Finds the members of a sequence of `count`, of kind TENSOR, MAP or UNKNOWN; 0 where they cannot
 * be read. */
int ortcffi_members(struct maker* maker, const OrtValue* sequence, size_t count, int kind,
                    struct members* out);

/* The first node of a map that is not empty, and the next one in the order of the keys. */
static inline const struct node* ortcffi_first_node(const struct map* map) {
  return map->header.left;
}

const struct node* ortcffi_next_node(const struct node* node);

#endif /* ORTCFFI_BOUNDARY_VALUES_LAYOUT_H_ */
