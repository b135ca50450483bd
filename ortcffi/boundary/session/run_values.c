/* SPDX-License-Identifier: MIT */
/* Runs: values of what Python gives. See session.h. */
#include "boundary/session/session.h"

#include <stdlib.h>
#include <string.h>

static int fits(const struct port* port, const struct plain_array* array) {
  if (port->kind != ONNX_TYPE_TENSOR || port->element != array->element) {
    return 0;
  }
  if (port->rank < 0) {
    return 1;
  }
  if ((size_t)port->rank != array->rank) {
    return 0;
  }
  for (size_t i = 0; i < array->rank; i++) {
    if (port->shape[i] >= 0 && port->shape[i] != array->shape[i]) {
      return 0;
    }
  }
  return 1;
}

/* A value over an array's memory; -1 with an exception. */
static int make_over(const struct maker* maker, const struct plain_array* array, OrtValue** out,
                     size_t* bytes) {
  OrtStatus* status = maker->api->CreateTensorWithDataAsOrtValue(
      maker->info, array->data, array->bytes, array->shape, array->rank,
      (ONNXTensorElementDataType)array->element, out);
  if (status != NULL) {
    ortcffi_value_fail(maker, status, "CreateTensorWithDataAsOrtValue");
    return -1;
  }
  *bytes += array->bytes;
  return 1;
}

int ortcffi_make_value(const struct session* session, const struct port* port, PyObject* x,
                       int is_output, OrtValue** out, size_t* bytes) {
  const struct maker* maker = session->maker;
  struct plain_array array;
  if (ortcffi_plain_array(x, &array)) {
    return fits(port, &array) && !(is_output && array.is_readonly)
               ? make_over(maker, &array, out, bytes)
               : 0;
  }
  if (!is_output && ortcffi_text_array(x, &array) && fits(port, &array)) {
    *bytes += array.bytes;
    return ortcffi_strings_from_array(maker, session->strings, &array, out);
  }
  return 0;
}

/* --- values that are used again ------------------------------------------------------------------
 *
 * A value over an array is an address, a type and a shape. To make one and release it takes a tenth
 * of a short run, and programs often run with arrays at the same place. */

static int is_like_made(const struct port* port, const struct plain_array* array) {
  return port->made != NULL && !port->is_made_used && port->made_data == array->data &&
         port->made_rank == array->rank &&
         (array->rank == 0 ||
          memcmp(port->made_shape, array->shape, array->rank * sizeof *array->shape) == 0);
}

/* Keeps a value for the next run, unless there is one in use. */
static void keep_made(const struct maker* maker, struct port* port, OrtValue* value,
                      const struct plain_array* array) {
  if (port->is_made_used) {
    return;
  }
  if (array->rank > port->made_room) {
    int64_t* room = realloc(port->made_shape, array->rank * sizeof *room);
    if (room == NULL) {
      return;
    }
    port->made_shape = room;
    port->made_room = array->rank;
  }
  if (array->rank > 0) {
    memcpy(port->made_shape, array->shape, array->rank * sizeof *array->shape);
  }
  maker->api->ReleaseValue(port->made);
  port->made = value;
  port->made_data = array->data;
  port->made_rank = array->rank;
  port->is_made_used = 1;
}

int ortcffi_make_input(const struct session* session, struct port* port, PyObject* x,
                       OrtValue** out, size_t* bytes) {
  struct plain_array array;
  if (!ortcffi_plain_array(x, &array)) {
    return ortcffi_make_value(session, port, x, 0, out, bytes);
  }
  if (!fits(port, &array)) {
    return 0;
  }
  if (is_like_made(port, &array)) {
    port->is_made_used = 1;
    *out = port->made;
    *bytes += array.bytes;
    return 1;
  }
  int made = make_over(session->maker, &array, out, bytes);
  if (made == 1) {
    keep_made(session->maker, port, *out, &array);
  }
  return made;
}

void ortcffi_drop_input(const struct session* session, struct port* port, OrtValue* value,
                        PyObject* holder) {
  if (value != NULL && value == port->made) {
    port->is_made_used = 0;
    Py_XDECREF(holder);
  } else {
    ortcffi_drop_value(session, value, holder);
  }
}

int ortcffi_convert_value(struct session* session, const char* method, size_t place, PyObject* x,
                          OrtValue** out, PyObject** holder) {
  PyObject* made = PyObject_CallMethod((PyObject*)session, method, "nO", (Py_ssize_t)place, x);
  if (made == NULL) {
    return -1;
  }
  if (!PyObject_TypeCheck(made, ortcffi_tensor_type) ||
      ortcffi_value_open((struct value*)made) < 0) {
    if (!PyErr_Occurred()) {
      PyErr_Format(PyExc_TypeError, "%s must return a Value", method);
    }
    Py_DECREF(made);
    return -1;
  }
  ((struct value*)made)->uses++; /* another thread may close it */
  *out = ((struct value*)made)->handle;
  *holder = made;
  return 0;
}

int ortcffi_use_value(const struct session* session, const struct port* port, PyObject* x,
                      OrtValue** out, PyObject** holder) {
  struct value* value = (struct value*)x;
  if (Py_TYPE(x) != session->value_type || value->maker->api != session->maker->api ||
      value->is_closed || value->handle == NULL || port->kind != ONNX_TYPE_TENSOR) {
    return 0;
  }
  int kind = ortcffi_value_kind(value);
  if (kind < 0 || (kind == ONNX_TYPE_TENSOR && ortcffi_value_shape(value) < 0)) {
    return -1;
  }
  struct plain_array like = {.shape = value->shape, .rank = value->rank, .element = value->element};
  if (kind != ONNX_TYPE_TENSOR || !fits(port, &like)) {
    return 0;
  }
  value->uses++; /* another thread may close it */
  *out = value->handle;
  *holder = Py_NewRef(x);
  return 1;
}

void ortcffi_drop_value(const struct session* session, OrtValue* value, PyObject* holder) {
  if (holder != NULL && PyObject_TypeCheck(holder, ortcffi_tensor_type)) {
    PyObject* done = ortcffi_value_take_back(holder, NULL);
    Py_XDECREF(done);
  } else if (value != NULL) {
    session->maker->api->ReleaseValue(value);
  }
  Py_XDECREF(holder);
}
