/* SPDX-License-Identifier: MIT */
/*
 * Kernels as Python objects: what ortcffi/kernels/kernel.py builds its class Kernel on.
 *
 *   KernelHost(type, release, maker, value_type, outputs, memory, op, logger)
 *       A handle of an OrtcoreKernel, which `type` is CFFI's pointer to, and `release` the address
 *       of the function that releases it; the caller writes the kernel to it. Each call asks for
 *       `outputs` outputs; `memory` keeps the allocator of the results, or is None; the kernel
 *       borrows `op` and `logger`. The arguments are the parents of the handle.
 *   KernelHost(*inputs)
 *       The results as arrays.
 *   KernelHost._compute(inputs, outputs)
 *       The results as a tuple of Values; `outputs` is a tuple of Values to write to, or None.
 */
#include "boundary/limited_api.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <structmember.h>

#include "boundary/handle/handle.h"
#include "boundary/module.h"
#include "boundary/status/calls.h"
#include "boundary/values/arguments.h"
#include "kernels/kernel.h"

/* So many inputs and outputs need no memory of their own. */
#define KERNEL_FEW 16

struct host {
  struct handle handle;
  struct maker* maker; /* these three are the parents' */
  PyTypeObject* value_type;
  PyObject* memory; /* NULL for none */
  Py_ssize_t outputs;
};

/* One call, which is a use of the handle. */
struct call {
  struct host* host;
  size_t inputs, outputs;
  OrtValue** given;   /* inputs, then outputs */
  PyObject** holders; /* by input and output: the Value that a handle belongs to, or NULL */
  OrtValue* few[2 * KERNEL_FEW];
  PyObject* few_holders[2 * KERNEL_FEW];
};

/* --- arguments ---------------------------------------------------------------------------------*/

static int add_input(struct call* call, size_t place, PyObject* x) {
  struct host* host = call->host;
  struct plain_array array;
  if (x == Py_None) {
    return 0;
  }
  int made = 0;
  if (ortcffi_argument_array(x, &array)) {
    made = ortcffi_value_of_array(host->maker, &array, &call->given[place]);
  }
  if (made == 0) {
    return ortcffi_convert_argument((PyObject*)host, "_convert", place, x, &call->given[place],
                                    &call->holders[place]);
  }
  return made < 0 ? -1 : 0;
}

/* What the i-th output is written to: a Value, or None. */
static int add_output(struct call* call, size_t i, PyObject* output) {
  size_t place = call->inputs + i;
  if (output == NULL || output == Py_None) {
    return output == NULL ? -1 : 0;
  }
  return ortcffi_hold_value(output, &call->given[place], &call->holders[place]);
}

static int begin_call(struct call* call, struct host* host, PyObject* inputs) {
  call->host = host;
  call->inputs = (size_t)PyTuple_Size(inputs);
  call->outputs = (size_t)host->outputs;
  call->given = call->few;
  call->holders = call->few_holders;
  size_t count = call->inputs + call->outputs;
  if (handle_begin(&host->handle) < 0) {
    return -1;
  }
  if (count > 2 * KERNEL_FEW) {
    call->given = PyMem_Malloc(count * sizeof *call->given);
    call->holders = PyMem_Malloc(count * sizeof *call->holders);
  }
  if (call->given == NULL || call->holders == NULL) {
    PyMem_Free(call->given);
    PyMem_Free(call->holders);
    handle_end(&host->handle);
    PyErr_NoMemory();
    return -1;
  }
  memset(call->given, 0, count * sizeof *call->given);
  memset(call->holders, 0, count * sizeof *call->holders);
  return 0;
}

static void end_call(struct call* call) {
  for (size_t i = 0; i < call->inputs + call->outputs; i++) {
    ortcffi_drop_argument(call->host->maker, call->given[i], call->holders[i]);
  }
  if (call->given != call->few) {
    PyMem_Free(call->given);
    PyMem_Free(call->holders);
  }
  handle_end(&call->host->handle);
}

/* --- results -----------------------------------------------------------------------------------*/

