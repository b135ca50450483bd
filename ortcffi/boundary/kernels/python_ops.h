/* SPDX-License-Identifier: MIT */
/* Kernels and custom ops written in Python, and their registration, for Python. The types are
 * described in kernel.c and python_op.h. */
#ifndef ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_
#define ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_

#include "onnxruntime_c_api.h"

/* The number of live structs of ops written in Python and of their kernels. */
size_t ortcffi_live_python_ops(void);
size_t ortcffi_live_python_kernels(void);

/* The i-th different OrtApiBase that RegisterCustomOps was called with; NULL past the last. Only
 * the first 64 are noted. Any thread. */
const OrtApiBase* ortcffi_received_base(size_t i);

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

/* Add the types KernelHost and OpStruct, and the function for RegisterCustomOps, to the module. */
int ortcffi_add_kernels(PyObject* module);
int ortcffi_add_python_ops(PyObject* module);
int ortcffi_add_registration(PyObject* module);
#endif

#endif /* ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_ */
