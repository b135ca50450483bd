/* SPDX-License-Identifier: MIT */
/* The attributes of a node. In Python each takes four calls through CFFI. */
#include "boundary/models/models.h"
/* Needs the header above. */
#include <stdint.h>
#include <string.h>

/* Copies of values up to this many bytes need no memory. */
#define SHORT_VALUE 256

/* A value as ReadOpAttr gives it. */
struct raw_value {
  char* bytes;
  size_t size;
  union {
    char bytes[SHORT_VALUE];
    int64_t aligns;
  } few;
};

/* Reads a value, which end_value frees; -1 with an exception. */
static int begin_value(struct raw_value* self, const struct handle* graph,
                       const OrtOpAttr* attribute, OrtOpAttrType type) {
  const OrtApi* api = graph->api;
  self->bytes = self->few.bytes;
  self->size = 0;
  OrtStatus* status = api->ReadOpAttr(attribute, type, self->bytes, SHORT_VALUE, &self->size);
  if (status != NULL && self->size > SHORT_VALUE) { /* the size is written in any case */
    api->ReleaseStatus(status);
    char* bytes = PyMem_Malloc(self->size);
    if (bytes == NULL) {
      PyErr_NoMemory();
      return -1;
    }
    self->bytes = bytes;
    status = api->ReadOpAttr(attribute, type, self->bytes, self->size, &self->size);
  }
  return check_call(graph, status, "ReadOpAttr");
}

static void end_value(const struct raw_value* self) {
  if (self->bytes != self->few.bytes) {
    PyMem_Free(self->bytes);
  }
}

/* A str, or bytes where they are not UTF-8. */
static PyObject* string_of(const char* bytes, size_t size) {
  PyObject* text = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, NULL);
  if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
    PyErr_Clear();
    text = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
  }
  return text;
}

/* The number at a place of the value, or the string that begins there, whose end it moves to. */
static PyObject* item_at(const struct raw_value* value, OrtOpAttrType type, size_t* at) {
  const char* from = value->bytes + *at;
  size_t left = value->size - *at;
  if (type == ORT_OP_ATTR_STRING || type == ORT_OP_ATTR_STRINGS) {
    const char* zero = type == ORT_OP_ATTR_STRINGS ? memchr(from, 0, left) : NULL;
    size_t size = zero != NULL ? (size_t)(zero - from) : left;
    *at += zero != NULL ? size + 1 : size;
    if (type == ORT_OP_ATTR_STRING && size > 0 && from[size - 1] == 0) { /* the real library's */
      size--;
    }
    return string_of(from, size);
  }
  if (type == ORT_OP_ATTR_INT || type == ORT_OP_ATTR_INTS) {
    int64_t number = 0;
    memcpy(&number, from, left < sizeof number ? left : sizeof number);
    *at += sizeof number;
    return PyLong_FromLongLong(number);
  }
  float number = 0;
  memcpy(&number, from, left < sizeof number ? left : sizeof number);
  *at += sizeof number;
  return PyFloat_FromDouble(number);
}

static PyObject* list_of(const struct raw_value* value, OrtOpAttrType type) {
  PyObject* list = PyList_New(0);
  for (size_t at = 0; list != NULL && at < value->size;) {
    PyObject* item = item_at(value, type, &at);
    if (item == NULL || PyList_Append(list, item) < 0) {
      Py_CLEAR(list);
    }
    Py_XDECREF(item);
  }
  return list;
}

static PyObject* read_value(const struct handle* graph, const OrtOpAttr* attribute,
                            OrtOpAttrType type) {
  struct raw_value value;
  PyObject* object = NULL;
  size_t at = 0;
  if (begin_value(&value, graph, attribute, type) == 0) {
    int is_list =
        type == ORT_OP_ATTR_INTS || type == ORT_OP_ATTR_FLOATS || type == ORT_OP_ATTR_STRINGS;
    object = is_list ? list_of(&value, type) : item_at(&value, type, &at);
  }
  end_value(&value);
  return object;
}

static PyObject* object_of(const struct handle* graph, const OrtOpAttr* attribute) {
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  OrtStatus* status = graph->api->OpAttr_GetType(attribute, &type);
  if (status != NULL && graph->api->GetErrorCode(status) == ORT_INVALID_ARGUMENT) {
    graph->api->ReleaseStatus(status);
    type = ORT_OP_ATTR_UNDEFINED;
  } else if (check_call(graph, status, "OpAttr_GetType") < 0) {
    return NULL;
  }
  switch (type) {
    case ORT_OP_ATTR_INT:
    case ORT_OP_ATTR_INTS:
    case ORT_OP_ATTR_FLOAT:
    case ORT_OP_ATTR_FLOATS:
    case ORT_OP_ATTR_STRING:
    case ORT_OP_ATTR_STRINGS:
      return read_value(graph, attribute, type);
    case ORT_OP_ATTR_TENSOR:
    case ORT_OP_ATTR_GRAPH:
      return Py_BuildValue("iK", (int)type, (unsigned long long)(uintptr_t)attribute);
    default:
      return Py_NewRef(Py_None);
  }
}

static int add_attribute(PyObject* to, const struct handle* graph, const OrtOpAttr* attribute) {
  const char* name = "";
  if (check_call(graph, graph->api->OpAttr_GetName(attribute, &name), "OpAttr_GetName") < 0) {
    return -1;
  }
  PyObject* key = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
  PyObject* object = key == NULL ? NULL : object_of(graph, attribute);
  int answer = object == NULL ? -1 : PyDict_SetItem(to, key, object);
  Py_XDECREF(key);
  Py_XDECREF(object);
  return answer;
}

/* read_attributes(node): a new dict of the attributes of a node by name: numbers, strings, bytes
 * that are not UTF-8, lists of one of them, and None where the API does not show the type. A tensor
 * or a graph is a tuple of the type and the address of the OrtOpAttr. */
static PyObject* read_attributes(PyObject* module, PyObject* node) {
  (void)module;
  const struct part* part = node_part(node);
  struct parts_list attributes;
  if (part == NULL || handle_begin(part->graph) < 0) {
    return NULL;
  }
  PyObject* found = PyDict_New();
  int answer = begin_parts(&attributes, part->graph, ORTCFFI_NODE_ATTRIBUTES, part->object);
  for (size_t i = 0; found != NULL && answer == 0 && i < attributes.count; i++) {
    answer = add_attribute(found, part->graph, attributes.items[i]);
  }
  end_parts(&attributes);
  handle_end(part->graph);
  if (answer < 0) {
    Py_CLEAR(found);
  }
  return found;
}

static PyMethodDef attributes_functions[] = {
    {"read_attributes", read_attributes, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_attributes(PyObject* module) {
  return PyModule_AddFunctions(module, attributes_functions);
}
