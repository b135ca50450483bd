/* SPDX-License-Identifier: MIT */
/* How a failing status becomes an exception in Python: see ortcffi.errors. */
#include "boundary/limited_api.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "boundary/status/calls.h"
#include "boundary/status/fail.h"

__thread struct ortcffi_call* ortcffi_current_call CORE_TLS;
__thread struct ortcffi_failure ortcffi_last_failure CORE_TLS;

static PyObject* error_classes;
static PyObject* other_error;

/* set_errors(classes, other): how a status becomes an exception. `classes` is a dict of code to
 * class, each called with message and function; other(code, message, function) makes the exception
 * for any other code. */
static PyObject* set_errors(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *classes, *other;
  if (!PyArg_UnpackTuple(arguments, "set_errors", 2, 2, &classes, &other)) {
    return NULL;
  }
  Py_XDECREF(error_classes);
  Py_XDECREF(other_error);
  error_classes = Py_NewRef(classes);
  other_error = Py_NewRef(other);
  Py_RETURN_NONE;
}

int ortcffi_is_refusal_of_arena(const char* message) {
  return strstr(message, "Available memory of ") != NULL ||
         strstr(message, "Failed to allocate memory") != NULL;
}

/* Whether ortcffi.errors must read the message: arenas of ONNX Runtime report a lack of memory
 * in the text only. */
static bool needs_a_look(OrtErrorCode code, const char* text) {
  return code == ORT_FAIL && ortcffi_is_refusal_of_arena(text);
}

/* Makes the exception for a code and a message; NULL with another exception. */
static PyObject* make_error(PyObject* code, PyObject* message, PyObject* function, bool is_direct) {
  PyObject* kind = is_direct ? PyDict_GetItemWithError(error_classes, code) : NULL;
  if (kind != NULL) {
    return PyObject_CallFunctionObjArgs(kind, message, function, NULL);
  }
  return PyErr_Occurred()
             ? NULL
             : PyObject_CallFunctionObjArgs(other_error, code, message, function, NULL);
}

/* The message without the name of a function of ortcore.h, which programs in Python do not know. */
static const char* text_for_python(const char* message) {
  static const char prefix[] = "ortcore_";
  if (message == NULL) {
    return "";
  }
  const char* end = strncmp(message, prefix, sizeof prefix - 1) == 0 ? strstr(message, ": ") : NULL;
  return end != NULL ? end + 2 : message;
}

/* The name as a str, or None. */
static PyObject* name_of(const OrtStatus* status, const char* function) {
  if (function == NULL && ortcffi_last_failure.status == status) {
    function = ortcffi_last_failure.function;
  }
  return function == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(function);
}

int ortcffi_fail(const OrtApi* api, OrtStatus* status, const char* function) {
  PyObject* name = name_of(status, function);
  OrtErrorCode number = api->GetErrorCode(status);
  PyObject* code = PyLong_FromLong(number);
  const char* text = text_for_python(api->GetErrorMessage(status));
  PyObject* message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  bool is_direct = !needs_a_look(number, text);
  api->ReleaseStatus(status);
  PyObject* error = name != NULL && code != NULL && message != NULL
                        ? make_error(code, message, name, is_direct)
                        : NULL;
  if (error != NULL) {
    PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  }
  Py_XDECREF(name);
  Py_XDECREF(code);
  Py_XDECREF(message);
  Py_XDECREF(error);
  return -1;
}

/* fail(api, status, function): the same with addresses; `function` may be None. */
static PyObject* fail(PyObject* module, PyObject* arguments) {
  (void)module;
  unsigned long long api, status;
  const char* function;
  if (PyArg_ParseTuple(arguments, "KKz", &api, &status, &function)) {
    (void)ortcffi_fail((const OrtApi*)(uintptr_t)api, (OrtStatus*)(uintptr_t)status, function);
  }
  return NULL;
}

/* report(error, what): passes an exception to sys.unraisablehook; `what`, a str, says where it was
 * raised. */
static PyObject* report(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *error, *what;
  if (!PyArg_UnpackTuple(arguments, "report", 2, 2, &error, &what)) {
    return NULL;
  }
  PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  PyErr_WriteUnraisable(what);
  Py_RETURN_NONE;
}

void ortcffi_create_status(const OrtApi* api, OrtErrorCode code, const char* message,
                           OrtStatus** out) {
  *out = api->CreateStatus(code, message);
}

static PyMethodDef fail_functions[] = {
    {"set_errors", set_errors, METH_VARARGS, NULL},
    {"fail", fail, METH_VARARGS, NULL},
    {"report", report, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_fail(PyObject* module) { return PyModule_AddFunctions(module, fail_functions); }
