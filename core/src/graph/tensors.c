/* SPDX-License-Identifier: MIT */
/* Makes values of the tensors in a model. Elements that are stored as they are in memory are not
 * copied: the value refers to the model's bytes, at any alignment. */

#include "graph/tensor_bytes.h"
#include "memory/allocator.h"
#include "onnx/fields.h"
#include "sparse/sparse.h"

/* A tensor that is being read. */
struct stored_tensor {
  const OrtModel* model;
  struct core_message bytes;
  ONNXTensorElementDataType type;
  size_t rank;
  const int64_t* dims;
  size_t count;
  size_t size;
};

/* Reads a repeated field of int64. Memory of the pool. */
static OrtStatus* read_lengths(struct core_pool* pool, struct core_message message, uint32_t number,
                               const int64_t** out, size_t* count) {
  struct core_numbers numbers = {.message = message, .number = number, .wire = CORE_VARINT};
  uint64_t length;
  *count = core_count_numbers(numbers);
  CORE_REFUSE_IF(*count > CORE_LARGEST_RANK, ORT_FAIL, "a tensor has too many dimensions");
  int64_t* lengths;
  CORE_TAKE_ARRAY(pool, lengths, *count);
  for (size_t i = 0; core_next_number(&numbers, &length); i++) {
    lengths[i] = (int64_t)length;
  }
  *out = lengths;
  return NULL;
}

/* Reads type and shape of a TensorProto. */
static OrtStatus* read_head(struct stored_tensor* tensor, struct core_pool* pool) {
  struct core_message rest = tensor->bytes;
  struct core_field field;
  uint64_t type = 0;
  while (core_next_field(&rest, &field)) {
    CORE_REFUSE_IF(field.number == TENSOR_SEGMENT, ORT_FAIL,
                   "tensors in segments are not supported");
    if (field.number == TENSOR_ELEMENT && field.wire == CORE_VARINT) {
      type = field.value;
    }
  }
  CORE_REFUSE_IF(core_is_malformed(&rest), ORT_FAIL, "a tensor is malformed");
  tensor->type = core_element_of_onnx(type);
  CORE_REFUSE_IF(tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ||
                     core_element_bits(tensor->type) == 0,
                 ORT_FAIL, "a tensor has no element type that the C API has");
  CORE_TRY(read_lengths(pool, tensor->bytes, TENSOR_DIMENSIONS, &tensor->dims, &tensor->rank));
  return core_measure(tensor->type, tensor->dims, tensor->rank, ORT_FAIL, &tensor->count,
                      &tensor->size);
}

/* --- elements -------------------------------------------------------------------------------- */

/* The field that has the elements of a type, and how many bytes one of its numbers stands for: half
 * of a complex element, or a byte with several elements of 4 or 2 bits. */
static struct core_numbers numbers_of(const struct stored_tensor* tensor, size_t* bytes) {
  struct core_numbers numbers = {.message = tensor->bytes, .wire = CORE_VARINT};
  size_t bits = core_element_bits(tensor->type);
  *bytes = bits < 8 ? 1 : bits / 8;
  switch (tensor->type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64:
      numbers.number = TENSOR_FLOATS;
      numbers.wire = CORE_FIXED32;
      *bytes = sizeof(float);
      break;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128:
      numbers.number = TENSOR_DOUBLES;
      numbers.wire = CORE_FIXED64;
      *bytes = sizeof(double);
      break;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      numbers.number = TENSOR_INT64S;
      break;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64:
      numbers.number = TENSOR_UINT64S;
      break;
    default:
      numbers.number = TENSOR_INT32S;
      break;
  }
  return numbers;
}

static OrtStatus* new_tensor(const struct stored_tensor* tensor, struct core_tensor** out) {
  return core_new_tensor(CORE_DEFAULT_ALLOCATOR, tensor->dims, tensor->rank, tensor->type, out);
}

