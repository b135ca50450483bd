/* SPDX-License-Identifier: MIT */
/* How a failing status becomes an exception in Python: see ortcffi.errors. */
#include "boundary/limited_api.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "boundary/gil.h"
#include "boundary/handle/handle.h"
#include "boundary/module.h"
#include "boundary/status/calls.h"
#include "boundary/status/fail.h"

__thread struct ortcffi_call* ortcffi_current_call CORE_TLS;
static __thread struct ortcffi_failure last_failure CORE_TLS;

static PyObject* error_classes;
static PyObject* other_error;
static PyObject* code_and_text;

/* set_errors(classes, other, code_and_text): how a status becomes an exception, and back. `classes`
 * is a dict of code to class, each called with message and function; other(code, message, function)
 * makes the exception for any other code. code_and_text(exception) is of a status, as int and
 * bytes. */
static PyObject* set_errors(PyObject* module, PyObject* arguments) {
  if (!PyArg_UnpackTuple(arguments, "set_errors", 3, 3, &error_classes, &other_error,
                         &code_and_text)) {
    return NULL;
  }
  Py_INCREF(error_classes);
  Py_INCREF(other_error);
  Py_INCREF(code_and_text);
  Py_RETURN_NONE;
}

/* --- exceptions of callbacks -------------------------------------------------------------------*/

void ortcffi_note_failure(const struct ortcffi_call* call, const OrtStatus* status,
                          const char* function, int is_failure) {
  PyObject* dropped = call->error;
  if (is_failure) {
    dropped = last_failure.error;
    last_failure = (struct ortcffi_failure){status, function, call->error};
  }
  if (dropped != NULL) {
    call_with_gil(drop_reference, dropped);
  }
}

struct ortcffi_failure ortcffi_take_failure(const OrtStatus* status) {
  struct ortcffi_failure failure = {NULL, NULL, NULL};
  if (last_failure.status == status) {
    failure = last_failure;
    last_failure = (struct ortcffi_failure){NULL, NULL, NULL};
  }
  return failure;
}

int ortcffi_keep_error(PyObject* error) {
  struct ortcffi_call* call = ortcffi_current_call;
  if (call == NULL) {
    return 0;
  }
  PyObject* before = call->error;
  call->error = Py_NewRef(error);
  Py_XDECREF(before);
  return 1;
}

/* keep(error): leaves an exception with the current call of this thread; False if there is none. */
static PyObject* keep(PyObject* module, PyObject* error) {
  return PyBool_FromLong(ortcffi_keep_error(error));
}

/* take_cause(): the exception of the last call of this thread, which had no memory and no status;
 * None if there is none. */
static PyObject* take_cause(PyObject* module, PyObject* unused) {
  struct ortcffi_failure failure = ortcffi_take_failure(NULL);
  return failure.error == NULL ? Py_NewRef(Py_None) : failure.error;
}

