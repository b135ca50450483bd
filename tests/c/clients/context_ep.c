/* SPDX-License-Identifier: MIT */
/*
 * An execution provider that compiles ahead of time: it takes each node Add whose second input is a
 * constant of floats, and keeps the constant in what it compiles. If the session asks for it, it
 * gives back a node EPContext with the constant: in the node, or in a file beside the model, or
 * passed to the function of the session's options. It takes such nodes as well. Where the options
 * want weights left out, the constant stays an input of what it compiles.
 *
 * Words of the registration have it break rules. ContextEpEvents answers what it was asked to do.
 */
#include <stdio.h>

#define CreateEpFactories CreateAddingFactories
#include "../../../docs/guide/add_ep.c"
#undef CreateEpFactories

#include "events.h"
#include "trying.h"

#define MOST 64

OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count);

ORT_EXPORT const char* ContextEpEvents(void) { return take_events(); }

typedef struct ContextProvider {
  OrtEp base;
  Factory* factory;
  int makes_contexts;
  int embeds;
  int is_weightless;
  char path[1024];
  OrtReadNamedBufferFunc read;
  void* read_state;
  OrtWriteNamedBufferFunc write;
  void* write_state;
} ContextProvider;

typedef struct Sum {
  OrtNodeComputeInfo base;
  const OrtApi* api;
  float numbers[MOST];
  size_t count;
} Sum;

static int says(const ContextProvider* ep, const char* word) {
  return strstr(ep->factory->name, word) != NULL;
}

/* --- computing ------------------------------------------------------------------------------- */

static OrtStatus* add_numbers(OrtNodeComputeInfo* self, void* state, OrtKernelContext* context) {
  const Sum* sum = (Sum*)self;
  const OrtApi* api = sum->api;
  const OrtValue *input, *weights = NULL;
  OrtValue* output;
  float *from, *to;
  float* numbers = (float*)sum->numbers;
  size_t count = sum->count;
  (void)state;
  TRY(api->KernelContext_GetInput(context, 0, &input));
  if (count == 0) {
    TRY(api->KernelContext_GetInput(context, 1, &weights));
    TRY(api->GetTensorSizeInBytes(weights, &count));
    TRY(api->GetTensorMutableData((OrtValue*)weights, (void**)&numbers));
    count /= sizeof(float);
  }
  const int64_t length = (int64_t)count;
  TRY(api->KernelContext_GetOutput(context, 0, &length, 1, &output));
  TRY(api->GetTensorMutableData((OrtValue*)input, (void**)&from));
  TRY(api->GetTensorMutableData(output, (void**)&to));
  for (size_t i = 0; i < count; i++) {
    to[i] = from[i] + numbers[i];
  }
  return NULL;
}

/* --- taking nodes ---------------------------------------------------------------------------- */

static int is_named(const OrtApi* api, const OrtNode* node, const char* op, const char* domain) {
  const char *own_op = "", *own_domain = "";
  api->ReleaseStatus(api->Node_GetOperatorType(node, &own_op));
  api->ReleaseStatus(api->Node_GetDomain(node, &own_domain));
  return strcmp(own_op, op) == 0 && strcmp(own_domain, domain) == 0;
}

/* Reads an attribute that is a text, into `text` with a terminator; returns its size. */
static size_t read_text(const OrtApi* api, const OrtNode* node, const char* name, char* text,
                        size_t room) {
  const OrtOpAttr* attribute = NULL;
  size_t size = 0;
  text[0] = 0;
  OrtStatus* status = api->Node_GetAttributeByName(node, name, &attribute);
  if (status == NULL && attribute != NULL) {
    status = api->ReadOpAttr(attribute, ORT_OP_ATTR_STRING, text, room - 1, &size);
  }
  size = status == NULL && size < room ? size : 0;
  text[size] = 0;
  api->ReleaseStatus(status);
  return size;
}

static int is_constant(const OrtApi* api, const OrtNode* node) {
  const OrtValueInfo* inputs[2] = {NULL, NULL};
  bool answer = false;
  size_t count = 0;
  api->ReleaseStatus(api->Node_GetNumInputs(node, &count));
  if (count == 2) {
    api->ReleaseStatus(api->Node_GetInputs(node, inputs, 2));
    api->ReleaseStatus(api->ValueInfo_IsConstantInitializer(inputs[1], &answer));
  }
  return answer;
}

