/* SPDX-License-Identifier: MIT */
/* Sequences and maps: how they are made and read. */

#include "values/value.h"

#include <stdlib.h>

#include "memory/allocator.h"

/* A key of a map that is being made, and its position. */
struct key {
  const void* at;
  size_t position;
};

/* Compares keys like strcmp; of equal ones the first comes first. */
static int compare_numbers(const void* a, const void* b) {
  const struct key *first = a, *second = b;
  int64_t one = *(const int64_t*)first->at, other = *(const int64_t*)second->at;
  return (one > other) - (one < other);
}

static int compare_strings(const void* a, const void* b) {
  const struct core_string* one = ((const struct key*)a)->at;
  const struct core_string* other = ((const struct key*)b)->at;
  size_t common = one->length < other->length ? one->length : other->length;
  int order = memcmp(core_string_text(one), core_string_text(other), common);
  return order != 0 ? order : (one->length > other->length) - (one->length < other->length);
}

/* The order of two keys that may be equal, for qsort, which is not stable. */
#define STABLE(function, compare)                                                  \
  static int function(const void* a, const void* b) {                              \
    size_t first = ((const struct key*)a)->position;                               \
    int order = compare(a, b);                                                     \
    return order != 0 ? order : first < ((const struct key*)b)->position ? -1 : 1; \
  }
STABLE(order_numbers, compare_numbers)
STABLE(order_strings, compare_strings)

/* Sorts keys of type INT64 or STRING: numbers by value, strings by their bytes. `order` gets each
 * distinct key, of equal ones the first. It is a block of the heap, or NULL if there are no keys.
 */
static OrtStatus* order_of_keys(const struct core_tensor* keys, struct key** order, size_t* count) {
  bool is_text = keys->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, is_ascending = true;
  int (*compare)(const void*, const void*) = is_text ? compare_strings : compare_numbers;
  size_t each = is_text ? sizeof(struct core_string) : sizeof(int64_t), size = 0, kept = 0;
  bool fits = !__builtin_mul_overflow(keys->shape.count, sizeof **order, &size);
  struct key* sorted = fits ? heap_alloc(size) : NULL;
  CORE_RETURN_IF(sorted == NULL && keys->shape.count > 0, core_no_memory(size));
  for (size_t i = 0; i < keys->shape.count; i++) {
    sorted[i] = (struct key){(const char*)keys->data + i * each, i};
    is_ascending = is_ascending && (i == 0 || compare(&sorted[i - 1], &sorted[i]) < 0);
  }
  if (!is_ascending) {
    qsort(sorted, keys->shape.count, sizeof *sorted, is_text ? order_strings : order_numbers);
  }
  for (size_t i = 0; i < keys->shape.count; i++) {
    if (i == 0 || is_ascending || compare(&sorted[kept - 1], &sorted[i]) != 0) {
      sorted[kept++] = sorted[i];
    }
  }
  *order = sorted;
  *count = kept;
  return NULL;
}

static void end_map(void* block) {
  struct core_map* map = block;
  core_drop(map->keys);
  core_drop(map->values);
}

static void end_sequence(void* block) {
  struct core_sequence* sequence = block;
  for (size_t i = 0; i < sequence->count; i++) {
    core_drop(sequence->elements[i]);
  }
}

static const struct core_class map_class = {.kind = CORE_VALUE, .end = end_map};
static const struct core_class sequence_class = {.kind = CORE_VALUE, .end = end_sequence};

/* Elements are copied, so the CPU must be able to read them. */
static OrtStatus* check_readable(const struct core_tensor* tensor) {
  CORE_FAIL_IF(core_lacks_data(tensor), ORT_INVALID_ARGUMENT,
               "CreateValue: in has a tensor without data");
  CORE_FAIL_IF(!core_is_cpu_memory(&tensor->info), ORT_INVALID_ARGUMENT,
               "CreateValue: in has a tensor whose memory is not the CPU's: it cannot be copied");
  return NULL;
}

