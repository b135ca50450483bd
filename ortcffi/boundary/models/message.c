/* SPDX-License-Identifier: MIT */
/*
 * Messages of ONNX files that can be changed. core/src/onnx/fields.def lists them and their fields.
 *
 *   Message(kind, buffer=b"")
 *       A message, such as Message("NodeProto"). It keeps the buffer, which must not change.
 *       ValueError: the bytes are no such message.
 *   message.field
 *       A field, by its name in onnx.proto: int, float, str, bytes, Message, or a list of them that
 *       can be changed. Text that is not UTF-8 has surrogates. A field that is not there is 0, 0.0,
 *       "", b"", [], and None for a message. Large bytes are a memoryview, not a copy.
 *   message.field = value
 *       None removes it.
 *   message.has(field), message.kind, message.copy()
 *   message.mentions(texts)
 *       Whether one of a tuple of bytes may be in the message.
 *   message.to_bytes(weights=None, first=0)
 *       The message as ONNX serializes it. With a list, raw data of tensors of 256 bytes and more
 *       is added to it, and named by a number, which counts from `first`.
 *
 * A message is a range of its parent's bytes until the first use of one of its fields. Such a range
 * is written as it is.
 */
#include "boundary/limited_api.h"

#include "boundary/handle/unlocked.h"
#include "boundary/models/message.h"
#include "boundary/module.h"
#include "heap/heap_base.h"

const struct core_known_field (*ortcffi_known_fields)[ONNX_FIELDS];

/* The interned names of fields. */
static PyObject* field_names[ONNX_MESSAGES][ONNX_FIELDS];
/* More than the numbers of all named fields of a message. */
static size_t field_counts[ONNX_MESSAGES];

size_t message_fields(const struct message* self) { return field_counts[self->kind]; }

static struct message* message_of(PyObject* object) {
  return Py_TYPE(object) == ortcffi_message_type ? (struct message*)object : NULL;
}

static const struct core_known_field* known_of(const struct message* self, uint32_t number) {
  static const struct core_known_field nothing = {0};
  const struct core_known_field* known =
      number < message_fields(self) ? &ortcffi_known_fields[self->kind][number] : &nothing;
  return known->name != NULL ? known : &nothing;
}

static PyObject* new_message(enum core_onnx kind, PyObject* base, struct core_message bytes) {
  struct message* self = (struct message*)PyType_GenericAlloc(ortcffi_message_type, 0); /* zeroed */
  if (self != NULL) {
    self->kind = kind;
    self->base = Py_XNewRef(base);
    self->bytes = bytes;
  }
  return (PyObject*)self;
}

/* --- read --------------------------------------------------------------------------------------*/

static PyObject* object_of_bytes(const struct message* self, struct core_message bytes) {
  size_t size = core_message_size(bytes);
  if (size < ORTCFFI_LARGE) {
    return PyBytes_FromStringAndSize((const char*)bytes.at, (Py_ssize_t)size);
  }
  Py_buffer whole;
  if (PyObject_GetBuffer(self->base, &whole, PyBUF_SIMPLE) < 0) {
    return NULL;
  }
  Py_ssize_t begin = bytes.at - (const uint8_t*)whole.buf;
  PyBuffer_Release(&whole);
  return PySequence_GetSlice(self->base, begin, begin + (Py_ssize_t)size);
}

static PyObject* object_of_number(enum core_field_type type, uint64_t bits) {
  if (type == CORE_INT) {
    return PyLong_FromLongLong((int64_t)bits);
  }
  uint32_t low = (uint32_t)bits;
  float number;
  memcpy(&number, &low, sizeof number);
  return PyFloat_FromDouble(number);
}

static PyObject* object_of_field(const struct message* self, const struct core_known_field* known,
                                 const struct core_field* field) {
  switch (known->type) {
    case CORE_TEXT:
      return PyUnicode_DecodeUTF8((const char*)field->bytes.at,
                                  (Py_ssize_t)core_message_size(field->bytes), "surrogateescape");
    case CORE_BYTES:
      return object_of_bytes(self, field->bytes);
    case CORE_MESSAGE:
      return new_message(known->kind, self->base, field->bytes);
    default:
      return object_of_number(known->type, field->value);
  }
}

static enum core_wire wire_of(enum core_field_type type) {
  return type == CORE_INT ? CORE_VARINT : type == CORE_FLOAT ? CORE_FIXED32 : CORE_LENGTH;
}

/* A list that the collector does not look at: messages make no cycles. */
static PyObject* new_list(void) {
  PyObject* list = PyList_New(0);
  if (list != NULL) {
    PyObject_GC_UnTrack(list);
  }
  return list;
}

static int append(PyObject** list, PyObject* item) {
  if (*list == NULL) {
    *list = new_list();
  }
  int answer = item == NULL || *list == NULL ? -1 : PyList_Append(*list, item);
  Py_XDECREF(item);
  return answer;
}

