/* SPDX-License-Identifier: MIT */
/* The execution provider of the guide, which breaks the rule that the variable BREAKS names. With
 * -DENDLESS nothing ends its factory. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include <unwind.h>

#define CreateEpFactories create_good_factories
#define ReleaseEpFactory release_good_factory
#include "../../../docs/guide/add_ep.c"
#undef CreateEpFactories
#undef ReleaseEpFactory

#include "plain_op.h"

static const OrtApi* table;
static OrtEpFactory good;
static OrtEp good_ep;
static OrtNodeComputeInfo good_info;
static atomic_int computing, alive, ended;

static int breaks(const char* rule) {
  const char* wanted = getenv("BREAKS");
  return wanted != NULL && strcmp(wanted, rule) == 0;
}

static void leak(void) {
  OrtStatus* status = table->CreateStatus(ORT_FAIL, "nobody releases this");
  (void)status;
}

/* --- what is kept ---------------------------------------------------------------------------- */

static const OrtGraph* kept;
static void* volatile kept_block;
static const OrtSessionOptions* kept_options;
static const OrtNode* kept_node;
static const char* kept_name;

static void keep(const OrtGraph* graph) {
  size_t count = 0;
  kept = graph;
  table->ReleaseStatus(table->Graph_GetNumNodes(graph, &count));
  if (count == 1) {
    table->ReleaseStatus(table->Graph_GetNodes(graph, &kept_node, count));
    table->ReleaseStatus(table->Node_GetName(kept_node, &kept_name));
  }
}

static OrtStatus* use_kept(void) {
  const OrtNode* nodes[8];
  size_t count;
  TRY(table->Graph_GetNodes(kept, nodes, 8));
  return table->Node_GetNumInputs(nodes[0], &count);
}

/* --- computing ------------------------------------------------------------------------------- */

static void throw_as_in_cpp(void) {
  static _Thread_local struct _Unwind_Exception thrown;
  memset(&thrown, 0, sizeof thrown);
  _Unwind_RaiseException(&thrown);
}

static void end_by_an_empty_tensor(void) {
  if (breaks("survives-empty-tensors")) abort();
  if (breaks("throws-for-empty-tensors")) throw_as_in_cpp();
}

/* What looks at the numbers. */
static const char shifting[] =
    "survives-empty-tensors throws-for-empty-tensors writes-only-its-outputs "
    "computes-anew-in-each-call computes-what-others-do computes-in-a-session";

static OrtStatus* shift(const void* self, OrtKernelContext* context) {
  static const void* of;
  static float first;
  const char* wanted = getenv("BREAKS");
  struct plain_call call;
  if (wanted == NULL || *wanted == 0 || strstr(shifting, wanted) == NULL) return NULL;
  TRY(plain_begin(table, context, &call));
  if (call.count == 0) {
    end_by_an_empty_tensor();
  } else if (breaks("writes-only-its-outputs")) {
    call.x[0] += 1;
  } else if (breaks("computes-anew-in-each-call")) {
    first = of == self ? first : call.y[0];
    of = self;
    call.y[0] = first;
  } else if (breaks("computes-what-others-do") || breaks("computes-in-a-session")) {
    call.y[0] += 1;
  }
  return NULL;
}

static OrtStatus* break_compute(OrtNodeComputeInfo* self, void* state, OrtKernelContext* context) {
  OrtStatus* status = NULL;
  size_t inputs;
  if (breaks("computes-on-eight-threads")) {
    if (atomic_fetch_add(&computing, 1) > 0) {
      status = table->CreateStatus(ORT_FAIL, "busy");
    }
    usleep(2000);
    atomic_fetch_sub(&computing, 1);
  }
  if (breaks("computes-after-another-has-ended") && ended > 0) {
    status = table->CreateStatus(ORT_FAIL, "what was shared has ended");
  }
  if (breaks("leaves-nothing")) {
    leak();
  }
  if (breaks("uses-no-graph-after-its-call")) {
    status = use_kept();
  } else if (breaks("uses-a-node-after-its-call")) {
    status = table->Node_GetNumInputs(kept_node, &inputs);
  } else if (breaks("counts-nodes-after-its-call")) {
    status = table->Graph_GetNumNodes(kept, &inputs);
  } else if (breaks("reads-a-name-after-its-call") && strcmp(kept_name, "add") != 0) {
    status = table->CreateStatus(ORT_FAIL, kept_name);
  }
  if (breaks("leaves-a-status-of-a-guard")) {
    OrtStatus* left = table->GetTypeInfo(NULL, NULL);
    (void)left;
  }
  if (status == NULL) {
    status = good_info.Compute(self, state, context);
  }
  return status != NULL ? status : shift(self, context);
}