/* Makes a tensor of numbers that are stored one by one. */
static OrtStatus* read_tensor_numbers(const struct stored_tensor* tensor,
                                      struct core_tensor** out) {
  size_t bytes;
  uint64_t number;
  struct core_numbers numbers = numbers_of(tensor, &bytes);
  CORE_REFUSE_IF(core_count_numbers(numbers) != tensor->size / bytes, ORT_FAIL,
                 "a tensor has not as many elements as its shape");
  CORE_TRY(new_tensor(tensor, out));
  uint8_t* to = (*out)->data;
  bool is_bool = tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;
  for (; core_next_number(&numbers, &number); to += bytes) {
    number = is_bool ? number != 0 : number;
    memcpy(to, &number, bytes);
  }
  return NULL;
}

/* Whether bytes are not the 0 and 1 of which a tensor of bool consists. */
static bool are_other_bools(const struct stored_tensor* tensor, const uint8_t* bytes) {
  size_t i = 0;
  while (i < tensor->size && bytes[i] <= 1) {
    i++;
  }
  return i < tensor->size;
}

/* Makes a tensor of bool of bytes of which some are neither 0 nor 1. */
static OrtStatus* read_other_bools(const struct stored_tensor* tensor, const uint8_t* bytes,
                                   struct core_tensor** out) {
  CORE_TRY(new_tensor(tensor, out));
  for (size_t i = 0; i < tensor->size; i++) {
    ((uint8_t*)(*out)->data)[i] = bytes[i] != 0;
  }
  return NULL;
}

/* Sets the strings of a new tensor to those of a repeated field; on failure the tensor ends. */
static OrtStatus* set_strings(struct core_message bytes, uint32_t number,
                              struct core_tensor** tensor) {
  struct core_message text;
  OrtStatus* status = NULL;
  for (size_t i = 0; status == NULL && core_next_message(&bytes, number, &text); i++) {
    status =
        core_strings_set(&(*tensor)->strings, i, (const char*)text.at, core_message_size(text));
  }
  if (status != NULL) {
    core_drop(*tensor);
    *tensor = NULL;
  }
  return status;
}

static OrtStatus* read_tensor_strings(const struct stored_tensor* tensor,
                                      struct core_tensor** out) {
  CORE_REFUSE_IF(core_count_messages(tensor->bytes, TENSOR_STRINGS) != tensor->count, ORT_FAIL,
                 "a tensor has not as many strings as its shape");
  CORE_TRY(new_tensor(tensor, out));
  return set_strings(tensor->bytes, TENSOR_STRINGS, out);
}

/* Finds elements that are stored as they are in memory; `*out` is unchanged if they are not. */
static OrtStatus* find_elements(const struct stored_tensor* tensor, const uint8_t** out) {
  struct core_external_data data;
  struct core_message raw;
  if (core_is_external(tensor->bytes)) {
    CORE_TRY(core_read_external(tensor->bytes, &data));
    return core_find_weights(tensor->model, &data, tensor->size, out);
  }
  if (core_find_message(tensor->bytes, TENSOR_RAW, &raw)) {
    CORE_REFUSE_IF(core_message_size(raw) != tensor->size, ORT_FAIL,
                   "the raw data of a tensor has not the size of its shape");
    *out = raw.at;
  }
  return NULL;
}

static OrtStatus* read_elements(const struct stored_tensor* tensor, struct core_tensor** out) {
  const uint8_t* elements = NULL;
  if (tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return read_tensor_strings(tensor, out);
  }
  CORE_TRY(find_elements(tensor, &elements));
  if (elements == NULL) {
    return read_tensor_numbers(tensor, out);
  }
  if (tensor->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL && are_other_bools(tensor, elements)) {
    return read_other_bools(tensor, elements, out);
  }
  return core_borrow_tensor(&core_cpu_memory_info, (void*)elements, tensor->size, tensor->dims,
                            tensor->rank, tensor->type, out);
}

OrtStatus* core_read_tensor(const OrtModel* model, struct core_message bytes,
                            struct core_tensor** out) {
  struct stored_tensor tensor = {.model = model, .bytes = bytes};
  struct core_pool pool = {0};
  OrtStatus* status = read_head(&tensor, &pool);
  CORE_THEN(status, read_elements(&tensor, out));
  core_pool_end(&pool);
  return status;
}