static int is_own_context(const ContextProvider* ep, const OrtNode* node) {
  const OrtApi* api = ep->factory->api;
  char source[64];
  if (!is_named(api, node, "EPContext", "com.microsoft")) {
    return 0;
  }
  read_text(api, node, "source", source, sizeof source);
  return strcmp(source, "context_ep") == 0;
}

static OrtStatus* take_nodes(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* info) {
  const ContextProvider* ep = (ContextProvider*)self;
  const OrtApi* api = ep->factory->api;
  OrtNodeFusionOptions options = {0};
  const OrtNode* nodes[MOST];
  size_t count = 0;
  options.ort_version_supported = 23;
  TRY(api->Graph_GetNumNodes(graph, &count));
  if (count > MOST) {
    return NULL;
  }
  TRY(api->Graph_GetNodes(graph, nodes, count));
  for (size_t i = 0; i < count; i++) {
    if ((is_named(api, nodes[i], "Add", "") && is_constant(api, nodes[i])) ||
        is_own_context(ep, nodes[i])) {
      options.drop_constant_initializers = !ep->is_weightless && !is_own_context(ep, nodes[i]);
      TRY(ep->factory->ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, &options));
    }
  }
  return NULL;
}

/* --- the constant, there and back ------------------------------------------------------------ */

/* The path of a file beside the model that is compiled or loaded. */
static void join(const char* model, const char* name, char* path, size_t room) {
  const char* slash = strrchr(model, '/');
  snprintf(path, room, "%.*s%s", slash == NULL ? 0 : (int)(slash - model + 1), model, name);
}

static OrtStatus* store(const ContextProvider* ep, const Sum* sum, const char* name) {
  char path[2048];
  size_t size = sum->count * sizeof(float);
  if (ep->write != NULL) {
    note("write");
    return ep->write(ep->write_state, name, sum->numbers, size);
  }
  note("store");
  join(ep->path, name, path, sizeof path);
  FILE* file = fopen(path, "wb");
  int is_stored = file != NULL && fwrite(sum->numbers, 1, size, file) == size;
  if (file != NULL) {
    is_stored &= fclose(file) == 0;
  }
  return is_stored ? NULL : ep->factory->api->CreateStatus(ORT_EP_FAIL, path);
}

static void keep_numbers(Sum* sum, const void* numbers, size_t size) {
  sum->count = size / sizeof(float) < MOST ? size / sizeof(float) : MOST;
  memcpy(sum->numbers, numbers, sum->count * sizeof(float));
}

static OrtStatus* load_file(const ContextProvider* ep, const OrtGraph* graph, Sum* sum,
                            const char* name) {
  const OrtApi* api = ep->factory->api;
  const ORTCHAR_T* model = NULL;
  char path[2048];
  TRY(api->Graph_GetModelPath(graph, &model));
  note("load");
  join(model, name, path, sizeof path);
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return api->CreateStatus(ORT_NO_SUCHFILE, path);
  }
  sum->count = fread(sum->numbers, sizeof(float), MOST, file);
  fclose(file);
  return NULL;
}

static OrtStatus* load(const ContextProvider* ep, const OrtGraph* graph, Sum* sum,
                       const char* name) {
  const OrtApi* api = ep->factory->api;
  OrtAllocator* allocator = NULL;
  void* data = NULL;
  size_t size = 0;
  if (ep->read == NULL) {
    return load_file(ep, graph, sum, name);
  }
  note("read");
  TRY(api->GetAllocatorWithDefaultOptions(&allocator));
  TRY(ep->read(ep->read_state, name, allocator, &data, &size));
  keep_numbers(sum, data, size);
  return api->AllocatorFree(allocator, data);
}

/* What a node EPContext has. */
static OrtStatus* open_context(const ContextProvider* ep, const OrtGraph* graph,
                               const OrtNode* node, Sum* sum) {
  const OrtApi* api = ep->factory->api;
  const OrtOpAttr* attribute = NULL;
  int64_t embeds = 1;
  size_t size = 0;
  char text[MOST * sizeof(float) + 1];
  note("open");
  TRY(api->Node_GetAttributeByName(node, "embed_mode", &attribute));
  if (attribute != NULL) {
    TRY(api->ReadOpAttr(attribute, ORT_OP_ATTR_INT, &embeds, sizeof embeds, &size));
  }
  size = read_text(api, node, "ep_cache_context", text, sizeof text);
  if (embeds == 0) {
    return load(ep, graph, sum, text);
  }
  keep_numbers(sum, text, size);
  return NULL;
}