/* --- the provider ---------------------------------------------------------------------------- */

static bool is_of_floats(const OrtNode* node) {
  const OrtValueInfo* inputs[2];
  const OrtTypeInfo* type = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; /* where it fails */
  OrtStatus* status = table->Node_GetInputs(node, inputs, 2);
  status = status == NULL ? table->GetValueInfoTypeInfo(inputs[0], &type) : status;
  status = status == NULL ? table->CastTypeInfoToTensorInfo(type, &tensor) : status;
  status = status == NULL ? table->GetTensorElementType(tensor, &element) : status;
  table->ReleaseStatus(status);
  return element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

static OrtStatus* take_all(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* info) {
  const OrtEpApi* ep_api = ((Provider*)self)->factory->ep_api;
  const OrtNode* nodes[8];
  size_t count = 0;
  OrtStatus* status = table->Graph_GetNumNodes(graph, &count);
  if (status != NULL && breaks("bears-failures-of-the-host")) abort();
  if (status != NULL && breaks("leaves-a-status-of-a-failure")) {
    status = table->CreateStatus(ORT_FAIL, "the reason stays alive");
  }
  TRY(status);
  TRY(table->Graph_GetNodes(graph, nodes, count));
  for (size_t i = 0; i < count; i++) {
    const char* op = "";
    TRY(table->Node_GetOperatorType(nodes[i], &op));
    bool is_mine =
        strcmp(op, "Add") == 0 && (is_of_floats(nodes[i]) || breaks("computes-other-types-right"));
    for (int n = 0; is_mine && n < 1 + breaks("takes-nodes"); n++) {
      TRY(ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, NULL));
    }
  }
  return NULL;
}

static OrtStatus* break_capability(OrtEp* self, const OrtGraph* graph,
                                   OrtEpGraphSupportInfo* info) {
  static int asked;
  if (breaks("takes-the-same-nodes-again") && asked++ > 0) {
    const OrtEpApi* ep_api = ((Provider*)self)->factory->ep_api;
    const OrtNode* nodes[8];
    TRY(table->Graph_GetNodes(graph, nodes, 3));
    return ep_api->EpGraphSupportInfo_AddNodesToFuse(info, nodes, 2, NULL);
  }
  OrtStatus* status = take_all(self, graph, info);
  keep(graph);
  return status;
}

static OrtStatus* break_compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                                size_t count, OrtNodeComputeInfo** infos, OrtNode** contexts) {
  if (breaks("compiles-what-it-takes")) {
    return table->CreateStatus(ORT_EP_FAIL, "no compiler");
  }
  while (breaks("hangs-in-compile")) pause();
  if (breaks("uses-its-first-graph")) TRY(use_kept());
  if (breaks("uses-no-options-after-its-call")) {
    int has = 0;
    table->ReleaseStatus(table->HasSessionConfigEntry(kept_options, "session.name", &has));
  }
  if (breaks("gives-its-memory-back")) kept_block = malloc(4096);
  keep(graphs[0]);
  TRY(good_ep.Compile(self, graphs, nodes, count, infos, contexts));
  for (size_t i = 0; i < count; i++) {
    good_info = *infos[i];
    infos[i]->Compute = break_compute;
    if (breaks("declares-no-version-of-an-info")) infos[i]->ort_version_supported = 0;
  }
  if (count > 1 && breaks("gives-each-node-an-info")) {
    free(infos[1]);
    infos[1] = infos[0];
  }
  return NULL;
}

