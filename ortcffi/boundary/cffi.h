/* SPDX-License-Identifier: MIT */
/* What CFFI puts at the top of the module that it generates. There it is already, as text; this
 * includes it where a header is compiled alone. */
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
