/* SPDX-License-Identifier: MIT */
/* RegisterCustomOps: with this export the extension is a library of the custom ops written in
 * Python. */
#include "boundary/limited_api.h"
#include <stdint.h>

#include "core.h"
#include "boundary/gil.h"
#include "boundary/module.h"
#include "boundary/status/fail.h"
#include "boundary/kernels/python_ops.h"

#define MOST_BASES 64

/* Filled from the front, each place once; atomic. */
static const OrtApiBase* bases[MOST_BASES];

/* Set under the GIL. */
static PyObject* registrar;

const OrtApiBase* ortcffi_received_base(size_t i) {
  return i < MOST_BASES ? __atomic_load_n(&bases[i], __ATOMIC_ACQUIRE) : NULL;
}

static void note_base(const OrtApiBase* base) {
  for (size_t i = 0; i < MOST_BASES; i++) {
    const OrtApiBase* expected = NULL;
    int is_noted = __atomic_compare_exchange_n(&bases[i], &expected, base, 0, __ATOMIC_ACQ_REL,
                                               __ATOMIC_ACQUIRE);
    if (is_noted || expected == base) {
      return;
    }
  }
}

/* set_registrar(registrar): sets what RegisterCustomOps calls, registrar(options, base), with
 * addresses. */
static PyObject* set_registrar(PyObject* module, PyObject* function) {
  registrar = Py_NewRef(function);
  Py_RETURN_NONE;
}

PyMethodDef ortcffi_registration_functions[] = {
    {"set_registrar", set_registrar, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

struct register_call {
  OrtSessionOptions* options;
  const OrtApiBase* base;
  OrtStatus* status;
};

static void register_in_python(void* argument) {
  struct register_call* call = argument;
  PyObject* answer =
      PyObject_CallFunction(registrar, "KK", (unsigned long long)(uintptr_t)call->options,
                            (unsigned long long)(uintptr_t)call->base);
  if (answer == NULL) {
    call->status = ortcffi_status_of_exception(call->base->GetApi(1));
  }
  Py_XDECREF(answer);
}

CORE_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                      const OrtApiBase* base) {
  struct register_call call = {options, base, NULL};
  if (base == NULL) {
    return core_status(ORT_INVALID_ARGUMENT, "RegisterCustomOps: base must not be NULL");
  }
  note_base(base);
  if (registrar != NULL) { /* otherwise no op has been defined */
    call_with_gil(register_in_python, &call);
  }
  return call.status;
}