static bool is_float_map(const struct core_map* map) {
  return map->values->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

/* A map cannot be changed after it was made, so a sequence shares it. A tensor can be written to,
 * so add_tensor copies it. */
static OrtStatus* add_map(const struct core_map* map, const struct core_map* first,
                          OrtValue** out) {
  CORE_FAIL_IF(!is_float_map(map), ORT_FAIL,
               "CreateValue: maps in a sequence must have values of type FLOAT");
  CORE_FAIL_IF(map->keys->shape.type != first->keys->shape.type, ORT_FAIL,
               "CreateValue: all maps in a sequence must have keys of one type");
  *out = core_retain_value(&map->base);
  return NULL;
}

static OrtStatus* add_tensor(const struct core_tensor* tensor, const struct core_tensor* first,
                             OrtValue** out) {
  CORE_FAIL_IF(tensor->shape.type != first->shape.type, ORT_FAIL,
               "CreateValue: all tensors in a sequence must have one element type");
  CORE_TRY(check_readable(tensor));
  return core_copy_tensor(tensor, CORE_DEFAULT_ALLOCATOR, (struct core_tensor**)out);
}

static OrtStatus* copy_element(const OrtValue* value, const OrtValue* first, OrtValue** out) {
  CORE_FAIL_IF(core_type_of(first) != ONNX_TYPE_TENSOR && core_type_of(first) != ONNX_TYPE_MAP,
               ORT_FAIL, "CreateValue: elements of a sequence must be tensors or maps");
  CORE_FAIL_IF(value == NULL, ORT_INVALID_ARGUMENT, "CreateValue: in[i] must not be NULL");
  CORE_FAIL_IF(core_type_of(value) != core_type_of(first), ORT_FAIL,
               "CreateValue: elements of a sequence must be all tensors or all maps");
  return core_type_of(value) == ONNX_TYPE_MAP
             ? add_map((const struct core_map*)core_target(value),
                       (const struct core_map*)core_target(first), out)
             : add_tensor(core_tensor_of(value), core_tensor_of(first), out);
}

/* Makes a sequence with room for elements; it has none yet. */
static OrtStatus* new_sequence(size_t count, struct core_sequence** out) {
  size_t size = 0;
  CORE_RETURN_IF(__builtin_mul_overflow(count, sizeof(OrtValue*), &size) ||
                     __builtin_add_overflow(size, sizeof(struct core_sequence), &size),
                 core_no_memory(SIZE_MAX));
  struct core_sequence* sequence = heap_alloc(size);
  CORE_NEED_MEMORY(sequence, size);
  core_begin_value(&sequence->base, &sequence_class, ONNX_TYPE_SEQUENCE);
  sequence->count = 0;
  *out = sequence;
  return NULL;
}

static OrtStatus* create_sequence(const OrtValue* const* in, size_t count, OrtValue** out) {
  CORE_REQUIRE(CreateValue, in[0]);
  struct core_sequence* sequence = NULL;
  CORE_TRY(new_sequence(count, &sequence));
  sequence->type = core_is_tensor(in[0]) ? core_tensor_of(in[0])->shape.type
                                         : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  for (; sequence->count < count; sequence->count++) {
    size_t i = sequence->count;
    CORE_TRY_OR(copy_element(in[i], in[0], &sequence->elements[i]), core_drop(sequence));
  }
  *out = &sequence->base;
  return NULL;
}

OrtStatus* ORT_API_CALL core_empty_sequence(ONNXTensorElementDataType type, OrtValue** out) {
  struct core_sequence* sequence = NULL;
  CORE_REQUIRE(ortcore_empty_sequence, out);
  CORE_FAIL_IF(core_element_bits(type) == 0, ORT_INVALID_ARGUMENT,
               "ortcore_empty_sequence: type must be that of elements");
  CORE_TRY(core_named("ortcore_empty_sequence", new_sequence(0, &sequence)));
  sequence->type = type;
  *out = &sequence->base;
  return NULL;
}

static bool can_be_key(ONNXTensorElementDataType type) {
  return type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 ||
         type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
}

static bool can_be_value(ONNXTensorElementDataType type) {
  return can_be_key(type) || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT ||
         type == ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE;
}

static OrtStatus* check_pair(const struct core_tensor* keys, const struct core_tensor* values) {
  CORE_FAIL_IF(keys->shape.rank > 1 || values->shape.rank > 1, ORT_FAIL,
               "CreateValue: keys and values must have at most one dimension");
  CORE_FAIL_IF(keys->shape.count != values->shape.count, ORT_FAIL,
               "CreateValue: keys and values must be equally many");
  CORE_FAIL_IF(!can_be_key(keys->shape.type), ORT_FAIL,
               "CreateValue: keys must be of type INT64 or STRING");
  CORE_FAIL_IF(!can_be_value(values->shape.type), ORT_FAIL,
               "CreateValue: values must be of type FLOAT, DOUBLE, INT64 or STRING");
  CORE_TRY(check_readable(keys));
  return check_readable(values);
}

static OrtStatus* as_part_of_map(const OrtValue* value, struct core_tensor** out) {
  CORE_REFUSE_IF(!core_is_tensor(value),
                 core_type_of(value) == ONNX_TYPE_MAP ? ORT_FAIL : ORT_RUNTIME_EXCEPTION,
                 "in must be two tensors for a map: keys and values");
  *out = core_tensor_of(value);
  return NULL;
}

/* Makes a tensor of rank 1 from the elements of another whose positions are in `order`. */
static OrtStatus* gather(const struct core_tensor* from, const struct key* order, size_t count,
                         struct core_tensor** out) {
  ONNXTensorElementDataType type = from->shape.type;
  int64_t length = (int64_t)count;
  CORE_TRY(core_new_tensor(CORE_DEFAULT_ALLOCATOR, &length, 1, type, out));
  size_t size = core_element_bits(type) / 8;
  for (size_t i = 0; i < count; i++) {
    if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
      memcpy((char*)(*out)->data + i * size, (const char*)from->data + order[i].position * size,
             size);
      continue;
    }
    const struct core_string* text = &from->strings.elements[order[i].position];
    CORE_TRY(core_strings_set(&(*out)->strings, i, core_string_text(text), text->length));
  }
  return NULL;
}

