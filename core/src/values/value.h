/* SPDX-License-Identifier: MIT */
/**
 * @file value.h
 * What is behind OrtValue: dense tensors here, sequences and maps in containers.h, sparse tensors
 * in sparse.h. Each kind is a struct that begins with struct OrtValue.
 *
 * Functions that make values take the name of the slot that they work for, which their statuses
 * begin with.
 */
#ifndef ORTCFFI_VALUE_H_
#define ORTCFFI_VALUE_H_

#include "core.h"
#include "memory/memory_info.h"

struct OrtValue {
  enum ONNXType kind;
  /** How many hold it; core_retain_value and ReleaseValue count. */
  uint32_t references;
};

/** Element type and shape, of dense and sparse tensors alike. */
struct core_shape {
  ONNXTensorElementDataType type;
  size_t rank;
  /** Elements in all. */
  size_t count;
  /** Belongs to the value; `rank` numbers from 0 on. */
  const int64_t* dims;
};

struct core_shaped {
  struct OrtValue base;
  struct core_shape shape;
};

struct core_tensor {
  struct OrtValue base;
  struct core_shape shape;
  /** NULL for an allocated tensor without elements. */
  void* data;
  /** Of `data`; elements of strings count as core_string. */
  size_t bytes;
  /** Whose Free gets `data` at the end, for which it must live; NULL where `data` is borrowed. */
  OrtAllocator* owner;
  /** Whether the tensor holds a reference to `owner`. Allocators that do not count references may
   * be gone after their last Free, so they cannot be asked then. */
  bool keeps_owner;
  /** Of strings only: the block that holds the texts of one fill, its size, and whether a client
   * may change the elements as std::string, so that each needs memory of malloc. */
  char* texts;
  size_t texts_size;
  bool is_exposed;
  struct OrtMemoryInfo info;
};

/** @name Elements
 * @{ */

/** The types up to here have bits. */
#define CORE_ELEMENT_TYPES 27
extern const uint16_t core_bits_of_elements[CORE_ELEMENT_TYPES];

/** Bits of an element in memory; 0 for types that tensors cannot have. */
static inline size_t core_element_bits(ONNXTensorElementDataType type) {
  return CORE_LIKELY((size_t)type < CORE_ELEMENT_TYPES) ? core_bits_of_elements[type] : 0;
}

/** Why tensors cannot have an element type; `what` is "tensor" or the like. */
CORE_COLD OrtStatus* core_refuse_element_type(const char* function, const char* what,
                                              ONNXTensorElementDataType type);

/** NULL if tensors can have an element type. */
static inline OrtStatus* core_check_element_type(const char* function, const char* what,
                                                 ONNXTensorElementDataType type) {
  return CORE_LIKELY(core_element_bits(type) != 0) ? NULL
                                                   : core_refuse_element_type(function, what, type);
}

/** No client has tensors of more dimensions; what claims to be one is a mistake, better not read.
 */
#define CORE_LARGEST_RANK 65536

/** Why there cannot be that many dimensions; `name` is the argument that tells them. */
CORE_COLD OrtStatus* core_refuse_rank(const char* function, const char* name);

/** NULL if there can be. */
static inline OrtStatus* core_check_rank(const char* function, const char* name, size_t rank) {
  return CORE_LIKELY(rank <= CORE_LARGEST_RANK) ? NULL : core_refuse_rank(function, name);
}

/** Why a shape cannot be. */
CORE_COLD OrtStatus* core_refuse_shape(const char* function, bool is_negative,
                                       OrtErrorCode negative_code);

/** Elements and bytes of a shape. Negative dimensions are `negative_code`, an overflow ORT_FAIL;
 * the element type was checked. */
