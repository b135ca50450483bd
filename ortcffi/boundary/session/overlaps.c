/* SPDX-License-Identifier: MIT */
/*
 * Refuses memory that a run would write while it still reads it: of an output that shares bytes
 * with an input or with another output. An output in exactly the memory of an input is allowed: the
 * library's kernels for single elements work in place, and a caller that binds it so wants that.
 */
#include "boundary/session/session.h"

struct extent {
  const char* begin;
  const char* end;
  const char* name;
  int is_output;
};
struct extents {
  struct extent* items;
  size_t count;
};

/* Whether an array or a Value has elements in memory that the CPU reads; `out` is where. */
static int find_extent(PyObject* x, struct extent* out) {
  struct plain_array array;
  if (x != NULL && ortcffi_plain_array(x, &array)) {
    out->begin = array.data;
    out->end = out->begin + array.bytes;
    return array.bytes > 0;
  }
  if (x == NULL || !PyObject_TypeCheck(x, ortcffi_tensor_type)) {
    return 0;
  }
  struct value* value = (struct value*)x;
  int has_data;
  ORTCFFI_CRITICAL_BEGIN(x);
  has_data = ortcffi_value_open(value) == 0 && ortcffi_value_kind(value) == ONNX_TYPE_TENSOR &&
             ortcffi_value_shape(value) == 0 &&
             value->element != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING &&
             ortcffi_value_data(value) == 0;
  ORTCFFI_CRITICAL_END();
  if (!has_data) {
    PyErr_Clear(); /* it is in a device's memory, or the run reports what is wrong */
    return 0;
  }
  out->begin = value->data;
  out->end = out->begin + ortcffi_value_bytes(value);
  return out->end > out->begin;
}

static int overlap(const struct extent* a, const struct extent* b) {
  return a->begin < b->end && b->begin < a->end;
}

static int is_same(const struct extent* a, const struct extent* b) {
  return a->begin == b->begin && a->end == b->end;
}

static void add_extent(struct extents* all, PyObject* x, const char* name, int is_output) {
  struct extent* next = &all->items[all->count];
  if (find_extent(x, next)) {
    next->name = name;
    next->is_output = is_output;
    all->count++;
  }
}

/* -1 with an exception if an output overlaps an input or another output. */
static int check_extents(struct session* session, const struct extents* all) {
  for (size_t i = 0; i < all->count; i++) {
    const struct extent* output = &all->items[i];
    for (size_t j = 0; output->is_output && j < all->count; j++) {
      const struct extent* other = &all->items[j];
      int is_allowed = i == j || (!other->is_output && is_same(output, other));
      if (!is_allowed && overlap(output, other)) {
        ortcffi_session_refuse(session, "overlap",
                               Py_BuildValue("(sss)", output->name,
                                             other->is_output ? "output" : "input", other->name));
        return -1;
      }
    }
  }
  return 0;
}

static int new_extents(struct extents* all, size_t most) {
  all->count = 0;
  all->items = PyMem_Malloc((most + 1) * sizeof *all->items);
  if (all->items == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  return 0;
}

int ortcffi_check_targets(const struct run* run) {
  struct session* session = run->session;
  struct extents all;
  if (new_extents(&all, session->inputs.count + run->output_count) < 0) {
    return -1;
  }
  for (size_t i = 0; i < session->inputs.count; i++) {
    add_extent(&all, run->holders[i], session->inputs.items[i].text, 0);
  }
  for (size_t i = 0; i < run->output_count; i++) {
    add_extent(&all, run->targets[i], run->output_names[i], 1);
  }
  int answer = check_extents(session, &all);
  PyMem_Free(all.items);
  return answer;
}

static void add_bound(struct extents* all, PyObject* bound, int is_output) {
  PyObject *name, *entry;
  Py_ssize_t place = 0;
  while (PyDict_Next(bound, &place, &name, &entry)) {
    const char* text = PyUnicode_AsUTF8AndSize(name, NULL);
    PyErr_Clear();
    add_extent(all, PyTuple_GetItem(entry, 0), text == NULL ? "?" : text, is_output);
  }
}

PyObject* ortcffi_session_check_bound(PyObject* self, PyObject* arguments) {
  PyObject *inputs, *outputs;
  struct extents all;
  if (!PyArg_ParseTuple(arguments, "O!O!", &PyDict_Type, &inputs, &PyDict_Type, &outputs) ||
      new_extents(&all, (size_t)(PyDict_Size(inputs) + PyDict_Size(outputs))) < 0) {
    return NULL;
  }
  add_bound(&all, inputs, 0);
  add_bound(&all, outputs, 1);
  int answer = check_extents((struct session*)self, &all);
  PyMem_Free(all.items);
  return answer < 0 ? NULL : Py_NewRef(Py_None);
}
