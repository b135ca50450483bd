/* SPDX-License-Identifier: MIT */
/* The number of sessions, and which thread may be interrupted. */
#ifndef ORTCFFI_BOUNDARY_SESSION_TYPES_H_
#define ORTCFFI_BOUNDARY_SESSION_TYPES_H_

#include <stdint.h>

/* The number of live sessions that this package has made. */
int64_t ortcffi_live_sessions(void);

/* Sets which thread is Python's main thread. To be called before the first run. */
void ortcffi_supervise_init(unsigned long main_ident);

#endif /* ORTCFFI_BOUNDARY_SESSION_TYPES_H_ */