static OrtStatus* break_create(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                               const OrtKeyValuePairs* const* metadata, size_t count,
                               const OrtSessionOptions* options, const OrtLogger* logger,
                               OrtEp** ep) {
  if (logger == NULL && breaks("makes-a-provider-without-a-logger")) abort();
  if (breaks("makes-a-provider")) {
    return table->CreateStatus(ORT_EP_FAIL, "no provider today");
  }
  if (breaks("has-nothing-to-say")) {
    return table->CreateStatus(ORT_EP_FAIL, "");
  }
  kept_options = options;
  TRY(good.CreateEp(self, devices, metadata, count, options, logger, ep));
  alive++;
  good_ep = **ep;
  (*ep)->GetCapability = break_capability;
  (*ep)->Compile = break_compile;
  if (breaks("has-the-functions-of-a-provider")) (*ep)->ReleaseNodeComputeInfos = NULL;
  return NULL;
}

static void break_release(OrtEpFactory* self, OrtEp* ep) {
  ended++;
  if (--alive > 0 && breaks("ends-in-any-order")) abort();
  good.ReleaseEp(self, ep);
  if (breaks("throws-when-it-ends")) throw_as_in_cpp();
}

/* --- the factory ----------------------------------------------------------------------------- */

static const char* another_name(const OrtEpFactory* self) {
  static int count;
  static char text[16];
  (void)self;
  snprintf(text, sizeof text, "name%d", count++);
  return text;
}

static OrtStatus* too_many_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                                   size_t hardware_count, OrtEpDevice** devices, size_t room,
                                   size_t* count) {
  OrtStatus* status =
      good.GetSupportedDevices(self, hardware, hardware_count, devices, room, count);
  *count += room == 0;
  return status;
}

static const char* first_version(const OrtEpFactory* self) { return (void)self, "first"; }

static OrtStatus* no_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                             size_t hardware_count, OrtEpDevice** devices, size_t room,
                             size_t* count) {
  (void)self, (void)hardware, (void)hardware_count, (void)devices, (void)room;
  return *count = 0, NULL;
}

static void take_functions(OrtEpFactory* factory) {
  factory->GetVendor = NULL;
  factory->GetVendorId = NULL;
  factory->CreateDataTransfer = NULL;
  factory->CreateAllocator = (void*)1;
  factory->GetVersion = first_version;
  factory->GetSupportedDevices = no_devices;
}

static void break_factory(OrtEpFactory* factory) {
  good = *factory;
  factory->CreateEp = break_create;
  factory->ReleaseEp = break_release;
  if (breaks("has-the-functions-of-a-factory")) {
    factory->CreateDataTransfer = NULL;
  } else if (breaks("declares-a-version-that-it-asked-for")) {
    factory->ort_version_supported = 24;
  } else if (breaks("keeps-its-names")) {
    factory->GetName = another_name;
  } else if (breaks("lists-no-device-where-there-is-no-room")) {
    factory->GetSupportedDevices = too_many_devices;
  } else if (breaks("finds-a-device")) {
    factory->GetSupportedDevices = no_devices;
  } else if (breaks("has-many-functions")) {
    take_functions(factory);
  } else if (breaks("releases-what-its-factories-made")) {
    leak();
  } else if (breaks("registers-a-hundred-times")) {
    int file = open("/dev/null", O_RDONLY);
    (void)file;
  }
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t room, size_t* count) {
  table = base->GetApi(23);
  if (table == NULL && breaks("answers-older-hosts-with-a-status")) return NULL;
  if (breaks("takes-a-table-for-granted")) table->ReleaseStatus(NULL);
  if (breaks("returns-from-registration")) abort();
  if (breaks("registers")) {
    return table->CreateStatus(ORT_EP_FAIL, "no factory today");
  }
  if (logger == NULL && breaks("does-without-a-logger")) abort();
  if (room == 0 && breaks("refuses-where-there-is-no-room")) room = 1;
  TRY(create_good_factories(name, base, logger, factories, room, count));
  break_factory(factories[0]);
  return NULL;
}

#ifndef ENDLESS
ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return release_good_factory(factory);
}
#endif
