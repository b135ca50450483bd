/* SPDX-License-Identifier: MIT */
/* Values as Python objects: new OrtValues. C writes them directly into the Python object, so that
 * no interrupt can lose one. See values.h. */
#include "boundary/limited_api.h"

#include <stdlib.h>

#include "boundary/gil.h"
#include "boundary/memory/allocators.h"
#include "boundary/status/calls.h"
#include "boundary/handle/handle.h"
#include "boundary/values/values.h"

/* Whether the allocator had memory: ONNX Runtime makes a tensor at NULL where it had none. -1 with
 * an exception. */
static int has_memory(struct value* value, const int64_t* shape, size_t rank) {
  void* data = NULL;
  for (size_t i = 0; i < rank; i++) {
    if (shape[i] == 0) {
      return 1;
    }
  }
  OrtStatus* status = value->maker->api->GetTensorMutableData(ortcffi_value_object(value), &data);
  if (status != NULL) {
    return ortcffi_fail(value->maker->api, status, "GetTensorMutableData");
  }
  return data != NULL;
}

PyObject* ortcffi_new_tensor(PyObject* type, struct maker* maker, OrtAllocator* allocator,
                             const int64_t* shape, size_t rank, int element) {
  PyObject* parent = ortcffi_handle_of(allocator);
  struct value* value = ortcffi_blank_value((PyTypeObject*)type, maker, parent);
  Py_XDECREF(parent);
  if (value == NULL) {
    return NULL;
  }
  OrtStatus* status;
  /* The allocator may be written in Python, or wait for another thread. */
  struct ortcffi_call call;
  ortcffi_call_begin(&call);
  Py_BEGIN_ALLOW_THREADS;
  status = maker->api->CreateTensorAsOrtValue(
      allocator, shape, rank, (ONNXTensorElementDataType)element, (OrtValue**)&value->life.object);
  Py_END_ALLOW_THREADS;
  PyObject* answer = (PyObject*)value;
  if (status == NULL && element != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    int has = has_memory(value, shape, rank);
    answer = has < 0 ? NULL : has == 0 ? Py_None : answer;
  }
  if (answer == Py_None) {
    ortcffi_call_end_empty(&call, "CreateTensorAsOrtValue");
  } else if (ortcffi_call_end(&call, status, "CreateTensorAsOrtValue") != NULL) {
    value->life.object = NULL;
    answer = ortcffi_value_fail(maker, status, "CreateTensorAsOrtValue");
  }
  if (answer != (PyObject*)value) {
    Py_DECREF(value);
    Py_XINCREF(answer);
  }
  return answer;
}

/* _empty(maker, allocator, shape, element): a tensor, or None where the allocator has no memory. */
PyObject* ortcffi_value_empty(PyObject* type, PyObject* arguments) {
  struct maker* maker;
  unsigned long long allocator;
  PyObject* shape;
  int element;
  if (!PyArg_ParseTuple(arguments, "O!KO!i", ortcffi_maker_type, &maker, &allocator, &PyTuple_Type,
                        &shape, &element)) {
    return NULL;
  }
  int64_t* lengths = ortcffi_lengths_of(shape);
  if (lengths == NULL) {
    return NULL;
  }
  PyObject* value = ortcffi_new_tensor(type, maker, (OrtAllocator*)(uintptr_t)allocator, lengths,
                                       (size_t)PyTuple_Size(shape), element);
  PyMem_Free(lengths);
  return value;
}
