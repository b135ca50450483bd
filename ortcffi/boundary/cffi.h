/* SPDX-License-Identifier: MIT */
/* The text with which the module that CFFI generates begins, for headers that are compiled alone.
 */
#ifndef ORTCFFI_BOUNDARY_CFFI_H_
#define ORTCFFI_BOUNDARY_CFFI_H_

#ifndef _CFFI_
#include <_cffi_include.h>
#endif

/* conversions.h takes their places. */
#if !defined(_cffi_prepare_pointer_call_argument) || !defined(_cffi_from_c_pointer) || \
    !defined(_cffi_save_errno) || !defined(_cffi_restore_errno)
#error "this CFFI has other macros than the versions 1.17 to 2.1, which this package knows"
#endif

#endif /* ORTCFFI_BOUNDARY_CFFI_H_ */
