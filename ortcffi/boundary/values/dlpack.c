/* SPDX-License-Identifier: MIT */
/* Exports the memory of a value by DLPack. See dlpack.h. */
#include "boundary/values/values.h"

#include <stdlib.h>
#include <string.h>

#include "boundary/gil.h"
#include "boundary/values/dlpack.h"

/* The names of capsules. */
#define LEGACY "dltensor"
#define VERSIONED "dltensor_versioned"

/* The type codes of all elements but signed integers, whose code is 0. */
#define CODE(element, code) [ONNX_TENSOR_ELEMENT_DATA_TYPE_##element] = (code)
static const unsigned char codes[] = {
    CODE(UINT8, 1),       CODE(UINT16, 1),          CODE(UINT32, 1),
    CODE(UINT64, 1),      CODE(UINT4, 1),           CODE(UINT2, 1),
    CODE(FLOAT16, 2),     CODE(FLOAT, 2),           CODE(DOUBLE, 2),
    CODE(BFLOAT16, 4),    CODE(COMPLEX64, 5),       CODE(COMPLEX128, 5),
    CODE(BOOL, 6),        CODE(FLOAT8E4M3FN, 10),   CODE(FLOAT8E4M3FNUZ, 11),
    CODE(FLOAT8E5M2, 12), CODE(FLOAT8E5M2FNUZ, 13), CODE(FLOAT8E8M0, 14),
    CODE(FLOAT4E2M1, 17)};

int ortcffi_dl_kind(int element) {
  int bits = ortcffi_element_bits(element);
  return bits == 0 || (size_t)element >= sizeof codes ? 0 : codes[element] << 8 | bits;
}

static void end_legacy(void* managed) {
  ortcffi_dl_legacy* legacy = managed;
  if (legacy->deleter != NULL) {
    legacy->deleter(legacy);
  }
}

static void end_versioned(void* managed) {
  ortcffi_dl_versioned* versioned = managed;
  if (versioned->deleter != NULL) {
    versioned->deleter(versioned);
  }
}

void ortcffi_end_legacy(ortcffi_dl_legacy* managed) { call_with_gil(end_legacy, managed); }

void ortcffi_end_versioned(ortcffi_dl_versioned* managed) { call_with_gil(end_versioned, managed); }

/* The deleter of an exported tensor. Other libraries call it on any thread, at any time. */
static void return_value(void* owner, void* block) {
  call_with_gil(drop_reference, owner);
  free(block);
}

static void delete_legacy(ortcffi_dl_legacy* self) { return_value(self->owner, self); }
static void delete_versioned(ortcffi_dl_versioned* self) { return_value(self->owner, self); }

/* Destroys a capsule that was not consumed. */
static void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, LEGACY)) {
    end_legacy(PyCapsule_GetPointer(capsule, LEGACY));
  } else if (PyCapsule_IsValid(capsule, VERSIONED)) {
    end_versioned(PyCapsule_GetPointer(capsule, VERSIONED));
  }
}

/* `shape` has room for the strides, too. */
static void describe(const struct value* value, ortcffi_dl_tensor* out, int64_t* shape) {
  int64_t* strides = shape + value->rank;
  int64_t step = 1;
  for (size_t i = value->rank; i-- > 0;) {
    shape[i] = value->shape[i];
    strides[i] = step;
    step *= shape[i] > 0 ? shape[i] : 1;
  }
  *out = (ortcffi_dl_tensor){
      .data = value->data,
      .device_type = 1, /* the CPU */
      .rank = (int32_t)value->rank,
      .code = (uint8_t)(ortcffi_dl_kind(value->element) >> 8),
      .bits = (uint8_t)ortcffi_dl_kind(value->element),
      .lanes = 1,
      .shape = shape,
      .strides = strides,
  };
}

/* _capsule(versioned, copied): the memory of a tensor that is not one of strings. */
PyObject* ortcffi_value_capsule(PyObject* self, PyObject* arguments) {
  struct value* value = (struct value*)self;
  int is_versioned, is_copied;
  if (!PyArg_ParseTuple(arguments, "pp", &is_versioned, &is_copied) ||
      ortcffi_value_open(value) < 0 || ortcffi_value_data(value) < 0) {
    return NULL;
  }
  size_t head = is_versioned ? sizeof(ortcffi_dl_versioned) : sizeof(ortcffi_dl_legacy);
  char* block = calloc(1, head + 2 * value->rank * sizeof(int64_t));
  if (block == NULL) {
    return PyErr_NoMemory();
  }
  int64_t* shape = (int64_t*)(void*)(block + head);
  if (is_versioned) {
    ortcffi_dl_versioned* managed = (ortcffi_dl_versioned*)(void*)block;
    managed->major = 1;
    managed->minor = 1;
    managed->owner = self;
    managed->deleter = delete_versioned;
    managed->flags = (value->is_readonly ? (unsigned)ORTCFFI_DL_READ_ONLY : 0u) |
                     (is_copied ? (unsigned)ORTCFFI_DL_COPIED : 0u);
    describe(value, &managed->tensor, shape);
  } else {
    ortcffi_dl_legacy* managed = (ortcffi_dl_legacy*)(void*)block;
    managed->owner = self;
    managed->deleter = delete_legacy;
    describe(value, &managed->tensor, shape);
  }
  PyObject* capsule = PyCapsule_New(block, is_versioned ? VERSIONED : LEGACY, drop_capsule);
  if (capsule == NULL) {
    free(block);
    return NULL;
  }
  Py_INCREF(self);
  ortcffi_value_hold(value);
  return capsule;
}

PyObject* ortcffi_take_capsule(PyObject* module, PyObject* arguments) {
  PyObject *owner, *capsule;
  if (!PyArg_ParseTuple(arguments, "O!O", ortcffi_handle_type, &owner, &capsule)) {
    return NULL;
  }
  int is_versioned = PyCapsule_IsValid(capsule, VERSIONED);
  void* managed = PyCapsule_GetPointer(capsule, is_versioned ? VERSIONED : LEGACY);
  const char* used = is_versioned ? "used_" VERSIONED : "used_" LEGACY;
  if (managed == NULL || PyCapsule_SetName(capsule, used) != 0) {
    return NULL;
  }
  struct handle* handle = (struct handle*)owner;
  handle->object = managed;
  handle_made(handle);
  Py_RETURN_NONE;
}
