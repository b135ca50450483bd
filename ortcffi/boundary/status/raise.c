/* SPDX-License-Identifier: MIT */
/* How a failing status becomes an exception: ortcffi/errors.py decides, this does it fast. */
#include "boundary/limited_api.h"

#include <string.h>

#include "onnxruntime_c_api.h"
#include "boundary/status/raise.h"

static PyObject* error_classes;
static PyObject* other_error;

ortcffi_object* ortcffi_set_errors(ortcffi_object* classes, ortcffi_object* other) {
  Py_XDECREF(error_classes);
  Py_XDECREF(other_error);
  error_classes = Py_NewRef((PyObject*)classes);
  other_error = Py_NewRef((PyObject*)other);
  return (ortcffi_object*)Py_NewRef(Py_None);
}

/* The exception for a code and a message; NULL for another one that came up. */
static PyObject* make_error(PyObject* code, PyObject* message, PyObject* function) {
  PyObject* kind = PyDict_GetItemWithError(error_classes, code);
  if (kind != NULL) {
    return PyObject_CallFunctionObjArgs(kind, message, function, NULL);
  }
  return PyErr_Occurred()
             ? NULL
             : PyObject_CallFunctionObjArgs(other_error, code, message, function, NULL);
}

ortcffi_object* ortcffi_fail(const OrtApi* api, OrtStatus* status, ortcffi_object* function) {
  PyObject* code = PyLong_FromLong(api->GetErrorCode(status));
  const char* kept = api->GetErrorMessage(status);
  const char* text = kept == NULL ? "" : kept;
  PyObject* message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  api->ReleaseStatus(status);
  PyObject* error =
      code != NULL && message != NULL ? make_error(code, message, (PyObject*)function) : NULL;
  if (error != NULL) {
    PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  }
  Py_XDECREF(code);
  Py_XDECREF(message);
  Py_XDECREF(error);
  return NULL;
}
