/* SPDX-License-Identifier: MIT */
/*
 * CreateEpFactories and ReleaseEpFactory: with these exports the extension is a library of the
 * execution providers written in Python. A factory and a provider are C structs around Python
 * objects of ortcffi/models/python_ep.py, whose methods are called with the GIL held and with
 * addresses:
 *
 *   make_factory(name, base, logger, factories, room, out)
 *     -> (definition, api, version, name, vendor, version of the provider); or the address of a
 *     status, where another library has made the factories: ortcffi/ep/watched.py
 *   release_factory(factory) -> the address of a status, or None where no watched library made it
 *   definition.devices(factory, hardware, count, devices, room, out)
 *   definition.create(options) -> provider
 *   provider.capability(graph, info)
 *   provider.compile(graphs, fused_nodes, count) -> tuple of OpStruct
 *
 * What is compiled is an op written in Python, so a node that computes is a kernel of that op.
 */
#include "boundary/limited_api.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "onnxruntime_ep_c_api.h"
#include "boundary/env/eps.h"
#include "boundary/gil.h"
#include "boundary/kernels/python_ops.h"
#include "boundary/models/models.h"

struct factory {
  OrtEpFactory callbacks; /* first: hosts hold a pointer to it */
  const OrtApi* api;
  PyObject* answer; /* of make_factory, which has all that follows */
  PyObject* definition;
  const char *name, *vendor, *version;
};

struct provider {
  OrtEp callbacks; /* first */
  const struct factory* factory;
  PyObject* object;
};

struct compiled {
  OrtNodeComputeInfo callbacks; /* first */
  struct python_op* op;
};

static size_t live;

size_t ortcffi_live_python_eps(void) { return __atomic_load_n(&live, __ATOMIC_RELAXED); }

/* Zeroed memory for one of the structs; NULL with an exception. */
static void* new_struct(size_t size) {
  void* made = calloc(1, size);
  if (made == NULL) {
    return PyErr_NoMemory();
  }
  __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
  return made;
}

static void free_struct(void* made) {
  free(made);
  __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
}

/* --- questions to Python -----------------------------------------------------------------------*/

#define MOST_ARGUMENTS 6

struct question {
  const OrtApi* api;
  PyObject* of; /* NULL: the module ortcffi.models.python_ep */
  const char* method;
  uintptr_t arguments[MOST_ARGUMENTS];
  size_t count;
  /* Reads the answer, with the GIL; -1 with an exception. NULL: the answer is not used. */
  int (*take)(struct question* question, PyObject* answer);
  void* out;
  OrtStatus* status;
};

static PyObject* call_method(const struct question* question) {
  PyObject* of = question->of != NULL ? Py_NewRef(question->of)
                                      : PyImport_ImportModule("ortcffi.models.python_ep");
  PyObject* method = of == NULL ? NULL : PyObject_GetAttrString(of, question->method);
  PyObject* arguments = method == NULL ? NULL : PyTuple_New((Py_ssize_t)question->count);
  PyObject* answer = NULL;
  for (size_t i = 0; arguments != NULL && i < question->count; i++) {
    ortcffi_put_in_tuple(&arguments, i, PyLong_FromUnsignedLongLong(question->arguments[i]));
  }
  if (arguments != NULL) {
    answer = PyObject_CallObject(method, arguments);
  }
  Py_XDECREF(arguments);
  Py_XDECREF(method);
  Py_XDECREF(of);
  return answer;
}

static void ask_in_python(void* argument) {
  struct question* question = argument;
  PyObject* answer = call_method(question);
  if (answer == NULL || (question->take != NULL && question->take(question, answer) < 0)) {
    question->status = ortcffi_status_of_exception(question->api);
  }
  Py_XDECREF(answer);
}

static OrtStatus* ask_factory(const struct factory* factory, struct question* question) {
  question->api = factory->api;
  question->of = question->of == NULL ? factory->definition : question->of;
  return call_for_status(factory->api, ask_in_python, question, &question->status);
}

static const struct factory* factory_of(const OrtEpFactory* self) { return (const void*)self; }
static const struct provider* provider_of(const OrtEp* self) { return (const void*)self; }
static const struct compiled* node_of(const OrtNodeComputeInfo* self) { return (const void*)self; }

/* --- compiled nodes ----------------------------------------------------------------------------*/

static OrtStatus* ORT_API_CALL create_state(OrtNodeComputeInfo* self,
                                            OrtNodeComputeContext* context, void** out) {
  struct python_op* op = node_of(self)->op;
  return op->callbacks.CreateKernelV2(&op->callbacks, op->api, NULL, out);
}

