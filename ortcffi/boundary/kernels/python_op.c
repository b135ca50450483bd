/* SPDX-License-Identifier: MIT */
/* Custom ops written in Python: the struct, how it describes itself, and its type in Python. */
#include "boundary/kernels/python_ops.h"

#include <stdint.h>

#include "boundary/gil.h"
#include "boundary/module.h"

static size_t live_ops;

size_t ortcffi_live_python_ops(void) { return __atomic_load_n(&live_ops, __ATOMIC_RELAXED); }

/* --- what the host asks ------------------------------------------------------------------------*/

static const ortcffi_op_facts* self_of(const OrtCustomOp* op) { return python_op_of(op)->facts; }

static const char* ORT_API_CALL get_provider(const OrtCustomOp* op) { return NULL; /* the CPU's */ }

/* Define functions of the struct: a fact of the op, one of its i-th operand, and one of its last
 * operand, which alone may be variadic. */
#define FACT(type, name, field) \
  static type ORT_API_CALL name(const OrtCustomOp* op) { return self_of(op)->field; }
#define FACT_OF_EACH(type, name, side, field)                          \
  static type ORT_API_CALL name(const OrtCustomOp* op, size_t place) { \
    return (type)self_of(op)->side##s[place].field;                    \
  }
#define FACT_OF_LAST(name, side, of_none, field)                                            \
  static int ORT_API_CALL name(const OrtCustomOp* op) {                                     \
    const ortcffi_op_facts* self = self_of(op);                                             \
    return self->side##_count == 0 ? of_none : self->side##s[self->side##_count - 1].field; \
  }

FACT(const char*, get_name, name)
FACT(size_t, count_inputs, input_count)
FACT(size_t, count_outputs, output_count)
FACT(int, first_version, first_version)
FACT(int, last_version, last_version)
FACT_OF_EACH(ONNXTensorElementDataType, input_type, input, element)
FACT_OF_EACH(ONNXTensorElementDataType, output_type, output, element)
FACT_OF_EACH(OrtCustomOpInputOutputCharacteristic, input_presence, input, characteristic)
FACT_OF_EACH(OrtCustomOpInputOutputCharacteristic, output_presence, output, characteristic)
FACT_OF_EACH(OrtMemType, input_memory, input, memory)
FACT_OF_LAST(least_inputs, input, 0, least)
FACT_OF_LAST(least_outputs, output, 0, least)
FACT_OF_LAST(are_inputs_alike, input, 1, is_homogeneous)
FACT_OF_LAST(are_outputs_alike, output, 1, is_homogeneous)

struct infer_call {
  const OrtCustomOp* op;
  OrtShapeInferContext* context;
  OrtStatus* status;
};

static void infer_in_python(void* argument) {
  struct infer_call* call = argument;
  const struct python_op* self = python_op_of(call->op);
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
  return call_for_status(python_op_of(op)->api, infer_in_python, &call, &call.status);
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

/* --- the type ----------------------------------------------------------------------------------*/

/* Fills in what the arguments say; -1 with an exception. */
static int begin_op(struct python_op* op, PyObject* arguments) {
  unsigned long long api, address;
  PyObject *kept, *definition;
  op->callbacks = callbacks;
  ortcffi_set_kernel_callbacks(&op->callbacks);
  if (!PyArg_ParseTuple(arguments, "KIKOO", &api, &op->callbacks.version, &address, &kept,
                        &definition)) {
    return -1;
  }
  const ortcffi_op_facts* facts = (const ortcffi_op_facts*)(uintptr_t)address;
  op->api = (const OrtApi*)(uintptr_t)api;
  op->callbacks.InferOutputShapeFn = facts->infers ? infer_shapes : NULL;
  op->facts = facts;
  op->kept = Py_NewRef(kept);
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
  PyObject_GC_UnTrack(self);
  clear(self);
  Py_XDECREF(op->kept);
  ortcffi_free_object(self);
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

PyType_Spec ortcffi_op_spec =
    ORTCFFI_TYPE("ortcffi._compiled.OpStruct", struct python_op, Py_TPFLAGS_HAVE_GC, op_slots);