static OrtStatus* read_constant(const OrtApi* api, const OrtNode* node, Sum* sum) {
  const OrtValueInfo* inputs[2];
  const OrtValue* constant = NULL;
  size_t size = 0;
  float* numbers;
  TRY(api->Node_GetInputs(node, inputs, 2));
  TRY(api->ValueInfo_GetInitializerValue(inputs[1], &constant));
  TRY(api->GetTensorSizeInBytes(constant, &size));
  TRY(api->GetTensorMutableData((OrtValue*)constant, (void**)&numbers));
  keep_numbers(sum, numbers, size);
  return NULL;
}

/* --- compiling ------------------------------------------------------------------------------- */

/* The names of the inputs or outputs of a fused node. */
static OrtStatus* list_names(const OrtApi* api, const OrtNode* node, bool are_inputs,
                             const char** names, size_t* count) {
  const OrtValueInfo* values[MOST];
  TRY(are_inputs ? api->Node_GetNumInputs(node, count) : api->Node_GetNumOutputs(node, count));
  TRY(are_inputs ? api->Node_GetInputs(node, values, *count)
                 : api->Node_GetOutputs(node, values, *count));
  for (size_t i = 0; i < *count; i++) {
    TRY(api->GetValueInfoName(values[i], &names[i]));
  }
  return NULL;
}

/* Makes the attributes: main_context is left out, which means 1. */
static OrtStatus* make_attributes(const ContextProvider* ep, const Sum* sum, const char* file,
                                  OrtOpAttr* attributes[3]) {
  const OrtApi* api = ep->factory->api;
  const int64_t embeds = ep->embeds;
  const void* data = !ep->embeds ? file : ep->is_weightless ? "-" : (const void*)sum->numbers;
  size_t size = !ep->embeds ? strlen(file) : ep->is_weightless ? 1 : sum->count * sizeof(float);
  TRY(api->CreateOpAttr("embed_mode", &embeds, 1, ORT_OP_ATTR_INT, &attributes[0]));
  TRY(api->CreateOpAttr("ep_cache_context", data, (int)size, ORT_OP_ATTR_STRING, &attributes[1]));
  return api->CreateOpAttr("source", "context_ep", 10, ORT_OP_ATTR_STRING, &attributes[2]);
}

static OrtStatus* make_context(const ContextProvider* ep, const OrtNode* fused, const Sum* sum,
                               size_t number, OrtNode** out) {
  const OrtApi* api = ep->factory->api;
  const char *inputs[MOST], *outputs[MOST], *name;
  size_t input_count = 0, output_count = 0;
  OrtOpAttr* attributes[3] = {NULL};
  const char* op = says(ep, "other-op") ? "Neg" : "EPContext";
  const char* domain = says(ep, "other-op") ? "" : "com.microsoft";
  char file[64];
  note("context");
  snprintf(file, sizeof file, "context_%zu.bin", number);
  TRY(ep->embeds ? NULL : store(ep, sum, file));
  TRY(api->Node_GetName(fused, &name));
  TRY(list_names(api, fused, true, inputs, &input_count));
  TRY(list_names(api, fused, false, outputs, &output_count));
  OrtStatus* status = make_attributes(ep, sum, file, attributes);
  if (says(ep, "other-names")) {
    outputs[0] = "elsewhere";
  }
  if (says(ep, "other-inputs")) {
    inputs[0] = "nowhere";
  }
  name = says(ep, "renamed") ? "another" : name;
  if (status == NULL) {
    status = api->GetModelEditorApi()->CreateNode(op, domain, name, inputs, input_count, outputs,
                                                  output_count, attributes, 3, out);
  }
  for (size_t i = 0; i < 3; i++) {
    api->ReleaseOpAttr(attributes[i]);
  }
  return status;
}

