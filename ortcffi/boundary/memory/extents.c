/* SPDX-License-Identifier: MIT */
/* What an array's shape and dtype say: see extents.h. */
#include "boundary/memory/extents.h"

#include "boundary/memory/numpy_arrays.h"

/* --- dtypes ------------------------------------------------------------------------------------*/

/* Calls ortcffi.memory.blocks.fitting: the dtype, if arrays of an allocator can have it, or an
 * exception. */
static PyObject* ask_fitting(PyObject* given) {
  PyObject* module = PyImport_ImportModule("ortcffi.memory.blocks");
  PyObject* dtype = module == NULL ? NULL : PyObject_CallMethod(module, "fitting", "(O)", given);
  Py_XDECREF(module);
  return dtype;
}

PyObject* ortcffi_read_dtype(PyObject* given, Py_ssize_t* item) {
  PyObject* dtype = NULL;
  (void)PyArray_DescrConverter(given, (PyArray_Descr**)&dtype);
  if (dtype == NULL && !PyErr_ExceptionMatches(PyExc_TypeError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError)) {
    return NULL;
  }
  PyArray_Descr* descr = (PyArray_Descr*)dtype;
  if (dtype != NULL && PyDataType_ELSIZE(descr) > 0 && !PyDataType_REFCHK(descr)) {
    *item = PyDataType_ELSIZE(descr);
    return dtype;
  }
  PyErr_Clear(); /* the function in Python says why in its own words */
  Py_XDECREF(dtype);
  dtype = ask_fitting(given);
  PyObject* size = dtype == NULL ? NULL : PyObject_GetAttrString(dtype, "itemsize");
  *item = size == NULL ? -1 : PyLong_AsSsize_t(size);
  Py_XDECREF(size);
  if (*item < 0) {
    Py_CLEAR(dtype);
  }
  return dtype;
}

/* --- the size of an array ----------------------------------------------------------------------*/

/* One dimension, named in the error by its place; -1 for an error. */
static Py_ssize_t read_dimension(PyObject* dimension, Py_ssize_t place) {
  Py_ssize_t length = -1;
  int is_index = PyIndex_Check(dimension) && !PyBool_Check(dimension);
  if (is_index) {
    length = PyNumber_AsSsize_t(dimension, PyExc_OverflowError);
  }
  if (length >= 0) {
    return length;
  }
  if (is_index && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError))) {
    PyErr_Format(PyExc_ValueError, "shape[%zd] must be from 0 to %zd, but is %R", place,
                 PY_SSIZE_T_MAX, dimension);
  } else if (!is_index || PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Format(PyExc_TypeError, "shape[%zd] must be an int, not of %R", place,
                 Py_TYPE(dimension));
  }
  return -1;
}

/* Reads the dimensions in a tuple, and multiplies them; -1 for an error. As in NumPy, the product
 * of the others must not overflow even if one dimension is 0. */
static int read_dimensions(PyObject* shape, Py_ssize_t itemsize, Py_ssize_t max_dimensions,
                           struct extent* out) {
  out->rank = PyTuple_Size(shape);
  if (out->rank > max_dimensions) {
    PyErr_Format(PyExc_ValueError, "shape must have at most %zd dimensions, but has %zd",
                 max_dimensions, out->rank);
    return -1;
  }
  Py_ssize_t size = itemsize;
  int is_empty = 0;
  for (Py_ssize_t i = 0; i < out->rank; i++) {
    Py_ssize_t length = read_dimension(PyTuple_GetItem(shape, i), i);
    if (length < 0) {
      return -1;
    }
    out->lengths[i] = length;
    if (length == 0) {
      is_empty = 1;
    } else if (__builtin_mul_overflow(size, length, &size)) {
      PyErr_Format(PyExc_ValueError, "shape %R needs more than %zd bytes", shape, PY_SSIZE_T_MAX);
      return -1;
    }
  }
  out->bytes = is_empty ? 0 : size;
  return 0;
}

/* The dimensions as a new tuple: of a sequence, or of one number. */
static PyObject* as_tuple(PyObject* shape) {
  if (PySequence_Check(shape) && !PyUnicode_Check(shape) && !PyBytes_Check(shape)) {
    PyObject* dimensions = PySequence_Tuple(shape);
    if (dimensions != NULL || !PyIndex_Check(shape)) {
      return dimensions;
    }
    PyErr_Clear(); /* an array of NumPy's without dimensions is a number after all */
  }
  if (PyIndex_Check(shape)) {
    return PyTuple_Pack(1, shape);
  }
  PyErr_Format(PyExc_TypeError, "shape must be an int or a sequence of ints, not of %R",
               Py_TYPE(shape));
  return NULL;
}

int ortcffi_read_shape(PyObject* shape, Py_ssize_t itemsize, Py_ssize_t max_dimensions,
                       struct extent* out) {
  PyObject* dimensions = PyTuple_CheckExact(shape) ? Py_NewRef(shape) : as_tuple(shape);
  if (dimensions == NULL) {
    return -1;
  }
  int answer = read_dimensions(dimensions, itemsize, max_dimensions, out);
  Py_DECREF(dimensions);
  return answer;
}
