/* SPDX-License-Identifier: MIT */
/*
 * How the failing status of a function in C becomes an exception in Python:
 *
 *   1. Python calls checked.Name(api, ...), see ortcffi.errors. ortcffi_checked has made it of
 *      the function which CFFI generated for `Name`: it calls that with its name as `self`, in the
 *      place of CFFI's module.
 *   2. It converts the arguments and calls the C function of the slot (define_rows.def), which
 *      calls the table. If the result is not NULL, that function sets ortcffi_failed_table.
 *   3. It converts the result by a macro of CFFI's, which is ortcffi_status_result for every
 *      OrtStatus* (conversions.h). For NULL that is always the same cdata.
 *   4. If the result is not NULL and `self` is a name, ortcffi_fail reads the code and the message
 *      and releases the status by that table.
 *   5. It raises the class for the code, or the exception that `other` of ortcffi_set_errors makes.
 *
 * From 2 to 5 no code in Python runs, so no interrupt can come in between and lose the status.
 */
#include "boundary/limited_api.h"

#include <stdbool.h>
#include <string.h>

#include "onnxruntime_c_api.h"
#include "boundary/platform/handle.h"
#include "boundary/status/raise.h"

const void* ortcffi_failed_table;

static PyObject* error_classes;
static PyObject* other_error;

ortcffi_object* ortcffi_set_errors(ortcffi_object* classes, ortcffi_object* other) {
  Py_XDECREF(error_classes);
  Py_XDECREF(other_error);
  error_classes = Py_NewRef((PyObject*)classes);
  other_error = Py_NewRef((PyObject*)other);
  return (ortcffi_object*)Py_NewRef(Py_None);
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

ortcffi_object* ortcffi_fail(const OrtApi* api, OrtStatus* status, ortcffi_object* function) {
  OrtErrorCode number = api->GetErrorCode(status);
  PyObject* code = PyLong_FromLong(number);
  const char* text = text_for_python(api->GetErrorMessage(status));
  PyObject* message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  bool is_direct = !needs_a_look(number, text);
  api->ReleaseStatus(status);
  PyObject* error = code != NULL && message != NULL
                        ? make_error(code, message, (PyObject*)function, is_direct)
                        : NULL;
  if (error != NULL) {
    PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  }
  Py_XDECREF(code);
  Py_XDECREF(message);
  Py_XDECREF(error);
  return NULL;
}

int ortcffi_raise_status(const OrtApi* api, OrtStatus* status, const char* function) {
  PyObject* name = PyUnicode_FromString(function);
  if (name == NULL) {
    api->ReleaseStatus(status);
    return -1;
  }
  (void)ortcffi_fail(api, status, (ortcffi_object*)name);
  Py_DECREF(name);
  return -1;
}

void ortcffi_report(ortcffi_object* error, ortcffi_object* what) {
  PyErr_SetObject((PyObject*)Py_TYPE((PyObject*)error), (PyObject*)error);
  PyErr_WriteUnraisable((PyObject*)what);
}

ortcffi_object* ortcffi_status_result(OrtStatus* status, ortcffi_object* type,
                                      ortcffi_object* self) {
  static PyObject* success;
  if (status != NULL && PyUnicode_Check((PyObject*)self)) {
    return ortcffi_fail(ortcffi_failed_table, status, self);
  }
  if (status != NULL || success == NULL) {
    PyObject* cdata = ortcffi_pointer_cdata(status, (PyObject*)type);
    success = status == NULL ? cdata : success;
    return (ortcffi_object*)(status == NULL ? Py_XNewRef(cdata) : cdata);
  }
  return (ortcffi_object*)Py_NewRef(success);
}

ortcffi_object* ortcffi_call(ortcffi_object* fail, ortcffi_object* api, ortcffi_object* name,
                             ortcffi_object* function, ortcffi_object* arguments) {
  PyObject* status = PyObject_CallObject((PyObject*)function, (PyObject*)arguments);
  int is_failure = status == NULL ? -1 : PyObject_IsTrue(status);
  PyObject* answer = NULL;
  if (is_failure == 0) {
    answer = Py_NewRef(Py_None);
  } else if (is_failure == 1) {
    answer = PyObject_CallFunctionObjArgs((PyObject*)fail, api, status, name, NULL);
  }
  Py_XDECREF(status);
  return (ortcffi_object*)answer;
}

void ortcffi_create_status(const OrtApi* api, OrtErrorCode code, const char* message,
                           OrtStatus** out) {
  *out = api->CreateStatus(code, message);
}
