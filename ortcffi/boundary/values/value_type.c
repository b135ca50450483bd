/* SPDX-License-Identifier: MIT */
/* Values as Python objects: their memory as a buffer, and the type itself. See values.h. */
#include <stddef.h>

#include "boundary/memory/numpy_arrays.h"
#include "boundary/module.h"
#include "boundary/values/contents.h"
#include "boundary/values/value_docs.h"
#include "boundary/values/values.h"

/* --- the buffer --------------------------------------------------------------------------------*/

/* The format of an element in Python's struct module; NULL if it has none. */
static const char* format_of(int element) {
  static const char* const formats[] = {
      [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT] = "f",   [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8] = "B",
      [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8] = "b",    [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16] = "H",
      [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16] = "h",   [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32] = "i",
      [ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64] = "q",   [ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL] = "?",
      [ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16] = "e", [ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE] = "d",
      [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32] = "I",  [ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64] = "Q",
  };
  size_t place = (size_t)element;
  return place < sizeof formats / sizeof *formats ? formats[place] : NULL;
}

/* The reason why the value has no buffer of that kind; NULL if it has one. */
static const char* refusal(const struct value* value, int flags) {
  if (ortcffi_element_bits(value->element) == 0) {
    return "a string tensor has no buffer: use numpy() or to_python()";
  }
  if ((flags & PyBUF_WRITABLE) && value->is_readonly) {
    return "this value is read-only";
  }
  if ((flags & PyBUF_ND) && ortcffi_element_bits(value->element) < 8) {
    return "elements of this type share bytes: use numpy(copy=True)";
  }
  if ((flags & PyBUF_FORMAT) && format_of(value->element) == NULL) {
    return "buffers have no format for this element type: use numpy()";
  }
  if ((flags & PyBUF_F_CONTIGUOUS & ~PyBUF_STRIDES) && value->rank > 1) {
    return "a value is C-contiguous";
  }
  return NULL;
}

static int fill_shape(struct value* value, Py_buffer* view, int flags) {
  Py_ssize_t* strides = PyMem_Malloc((value->rank + 1) * sizeof(Py_ssize_t));
  if (strides == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  view->internal = strides;
  view->itemsize = ortcffi_element_bits(value->element) / 8;
  view->ndim = (int)value->rank;
  view->shape = (Py_ssize_t*)(uintptr_t)value->shape;
  if (flags & PyBUF_FORMAT) {
    view->format = (char*)(uintptr_t)format_of(value->element);
  }
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) {
    view->strides = strides;
    PyBuffer_FillContiguousStrides(view->ndim, view->shape, strides, (int)view->itemsize, 'C');
  }
  return 0;
}

_Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "Python can borrow a shape as it is");

int ortcffi_value_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  struct value* value = (struct value*)self;
  view->obj = NULL;
  int kind = ortcffi_value_open(value) < 0 ? -1 : ortcffi_value_kind(value);
  if (kind >= 0 && kind != ONNX_TYPE_TENSOR) {
    PyErr_SetString(PyExc_BufferError, "only a dense tensor has a buffer: use to_python()");
    return -1;
  }
  if (kind < 0 || ortcffi_value_data(value) < 0) {
    return -1;
  }
  const char* reason = refusal(value, flags);
  if (reason != NULL) {
    PyErr_SetString(PyExc_BufferError, reason);
    return -1;
  }
  Py_ssize_t size = (Py_ssize_t)ortcffi_value_bytes(value);
  int simple = flags & PyBUF_WRITABLE;
  if (PyBuffer_FillInfo(view, self, value->data, size, value->is_readonly, simple) < 0) {
    return -1;
  }
  if ((flags & PyBUF_ND) && fill_shape(value, view, flags) < 0) {
    PyBuffer_Release(view);
    return -1;
  }
  ortcffi_value_hold(value);
  return 0;
}

void ortcffi_value_releasebuffer(PyObject* self, Py_buffer* view) {
  PyMem_Free(view->internal);
  view->internal = NULL;
}

/* --- facts -------------------------------------------------------------------------------------*/

