/* SPDX-License-Identifier: MIT */
/* See official.h. */
#include "boundary/limited_api.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "boundary/official/official.h"

/* How releases of pybind11 name the C++ ABI of manylinux wheels, the newest first. A binding with
 * another one answers None, so a wrong guess does no harm. */
static const char* const ABI_NAMES[] = {
    "system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1",
    "_gcc_libstdcpp_cxxabi1019",
    "_gcc_libstdcpp_cxxabi1018",
};
#define ABI_COUNT (sizeof(ABI_NAMES) / sizeof(ABI_NAMES[0]))

/* What pybind11 reads of a std::type_info: the name, by which types are compared. The table of
 * virtual functions before it is not used. */
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

/* The address that the method answers in a capsule; 0, perhaps with an exception, if in none. */
static uintptr_t ask(PyObject* object, int type, size_t abi) {
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

uintptr_t ortcffi_official_pointer(ortcffi_object* object, int type) {
  static size_t known; /* the ABI that answered last; the GIL guards it */
  if (type < 0 || type >= ORTCFFI_OFFICIAL_TYPES || !(method != NULL || make_arguments())) {
    PyErr_Clear();
    return 0;
  }
  for (size_t tried = 0; tried < ABI_COUNT; tried++) {
    size_t abi = (known + tried) % ABI_COUNT;
    uintptr_t address = ask((PyObject*)object, type, abi);
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

/* The kernel refuses to write out what cannot be read, where it refuses process_vm_readv. */
static int read_through_a_pipe(uintptr_t address, void* out, size_t size) {
  int ends[2];
  if (size > 4096 || pipe(ends) != 0) { /* a pipe takes as much without a reader */
    return 0;
  }
  int copied = write(ends[1], (const void*)address, size) == (ssize_t)size &&
               read(ends[0], out, size) == (ssize_t)size;
  close(ends[0]);
  close(ends[1]);
  return copied;
}

int ortcffi_read_memory(uintptr_t address, void* out, size_t size) {
  struct iovec to = {out, size};
  struct iovec from = {(void*)address, size};
  ssize_t copied = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  if (copied == (ssize_t)size) {
    return 1;
  }
  return copied < 0 && read_through_a_pipe(address, out, size);
}