void ortcffi_add_cause(PyObject* cause) {
  if (cause == NULL) {
    return;
  }
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  if (type != NULL && PyObject_IsInstance(cause, PyExc_Exception) == 1) {
    PyErr_NormalizeException(&type, &error, &traceback);
    PyException_SetCause(error, cause);
    PyErr_Restore(type, error, traceback);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
  PyErr_SetObject((PyObject*)Py_TYPE(cause), cause);
  Py_DECREF(cause);
}

/* The pending exception, with its traceback; None where there is none. Nothing is pending then. */
static PyObject* take_exception(void) {
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  if (traceback != NULL) {
    PyException_SetTraceback(error, traceback);
  }
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return error == NULL ? Py_NewRef(Py_None) : error;
}

OrtStatus* ortcffi_status_of_exception(const OrtApi* api) {
  int code = ORT_RUNTIME_EXCEPTION;
  const char* text = "an exception without a text";
  PyObject* error = take_exception();
  PyObject* answer = PyObject_CallFunctionObjArgs(code_and_text, error, NULL);
  if (answer == NULL || !PyArg_ParseTuple(answer, "iy", &code, &text)) {
    PyErr_Clear();
  }
  OrtStatus* status = api->CreateStatus((OrtErrorCode)code, text);
  Py_XDECREF(answer);
  Py_DECREF(error);
  return status;
}

/* --- statuses ----------------------------------------------------------------------------------*/

int ortcffi_is_refusal_of_arena(const char* message) {
  return strstr(message, "Available memory of ") != NULL ||
         strstr(message, "Failed to allocate memory") != NULL;
}

/* "out of memory" is of the core and CUDA, "bad_alloc" of C++. */
int ortcffi_says_no_memory(int code, const char* message) {
  return (code == ORT_FAIL && ortcffi_is_refusal_of_arena(message)) ||
         (code == ORT_RUNTIME_EXCEPTION &&
          (ortcffi_is_refusal_of_arena(message) || strstr(message, "out of memory") != NULL ||
           strstr(message, "bad_alloc") != NULL));
}

/* Whether the words of a message that says so are those of an exception about something else. */
static bool are_words_of(PyObject* error, const char* message) {
  if (error == NULL || PyErr_GivenExceptionMatches(error, PyExc_MemoryError)) {
    return false;
  }
  PyObject *type, *pending, *traceback;
  PyErr_Fetch(&type, &pending, &traceback);
  PyObject* text = PyObject_Str(error);
  const char* words = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, NULL);
  bool answer = words != NULL && ortcffi_says_no_memory(ORT_RUNTIME_EXCEPTION, words) &&
                strstr(message, words) != NULL;
  Py_XDECREF(text);
  PyErr_Restore(type, pending, traceback); /* in the place of what its __str__ raised */
  return answer;
}

bool ortcffi_is_no_memory(int code, const char* message, PyObject* cause) {
  return ortcffi_says_no_memory(code, message) && !are_words_of(cause, message);
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

int ortcffi_fail(const OrtApi* api, OrtStatus* status, const char* function) {
  struct ortcffi_failure failure = ortcffi_take_failure(status);
  return ortcffi_fail_because(api, status, function != NULL ? function : failure.function,
                              failure.error);
}

int ortcffi_fail_because(const OrtApi* api, OrtStatus* status, const char* function,
                         PyObject* cause) {
  PyObject* name = function == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(function);
  OrtErrorCode number = api->GetErrorCode(status);
  PyObject* code = PyLong_FromLong(number);
  const char* text = text_for_python(api->GetErrorMessage(status));
  PyObject* message = ortcffi_text(text);
  bool is_direct = !ortcffi_is_no_memory((int)number, text, cause);
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
  ortcffi_add_cause(cause);
  return -1;
}

/* fail(api, status, function): the same with addresses; `function` may be None. */
static PyObject* fail(PyObject* module, PyObject* arguments) {
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
  PyObject *error, *what;
  if (!PyArg_UnpackTuple(arguments, "report", 2, 2, &error, &what)) {
    return NULL;
  }
  PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  PyErr_WriteUnraisable(what);
  Py_RETURN_NONE;
}

/* call(function, arguments): calls a function of CFFI's that answers a status, so that exceptions
 * of callbacks are those of this call. */
static PyObject* call_function(PyObject* module, PyObject* arguments) {
  PyObject *function, *given, *address = NULL;
  if (!PyArg_ParseTuple(arguments, "OO!", &function, &PyTuple_Type, &given)) {
    return NULL;
  }
  struct ortcffi_call call;
  ortcffi_call_begin(&call);
  PyObject* status = PyObject_CallObject(function, given);
  if (status != NULL) {
    address = handle_address_in(status);
  }
  void* pointer = address == NULL ? NULL : PyLong_AsVoidPtr(address);
  ortcffi_call_end(&call, pointer, NULL);
  if (address == NULL) { /* an interrupt; it loses a status */
    Py_CLEAR(status);
  }
  Py_XDECREF(address);
  return status;
}

void ortcffi_create_status(const OrtApi* api, OrtErrorCode code, const char* message,
                           OrtStatus** out) {
  *out = api->CreateStatus(code, message);
}

PyMethodDef ortcffi_fail_functions[] = {
    {"set_errors", set_errors, METH_VARARGS, NULL},
    {"fail", fail, METH_VARARGS, NULL},
    {"report", report, METH_VARARGS, NULL},
    {"keep", keep, METH_O, NULL},
    {"take_cause", take_cause, METH_NOARGS, NULL},
    {"call", call_function, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
