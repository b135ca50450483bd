/* SPDX-License-Identifier: MIT */
/* The attributes of a kernel's node. Numbers, texts and tensors of another type than the one that
 * is asked for are refused; arrays of another type are empty, as in the reference. */

#include "kernels/kernel.h"
#include "memory/allocator.h"

/* Finds an attribute; of another type than `type` it is NULL. */
static OrtStatus* find_attribute(const OrtKernelInfo* info, const char* name, OrtOpAttrType type,
                                 const OrtOpAttr** out) {
  CORE_REFUSE_IF(name == NULL, ORT_RUNTIME_EXCEPTION, "name must not be NULL");
  core_note_asked(info->node, type, name);
  const OrtOpAttr* attr = core_node_attribute(info->node, name);
  CORE_REFUSE_IF(attr == NULL, ORT_FAIL, "there is no attribute %s", name);
  *out = attr->type == type ? attr : NULL;
  return NULL;
}

/* The same where there must be one of that type. */
static OrtStatus* require(const OrtKernelInfo* info, const char* name, OrtOpAttrType type,
                          const OrtOpAttr** out) {
  CORE_TRY(find_attribute(info, name, type, out));
  return *out != NULL ? NULL : core_fail(ORT_FAIL, "the attribute is of another type: %s", name);
}

#define NUMBER_GETTER(NAME, type, kind)                                     \
  CORE_SLOT(NAME, const OrtKernelInfo* info, const char* name, type* out) { \
    const OrtOpAttr* attr = NULL;                                           \
    CORE_TRY(require(info, name, ORT_OP_ATTR_##kind, &attr));               \
    memcpy(out, core_op_attr_value(attr), sizeof *out);                     \
    return NULL;                                                            \
  }

NUMBER_GETTER(ort_KernelInfoGetAttribute_float, float, FLOAT)
NUMBER_GETTER(ort_KernelInfoGetAttribute_int64, int64_t, INT)

CORE_SLOT(ort_KernelInfoGetAttribute_string, const OrtKernelInfo* info, const char* name, char* out,
          size_t* size) {
  const OrtOpAttr* attr = NULL;
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
  CORE_REFUSE_IF(room < count, ORT_INVALID_ARGUMENT, "size is too small for the numbers");
  memcpy(out, core_op_attr_value(attr), attr->size);
  return NULL;
}

#define NUMBERS_GETTER(NAME, type, kind)                                                  \
  CORE_SLOT(NAME, const OrtKernelInfo* info, const char* name, type* out, size_t* size) { \
    const OrtOpAttr* attr = NULL;                                                         \
    CORE_TRY(find_attribute(info, name, ORT_OP_ATTR_##kind, &attr));                      \
    return give_numbers(attr, sizeof *out, out, size);                                    \
  }

NUMBERS_GETTER(ort_KernelInfoGetAttributeArray_float, float, FLOATS)
NUMBERS_GETTER(ort_KernelInfoGetAttributeArray_int64, int64_t, INTS)

CORE_SLOT(ort_KernelInfoGetAttribute_tensor, const OrtKernelInfo* info, const char* name,
          OrtAllocator* allocator, OrtValue** out) {
  const OrtOpAttr* attr = NULL;
  CORE_TRY(require(info, name, ORT_OP_ATTR_TENSOR, &attr));
  return core_copy_tensor((const struct core_tensor*)core_op_attr_tensor(attr), allocator,
                          (struct core_tensor**)out);
}

/* Copies texts that stand one after the other, each with its zero byte. */
static OrtStatus* give_strings(const char* texts, size_t count, OrtAllocator* allocator,
                               char*** out) {
  char** strings = allocator->Alloc(allocator, count * sizeof *strings);
  CORE_NEED_MEMORY(strings, count * sizeof *strings);
  for (size_t i = 0; i < count; i++, texts += strlen(texts) + 1) {
    strings[i] = (char*)texts;
  }
  CORE_TRY(core_copy_strings(allocator, strings, count));
  *out = strings;
  return NULL;
}

CORE_SLOT(ort_KernelInfoGetAttributeArray_string, const OrtKernelInfo* info, const char* name,
          OrtAllocator* allocator, char*** out, size_t* size) {
  const OrtOpAttr* attr = NULL;
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