static OrtStatus* compile_one(const ContextProvider* ep, const OrtGraph* graph,
                              const OrtNode* fused, size_t number, OrtNodeComputeInfo** info,
                              OrtNode** context) {
  const OrtNode* node;
  Sum* made = calloc(1, sizeof *made);
  made->base.ort_version_supported = 23;
  made->base.CreateState = create_state;
  made->base.Compute = add_numbers;
  made->base.ReleaseState = release_state;
  made->api = ep->factory->api;
  *info = &made->base;
  TRY(made->api->Graph_GetNodes(graph, &node, 1));
  if (is_named(made->api, node, "EPContext", "com.microsoft")) {
    return open_context(ep, graph, node, made);
  }
  note("compile");
  TRY(ep->is_weightless ? NULL : read_constant(made->api, node, made));
  return ep->makes_contexts && !says(ep, "no-contexts")
             ? make_context(ep, fused, made, number, context)
             : NULL;
}

static OrtStatus* compile_all(OrtEp* self, const OrtGraph** graphs, const OrtNode** nodes,
                              size_t count, OrtNodeComputeInfo** infos, OrtNode** contexts) {
  const ContextProvider* ep = (ContextProvider*)self;
  if (says(ep, "no-compile")) {
    return ep->factory->api->CreateStatus(ORT_EP_FAIL, "it does not compile");
  }
  for (size_t i = 0; i < count; i++) {
    TRY(compile_one(ep, graphs[i], nodes[i], i, &infos[i], &contexts[i]));
  }
  return NULL;
}

/* --- the factory ----------------------------------------------------------------------------- */

static OrtStatus* read_option(const OrtApi* api, const OrtSessionOptions* options, const char* key,
                              char* text, size_t room) {
  int is_there = 0;
  text[0] = 0;
  TRY(api->HasSessionConfigEntry(options, key, &is_there));
  return is_there ? api->GetSessionConfigEntry(options, key, text, &room) : NULL;
}

static OrtStatus* support_functions(const OrtEp* self, uint32_t* flags) {
  (void)self;
  *flags = 3; /* reads and writes */
  return NULL;
}

/* The number behind a word of the registration. */
static OrtStatus* support_weightless(const OrtEp* self, OrtWeightlessSupport* support) {
  const ContextProvider* ep = (const ContextProvider*)self;
  note("support");
  *support = (OrtWeightlessSupport)(strstr(ep->factory->name, "answers-")[8] - '0');
  return NULL;
}

/* Whether the options want weights left out; notes what they say. */
static OrtStatus* read_weightless(ContextProvider* ep, const OrtSessionOptions* options) {
  const OrtApi* api = ep->factory->api;
  char enable[8], mode[8], line[40];
  TRY(read_option(api, options, "ep.enable_weightless", enable, sizeof enable));
  TRY(read_option(api, options, "ep.enable_weightless_mode", mode, sizeof mode));
  if (enable[0] != 0) {
    snprintf(line, sizeof line, "weightless=%s;mode=%s", enable, mode);
    note(line);
    ep->is_weightless = strcmp(enable, "1") == 0;
  }
  return NULL;
}

/* What compiled models are marked with. */
static const char* mark(OrtEp* self, const OrtGraph* graph) {
  const ContextProvider* ep = (ContextProvider*)self;
  size_t count = 0;
  ep->factory->api->ReleaseStatus(ep->factory->api->Graph_GetNumNodes(graph, &count));
  return says(ep, "null-mark")    ? NULL
         : says(ep, "empty-mark") ? ""
         : count > 0              ? "of context_ep"
                                  : "-";
}

/* How well it runs a model with a mark: its own, or others that say it. */
static OrtStatus* judge(OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count,
                        const char* info, OrtCompiledModelCompatibility* out) {
  (void)devices, (void)count;
  *out = strcmp(info, "of context_ep") == 0 ? OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL
         : strcmp(info, "of an older one") == 0
             ? OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION
         : strcmp(info, "of another") == 0 ? OrtCompiledModelCompatibility_EP_NOT_APPLICABLE
         : strcmp(info, "later") == 0      ? (OrtCompiledModelCompatibility)77
                                           : OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  return strcmp(info, "fails") == 0
             ? ((Factory*)self)->api->CreateStatus(ORT_EP_FAIL, "it cannot say")
             : NULL;
}

