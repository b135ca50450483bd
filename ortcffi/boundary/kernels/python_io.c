/* SPDX-License-Identifier: MIT */
/* Inputs and outputs of kernels written in Python: arrays that own their memory. */
#include <stdint.h>
#include <string.h>

#include "boundary/kernels/python_ops.h"
#include "boundary/memory/numpy_arrays.h"
#include "boundary/values/values.h"

#define TRY(kernel, slot, ...)                                  \
  do {                                                          \
    OrtStatus* status = (kernel)->maker.api->slot(__VA_ARGS__); \
    if (status != NULL) {                                       \
      return ortcffi_fail((kernel)->maker.api, status, #slot);  \
    }                                                           \
  } while (0)

/* --- in ----------------------------------------------------------------------------------------*/

/* Like ortcffi_plain_array, for an array of any elements of whole bytes; it must be contiguous. */
static struct plain_array whole_array(PyObject* x, int element) {
  PyArrayObject* array = (PyArrayObject*)x;
  return (struct plain_array){.data = PyArray_DATA(array),
                              .shape = (const int64_t*)PyArray_DIMS(array),
                              .rank = (size_t)PyArray_NDIM(array),
                              .bytes = (size_t)PyArray_NBYTES(array)};
}

/* The last operand may be variadic. */
static const ortcffi_operand* operand_at(const ortcffi_operand* operands, size_t count, size_t i) {
  return &operands[i < count ? i : count - 1];
}

/* Whether the i-th input is a tensor, as all are whose elements the op declares; -1 with an
 * exception. */
static int is_tensor(const struct python_kernel* kernel, const OrtValue* value, size_t i) {
  const struct python_op* op = kernel->op;
  int answer = 1;
  if (operand_at(op->facts->inputs, op->facts->input_count, i)->element == 0) {
    TRY(kernel, IsTensor, value, &answer);
  }
  return answer;
}

static PyObject* read_input(struct python_kernel* kernel, OrtKernelContext* context, size_t i) {
  const OrtValue* value = NULL;
  OrtStatus* status = kernel->maker.api->KernelContext_GetInput(context, i, &value);
  if (status != NULL) {
    (void)ortcffi_fail(kernel->maker.api, status, "KernelContext_GetInput");
    return NULL;
  }
  if (value == NULL) {
    return Py_NewRef(Py_None);
  }
  struct value tensor = {.maker = &kernel->maker, .is_on_cpu = 1};
  tensor.life.object = (void*)(uintptr_t)value;
  int has_shape = is_tensor(kernel, value, i);
  int answer = has_shape > 0 ? ortcffi_value_shape(&tensor) : has_shape;
  int is_array = has_shape > 0 && answer == 0 && ortcffi_element_bits(tensor.element) >= 8 &&
                 tensor.rank <= MOST_DIMENSIONS;
  PyObject* array =
      is_array && ortcffi_value_data(&tensor) == 0 ? ortcffi_copy_of_value(&tensor) : NULL;
  PyMem_Free(tensor.shape_copy);
  if (is_array || answer < 0) {
    return array;
  }
  return PyObject_CallMethod(
      kernel->op->definition, "read", "KIK", (unsigned long long)(uintptr_t)kernel->maker.api,
      (unsigned)kernel->op->callbacks.version, (unsigned long long)(uintptr_t)value);
}

PyObject* ortcffi_read_inputs(struct python_kernel* kernel, OrtKernelContext* context) {
  size_t count = 0;
  OrtStatus* status = kernel->maker.api->KernelContext_GetInputCount(context, &count);
  if (status != NULL) {
    (void)ortcffi_fail(kernel->maker.api, status, "KernelContext_GetInputCount");
    return NULL;
  }
  PyObject* inputs = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; inputs != NULL && i < count; i++) {
    ortcffi_put_in_tuple(&inputs, i, read_input(kernel, context, i));
  }
  return inputs;
}

/* --- out ---------------------------------------------------------------------------------------*/

/* What the op declares for an output. */
static const ortcffi_operand* operand_of(const struct python_kernel* kernel, size_t i) {
  const struct python_op* op = kernel->op;
  return operand_at(op->facts->outputs, op->facts->output_count, i);
}

