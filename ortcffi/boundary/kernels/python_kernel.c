/* SPDX-License-Identifier: MIT */
/* Kernels written in Python: made, run and destroyed by a host, on whatever thread. */
#include <stdint.h>
#include <stdlib.h>

#include "boundary/gil.h"
#include "boundary/handle/threads.h"
#include "boundary/kernels/python_ops.h"

static size_t live_kernels;

size_t ortcffi_live_python_kernels(void) {
  return __atomic_load_n(&live_kernels, __ATOMIC_RELAXED);
}

/* --- making one --------------------------------------------------------------------------------*/

static struct python_kernel* new_kernel(struct python_op* op, const OrtApi* api) {
  struct python_kernel* kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  Py_INCREF((PyObject*)op);
  __atomic_add_fetch(&live_kernels, 1, __ATOMIC_RELAXED);
  kernel->op = op;
  kernel->maker.api = api;
  kernel->maker.version = (int)op->callbacks.version;
  return kernel;
}

static void drop_references(void* argument) {
  const struct python_kernel* kernel = argument;
  Py_XDECREF(kernel->function);
  Py_XDECREF(kernel->keywords);
  Py_DECREF((PyObject*)kernel->op);
}

/* Needs no GIL. */
static void ORT_API_CALL destroy(void* op_kernel) {
  struct python_kernel* kernel = op_kernel;
  if (kernel == NULL) {
    return;
  }
  call_with_gil(drop_references, kernel);
  free(kernel);
  __atomic_sub_fetch(&live_kernels, 1, __ATOMIC_RELAXED);
}

/* Asks the definition what to call; -1 with an exception. */
static int prepare(struct python_kernel* kernel, const OrtKernelInfo* info) {
  PyObject *function, *keywords;
  PyObject* made = PyObject_CallMethod(
      kernel->op->definition, "make", "KIK", (unsigned long long)(uintptr_t)kernel->maker.api,
      (unsigned)kernel->op->callbacks.version, (unsigned long long)(uintptr_t)info);
  if (made == NULL || !PyArg_ParseTuple(made, "OO", &function, &keywords)) {
    Py_XDECREF(made);
    return -1;
  }
  kernel->function = Py_NewRef(function);
  kernel->keywords = keywords == Py_None ? NULL : Py_NewRef(keywords);
  Py_DECREF(made);
  return 0;
}

struct create_call {
  struct python_op* op;
  const OrtApi* api;
  const OrtKernelInfo* info;
  struct python_kernel* kernel;
  OrtStatus* status;
};

static void create_in_python(void* argument) {
  struct create_call* call = argument;
  call->kernel = new_kernel(call->op, call->api);
  if (call->kernel == NULL || prepare(call->kernel, call->info) < 0) {
    call->status = ortcffi_status_of_exception(call->api);
  }
}

static OrtStatusPtr ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* api,
                                        const OrtKernelInfo* info, void** out) {
  struct create_call call = {python_op_of(op), api, info, NULL, NULL};
  OrtStatus* status = call_for_status(api, create_in_python, &call, &call.status);
  if (status != NULL) {
    destroy(call.kernel);
    return status;
  }
  *out = call.kernel;
  return NULL;
}

/* --- running one -------------------------------------------------------------------------------*/

/* -1 with an exception. */
static int run_kernel(struct python_kernel* kernel, OrtKernelContext* context) {
  PyObject* inputs = ortcffi_read_inputs(kernel, context);
  if (inputs == NULL) {
    return -1;
  }
  int before = ortcffi_set_in_op(1);
  PyObject* result = PyObject_Call(kernel->function, inputs, kernel->keywords);
  ortcffi_set_in_op(before);
  int answer = result == NULL ? -1 : ortcffi_write_outputs(kernel, context, result);
  Py_XDECREF(result);
  Py_DECREF(inputs);
  return answer;
}

struct compute_call {
  struct python_kernel* kernel;
  OrtKernelContext* context;
  OrtStatus* status;
};

static void compute_in_python(void* argument) {
  struct compute_call* call = argument;
  if (run_kernel(call->kernel, call->context) < 0) {
    call->status = ortcffi_status_of_exception(call->kernel->maker.api);
  }
}

static OrtStatusPtr ORT_API_CALL compute_kernel(void* op_kernel, OrtKernelContext* context) {
  struct compute_call call = {op_kernel, context, NULL};
  return call_for_status(call.kernel->maker.api, compute_in_python, &call, &call.status);
}

void ortcffi_set_kernel_callbacks(OrtCustomOp* callbacks) {
  callbacks->KernelDestroy = destroy;
  callbacks->CreateKernelV2 = create;
  callbacks->KernelComputeV2 = compute_kernel;
}