/* An output as a Value, which then owns it; None where the kernel made none. */
static PyObject* result_value(struct call* call, size_t i) {
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

/* An output as an array, or what to_python() gives. */
static PyObject* result_array(struct call* call, size_t i) {
  PyObject* value = result_value(call, i);
  if (value == NULL || value == Py_None) {
    return value;
  }
  struct value* tensor = (struct value*)value;
  PyObject* array = NULL;
  int kind, has_shape;
  ORTCFFI_CRITICAL_BEGIN(value);
  kind = ortcffi_value_kind(tensor);
  has_shape = kind == ONNX_TYPE_TENSOR && ortcffi_value_shape(tensor) == 0;
  ORTCFFI_CRITICAL_END();
  if (has_shape) {
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

/* All outputs as a tuple. */
static PyObject* results_of(struct call* call, PyObject* (*convert)(struct call*, size_t)) {
  size_t count = call->outputs;
  PyObject* results = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; results != NULL && i < count; i++) {
    ortcffi_put_in_tuple(&results, i, convert(call, i));
  }
  return results;
}

/* --- the call ----------------------------------------------------------------------------------*/

/* -1 with an exception. */
static int perform(struct call* call, PyObject* inputs) {
  struct host* host = call->host;
  for (size_t i = 0; i < call->inputs; i++) {
    if (add_input(call, i, PyTuple_GetItem(inputs, (Py_ssize_t)i)) < 0) {
      return -1;
    }
  }
  OrtStatus* status;
  struct ortcffi_call outer;
  ortcffi_call_begin(&outer);
  Py_BEGIN_ALLOW_THREADS;
  status = core_kernel_compute(host->handle.object, (const OrtValue* const*)call->given,
                               call->inputs, call->given + call->inputs, call->outputs);
  Py_END_ALLOW_THREADS;
  if (ortcffi_call_end(&outer, status, "KernelCompute") != NULL) {
    return ortcffi_fail(host->maker->api, status, "KernelCompute");
  }
  return 0;
}

static PyObject* call_host(PyObject* self, PyObject* inputs, PyObject* keywords) {
  struct host* host = (struct host*)self;
  struct call call;
  if (keywords != NULL && PyDict_Size(keywords) > 0) {
    PyErr_SetString(PyExc_TypeError, "a kernel takes its inputs by position");
    return NULL;
  }
  if (begin_call(&call, host, inputs) < 0) {
    return NULL;
  }
  PyObject* results = NULL;
  if (perform(&call, inputs) == 0) {
    results = call.outputs == 1 ? result_array(&call, 0) : results_of(&call, result_array);
  }
  end_call(&call);
  return results;
}

static PyObject* compute(PyObject* self, PyObject* arguments) {
  struct host* host = (struct host*)self;
  PyObject *inputs, *outputs;
  struct call call;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &inputs, &outputs) ||
      begin_call(&call, host, inputs) < 0) {
    return NULL;
  }
  int answer = 0;
  for (size_t i = 0; outputs != Py_None && answer == 0 && i < call.outputs; i++) {
    answer = add_output(&call, i, PyTuple_GetItem(outputs, (Py_ssize_t)i));
  }
  PyObject* results = NULL;
  if (answer == 0 && perform(&call, inputs) == 0) {
    results = results_of(&call, result_value);
  }
  end_call(&call);
  return results;
}

/* --- the type ----------------------------------------------------------------------------------*/

static PyObject* new_host(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  struct maker* maker;
  unsigned long long release;
  PyObject *pointer, *value_type, *memory, *op, *logger;
  Py_ssize_t outputs;
  if (!PyArg_ParseTuple(arguments, "OKO!O!nOOO", &pointer, &release, ortcffi_maker_type, &maker,
                        &PyType_Type, &value_type, &outputs, &memory, &op, &logger)) {
    return NULL;
  }
  struct host* host = (struct host*)PyType_GenericAlloc(type, 0); /* zeroed */
  if (host == NULL || handle_make(&host->handle, NULL, pointer,
                                  (ortcffi_release*)(uintptr_t)release, arguments) < 0) {
    Py_XDECREF((PyObject*)host);
    return NULL;
  }
  host->handle.table = Py_NewRef(maker->owner);
  host->maker = maker;
  host->value_type = (PyTypeObject*)value_type;
  host->memory = memory == Py_None ? NULL : memory;
  host->outputs = outputs;
  return (PyObject*)host;
}

static PyMemberDef kernel_members[] = {
    {"_outputs", T_PYSSIZET, offsetof(struct host, outputs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef kernel_methods[] = {
    {"_compute", compute, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot kernel_slots[] = {
    {Py_tp_new, (void*)new_host},
    {Py_tp_call, (void*)call_host},
    {Py_tp_members, kernel_members},
    {Py_tp_methods, kernel_methods},
    {0, NULL},
};

PyType_Spec ortcffi_kernel_spec =
    ORTCFFI_TYPE("ortcffi._compiled.KernelHost", struct host, Py_TPFLAGS_BASETYPE, kernel_slots);