static PyObject* get_shape(PyObject* self, void* unused) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0 || ortcffi_value_shape(value) < 0 ||
      handle_begin(&value->life) < 0) {
    return NULL;
  }
  PyObject* shape = ortcffi_tuple_of_numbers(value->shape, value->rank);
  handle_end(&value->life);
  return shape;
}

static PyObject* get_element(PyObject* self, void* unused) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0 || ortcffi_value_shape(value) < 0) {
    return NULL;
  }
  return PyLong_FromLong(value->element);
}

static PyObject* get_kind(PyObject* self, void* unused) {
  struct value* value = (struct value*)self;
  int kind = ortcffi_value_open(value) < 0 ? -1 : ortcffi_value_kind(value);
  return kind < 0 ? NULL : PyLong_FromLong(kind);
}

static PyObject* get_data(PyObject* self, void* unused) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0 || ortcffi_value_data(value) < 0) {
    return NULL;
  }
  ortcffi_value_hold(value);
  return PyLong_FromVoidPtr(value->data);
}

static PyObject* get_nbytes(PyObject* self, void* unused) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0 || ortcffi_value_shape(value) < 0) {
    return NULL;
  }
  if (ortcffi_element_bits(value->element) == 0) {
    PyErr_SetString(PyExc_TypeError, "strings have no common size");
    return NULL;
  }
  return PyLong_FromSize_t(ortcffi_value_bytes(value));
}

/* Marks the value as held: something points into it, so it is not released before its last
 * reference. */
static PyObject* hold(PyObject* self, PyObject* unused) {
  ortcffi_value_hold((struct value*)self);
  Py_RETURN_NONE;
}

static PyObject* get_api(PyObject* self, void* unused) {
  return Py_NewRef(((struct value*)self)->maker->owner);
}

static PyObject* get_handle(PyObject* self, void* unused) {
  struct value* value = (struct value*)self;
  return ortcffi_value_open(value) < 0 ? NULL : handle_cdata(&value->life);
}

static PyObject* get_readonly(PyObject* self, void* unused) {
  return PyBool_FromLong(((struct value*)self)->is_readonly);
}

ORTCFFI_LOCKED_GETTER(get_shape)
ORTCFFI_LOCKED_GETTER(get_handle)
ORTCFFI_LOCKED_GETTER(get_nbytes)
ORTCFFI_LOCKED_GETTER(get_element)
ORTCFFI_LOCKED_GETTER(get_kind)
ORTCFFI_LOCKED_GETTER(get_data)

