/* SPDX-License-Identifier: MIT */
/* Values as Python objects: creation and release, shape and data. See values.h. */
#include "boundary/values/values.h"

#include <stddef.h>
#include <string.h>

#include "boundary/module.h"

void* ortcffi_empty_memory(void) {
  static _Alignas(64) char nothing[64];
  return nothing;
}

PyObject* ortcffi_value_fail(const struct maker* maker, OrtStatus* status, const char* function) {
  (void)ortcffi_fail(maker->api, status, function);
  return NULL;
}

/* --- Maker -------------------------------------------------------------------------------------*/

static PyObject* maker_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  unsigned long long api, info, allocator;
  int version;
  PyObject *owner, *parent;
  if (!PyArg_ParseTuple(arguments, "KKKiOO", &api, &info, &allocator, &version, &owner, &parent)) {
    return NULL;
  }
  struct maker* maker = PyObject_GC_New(struct maker, type);
  if (maker != NULL) {
    maker->api = (const OrtApi*)(uintptr_t)api;
    maker->info = (const OrtMemoryInfo*)(uintptr_t)info;
    maker->allocator = (OrtAllocator*)(uintptr_t)allocator;
    maker->version = version;
    maker->owner = Py_NewRef(owner);
    maker->parent = Py_NewRef(parent);
    maker->layout = (struct layout){0};
    PyObject_GC_Track(maker);
  }
  return (PyObject*)maker;
}

static int maker_traverse(PyObject* self, visitproc visit, void* arg) {
  struct maker* maker = (struct maker*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(maker->owner);
  Py_VISIT(maker->parent);
  return 0;
}

static void maker_dealloc(PyObject* self) {
  struct maker* maker = (struct maker*)self;
  PyObject_GC_UnTrack(self);
  Py_DECREF(maker->owner);
  Py_DECREF(maker->parent);
  ortcffi_free_object(self);
}

static PyType_Slot maker_slots[] = {
    {Py_tp_new, (void*)maker_new},
    {Py_tp_dealloc, (void*)maker_dealloc},
    {Py_tp_traverse, (void*)maker_traverse},
    {0, NULL},
};

PyType_Spec ortcffi_maker_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Maker", struct maker, Py_TPFLAGS_HAVE_GC, maker_slots);

/* --- life --------------------------------------------------------------------------------------*/

PyObject* ortcffi_value_pointer;

static void release_value(const OrtApi* api, void* object) { api->ReleaseValue((OrtValue*)object); }

void ortcffi_value_hold(struct value* value) {
  if (take_flag(&value->is_held)) {
    handle_hold(&value->life);
  }
}

struct value* ortcffi_blank_value(PyTypeObject* type, struct maker* maker, PyObject* parent) {
  struct value* value = (struct value*)PyType_GenericAlloc(type, 0); /* zeroed */
  if (value == NULL) {
    return NULL;
  }
  value->maker = (struct maker*)Py_NewRef((PyObject*)maker);
  if (handle_make(&value->life, maker->api, ortcffi_value_pointer, release_value, parent) < 0) {
    Py_DECREF((PyObject*)value);
    return NULL;
  }
  handle_made(&value->life);
  return value;
}

struct value* ortcffi_new_value(PyTypeObject* type, struct maker* maker, OrtValue* object,
                                PyObject* parent) {
  struct value* value = ortcffi_blank_value(type, maker, parent);
  if (value == NULL) {
    maker->api->ReleaseValue(object);
    return NULL;
  }
  value->life.object = object;
  return value;
}

int ortcffi_value_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((struct value*)self)->maker);
  return handle_traverse(self, visit, arg);
}

void ortcffi_value_dealloc(PyObject* self) {
  struct value* value = (struct value*)self;
  PyObject_GC_UnTrack(self);
  handle_clear(&value->life);
  PyMem_Free(value->shape_copy);
  Py_XDECREF((PyObject*)value->maker);
  ortcffi_free_object(self);
}

int ortcffi_value_open(const struct value* value) {
  if (handle_state(&value->life) == HANDLE_OPEN && value->life.object != NULL) {
    return 0;
  }
  if (handle_check((struct handle*)(uintptr_t)&value->life) == 0) {
    PyErr_SetString(PyExc_ValueError, "no library has made this Value yet");
  }
  return -1;
}

/* _adopt(maker, address, parent, owned, readonly=False): a value around an OrtValue; around none
 * yet for the address 0, where a function of C is to write it. */
PyObject* ortcffi_value_adopt(PyObject* type, PyObject* arguments) {
  struct maker* maker;
  unsigned long long handle;
  PyObject* parent;
  int owned, readonly = 0;
  if (!PyArg_ParseTuple(arguments, "O!KOp|p", ortcffi_maker_type, &maker, &handle, &parent, &owned,
                        &readonly)) {
    return NULL;
  }
  struct value* value = ortcffi_new_value((PyTypeObject*)type, maker, (OrtValue*)(uintptr_t)handle,
                                          parent == Py_None ? NULL : parent);
  if (value != NULL) {
    value->life.release = owned ? value->life.release : NULL;
    value->is_readonly = (char)readonly;
  }
  return (PyObject*)value;
}

/* --- element type, shape and data --------------------------------------------------------------*/

static const unsigned char element_bits[] = {
#define ORT_ELEMENT_TYPE(name, value, bits, text) [value] = bits,
#include "ort_element_types.def"
};

