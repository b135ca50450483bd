/* SPDX-License-Identifier: MIT */
/* Arguments of runs and of kernels. See arguments.h. */
#include "boundary/values/arguments.h"

int ortcffi_argument_array(PyObject* x, struct plain_array* out) {
  return ortcffi_plain_array(x, out) || ortcffi_text_array(x, out);
}

int ortcffi_value_of_array(const struct maker* maker, const struct plain_array* array,
                           OrtValue** out) {
  if (array->element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    return ortcffi_strings_from_array(maker, array, out);
  }
  OrtStatus* status = maker->api->CreateTensorWithDataAsOrtValue(
      maker->info, array->data, array->bytes, array->shape, array->rank,
      (ONNXTensorElementDataType)array->element, out);
  if (status != NULL) {
    return ortcffi_fail(maker->api, status, "CreateTensorWithDataAsOrtValue");
  }
  return 1;
}

int ortcffi_hold_value(PyObject* x, OrtValue** out, PyObject** holder) {
  struct value* value = (struct value*)x;
  if (!PyObject_TypeCheck(x, ortcffi_tensor_type)) {
    PyErr_Format(PyExc_TypeError, "%R is not a Value", (PyObject*)Py_TYPE(x));
    return -1;
  }
  if (ortcffi_value_open(value) < 0 || handle_begin(&value->life) < 0) {
    return -1;
  }
  *out = ortcffi_value_object(value);
  *holder = Py_NewRef(x);
  return 0;
}

int ortcffi_convert_argument(PyObject* self, const char* method, size_t place, PyObject* x,
                             OrtValue** out, PyObject** holder) {
  PyObject* made = PyObject_CallMethod(self, method, "nO", (Py_ssize_t)place, x);
  int answer = made == NULL ? -1 : ortcffi_hold_value(made, out, holder);
  Py_XDECREF(made);
  return answer;
}

void ortcffi_drop_argument(const struct maker* maker, OrtValue* value, PyObject* holder) {
  if (holder != NULL && PyObject_TypeCheck(holder, ortcffi_tensor_type)) {
    handle_end((struct handle*)holder);
  } else if (value != NULL) {
    maker->api->ReleaseValue(value);
  }
  Py_XDECREF(holder);
}