static PyGetSetDef value_members[] = {
    {"api", get_api, NULL, API_DOC, NULL},
    {"readonly", get_readonly, NULL, READONLY_DOC, NULL},
    {"shape", ORTCFFI_LOCKED(get_shape), NULL, SHAPE_DOC, NULL},
    {"handle", ORTCFFI_LOCKED(get_handle), NULL, HANDLE_DOC, NULL},
    {"nbytes", ORTCFFI_LOCKED(get_nbytes), NULL, NBYTES_DOC, NULL},
    {"_element", ORTCFFI_LOCKED(get_element), NULL, NULL, NULL},
    {"_kind", ORTCFFI_LOCKED(get_kind), NULL, NULL, NULL},
    {"_data", ORTCFFI_LOCKED(get_data), NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject* enter(PyObject* self, PyObject* unused) {
  return ortcffi_value_open((struct value*)self) < 0 ? NULL : Py_NewRef(self);
}

static PyObject* close_value(PyObject* self, PyObject* unused) {
  handle_close((struct handle*)self);
  Py_RETURN_NONE;
}

ORTCFFI_LOCKED_AS(PyObject*, ortcffi_value_numpy,
                  (PyObject * self, PyObject* const* arguments, Py_ssize_t count,
                   PyObject* keywords),
                  self, arguments, count, keywords)
ORTCFFI_LOCKED_AS(int, ortcffi_value_getbuffer, (PyObject * self, Py_buffer* view, int flags), self,
                  view, flags)
ORTCFFI_LOCKED_METHOD(close_value)
ORTCFFI_LOCKED_METHOD(ortcffi_value_strings)
ORTCFFI_LOCKED_METHOD(ortcffi_value_raw_strings)
ORTCFFI_LOCKED_METHOD(enter)
ORTCFFI_LOCKED_METHOD(ortcffi_value_array)
ORTCFFI_LOCKED_METHOD(ortcffi_value_contents)
ORTCFFI_LOCKED_METHOD(ortcffi_value_view)
ORTCFFI_LOCKED_METHOD(ortcffi_value_capsule)
ORTCFFI_LOCKED_METHOD(ortcffi_value_fill_strings)
ORTCFFI_LOCKED_METHOD(ortcffi_value_sparse_strings)

/* --- the type ----------------------------------------------------------------------------------*/

static PyMethodDef value_methods[] = {
    {"from_numpy", ORTCFFI_METHOD(ortcffi_value_from_numpy),
     METH_FASTCALL | METH_KEYWORDS | METH_CLASS, FROM_NUMPY_DOC},
    {"numpy", ORTCFFI_METHOD(ORTCFFI_LOCKED(ortcffi_value_numpy)), METH_FASTCALL | METH_KEYWORDS,
     NUMPY_DOC},
    {"close", ORTCFFI_LOCKED(close_value), METH_NOARGS, CLOSE_DOC},
    {"strings", ORTCFFI_LOCKED(ortcffi_value_strings), METH_NOARGS, STRINGS_DOC},
    {"raw_strings", ORTCFFI_LOCKED(ortcffi_value_raw_strings), METH_NOARGS, RAW_STRINGS_DOC},
    {"__enter__", ORTCFFI_LOCKED(enter), METH_NOARGS, NULL},
    {"__exit__", ORTCFFI_LOCKED(close_value), METH_VARARGS, NULL},
    {"_adopt", ortcffi_value_adopt, METH_VARARGS | METH_CLASS, NULL},
    {"_empty", ortcffi_value_empty, METH_VARARGS | METH_CLASS, NULL},
    {"_hold", hold, METH_NOARGS, NULL},
    {"_plain", ortcffi_value_plain, METH_VARARGS | METH_CLASS, NULL},
    {"_array", ORTCFFI_LOCKED(ortcffi_value_array), METH_NOARGS, NULL},
    {"_contents", ORTCFFI_LOCKED(ortcffi_value_contents), METH_O, NULL},
    {"_view", ORTCFFI_LOCKED(ortcffi_value_view), METH_VARARGS, NULL},
    {"_capsule", ORTCFFI_LOCKED(ortcffi_value_capsule), METH_VARARGS, NULL},
    {"_fill_strings", ORTCFFI_LOCKED(ortcffi_value_fill_strings), METH_O, NULL},
    {"_sparse_strings", ORTCFFI_LOCKED(ortcffi_value_sparse_strings), METH_O, NULL},
    {"_borrow", ortcffi_value_borrow, METH_VARARGS | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot value_slots[] = {
    {Py_tp_dealloc, (void*)ortcffi_value_dealloc},
    {Py_tp_traverse, (void*)ortcffi_value_traverse},
    {Py_tp_methods, value_methods},
    {Py_tp_getset, value_members},
    {Py_bf_getbuffer, (void*)ORTCFFI_LOCKED(ortcffi_value_getbuffer)},
    {Py_bf_releasebuffer, (void*)ortcffi_value_releasebuffer},
    {0, NULL},
};

/* Not final: a subtype is what users see. */
PyType_Spec ortcffi_tensor_spec = ORTCFFI_TYPE(
    "ortcffi.Tensor", struct value,
    Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, value_slots);

/* begin_values(scope, pointer): `scope` is the dict of ortcffi._table and `pointer` CFFI's type
 * OrtValue*. To be called before the first value. */
static PyObject* begin_values(PyObject* module, PyObject* arguments) {
  PyObject *scope, *pointer;
  if (!PyArg_UnpackTuple(arguments, "begin_values", 2, 2, &scope, &pointer) ||
      ortcffi_value_arrays_init(scope) < 0) {
    return NULL;
  }
  ortcffi_value_pointer = Py_NewRef(pointer);
  Py_RETURN_NONE;
}

PyMethodDef ortcffi_value_functions[] = {
    {"begin_values", begin_values, METH_VARARGS, NULL},
    {"take_capsule", ortcffi_take_capsule, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
