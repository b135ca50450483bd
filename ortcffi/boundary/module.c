/* SPDX-License-Identifier: MIT */
/*
 * The module ortcffi._compiled: the types, and the functions that take or return Python objects.
 *
 * It is in the same file as ortcffi._ort, which CFFI makes of the functions that take and return C.
 * An extension may define several modules; ortcffi._native imports both.
 */
#include "boundary/module.h"

PyTypeObject *ortcffi_handle_type, *ortcffi_hold_type, *ortcffi_block_type;
PyTypeObject *ortcffi_maker_type, *ortcffi_tensor_type, *ortcffi_message_type;
PyTypeObject *ortcffi_session_type, *ortcffi_job_type, *ortcffi_mailbox_type;

static const struct {
  PyType_Spec* spec;
  PyTypeObject** type; /* NULL where only Python has it */
  char is_handle;      /* whether its base is the handle, which comes first */
} types[] = {
    {&ortcffi_handle_spec, &ortcffi_handle_type, 0},
    {&ortcffi_hold_spec, &ortcffi_hold_type, 0},
    {&ortcffi_allocator_spec, NULL, 1},
    {&ortcffi_block_spec, &ortcffi_block_type, 0},
    {&ortcffi_maker_spec, &ortcffi_maker_type, 0},
    {&ortcffi_tensor_spec, &ortcffi_tensor_type, 1},
    {&ortcffi_message_spec, &ortcffi_message_type, 0},
    {&ortcffi_kernel_spec, NULL, 1},
    {&ortcffi_op_spec, NULL, 0},
    {&ortcffi_session_spec, &ortcffi_session_type, 1},
    {&ortcffi_binding_spec, NULL, 1},
    {&ortcffi_job_spec, &ortcffi_job_type, 0},
    {&ortcffi_mailbox_spec, &ortcffi_mailbox_type, 0},
};

static PyMethodDef* const functions[] = {
    ortcffi_cdata_functions,     ortcffi_handle_functions,  ortcffi_fail_functions,
    ortcffi_reference_functions, ortcffi_block_functions,   ortcffi_numpy_functions,
    ortcffi_value_functions,     ortcffi_session_functions, ortcffi_registration_functions,
};

static int add_type(PyObject* module, size_t i) {
  PyObject* base = types[i].is_handle ? (PyObject*)ortcffi_handle_type : NULL;
  PyTypeObject* type = (PyTypeObject*)PyType_FromSpecWithBases(types[i].spec, base);
  if (types[i].type != NULL) {
    *types[i].type = type;
  }
  return type == NULL ? -1 : PyModule_AddType(module, type);
}

static int add_topics(PyObject* module) {
  /* There is one set of error classes and callbacks for the whole process, so a second interpreter
   * would replace those of the first. */
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "ortcffi can be imported in the main interpreter only, not in a "
                    "subinterpreter: its C code calls back into one interpreter");
    return -1;
  }
  int answer = ortcffi_begin_messages();
  for (size_t i = 0; answer == 0 && i < sizeof types / sizeof *types; i++) {
    answer = add_type(module, i);
  }
  for (size_t i = 0; answer == 0 && i < sizeof functions / sizeof *functions; i++) {
    answer = PyModule_AddFunctions(module, functions[i]);
  }
  return answer;
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