OrtStatus* core_measure_tensor(const OrtModel* model, struct core_message bytes, size_t* out) {
  struct stored_tensor tensor = {.model = model, .bytes = bytes};
  struct core_pool pool = {0};
  OrtStatus* status = read_head(&tensor, &pool);
  core_pool_end(&pool);
  *out = tensor.size;
  return status;
}

/* --- sparse tensors ----------------------------------------------------------------------------
 */

/* Finds the place of a value in the dense tensor; false if it is outside. An index is one number,
 * or one number for each dimension. */
static bool find_element(const struct core_shape* dense, const int64_t* index, size_t width,
                         int64_t* place) {
  if (width == 1) {
    *place = index[0];
    return index[0] >= 0 && (size_t)index[0] < dense->count;
  }
  *place = 0;
  for (size_t i = 0; i < width; i++) {
    if (index[i] < 0 || index[i] >= dense->dims[i]) {
      return false;
    }
    *place = *place * dense->dims[i] + index[i];
  }
  return true;
}

/* Finds the places of all values. */
static OrtStatus* find_places(const struct core_shape* dense, size_t count,
                              const struct core_tensor* indices, int64_t* places) {
  size_t width = count > 0 ? indices->shape.count / count : 1;
  CORE_REFUSE_IF(indices->shape.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 ||
                     indices->shape.count != count * width || (width != 1 && width != dense->rank),
                 ORT_FAIL, "a sparse tensor has not an index for each of its values");
  for (size_t i = 0; i < count; i++) {
    int64_t index[8];
    CORE_REFUSE_IF(width > CORE_COUNT_OF(index), ORT_FAIL,
                   "a sparse tensor has too many dimensions");
    memcpy(index, (const int64_t*)indices->data + i * width, width * sizeof *index);
    CORE_REFUSE_IF(!find_element(dense, index, width, &places[i]), ORT_FAIL,
                   "an index of a sparse tensor is outside of its shape");
  }
  return NULL;
}

/* A sparse tensor that is being read. */
struct stored_sparse {
  struct core_tensor* values;
  struct core_tensor* indices;
  const int64_t* dims;
  size_t rank;
  struct core_pool pool;
};

static OrtStatus* fill(const struct stored_sparse* from, bool is_sparse, OrtValue* out) {
  const struct core_tensor* values = from->values;
  size_t count = values->shape.count, bytes = core_element_bits(values->shape.type) / 8;
  int64_t length = (int64_t)count;
  int64_t* places = core_pool_array((struct core_pool*)&from->pool, count, sizeof *places);
  CORE_NEED_MEMORY(places, count * sizeof *places);
  CORE_TRY(find_places(core_shape_of(out), count, from->indices, places));
  if (is_sparse) {
    return ort_FillSparseTensorCoo(out, &core_cpu_memory_info, &length, 1, values->data, places,
                                   count);
  }
  struct core_tensor* dense = core_tensor_of(out);
  memset(dense->data, 0, dense->shape.count > 0 ? dense->bytes : 0);
  for (size_t i = 0; i < count; i++) {
    memcpy((uint8_t*)dense->data + (size_t)places[i] * bytes,
           (const uint8_t*)values->data + i * bytes, bytes);
  }
  return NULL;
}

static OrtStatus* make_of_sparse(const struct stored_sparse* from, bool is_sparse, OrtValue** out) {
  ONNXTensorElementDataType type = from->values->shape.type;
  CORE_REFUSE_IF(core_element_bits(type) < 8 || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                 ORT_FAIL, "a sparse tensor has elements that only dense ones can have");
  CORE_TRY(is_sparse ? ort_CreateSparseTensorAsOrtValue(CORE_DEFAULT_ALLOCATOR, from->dims,
                                                        from->rank, type, out)
                     : core_new_tensor(CORE_DEFAULT_ALLOCATOR, from->dims, from->rank, type,
                                       (struct core_tensor**)out));
  CORE_TRY_OR(fill(from, is_sparse, *out), ort_ReleaseValue(*out); *out = NULL);
  return NULL;
}

