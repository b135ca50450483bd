/* SPDX-License-Identifier: MIT */
/* Reads the inputs and outputs of a model from the library. See session.h. */
#include <stdlib.h>
#include <string.h>

#include "boundary/handle/handle.h"
#include "boundary/session/session.h"

/* --- reading, without the GIL: another thread may hold a lock of the session and need it -------*/

typedef OrtStatus*(ORT_API_CALL* count_slot)(const OrtSession*, size_t*);
typedef OrtStatus*(ORT_API_CALL* name_slot)(const OrtSession*, size_t, OrtAllocator*, char**);
typedef OrtStatus*(ORT_API_CALL* info_slot)(const OrtSession*, size_t, OrtTypeInfo**);

/* The slots that read one kind of port, and their names. */
struct kind {
  count_slot count;
  name_slot name;
  info_slot info;
  const char *count_name, *name_name, *info_name;
};

#define KIND(api, what)                                    \
  (struct kind){.count = (api)->SessionGet##what##Count,   \
                .name = (api)->SessionGet##what##Name,     \
                .info = (api)->SessionGet##what##TypeInfo, \
                .count_name = "SessionGet" #what "Count",  \
                .name_name = "SessionGet" #what "Name",    \
                .info_name = "SessionGet" #what "TypeInfo"}

/* A reading under way: what failed, and in which function. */
struct reading {
  const struct session* session;
  const OrtApi* api;
  int version;
  OrtStatus* status;
  const char* function;
};

/* Whether a call has failed; then it is kept. */
static int keep_failure(struct reading* reading, const char* function, OrtStatus* status) {
  reading->status = status;
  reading->function = function;
  return status != NULL;
}

/* Element type and shape of a tensor, dense or sparse. */
static int read_tensor(struct reading* reading, struct port* port,
                       const OrtTensorTypeAndShapeInfo* tensor) {
  const OrtApi* api = reading->api;
  ONNXTensorElementDataType element;
  size_t rank;
  if (keep_failure(reading, "GetTensorElementType", api->GetTensorElementType(tensor, &element))) {
    return -1;
  }
  port->element = (int)element;
  if (reading->version >= 24 && !api->TensorTypeAndShape_HasShape(tensor)) {
    return 0;
  }
  if (keep_failure(reading, "GetDimensionsCount", api->GetDimensionsCount(tensor, &rank))) {
    return -1;
  }
  if (rank == 0 && reading->version < 24) {
    return 0; /* such a table has no slot that distinguishes a scalar from a tensor of any shape */
  }
  port->shape = calloc(rank + 1, sizeof *port->shape);
  if (port->shape == NULL) {
    reading->function = NULL;
    return -1;
  }
  if (keep_failure(reading, "GetDimensions", api->GetDimensions(tensor, port->shape, rank))) {
    return -1;
  }
  port->rank = (Py_ssize_t)rank;
  for (size_t i = 0; i < rank; i++) {
    port->shape[i] = port->shape[i] < 0 ? -1 : port->shape[i];
  }
  return 0;
}

/* The kind of a sequence's members; UNKNOWN for another type. */
static int read_member(const OrtApi* api, const OrtTypeInfo* info) {
  const OrtSequenceTypeInfo* sequence = NULL;
  OrtTypeInfo* member = NULL;
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  OrtStatus* status = api->CastTypeInfoToSequenceTypeInfo(info, &sequence);
  if (status == NULL && sequence != NULL) {
    status = api->GetSequenceElementType(sequence, &member);
  }
  if (status == NULL && member != NULL) {
    status = api->GetOnnxTypeFromTypeInfo(member, &kind);
  }
  api->ReleaseStatus(status);
  api->ReleaseTypeInfo(member);
  return (int)kind;
}

static int read_port(struct reading* reading, struct port* port, const struct kind* kind,
                     size_t place) {
  const struct session* session = reading->session;
  const OrtApi* api = reading->api;
  enum ONNXType type;
  OrtStatus* status = kind->name(ortcffi_session_object(session), place, session->maker->allocator,
                                 &port->raw_name);
  if (keep_failure(reading, kind->name_name, status) ||
      keep_failure(reading, kind->info_name,
                   kind->info(ortcffi_session_object(session), place, &port->info)) ||
      keep_failure(reading, "GetOnnxTypeFromTypeInfo",
                   api->GetOnnxTypeFromTypeInfo(port->info, &type)) ||
      keep_failure(reading, "CastTypeInfoToTensorInfo",
                   api->CastTypeInfoToTensorInfo(port->info, &port->tensor))) {
    return -1;
  }
  port->kind = (int)type;
  port->member = read_member(api, port->info);
  return port->tensor == NULL ? 0 : read_tensor(reading, port, port->tensor);
}

/* Appends all ports of a kind. */
static int read_kind(struct reading* reading, struct ports* ports, const struct kind* kind) {
  size_t count;
  if (keep_failure(reading, kind->count_name,
                   kind->count(ortcffi_session_object(reading->session), &count))) {
    return -1;
  }
  struct port* items = realloc(ports->items, (ports->count + count + 1) * sizeof *items);
  if (items == NULL) {
    reading->function = NULL;
    return -1;
  }
  ports->items = items;
  for (size_t i = 0; i < count; i++) {
    struct port* port = &ports->items[ports->count++];
    memset(port, 0, sizeof *port);
    port->rank = -1;
    if (read_port(reading, port, kind, i) < 0) {
      return -1;
    }
  }
  return 0;
}

/* Reads which outputs the library makes in the CPU's memory; some sessions do not say. */
static void read_places(const struct reading* reading, struct ports* outputs) {
  const OrtApi* api = reading->api;
  if (reading->version < 23) {
    return;
  }
  size_t count = outputs->count;
  const OrtMemoryInfo** infos = calloc(count + 1, sizeof *infos);
  OrtStatus* status = infos == NULL ? NULL
                                    : api->SessionGetMemoryInfoForOutputs(
                                          ortcffi_session_object(reading->session), infos, count);
  for (size_t i = 0; i < count && infos != NULL && status == NULL; i++) {
    OrtMemoryInfoDeviceType device;
    api->MemoryInfoGetDeviceType(infos[i], &device);
    outputs->items[i].is_on_cpu = device == OrtMemoryInfoDeviceType_CPU;
  }
  api->ReleaseStatus(status);
  free(infos);
}

static int read_all(struct reading* reading, struct session* session) {
  const OrtApi* api = reading->api;
  struct kind inputs = KIND(api, Input), outputs = KIND(api, Output);
  struct kind initializers = KIND(api, OverridableInitializer);
  if (read_kind(reading, &session->inputs, &inputs) < 0) {
    return -1;
  }
  session->required = session->inputs.count;
  if (read_kind(reading, &session->inputs, &initializers) < 0 ||
      read_kind(reading, &session->outputs, &outputs) < 0) {
    return -1;
  }
  read_places(reading, &session->outputs);
  return 0;
}

/* --- names -------------------------------------------------------------------------------------*/

/* Turns the names that were read into Python's, and notes their places. */
static int name_ports(const struct session* session, struct ports* ports) {
  ports->places = PyDict_New();
  int answer = ports->places == NULL ? -1 : 0;
  for (size_t i = 0; i < ports->count && answer == 0; i++) {
    struct port* port = &ports->items[i];
    port->name = ortcffi_text(port->raw_name);
    if (port->name == NULL) {
      return -1;
    }
    PyUnicode_InternInPlace(&port->name);
    port->text = PyUnicode_AsUTF8AndSize(port->name, NULL);
    PyObject* number = PyLong_FromSize_t(i);
    answer = number == NULL || port->text == NULL
                 ? -1
                 : PyDict_SetItem(ports->places, port->name, number);
    Py_XDECREF(number);
    OrtStatus* status =
        session->maker->api->AllocatorFree(session->maker->allocator, port->raw_name);
    port->raw_name = NULL;
    if (answer == 0 && status != NULL) {
      (void)ortcffi_value_fail(session->maker, status, "AllocatorFree");
      return -1;
    }
    session->maker->api->ReleaseStatus(status);
  }
  return answer;
}

int ortcffi_read_ports(struct session* session) {
  struct reading reading = {
      .session = session, .api = session->maker->api, .version = session->maker->version};
  int answer;
  Py_BEGIN_ALLOW_THREADS;
  answer = read_all(&reading, session);
  Py_END_ALLOW_THREADS;
  if (answer < 0 && reading.function == NULL) {
    PyErr_NoMemory();
  } else if (answer < 0) {
    (void)ortcffi_value_fail(session->maker, reading.status, reading.function);
  }
  if (answer < 0 || name_ports(session, &session->inputs) < 0 ||
      name_ports(session, &session->outputs) < 0) {
    return -1;
  }
  for (size_t i = 0; i < session->outputs.count; i++) {
    const struct port* port = &session->outputs.items[i];
    session->passes_inputs |= PyDict_Contains(session->inputs.places, port->name) > 0;
    session->gives_optional |= port->kind == ONNX_TYPE_OPTIONAL;
  }
  return 0;
}

void ortcffi_free_ports(const struct session* session, struct ports* ports) {
  for (size_t i = 0; i < ports->count; i++) {
    struct port* port = &ports->items[i];
    const OrtApi* api = session->maker->api;
    if (port->raw_name != NULL) {
      api->ReleaseStatus(api->AllocatorFree(session->maker->allocator, port->raw_name));
    }
    api->ReleaseTypeInfo(port->owner == NULL ? port->info : NULL);
    Py_XDECREF(port->owner);
    Py_XDECREF(port->name);
    free(port->shape);
    api->ReleaseValue(port->made);
    free(port->made_shape);
  }
  free(ports->items);
  Py_XDECREF(ports->places);
  memset(ports, 0, sizeof *ports);
}

Py_ssize_t ortcffi_find_port(const struct ports* ports, PyObject* name, size_t guess) {
  if (guess < ports->count && ports->items[guess].name == name) {
    return (Py_ssize_t)guess;
  }
  PyObject* place = PyDict_GetItemWithError(ports->places, name);
  if (place == NULL) {
    PyErr_Clear(); /* an object that cannot be hashed is no name */
    return -1;
  }
  return PyLong_AsSsize_t(place);
}

/* --- for Python --------------------------------------------------------------------------------*/

/* The owner of a port's type, made by `make()` at the first call. */
static PyObject* owner_of(struct port* port, PyObject* make) {
  if (port->owner == NULL) {
    PyObject* owner = PyObject_CallNoArgs(make);
    if (owner == NULL) {
      return NULL;
    }
    if (port->owner == NULL) { /* another thread may have been first during `make` */
      ((struct handle*)owner)->object = port->info;
      port->owner = owner;
    } else {
      Py_DECREF(owner);
    }
  }
  return port->owner;
}

PyObject* ortcffi_session_ports(PyObject* self, PyObject* make) {
  struct session* session = (struct session*)self;
  if (handle_state(&session->life) == HANDLE_MAKING && handle_check(&session->life) < 0) {
    return NULL;
  }
  struct ports* all[] = {&session->inputs, &session->outputs};
  PyObject* lists[] = {PyList_New(0), PyList_New(0)};
  int answer = lists[0] == NULL || lists[1] == NULL ? -1 : 0;
  for (size_t side = 0; side < 2; side++) {
    for (size_t i = 0; i < all[side]->count && answer == 0; i++) {
      struct port* port = &all[side]->items[i];
      PyObject* owner = owner_of(port, make);
      PyObject* facts = owner == NULL ? NULL : PyTuple_Pack(2, port->name, owner);
      answer = facts == NULL ? -1 : PyList_Append(lists[side], facts);
      Py_XDECREF(facts);
    }
  }
  if (answer < 0) {
    Py_XDECREF(lists[0]);
    Py_XDECREF(lists[1]);
    return NULL;
  }
  return Py_BuildValue("(NNn)", lists[0], lists[1], (Py_ssize_t)session->required);
}
