/* SPDX-License-Identifier: MIT */
/* A kernel as a Python object, and a call of it: what kernel.c and kernel_results.c share. */
#ifndef ORTCFFI_BOUNDARY_KERNEL_HOST_H_
#define ORTCFFI_BOUNDARY_KERNEL_HOST_H_

#include "boundary/limited_api.h"

#include "boundary/values/arguments.h"
#include "kernels/kernel.h"

/* So many inputs and outputs need no memory of their own. */
#define KERNEL_FEW 16

struct host {
  PyObject base;
  struct maker* maker;
  PyTypeObject* value_type;
  OrtAllocator* strings;
  OrtcoreKernel* kernel; /* NULL once it has ended */
  PyObject* lender;
  PyObject* memory; /* what results keep, or NULL */
  struct core_custom_ops ops;
  size_t outputs;
  size_t uses; /* calls under way */
  char is_closed;
};

/* One call. */
struct call {
  struct host* host;
  size_t inputs;
  OrtValue** given;   /* inputs, then outputs */
  PyObject** holders; /* by input and output: the Value that a handle belongs to, or NULL */
  OrtValue* few[2 * KERNEL_FEW];
  PyObject* few_holders[2 * KERNEL_FEW];
};

/* An output as a Value, which then owns it, and as what a call returns: an array, or what
 * to_python() gives. None for an output that the kernel did not make; NULL with an exception. */
PyObject* ortcffi_kernel_value(struct call* call, size_t i);
PyObject* ortcffi_kernel_array(struct call* call, size_t i);

/* All outputs as a tuple, each of them converted by one of these; NULL with an exception. */
PyObject* ortcffi_kernel_results(struct call* call, PyObject* (*convert)(struct call*, size_t));

#endif /* ORTCFFI_BOUNDARY_KERNEL_HOST_H_ */
