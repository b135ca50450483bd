/* SPDX-License-Identifier: MIT */
/*
 * Kernels as Python objects: what ortcffi/kernels/kernel.py builds its class Kernel on.
 *
 *   KernelHost(maker, strings, value_type, kernel, outputs, lender, memory, ops)
 *       A kernel of the core's host, which it owns. `strings` is the address of the allocator for
 *       tensors of strings, `kernel` the Owner of an OrtcoreKernel; `outputs` is how many each call
 *       asks for; `lender` keeps what the kernel borrows; `memory` keeps the allocator of its
 *       results, or is None; `ops` is the address of the registered ops that the kernel's is one
 * of, or 0. They stay registered, and their library open, until the kernel has ended.
 *   KernelHost(*inputs)
 *       The results as arrays.
 *   KernelHost._compute(inputs, outputs)
 *       The results as a tuple of Values; `outputs` is a tuple of Values to write to, or None.
 *
 * The kernel ends when the object is closed, or gone, and the last call has returned.
 */
#include "boundary/kernels/kernel_host.h"

#include <stdint.h>
#include <string.h>

#include "boundary/kernels/python_ops.h"
#include "boundary/platform/handle.h"
#include "boundary/platform/owner.h"

/* --- arguments ---------------------------------------------------------------------------------*/

static int add_input(struct call* call, size_t place, PyObject* x) {
  struct host* host = call->host;
  struct plain_array array;
  if (x == Py_None) {
    return 0;
  }
  int made = 0;
  if (ortcffi_argument_array(x, &array)) {
    made = ortcffi_value_of_array(host->maker, host->strings, &array, &call->given[place]);
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

static int begin_call(struct call* call, struct host* host, size_t inputs) {
  size_t count = inputs + host->outputs;
  call->host = host;
  call->inputs = inputs;
  call->given = call->few;
  call->holders = call->few_holders;
  if (count > 2 * KERNEL_FEW) {
    call->given = PyMem_Malloc(count * sizeof *call->given);
    call->holders = PyMem_Malloc(count * sizeof *call->holders);
  }
  if (call->given == NULL || call->holders == NULL) {
    PyMem_Free(call->given);
    PyMem_Free(call->holders);
    PyErr_NoMemory();
    return -1;
  }
  memset(call->given, 0, count * sizeof *call->given);
  memset(call->holders, 0, count * sizeof *call->holders);
  host->uses++;
  Py_INCREF((PyObject*)host);
  return 0;
}

/* --- life --------------------------------------------------------------------------------------*/

/* KernelDestroy may take its time, or call Python. The kernel borrows from the lender, so it ends
 * first. */
static void end_kernel(struct host* host) {
  OrtcoreKernel* kernel = host->kernel;
  host->kernel = NULL;
  if (kernel != NULL) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    Py_BEGIN_ALLOW_THREADS;
    core_kernel_release(kernel);
    core_custom_ops_end(&host->ops);
    Py_END_ALLOW_THREADS;
    Py_CLEAR(host->lender);
    Py_CLEAR(host->memory);
    PyErr_Restore(type, error, traceback);
  }
}

static PyObject* close_host(PyObject* self, PyObject* unused) {
  (void)unused;
  struct host* host = (struct host*)self;
  host->is_closed = 1;
  if (host->uses == 0) {
    end_kernel(host);
  }
  Py_RETURN_NONE;
}

/* Ends a use: a thread may be in a call with the kernel while another closes the object. */
static void end_use(struct host* host) {
  host->uses--;
  if (host->is_closed && host->uses == 0) {
    end_kernel(host);
  }
}

static void end_call(struct call* call) {
  struct host* host = call->host;
  for (size_t i = 0; i < call->inputs + host->outputs; i++) {
    ortcffi_drop_argument(host->maker, call->given[i], call->holders[i]);
  }
  if (call->given != call->few) {
    PyMem_Free(call->given);
    PyMem_Free(call->holders);
  }
  end_use(host);
  Py_DECREF((PyObject*)host);
}

/* --- the call ----------------------------------------------------------------------------------*/

static int is_open(const struct host* host) {
  if (host->is_closed || host->kernel == NULL) {
    PyErr_SetString(PyExc_ValueError, "this Kernel is closed");
    return 0;
  }
  return 1;
}

/* -1 with an exception. */
static int perform(struct call* call, PyObject* inputs) {
  struct host* host = call->host;
  for (size_t i = 0; i < call->inputs; i++) {
    if (add_input(call, i, PyTuple_GetItem(inputs, (Py_ssize_t)i)) < 0) {
      return -1;
    }
  }
  OrtStatus* status;
  Py_BEGIN_ALLOW_THREADS;
  status = core_kernel_compute(host->kernel, (const OrtValue* const*)call->given, call->inputs,
                               call->given + call->inputs, host->outputs);
  Py_END_ALLOW_THREADS;
  if (status != NULL) {
    ortcffi_value_fail(host->maker, status, "KernelCompute");
    return -1;
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
  if (!is_open(host) || begin_call(&call, host, (size_t)PyTuple_Size(inputs)) < 0) {
    return NULL;
  }
  PyObject* results = NULL;
  if (perform(&call, inputs) == 0) {
    results = host->outputs == 1 ? ortcffi_kernel_array(&call, 0)
                                 : ortcffi_kernel_results(&call, ortcffi_kernel_array);
  }
  end_call(&call);
  return results;
}

static PyObject* compute(PyObject* self, PyObject* arguments) {
  struct host* host = (struct host*)self;
  PyObject *inputs, *outputs;
  struct call call;
  if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &inputs, &outputs) || !is_open(host) ||
      begin_call(&call, host, (size_t)PyTuple_Size(inputs)) < 0) {
    return NULL;
  }
  int answer = 0;
  for (size_t i = 0; outputs != Py_None && answer == 0 && i < host->outputs; i++) {
    answer = add_output(&call, i, PyTuple_GetItem(outputs, (Py_ssize_t)i));
  }
  PyObject* results = NULL;
  if (answer == 0 && perform(&call, inputs) == 0) {
    results = ortcffi_kernel_results(&call, ortcffi_kernel_value);
  }
  end_call(&call);
  return results;
}