static inline OrtStatus* core_measure(const char* function, ONNXTensorElementDataType type,
                                      const int64_t* dims, size_t rank, OrtErrorCode negative_code,
                                      size_t* count, size_t* bytes) {
  int64_t elements = 1;
  bool overflows = false;
  for (size_t i = 0; i < rank; i++) {
    if (CORE_UNLIKELY(dims[i] < 0)) {
      return core_refuse_shape(function, true, negative_code);
    }
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
  if (CORE_UNLIKELY(overflows)) {
    return core_refuse_shape(function, false, negative_code);
  }
  *count = (size_t)elements;
  *bytes = size;
  return NULL;
}
/** @} */

/** @name Tensors
 * @{ */

/** Adds a reference to an allocator if that counts them; whether it did. */
bool core_keep_allocator(OrtAllocator* allocator);

/** A tensor whose bytes come from `allocator`: not set, strings empty. */
OrtStatus* core_new_tensor(const char* function, OrtAllocator* allocator, const int64_t* dims,
                           size_t rank, ONNXTensorElementDataType type, struct core_tensor** out);

/** A tensor over the caller's bytes, which are not looked at. `info` is copied. */
OrtStatus* core_borrow_tensor(const char* function, const OrtMemoryInfo* info, void* data,
                              size_t size, const int64_t* dims, size_t rank,
                              ONNXTensorElementDataType type, struct core_tensor** out);

/** A tensor with the elements of another, in memory of `allocator`. */
OrtStatus* core_copy_tensor(const char* function, const struct core_tensor* from,
                            OrtAllocator* allocator, struct core_tensor** out);

/** Copies elements between tensors of one type and count, strings included. */
OrtStatus* core_copy_elements(const char* function, const struct core_tensor* from,
                              struct core_tensor* to);

static inline bool core_is_tensor(const OrtValue* value) { return value->kind == ONNX_TYPE_TENSOR; }

/** A value as a tensor; for another kind a status with ORT_RUNTIME_EXCEPTION. */
OrtStatus* core_as_tensor(const char* function, const OrtValue* value, struct core_tensor** out);

/** The shape of a dense or a sparse tensor; NULL for other kinds. */
static inline const struct core_shape* core_shape_of(const OrtValue* value) {
  return core_is_tensor(value) || value->kind == ONNX_TYPE_SPARSETENSOR
             ? &((const struct core_shaped*)value)->shape
             : NULL;
}

/** Whether a tensor's bytes are the core's to free; those of a user's buffer are not. */
static inline bool core_owns_data(const struct core_tensor* tensor) {
  return tensor->owner != NULL;
}
/** @} */

/** Ends a tensor that nobody holds any longer. */
void core_end_tensor(struct core_tensor* tensor);

/** One more holder, who calls ReleaseValue once more. */
OrtValue* core_retain_value(const OrtValue* value);

/** @name Elements of string tensors
 * Laid out as std::string of libstdc++: clients in C++ read the elements as such, and pass arrays
 * of them. With another C++ library, such buffers must not be passed. The texts of a fill stand in
 * one block of the heap; elements that a client may assign to have memory of malloc, as operator
 * new has.
 * @{ */
struct core_string {
  /** `local`, or a block of malloc, or a place in the tensor's `texts`. A zero byte follows the
   * text. NULL in a zeroed buffer. */
  char* text;
  size_t length;
  union {
    char local[16];
    size_t capacity;
  };
};

void core_strings_begin(struct core_string* strings, size_t count);
/** Sets an element that is not in `texts`; false where there is no memory, with the element as it
 * was. */
bool core_string_assign(struct core_string* string, const char* text, size_t length);
/** The text of an element. One of a zeroed buffer is empty. Another thread may expose the tensor
 * meanwhile, which moves the text. */
static inline const char* core_string_text(const struct core_string* string) {
  return string->length > 0 ? __atomic_load_n(&string->text, __ATOMIC_ACQUIRE) : "";
}

/** One of the texts that a tensor is to be filled with. */
struct core_span {
  const char* bytes;
  size_t length;
};

/** Sets all elements, or none; `size` is that of all texts and a zero byte for each. */
OrtStatus* core_fill_strings(const char* function, struct core_tensor* tensor,
                             const struct core_span* texts, size_t size);
/** Sets an element of a tensor. */
OrtStatus* core_set_string(const char* function, struct core_tensor* tensor, size_t index,
                           const char* text, size_t length);
/** Cuts an element, or lengthens it with zero bytes. */
OrtStatus* core_resize_string(const char* function, struct core_tensor* tensor, size_t index,
                              size_t length);
/** Copies all strings of a tensor into another of as many. */
OrtStatus* core_copy_strings(const char* function, const struct core_tensor* from,
                             struct core_tensor* to);
/** Gives every element memory of its own before a client gets at the elements. */
OrtStatus* core_expose_strings(const char* function, struct core_tensor* tensor);
/** Frees the texts of a tensor that ends. */
void core_end_strings(struct core_tensor* tensor);
/** @} */

#endif /* ORTCFFI_VALUE_H_ */