static OrtStatus* ORT_API_CALL compute(OrtNodeComputeInfo* self, void* state,
                                       OrtKernelContext* context) {
  return node_of(self)->op->callbacks.KernelComputeV2(state, context);
}

static void ORT_API_CALL release_state(OrtNodeComputeInfo* self, void* state) {
  node_of(self)->op->callbacks.KernelDestroy(state);
}

static void ORT_API_CALL release_nodes(OrtEp* self, OrtNodeComputeInfo** infos, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct compiled* node = (struct compiled*)infos[i];
    if (node != NULL) {
      call_with_gil(drop_reference, node->op);
      free_struct(node);
    }
    infos[i] = NULL;
  }
}

static OrtNodeComputeInfo* new_node(uint32_t version, PyObject* op_struct) {
  PyObject* address = PyObject_GetAttrString(op_struct, "address");
  const OrtCustomOp* op = address == NULL ? NULL : PyLong_AsVoidPtr(address);
  Py_XDECREF(address);
  if (op == NULL) {
    return NULL;
  }
  struct compiled* node = new_struct(sizeof *node);
  if (node == NULL) {
    return NULL;
  }
  node->op = (struct python_op*)Py_NewRef((PyObject*)python_op_of(op));
  node->callbacks = (OrtNodeComputeInfo){.ort_version_supported = version,
                                         .CreateState = create_state,
                                         .Compute = compute,
                                         .ReleaseState = release_state};
  return &node->callbacks;
}

/* --- the provider of a session -----------------------------------------------------------------*/

static const char* ORT_API_CALL provider_name(const OrtEp* self) {
  return provider_of(self)->factory->name;
}

static OrtStatus* ORT_API_CALL get_capability(OrtEp* self, const OrtGraph* graph,
                                              OrtEpGraphSupportInfo* info) {
  struct question question = {.of = provider_of(self)->object,
                              .method = "capability",
                              .arguments = {(uintptr_t)graph, (uintptr_t)info},
                              .count = 2};
  return ask_factory(provider_of(self)->factory, &question);
}

/* One node for each op of the answer. */
static int take_ops(struct question* question, PyObject* answer) {
  OrtNodeComputeInfo** infos = question->out;
  size_t count = question->arguments[2];
  uint32_t version = ((OrtEp*)question->arguments[3])->ort_version_supported;
  for (size_t i = 0; i < count; i++) {
    PyObject* op = PyTuple_GetItem(answer, (Py_ssize_t)i); /* borrowed */
    infos[i] = op == NULL ? NULL : new_node(version, op);
    if (infos[i] == NULL) {
      release_nodes(NULL, infos, i);
      return -1;
    }
  }
  return 0;
}

static OrtStatus* ORT_API_CALL compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                                       size_t count, OrtNodeComputeInfo** infos,
                                       OrtNode** context_nodes) {
  /* what is compiled cannot be saved */
  struct question question = {
      .of = provider_of(self)->object,
      .method = "compile",
      .arguments = {(uintptr_t)graphs, (uintptr_t)nodes, count, (uintptr_t)self},
      .count = 3,
      .take = take_ops,
      .out = infos};
  return ask_factory(provider_of(self)->factory, &question);
}

static const OrtEp provider_callbacks = {
    .GetName = provider_name,
    .GetCapability = get_capability,
    .Compile = compile,
    .ReleaseNodeComputeInfos = release_nodes,
};

/* --- the factory -------------------------------------------------------------------------------*/

static const char* ORT_API_CALL factory_name(const OrtEpFactory* self) {
  return factory_of(self)->name;
}

static const char* ORT_API_CALL factory_vendor(const OrtEpFactory* self) {
  return factory_of(self)->vendor;
}

static const char* ORT_API_CALL factory_version(const OrtEpFactory* self) {
  return factory_of(self)->version;
}

static uint32_t ORT_API_CALL vendor_id(const OrtEpFactory* self) {
  return 0; /* it adds no hardware devices */
}

static OrtStatus* ORT_API_CALL get_devices(OrtEpFactory* self,
                                           const OrtHardwareDevice* const* hardware, size_t count,
                                           OrtEpDevice** devices, size_t room, size_t* out) {
  struct question question = {.method = "devices",
                              .arguments = {(uintptr_t)self, (uintptr_t)hardware, count,
                                            (uintptr_t)devices, room, (uintptr_t)out},
                              .count = MOST_ARGUMENTS};
  return ask_factory(factory_of(self), &question);
}

static int take_provider(struct question* question, PyObject* answer) {
  struct provider* provider = new_struct(sizeof *provider);
  if (provider == NULL) {
    return -1;
  }
  provider->callbacks = provider_callbacks;
  provider->factory = (const struct factory*)question->arguments[1];
  provider->callbacks.ort_version_supported = provider->factory->callbacks.ort_version_supported;
  provider->object = Py_NewRef(answer);
  *(OrtEp**)question->out = &provider->callbacks;
  return 0;
}

