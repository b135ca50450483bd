/* SPDX-License-Identifier: MIT */
/* NumPy's C API without its header: the functions that are used here are the same in all versions.
 */
#ifndef ORTCFFI_BOUNDARY_NUMPY_TABLE_H_
#define ORTCFFI_BOUNDARY_NUMPY_TABLE_H_

/* The functions and types that NumPy exports in a capsule, in the order of its ABI; NULL if there
 * are none. Needs the GIL. */
void** ortcffi_numpy_functions(void);

/* The place of numpy.ndarray among them. */
#define NUMPY_ARRAY_TYPE 2

#endif
