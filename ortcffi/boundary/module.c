/* SPDX-License-Identifier: MIT */
/*
 * The module ortcffi._compiled: the types, and the functions that take or return Python objects.
 *
 * It is in the same file as ortcffi._ort, which CFFI makes of the functions that take and return C.
 * An extension may define several modules; ortcffi._native imports both.
 */
#include "boundary/limited_api.h"

#include "boundary/kernels/python_ops.h"
#include "boundary/memory/adaptors.h"
#include "boundary/memory/allocators.h"
#include "boundary/models/models.h"
#include "boundary/handle/handle.h"
#include "boundary/session/session_types.h"
#include "boundary/status/fail.h"
#include "boundary/values/values.h"

/* The handle comes first, which is the base of other types. */
static int (*const topics[])(PyObject* module) = {
    ortcffi_add_cdata,   ortcffi_add_handles,      ortcffi_add_fail,       ortcffi_add_references,
    ortcffi_add_blocks,  ortcffi_add_numpy_memory, ortcffi_add_values,     ortcffi_add_messages,
    ortcffi_add_kernels, ortcffi_add_sessions,     ortcffi_add_python_ops, ortcffi_add_registration,
};

static int add_topics(PyObject* module) {
  /* There is one set of error classes and callbacks for the whole process, so a second interpreter
   * would replace those of the first. */
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "ortcffi can be imported in the main interpreter only, not in a "
                    "subinterpreter: its C code calls back into one interpreter");
    return -1;
  }
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    if (topics[i](module) < 0) {
      return -1;
    }
  }
  return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void*)add_topics},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "ortcffi._compiled",
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModuleDef_Init(&definition); }