static OrtStatus* ORT_API_CALL create_ep(OrtEpFactory* self,
                                         const OrtHardwareDevice* const* devices,
                                         const OrtKeyValuePairs* const* metadata, size_t count,
                                         const OrtSessionOptions* options, const OrtLogger* logger,
                                         OrtEp** out) {
  struct question question = {.method = "create",
                              .arguments = {(uintptr_t)options, (uintptr_t)self},
                              .count = 1,
                              .take = take_provider,
                              .out = out};
  return ask_factory(factory_of(self), &question);
}

static void ORT_API_CALL release_ep(OrtEpFactory* self, OrtEp* ep) {
  struct provider* provider = (struct provider*)ep;
  if (provider != NULL) {
    call_with_gil(drop_reference, provider->object);
    free_struct(provider);
  }
}

/* None is needed: all memory is the CPU's, which the host copies. */
static OrtStatus* ORT_API_CALL create_data_transfer(OrtEpFactory* self, OrtDataTransferImpl** out) {
  *out = NULL;
  return NULL;
}

static const OrtEpFactory factory_callbacks = {
    .GetName = factory_name,
    .GetVendor = factory_vendor,
    .GetSupportedDevices = get_devices,
    .CreateEp = create_ep,
    .ReleaseEp = release_ep,
    .GetVendorId = vendor_id,
    .GetVersion = factory_version,
    .CreateDataTransfer = create_data_transfer,
};

static void free_factory(struct factory* factory) {
  call_with_gil(drop_reference, factory->answer);
  free_struct(factory);
}

/* --- what the extension exports ----------------------------------------------------------------*/

/* Makes a factory of what Python has answered, unless that is the status of another library that
 * has made factories. */
static int take_factory(struct question* question, PyObject* answer) {
  unsigned long long api;
  if (PyLong_Check(answer)) {
    question->status = PyLong_AsVoidPtr(answer);
    return 0;
  }
  struct factory* factory = new_struct(sizeof *factory);
  if (factory == NULL) {
    return -1;
  }
  factory->callbacks = factory_callbacks;
  factory->answer = Py_NewRef(answer);
  if (!PyArg_ParseTuple(answer, "OKIsss", &factory->definition, &api,
                        &factory->callbacks.ort_version_supported, &factory->name, &factory->vendor,
                        &factory->version)) {
    free_factory(factory);
    return -1;
  }
  factory->api = (const OrtApi*)(uintptr_t)api;
  *(OrtEpFactory**)question->arguments[3] = &factory->callbacks;
  *(size_t*)question->arguments[5] = 1;
  return 0;
}

static void release_in_python(void* argument) {
  struct question* question = argument;
  PyObject* answer = call_method(question);
  if (answer == NULL) {
    PyErr_WriteUnraisable(NULL);
  } else if (answer != Py_None) {
    question->status = PyLong_AsVoidPtr(answer);
    question->out = NULL;
  }
  Py_XDECREF(answer);
}

#define REQUIRE(condition, text)                                            \
  do {                                                                      \
    if (!(condition)) {                                                     \
      return core_status(ORT_INVALID_ARGUMENT, "CreateEpFactories: " text); \
    }                                                                       \
  } while (0)

CORE_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                         const OrtLogger* logger, OrtEpFactory** factories,
                                         size_t room, size_t* out);
CORE_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                         const OrtLogger* logger, OrtEpFactory** factories,
                                         size_t room, size_t* out) {
  REQUIRE(base != NULL && base->GetApi(1) != NULL, "ort_api_base must have a table");
  REQUIRE(name != NULL && factories != NULL && out != NULL, "an argument must not be NULL");
  REQUIRE(room > 0, "there must be room for a factory");
  struct question question = {.api = base->GetApi(1),
                              .method = "make_factory",
                              .arguments = {(uintptr_t)name, (uintptr_t)base, (uintptr_t)logger,
                                            (uintptr_t)factories, room, (uintptr_t)out},
                              .count = MOST_ARGUMENTS,
                              .take = take_factory};
  return call_for_status(question.api, ask_in_python, &question, &question.status);
}

CORE_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory);
CORE_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  struct question question = {.method = "release_factory",
                              .arguments = {(uintptr_t)factory},
                              .count = 1,
                              .out = factory}; /* NULL where a watched library has made it */
  if (factory != NULL) {
    (void)call_with_gil(release_in_python, &question);
  }
  if (question.out != NULL && factory->CreateEp == create_ep) {
    free_factory((struct factory*)factory);
  }
  return question.status;
}
