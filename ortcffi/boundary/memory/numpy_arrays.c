/* SPDX-License-Identifier: MIT */
/* NumPy's arrays, made with its C API. See numpy_arrays.h. */
#include "boundary/memory/numpy_arrays.h"

#include <stdbool.h>
#include <string.h>

/* Places in NumPy's table of functions. */
enum { NUMPY_ARRAY_TYPE = 2, NEW_FROM_DESCRIPTOR = 94, AS_DESCRIPTOR = 174, SET_BASE = 282 };

PyTypeObject* ortcffi_array_type;
static PyObject* (*new_array)(PyTypeObject*, PyObject*, int, const Py_ssize_t*, const Py_ssize_t*,
                              void*, int, PyObject*);
static int (*as_descriptor)(PyObject*, PyObject**);
static int (*set_base)(PyObject*, PyObject*);

/* --- the layout --------------------------------------------------------------------------------*/

#define KNOWN "; this package knows NumPy 1.26 to 2"

/* Whether the first function of NumPy's table returns the ABI version of NumPy 1 or NumPy 2. */
static bool has_known_version(void** functions) {
  unsigned (*version_of_abi)(void);
  memcpy(&version_of_abi, functions, sizeof version_of_abi);
  unsigned version = version_of_abi();
  if (version != 0x01000009 && version != 0x02000000) {
    PyErr_Format(PyExc_ImportError, "NumPy's ABI has the version 0x%x" KNOWN, version);
    return false;
  }
  return true;
}

/* The name of a field of a new array that differs from what Python says of it; NULL if none does.
 */
static const char* different_field(const struct array* array, const Py_buffer* view,
                                   PyObject* dtype) {
  const struct descriptor* descriptor = array->descriptor;
  const int flags = ALIGNED | WRITEABLE | C_CONTIGUOUS;
  return array->data != view->buf                                                ? "data"
         : array->rank != view->ndim                                             ? "rank"
         : memcmp(array->shape, view->shape, 2 * sizeof *view->shape) != 0       ? "shape"
         : memcmp(array->strides, view->strides, 2 * sizeof *view->strides) != 0 ? "strides"
         : array->owner != NULL                                                  ? "base"
         : (const PyObject*)descriptor != dtype                                  ? "dtype"
         : (array->flags & flags) != flags                                       ? "flags"
         : descriptor->kind != 'f' || descriptor->type != 'd' || descriptor->number != 12
             ? "dtype.num"
             : NULL;
}

static int check_array(PyObject* array) {
  Py_buffer view;
  PyObject* dtype = PyObject_GetAttrString(array, "dtype");
  if (dtype == NULL || PyObject_GetBuffer(array, &view, PyBUF_STRIDES) < 0) {
    Py_XDECREF(dtype);
    return -1;
  }
  const char* field = different_field((const struct array*)array, &view, dtype);
  PyBuffer_Release(&view);
  Py_DECREF(dtype);
  if (field != NULL) {
    PyErr_Format(PyExc_ImportError, "NumPy lays out `%s` of its arrays differently" KNOWN, field);
    return -1;
  }
  return 0;
}

static int check_numpy(void** functions) {
  if (!has_known_version(functions)) {
    return -1;
  }
  PyObject* array = PyObject_CallFunction(functions[NUMPY_ARRAY_TYPE], "((ii))", 2, 3);
  if (array == NULL) {
    return -1;
  }
  int checked = check_array(array);
  Py_DECREF(array);
  return checked;
}

/* --- NumPy -------------------------------------------------------------------------------------*/

void** ortcffi_numpy_functions(void) {
  static void** functions;
  /* It moved in NumPy 2. */
  static const char* const places[] = {"numpy._core._multiarray_umath",
                                       "numpy.core._multiarray_umath"};
  for (size_t i = 0; functions == NULL && i < sizeof places / sizeof *places; i++) {
    PyObject* module = PyImport_ImportModule(places[i]);
    PyObject* capsule = module == NULL ? NULL : PyObject_GetAttrString(module, "_ARRAY_API");
    functions = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, NULL);
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    PyErr_Clear();
  }
  return functions;
}

int ortcffi_arrays_begin(void) {
  if (ortcffi_array_type != NULL) {
    return 0;
  }
  void** functions = ortcffi_numpy_functions();
  if (functions == NULL) {
    PyErr_SetString(PyExc_ImportError, "this NumPy does not export its functions");
    return -1;
  }
  if (check_numpy(functions) < 0) {
    return -1;
  }
  memcpy(&new_array, &functions[NEW_FROM_DESCRIPTOR], sizeof new_array);
  memcpy(&as_descriptor, &functions[AS_DESCRIPTOR], sizeof as_descriptor);
  memcpy(&set_base, &functions[SET_BASE], sizeof set_base);
  ortcffi_array_type = functions[NUMPY_ARRAY_TYPE];
  return 0;
}

PyObject* ortcffi_as_dtype(PyObject* given) {
  PyObject* dtype = NULL;
  return as_descriptor(given, &dtype) ? dtype : NULL;
}

PyObject* ortcffi_make_array(void* data, const Py_ssize_t* shape, size_t rank, PyObject* dtype,
                             int flags) {
  return new_array(ortcffi_array_type, Py_NewRef(dtype), (int)rank, shape, NULL, data, flags, NULL);
}

int ortcffi_array_keep(PyObject* array, PyObject* owner) {
  return set_base(array, Py_NewRef(owner));
}

PyObject* ortcffi_tuple_of_numbers(const int64_t* numbers, size_t count) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple != NULL && i < count; i++) {
    PyObject* number = PyLong_FromLongLong(numbers[i]);
    if (number == NULL) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, (Py_ssize_t)i, number);
    }
  }
  return tuple;
}
