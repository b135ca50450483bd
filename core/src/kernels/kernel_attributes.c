/* SPDX-License-Identifier: MIT */
/* The attributes of a kernel's node. Numbers, texts and tensors of another type than the one that
 * is asked for are refused; arrays of another type are empty, as in the reference. */
#include <string.h>

#include "heap/heap.h"
#include "kernels/kernel.h"

/* Finds an attribute; of another type than `type` it is NULL. */
static OrtStatus* find_attribute(const OrtKernelInfo* info, const char* name, OrtOpAttrType type,
                                 const OrtOpAttr** out) {
  CORE_RETURN_IF(name == NULL, core_fail(ORT_RUNTIME_EXCEPTION, "name must not be NULL"));
  core_note_asked(info->node, type, name);
  const OrtOpAttr* attr = core_node_attribute(info->node, name);
  CORE_RETURN_IF(attr == NULL, core_fail(ORT_FAIL, "there is no attribute %s", name));
  *out = attr->type == type ? attr : NULL;
  return NULL;
}

/* The same where there must be one of that type. */
static OrtStatus* require(const OrtKernelInfo* info, const char* name, OrtOpAttrType type,
                          const OrtOpAttr** out) {
  CORE_TRY(find_attribute(info, name, type, out));
  return *out != NULL ? NULL : core_fail(ORT_FAIL, "the attribute is of another type: %s", name);
}

CORE_SLOT(ort_KernelInfoGetAttribute_float, const OrtKernelInfo* info, const char* name,
          float* out) {
  const OrtOpAttr* attr = NULL;
  CORE_REQUIRE_KERNEL_INFO(KernelInfoGetAttribute_float);
  CORE_TRY(require(info, name, ORT_OP_ATTR_FLOAT, &attr));
  memcpy(out, core_op_attr_value(attr), sizeof *out);
  return NULL;
}

CORE_SLOT(ort_KernelInfoGetAttribute_int64, const OrtKernelInfo* info, const char* name,
          int64_t* out) {
  const OrtOpAttr* attr = NULL;
  CORE_REQUIRE_KERNEL_INFO(KernelInfoGetAttribute_int64);
  CORE_TRY(require(info, name, ORT_OP_ATTR_INT, &attr));
  memcpy(out, core_op_attr_value(attr), sizeof *out);
  return NULL;
}

CORE_SLOT(ort_KernelInfoGetAttribute_string, const OrtKernelInfo* info, const char* name, char* out,
          size_t* size) {
  const OrtOpAttr* attr = NULL;
  CORE_REQUIRE_KERNEL_INFO(KernelInfoGetAttribute_string);
  CORE_TRY(require(info, name, ORT_OP_ATTR_STRING, &attr));
  return core_give_text(core_op_attr_value(attr), attr->size, out, size);
}

static OrtStatus* give_numbers(const OrtOpAttr* attr, size_t each, void* out, size_t* size) {
  size_t room = *size;
  size_t count = attr != NULL ? attr->size / each : 0;
  *size = count;
  if (out == NULL || count == 0) {
    return NULL;
  }
  CORE_RETURN_IF(room < count,
                 core_fail(ORT_INVALID_ARGUMENT, "size is too small for the numbers"));
  memcpy(out, core_op_attr_value(attr), attr->size);
  return NULL;
}

CORE_SLOT(ort_KernelInfoGetAttributeArray_float, const OrtKernelInfo* info, const char* name,
          float* out, size_t* size) {
  const OrtOpAttr* attr = NULL;
  CORE_REQUIRE_KERNEL_INFO(KernelInfoGetAttributeArray_float);
  CORE_TRY(find_attribute(info, name, ORT_OP_ATTR_FLOATS, &attr));
  return give_numbers(attr, sizeof *out, out, size);
}

CORE_SLOT(ort_KernelInfoGetAttributeArray_int64, const OrtKernelInfo* info, const char* name,
          int64_t* out, size_t* size) {
  const OrtOpAttr* attr = NULL;
  CORE_REQUIRE_KERNEL_INFO(KernelInfoGetAttributeArray_int64);
  CORE_TRY(find_attribute(info, name, ORT_OP_ATTR_INTS, &attr));
  return give_numbers(attr, sizeof *out, out, size);
}

CORE_SLOT(ort_KernelInfoGetAttribute_tensor, const OrtKernelInfo* info, const char* name,
          OrtAllocator* allocator, OrtValue** out) {
  const OrtOpAttr* attr = NULL;
  CORE_REQUIRE_KERNEL_INFO(KernelInfoGetAttribute_tensor);
  CORE_TRY(require(info, name, ORT_OP_ATTR_TENSOR, &attr));
  return core_copy_tensor((const struct core_tensor*)core_op_attr_tensor(attr), allocator,
                          (struct core_tensor**)out);
}

/* Frees the first strings of an array, and the array. */
static void free_strings(OrtAllocator* allocator, char** strings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    allocator->Free(allocator, strings[i]);
  }
  allocator->Free(allocator, strings);
}

/* Copies texts that stand one after the other, each with its zero byte. */
static OrtStatus* give_strings(const char* texts, size_t count, OrtAllocator* allocator,
                               char*** out) {
  char** strings = allocator->Alloc(allocator, count * sizeof *strings);
  CORE_RETURN_IF(strings == NULL, core_no_memory(count * sizeof *strings));
  for (size_t i = 0; i < count; i++) {
    size_t size = strlen(texts) + 1;
    strings[i] = allocator->Alloc(allocator, size);
    if (strings[i] == NULL) {
      free_strings(allocator, strings, i);
      return core_no_memory(size);
    }
    memcpy(strings[i], texts, size);
    texts += size;
  }
  *out = strings;
  return NULL;
}

CORE_SLOT(ort_KernelInfoGetAttributeArray_string, const OrtKernelInfo* info, const char* name,
          OrtAllocator* allocator, char*** out, size_t* size) {
  const OrtOpAttr* attr = NULL;
  CORE_REQUIRE_KERNEL_INFO(KernelInfoGetAttributeArray_string);
  CORE_TRY(find_attribute(info, name, ORT_OP_ATTR_STRINGS, &attr));
  const char* texts = attr != NULL ? core_op_attr_value(attr) : NULL;
  size_t count = 0;
  for (size_t i = 0; attr != NULL && i < attr->size; i++) {
    count += texts[i] == '\0';
  }
  char** strings = NULL;
  if (out != NULL && count > 0) {
    CORE_FAIL_IF(allocator == NULL || allocator->Alloc == NULL || allocator->Free == NULL, ORT_FAIL,
                 "KernelInfoGetAttributeArray_string: allocator must allocate and free");
    CORE_TRY(give_strings(texts, count, allocator, &strings));
  }
  if (out != NULL) {
    *out = strings;
  }
  *size = count;
  return NULL;
}
