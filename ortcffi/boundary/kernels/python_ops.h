/* SPDX-License-Identifier: MIT */
/* Kernels and custom ops written in Python, and their registration. kernel.c describes the type
 * KernelHost. */
#ifndef ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_
#define ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_

#include <stddef.h>
#include <stdint.h>

#include "onnxruntime_c_api.h"

/* The number of live structs of ops written in Python and of their kernels. */
size_t ortcffi_live_python_ops(void);
size_t ortcffi_live_python_kernels(void);

/* The i-th different OrtApiBase that RegisterCustomOps was called with; NULL past the last. Only
 * the first 64 are noted. Any thread. */
const OrtApiBase* ortcffi_received_base(size_t i);

/* An input or an output of an op. */
typedef struct ortcffi_operand {
  int element, characteristic, memory, least, is_homogeneous;
  /* What is known of an output's shape: `rank` lengths, -1 where one is free; or NULL. */
  const int64_t* shape;
  size_t rank;
} ortcffi_operand;

/* What an op written in Python says of itself. */
typedef struct ortcffi_op_facts {
  const char* name;
  const ortcffi_operand *inputs, *outputs;
  size_t input_count, output_count;
  int first_version, last_version; /* of the opset */
  int infers;                      /* whether it works out shapes */
} ortcffi_op_facts;

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

#include <stddef.h>
#include <stdint.h>

#include "boundary/values/values.h"

/*
 * Custom ops whose kernels are written in Python: OrtCustomOp structs that any library can be
 * given.
 *
 *   OpStruct(api, version, facts, kept, definition)
 *       One op for hosts of one table. `api` is the table's address, `version` its API version;
 *       `facts` is the address of ortcffi_op_facts, which `kept` keeps.
 *   OpStruct.address
 *       Of the OrtCustomOp.
 *
 * The definition is a Python object with these methods, which C calls with the GIL held; `api`,
 * `info`, `context` and `value` are addresses:
 *
 *   make(api, version, info) -> (function, keywords or None)
 *   infer(api, version, context) -> (code, bytes) of a failure, or None
 *   read(api, version, value) -> object    an input that is not simply an array
 *   array(index, element, result) -> ndarray    of that element type, C-contiguous
 *   write(api, version, context, index, element, result)    strings and packed elements
 *   refuse_shape(index, shape)    raises: the output has another shape
 *
 * Each kernel has a reference to its OpStruct, so that sessions and interpreters may end in any
 * order. After the interpreter has ended, kernels return a failing status, and Python objects are
 * no longer released.
 */

struct python_op {
  PyObject base;
  OrtCustomOp callbacks; /* hosts hold a pointer to it */
  const OrtApi* api;
  const ortcffi_op_facts* facts;
  PyObject *kept, *definition;
};

static inline struct python_op* python_op_of(const OrtCustomOp* op) {
  return (struct python_op*)((char*)(uintptr_t)op - offsetof(struct python_op, callbacks));
}

struct python_kernel {
  struct python_op* op;
  struct maker maker; /* of the host: its table and version, to read tensors by */
  PyObject* function; /* what to call */
  PyObject* keywords; /* a dict, or NULL */
};

/* The callbacks that make kernels and run them; see OrtCustomOp. */
void ortcffi_set_kernel_callbacks(OrtCustomOp* callbacks);

/* The inputs of a run as a tuple; NULL with an exception. */
PyObject* ortcffi_read_inputs(struct python_kernel* kernel, OrtKernelContext* context);
/* Hands what the function returned to the host; -1 with an exception. */
int ortcffi_write_outputs(const struct python_kernel* kernel, OrtKernelContext* context,
                          PyObject* result);
#endif

#endif /* ORTCFFI_BOUNDARY_KERNELS_PYTHON_OPS_H_ */