/* Makes a value of a SparseTensorProto, a sparse or a dense one. */
static OrtStatus* read_sparse(const OrtModel* model, struct core_message bytes, bool is_sparse,
                              OrtValue** out) {
  struct stored_sparse from = {.values = NULL};
  struct core_message values_bytes, indices_bytes;
  CORE_REFUSE_IF(!core_find_message(bytes, SPARSE_VALUES, &values_bytes) ||
                     !core_find_message(bytes, SPARSE_INDICES, &indices_bytes),
                 ORT_FAIL, "a sparse tensor has no values or no indices");
  OrtStatus* status = core_read_tensor(model, values_bytes, &from.values);
  CORE_THEN(status, core_read_tensor(model, indices_bytes, &from.indices));
  CORE_THEN(status, read_lengths(&from.pool, bytes, SPARSE_DIMENSIONS, &from.dims, &from.rank));
  CORE_THEN(status, make_of_sparse(&from, is_sparse, out));
  core_drop(from.values);
  core_drop(from.indices);
  core_pool_end(&from.pool);
  return status;
}

/* --- constants ------------------------------------------------------------------------------- */

/* Writes the numbers of an attribute; of a scalar the last one, or 0 where a writer left that out.
 */
static void write_numbers(struct core_numbers numbers, bool is_scalar, size_t size, uint8_t* to) {
  uint64_t number = 0;
  while (core_next_number(&numbers, &number)) {
    if (!is_scalar) {
      memcpy(to, &number, size);
      to += size;
    }
  }
  if (is_scalar) {
    memcpy(to, &number, size);
  }
}

/* Makes a tensor of the numbers or strings in an attribute of a node Constant. */
static OrtStatus* read_list(struct core_message bytes, bool is_scalar,
                            ONNXTensorElementDataType type, struct core_numbers numbers,
                            struct core_tensor** out) {
  bool is_text = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  size_t count = is_text ? core_count_messages(bytes, numbers.number) : core_count_numbers(numbers);
  int64_t length = (int64_t)count;
  CORE_REFUSE_IF(is_scalar && is_text && count > 1, ORT_FAIL, "a node Constant has several values");
  CORE_TRY(core_new_tensor(CORE_DEFAULT_ALLOCATOR, &length, is_scalar ? 0 : 1, type, out));
  if (is_text) {
    return set_strings(bytes, numbers.number, out);
  }
  write_numbers(numbers, is_scalar,
                type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 ? sizeof(int64_t) : sizeof(float),
                (*out)->data);
  return NULL;
}

/* The attributes of which a node Constant has one. */
static const struct constant {
  const char* name;
  ONNXTensorElementDataType type;
  uint32_t number;
  uint64_t attribute_type;
  enum core_wire wire;
  bool is_scalar;
} constants[] = {
    {"value_int", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, ATTRIBUTE_INT, ATTRIBUTE_IS_INT, CORE_VARINT,
     true},
    {"value_ints", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, ATTRIBUTE_INTS, ATTRIBUTE_IS_INTS,
     CORE_VARINT, false},
    {"value_float", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, ATTRIBUTE_FLOAT, ATTRIBUTE_IS_FLOAT,
     CORE_FIXED32, true},
    {"value_floats", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, ATTRIBUTE_FLOATS, ATTRIBUTE_IS_FLOATS,
     CORE_FIXED32, false},
    {"value_string", ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, ATTRIBUTE_STRING, ATTRIBUTE_IS_STRING,
     CORE_LENGTH, true},
    {"value_strings", ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, ATTRIBUTE_STRINGS, ATTRIBUTE_IS_STRINGS,
     CORE_LENGTH, false},
    {"value", ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, ATTRIBUTE_TENSOR, ATTRIBUTE_IS_TENSOR,
     CORE_LENGTH, false},
    {"sparse_value", ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, ATTRIBUTE_SPARSE_TENSOR,
     ATTRIBUTE_IS_SPARSE_TENSOR, CORE_LENGTH, false},
};

/* What an attribute's type says, whatever its name is; NULL for another type. The first version of
 * the format has no types: there its name says it. */
