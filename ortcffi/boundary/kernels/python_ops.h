/* SPDX-License-Identifier: MIT */
/* The types of kernels and of custom ops written in Python, and their registration, for Python. The
 * types are described in kernel.c and python_op.h. */
#ifndef ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_
#define ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_

#include "onnxruntime_c_api.h"
#include "boundary/status/raise.h"

/* The type OpStruct. */
ortcffi_object* ortcffi_op_struct_type(void);

/* The type KernelHost; see kernel.c. To be called after ortcffi_value_types. */
ortcffi_object* ortcffi_kernel_host_type(void);

/* The number of live structs of ops written in Python and of their kernels. */
size_t ortcffi_live_python_ops(void);
size_t ortcffi_live_python_kernels(void);

/* Sets what RegisterCustomOps calls: register(options, base), with addresses. Answers None. */
ortcffi_object* ortcffi_set_registrar(ortcffi_object* registrar, ortcffi_object* failure);

/* The i-th different OrtApiBase that RegisterCustomOps was called with; NULL past the last. Only
 * the first 64 are noted. Any thread. */
const OrtApiBase* ortcffi_received_base(size_t i);

#endif /* ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_ */
