/* SPDX-License-Identifier: MIT */
/* Execution providers written in Python; python_ep.c describes them. */
#ifndef ORTCFFI_BOUNDARY_MODELS_PYTHON_EP_H_
#define ORTCFFI_BOUNDARY_MODELS_PYTHON_EP_H_

#include <stddef.h>

/* How many factories, providers and compiled nodes of them C holds. */
size_t ortcffi_live_python_eps(void);

#endif /* ORTCFFI_BOUNDARY_MODELS_PYTHON_EP_H_ */
