/* SPDX-License-Identifier: MIT */
/* Shared by the files that read graphs for Python. */
#ifndef ORTCFFI_BOUNDARY_MODELS_PART_H_
#define ORTCFFI_BOUNDARY_MODELS_PART_H_

#include "boundary/models/parts.h"

#include "boundary/limited_api.h"
#include "boundary/platform/handle.h"
#include "boundary/status/fail.h"

struct part {
  PyObject base;
  struct handle* graph;
  const void* object;
  PyObject* facts[3]; /* of a value the name; of a node the operator, inputs and outputs */
};

/* An object as a node; NULL with an exception if it is none. */
struct part* node_part(PyObject* object);

/* Raises the exception for a failing status; -1 then. */
int check_call(const struct handle* graph, OrtStatus* status, const char* function);

#define FEW_PARTS 16
struct parts_list {
  const void** items;
  size_t count;
  const void* few[FEW_PARTS];
};

/* Reads a list, which end_parts frees; -1 with an exception. */
int begin_parts(struct parts_list* self, const struct handle* graph, ortcffi_parts list,
                const void* of);
void end_parts(const struct parts_list* self);

#endif /* ORTCFFI_BOUNDARY_MODELS_PART_H_ */