/* --- the type ----------------------------------------------------------------------------------*/

static PyObject* new_host(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  struct maker* maker;
  unsigned long long strings, ops;
  PyTypeObject* value_type;
  PyObject *kernel, *lender, *memory;
  Py_ssize_t outputs;
  if (!PyArg_ParseTuple(arguments, "O!KO!O!nOOK", ortcffi_maker_type, &maker, &strings,
                        &PyType_Type, &value_type, ortcffi_handle_type, &kernel, &outputs, &lender,
                        &memory, &ops)) {
    return NULL;
  }
  struct host* host = (struct host*)PyType_GenericAlloc(type, 0); /* zeroed */
  if (host != NULL) {
    host->maker = (struct maker*)Py_NewRef((PyObject*)maker);
    host->value_type = (PyTypeObject*)Py_NewRef((PyObject*)value_type);
    host->strings = (OrtAllocator*)(uintptr_t)strings;
    host->kernel = handle_take((struct handle*)kernel);
    host->lender = Py_NewRef(lender);
    host->memory = memory == Py_None ? NULL : Py_NewRef(memory);
    host->outputs = (size_t)outputs;
    if (ops != 0 &&
        !core_custom_ops_copy((const struct core_custom_ops*)(uintptr_t)ops, &host->ops)) {
      Py_DECREF((PyObject*)host);
      PyErr_NoMemory();
      return NULL;
    }
  }
  return (PyObject*)host;
}

static int traverse(PyObject* self, visitproc visit, void* arg) {
  struct host* host = (struct host*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(host->maker);
  Py_VISIT(host->value_type);
  Py_VISIT(host->lender);
  Py_VISIT(host->memory);
  return 0;
}

static int clear(PyObject* self) {
  struct host* host = (struct host*)self;
  host->is_closed = 1;
  if (host->uses == 0) {
    end_kernel(host);
    Py_CLEAR(host->lender);
    Py_CLEAR(host->memory);
  }
  return 0;
}

static void dealloc(PyObject* self) {
  struct host* host = (struct host*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  Py_XDECREF((PyObject*)host->maker);
  Py_XDECREF((PyObject*)host->value_type);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static PyObject* get_closed(PyObject* self, void* unused) {
  (void)unused;
  return PyBool_FromLong(((struct host*)self)->is_closed);
}

/* _hand_out(owner): gives an Owner the kernel, which stays until _take_back(), its release. */
static PyObject* hand_out(PyObject* self, PyObject* owner) {
  struct host* host = (struct host*)self;
  if (!is_open(host)) {
    return NULL;
  }
  host->uses++;
  ((struct owner*)owner)->object = host->kernel;
  Py_RETURN_NONE;
}

static PyObject* take_back(PyObject* self, PyObject* kernel) {
  (void)kernel;
  end_use((struct host*)self);
  Py_RETURN_NONE;
}

static PyGetSetDef members[] = {
    {"closed", get_closed, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"close", close_host, METH_NOARGS,
     "close($self)\n--\n\nEnd the kernel, after the calls that are under way. Closing again does "
     "nothing."},
    {"_compute", compute, METH_VARARGS, NULL},
    {"_hand_out", hand_out, METH_O, NULL},
    {"_take_back", take_back, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void*)new_host},    {Py_tp_call, (void*)call_host},
    {Py_tp_dealloc, (void*)dealloc}, {Py_tp_traverse, (void*)traverse},
    {Py_tp_clear, (void*)clear},     {Py_tp_getset, members},
    {Py_tp_methods, methods},        {0, NULL},
};

static PyType_Spec spec = {
    .name = "ortcffi._ort.KernelHost",
    .basicsize = sizeof(struct host),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

ortcffi_object* ortcffi_kernel_host_type(void) { return (ortcffi_object*)PyType_FromSpec(&spec); }