static int append_packed(PyObject** list, const struct core_known_field* known,
                         struct core_message packed) {
  struct core_numbers numbers = {.wire = wire_of(known->type), .packed = packed};
  uint64_t bits;
  int answer = 0;
  while (answer == 0 && core_next_number(&numbers, &bits)) {
    answer = append(list, object_of_number(known->type, bits));
  }
  return answer;
}

/* A message that is there in parts: protobuf joins them. */
static PyObject* join(const struct message* first, struct core_message second) {
  size_t size = core_message_size(first->bytes), more = core_message_size(second);
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(size + more));
  PyObject* view = NULL;
  PyObject* joined = NULL;
  if (bytes != NULL) {
    char* at = PyBytes_AsString(bytes);
    memcpy(at, first->bytes.at, size);
    memcpy(at + size, second.at, more);
    view = PyMemoryView_FromObject(bytes);
    struct core_message whole = {(uint8_t*)at, (uint8_t*)at + size + more};
    joined = view == NULL ? NULL : new_message(first->kind, view, whole);
  }
  Py_XDECREF(bytes);
  Py_XDECREF(view);
  return joined;
}

static int add_field(struct message* self, const struct core_known_field* known,
                     const struct core_field* field) {
  PyObject** place = &self->values[field->number];
  if (known->is_list && known->type <= CORE_DOUBLE && field->wire == CORE_LENGTH) {
    return append_packed(place, known, field->bytes);
  }
  if (known->is_list) {
    return append(place, object_of_field(self, known, field));
  }
  PyObject* object = known->type == CORE_MESSAGE && *place != NULL
                         ? join((struct message*)*place, field->bytes)
                         : object_of_field(self, known, field);
  Py_XDECREF(*place);
  *place = object;
  return object == NULL ? -1 : 0;
}