int ortcffi_element_bits(int element) {
  size_t place = (size_t)element;
  return place < sizeof element_bits ? element_bits[place] : 0;
}

size_t ortcffi_value_count(const struct value* value) {
  size_t count = 1;
  for (size_t i = 0; i < value->rank; i++) {
    count *= (size_t)value->shape[i];
  }
  return count;
}

size_t ortcffi_value_bytes(const struct value* value) {
  size_t bits = (size_t)ortcffi_element_bits(value->element);
  size_t count = ortcffi_value_count(value);
  return bits >= 8 ? count * (bits / 8) : (count * bits + 7) / 8;
}

/* For tables before version 25, which have no GetTensorElementTypeAndShapeDataReference. */
static const char* copy_shape(struct value* value, OrtStatus** status) {
  const OrtApi* api = value->maker->api;
  OrtTensorTypeAndShapeInfo* info;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  *status = api->GetTensorTypeAndShape(ortcffi_value_object(value), &info);
  if (*status != NULL) {
    return "GetTensorTypeAndShape";
  }
  const char* function = "GetTensorElementType";
  *status = api->GetTensorElementType(info, &element);
  if (*status == NULL) {
    function = "GetDimensionsCount";
    *status = api->GetDimensionsCount(info, &value->rank);
  }
  if (*status == NULL) {
    function = "GetDimensions";
    PyMem_Free(value->shape_copy);
    value->shape_copy = PyMem_Malloc((value->rank + 1) * sizeof(int64_t));
    if (value->shape_copy != NULL) {
      *status = api->GetDimensions(info, value->shape_copy, value->rank);
    }
  }
  api->ReleaseTensorTypeAndShapeInfo(info);
  value->element = (int)element;
  value->shape = value->shape_copy;
  return function;
}

/* ONNX Runtime crashes when it is asked for the kind of an optional that holds nothing. An emulated
 * host without HasValue has no such values. */
static OrtStatus* ask_kind(const struct value* value, ONNXType* kind) {
  const struct maker* maker = value->maker;
  const OrtValue* object = ortcffi_value_object(value);
  int is_there = 1;
  maker->api->ReleaseStatus(maker->api->HasValue(object, &is_there));
  if (!is_there) {
    *kind = ONNX_TYPE_OPTIONAL;
    return NULL;
  }
  return maker->api->GetValueType(object, kind);
}

int ortcffi_value_kind(struct value* value) {
  if (!value->has_kind) {
    ONNXType kind = ONNX_TYPE_UNKNOWN;
    OrtStatus* status = ask_kind(value, &kind);
    if (status != NULL) {
      return ortcffi_fail(value->maker->api, status, "GetValueType");
    }
    value->kind = (int)kind;
    value->has_kind = 1;
  }
  return value->kind;
}

int ortcffi_value_shape(struct value* value) {
  if (value->has_shape) {
    return 0;
  }
  OrtStatus* status;
  const char* function = "GetTensorElementTypeAndShapeDataReference";
  if (value->maker->version >= 25) {
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    status = value->maker->api->GetTensorElementTypeAndShapeDataReference(
        ortcffi_value_object(value), &element, &value->shape, &value->rank);
    value->element = (int)element;
  } else {
    function = copy_shape(value, &status);
    if (status == NULL && value->shape == NULL) {
      PyErr_NoMemory();
      return -1;
    }
  }
  if (status != NULL) {
    return ortcffi_fail(value->maker->api, status, function);
  }
  value->has_shape = 1;
  return 0;
}

/* Whether the CPU reaches the memory; -1 with an exception. */
static int is_reachable(const struct value* value) {
  const OrtApi* api = value->maker->api;
  const OrtMemoryInfo* info;
  if (value->maker->version < 14) {
    return 1; /* such tables know no devices */
  }
  OrtStatus* status = api->GetTensorMemoryInfo(ortcffi_value_object(value), &info);
  if (status != NULL) {
    return ortcffi_fail(value->maker->api, status, "GetTensorMemoryInfo");
  }
  OrtMemoryInfoDeviceType device;
  api->MemoryInfoGetDeviceType(info, &device);
  return device == OrtMemoryInfoDeviceType_CPU ||
         (value->maker->version >= 23 &&
          api->MemoryInfoGetDeviceMemType(info) == OrtDeviceMemoryType_HOST_ACCESSIBLE);
}

int ortcffi_value_data(struct value* value) {
  if (value->has_data) {
    return 0;
  }
  if (ortcffi_value_shape(value) < 0) {
    return -1;
  }
  OrtStatus* status =
      value->maker->api->GetTensorMutableData(ortcffi_value_object(value), &value->data);
  if (status != NULL) {
    return ortcffi_fail(value->maker->api, status, "GetTensorMutableData");
  }
  int reachable = value->is_on_cpu ? 1 : is_reachable(value);
  if (reachable == 0) {
    PyErr_SetString(PyExc_BufferError,
                    "the memory of this value is a device's, which the CPU "
                    "cannot read: see memory_info");
  }
  if (reachable <= 0) {
    return -1;
  }
  if (value->data == NULL) {
    if (ortcffi_value_bytes(value) > 0) {
      PyErr_SetString(PyExc_MemoryError, "the allocator gave this value no memory");
      return -1;
    }
    value->data = ortcffi_empty_memory();
  }
  value->has_data = 1;
  return 0;
}
