/* SPDX-License-Identifier: MIT */
/* Execution providers written in Python; python_ep.c describes them. */
#ifndef ORTCFFI_BOUNDARY_MODELS_PYTHON_EP_H_
#define ORTCFFI_BOUNDARY_MODELS_PYTHON_EP_H_

#include <stddef.h>

/* The number of live structs of their factories, providers and compiled nodes. */
size_t ortcffi_live_python_eps(void);

#endif /* ORTCFFI_BOUNDARY_MODELS_PYTHON_EP_H_ */
