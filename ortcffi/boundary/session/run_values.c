/* SPDX-License-Identifier: MIT */
/* Runs: makes values of Python's arguments. See session.h. */
#include "boundary/session/session.h"

#include <stdlib.h>
#include <string.h>

static int fits_port(const struct port* port, const struct plain_array* array) {
  if (port->kind != ONNX_TYPE_TENSOR || port->element != array->element) {
    return 0;
  }
  if (port->rank <= 0) { /* no dimensions mean any shape, as in ONNX Runtime */
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

int ortcffi_make_value(const struct session* session, const struct port* port, PyObject* x,
                       int is_output, OrtValue** out) {
  struct plain_array array;
  if (!ortcffi_argument_array(x, &array) || !fits_port(port, &array)) {
    return 0;
  }
  int is_text = array.element == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  if (is_output && (is_text || array.is_readonly)) {
    return 0;
  }
  return ortcffi_value_of_array(session->maker, &array, out);
}

/* --- values that are used again ------------------------------------------------------------------
 *
 * A value over an array is an address, a type and a shape. To make one and release it takes 1,160
 * of the 20,260 instructions of the shortest run, and programs often run with arrays at the same
 * place. */

static int is_like_made(const struct port* port, const struct plain_array* array) {
  return port->made != NULL && port->made_data == array->data && port->made_rank == array->rank &&
         (array->rank == 0 ||
          memcmp(port->made_shape, array->shape, array->rank * sizeof *array->shape) == 0);
}

/* Caches a value for the next run, in place of the one that this run has taken: whether there was
 * memory. */
static int keep_made(const struct maker* maker, struct port* port, OrtValue* value,
                     const struct plain_array* array) {
  if (array->rank > port->made_room) {
    int64_t* room = realloc(port->made_shape, array->rank * sizeof *room);
    if (room == NULL) {
      return 0;
    }
    port->made_shape = room;
    port->made_room = array->rank;
  }
  if (array->rank > 0) {
    memcpy(port->made_shape, array->shape, array->rank * sizeof *array->shape);
  }
  maker->api->ReleaseValue(swap_pointer((void**)&port->made, value));
  port->made_data = array->data;
  port->made_rank = array->rank;
  return 1;
}

int ortcffi_make_input(const struct session* session, struct port* port, PyObject* x,
                       OrtValue** out, size_t* bytes) {
  struct plain_array array;
  if (!ortcffi_plain_array(x, &array)) {
    return ortcffi_make_value(session, port, x, 0, out);
  }
  if (!fits_port(port, &array)) {
    return 0;
  }
  *bytes += array.bytes;
  int is_taken = take_flag(&port->is_made_used);
  if (is_taken && is_like_made(port, &array)) {
    *out = port->made;
    return 1;
  }
  int made = ortcffi_value_of_array(session->maker, &array, out);
  if (is_taken && !(made == 1 && keep_made(session->maker, port, *out, &array))) {
    clear_flag(&port->is_made_used);
  }
  return made;
}

void ortcffi_drop_input(const struct session* session, struct port* port, OrtValue* value,
                        PyObject* holder) {
  /* Another thread may have taken the cached value, but then it is not this one. */
  if (value != NULL && value == __atomic_load_n(&port->made, __ATOMIC_RELAXED)) {
    clear_flag(&port->is_made_used);
    Py_XDECREF(holder);
  } else {
    ortcffi_drop_argument(session->maker, value, holder);
  }
}

size_t ortcffi_tensor_bytes(PyObject* x) {
  struct value* value = (struct value*)x;
  int is_tensor;
  ORTCFFI_CRITICAL_BEGIN(x);
  is_tensor = ortcffi_value_kind(value) == ONNX_TYPE_TENSOR && ortcffi_value_shape(value) == 0;
  ORTCFFI_CRITICAL_END();
  PyErr_Clear(); /* the run reports what is wrong */
  return is_tensor ? ortcffi_value_bytes(value) : 0;
}

static int use_value(const struct port* port, struct value* value, OrtValue** out,
                     PyObject** holder, size_t* bytes) {
  if (handle_state(&value->life) != HANDLE_OPEN || value->life.object == NULL) {
    return 0;
  }
  int kind = ortcffi_value_kind(value);
  if (kind < 0 || (kind == ONNX_TYPE_TENSOR && ortcffi_value_shape(value) < 0)) {
    return -1;
  }
  struct plain_array like = {.shape = value->shape, .rank = value->rank, .element = value->element};
  if (kind != ONNX_TYPE_TENSOR || !fits_port(port, &like)) {
    return 0;
  }
  *bytes += ortcffi_value_bytes(value);
  return ortcffi_hold_value((PyObject*)value, out, holder) < 0 ? -1 : 1;
}

int ortcffi_use_value(const struct session* session, const struct port* port, PyObject* x,
                      OrtValue** out, PyObject** holder, size_t* bytes) {
  struct value* value = (struct value*)x;
  if (Py_TYPE(x) != session->value_type || value->maker->api != session->maker->api ||
      port->kind != ONNX_TYPE_TENSOR) {
    return 0;
  }
  int answer;
  ORTCFFI_CRITICAL_BEGIN(x);
  answer = use_value(port, value, out, holder, bytes);
  ORTCFFI_CRITICAL_END();
  return answer;
}
