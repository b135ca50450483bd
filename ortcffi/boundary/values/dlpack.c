/* SPDX-License-Identifier: MIT */
/*
 * DLPack, version 1.1 and the capsules of before version 1.0: the memory of a value for others, and
 * that of others for a value. See values.h.
 *
 *   Loan(capsule)
 *       Takes over what a capsule of another's holds, and gives it back when it goes.
 *   Loan.facts
 *       (address, shape, strides or None, element type, readonly, (device type, device id))
 */
#include <stdlib.h>
#include <string.h>

#include "boundary/values/values.h"

/* The structs of the protocol, under names of our own. */
struct dl_tensor {
  void* data;
  int32_t device_type, device_id;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides; /* in elements; NULL for C order, before version 1.2 */
  uint64_t byte_offset;
};

struct legacy {
  struct dl_tensor tensor;
  void* owner;
  void (*deleter)(struct legacy* self);
};

struct versioned {
  uint32_t major, minor;
  void* owner;
  void (*deleter)(struct versioned* self);
  uint64_t flags;
  struct dl_tensor tensor;
};

enum { FLAG_READ_ONLY = 1, FLAG_COPIED = 2, FLAG_PADDED = 4 };
enum { DEVICE_CPU = 1 };
enum { OUTSIDE_NUMPY = 4 }; /* type codes from here on: bfloat16, complex, bool and narrow floats */
enum { MOST_DIMENSIONS = 64 }; /* NumPy has arrays of no more */

static const char LEGACY[] = "dltensor", VERSIONED[] = "dltensor_versioned";

static const struct {
  uint8_t code, bits;
} kinds[] = {
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8] = {0, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16] = {0, 16},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32] = {0, 32},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64] = {0, 64},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4] = {0, 4},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2] = {0, 2},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8] = {1, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16] = {1, 16},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32] = {1, 32},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64] = {1, 64},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4] = {1, 4},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2] = {1, 2},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16] = {2, 16},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT] = {2, 32},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE] = {2, 64},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16] = {4, 16},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64] = {5, 64},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128] = {5, 128},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL] = {6, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN] = {10, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ] = {11, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2] = {12, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ] = {13, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0] = {14, 8},
    [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1] = {17, 4},
};

/* --- exporting --------------------------------------------------------------------------------*/

/* Another library has finished with the memory of a value: on any thread, at any time. */
static void return_value(void* owner, void* block) {
  if (Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    Py_DECREF((PyObject*)owner);
    PyErr_Restore(type, error, traceback);
    PyGILState_Release(state);
  }
  free(block);
}

static void delete_legacy(struct legacy* self) { return_value(self->owner, self); }
static void delete_versioned(struct versioned* self) { return_value(self->owner, self); }

/* Destroys a capsule that nobody consumed. */
static void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, LEGACY)) {
    struct legacy* legacy = PyCapsule_GetPointer(capsule, LEGACY);
    legacy->deleter(legacy);
  } else if (PyCapsule_IsValid(capsule, VERSIONED)) {
    struct versioned* versioned = PyCapsule_GetPointer(capsule, VERSIONED);
    versioned->deleter(versioned);
  }
}

