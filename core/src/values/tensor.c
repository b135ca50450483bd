/* SPDX-License-Identifier: MIT */
/* Dense tensors: creation, release, and reading. */

#include "memory/allocator.h"
#include "values/value.h"

static OrtStatus* check_shape(const int64_t* dims, size_t rank) {
  CORE_REFUSE_IF(dims == NULL && rank > 0, ORT_INVALID_ARGUMENT, "shape must not be NULL");
  return core_check_rank("shape_len", rank);
}

static void end_tensor(void* block) {
  struct core_tensor* tensor = block;
  if (tensor->owner != NULL) {
    if (tensor->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
      core_strings_end(&tensor->strings);
    }
    /* Also for NULL: the call tells a client's deleter that the tensor ended. */
    tensor->owner->Free(tensor->owner, tensor->data);
    if (CORE_UNLIKELY(tensor->keeps_owner)) {
      core_allocator_release(tensor->owner);
    }
  }
}

static const struct core_class tensor_class = {.kind = CORE_VALUE, .end = end_tensor};

/* Makes a tensor without data; its dimensions and the name of its memory are behind it in the same
 * block. NULL when out of memory. */
static inline CORE_INLINE struct core_tensor* new_shell(const OrtMemoryInfo* info,
                                                        const int64_t* dims, size_t rank) {
  size_t extra = core_memory_info_extra(info);
  size_t size = sizeof(struct core_tensor) + rank * sizeof *dims + extra;
  struct core_tensor* tensor =
      CORE_LIKELY(size <= HEAP_SMALL) ? heap_alloc_object(size) : heap_alloc(size);
  if (CORE_UNLIKELY(tensor == NULL)) {
    return NULL;
  }
  int64_t* kept = (int64_t*)(tensor + 1);
  for (size_t i = 0; i < rank; i++) {
    kept[i] = dims[i];
  }
  core_begin_value(&tensor->base, &tensor_class, ONNX_TYPE_TENSOR);
  tensor->shape.rank = rank;
  tensor->shape.dims = kept;
  core_embed_memory_info(info, &tensor->info, kept + rank, extra);
  return tensor;
}

static OrtStatus* info_of_allocator(const OrtAllocator* allocator, const OrtMemoryInfo** out) {
  const OrtMemoryInfo* info = allocator->Info != NULL ? allocator->Info(allocator) : NULL;
  CORE_REFUSE_IF(!core_is_memory_info(info), ORT_INVALID_ARGUMENT,
                 "the allocator's Info answers no OrtMemoryInfo of this library");
  CORE_REFUSE_IF(allocator->Free == NULL, ORT_INVALID_ARGUMENT, "the allocator has no Free");
  *out = info;
  return NULL;
}

bool core_keep_allocator(OrtAllocator* allocator) {
  bool counts = core_is_adaptor(allocator);
  if (CORE_UNLIKELY(counts)) {
    core_allocator_retain(allocator);
  }
  return counts;
}

OrtStatus* core_new_tensor(OrtAllocator* allocator, const int64_t* dims, size_t rank,
                           ONNXTensorElementDataType type, struct core_tensor** out) {
  const OrtMemoryInfo* info = NULL;
  size_t count = 0;
  size_t bytes = 0;
  if (CORE_UNLIKELY(core_element_bits(type) == 0)) {
    return core_refuse_element_type("tensor", type);
  }
  CORE_TRY(check_shape(dims, rank));
  CORE_TRY(core_measure(type, dims, rank, ORT_FAIL, &count, &bytes));
  CORE_TRY(info_of_allocator(allocator, &info));
  CORE_REFUSE_IF(allocator->Alloc == NULL, ORT_INVALID_ARGUMENT, "the allocator has no Alloc");
  /* First, since an allocator of another library may throw. */
  void* data = bytes > 0 ? allocator->Alloc(allocator, bytes) : NULL;
  CORE_RETURN_IF(data == NULL && bytes > 0, core_no_memory(bytes));
  struct core_tensor* tensor = new_shell(info, dims, rank);
  if (CORE_UNLIKELY(tensor == NULL)) {
    if (data != NULL) {
      allocator->Free(allocator, data);
    }
    return core_no_memory(sizeof *tensor);
  }
  tensor->shape.type = type;
  tensor->shape.count = count;
  tensor->data = data;
  tensor->bytes = bytes;
  tensor->owner = allocator;
  tensor->keeps_owner = core_keep_allocator(allocator);
  if (CORE_UNLIKELY(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)) {
    core_strings_begin(&tensor->strings, data, count);
    core_strings_clear(data, count);
  }
  *out = tensor;
  return NULL;
}

