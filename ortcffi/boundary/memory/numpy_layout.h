/* SPDX-License-Identifier: MIT */
/* A look, once, at whether NumPy's arrays are as numpy_arrays.h takes for granted. */
#ifndef ORTCFFI_BOUNDARY_MEMORY_NUMPY_LAYOUT_H_
#define ORTCFFI_BOUNDARY_MEMORY_NUMPY_LAYOUT_H_

/* 0 if NumPy's table of functions is of a known version and its arrays are laid out as known; -1
 * with an ImportError that tells what is different. */
int ortcffi_check_numpy(void** functions);

#endif /* ORTCFFI_BOUNDARY_MEMORY_NUMPY_LAYOUT_H_ */
