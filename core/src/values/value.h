/* SPDX-License-Identifier: MIT */
/**
 * @file value.h
 * The structs behind OrtValue: of tensors, sparse tensors, sequences and maps. Each begins with
 * struct OrtValue.
 */
#pragma once

#include "memory/memory_info.h"
#include "object/object.h"
#include "strings/strings.h"

struct OrtValue {
  /** Its type is an ONNXType. */
  struct core_object object;
  /** Itself; for a borrowed handle, the value that it stands for. Casts to the structs below
   * need a target. */
  struct OrtValue* target;
};

static inline void core_begin_value(OrtValue* value, const struct core_class* class,
                                    enum ONNXType type) {
  core_begin(&value->object, class, type);
  value->target = value;
}

static inline enum ONNXType core_type_of(const OrtValue* value) {
  return (enum ONNXType)value->object.type;
}

/** The value behind a handle. Every slot reads and writes this one. */
static inline OrtValue* core_target(const OrtValue* value) { return value->target; }

/* Handles. A kernel borrows a value through a handle made for it, which is a part of another
 * object: a kernel that wrongly releases the handle does not release the value. */

static inline void core_make_borrowed(OrtValue* handle, enum ONNXType type, OrtValue* target) {
  *handle = (OrtValue){{NULL, CORE_PERMANENT, type}, target};
}

/** The slots refuse the handle from now on. */
static inline void core_end_borrowed(OrtValue* handle) {
  core_make_borrowed(handle, ONNX_TYPE_UNKNOWN, handle);
}

/** Element type and shape of a dense or sparse tensor. */
struct core_shape {
  ONNXTensorElementDataType type;
  size_t rank;
  /** The number of elements. */
  size_t count;
  /** `rank` dimensions, each at least 0; owned by the value. */
  const int64_t* dims;
};

/** Whether a shape has an element type and dimensions. */
static inline bool core_has_shape(const struct core_shape* shape, ONNXTensorElementDataType type,
                                  const int64_t* dims, size_t rank) {
  return shape->type == type && shape->rank == rank &&
         (rank == 0 || memcmp(shape->dims, dims, rank * sizeof *dims) == 0);
}

/** Whether a shape has so many dimensions, of which a negative one may have any size. */
static inline bool core_fits_dimensions(const struct core_shape* shape, const int64_t* dims,
                                        size_t rank) {
  bool fits = shape->rank == rank;
  for (size_t i = 0; fits && i < rank; i++) {
    fits = dims[i] < 0 || dims[i] == shape->dims[i];
  }
  return fits;
}

struct core_shaped {
  struct OrtValue base;
  struct core_shape shape;
};

struct core_tensor {
  struct OrtValue base;
  struct core_shape shape;
  /** NULL for an allocated tensor without elements. */
  void* data;
  /** The size of `data`; a string element counts as a core_string. */
  size_t bytes;
  /** The allocator that frees `data` and must outlive the tensor; NULL if `data` is borrowed. */
  OrtAllocator* owner;
  /** The same elements, for strings only. */
  struct core_strings strings;
  /** Whether the tensor holds a reference to `owner`. An allocator without a reference count may be
   * gone after its last Free, so it must not be called after that. */
  bool keeps_owner;
  struct OrtMemoryInfo info;
};

struct core_sparse {
  struct OrtValue base;
  /** The dense shape; `count` is CORE_UNCOUNTED if an index cannot address all elements. */
  struct core_shape shape;
  /** ORT_SPARSE_UNDEFINED until there are indices. */
  OrtSparseFormat format;
  /** Owns the memory of values and indices and must outlive them; NULL if both are borrowed. */
  OrtAllocator* allocator;
  /** Whether the tensor holds a reference to `allocator`. */
  bool keeps_allocator;
  /** NULL until the tensor is filled; set from the start if a caller's values are borrowed. */
  struct core_tensor* values;
  /** COO: the coordinates. CSR: inner, outer. Block-sparse: the positions of blocks. */
  struct core_tensor* indices[2];
};
#define CORE_UNCOUNTED SIZE_MAX

/* Elements. */

/** The number of element types in the table of sizes. */
#define CORE_ELEMENT_TYPES 27
extern const uint16_t core_bits_of_elements[CORE_ELEMENT_TYPES];

/** The size of an element in bits; 0 for what is no element type. */
static inline size_t core_element_bits(ONNXTensorElementDataType type) {
  return CORE_LIKELY((size_t)type < CORE_ELEMENT_TYPES) ? core_bits_of_elements[type] : 0;
}

/** The name of an element type in ONNX's types, such as "float". */
const char* core_element_name(ONNXTensorElementDataType type);

/** The element type with such a name; 0 for other texts. */
ONNXTensorElementDataType core_element_named(const char* text, size_t length);

/** The status for an element type that is refused; `what` is "tensor" or similar. */
CORE_COLD OrtStatus* core_refuse_element_type(const char* what, ONNXTensorElementDataType type);

/** Returns NULL if clients may make tensors with an element type. Complex numbers are refused, as
 * by ONNX Runtime: they are only read, of models. */
static inline OrtStatus* core_check_element_type(const char* what, ONNXTensorElementDataType type) {
  bool is_complex = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 ||
                    type == ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128;
  return CORE_LIKELY(core_element_bits(type) != 0 && !is_complex)
             ? NULL
             : core_refuse_element_type(what, type);
}

/** A larger rank is taken for a mistake, and the dimensions are not read. */
#define CORE_LARGEST_RANK 65536