static OrtStatus* over_bytes(const OrtMemoryInfo* info, void* data, size_t size,
                             const int64_t* dims, size_t rank, ONNXTensorElementDataType type,
                             struct core_tensor** out) {
  size_t count = 0;
  size_t bytes = 0;
  if (CORE_UNLIKELY(core_element_bits(type) == 0)) {
    return core_refuse_element_type("tensor", type);
  }
  CORE_TRY(check_shape(dims, rank));
  CORE_TRY(core_measure(type, dims, rank, ORT_INVALID_ARGUMENT, &count, &bytes));
  CORE_REFUSE_IF(size < bytes, ORT_INVALID_ARGUMENT, "p_data_len must be at least %zu, but is %zu",
                 bytes, size);
  struct core_tensor* tensor = new_shell(info, dims, rank);
  CORE_NEED_MEMORY(tensor, sizeof *tensor);
  tensor->shape.type = type;
  tensor->shape.count = count;
  tensor->data = data;
  tensor->bytes = bytes;
  tensor->owner = NULL;
  tensor->keeps_owner = false;
  if (CORE_UNLIKELY(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)) {
    core_strings_begin(&tensor->strings, data, count);
  }
  *out = tensor;
  return NULL;
}

OrtStatus* core_borrow_tensor(const OrtMemoryInfo* info, void* data, size_t size,
                              const int64_t* dims, size_t rank, ONNXTensorElementDataType type,
                              struct core_tensor** out) {
  CORE_REFUSE_IF(!core_is_memory_info(info), ORT_INVALID_ARGUMENT,
                 "info must be an OrtMemoryInfo of this library");
  return over_bytes(info, data, size, dims, rank, type, out);
}

OrtStatus* core_copy_elements(const struct core_tensor* from, struct core_tensor* to) {
  if (from->shape.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    if (from->data != NULL && to->data != NULL) {
      memmove(to->data, from->data, from->bytes);
    }
    return NULL;
  }
  return core_strings_copy(&from->strings, &to->strings);
}

OrtStatus* core_copy_tensor(const struct core_tensor* from, OrtAllocator* allocator,
                            struct core_tensor** out) {
  struct core_tensor* copy = NULL;
  CORE_TRY(core_new_tensor(allocator, from->shape.dims, from->shape.rank, from->shape.type, &copy));
  CORE_TRY_OR(core_copy_elements(from, copy), ort_ReleaseValue(&copy->base));
  *out = copy;
  return NULL;
}

CORE_SLOT(ort_CreateTensorAsOrtValue, OrtAllocator* allocator, const int64_t* shape,
          size_t shape_len, ONNXTensorElementDataType type, OrtValue** out) {
  CORE_TRY(core_check_element_type("tensor", type));
  return core_new_tensor(allocator, shape, shape_len, type, (struct core_tensor**)out);
}

CORE_SLOT(ort_CreateTensorWithDataAsOrtValue, const OrtMemoryInfo* info, void* p_data,
          size_t p_data_len, const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type,
          OrtValue** out) {
  CORE_TRY(core_check_element_type("tensor", type));
  return core_borrow_tensor(info, p_data, p_data_len, shape, shape_len, type,
                            (struct core_tensor**)out);
}

