/* SPDX-License-Identifier: MIT */
/*
 * Tensors over memory of other libraries, by DLPack. See dlpack.h.
 *
 *   Imported(capsule)
 *       Takes the DLManagedTensor out of a capsule, and calls its deleter at the end.
 *   Imported.facts
 *       (address, shape, strides or None, element type, readonly, (device type, device id))
 */
#include "boundary/values/values.h"

#include "boundary/values/arrays.h"
#include "boundary/values/dlpack.h"

struct imported {
  PyObject base;
  struct legacy* legacy;
  struct versioned* versioned;
};

static PyTypeObject* imported_type;

/* Names and arguments for calls of other objects' methods. */
static PyObject *name_export, *name_device, *name_version, *newest, *no_arguments;

/* Takes over what a capsule holds. */
static struct imported* new_imported(PyObject* capsule) {
  int is_versioned = PyCapsule_IsValid(capsule, VERSIONED);
  if (!is_versioned && !PyCapsule_IsValid(capsule, LEGACY)) {
    PyErr_SetString(PyExc_BufferError, "x: __dlpack__ gave no capsule of a tensor, or a used one");
    return NULL;
  }
  void* managed = PyCapsule_GetPointer(capsule, is_versioned ? VERSIONED : LEGACY);
  if (is_versioned && ((struct versioned*)managed)->major != 1) {
    PyErr_Format(PyExc_BufferError, "x: __dlpack__ gave a tensor of DLPack %u, not of 1",
                 ((struct versioned*)managed)->major);
    return NULL;
  }
  struct imported* imported = PyObject_New(struct imported, imported_type);
  if (imported != NULL) {
    imported->versioned = is_versioned ? managed : NULL;
    imported->legacy = is_versioned ? NULL : managed;
    PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor");
  }
  return imported;
}

static PyObject* imported_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)type, (void)keywords; /* the type has no subtypes */
  PyObject* capsule;
  return PyArg_ParseTuple(arguments, "O", &capsule) ? (PyObject*)new_imported(capsule) : NULL;
}

