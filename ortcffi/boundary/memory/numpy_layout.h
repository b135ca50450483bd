/* SPDX-License-Identifier: MIT */
/* Checks once whether NumPy's arrays have the layout that numpy_arrays.h assumes. */
#ifndef ORTCFFI_BOUNDARY_MEMORY_NUMPY_LAYOUT_H_
#define ORTCFFI_BOUNDARY_MEMORY_NUMPY_LAYOUT_H_

/* 0 if NumPy's table of functions is of a known version and its arrays are laid out as known; -1
 * with an ImportError that names the difference. */
int ortcffi_check_numpy(void** functions);

#endif /* ORTCFFI_BOUNDARY_MEMORY_NUMPY_LAYOUT_H_ */