CORE_SLOT(ort_CreateTensorWithDataAndDeleterAsOrtValue, OrtAllocator* deleter, void* p_data,
          size_t p_data_len, const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type,
          OrtValue** out) {
  const OrtMemoryInfo* info = NULL;
  struct core_tensor* tensor = NULL;
  CORE_TRY(core_check_element_type("tensor", type));
  CORE_TRY(info_of_allocator(deleter, &info));
  CORE_TRY(over_bytes(info, p_data, p_data_len, shape, shape_len, type, &tensor));
  tensor->owner = deleter;
  tensor->keeps_owner = core_keep_allocator(deleter);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING && p_data != NULL) {
    core_strings_clear(p_data, tensor->shape.count);
  }
  *out = &tensor->base;
  return NULL;
}

OrtStatus* core_as_tensor(const OrtValue* value, struct core_tensor** out) {
  if (CORE_UNLIKELY(!core_is_tensor(value))) {
    const char* reason = core_type_of(value) == ONNX_TYPE_UNKNOWN
                             ? "value is used after the call that it was valid for"
                             : "value must be a tensor";
    return core_fail(core_type_of(value) == ONNX_TYPE_MAP ? ORT_FAIL : ORT_RUNTIME_EXCEPTION, "%s",
                     reason);
  }
  *out = core_tensor_of(value);
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetTensorMutableData, OrtValue* value, void** out) {
  CORE_REQUIRE(GetTensorMutableData, value, out);
  struct core_tensor* tensor = NULL;
  CORE_TRY(core_named("GetTensorMutableData", core_as_tensor(value, &tensor)));
  *out = tensor->data;
  return NULL;
}

CORE_SLOT(ort_GetTensorData, const OrtValue* value, const void** out) {
  struct core_tensor* tensor = NULL;
  CORE_TRY(core_as_tensor(value, &tensor));
  *out = tensor->data;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_GetTensorMemoryInfo, const OrtValue* value,
                    const OrtMemoryInfo** mem_info) {
  CORE_REQUIRE(GetTensorMemoryInfo, value, mem_info);
  struct core_tensor* tensor = NULL;
  CORE_TRY(core_named("GetTensorMemoryInfo", core_as_tensor(value, &tensor)));
  *mem_info = &tensor->info;
  return NULL;
}

CORE_SLOT(ort_GetTensorSizeInBytes, const OrtValue* ort_value, size_t* size) {
  CORE_FAIL_IF(!core_is_tensor(ort_value), ORT_INVALID_ARGUMENT,
               "GetTensorSizeInBytes: ort_value must be a tensor");
  const struct core_tensor* tensor = core_tensor_of(ort_value);
  CORE_FAIL_IF(tensor->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, ORT_INVALID_ARGUMENT,
               "GetTensorSizeInBytes: ort_value must not be a tensor of strings");
  *size = tensor->bytes;
  return NULL;
}

/* Computes the row-major index of an element. */
static OrtStatus* locate(const struct core_shape* shape, const int64_t* location, size_t count,
                         size_t* out) {
  CORE_FAIL_IF(count != shape->rank, ORT_INVALID_ARGUMENT,
               "TensorAt: location_values_count must be the number of dimensions");
  size_t place = 0;
  for (size_t i = 0; i < count; i++) {
    CORE_FAIL_IF(location[i] < 0 || location[i] >= shape->dims[i], ORT_INVALID_ARGUMENT,
                 "TensorAt: location_values is outside of the tensor");
    place = place * (size_t)shape->dims[i] + (size_t)location[i];
  }
  *out = place;
  return NULL;
}

CORE_SLOT(ort_TensorAt, OrtValue* value, const int64_t* location_values,
          size_t location_values_count, void** out) {
  CORE_REQUIRE_IF(location_values_count > 0, TensorAt, location_values);
  struct core_tensor* tensor = NULL;
  size_t place = 0;
  CORE_TRY(core_as_tensor(value, &tensor));
  CORE_FAIL_IF(tensor->shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, ORT_INVALID_ARGUMENT,
               "TensorAt: value must not be a tensor of strings");
  size_t bits = core_element_bits(tensor->shape.type);
  CORE_FAIL_IF(bits < 8, ORT_INVALID_ARGUMENT,
               "TensorAt: value must have elements of whole bytes; packed ones have no address");
  CORE_TRY(locate(&tensor->shape, location_values, location_values_count, &place));
  *out = (char*)tensor->data + place * (bits / 8);
  return NULL;
}