/* What the options say of contexts. */
static OrtStatus* read_options(ContextProvider* ep, const OrtSessionOptions* options) {
  const OrtApi* api = ep->factory->api;
  const OrtEpApi* ep_api = ep->factory->ep_api;
  OrtEpContextConfig* config = NULL;
  char enable[8], embed[8], line[1200];
  TRY(read_option(api, options, "ep.context_enable", enable, sizeof enable));
  TRY(read_option(api, options, "ep.context_embed_mode", embed, sizeof embed));
  TRY(read_option(api, options, "ep.context_file_path", ep->path, sizeof ep->path));
  ep->makes_contexts = strcmp(enable, "1") == 0;
  ep->embeds = strcmp(embed, "1") == 0;
  snprintf(line, sizeof line, "enable=%s;embed=%s;path=%s", enable, embed, ep->path);
  note(line);
  TRY(read_weightless(ep, options));
  TRY(ep_api->SessionOptionsGetEpContextConfig(options, &config));
  OrtStatus* status =
      ep_api->EpContextConfigGetEpContextDataReadFunc(config, &ep->read, &ep->read_state);
  if (status == NULL) {
    status = ep_api->EpContextConfigGetEpContextDataWriteFunc(config, &ep->write, &ep->write_state);
  }
  ep_api->ReleaseEpContextConfig(config);
  return status;
}

static OrtStatus* create_context_ep(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                    const OrtKeyValuePairs* const* metadata, size_t count,
                                    const OrtSessionOptions* options, const OrtLogger* logger,
                                    OrtEp** out) {
  ContextProvider* made = calloc(1, sizeof *made);
  (void)devices, (void)metadata, (void)count, (void)logger;
  made->factory = (Factory*)self;
  made->base.ort_version_supported = says(made, "old") ? 28 : 31;
  made->base.GetName = get_ep_name;
  made->base.GetCapability = take_nodes;
  made->base.Compile = compile_all;
  made->base.ReleaseNodeComputeInfos = release_infos;
  made->base.GetCompiledModelCompatibilityInfo = mark;
  if (!says(made, "no-functions")) {
    made->base.GetEpContextDataCallbackSupport = support_functions;
  }
  if (says(made, "answers-")) {
    made->base.GetWeightlessSupport = support_weightless;
  }
  OrtStatus* status = read_options(made, options);
  if (status != NULL) {
    free(made);
    return status;
  }
  *out = &made->base;
  return NULL;
}

/* Devices whose metadata says which weights may be left out. */
static OrtStatus* list_devices(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                               size_t hardware_count, OrtEpDevice** devices, size_t room,
                               size_t* count) {
  static const char* const words[] = {"external_only", "all", "none"};
  Factory* factory = (Factory*)self;
  const char* said = strstr(factory->name, "modes-");
  OrtKeyValuePairs* metadata = NULL;
  factory->api->CreateKeyValuePairs(&metadata);
  for (size_t i = 0; said != NULL && i < sizeof words / sizeof *words; i++) {
    if (strncmp(said + 6, words[i], strlen(words[i])) == 0) {
      factory->api->AddKeyValuePair(metadata, "weightless_support", words[i]);
    }
  }
  if (strstr(factory->name, "modes-both") != NULL) {
    factory->api->AddKeyValuePair(metadata, "weightless_support", "all");
    factory->api->AddKeyValuePair(metadata, "weightless_supported_modes", "all_or_external_only");
  }
  OrtStatus* status = NULL;
  for (size_t i = 0; status == NULL && i < hardware_count && *count < room; i++) {
    if (factory->api->HardwareDevice_Type(hardware[i]) == OrtHardwareDeviceType_CPU) {
      status = factory->ep_api->CreateEpDevice(self, hardware[i], metadata, NULL, &devices[*count]);
      *count += status == NULL;
    }
  }
  factory->api->ReleaseKeyValuePairs(metadata);
  return status;
}

OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t room, size_t* count) {
  OrtStatus* status = CreateAddingFactories(name, base, logger, factories, room, count);
  if (status == NULL) {
    /* The tables grow by version: functions for data of contexts are in that of 31. */
    ((Factory*)factories[0])->api = base->GetApi(31);
    ((Factory*)factories[0])->ep_api = base->GetApi(31)->GetEpApi();
    factories[0]->CreateEp = create_context_ep;
    factories[0]->GetSupportedDevices = list_devices;
    factories[0]->ValidateCompiledModelCompatibilityInfo = judge;
  }
  return status;
}
