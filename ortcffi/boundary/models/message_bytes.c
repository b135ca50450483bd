/* SPDX-License-Identifier: MIT */
/* Messages, written. */
#include "boundary/handle/unlocked.h"
#include "boundary/models/message.h"
#include "boundary/models/models.h"

#include <stdio.h>

#include "graph/tensor_bytes.h"
#include "heap/heap_base.h"
#include "onnx/writing.h"

struct writer {
  struct core_writing to;
  PyObject* weights; /* a list, or NULL: weights are written with the rest */
  size_t first;
  size_t known_weights; /* those that messages may name by a number already */
};

static int write_message(struct writer* writer, struct message* self, unsigned depth);

static int refuse(const struct message* self, const struct core_known_field* known,
                  PyObject* value) {
  PyErr_Format(PyExc_TypeError, "%s.%s cannot be %R", core_onnx_name(self->kind), known->name,
               (PyObject*)Py_TYPE(value));
  return -1;
}

/* --- weights -----------------------------------------------------------------------------------*/

static void write_entry(struct writer* writer, const char* key, const char* value) {
  size_t entry = core_begin_message(&writer->to, TENSOR_EXTERNAL);
  core_write_text(&writer->to, ENTRY_KEY, key);
  core_write_text(&writer->to, ENTRY_VALUE, value);
  core_end_message(&writer->to, entry);
}

static int write_weight(struct writer* writer, PyObject* buffer) {
  char number[24];
  Py_ssize_t count = PyList_Size(writer->weights);
  snprintf(number, sizeof number, "%zu", writer->first + (size_t)count);
  write_entry(writer, "location", CORE_WEIGHTS_IN_MEMORY);
  write_entry(writer, "offset", number);
  core_write_number(&writer->to, TENSOR_LOCATION, 1);
  return PyList_Append(writer->weights, buffer);
}

/* Refuses a tensor in a file that has the name by which weights in memory are named. */
static bool check_tensor(struct core_message tensor, void* state) {
  const struct writer* writer = state;
  struct core_external_data data;
  OrtStatus* status = core_is_external(tensor) ? core_read_external(tensor, &data) : NULL;
  bool is_refused = core_is_external(tensor) && status == NULL &&
                    core_message_is(data.location, CORE_WEIGHTS_IN_MEMORY) &&
                    data.offset >= writer->known_weights;
  core_api()->ReleaseStatus(status); /* the use of the weights raises it again */
  if (is_refused) {
    PyErr_SetString(PyExc_ValueError, "a file of weights cannot be called '*'");
  }
  return !is_refused;
}

/* --- fields ------------------------------------------------------------------------------------*/

static int write_text(struct writer* writer, uint32_t number, PyObject* text) {
  Py_ssize_t size;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
  if (utf8 != NULL) {
    core_write_bytes(&writer->to, number, utf8, (size_t)size);
    return 0;
  }
  PyErr_Clear();
  PyObject* bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
  if (bytes == NULL) {
    return -1;
  }
  size_t length = (size_t)PyBytes_Size(bytes);
  core_write_bytes(&writer->to, number, PyBytes_AsString(bytes), length);
  Py_DECREF(bytes);
  return 0;
}

static int write_buffer(struct writer* writer, uint32_t number, PyObject* buffer) {
  Py_buffer view;
  if (PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) < 0) {
    return -1;
  }
  core_write_bytes(&writer->to, number, view.buf, (size_t)view.len);
  PyBuffer_Release(&view);
  return 0;
}

static int read_float(PyObject* value, float* out) {
  *out = (float)PyFloat_AsDouble(value);
  return PyErr_Occurred() ? -1 : 0;
}

static int write_value(struct writer* writer, const struct core_known_field* known, uint32_t number,
                       PyObject* value, unsigned depth) {
  int64_t integer;
  float real;
  size_t begin;
  int answer;
  switch (known->type) {
    case CORE_TEXT:
      return write_text(writer, number, value);
    case CORE_BYTES:
      return write_buffer(writer, number, value);
    case CORE_INT:
      integer = PyLong_AsLongLong(value);
      core_write_number(&writer->to, number, (uint64_t)integer);
      return integer == -1 && PyErr_Occurred() ? -1 : 0;
    case CORE_MESSAGE:
      begin = core_begin_message(&writer->to, number);
      ORTCFFI_CRITICAL_BEGIN(value);
      answer = write_message(writer, (struct message*)value, depth);
      ORTCFFI_CRITICAL_END();
      core_end_message(&writer->to, begin);
      return answer;
    default:
      if (read_float(value, &real) < 0) {
        return -1;
      }
      core_write_fixed(&writer->to, number, &real);
      return 0;
  }
}

static int write_packed(struct writer* writer, const struct message* self,
                        const struct core_known_field* known, uint32_t number, PyObject* list) {
  uint8_t bytes[CORE_VARINT_ROOM];
  float real;
  size_t begin = core_begin_message(&writer->to, number);
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    PyObject* item = PyList_GetItem(list, i);
    if (!message_fits(known, item)) {
      return refuse(self, known, item);
    }
    if (known->type == CORE_INT) {
      int64_t integer = PyLong_AsLongLong(item);
      core_write_raw(&writer->to, bytes, core_encode_varint((uint64_t)integer, bytes));
    } else if (read_float(item, &real) == 0) {
      core_write_raw(&writer->to, &real, sizeof real);
    }
    if (PyErr_Occurred()) {
      return -1;
    }
  }
  core_end_message(&writer->to, begin);
  return 0;
}

