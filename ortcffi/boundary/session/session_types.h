/* SPDX-License-Identifier: MIT */
/* The types on which ortcffi/session is built, and counts for tests. */
#ifndef ORTCFFI_BOUNDARY_SESSION_TYPES_H_
#define ORTCFFI_BOUNDARY_SESSION_TYPES_H_

#include <stdint.h>

/* The number of live sessions that this package has made. */
int64_t ortcffi_live_sessions(void);

/* Sets which thread is Python's main thread. To be called before the first run. */
void ortcffi_supervise_init(unsigned long main_ident);

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

/* Adds the types, see session.h, and the functions for Python to the module. */
int ortcffi_add_sessions(PyObject* module);
#endif

#endif /* ORTCFFI_BOUNDARY_SESSION_TYPES_H_ */
