/* SPDX-License-Identifier: MIT */
/* What module.c puts into the module: types, and the functions of each topic. */
#ifndef ORTCFFI_BOUNDARY_MODULE_H_
#define ORTCFFI_BOUNDARY_MODULE_H_

#include "boundary/limited_api.h"

extern PyType_Spec ortcffi_handle_spec, ortcffi_hold_spec;
extern PyType_Spec ortcffi_allocator_spec, ortcffi_block_spec;
extern PyType_Spec ortcffi_maker_spec, ortcffi_tensor_spec;
extern PyType_Spec ortcffi_kernel_spec, ortcffi_message_spec, ortcffi_op_spec;
extern PyType_Spec ortcffi_session_spec, ortcffi_binding_spec, ortcffi_job_spec;
extern PyType_Spec ortcffi_mailbox_spec;

/* Types that C makes objects of, or checks for; set before any of their objects is made. */
extern PyTypeObject *ortcffi_handle_type, *ortcffi_hold_type, *ortcffi_block_type;
extern PyTypeObject *ortcffi_maker_type, *ortcffi_tensor_type, *ortcffi_message_type;
extern PyTypeObject *ortcffi_session_type, *ortcffi_job_type, *ortcffi_mailbox_type;

extern PyMethodDef ortcffi_cdata_functions[], ortcffi_handle_functions[], ortcffi_fail_functions[];
extern PyMethodDef ortcffi_reference_functions[], ortcffi_block_functions[];
extern PyMethodDef ortcffi_numpy_functions[], ortcffi_value_functions[];
extern PyMethodDef ortcffi_session_functions[], ortcffi_registration_functions[];

/* Reads the names of the fields of messages; -1 with an exception. */
int ortcffi_begin_messages(void);

#endif /* ORTCFFI_BOUNDARY_MODULE_H_ */
