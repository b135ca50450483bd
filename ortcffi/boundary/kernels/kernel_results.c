/* SPDX-License-Identifier: MIT */
/* What a call of a kernel gave, as Python objects. See kernel_host.h. */
#include "boundary/kernels/kernel_host.h"

PyObject* ortcffi_kernel_value(struct call* call, size_t i) {
  size_t place = call->inputs + i;
  if (call->holders[place] != NULL) {
    return Py_NewRef(call->holders[place]);
  }
  OrtValue* handle = call->given[place];
  call->given[place] = NULL;
  return handle == NULL ? Py_NewRef(Py_None)
                        : (PyObject*)ortcffi_new_value(call->host->value_type, call->host->maker,
                                                       handle, call->host->memory);
}

PyObject* ortcffi_kernel_array(struct call* call, size_t i) {
  PyObject* value = ortcffi_kernel_value(call, i);
  if (value == NULL || value == Py_None) {
    return value;
  }
  struct value* tensor = (struct value*)value;
  PyObject* array = NULL;
  int kind = ortcffi_value_kind(tensor);
  if (kind == ONNX_TYPE_TENSOR && ortcffi_value_shape(tensor) == 0) {
    int is_packed = ortcffi_element_bits(tensor->element) < 8 &&
                    tensor->element != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
    array = is_packed ? PyObject_CallMethod(value, "numpy", "i", 1)
                      : ortcffi_value_numpy(value, NULL, 0, NULL);
  } else if (kind >= 0 && kind != ONNX_TYPE_TENSOR) {
    array = PyObject_CallMethod(value, "to_python", NULL);
  }
  Py_DECREF(value);
  return array;
}

PyObject* ortcffi_kernel_results(struct call* call, PyObject* (*convert)(struct call*, size_t)) {
  size_t count = call->host->outputs;
  PyObject* results = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; results != NULL && i < count; i++) {
    PyObject* result = convert(call, i);
    if (result == NULL) {
      Py_CLEAR(results);
    } else {
      PyTuple_SetItem(results, (Py_ssize_t)i, result);
    }
  }
  return results;
}
