/* SPDX-License-Identifier: MIT */
/* Custom ops written in Python: the struct, how it describes itself, and its type in Python. */
#include "boundary/kernels/python_ops.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/gil.h"

#define MOST_OPERANDS 4096

static size_t live_ops;

size_t ortcffi_live_python_ops(void) { return __atomic_load_n(&live_ops, __ATOMIC_RELAXED); }

/* --- what the host asks ------------------------------------------------------------------------*/

static const struct python_op* self_of(const OrtCustomOp* op) { return python_op_of(op); }

static const char* ORT_API_CALL get_name(const OrtCustomOp* op) { return self_of(op)->name; }

static const char* ORT_API_CALL get_provider(const OrtCustomOp* op) { return NULL; /* the CPU's */ }

static size_t ORT_API_CALL count_inputs(const OrtCustomOp* op) { return self_of(op)->input_count; }

static size_t ORT_API_CALL count_outputs(const OrtCustomOp* op) {
  return self_of(op)->output_count;
}

static ONNXTensorElementDataType ORT_API_CALL input_type(const OrtCustomOp* op, size_t i) {
  return (ONNXTensorElementDataType)self_of(op)->inputs[i].element;
}

static ONNXTensorElementDataType ORT_API_CALL output_type(const OrtCustomOp* op, size_t i) {
  return (ONNXTensorElementDataType)self_of(op)->outputs[i].element;
}

static OrtCustomOpInputOutputCharacteristic ORT_API_CALL input_presence(const OrtCustomOp* op,
                                                                        size_t i) {
  return (OrtCustomOpInputOutputCharacteristic)self_of(op)->inputs[i].characteristic;
}

static OrtCustomOpInputOutputCharacteristic ORT_API_CALL output_presence(const OrtCustomOp* op,
                                                                         size_t i) {
  return (OrtCustomOpInputOutputCharacteristic)self_of(op)->outputs[i].characteristic;
}

static OrtMemType ORT_API_CALL input_memory(const OrtCustomOp* op, size_t i) {
  return (OrtMemType)self_of(op)->inputs[i].memory;
}

/* A variadic operand is the last. */
static int ORT_API_CALL least_inputs(const OrtCustomOp* op) {
  const struct python_op* self = self_of(op);
  return self->input_count == 0 ? 0 : self->inputs[self->input_count - 1].least;
}

static int ORT_API_CALL are_inputs_alike(const OrtCustomOp* op) {
  const struct python_op* self = self_of(op);
  return self->input_count == 0 || self->inputs[self->input_count - 1].is_homogeneous;
}

static int ORT_API_CALL least_outputs(const OrtCustomOp* op) {
  const struct python_op* self = self_of(op);
  return self->output_count == 0 ? 0 : self->outputs[self->output_count - 1].least;
}

static int ORT_API_CALL are_outputs_alike(const OrtCustomOp* op) {
  const struct python_op* self = self_of(op);
  return self->output_count == 0 || self->outputs[self->output_count - 1].is_homogeneous;
}

static int ORT_API_CALL first_version(const OrtCustomOp* op) { return self_of(op)->first_version; }

static int ORT_API_CALL last_version(const OrtCustomOp* op) { return self_of(op)->last_version; }

struct infer_call {
  const OrtCustomOp* op;
  OrtShapeInferContext* context;
  OrtStatus* status;
};

static void infer_in_python(void* argument) {
  struct infer_call* call = argument;
  const struct python_op* self = self_of(call->op);
  PyObject* answer = PyObject_CallMethod(
      self->definition, "infer", "KIK", (unsigned long long)(uintptr_t)self->api,
      (unsigned)call->op->version, (unsigned long long)(uintptr_t)call->context);
  int code = ORT_OK;
  const char* text = NULL;
  if (answer == NULL || (answer != Py_None && !PyArg_ParseTuple(answer, "iy", &code, &text))) {
    call->status = ortcffi_status_of_exception(self->api);
  } else if (text != NULL) {
    call->status = self->api->CreateStatus((OrtErrorCode)code, text);
  }
  Py_XDECREF(answer);
}

static OrtStatusPtr ORT_API_CALL infer_shapes(const OrtCustomOp* op,
                                              OrtShapeInferContext* context) {
  struct infer_call call = {op, context, NULL};
  if (!call_with_gil(infer_in_python, &call)) {
    return self_of(op)->api->CreateStatus(ORT_FAIL, "the Python interpreter has ended");
  }
  return call.status;
}

static const OrtCustomOp callbacks = {
    .GetName = get_name,
    .GetExecutionProviderType = get_provider,
    .GetInputType = input_type,
    .GetInputTypeCount = count_inputs,
    .GetOutputType = output_type,
    .GetOutputTypeCount = count_outputs,
    .GetInputCharacteristic = input_presence,
    .GetOutputCharacteristic = output_presence,
    .GetInputMemoryType = input_memory,
    .GetVariadicInputMinArity = least_inputs,
    .GetVariadicInputHomogeneity = are_inputs_alike,
    .GetVariadicOutputMinArity = least_outputs,
    .GetVariadicOutputHomogeneity = are_outputs_alike,
    .GetStartVersion = first_version,
    .GetEndVersion = last_version,
};

/* --- life --------------------------------------------------------------------------------------*/

static void free_operands(struct python_operand* operands, size_t count) {
  for (size_t i = 0; operands != NULL && i < count; i++) {
    free(operands[i].shape);
  }
  free(operands);
}

