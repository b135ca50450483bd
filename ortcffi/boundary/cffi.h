/* SPDX-License-Identifier: MIT */
/* What CFFI puts at the top of the module that it generates. There it is already, as text; this
 * includes it where a header is compiled alone. */
#ifndef ORTCFFI_BOUNDARY_CFFI_H_
#define ORTCFFI_BOUNDARY_CFFI_H_

#ifndef _CFFI_
#include <_cffi_include.h>
#endif

#endif /* ORTCFFI_BOUNDARY_CFFI_H_ */
