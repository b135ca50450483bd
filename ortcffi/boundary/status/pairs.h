/* SPDX-License-Identifier: MIT */
/*
 * Reads and changes key-value pairs in one step. What GetKeyValue and GetKeyValuePairs return is
 * valid until the pairs change, and another thread may change them: so all functions keep the GIL.
 */
#ifndef ORTCFFI_BOUNDARY_STATUS_PAIRS_H_
#define ORTCFFI_BOUNDARY_STATUS_PAIRS_H_

#include "boundary/limited_api.h"

/* Adds the functions for Python to the module. */
int ortcffi_add_pairs(PyObject* module);

#endif /* ORTCFFI_BOUNDARY_STATUS_PAIRS_H_ */
