/* SPDX-License-Identifier: MIT */
/* Values as Python objects: made of NumPy's arrays, and as NumPy's arrays. See values.h. */
#include <string.h>

#include "boundary/memory/numpy_arrays.h"
#include "boundary/values/values.h"

/* The element type of a dtype's number; 0 for none. */
#define LONG(when_8, when_4) (sizeof(long) == 8 ? (when_8) : (when_4))
#define OF(number, element) [NPY_##number] = ONNX_TENSOR_ELEMENT_DATA_TYPE_##element
static int element_of_number(int number) {
  static const unsigned char elements[] = {
      OF(BOOL, BOOL),
      OF(BYTE, INT8),
      OF(UBYTE, UINT8),
      OF(SHORT, INT16),
      OF(USHORT, UINT16),
      OF(INT, INT32),
      OF(UINT, UINT32),
      OF(LONGLONG, INT64),
      OF(ULONGLONG, UINT64),
      OF(FLOAT, FLOAT),
      OF(DOUBLE, DOUBLE),
      OF(HALF, FLOAT16),
      [NPY_LONG] = LONG(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32),
      [NPY_ULONG] =
          LONG(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32)};
  return (size_t)number < sizeof elements ? elements[number] : 0;
}

/* --- in ----------------------------------------------------------------------------------------*/

static PyObject* scope; /* the namespace of ortcffi._table */
static PyObject*
    name_chosen; /* the name of the default Api there; the next is its Maker's attribute */
static PyObject* name_maker;

PyObject* ortcffi_borrow(PyObject* type, struct maker* maker, void* data, size_t size,
                         const int64_t* shape, size_t rank, int element, PyObject* parent,
                         int is_readonly) {
  OrtValue* handle;
  OrtStatus* status = maker->api->CreateTensorWithDataAsOrtValue(
      maker->info, data, size, shape, rank, (ONNXTensorElementDataType)element, &handle);
  if (status != NULL) {
    return ortcffi_value_fail(maker, status, "CreateTensorWithDataAsOrtValue");
  }
  struct value* value = ortcffi_new_value((PyTypeObject*)type, maker, handle, parent);
  if (value != NULL) {
    value->is_on_cpu = 1;
    value->life.is_quick = 1; /* its release calls nobody */
    value->is_readonly = (char)is_readonly;
  }
  return (PyObject*)value;
}

/* The Maker of an Api, as a new reference, since the Api may end meanwhile. NULL without an
 * exception if it has none. */
static struct maker* maker_of(PyObject* api) {
  PyObject* maker = api == NULL || api == Py_None ? NULL : PyObject_GetAttr(api, name_maker);
  if (maker == NULL) {
    PyErr_Clear();
  } else if (!Py_IS_TYPE(maker, ortcffi_maker_type)) {
    Py_CLEAR(maker);
  }
  return (struct maker*)maker;
}

/* The Maker for a call: without keywords that of the default Api, if one was chosen; with `api` as
 * the only keyword that of its argument. */
static struct maker* maker_for(PyObject* keywords, PyObject* argument) {
  if (keywords == NULL) {
    PyObject* api = item_of_dict(scope, name_chosen);
    struct maker* maker = maker_of(api);
    Py_XDECREF(api);
    return maker;
  }
  int is_api = PyTuple_Size(keywords) == 1 &&
               PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0), "api") == 0;
  return is_api ? maker_of(argument) : NULL;
}

/* A function of ortcffi.values.tensors, for the cases that C does not handle. */
static PyObject* python_function(const char* name) {
  PyObject* module = PyImport_ImportModule("ortcffi.values.tensors");
  PyObject* function = module == NULL ? NULL : PyObject_GetAttrString(module, name);
  Py_XDECREF(module);
  return function;
}

/* Calls such a function with `self` and the arguments of a method written in C. */
static PyObject* call_python(const char* name, PyObject* self, PyObject* const* arguments,
                             Py_ssize_t count, PyObject* keywords) {
  PyObject* function = python_function(name);
  PyObject* positional = PyTuple_New(count + 1);
  PyObject* named = PyDict_New();
  PyObject* answer = NULL;
  Py_ssize_t named_count = keywords == NULL ? 0 : PyTuple_Size(keywords);
  if (function == NULL || positional == NULL || named == NULL) {
    goto end;
  }
  PyTuple_SetItem(positional, 0, Py_NewRef(self));
  for (Py_ssize_t i = 0; i < count; i++) {
    PyTuple_SetItem(positional, i + 1, Py_NewRef(arguments[i]));
  }
  for (Py_ssize_t i = 0; i < named_count; i++) {
    if (PyDict_SetItem(named, PyTuple_GetItem(keywords, i), arguments[count + i]) < 0) {
      goto end;
    }
  }
  answer = PyObject_Call(function, positional, named);
end:
  Py_XDECREF(function);
  Py_XDECREF(positional);
  Py_XDECREF(named);
  return answer;
}