/* -1 with an exception. */
static int set_shape(struct python_operand* operand, PyObject* shape) {
  Py_ssize_t rank = PyTuple_Size(shape);
  operand->shape = rank < 0 ? NULL : calloc((size_t)rank + 1, sizeof *operand->shape);
  if (operand->shape == NULL) {
    return rank < 0 ? -1 : (PyErr_NoMemory(), -1);
  }
  operand->rank = (size_t)rank;
  for (Py_ssize_t i = 0; i < rank; i++) {
    operand->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
  }
  return PyErr_Occurred() ? -1 : 0;
}

/* -1 with an exception. */
static int set_operand(struct python_operand* operand, PyObject* tuple) {
  PyObject* shape = NULL;
  if (!PyArg_ParseTuple(tuple, "iiiip|O", &operand->element, &operand->characteristic,
                        &operand->memory, &operand->least, &operand->is_homogeneous, &shape)) {
    return -1;
  }
  return shape == NULL || shape == Py_None ? 0 : set_shape(operand, shape);
}

/* A tuple of operands as C has it, to be freed; NULL with an exception. */
static struct python_operand* operands_of(PyObject* tuple, size_t* count) {
  Py_ssize_t length = PyTuple_Size(tuple);
  if (length > MOST_OPERANDS) {
    PyErr_Format(PyExc_ValueError, "an op has at most %d inputs and outputs", MOST_OPERANDS);
    return NULL;
  }
  struct python_operand* operands = calloc((size_t)length + 1, sizeof *operands);
  if (operands == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  for (Py_ssize_t i = 0; i < length; i++) {
    if (set_operand(&operands[i], PyTuple_GetItem(tuple, i)) < 0) {
      free_operands(operands, (size_t)length);
      return NULL;
    }
  }
  *count = (size_t)length;
  return operands;
}

/* Pairs of input and output; -1 with an exception. */
static int set_pairs(OrtCustomOp* op, PyObject* pairs) {
  enum { MOST = 64 };
  int inputs[MOST], outputs[MOST];
  Py_ssize_t count = PyTuple_Size(pairs);
  if (count > MOST) {
    PyErr_Format(PyExc_ValueError, "may_inplace has at most %d pairs", (int)MOST);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "ii", &inputs[i], &outputs[i])) {
      return -1;
    }
  }
  return count == 0 ? 0 : ortcffi_set_may_inplace(op, inputs, outputs, (size_t)count);
}

/* --- the type ----------------------------------------------------------------------------------*/

/* Fills in what the arguments say; -1 with an exception. */
static int begin_op(struct python_op* op, PyObject* arguments) {
  unsigned long long api;
  const char* name;
  PyObject *inputs, *outputs, *pairs, *definition;
  int infers;
  op->callbacks = callbacks;
  ortcffi_set_kernel_callbacks(&op->callbacks);
  if (!PyArg_ParseTuple(arguments, "KIsO!O!(ii)O!pO", &api, &op->callbacks.version, &name,
                        &PyTuple_Type, &inputs, &PyTuple_Type, &outputs, &op->first_version,
                        &op->last_version, &PyTuple_Type, &pairs, &infers, &definition)) {
    return -1;
  }
  op->api = (const OrtApi*)(uintptr_t)api;
  op->callbacks.InferOutputShapeFn = infers ? infer_shapes : NULL;
  op->inputs = operands_of(inputs, &op->input_count);
  op->outputs = op->inputs == NULL ? NULL : operands_of(outputs, &op->output_count);
  if (op->outputs == NULL || set_pairs(&op->callbacks, pairs) < 0) {
    return -1;
  }
  op->name = strdup(name);
  if (op->name == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  op->definition = Py_NewRef(definition);
  return 0;
}

static PyObject* new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  struct python_op* self = (struct python_op*)PyType_GenericAlloc(type, 0); /* zeroed */
  if (self == NULL) {
    return NULL;
  }
  __atomic_add_fetch(&live_ops, 1, __ATOMIC_RELAXED);
  if (begin_op(self, arguments) < 0) {
    Py_DECREF((PyObject*)self);
    return NULL;
  }
  return (PyObject*)self;
}

static int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((struct python_op*)self)->definition);
  return 0;
}

static int clear(PyObject* self) {
  Py_CLEAR(((struct python_op*)self)->definition);
  return 0;
}

static void dealloc(PyObject* self) {
  struct python_op* op = (struct python_op*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  free(op->name);
  free_operands(op->inputs, op->input_count);
  free_operands(op->outputs, op->output_count);
  PyObject_GC_Del(self);
  Py_DECREF(type);
  __atomic_sub_fetch(&live_ops, 1, __ATOMIC_RELAXED);
}

static PyObject* get_address(PyObject* self, void* unused) {
  return PyLong_FromVoidPtr(&((struct python_op*)self)->callbacks);
}

static PyGetSetDef op_members[] = {
    {"address", get_address, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot op_slots[] = {
    {Py_tp_new, (void*)new},     {Py_tp_dealloc, (void*)dealloc}, {Py_tp_traverse, (void*)traverse},
    {Py_tp_clear, (void*)clear}, {Py_tp_getset, op_members},      {0, NULL},
};

static PyType_Spec op_spec = {
    .name = "ortcffi._compiled.OpStruct",
    .basicsize = sizeof(struct python_op),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = op_slots,
};

int ortcffi_add_python_ops(PyObject* module) {
  PyObject* type = PyType_FromSpec(&op_spec);
  return type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject*)type);
}
