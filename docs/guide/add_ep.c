/* SPDX-License-Identifier: MIT */
/* An execution provider in C, whole: it takes each node Add of float tensors of one shape. */
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"
#include "onnxruntime_ep_c_api.h"

/* Each struct that the library calls begins with the one of the API, and has our own data behind.
 */
typedef struct Factory {
  OrtEpFactory base;
  const OrtApi* api;
  const OrtEpApi* ep_api;
  char name[64];
} Factory;

typedef struct Provider {
  OrtEp base;
  Factory* factory;
} Provider;

typedef struct Compiled {
  OrtNodeComputeInfo base;
  const OrtApi* api;
} Compiled;

/* --- computing ------------------------------------------------------------------------------- */

static OrtStatus* create_state(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                               void** state) {
  (void)context;
  *state = self; /* nothing to keep from run to run */
  return NULL;
}

static void release_state(OrtNodeComputeInfo* self, void* state) { (void)self, (void)state; }

static OrtStatus* add(const OrtApi* api, const OrtValue* const inputs[2], OrtKernelContext* context,
                      const OrtTensorTypeAndShapeInfo* info) {
  int64_t shape[16];
  size_t rank, count;
  void *a, *b, *sum;
  OrtValue* output;
  OrtStatus* status = api->GetDimensionsCount(info, &rank);
  if (status == NULL && rank > 16) {
    return api->CreateStatus(ORT_INVALID_ARGUMENT, "Add: more than 16 dimensions");
  }
  if (status != NULL || (status = api->GetDimensions(info, shape, rank)) != NULL ||
      (status = api->GetTensorShapeElementCount(info, &count)) != NULL ||
      (status = api->KernelContext_GetOutput(context, 0, shape, rank, &output)) != NULL ||
      (status = api->GetTensorMutableData((OrtValue*)inputs[0], &a)) != NULL ||
      (status = api->GetTensorMutableData((OrtValue*)inputs[1], &b)) != NULL ||
      (status = api->GetTensorMutableData(output, &sum)) != NULL) {
    return status;
  }
  for (size_t i = 0; i < count; i++) {
    float x, y;
    memcpy(&x, (char*)a + i * sizeof x, sizeof x); /* weights may be at any address */
    memcpy(&y, (char*)b + i * sizeof y, sizeof y);
    ((float*)sum)[i] = x + y;
  }
  return NULL;
}

static OrtStatus* compute(OrtNodeComputeInfo* self, void* state, OrtKernelContext* context) {
  const OrtApi* api = ((Compiled*)self)->api;
  const OrtValue* inputs[2];
  OrtTensorTypeAndShapeInfo* info;
  size_t count, output_count;
  (void)state;
  OrtStatus* status = api->KernelContext_GetOutputCount(context, &output_count);
  if (status != NULL || output_count == 0) { /* nobody reads the sum */
    return status;
  }
  status = api->KernelContext_GetInputCount(context, &count);
  for (size_t i = 0; status == NULL && i < 2; i++) { /* x + x has one input */
    status = api->KernelContext_GetInput(context, i < count ? i : 0, &inputs[i]);
  }
  if (status != NULL) {
    return status;
  }
  status = api->GetTensorTypeAndShape(inputs[0], &info);
  if (status == NULL) {
    status = add(api, inputs, context, info);
    api->ReleaseTensorTypeAndShapeInfo(info);
  }
  return status;
}

/* --- taking and compiling nodes -------------------------------------------------------------- */

static const char* get_ep_name(const OrtEp* self) { return ((const Provider*)self)->factory->name; }

/* Reads the element type and the shape of a value; the rank is 99 where they are not known. */
static OrtStatus* read_type(const OrtApi* api, const OrtValueInfo* value,
                            ONNXTensorElementDataType* type, size_t* rank, int64_t shape[16]) {
  const OrtTypeInfo* info = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  OrtStatus* status = api->GetValueInfoTypeInfo(value, &info);
  *rank = 99;
  if (status != NULL) { /* the model does not say */
    api->ReleaseStatus(status);
    return NULL;
  }
  if ((status = api->CastTypeInfoToTensorInfo(info, &tensor)) != NULL || tensor == NULL ||
      (status = api->GetTensorElementType(tensor, type)) != NULL ||
      (status = api->GetDimensionsCount(tensor, rank)) != NULL || *rank > 16) {
    return status;
  }
  return api->GetDimensions(tensor, shape, *rank);
}

/* Whether a node is an Add of float tensors of one known shape. */
static OrtStatus* is_ours(const OrtApi* api, const OrtNode* node, int* answer) {
  const char *op, *domain;
  const OrtValueInfo* inputs[2];
  ONNXTensorElementDataType types[2] = {0, 0};
  size_t ranks[2];
  int64_t shapes[2][16];
  OrtStatus* status = api->Node_GetOperatorType(node, &op);
  *answer = 0;
  if (status != NULL || (status = api->Node_GetDomain(node, &domain)) != NULL ||
      strcmp(op, "Add") != 0 || domain[0] != 0 ||
      (status = api->Node_GetInputs(node, inputs, 2)) != NULL) {
    return status;
  }
  for (size_t i = 0; i < 2; i++) {
    if ((status = read_type(api, inputs[i], &types[i], &ranks[i], shapes[i])) != NULL) {
      return status;
    }
  }
  *answer = types[0] == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && types[1] == types[0] &&
            ranks[0] == ranks[1] && ranks[0] <= 16;
  for (size_t i = 0; *answer && i < ranks[0]; i++) {
    *answer = shapes[0][i] == shapes[1][i] && shapes[0][i] >= 0;
  }
  return NULL;
}

static OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* info) {
  const Factory* factory = ((Provider*)self)->factory;
  const OrtApi* api = factory->api;
  size_t count;
  OrtStatus* status = api->Graph_GetNumNodes(graph, &count);
  if (status != NULL) {
    return status;
  }
  const OrtNode** nodes = calloc(count + 1, sizeof(const OrtNode*));
  if (nodes == NULL) {
    return api->CreateStatus(ORT_FAIL, "out of memory");
  }
  status = api->Graph_GetNodes(graph, nodes, count);
  for (size_t i = 0; status == NULL && i < count; i++) {
    int answer;
    status = is_ours(api, nodes[i], &answer);
    if (status == NULL && answer) {
      status = factory->ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, NULL);
    }
  }
  free(nodes);
  return status;
}

static void release_infos(OrtEp* self, OrtNodeComputeInfo** infos, size_t count) {
  (void)self;
  for (size_t i = 0; i < count; i++) {
    free(infos[i]);
  }
}

static OrtStatus* compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes, size_t count,
                          OrtNodeComputeInfo** infos, OrtNode** context_nodes) {
  const OrtApi* api = ((Provider*)self)->factory->api;
  (void)graphs, (void)nodes, (void)context_nodes;
  for (size_t i = 0; i < count; i++) {
    Compiled* made = calloc(1, sizeof *made);
    if (made == NULL) { /* the library gives back those that were made */
      return api->CreateStatus(ORT_FAIL, "out of memory");
    }
    made->base.ort_version_supported = 23;
    made->base.CreateState = create_state;
    made->base.Compute = compute;
    made->base.ReleaseState = release_state;
    made->api = api;
    infos[i] = &made->base;
  }
  return NULL;
}

/* --- the factory ----------------------------------------------------------------------------- */

static const char* get_name(const OrtEpFactory* self) { return ((const Factory*)self)->name; }
static const char* get_vendor(const OrtEpFactory* self) { return (void)self, "the guide"; }
static uint32_t get_vendor_id(const OrtEpFactory* self) { return (void)self, 0; }
static const char* get_version(const OrtEpFactory* self) { return (void)self, "1.0.0"; }

static OrtStatus* get_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                              size_t hardware_count, OrtEpDevice** devices, size_t room,
                              size_t* count) {
  const Factory* factory = (Factory*)self;
  *count = 0;
  for (size_t i = 0; i < hardware_count && *count < room; i++) {
    if (factory->api->HardwareDevice_Type(hardware[i]) == OrtHardwareDeviceType_CPU) {
      OrtStatus* status =
          factory->ep_api->CreateEpDevice(self, hardware[i], NULL, NULL, &devices[*count]);
      if (status != NULL) {
        return status;
      }
      ++*count;
    }
  }
  return NULL;
}

static OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                            const OrtKeyValuePairs* const* metadata, size_t count,
                            const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** ep) {
  Factory* factory = (Factory*)self;
  (void)devices, (void)metadata, (void)count, (void)options, (void)logger;
  Provider* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return factory->api->CreateStatus(ORT_FAIL, "out of memory");
  }
  made->base.ort_version_supported = 23;
  made->base.GetName = get_ep_name;
  made->base.GetCapability = get_capability;
  made->base.Compile = compile;
  made->base.ReleaseNodeComputeInfos = release_infos;
  made->factory = factory;
  *ep = &made->base;
  return NULL;
}

static void release_ep(OrtEpFactory* self, OrtEp* ep) {
  (void)self;
  free(ep);
}

/* ONNX Runtime calls this without asking whether it is there. */
static OrtStatus* create_data_transfer(OrtEpFactory* self, OrtDataTransferImpl** transfer) {
  (void)self;
  *transfer = NULL; /* the memory is the CPU's */
  return NULL;
}

static bool is_stream_aware(const OrtEpFactory* self) { return (void)self, false; }

OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count) {
  const OrtApi* api = base->GetApi(23); /* the version that brought what is used here */
  (void)logger;
  if (api == NULL) {
    /* Any version has a function for statuses. */
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "add_ep needs API version 23");
  }
  if (room < 1) {
    return api->CreateStatus(ORT_INVALID_ARGUMENT, "there is no room for a factory");
  }
  Factory* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return api->CreateStatus(ORT_FAIL, "out of memory");
  }
  made->base.ort_version_supported = 23;
  made->base.GetName = get_name;
  made->base.GetVendor = get_vendor;
  made->base.GetVendorId = get_vendor_id;
  made->base.GetVersion = get_version;
  made->base.GetSupportedDevices = get_devices;
  made->base.CreateEp = create_ep;
  made->base.ReleaseEp = release_ep;
  made->base.CreateDataTransfer = create_data_transfer;
  made->base.IsStreamAware = is_stream_aware;
  made->api = api;
  made->ep_api = api->GetEpApi();
  strncpy(made->name, name, sizeof made->name - 1);
  factories[0] = &made->base;
  *count = 1;
  return NULL;
}

OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  free(factory);
  return NULL;
}