/* Notes bytes that are no known field; those that follow each other are one range. */
static int add_rest(struct message* self, const uint8_t* at, const uint8_t* end) {
  struct core_message* last = self->rest_count > 0 ? &self->rest[self->rest_count - 1] : NULL;
  if (last != NULL && last->end == at) {
    last->end = end;
    return 0;
  }
  void* grown = PyMem_Realloc(self->rest, (self->rest_count + 1) * sizeof *self->rest);
  if (grown == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  self->rest = grown;
  self->rest[self->rest_count++] = (struct core_message){at, end};
  return 0;
}

static void forget_fields(struct message* self) {
  for (size_t i = 0; self->values != NULL && i < message_fields(self); i++) {
    Py_XDECREF(self->values[i]);
  }
  PyMem_Free(self->values);
  PyMem_Free(self->rest);
  self->values = NULL;
  self->rest = NULL;
  self->rest_count = 0;
}

int message_touch(struct message* self) {
  struct core_message rest = self->bytes;
  struct core_field field;
  if (self->values != NULL) {
    return 0;
  }
  self->values = PyMem_Calloc(message_fields(self) + 1, sizeof *self->values);
  if (self->values == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  int answer = 0;
  for (const uint8_t* at = rest.at; answer == 0 && core_next_field(&rest, &field); at = rest.at) {
    const struct core_known_field* known = known_of(self, field.number);
    bool is_packed = known->is_list && known->type <= CORE_DOUBLE && field.wire == CORE_LENGTH;
    bool fits = known->name != NULL && (is_packed || field.wire == wire_of(known->type));
    answer = fits ? add_field(self, known, &field) : add_rest(self, at, rest.at);
  }
  if (answer == 0 && core_is_malformed(&rest)) {
    PyErr_SetString(PyExc_ValueError, "the bytes of the message have changed");
    answer = -1;
  }
  if (answer < 0) {
    forget_fields(self);
  }
  return answer;
}

/* --- the type ----------------------------------------------------------------------------------*/

/* The number of a field by its name; 0 where the message has none. */
static uint32_t number_of(const struct message* self, PyObject* name) {
  for (uint32_t i = 0; i < message_fields(self); i++) {
    if (field_names[self->kind][i] == name) {
      return i;
    }
  }
  for (uint32_t i = 0; i < message_fields(self); i++) {
    PyObject* each = field_names[self->kind][i];
    if (each != NULL && PyUnicode_Check(name) && PyUnicode_Compare(each, name) == 0) {
      return i;
    }
  }
  return 0;
}

static PyObject* default_of(struct message* self, uint32_t number) {
  const struct core_known_field* known = known_of(self, number);
  if (known->is_list) {
    self->values[number] = new_list();
    return Py_XNewRef(self->values[number]);
  }
  return known->type == CORE_TEXT      ? PyUnicode_FromStringAndSize("", 0)
         : known->type == CORE_BYTES   ? PyBytes_FromStringAndSize("", 0)
         : known->type == CORE_MESSAGE ? Py_NewRef(Py_None)
                                       : object_of_number(known->type, 0);
}

static PyObject* get_field(PyObject* object, PyObject* name) {
  struct message* self = (struct message*)object;
  uint32_t number = number_of(self, name);
  if (number == 0) {
    return PyObject_GenericGetAttr(object, name);
  }
  if (message_touch(self) < 0) {
    return NULL;
  }
  PyObject* value = self->values[number];
  return value != NULL ? Py_NewRef(value) : default_of(self, number);
}

int message_fits(const struct core_known_field* known, PyObject* value) {
  struct message* inner;
  switch (known->type) {
    case CORE_TEXT:
      return PyUnicode_Check(value);
    case CORE_BYTES:
      return PyObject_CheckBuffer(value);
    case CORE_MESSAGE:
      inner = message_of(value);
      return inner != NULL && inner->kind == known->kind;
    case CORE_INT:
      return PyLong_Check(value);
    default:
      return PyFloat_Check(value) || PyLong_Check(value);
  }
}

static int set_field(PyObject* object, PyObject* name, PyObject* value) {
  struct message* self = (struct message*)object;
  uint32_t number = number_of(self, name);
  if (number == 0) {
    PyErr_Format(PyExc_AttributeError, "%s has no field %R", core_onnx_name(self->kind), name);
    return -1;
  }
  if (message_touch(self) < 0) {
    return -1;
  }
  const struct core_known_field* known = known_of(self, number);
  PyObject* kept = NULL;
  if (value != NULL && value != Py_None) {
    if (!known->is_list && !message_fits(known, value)) {
      PyErr_Format(PyExc_TypeError, "%s.%s cannot be %R", core_onnx_name(self->kind), known->name,
                   (PyObject*)Py_TYPE(value));
      return -1;
    }
    kept = known->is_list ? PySequence_List(value) : Py_NewRef(value);
    if (kept == NULL) {
      return -1;
    }
  }
  PyObject* before = self->values[number];
  self->values[number] = kept;
  Py_XDECREF(before); /* which may call Python */
  return 0;
}

/* The kind of a name; 0 with an exception where there is none. */
static enum core_onnx kind_of(const char* name) {
  for (int i = 1; i < ONNX_MESSAGES; i++) {
    if (strcmp(core_onnx_name(i), name) == 0) {
      return (enum core_onnx)i;
    }
  }
  PyErr_Format(PyExc_ValueError, "ONNX has no message %s", name);
  return ONNX_NO_MESSAGE;
}

static PyObject* message_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  const char* name;
  PyObject* buffer = NULL;
  Py_buffer view;
  if (!PyArg_ParseTuple(arguments, "s|O", &name, &buffer)) {
    return NULL;
  }
  enum core_onnx kind = kind_of(name);
  if (kind == ONNX_NO_MESSAGE || buffer == NULL) {
    return kind == ONNX_NO_MESSAGE ? NULL : new_message(kind, NULL, core_message_of(""));
  }
  PyObject* base = PyMemoryView_FromObject(buffer);
  PyObject* made = NULL;
  if (base != NULL && PyObject_GetBuffer(base, &view, PyBUF_SIMPLE) == 0) {
    const uint8_t* at = view.buf;
    struct core_message bytes = {at, at + view.len};
    PyBuffer_Release(&view);
    if (core_check_fields(bytes, kind) > CORE_FIELDS_IN_PARTS) {
      PyErr_Format(PyExc_ValueError, "the bytes are no %s", name);
    } else {
      made = new_message(kind, base, bytes);
    }
  }
  Py_XDECREF(base);
  return made;
}

static void dealloc(PyObject* object) {
  struct message* self = (struct message*)object;
  PyTypeObject* type = Py_TYPE(object);
  forget_fields(self);
  Py_XDECREF(self->base);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyObject* get_kind(PyObject* self, void* unused) {
  return PyUnicode_FromString(core_onnx_name(((struct message*)self)->kind));
}

static PyObject* has(PyObject* object, PyObject* name) {
  struct message* self = (struct message*)object;
  uint32_t number = number_of(self, name);
  if (number == 0) {
    PyErr_Format(PyExc_AttributeError, "%s has no field %R", core_onnx_name(self->kind), name);
    return NULL;
  }
  if (message_touch(self) < 0) {
    return NULL;
  }
  PyObject* value = self->values[number];
  return PyBool_FromLong(value != NULL && !(PyList_Check(value) && PyList_Size(value) == 0));
}

#if defined(_WIN32)
static const void* memmem(const void* bytes, size_t size, const char* text, size_t length) {
  const char *at = bytes, *end = at + size;
  while (length > 0 && at != NULL && (size_t)(end - at) >= length &&
         memcmp(at, text, length) != 0) {
    at = memchr(at + 1, text[0], (size_t)(end - at) - 1);
  }
  return at != NULL && (size_t)(end - at) >= length ? at : NULL;
}
#endif

/* mentions(texts): whether one of some bytes may be among the message's; True of one in use. */
static PyObject* mentions(PyObject* object, PyObject* texts) {
  const struct message* self = (struct message*)object;
  Py_ssize_t count = PyTuple_Check(texts) ? PyTuple_Size(texts) : 0;
  bool is_found = self->values != NULL;
  for (Py_ssize_t i = 0; !is_found && i < count; i++) {
    char* text;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(texts, i), &text, &size) < 0) {
      return NULL;
    }
    is_found = memmem(self->bytes.at, core_message_size(self->bytes), text, (size_t)size) != NULL;
  }
  return PyBool_FromLong(is_found);
}