/* `shape` has room for the strides, too. */
static void describe(const struct value* value, struct dl_tensor* out, int64_t* shape) {
  int64_t* strides = shape + value->rank;
  int64_t step = 1;
  for (size_t i = value->rank; i-- > 0;) {
    shape[i] = value->shape[i];
    strides[i] = step;
    step *= shape[i] > 0 ? shape[i] : 1;
  }
  *out = (struct dl_tensor){
      .data = value->data,
      .device_type = DEVICE_CPU,
      .rank = (int32_t)value->rank,
      .code = kinds[value->element].code,
      .bits = kinds[value->element].bits,
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
  size_t head = is_versioned ? sizeof(struct versioned) : sizeof(struct legacy);
  char* block = calloc(1, head + 2 * value->rank * sizeof(int64_t));
  if (block == NULL) {
    return PyErr_NoMemory();
  }
  int64_t* shape = (int64_t*)(void*)(block + head);
  if (is_versioned) {
    struct versioned* managed = (struct versioned*)(void*)block;
    managed->major = 1;
    managed->minor = 1;
    managed->owner = self;
    managed->deleter = delete_versioned;
    managed->flags = (value->is_readonly ? FLAG_READ_ONLY : 0u) | (is_copied ? FLAG_COPIED : 0u);
    describe(value, &managed->tensor, shape);
  } else {
    struct legacy* managed = (struct legacy*)(void*)block;
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
  value->is_lent = 1;
  return capsule;
}

/* --- importing ---------------------------------------------------------------------------------*/

struct loan {
  PyObject base;
  struct legacy* legacy;
  struct versioned* versioned;
};

static PyTypeObject* loan_type;

static PyObject* loan_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject* capsule;
  if (!PyArg_ParseTuple(arguments, "O", &capsule)) {
    return NULL;
  }
  int is_versioned = PyCapsule_IsValid(capsule, VERSIONED);
  if (!is_versioned && !PyCapsule_IsValid(capsule, LEGACY)) {
    PyErr_SetString(PyExc_BufferError, "__dlpack__ gave no capsule of a tensor, or a used one");
    return NULL;
  }
  void* managed = PyCapsule_GetPointer(capsule, is_versioned ? VERSIONED : LEGACY);
  if (is_versioned && ((struct versioned*)managed)->major != 1) {
    PyErr_Format(PyExc_BufferError, "__dlpack__ gave a tensor of DLPack %u, not of 1",
                 ((struct versioned*)managed)->major);
    return NULL;
  }
  struct loan* loan = PyObject_New(struct loan, type);
  if (loan != NULL) {
    loan->versioned = is_versioned ? managed : NULL;
    loan->legacy = is_versioned ? NULL : managed;
    PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor");
  }
  return (PyObject*)loan;
}

static void loan_dealloc(PyObject* self) {
  struct loan* loan = (struct loan*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject *kind, *error, *traceback;
  PyErr_Fetch(&kind, &error, &traceback);
  if (loan->legacy != NULL && loan->legacy->deleter != NULL) {
    loan->legacy->deleter(loan->legacy);
  }
  if (loan->versioned != NULL && loan->versioned->deleter != NULL) {
    loan->versioned->deleter(loan->versioned);
  }
  PyErr_Restore(kind, error, traceback);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* tuple_of(const int64_t* numbers, int32_t count) {
  if (numbers == NULL) {
    return Py_NewRef(Py_None);
  }
  PyObject* tuple = PyTuple_New(count);
  for (int32_t i = 0; tuple != NULL && i < count; i++) {
    PyObject* number = PyLong_FromLongLong(numbers[i]);
    if (number == NULL) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, i, number);
    }
  }
  return tuple;
}

/* 0 if tensors cannot have such elements. */
static int element_of(const struct dl_tensor* tensor, int is_padded) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    int is_same = kinds[i].bits == tensor->bits && kinds[i].code == tensor->code;
    if (is_same && tensor->bits > 0 && tensor->lanes == 1 && !(is_padded && tensor->bits < 8)) {
      return (int)i;
    }
  }
  return 0;
}

static int is_sound(const struct dl_tensor* tensor) {
  int is_empty = 0;
  if (tensor->rank < 0 || tensor->rank > MOST_DIMENSIONS ||
      (tensor->rank > 0 && tensor->shape == NULL)) {
    return 0;
  }
  for (int32_t i = 0; i < tensor->rank; i++) {
    if (tensor->shape[i] < 0) {
      return 0;
    }
    is_empty |= tensor->shape[i] == 0;
  }
  return tensor->data != NULL || is_empty;
}