/* Raises, by Python, for an output whose shape is not the declared one; -1. */
static int refuse_shape(const struct python_kernel* kernel, size_t i, const int64_t* shape,
                        size_t rank) {
  PyObject* tuple = ortcffi_tuple_of_numbers(shape, rank);
  if (tuple != NULL) {
    Py_XDECREF(
        PyObject_CallMethod(kernel->op->definition, "refuse_shape", "nO", (Py_ssize_t)i, tuple));
    Py_DECREF(tuple);
  }
  return -1;
}

/* -1 with an exception. */
static int check_shape(const struct python_kernel* kernel, size_t i, const int64_t* shape,
                       size_t rank) {
  const ortcffi_operand* operand = operand_of(kernel, i);
  int is_as_declared = operand->shape == NULL || operand->rank == rank;
  for (size_t place = 0; operand->shape != NULL && is_as_declared && place < rank; place++) {
    is_as_declared = operand->shape[place] < 0 || operand->shape[place] == shape[place];
  }
  return is_as_declared ? 0 : refuse_shape(kernel, i, shape, rank);
}

/* Copies an array of the right element type to the i-th output. */
static int copy_out(const struct python_kernel* kernel, OrtKernelContext* context, size_t i,
                    const struct plain_array* array) {
  OrtValue* value;
  void* data;
  if (check_shape(kernel, i, array->shape, array->rank) < 0) {
    return -1;
  }
  TRY(kernel, KernelContext_GetOutput, context, i, array->shape, array->rank, &value);
  if (value != NULL && array->bytes > 0) {
    TRY(kernel, GetTensorMutableData, value, &data);
    memmove(data, array->data, array->bytes);
  }
  return 0;
}

/* Writes the i-th output. If the op declares no element type, the model does, and the result must
 * have that one. */
static int write_output(const struct python_kernel* kernel, OrtKernelContext* context, size_t i,
                        PyObject* result) {
  PyObject* definition = kernel->op->definition;
  int element = operand_of(kernel, i)->element;
  struct plain_array array;
  if (element != 0 && ortcffi_plain_array(result, &array) && array.element == element) {
    return copy_out(kernel, context, i, &array);
  }
  if (element == 0 || ortcffi_element_bits(element) < 8) {
    PyObject* answer = PyObject_CallMethod(
        definition, "write", "KIKniO", (unsigned long long)(uintptr_t)kernel->maker.api,
        (unsigned)kernel->op->callbacks.version, (unsigned long long)(uintptr_t)context,
        (Py_ssize_t)i, element, result);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
  }
  PyObject* converted =
      PyObject_CallMethod(definition, "array", "niO", (Py_ssize_t)i, element, result);
  if (converted == NULL) {
    return -1;
  }
  array = whole_array(converted, element);
  int answer = copy_out(kernel, context, i, &array);
  Py_DECREF(converted);
  return answer;
}

/* Each of several results; -1 with an exception. */
static int write_several(const struct python_kernel* kernel, OrtKernelContext* context,
                         PyObject* results, size_t count) {
  int answer = 0;
  for (size_t i = 0; answer == 0 && i < count; i++) {
    answer = write_output(kernel, context, i, PyTuple_GetItem(results, (Py_ssize_t)i));
  }
  return answer;
}

int ortcffi_write_outputs(const struct python_kernel* kernel, OrtKernelContext* context,
                          PyObject* result) {
  const struct python_op* op = kernel->op;
  size_t count = 0;
  TRY(kernel, KernelContext_GetOutputCount, context, &count);
  int is_single =
      op->facts->output_count == 1 && op->facts->outputs[0].characteristic != INPUT_OUTPUT_VARIADIC;
  if (is_single) {
    return count == 0 ? 0 : write_output(kernel, context, 0, result);
  }
  if (PyList_CheckExact(result)) {
    result = PyList_AsTuple(result);
    if (result == NULL) {
      return -1;
    }
  } else {
    Py_INCREF(result);
  }
  int answer = -1;
  if (!PyTuple_Check(result) || (size_t)PyTuple_Size(result) < count) {
    PyErr_Format(PyExc_TypeError, "%s must return a tuple of %zu outputs, not %.200R",
                 op->facts->name, count, result);
  } else {
    answer = write_several(kernel, context, result, count);
  }
  Py_DECREF(result);
  return answer;
}
