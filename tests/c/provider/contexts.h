/* SPDX-License-Identifier: MIT */
/*
 * A provider that compiles ahead of time: it takes each node Add whose second input is a constant
 * of floats, and keeps the constant in what it compiles. If the session asks for it, it gives back
 * a node EPContext with the constant: in the node, or in a file beside the model, or passed to the
 * function of the session's options. It takes such nodes as well. Where the options want weights
 * left out, the constant stays an input of what it compiles.
 */
#ifndef ORTCFFI_TESTS_PROVIDER_CONTEXTS_H_
#define ORTCFFI_TESTS_PROVIDER_CONTEXTS_H_

#include "provider.h"

#define MOST 64

typedef struct ContextProvider {
  Provider base;
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
  float numbers[MOST];
  size_t count;
} Sum;

static int says(const ContextProvider* ep, const char* word) { return asks(maker_of(ep), word); }

/* --- computing ------------------------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL add_numbers(OrtNodeComputeInfo* self, void* state,
                                           OrtKernelContext* context) {
  const Sum* sum = (Sum*)self;
  const OrtValue *input, *weights = NULL;
  OrtValue* output;
  float *from, *to;
  float* numbers = (float*)sum->numbers;
  size_t number = sum->count;
  (void)state;
  TRY(api->KernelContext_GetInput(context, 0, &input));
  if (number == 0) {
    TRY(api->KernelContext_GetInput(context, 1, &weights));
    TRY(api->GetTensorSizeInBytes(weights, &number));
    TRY(api->GetTensorMutableData((OrtValue*)weights, (void**)&numbers));
    number /= sizeof(float);
  }
  const int64_t length = (int64_t)number;
  TRY(api->KernelContext_GetOutput(context, 0, &length, 1, &output));
  TRY(api->GetTensorMutableData((OrtValue*)input, (void**)&from));
  TRY(api->GetTensorMutableData(output, (void**)&to));
  for (size_t i = 0; i < number; i++) to[i] = from[i] + numbers[i];
  return NULL;
}

/* --- taking nodes ---------------------------------------------------------------------------- */

static int is_named(const OrtNode* node, const char* op, const char* domain) {
  const char *own_op = "", *own_domain = "";
  api->ReleaseStatus(api->Node_GetOperatorType(node, &own_op));
  api->ReleaseStatus(api->Node_GetDomain(node, &own_domain));
  return strcmp(own_op, op) == 0 && strcmp(own_domain, domain) == 0;
}

/* Reads an attribute that is a text, into `text` with a terminator; returns its size. */
static size_t read_text(const OrtNode* node, const char* name, char* text, size_t room) {
  const OrtOpAttr* attribute = NULL;
  size_t size = 0;
  OrtStatus* status = api->Node_GetAttributeByName(node, name, &attribute);
  if (status == NULL && attribute != NULL) {
    status = api->ReadOpAttr(attribute, ORT_OP_ATTR_STRING, text, room - 1, &size);
  }
  size = status == NULL && size < room ? size : 0;
  text[size] = 0;
  api->ReleaseStatus(status);
  return size;
}

static int is_constant(const OrtNode* node) {
  const OrtValueInfo* inputs[2] = {NULL, NULL};
  bool answer = false;
  size_t number = 0;
  api->ReleaseStatus(api->Node_GetNumInputs(node, &number));
  if (number == 2) {
    api->ReleaseStatus(api->Node_GetInputs(node, inputs, 2));
    api->ReleaseStatus(api->ValueInfo_IsConstantInitializer(inputs[1], &answer));
  }
  return answer;
}

static int is_own_context(const OrtNode* node) {
  char source[64];
  if (!is_named(node, "EPContext", "com.microsoft")) return 0;
  read_text(node, "source", source, sizeof source);
  return strcmp(source, "context_ep") == 0;
}