/* Whether an array of exactly NumPy's type is contiguous, and its elements are as C has them. */
static int is_as_in_c(PyObject* x) {
  PyArrayObject* array = (PyArrayObject*)x;
  return PyArray_CheckExact(x) && PyArray_ISCARRAY_RO(array);
}

/* Where an array's elements are, and its shape. */
static void take_memory(PyArrayObject* array, struct plain_array* out) {
  out->bytes = (size_t)PyArray_NBYTES(array);
  out->data = PyArray_DATA(array);
  out->shape = (const int64_t*)PyArray_DIMS(array);
  out->rank = (size_t)PyArray_NDIM(array);
  out->is_readonly = !PyArray_ISWRITEABLE(array);
}

int ortcffi_plain_array(PyObject* x, struct plain_array* out) {
  out->element = is_as_in_c(x) ? element_of_number(PyArray_TYPE((PyArrayObject*)x)) : 0;
  if (out->element == 0) {
    return 0;
  }
  take_memory((PyArrayObject*)x, out);
  return 1;
}

int ortcffi_text_array(PyObject* x, struct plain_array* out) {
  int number = is_as_in_c(x) ? PyArray_TYPE((PyArrayObject*)x) : NPY_NOTYPE;
  if (number != NPY_UNICODE && number != NPY_OBJECT) {
    return 0;
  }
  out->object = x;
  out->element = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  take_memory((PyArrayObject*)x, out);
  return 1;
}

/* _plain(maker, x): a value over the memory of an ndarray, or None where that is not plain. */
PyObject* ortcffi_value_plain(PyObject* type, PyObject* arguments) {
  struct maker* maker;
  struct plain_array array;
  PyObject* x;
  if (!PyArg_ParseTuple(arguments, "O!O", ortcffi_maker_type, &maker, &x)) {
    return NULL;
  }
  return ortcffi_plain_array(x, &array)
             ? ortcffi_borrow(type, maker, array.data, array.bytes, array.shape, array.rank,
                              array.element, x, array.is_readonly)
             : Py_NewRef(Py_None);
}

/* from_numpy(x) and from_numpy(x, api=api): for an ndarray that can be borrowed as it is. Python
 * handles all other arguments. */
PyObject* ortcffi_value_from_numpy(PyObject* type, PyObject* const* arguments, Py_ssize_t count,
                                   PyObject* keywords) {
  struct plain_array array;
  PyObject* value = NULL;
  /* Before the array is read: to find the Maker may run Python, which could change the array. */
  struct maker* maker =
      count == 1 ? maker_for(keywords, keywords == NULL ? NULL : arguments[1]) : NULL;
  if (maker != NULL && ortcffi_plain_array(arguments[0], &array)) {
    value = ortcffi_borrow(type, maker, array.data, array.bytes, array.shape, array.rank,
                           array.element, arguments[0], array.is_readonly);
  }
  Py_XDECREF((PyObject*)maker);
  return value != NULL || PyErr_Occurred()
             ? value
             : call_python("from_numpy", type, arguments, count, keywords);
}