static void imported_dealloc(PyObject* self) {
  struct imported* imported = (struct imported*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject *kind, *error, *traceback;
  PyErr_Fetch(&kind, &error, &traceback);
  if (imported->legacy != NULL && imported->legacy->deleter != NULL) {
    imported->legacy->deleter(imported->legacy);
  }
  if (imported->versioned != NULL && imported->versioned->deleter != NULL) {
    imported->versioned->deleter(imported->versioned);
  }
  PyErr_Restore(kind, error, traceback);
  PyObject_Free(self);
  Py_DECREF(type);
}

/* 0 if tensors cannot have such elements. */
static int element_of_dlpack(const struct dl_tensor* tensor, int is_padded) {
  for (size_t i = 0; i < DL_KINDS; i++) {
    int is_same =
        ortcffi_dl_kinds[i].bits == tensor->bits && ortcffi_dl_kinds[i].code == tensor->code;
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

static PyObject* imported_facts(PyObject* self, void* unused) {
  (void)unused;
  const struct imported* imported = (struct imported*)self;
  uint64_t flags = imported->versioned == NULL ? 0 : imported->versioned->flags;
  const struct dl_tensor* tensor =
      imported->versioned == NULL ? &imported->legacy->tensor : &imported->versioned->tensor;
  if (!is_sound(tensor)) {
    PyErr_SetString(
        PyExc_BufferError,
        "x: __dlpack__ gave a tensor without a shape or memory, or of too many dimensions");
    return NULL;
  }
  size_t rank = (size_t)tensor->rank;
  PyObject* shape = ortcffi_tuple_of_numbers(tensor->shape, rank);
  PyObject* strides = tensor->strides == NULL ? Py_NewRef(Py_None)
                                              : ortcffi_tuple_of_numbers(tensor->strides, rank);
  if (shape == NULL || strides == NULL) {
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return NULL;
  }
  unsigned long long address = (uintptr_t)tensor->data + tensor->byte_offset;
  int element = element_of_dlpack(tensor, (flags & FLAG_PADDED) != 0);
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

/* A tensor over imported memory; `imported` itself if Python must decide. The tensor keeps `x` as
 * well: the capsule of an official OrtValue does not keep the array behind it. `x` may own the
 * struct to which `imported` refers, so `imported` must be released first: a tuple releases its
 * last item first. */
static PyObject* value_of(PyObject* type, struct maker* maker, struct imported* imported,
                          PyObject* x) {
  uint64_t flags = imported->versioned == NULL ? 0 : imported->versioned->flags;
  const struct dl_tensor* tensor =
      imported->versioned == NULL ? &imported->legacy->tensor : &imported->versioned->tensor;
  int element = element_of_dlpack(tensor, (flags & FLAG_PADDED) != 0);
  int64_t size = plain_size(tensor, element);
  if (size < 0) {
    return Py_NewRef((PyObject*)imported);
  }
  PyObject* parent = PyTuple_Pack(2, x, imported);
  PyObject* value = parent == NULL
                        ? NULL
                        : ortcffi_borrow(type, maker, (char*)tensor->data + tensor->byte_offset,
                                         (size_t)size, tensor->shape, (size_t)tensor->rank, element,
                                         parent, (flags & FLAG_READ_ONLY) != 0);
  Py_XDECREF(parent);
  return value;
}

/* A method of an object that has it; NULL without an exception if it has not, or None there. */
static PyObject* method_of(PyObject* x, PyObject* name) {
  PyObject* method = PyObject_GetAttr(x, name);
  if (method == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
  } else if (method == Py_None) {
    Py_CLEAR(method);
  }
  return method;
}

/* Whether __dlpack_device__ says that the memory is the CPU's; -1 with an exception. */
static int is_on_cpu(PyObject* ask_device) {
  PyObject* device = PyObject_CallNoArgs(ask_device);
  if (device == NULL) {
    return -1;
  }
  long kind = -1;
  if (PyTuple_Check(device) && PyTuple_Size(device) == 2 &&
      PyLong_CheckExact(PyTuple_GetItem(device, 0))) {
    kind = PyLong_AsLong(PyTuple_GetItem(device, 0));
    PyErr_Clear(); /* a number too large for any device */
  }
  Py_DECREF(device);
  return kind == DEVICE_CPU;
}

/* The result of __dlpack__; NULL without an exception if it does not know `max_version`. */
static PyObject* export_from(PyObject* export, int is_old) {
  if (is_old) {
    return PyObject_CallNoArgs(export);
  }
  PyObject* keywords = PyDict_New(); /* a new one, since the function may change it */
  PyObject* capsule = NULL;
  if (keywords != NULL && PyDict_SetItem(keywords, name_version, newest) == 0) {
    capsule = PyObject_Call(export, no_arguments, keywords);
  }
  Py_XDECREF(keywords);
  if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
  }
  return capsule;
}

/* The capsule of an object with the two methods; NULL without an exception if Python must decide:
 * the memory is not the CPU's, or __dlpack__ is older than `is_old` says. */
static PyObject* capsule_of(PyObject* x, int is_old) {
  PyObject* export = method_of(x, name_export);
  PyObject* ask_device = export == NULL ? NULL : method_of(x, name_device);
  PyObject* capsule = NULL;
  if (ask_device != NULL && is_on_cpu(ask_device) == 1) {
    capsule = export_from(export, is_old);
  }
  Py_XDECREF(export);
  Py_XDECREF(ask_device);
  return capsule;
}

PyObject* ortcffi_value_from_producer(PyObject* type, PyObject* const* arguments,
                                      Py_ssize_t count) {
  if (count != 3 || !PySet_Check(arguments[2])) {
    PyErr_SetString(PyExc_TypeError, "_from_producer takes 3 arguments, the last one a set");
    return NULL;
  }
  PyObject *api = arguments[0], *x = arguments[1];
  int is_old = PySet_Contains(arguments[2], (PyObject*)Py_TYPE(x));
  if (is_old < 0) {
    return NULL;
  }
  /* Subtypes of NumPy's arrays may have a mask, which a tensor cannot have. */
  int is_array = PyArray_Check(x);
  struct maker* maker = is_array && !PyArray_CheckExact(x) ? NULL : ortcffi_maker_of(api);
  PyObject* capsule = maker == NULL ? NULL : capsule_of(x, is_old);
  struct imported* imported = capsule == NULL ? NULL : new_imported(capsule);
  PyObject* value = imported == NULL ? NULL : value_of(type, maker, imported, x);
  Py_XDECREF((PyObject*)imported);
  Py_XDECREF(capsule);
  Py_XDECREF((PyObject*)maker);
  return value == NULL && !PyErr_Occurred() ? Py_NewRef(Py_None) : value;
}

static PyGetSetDef imported_members[] = {
    {"facts", imported_facts, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot imported_slots[] = {
    {Py_tp_new, (void*)imported_new},
    {Py_tp_dealloc, (void*)imported_dealloc},
    {Py_tp_getset, imported_members},
    {0, NULL},
};

static PyType_Spec imported_spec = {
    .name = "ortcffi._compiled.Imported",
    .basicsize = sizeof(struct imported),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = imported_slots,
};

PyObject* ortcffi_new_imported_type(void) {
  name_export = PyUnicode_InternFromString("__dlpack__");
  name_device = PyUnicode_InternFromString("__dlpack_device__");
  name_version = PyUnicode_InternFromString("max_version");
  newest = Py_BuildValue("(ii)", 1, 1);
  no_arguments = PyTuple_New(0);
  if (name_export == NULL || name_device == NULL || name_version == NULL || newest == NULL ||
      no_arguments == NULL) {
    return NULL;
  }
  imported_type = (PyTypeObject*)PyType_FromSpec(&imported_spec);
  return (PyObject*)imported_type;
}