static int write_list(struct writer* writer, const struct message* self,
                      const struct core_known_field* known, uint32_t number, PyObject* list,
                      unsigned depth) {
  if (PyList_Size(list) > 0 && (known->type == CORE_INT || known->type == CORE_FLOAT)) {
    return write_packed(writer, self, known, number, list);
  }
  int answer = 0;
  for (Py_ssize_t i = 0; answer == 0 && i < PyList_Size(list); i++) {
    PyObject* item = Py_NewRef(PyList_GetItem(list, i));
    answer = message_fits(known, item) ? write_value(writer, known, number, item, depth)
                                       : refuse(self, known, item);
    Py_DECREF(item);
  }
  return answer;
}

static bool is_weight(const struct writer* writer, const struct message* self, uint32_t number,
                      PyObject* value) {
  Py_buffer view;
  if (writer->weights == NULL || self->kind != ONNX_TENSOR || number != TENSOR_RAW) {
    return false;
  }
  if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) < 0) {
    PyErr_Clear(); /* raised again where it is written */
    return false;
  }
  Py_ssize_t size = view.len;
  PyBuffer_Release(&view);
  return size >= ORTCFFI_LARGE;
}

/* What is written is kept meanwhile: a buffer or a number of Python's may change the message. */
static int write_field(struct writer* writer, const struct message* self, uint32_t number,
                       unsigned depth) {
  const struct core_known_field* known = &ortcffi_known_fields[self->kind][number];
  PyObject* value = Py_NewRef(self->values[number]);
  int answer;
  if (known->is_list) {
    ORTCFFI_CRITICAL_BEGIN(value);
    answer = write_list(writer, self, known, number, value, depth);
    ORTCFFI_CRITICAL_END();
  } else {
    answer = is_weight(writer, self, number, value)
                 ? write_weight(writer, value)
                 : write_value(writer, known, number, value, depth);
  }
  Py_DECREF(value);
  return answer;
}

/* Whether a message that nobody used is written as it stands: no large weight can be in it. */
static bool is_plain(const struct writer* writer, const struct message* self) {
  static const uint32_t of_tensors = 1 << ONNX_MODEL | 1 << ONNX_GRAPH | 1 << ONNX_NODE |
                                     1 << ONNX_ATTRIBUTE | 1 << ONNX_TENSOR |
                                     1 << ONNX_SPARSE_TENSOR | 1 << ONNX_FUNCTION;
  return self->values == NULL &&
         (writer->weights == NULL || core_message_size(self->bytes) < ORTCFFI_LARGE ||
          (of_tensors >> self->kind & 1) == 0);
}

static int write_message(struct writer* writer, struct message* self, unsigned depth) {
  if (is_plain(writer, self)) {
    core_write_raw(&writer->to, self->bytes.at, core_message_size(self->bytes));
    return writer->weights == NULL ||
                   core_each_tensor(self->bytes, self->kind, check_tensor, writer)
               ? 0
               : -1;
  }
  if (depth == 0) {
    PyErr_SetString(PyExc_ValueError, "messages are nested too deeply");
    return -1;
  }
  size_t begin = writer->to.size;
  int answer = message_touch(self);
  for (uint32_t i = 0; answer == 0 && i < message_fields(self); i++) {
    answer = self->values[i] == NULL ? 0 : write_field(writer, self, i, depth - 1);
  }
  for (size_t i = 0; answer == 0 && i < self->rest_count; i++) {
    core_write_raw(&writer->to, self->rest[i].at, core_message_size(self->rest[i]));
  }
  bool is_external = self->kind == ONNX_TENSOR && writer->weights != NULL &&
                     self->values[TENSOR_EXTERNAL] != NULL && !writer->to.has_failed &&
                     PyList_Size(self->values[TENSOR_EXTERNAL]) > 0;
  if (answer == 0 && is_external) {
    const uint8_t* at = writer->to.bytes;
    const struct core_message tensor = {at + begin, at + writer->to.size};
    answer = check_tensor(tensor, writer) ? 0 : -1;
  }
  return answer;
}

PyObject* message_to_bytes(PyObject* self, PyObject* arguments) {
  struct writer writer = {0};
  Py_ssize_t first = 0;
  if (!PyArg_ParseTuple(arguments, "|O!n", &PyList_Type, &writer.weights, &first)) {
    return NULL;
  }
  writer.first = writer.known_weights = (size_t)first;
  PyObject* bytes = NULL;
  int answer = write_message(&writer, (struct message*)self, ORTCFFI_DEEPEST_MESSAGE);
  if (answer == 0 && writer.to.has_failed) {
    PyErr_NoMemory();
  } else if (answer == 0) {
    const char* at = (const char*)writer.to.bytes;
    bytes = PyBytes_FromStringAndSize(at, (Py_ssize_t)writer.to.size);
  }
  core_heap_free(writer.to.bytes);
  return bytes;
}
