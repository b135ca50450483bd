/* SPDX-License-Identifier: MIT */
#include "values/map_order.h"

#include <string.h>

#include "heap/heap.h"

/* Compares two keys like strcmp: negative if the key at `a` comes first. */
typedef int compare_keys(const void* keys, size_t a, size_t b);

static int compare_numbers(const void* keys, size_t a, size_t b) {
  const int64_t* numbers = keys;
  return (numbers[a] > numbers[b]) - (numbers[a] < numbers[b]);
}

static int compare_strings(const void* keys, size_t a, size_t b) {
  const struct core_string* strings = keys;
  size_t length_a = strings[a].length;
  size_t length_b = strings[b].length;
  int order = memcmp(core_string_text(&strings[a]), core_string_text(&strings[b]),
                     length_a < length_b ? length_a : length_b);
  return order != 0 ? order : (length_a > length_b) - (length_a < length_b);
}

/* Merges two sorted runs, which begin at `begin` and `middle`. The sort is stable. */
static void merge(const void* keys, compare_keys* compare, const size_t* from, size_t* to,
                  size_t begin, size_t middle, size_t end) {
  size_t left = begin;
  size_t right = middle;
  for (size_t i = begin; i < end; i++) {
    bool take_left = left < middle && (right == end || compare(keys, from[left], from[right]) <= 0);
    to[i] = take_left ? from[left++] : from[right++];
  }
}

/* Sorts `order` with the help of `scratch`, which is as large; returns which of the two is sorted.
 */
static size_t* sort(const void* keys, compare_keys* compare, size_t* order, size_t* scratch,
                    size_t count) {
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      size_t middle = begin + run < count ? begin + run : count;
      size_t end = begin + 2 * run < count ? begin + 2 * run : count;
      merge(keys, compare, order, scratch, begin, middle, end);
    }
    size_t* sorted = scratch;
    scratch = order;
    order = sorted;
  }
  return order;
}

static bool is_ascending(const void* keys, compare_keys* compare, size_t count) {
  size_t i = 1;
  while (i < count && compare(keys, i - 1, i) < 0) {
    i++;
  }
  return i >= count;
}

static size_t keep_first(const void* keys, compare_keys* compare, const size_t* sorted, size_t* to,
                         size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || compare(keys, sorted[i - 1], sorted[i]) != 0) {
      to[kept++] = sorted[i];
    }
  }
  return kept;
}

OrtStatus* core_map_order(const struct core_tensor* keys, size_t** order, size_t* count) {
  bool is_text = keys->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  compare_keys* compare = is_text ? compare_strings : compare_numbers;
  size_t keys_count = keys->shape.count;
  size_t* both = NULL;
  if (keys_count > 0) {
    size_t size = 0;
    both = __builtin_mul_overflow(keys_count, 2 * sizeof *both, &size) ? NULL : heap_alloc(size);
    if (both == NULL) {
      return core_no_memory(size);
    }
  }
  for (size_t i = 0; i < keys_count; i++) {
    both[i] = i;
  }
  *order = both;
  *count = keys_count;
  if (!is_ascending(keys->data, compare, keys_count)) {
    const size_t* sorted = sort(keys->data, compare, both, both + keys_count, keys_count);
    *count = keep_first(keys->data, compare, sorted, both, keys_count);
  }
  return NULL;
}
