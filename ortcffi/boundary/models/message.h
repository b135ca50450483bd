/* SPDX-License-Identifier: MIT */
/* Messages of ONNX files that can be changed; message.c describes the type. */
#ifndef ORTCFFI_BOUNDARY_MESSAGE_H_
#define ORTCFFI_BOUNDARY_MESSAGE_H_

#include "boundary/limited_api.h"
/* Needs the header above. */
#include "onnx/check_fields.h"

/* Bytes of this size and more are not copied. */
#define ORTCFFI_LARGE 256
#define ORTCFFI_DEEPEST_MESSAGE 100

struct message {
  PyObject object;
  enum core_onnx kind;
  PyObject* base; /* a memoryview, which keeps the bytes; NULL for a new message */
  struct core_message bytes;
  PyObject** values; /* by the numbers of their fields; NULL until the first use */
  /* Beside the values: what is no known field. */
  struct core_message* rest;
  size_t rest_count;
};

/* core_known_fields, by kind and number. */
extern const struct core_known_field (*ortcffi_known_fields)[ONNX_FIELDS];

/* How many places `values` has. */
size_t message_fields(const struct message* self);

/* Reads the fields at the first use; -1 with an exception. */
int message_touch(struct message* self);

/* Whether an object can be the value of a field, or an item of its list. */
int message_fits(const struct core_known_field* known, PyObject* value);

PyObject* message_to_bytes(PyObject* self, PyObject* arguments);

#endif /* ORTCFFI_BOUNDARY_MESSAGE_H_ */
