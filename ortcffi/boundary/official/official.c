/* SPDX-License-Identifier: MIT */
/* See official.h. */
#include "boundary/limited_api.h"

#include <string.h>

#include "boundary/official/official.h"
#include "platform/platform.h"

/* The names of the C++ ABI of manylinux wheels in releases of pybind11, the newest first. A binding
 * with another ABI returns None for a name, so a wrong one does no harm. */
static const char* const ABI_NAMES[] = {
    "system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1",
    "_gcc_libstdcpp_cxxabi1019",
    "_gcc_libstdcpp_cxxabi1018",
};
#define ABI_COUNT (sizeof(ABI_NAMES) / sizeof(ABI_NAMES[0]))

/* A std::type_info, of which pybind11 reads only the name, by which it compares types: not the
 * table of virtual functions. */
struct type_info {
  const void* virtual_functions;
  const char* name;
};

static const struct type_info TYPES[ORTCFFI_OFFICIAL_TYPES] = {
    [ORTCFFI_OFFICIAL_VALUE] = {NULL, "8OrtValue"},
    [ORTCFFI_OFFICIAL_SESSION_OPTIONS] = {NULL, "N11onnxruntime6python16PySessionOptionsE"},
    [ORTCFFI_OFFICIAL_OLD_OPTIONS] = {NULL, "17OrtSessionOptions"},
    [ORTCFFI_OFFICIAL_RUN_OPTIONS] = {NULL, "13OrtRunOptions"},
    [ORTCFFI_OFFICIAL_MEMORY_INFO] = {NULL, "13OrtMemoryInfo"},
    [ORTCFFI_OFFICIAL_SESSION] = {NULL, "N11onnxruntime6python18PyInferenceSessionE"},
};

/* The method's name and arguments, made once; the GIL guards them. */
static PyObject* method;
static PyObject* address_wanted;
static PyObject* abis[ABI_COUNT];
static PyObject* types[ORTCFFI_OFFICIAL_TYPES];

const char* ortcffi_official_type_name(int type) {
  return type < 0 || type >= ORTCFFI_OFFICIAL_TYPES ? NULL : TYPES[type].name;
}

/* 0 with an exception if there is no memory; what was made before that is kept. */
static int make_arguments(void) {
  for (size_t i = 0; i < ABI_COUNT; i++) {
    if (abis[i] == NULL && (abis[i] = PyBytes_FromString(ABI_NAMES[i])) == NULL) {
      return 0;
    }
  }
  for (int i = 0; i < ORTCFFI_OFFICIAL_TYPES; i++) {
    void* info = (void*)&TYPES[i];
    if (types[i] == NULL && (types[i] = PyCapsule_New(info, "St9type_info", NULL)) == NULL) {
      return 0;
    }
  }
  if (address_wanted == NULL) {
    address_wanted = PyBytes_FromString("raw_pointer_ephemeral");
  }
  if (address_wanted != NULL && method == NULL) {
    method = PyUnicode_InternFromString("_pybind11_conduit_v1_");
  }
  return method != NULL;
}

/* The address in the capsule that the method returns; 0, perhaps with an exception, if it returns
 * none. */
static uintptr_t ask_for_address(PyObject* object, int type, size_t abi) {
  PyObject* answer =
      PyObject_CallMethodObjArgs(object, method, abis[abi], types[type], address_wanted, NULL);
  if (answer == NULL) {
    return 0;
  }
  uintptr_t address = 0;
  if (PyCapsule_CheckExact(answer)) {
    address = (uintptr_t)PyCapsule_GetPointer(answer, PyCapsule_GetName(answer));
  }
  Py_DECREF(answer);
  return address;
}

static uintptr_t pointer_inside(PyObject* object, int type) {
  static size_t known; /* the ABI that answered last; the GIL guards it */
  if (type < 0 || type >= ORTCFFI_OFFICIAL_TYPES || !(method != NULL || make_arguments())) {
    PyErr_Clear();
    return 0;
  }
  for (size_t tried = 0; tried < ABI_COUNT; tried++) {
    size_t abi = (known + tried) % ABI_COUNT;
    uintptr_t address = ask_for_address(object, type, abi);
    if (address != 0) {
      known = abi;
      return address;
    }
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return 0;
    }
  }
  return 0;
}

/* official_pointer(object, type): the address of the C++ object inside an object of the official
 * package, valid as long as that lives; 0 if it holds no C++ object of the type. */
static PyObject* official_pointer(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* object;
  int type;
  return PyArg_ParseTuple(arguments, "Oi", &object, &type)
             ? PyLong_FromUnsignedLongLong(pointer_inside(object, type))
             : NULL;
}

static PyMethodDef official_functions[] = {
    {"official_pointer", official_pointer, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_official(PyObject* module) {
  return PyModule_AddFunctions(module, official_functions);
}

int ortcffi_read_memory(uintptr_t address, void* out, size_t size) {
  return size <= 4096 && core_read_memory((const void*)address, out, size) == CORE_READ;
}