/** The status for too many dimensions; `name` is the argument with their number. */
CORE_COLD OrtStatus* core_refuse_rank(const char* name);

/** Returns NULL if the rank is allowed. */
static inline OrtStatus* core_check_rank(const char* name, size_t rank) {
  return CORE_LIKELY(rank <= CORE_LARGEST_RANK) ? NULL : core_refuse_rank(name);
}

/** The status for a shape that is not allowed. */
CORE_COLD OrtStatus* core_refuse_shape(bool is_negative, OrtErrorCode negative_code);

/** Computes elements and bytes of a shape. Negative dimensions fail with `negative_code`, an
 * overflow with ORT_FAIL. The caller has checked the element type. */
static inline OrtStatus* core_measure(ONNXTensorElementDataType type, const int64_t* dims,
                                      size_t rank, OrtErrorCode negative_code, size_t* count,
                                      size_t* bytes) {
  int64_t elements = 1;
  bool overflows = false;
  for (size_t i = 0; i < rank; i++) {
    CORE_RETURN_IF(dims[i] < 0, core_refuse_shape(true, negative_code));
    overflows |= __builtin_mul_overflow(elements, dims[i], &elements);
  }
  size_t bits = core_element_bits(type);
  size_t size = 0;
  if (CORE_LIKELY(bits >= 8)) {
    overflows |= __builtin_mul_overflow((size_t)elements, bits / 8, &size);
  } else {
    size_t in_a_byte = 8 / bits;
    size = (size_t)elements / in_a_byte + ((size_t)elements % in_a_byte != 0);
  }
  CORE_RETURN_IF(overflows, core_refuse_shape(false, negative_code));
  *count = (size_t)elements;
  *bytes = size;
  return NULL;
}

/* Tensors. */

/** Adds a reference to an allocator if it has a reference count; returns whether it did. */
bool core_keep_allocator(OrtAllocator* allocator);

/** Makes a tensor in memory of `allocator`. Elements are uninitialized, strings empty. */
OrtStatus* core_new_tensor(OrtAllocator* allocator, const int64_t* dims, size_t rank,
                           ONNXTensorElementDataType type, struct core_tensor** out);

/** Makes a tensor over the caller's bytes, without reading them. `info` is copied. */
OrtStatus* core_borrow_tensor(const OrtMemoryInfo* info, void* data, size_t size,
                              const int64_t* dims, size_t rank, ONNXTensorElementDataType type,
                              struct core_tensor** out);

/** Makes a copy of a tensor in memory of `allocator`. */
OrtStatus* core_copy_tensor(const struct core_tensor* from, OrtAllocator* allocator,
                            struct core_tensor** out);

/** Copies elements between tensors of one type and count, strings included. */
OrtStatus* core_copy_elements(const struct core_tensor* from, struct core_tensor* to);

static inline bool core_is_tensor(const OrtValue* value) {
  return core_type_of(value) == ONNX_TYPE_TENSOR;
}

/** Casts a value that is a dense tensor. */
static inline struct core_tensor* core_tensor_of(const OrtValue* value) {
  return (struct core_tensor*)core_target(value);
}

/** Whether a value is a dense tensor in memory that the CPU can read. */
static inline bool core_is_on_cpu(const OrtValue* value) {
  return core_is_tensor(value) && core_is_cpu_memory(&core_tensor_of(value)->info);
}

/** The memory of a dense tensor. An OrtMemoryDevice is a memory info whose name and allocator are
 * not compared. */
static inline const OrtMemoryDevice* core_memory_of(const OrtValue* value) {
  return (const OrtMemoryDevice*)&core_tensor_of(value)->info;
}

/** Casts a value to a dense tensor; for another kind a status with ORT_RUNTIME_EXCEPTION. */
OrtStatus* core_as_tensor(const OrtValue* value, struct core_tensor** out);

/** The shape of a dense or a sparse tensor; NULL for other kinds. */
static inline const struct core_shape* core_shape_of(const OrtValue* value) {
  return core_is_tensor(value) || core_type_of(value) == ONNX_TYPE_SPARSETENSOR
             ? &((const struct core_shaped*)core_target(value))->shape
             : NULL;
}

/** Whether a tensor that has elements was made over no memory, so that nobody can read them. */
static inline bool core_lacks_data(const struct core_tensor* tensor) {
  return tensor->data == NULL && tensor->bytes > 0;
}

/** Whether the tensor owns its bytes; it does not own a user's buffer. */
static inline bool core_owns_data(const struct core_tensor* tensor) {
  return tensor->owner != NULL;
}

/** Two tensors of rank 1 and of equal length: keys in ascending order, each once, and values. */
struct core_map {
  struct OrtValue base;
  struct core_tensor* keys;
  struct core_tensor* values;
};

/** All tensors of one element type, or all maps of one type and at least one of them. */
struct core_sequence {
  struct OrtValue base;
  /** That of the tensors; UNDEFINED for maps. */
  ONNXTensorElementDataType type;
  size_t count;
  OrtValue* elements[];
};

/** What ORTCORE_EMPTY_SEQUENCE is in ortcore.h. */
OrtStatus* ORT_API_CALL core_empty_sequence(ONNXTensorElementDataType type, OrtValue** out);

/** Makes an optional that holds nothing. One that holds something is the value that it holds. */
OrtStatus* core_empty_optional(OrtValue** out);

/** Adds a reference to the target, which is returned and which the caller must release. */
OrtValue* core_retain_value(const OrtValue* value);