static OrtStatus* ORT_API_CALL take_additions(OrtEp* self, const OrtGraph* graph,
                                              OrtEpGraphSupportInfo* info) {
  OrtNodeFusionOptions options = {.ort_version_supported = 23};
  const OrtNode* nodes[MOST];
  size_t number = 0;
  TRY(api->Graph_GetNumNodes(graph, &number));
  if (number > MOST) return NULL;
  TRY(api->Graph_GetNodes(graph, nodes, number));
  for (size_t i = 0; i < number; i++) {
    int is_own = is_own_context(nodes[i]);
    if (is_own || (is_named(nodes[i], "Add", "") && is_constant(nodes[i]))) {
      options.drop_constant_initializers = !((ContextProvider*)self)->is_weightless && !is_own;
      TRY(ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, &options));
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
  if (file != NULL) is_stored &= fclose(file) == 0;
  return is_stored ? NULL : fail(path);
}

static void keep_numbers(Sum* sum, const void* numbers, size_t size) {
  sum->count = size / sizeof(float) < MOST ? size / sizeof(float) : MOST;
  memcpy(sum->numbers, numbers, sum->count * sizeof(float));
}

static OrtStatus* load_file(const OrtGraph* graph, Sum* sum, const char* name) {
  const ORTCHAR_T* model = NULL;
  char path[2048];
  TRY(api->Graph_GetModelPath(graph, &model));
  note("load");
  join((const char*)model, name, path, sizeof path); /* no file of Windows */
  FILE* file = fopen(path, "rb");
  if (file == NULL) return api->CreateStatus(ORT_NO_SUCHFILE, path);
  sum->count = fread(sum->numbers, sizeof(float), MOST, file);
  fclose(file);
  return NULL;
}

static OrtStatus* load(const ContextProvider* ep, const OrtGraph* graph, Sum* sum,
                       const char* name) {
  OrtAllocator* allocator = NULL;
  void* data = NULL;
  size_t size = 0;
  if (ep->read == NULL) return load_file(graph, sum, name);
  note("read");
  TRY(api->GetAllocatorWithDefaultOptions(&allocator));
  TRY(ep->read(ep->read_state, name, allocator, &data, &size));
  keep_numbers(sum, data, size);
  return api->AllocatorFree(allocator, data);
}

/* What a node EPContext has. */
static OrtStatus* open_context(const ContextProvider* ep, const OrtGraph* graph,
                               const OrtNode* node, Sum* sum) {
  const OrtOpAttr* attribute = NULL;
  int64_t embeds = 1;
  size_t size = 0;
  char text[MOST * sizeof(float) + 1];
  note("open");
  TRY(api->Node_GetAttributeByName(node, "embed_mode", &attribute));
  if (attribute != NULL) {
    TRY(api->ReadOpAttr(attribute, ORT_OP_ATTR_INT, &embeds, sizeof embeds, &size));
  }
  size = read_text(node, "ep_cache_context", text, sizeof text);
  if (embeds == 0) return load(ep, graph, sum, text);
  keep_numbers(sum, text, size);
  return NULL;
}

static OrtStatus* read_constant(const OrtNode* node, Sum* sum) {
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
static OrtStatus* list_names(const OrtNode* node, bool are_inputs, const char** names,
                             size_t* number) {
  const OrtValueInfo* values[MOST];
  TRY(are_inputs ? api->Node_GetNumInputs(node, number) : api->Node_GetNumOutputs(node, number));
  TRY(are_inputs ? api->Node_GetInputs(node, values, *number)
                 : api->Node_GetOutputs(node, values, *number));
  for (size_t i = 0; i < *number; i++) TRY(api->GetValueInfoName(values[i], &names[i]));
  return NULL;
}

/* Makes the attributes: main_context is left out, which means 1. */
static OrtStatus* make_attributes(const ContextProvider* ep, const Sum* sum, const char* file,
                                  OrtOpAttr* attributes[3]) {
  const int64_t embeds = ep->embeds;
  const void* data = !ep->embeds ? file : ep->is_weightless ? "-" : (const void*)sum->numbers;
  size_t size = !ep->embeds ? strlen(file) : ep->is_weightless ? 1 : sum->count * sizeof(float);
  TRY(api->CreateOpAttr("embed_mode", &embeds, 1, ORT_OP_ATTR_INT, &attributes[0]));
  TRY(api->CreateOpAttr("ep_cache_context", data, (int)size, ORT_OP_ATTR_STRING, &attributes[1]));
  return api->CreateOpAttr("source", "context_ep", 10, ORT_OP_ATTR_STRING, &attributes[2]);
}

static OrtStatus* make_context(const ContextProvider* ep, const OrtNode* fused, const Sum* sum,
                               size_t number, OrtNode** out) {
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
  TRY(list_names(fused, true, inputs, &input_count));
  TRY(list_names(fused, false, outputs, &output_count));
  if (says(ep, "other-names")) outputs[0] = "elsewhere";
  if (says(ep, "other-inputs")) inputs[0] = "nowhere";
  name = says(ep, "renamed") ? "another" : name;
  OrtStatus* status = make_attributes(ep, sum, file, attributes);
  if (status == NULL) {
    status = api->GetModelEditorApi()->CreateNode(op, domain, name, inputs, input_count, outputs,
                                                  output_count, attributes, 3, out);
  }
  for (size_t i = 0; i < 3; i++) api->ReleaseOpAttr(attributes[i]);
  return status;
}

static OrtStatus* compile_addition(const ContextProvider* ep, const OrtGraph* graph,
                                   const OrtNode* fused, size_t number, OrtNodeComputeInfo** info,
                                   OrtNode** context) {
  const OrtNode* node;
  Sum* made = calloc(1, sizeof *made);
  made->base.ort_version_supported = 23;
  made->base.CreateState = create_state;
  made->base.Compute = add_numbers;
  made->base.ReleaseState = release_state;
  *info = &made->base;
  TRY(api->Graph_GetNodes(graph, &node, 1));
  if (is_named(node, "EPContext", "com.microsoft")) return open_context(ep, graph, node, made);
  note("compile");
  TRY(ep->is_weightless ? NULL : read_constant(node, made));
  return ep->makes_contexts && !says(ep, "no-contexts")
             ? make_context(ep, fused, made, number, context)
             : NULL;
}
static OrtStatus* ORT_API_CALL compile_additions(OrtEp* self, const OrtGraph** graphs,
                                                 const OrtNode** nodes, size_t number,
                                                 OrtNodeComputeInfo** infos, OrtNode** contexts) {
  const ContextProvider* ep = (ContextProvider*)self;
  if (says(ep, "no-compile")) return fail("it does not compile");
  for (size_t i = 0; i < number; i++) {
    TRY(compile_addition(ep, graphs[i], nodes[i], i, &infos[i], &contexts[i]));
  }
  return NULL;
}

/* --- options and marks ------------------------------------------------------------------------ */

static OrtStatus* read_option(const OrtSessionOptions* options, const char* key, char* text,
                              size_t room) {
  int is_there = 0;
  text[0] = 0;
  TRY(api->HasSessionConfigEntry(options, key, &is_there));
  return is_there ? api->GetSessionConfigEntry(options, key, text, &room) : NULL;
}

static OrtStatus* ORT_API_CALL support_functions(const OrtEp* self, uint32_t* flags) {
  return (void)self, *flags = 3, NULL; /* reads and writes */
}

/* The number behind a word of the registration. */
static OrtStatus* ORT_API_CALL support_weightless(const OrtEp* self,
                                                  OrtWeightlessSupport* support) {
  *support = (OrtWeightlessSupport)(strstr(maker_of(self)->words, "answers-")[8] - '0');
  return noted("support");
}

/* Whether the options want weights left out; notes what they say. */
static OrtStatus* read_weightless(ContextProvider* ep, const OrtSessionOptions* options) {
  char enable[8], mode[8], line[40];
  TRY(read_option(options, "ep.enable_weightless", enable, sizeof enable));
  TRY(read_option(options, "ep.enable_weightless_mode", mode, sizeof mode));
  if (enable[0] == 0) return NULL;
  snprintf(line, sizeof line, "weightless=%s;mode=%s", enable, mode);
  ep->is_weightless = strcmp(enable, "1") == 0;
  return noted(line);
}

/* What compiled models are marked with. */
static const char* ORT_API_CALL mark(OrtEp* self, const OrtGraph* graph) {
  const ContextProvider* ep = (ContextProvider*)self;
  size_t number = 0;
  api->ReleaseStatus(api->Graph_GetNumNodes(graph, &number));
  return says(ep, "null-mark")    ? NULL
         : says(ep, "empty-mark") ? ""
         : number > 0             ? "of context_ep"
                                  : "-";
}

/* How well it runs a model with a mark: its own, or others that say it. */
static OrtStatus* ORT_API_CALL judge(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                                     size_t number, const char* info,
                                     OrtCompiledModelCompatibility* out) {
  (void)self, (void)devices, (void)number;
  *out = strcmp(info, "of context_ep") == 0 ? OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL
         : strcmp(info, "of an older one") == 0
             ? OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION
         : strcmp(info, "of another") == 0 ? OrtCompiledModelCompatibility_EP_NOT_APPLICABLE
         : strcmp(info, "later") == 0      ? (OrtCompiledModelCompatibility)77
                                           : OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  return strcmp(info, "fails") == 0 ? fail("it cannot say") : NULL;
}

/* What the options say of contexts. */
static OrtStatus* read_options(ContextProvider* ep, const OrtSessionOptions* options) {
  OrtEpContextConfig* config = NULL;
  char enable[8], embed[8], line[1200];
  TRY(read_option(options, "ep.context_enable", enable, sizeof enable));
  TRY(read_option(options, "ep.context_embed_mode", embed, sizeof embed));
  TRY(read_option(options, "ep.context_file_path", ep->path, sizeof ep->path));
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

static OrtStatus* with_contexts(OrtEp* made, const OrtSessionOptions* options) {
  const Maker* maker = maker_of(made);
  made->ort_version_supported = asks(maker, "old") ? 28 : 31;
  made->GetCapability = take_additions;
  made->Compile = compile_additions;
  made->GetCompiledModelCompatibilityInfo = mark;
  if (!asks(maker, "no-functions")) made->GetEpContextDataCallbackSupport = support_functions;
  if (asks(maker, "answers-")) made->GetWeightlessSupport = support_weightless;
  return read_options((ContextProvider*)made, options);
}

/* What the metadata of devices says of weights that may be left out. */
static void say_modes(const Maker* maker, OrtKeyValuePairs* metadata) {
  static const char* const words[] = {"external_only", "all", "none"};
  const char* said = strstr(maker->words, "modes-");
  for (size_t i = 0; said != NULL && i < sizeof words / sizeof *words; i++) {
    if (strncmp(said + 6, words[i], strlen(words[i])) == 0) {
      api->AddKeyValuePair(metadata, "weightless_support", words[i]);
    }
  }
  if (asks(maker, "modes-both")) {
    api->AddKeyValuePair(metadata, "weightless_support", "all");
    api->AddKeyValuePair(metadata, "weightless_supported_modes", "all_or_external_only");
  }
}

#endif /* ORTCFFI_TESTS_PROVIDER_CONTEXTS_H_ */