static PyObject* copy_of(PyObject* value, unsigned depth);

/* A list in a list is no field's, and stays the same: it could be in itself. */
static PyObject* copy_list(PyObject* list, unsigned depth) {
  PyObject* made = new_list();
  for (Py_ssize_t i = 0; made != NULL && i < PyList_Size(list); i++) {
    PyObject* item = PyList_GetItem(list, i);
    if (append(&made, PyList_Check(item) ? Py_NewRef(item) : copy_of(item, depth)) < 0) {
      Py_CLEAR(made);
    }
  }
  return made;
}

static PyObject* copy_unlocked(PyObject* value, unsigned depth) {
  struct message* from = message_of(value);
  if (from == NULL) {
    return PyList_Check(value) ? copy_list(value, depth) : Py_NewRef(value);
  }
  if (depth == 0) {
    PyErr_SetString(PyExc_ValueError, "messages are nested too deeply");
    return NULL;
  }
  struct message* made = (struct message*)new_message(from->kind, from->base, from->bytes);
  if (made == NULL || from->values == NULL) {
    return (PyObject*)made;
  }
  made->values = PyMem_Calloc(message_fields(made) + 1, sizeof *made->values);
  int answer = made->values == NULL ? -1 : 0;
  for (size_t i = 0; answer == 0 && i < from->rest_count; i++) {
    answer = add_rest(made, from->rest[i].at, from->rest[i].end);
  }
  for (size_t i = 0; answer == 0 && i < message_fields(from); i++) {
    if (from->values[i] != NULL) {
      made->values[i] = copy_of(from->values[i], depth - 1);
      answer = made->values[i] == NULL ? -1 : 0;
    }
  }
  if (answer < 0) {
    Py_CLEAR(made);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
  }
  return (PyObject*)made;
}

static PyObject* copy_of(PyObject* value, unsigned depth) {
  PyObject* made;
  ORTCFFI_CRITICAL_BEGIN(value);
  made = copy_unlocked(value, depth);
  ORTCFFI_CRITICAL_END();
  return made;
}

static PyObject* copy(PyObject* self, PyObject* unused) {
  return copy_of(self, ORTCFFI_DEEPEST_MESSAGE);
}

ORTCFFI_LOCKED_METHOD(has)
ORTCFFI_LOCKED_METHOD(mentions)
ORTCFFI_LOCKED_METHOD(get_field)
ORTCFFI_LOCKED_AS(int, set_field, (PyObject * self, PyObject* name, PyObject* value), self, name,
                  value)

ORTCFFI_LOCKED_METHOD(message_to_bytes)

static PyMethodDef methods[] = {
    {"has", ORTCFFI_LOCKED(has), METH_O, NULL},
    {"mentions", ORTCFFI_LOCKED(mentions), METH_O, NULL},
    {"copy", copy, METH_NOARGS, NULL},
    {"to_bytes", ORTCFFI_LOCKED(message_to_bytes), METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"kind", get_kind, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot message_slots[] = {
    {Py_tp_new, (void*)message_new},
    {Py_tp_dealloc, (void*)dealloc},
    {Py_tp_getattro, (void*)ORTCFFI_LOCKED(get_field)},
    {Py_tp_setattro, (void*)ORTCFFI_LOCKED(set_field)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec ortcffi_message_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Message", struct message, 0, message_slots);

int ortcffi_begin_messages(void) {
  ortcffi_known_fields = core_all_known_fields();
  for (size_t kind = 0; kind < ONNX_MESSAGES; kind++) {
    for (size_t i = 0; i < ONNX_FIELDS; i++) {
      const char* name = ortcffi_known_fields[kind][i].name;
      field_names[kind][i] = name == NULL ? NULL : PyUnicode_InternFromString(name);
      field_counts[kind] = name == NULL ? field_counts[kind] : i + 1;
    }
  }
  return PyErr_Occurred() ? -1 : 0;
}