static OrtStatus* fill_map(struct core_map* map, const struct core_tensor* keys,
                           const struct core_tensor* values) {
  size_t count = 0;
  struct key* order = NULL;
  CORE_TRY(order_of_keys(keys, &order, &count));
  OrtStatus* status = gather(keys, order, count, &map->keys);
  CORE_THEN(status, gather(values, order, count, &map->values));
  heap_free(order);
  return status;
}

/* Keys are stored in ascending order, each once: a reader of the map sees that of std::map. */
static OrtStatus* create_map(const OrtValue* const* in, size_t count, OrtValue** out) {
  CORE_FAIL_IF(count != 2, ORT_FAIL,
               "CreateValue: num_values must be 2 for a map: keys and values");
  CORE_REQUIRE(CreateValue, in[0], in[1]);
  struct core_tensor* keys = NULL;
  struct core_tensor* values = NULL;
  CORE_TRY(as_part_of_map(in[0], &keys));
  CORE_TRY(as_part_of_map(in[1], &values));
  CORE_TRY(check_pair(keys, values));
  struct core_map* map = heap_alloc_object(sizeof *map);
  CORE_NEED_MEMORY(map, sizeof *map);
  map->keys = map->values = NULL;
  core_begin_value(&map->base, &map_class, ONNX_TYPE_MAP);
  CORE_TRY_OR(fill_map(map, keys, values), core_drop(map));
  *out = &map->base;
  return NULL;
}

CORE_SLOT(ort_CreateValue, const OrtValue* const* in, size_t num_values, enum ONNXType value_type,
          OrtValue** out) {
  CORE_FAIL_IF(num_values == 0, ORT_FAIL, "CreateValue: num_values must be at least 1");
  CORE_REQUIRE(CreateValue, in);
  if (value_type == ONNX_TYPE_SEQUENCE) {
    return create_sequence(in, num_values, out);
  }
  if (value_type == ONNX_TYPE_MAP) {
    return create_map(in, num_values, out);
  }
  CORE_FAIL(ORT_FAIL, "CreateValue: value_type must be ONNX_TYPE_SEQUENCE or ONNX_TYPE_MAP");
}

static OrtStatus* not_a_container(void) {
  return core_fail(ORT_FAIL, "value must be a sequence or a map");
}

CORE_SLOT(ort_GetValueCount, const OrtValue* value, size_t* out) {
  CORE_RETURN_IF(core_type_of(value) != ONNX_TYPE_MAP && core_type_of(value) != ONNX_TYPE_SEQUENCE,
                 not_a_container());
  *out = core_type_of(value) == ONNX_TYPE_MAP
             ? 2
             : ((const struct core_sequence*)core_target(value))->count;
  return NULL;
}

static OrtStatus* copy_out(const OrtValue* tensor, OrtAllocator* allocator, OrtValue** out) {
  CORE_REQUIRE(GetValue, allocator);
  return core_copy_tensor((const struct core_tensor*)tensor, allocator, (struct core_tensor**)out);
}

static OrtStatus* get_of_map(const struct core_map* map, int index, OrtAllocator* allocator,
                             OrtValue** out) {
  CORE_FAIL_IF(index != 0 && index != 1, ORT_FAIL,
               "GetValue: index must be 0 or 1 for a map: its keys or its values");
  return copy_out(index == 0 ? &map->keys->base : &map->values->base, allocator, out);
}

static OrtStatus* get_of_sequence(const struct core_sequence* sequence, int index,
                                  OrtAllocator* allocator, OrtValue** out) {
  bool has_maps = sequence->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  CORE_REFUSE_IF(index < 0 || (size_t)index >= sequence->count,
                 has_maps ? ORT_RUNTIME_EXCEPTION : ORT_FAIL, "index must be in the sequence");
  if (!has_maps) {
    return copy_out(sequence->elements[index], allocator, out);
  }
  *out = core_retain_value(sequence->elements[index]);
  return NULL;
}

CORE_SLOT(ort_GetValue, const OrtValue* value, int index, OrtAllocator* allocator, OrtValue** out) {
  switch (core_type_of(value)) {
    case ONNX_TYPE_MAP:
      return get_of_map((const struct core_map*)core_target(value), index, allocator, out);
    case ONNX_TYPE_SEQUENCE:
      return get_of_sequence((const struct core_sequence*)core_target(value), index, allocator,
                             out);
    default:
      return not_a_container();
  }
}