static const struct constant* find_constant(struct core_message attribute) {
  struct core_message name = {NULL, NULL};
  uint64_t type = core_find_varint(attribute, ATTRIBUTE_TYPE);
  core_find_message(attribute, ATTRIBUTE_NAME, &name);
  for (size_t i = 0; i < CORE_COUNT_OF(constants); i++) {
    if (type != 0 ? type == constants[i].attribute_type
                  : core_message_is(name, constants[i].name)) {
      return &constants[i];
    }
  }
  return NULL;
}

bool core_is_constant_value(const OrtModel* model, struct core_message attribute) {
  return find_constant(attribute) != NULL &&
         (model->ir_version < 2 || core_find_varint(attribute, ATTRIBUTE_TYPE) != 0);
}

uint64_t core_element_of_constant(struct core_message attribute) {
  const struct constant* constant = find_constant(attribute);
  struct core_message tensor = {NULL, NULL};
  if (constant->type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
    return core_onnx_of_element(constant->type);
  }
  if (core_find_message(attribute, constant->number, &tensor) &&
      constant->number == ATTRIBUTE_SPARSE_TENSOR) {
    core_find_message(tensor, SPARSE_VALUES, &tensor);
  }
  return core_find_varint(tensor, TENSOR_ELEMENT);
}

static OrtStatus* read_constant(const OrtModel* model, struct core_message attribute,
                                bool is_sparse, OrtValue** out) {
  const struct constant* constant = find_constant(attribute);
  struct core_message tensor;
  if (constant->type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
    const struct core_numbers numbers = {
        .message = attribute, .number = constant->number, .wire = constant->wire};
    return read_list(attribute, constant->is_scalar, constant->type, numbers,
                     (struct core_tensor**)out);
  }
  CORE_REFUSE_IF(!core_find_message(attribute, constant->number, &tensor), ORT_FAIL,
                 "a node Constant has no value");
  return constant->number == ATTRIBUTE_TENSOR
             ? core_read_tensor(model, tensor, (struct core_tensor**)out)
             : read_sparse(model, tensor, is_sparse, out);
}

static OrtStatus* read_initializer(const OrtValueInfo* value, bool is_sparse, OrtValue** out) {
  const OrtModel* model = value->graph->model;
  if (value->flags & CORE_IS_CONSTANT_NODE) {
    return read_constant(model, value->tensor_bytes, is_sparse, out);
  }
  return value->flags & CORE_IS_SPARSE
             ? read_sparse(model, value->tensor_bytes, is_sparse, out)
             : core_read_tensor(model, value->tensor_bytes, (struct core_tensor**)out);
}

/* Providers and kernels read sparse initializers as dense tensors. */
OrtStatus* core_read_initializer(const OrtValueInfo* value, OrtValue** out) {
  struct core_message type;
  bool is_sparse = value->graph->form == CORE_AS_WRITTEN ||
                   core_member_of_type(value->type_bytes, &type) == TYPE_SPARSE_TENSOR;
  return read_initializer(value, is_sparse, out);
}

OrtStatus* core_check_sparse(const OrtValueInfo* value) {
  OrtValue* made = NULL;
  OrtStatus* status = read_initializer(value, true, &made);
  ort_ReleaseValue(made);
  return status;
}

OrtStatus* core_fits_initializer(const OrtValueInfo* value, const struct core_tensor* tensor,
                                 bool* out) {
  if (value->flags & (CORE_IS_CONSTANT_NODE | CORE_IS_SPARSE)) {
    OrtValue* own = NULL;
    CORE_TRY(core_read_initializer(value, &own));
    const struct core_shape* shape = core_shape_of(own);
    *out = core_has_shape(&tensor->shape, shape->type, shape->dims, shape->rank);
    core_drop(own);
    return NULL;
  }
  struct stored_tensor stored = {value->graph->model, .bytes = value->tensor_bytes};
  struct core_pool pool = {0};
  OrtStatus* status = read_head(&stored, &pool);
  *out = status == NULL && core_has_shape(&tensor->shape, stored.type, stored.dims, stored.rank);
  core_pool_end(&pool);
  return status;
}