static PyObject* loan_facts(PyObject* self, void* unused) {
  (void)unused;
  const struct loan* loan = (struct loan*)self;
  uint64_t flags = loan->versioned == NULL ? 0 : loan->versioned->flags;
  const struct dl_tensor* tensor =
      loan->versioned == NULL ? &loan->legacy->tensor : &loan->versioned->tensor;
  if (!is_sound(tensor)) {
    PyErr_SetString(
        PyExc_BufferError,
        "x: __dlpack__ gave a tensor without a shape or memory, or of too many dimensions");
    return NULL;
  }
  PyObject* shape = tuple_of(tensor->rank == 0 ? (int64_t[]){0} : tensor->shape, tensor->rank);
  PyObject* strides = tuple_of(tensor->strides, tensor->rank);
  if (shape == NULL || strides == NULL) {
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return NULL;
  }
  unsigned long long address = (uintptr_t)tensor->data + tensor->byte_offset;
  int element = element_of(tensor, (flags & FLAG_PADDED) != 0);
  PyObject* readonly = flags & FLAG_READ_ONLY ? Py_True : Py_False;
  return Py_BuildValue("KNNiO(ii)", tensor->data == NULL ? 0ULL : address, shape, strides, element,
                       readonly, tensor->device_type, tensor->device_id);
}

static int is_c_contiguous(const struct dl_tensor* tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor->rank; tensor->strides != NULL && i-- > 0;) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != expected) {
      return 0;
    }
    if (__builtin_mul_overflow(expected, tensor->shape[i], &expected)) {
      return 0;
    }
  }
  return 1;
}

/* Bytes of a tensor that can be borrowed as it is; -1 for any other. */
static int64_t plain_size(const struct dl_tensor* tensor, int element) {
  int64_t size = tensor->bits / 8;
  uintptr_t address = (uintptr_t)tensor->data + tensor->byte_offset;
  int is_on_cpu = tensor->device_type == DEVICE_CPU && is_sound(tensor);
  if (!is_on_cpu || element == 0 || size == 0 || tensor->code >= OUTSIDE_NUMPY ||
      address % (uintptr_t)size != 0 || !is_c_contiguous(tensor)) {
    return -1;
  }
  for (int32_t i = 0; i < tensor->rank; i++) {
    if (__builtin_mul_overflow(size, tensor->shape[i], &size)) {
      return -1;
    }
  }
  return size;
}

/* _from_loan(maker, loan): a tensor over the memory of a loan, or None where Python has to decide.
 */
PyObject* ortcffi_value_from_loan(PyObject* type, PyObject* arguments) {
  struct maker* maker;
  PyObject* object;
  if (!PyArg_ParseTuple(arguments, "O!O!", ortcffi_maker_type, &maker, loan_type, &object)) {
    return NULL;
  }
  const struct loan* loan = (struct loan*)object;
  uint64_t flags = loan->versioned == NULL ? 0 : loan->versioned->flags;
  const struct dl_tensor* tensor =
      loan->versioned == NULL ? &loan->legacy->tensor : &loan->versioned->tensor;
  int element = element_of(tensor, (flags & FLAG_PADDED) != 0);
  int64_t size = plain_size(tensor, element);
  if (size < 0) {
    Py_RETURN_NONE;
  }
  return ortcffi_borrow(type, maker, (char*)tensor->data + tensor->byte_offset, (size_t)size,
                        tensor->shape, (size_t)tensor->rank, element, object,
                        (flags & FLAG_READ_ONLY) != 0);
}

static PyGetSetDef loan_members[] = {
    {"facts", loan_facts, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot loan_slots[] = {
    {Py_tp_new, (void*)loan_new},
    {Py_tp_dealloc, (void*)loan_dealloc},
    {Py_tp_getset, loan_members},
    {0, NULL},
};

static PyType_Spec loan_spec = {
    .name = "ortcffi._ort.Loan",
    .basicsize = sizeof(struct loan),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = loan_slots,
};

PyObject* ortcffi_new_loan_type(void) {
  loan_type = (PyTypeObject*)PyType_FromSpec(&loan_spec);
  return (PyObject*)loan_type;
}