int64_t* ortcffi_lengths_of(PyObject* shape) {
  Py_ssize_t rank = PyTuple_Size(shape);
  int64_t* lengths = PyMem_Malloc(((size_t)rank + 1) * sizeof *lengths);
  if (lengths == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t i = 0; i < rank; i++) {
    lengths[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    if (lengths[i] == -1 && PyErr_Occurred()) {
      PyMem_Free(lengths);
      return NULL;
    }
  }
  return lengths;
}

/* _borrow(maker, address, size, shape, element, parent, readonly): a tensor over any memory. */
PyObject* ortcffi_value_borrow(PyObject* type, PyObject* arguments) {
  struct maker* maker;
  unsigned long long address;
  Py_ssize_t size;
  PyObject *shape, *parent;
  int element, readonly;
  if (!PyArg_ParseTuple(arguments, "O!KnO!iOp", ortcffi_maker_type, &maker, &address, &size,
                        &PyTuple_Type, &shape, &element, &parent, &readonly)) {
    return NULL;
  }
  int64_t* lengths = ortcffi_lengths_of(shape);
  if (lengths == NULL) {
    return NULL;
  }
  PyObject* value = ortcffi_borrow(type, maker, (void*)(uintptr_t)address, (size_t)size, lengths,
                                   (size_t)PyTuple_Size(shape), element, parent, readonly);
  PyMem_Free(lengths);
  return value;
}

/* --- out ---------------------------------------------------------------------------------------*/

/* The list is in Python, and is read once. */
PyObject* ortcffi_dtype_of(int element) {
  static PyObject* dtypes[32];
  if (element < 0 || element >= (int)(sizeof dtypes / sizeof *dtypes)) {
    return PyErr_Format(PyExc_TypeError, "arrays have no elements of type %d", element);
  }
  PyObject* dtype = object_made(&dtypes[element]);
  if (dtype == NULL) {
    PyObject* function = python_function("dtype_of");
    dtype = function == NULL ? NULL : PyObject_CallFunction(function, "i", element);
    dtype = keep_first(&dtypes[element], dtype);
    Py_XDECREF(function);
  }
  return dtype;
}

PyObject* ortcffi_copy_of_value(const struct value* tensor) {
  PyObject* dtype = ortcffi_dtype_of(tensor->element);
  PyObject* array =
      dtype == NULL ? NULL : ortcffi_make_array(NULL, tensor->shape, tensor->rank, dtype, 0);
  if (array != NULL) {
    memcpy(PyArray_DATA((PyArrayObject*)array), tensor->data, ortcffi_value_bytes(tensor));
  }
  return array;
}

/* An array over memory that the value keeps. */
static PyObject* view_of(struct value* value, void* data, const int64_t* shape, size_t rank,
                         int element, int is_readonly) {
  PyObject* dtype = ortcffi_dtype_of(element);
  if (dtype == NULL) {
    return NULL;
  }
  /* The first call for a type runs Python, and meanwhile another thread may close the value. */
  ortcffi_value_hold(value);
  if (ortcffi_value_open(value) < 0) {
    return NULL;
  }
  int flags = is_readonly ? NPY_ARRAY_CARRAY_RO : NPY_ARRAY_CARRAY;
  PyObject* array = ortcffi_make_array(data, shape, rank, dtype, flags);
  if (array == NULL) {
    return NULL;
  }
  if (PyArray_SetBaseObject((PyArrayObject*)array, Py_NewRef((PyObject*)value)) < 0) {
    Py_CLEAR(array);
  }
  return array;
}

/* numpy(): a view of a tensor whose element type NumPy has. Python handles all other values. */
PyObject* ortcffi_value_numpy(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords) {
  struct value* value = (struct value*)self;
  if (ortcffi_value_open(value) < 0) {
    return NULL;
  }
  if (count == 0 && keywords == NULL) {
    int kind = ortcffi_value_kind(value);
    if (kind < 0 || (kind == ONNX_TYPE_TENSOR && ortcffi_value_shape(value) < 0)) {
      return NULL;
    }
    if (kind == ONNX_TYPE_TENSOR && ortcffi_element_bits(value->element) >= 8) {
      if (ortcffi_value_data(value) < 0) {
        return NULL;
      }
      return view_of(value, value->data, value->shape, value->rank, value->element,
                     value->is_readonly);
    }
    if (kind == ONNX_TYPE_TENSOR && value->element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
      return ortcffi_value_string_array(value, 0);
    }
  }
  return call_python("numpy", self, arguments, count, keywords);
}

/* _array(): an array of a tensor whose elements are NumPy's own; of strings, which must be UTF-8, a
 * copy. None for other values. */
PyObject* ortcffi_value_array(PyObject* self, PyObject* unused) {
  struct value* value = (struct value*)self;
  int kind = ortcffi_value_open(value) < 0 ? -1 : ortcffi_value_kind(value);
  if (kind < 0 || (kind == ONNX_TYPE_TENSOR && ortcffi_value_shape(value) < 0)) {
    return NULL;
  }
  if (kind != ONNX_TYPE_TENSOR || value->element > ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128) {
    Py_RETURN_NONE;
  }
  return value->element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
             ? ortcffi_value_string_array(value, 1)
             : ortcffi_value_numpy(self, NULL, 0, NULL);
}

/* _view(address, shape, element, readonly): an array of other memory than a dense tensor's. */
PyObject* ortcffi_value_view(PyObject* self, PyObject* arguments) {
  unsigned long long address;
  PyObject* shape;
  int element, readonly;
  if (!PyArg_ParseTuple(arguments, "KO!ip", &address, &PyTuple_Type, &shape, &element, &readonly)) {
    return NULL;
  }
  int64_t* lengths = ortcffi_value_open((struct value*)self) < 0 ? NULL : ortcffi_lengths_of(shape);
  if (lengths == NULL) {
    return NULL;
  }
  void* data = address == 0 ? ortcffi_empty_memory() : (void*)(uintptr_t)address;
  PyObject* array =
      view_of((struct value*)self, data, lengths, (size_t)PyTuple_Size(shape), element, readonly);
  PyMem_Free(lengths);
  return array;
}

int ortcffi_value_arrays_init(PyObject* namespace) {
  if (ortcffi_arrays_begin() < 0) {
    return -1;
  }
  scope = Py_NewRef(namespace);
  name_chosen = PyUnicode_InternFromString("_chosen");
  name_maker = PyUnicode_InternFromString("_maker");
  return name_chosen == NULL || name_maker == NULL ? -1 : 0;
}
