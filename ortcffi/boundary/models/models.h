/* SPDX-License-Identifier: MIT */
/* What Python sees of graphs and of execution providers written in Python. */
#ifndef ORTCFFI_BOUNDARY_MODELS_H_
#define ORTCFFI_BOUNDARY_MODELS_H_

#include <stddef.h>
#include <stdint.h>
#include "onnxruntime_c_api.h"

/* Whether the memory of graphs that providers see during a call is closed at its end, so that a
 * later use ends the process. */
void ortcffi_close_shown_graphs(int wanted);

/* The bytes of a model, which are valid as long as it lives, and the count of its weights that are
 * in memory. Those in files are mapped. */
const void* ortcffi_model_bytes(OrtModel* model, size_t* size, size_t* weights);

/* Opens a model like core_open_with_weights: `weights` has the address and the size of each. */
OrtStatus* ortcffi_open_model(const void* bytes, size_t size, const uintptr_t* weights,
                              size_t count, OrtModel* of, OrtModel** out);

/* The operator of a node, then the names of its inputs and outputs, as many as `counts` says; NULL
 * for what is left out. Where they are more than `room`, there are no texts. */
OrtStatus* ortcffi_node_texts(const OrtApi* api, const OrtNode* node, const char** texts,
                              size_t room, size_t counts[2]);

/* Execution providers written in Python; python_ep.c describes them. */

/* The number of live structs of their factories, providers and compiled nodes. */
size_t ortcffi_live_python_eps(void);

#endif /* ORTCFFI_BOUNDARY_MODELS_H_ */
