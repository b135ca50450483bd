/* SPDX-License-Identifier: MIT */
/*
 * A library whose table is that of the one which COUNTED_LIBRARY names, and which counts how many
 * objects of each kind it has made that were not released.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "onnxruntime_c_api.h"

#define KINDS(kind)                                                                        \
  kind(SESSION) kind(METADATA) kind(BINDING) kind(ALLOCATOR) kind(TYPE) kind(ATTRIBUTE)    \
      kind(DOMAIN) kind(ENVIRONMENT) kind(OPTIONS) kind(VALUE) kind(VALUE_INFO) kind(NODE) \
          kind(GRAPH) kind(MODEL) kind(COMPILATION) kind(ADAPTER)

#define MEMBER(name) name,
enum kind { KINDS(MEMBER) KIND_COUNT };

static atomic_long live[KIND_COUNT];
static const OrtApi* api;
static const OrtModelEditorApi* editor;
static const OrtCompileApi* compiler;

long counted_live(int kind) { return kind < KIND_COUNT ? live[kind] : -1; }

const char* counted_name(int kind) {
#define NAME(name) #name,
  static const char* const names[] = {KINDS(NAME)};
  return kind < KIND_COUNT ? names[kind] : NULL;
}

/* A function that makes an object; `out` is its last parameter. */
#define MAKES(kind, table, slot, parameters, ...)            \
  static OrtStatus* ORT_API_CALL counted_##slot parameters { \
    OrtStatus* status = table->slot(__VA_ARGS__, out);       \
    live[kind] += status == NULL && *out != NULL;            \
    return status;                                           \
  }
#define RELEASES(kind, table, slot, type)                 \
  static void ORT_API_CALL counted_##slot(type* object) { \
    live[kind] -= object != NULL;                         \
    table->slot(object);                                  \
  }
/* A function that takes an object over if it succeeds. */
#define TAKES(kind, slot, parameters, ...)                   \
  static OrtStatus* ORT_API_CALL counted_##slot parameters { \
    OrtStatus* status = editor->slot(__VA_ARGS__);           \
    live[kind] -= status == NULL;                            \
    return status;                                           \
  }

MAKES(SESSION, api, CreateSession,
      (const OrtEnv* env, const ORTCHAR_T* path, const OrtSessionOptions* options,
       OrtSession** out),
      env, path, options)
MAKES(SESSION, api, CreateSessionFromArray,
      (const OrtEnv* env, const void* data, size_t size, const OrtSessionOptions* options,
       OrtSession** out),
      env, data, size, options)
RELEASES(SESSION, api, ReleaseSession, OrtSession)
MAKES(METADATA, api, SessionGetModelMetadata, (const OrtSession* session, OrtModelMetadata** out),
      session)
RELEASES(METADATA, api, ReleaseModelMetadata, OrtModelMetadata)
MAKES(BINDING, api, CreateIoBinding, (OrtSession * session, OrtIoBinding** out), session)
RELEASES(BINDING, api, ReleaseIoBinding, OrtIoBinding)
MAKES(ALLOCATOR, api, CreateAllocator,
      (const OrtSession* session, const OrtMemoryInfo* info, OrtAllocator** out), session, info)
RELEASES(ALLOCATOR, api, ReleaseAllocator, OrtAllocator)
MAKES(TYPE, api, SessionGetInputTypeInfo, (const OrtSession* session, size_t i, OrtTypeInfo** out),
      session, i)
MAKES(TYPE, api, SessionGetOutputTypeInfo, (const OrtSession* session, size_t i, OrtTypeInfo** out),
      session, i)
RELEASES(TYPE, api, ReleaseTypeInfo, OrtTypeInfo)
MAKES(ATTRIBUTE, api, CreateOpAttr,
      (const char* name, const void* data, int length, OrtOpAttrType type, OrtOpAttr** out), name,
      data, length, type)
RELEASES(ATTRIBUTE, api, ReleaseOpAttr, OrtOpAttr)
MAKES(DOMAIN, api, CreateCustomOpDomain, (const char* name, OrtCustomOpDomain** out), name)
RELEASES(DOMAIN, api, ReleaseCustomOpDomain, OrtCustomOpDomain)
MAKES(ADAPTER, api, CreateLoraAdapterFromArray,
      (const void* bytes, size_t count, OrtAllocator* allocator, OrtLoraAdapter** out), bytes,
      count, allocator)
RELEASES(ADAPTER, api, ReleaseLoraAdapter, OrtLoraAdapter)
MAKES(ENVIRONMENT, api, CreateEnv, (OrtLoggingLevel level, const char* id, OrtEnv** out), level, id)
RELEASES(ENVIRONMENT, api, ReleaseEnv, OrtEnv)
static OrtStatus* ORT_API_CALL counted_CreateSessionOptions(OrtSessionOptions** out) {
  OrtStatus* status = api->CreateSessionOptions(out);
  live[OPTIONS] += status == NULL;
  return status;
}
static OrtStatus* ORT_API_CALL counted_CloneSessionOptions(const OrtSessionOptions* options,
                                                           OrtSessionOptions** out) {
  OrtStatus* status = api->CloneSessionOptions(options, out);
  live[OPTIONS] += status == NULL;
  return status;
}
RELEASES(OPTIONS, api, ReleaseSessionOptions, OrtSessionOptions)

MAKES(VALUE, api, CreateTensorWithDataAsOrtValue,
      (const OrtMemoryInfo* info, void* data, size_t size, const int64_t* shape, size_t rank,
       ONNXTensorElementDataType type, OrtValue** out),
      info, data, size, shape, rank, type)
MAKES(VALUE, api, CreateTensorWithDataAndDeleterAsOrtValue,
      (OrtAllocator * deleter, void* data, size_t size, const int64_t* shape, size_t rank,
       ONNXTensorElementDataType type, OrtValue** out),
      deleter, data, size, shape, rank, type)
RELEASES(VALUE, api, ReleaseValue, OrtValue)
static OrtStatus* ORT_API_CALL counted_GetBoundOutputValues(const OrtIoBinding* binding,
                                                            OrtAllocator* allocator,
                                                            OrtValue*** out, size_t* count) {
  OrtStatus* status = api->GetBoundOutputValues(binding, allocator, out, count);
  live[VALUE] += status == NULL ? (long)*count : 0;
  return status;
}

MAKES(TYPE, editor, CreateTensorTypeInfo,
      (const OrtTensorTypeAndShapeInfo* tensor, OrtTypeInfo** out), tensor)
MAKES(VALUE_INFO, editor, CreateValueInfo,
      (const char* name, const OrtTypeInfo* type, OrtValueInfo** out), name, type)
RELEASES(VALUE_INFO, api, ReleaseValueInfo, OrtValueInfo)
MAKES(MODEL, editor, CreateModel,
      (const char* const* names, const int* versions, size_t count, OrtModel** out), names,
      versions, count)
RELEASES(MODEL, api, ReleaseModel, OrtModel)
RELEASES(NODE, api, ReleaseNode, OrtNode)
RELEASES(GRAPH, api, ReleaseGraph, OrtGraph)
TAKES(NODE, AddNodeToGraph, (OrtGraph * graph, OrtNode* node), graph, node)
TAKES(GRAPH, AddGraphToModel, (OrtModel * model, OrtGraph* graph), model, graph)
TAKES(VALUE, AddInitializerToGraph,
      (OrtGraph * graph, const char* name, OrtValue* tensor, bool is_external), graph, name, tensor,
      is_external)
MAKES(SESSION, editor, CreateSessionFromModel,
      (const OrtEnv* env, const OrtModel* model, const OrtSessionOptions* options,
       OrtSession** out),
      env, model, options)
MAKES(SESSION, editor, CreateModelEditorSessionFromArray,
      (const OrtEnv* env, const void* data, size_t size, const OrtSessionOptions* options,
       OrtSession** out),
      env, data, size, options)
static OrtStatus* ORT_API_CALL counted_CreateGraph(OrtGraph** out) {
  OrtStatus* status = editor->CreateGraph(out);
  live[GRAPH] += status == NULL;
  return status;
}

/* How many of the objects in an array were taken over. */
static long taken(void* const* objects, size_t count) {
  long found = 0;
  for (size_t i = 0; i < count; i++) {
    found += objects[i] == NULL;
  }
  return found;
}

static OrtStatus* ORT_API_CALL counted_CreateNode(const char* op, const char* domain,
                                                  const char* name, const char* const* inputs,
                                                  size_t input_count, const char* const* outputs,
                                                  size_t output_count, OrtOpAttr** attributes,
                                                  size_t count, OrtNode** out) {
  OrtStatus* status = editor->CreateNode(op, domain, name, inputs, input_count, outputs,
                                         output_count, attributes, count, out);
  live[NODE] += status == NULL;
  live[ATTRIBUTE] -= taken((void* const*)attributes, count);
  return status;
}

static OrtStatus* ORT_API_CALL counted_SetGraphInputs(OrtGraph* graph, OrtValueInfo** infos,
                                                      size_t count) {
  OrtStatus* status = editor->SetGraphInputs(graph, infos, count);
  live[VALUE_INFO] -= taken((void* const*)infos, count);
  return status;
}

static OrtStatus* ORT_API_CALL counted_SetGraphOutputs(OrtGraph* graph, OrtValueInfo** infos,
                                                       size_t count) {
  OrtStatus* status = editor->SetGraphOutputs(graph, infos, count);
  live[VALUE_INFO] -= taken((void* const*)infos, count);
  return status;
}

MAKES(COMPILATION, compiler, CreateModelCompilationOptionsFromSessionOptions,
      (const OrtEnv* env, const OrtSessionOptions* options, OrtModelCompilationOptions** out), env,
      options)
RELEASES(COMPILATION, compiler, ReleaseModelCompilationOptions, OrtModelCompilationOptions)

#define IS_COUNTED(slot) table.slot = counted_##slot

static const OrtModelEditorApi* ORT_API_CALL counted_GetModelEditorApi(void) {
  static OrtModelEditorApi table;
  editor = api->GetModelEditorApi();
  table = *editor;
  IS_COUNTED(CreateTensorTypeInfo);
  IS_COUNTED(CreateValueInfo);
  IS_COUNTED(CreateModel);
  IS_COUNTED(CreateGraph);
  IS_COUNTED(CreateNode);
  IS_COUNTED(SetGraphInputs);
  IS_COUNTED(SetGraphOutputs);
  IS_COUNTED(AddNodeToGraph);
  IS_COUNTED(AddGraphToModel);
  IS_COUNTED(AddInitializerToGraph);
  IS_COUNTED(CreateSessionFromModel);
  IS_COUNTED(CreateModelEditorSessionFromArray);
  return &table;
}

static const OrtCompileApi* ORT_API_CALL counted_GetCompileApi(void) {
  static OrtCompileApi table;
  compiler = api->GetCompileApi();
  table = *compiler;
  IS_COUNTED(CreateModelCompilationOptionsFromSessionOptions);
  IS_COUNTED(ReleaseModelCompilationOptions);
  return &table;
}

static OrtApi counted_table(void) {
  OrtApi table = *api;
  IS_COUNTED(CreateSession);
  IS_COUNTED(CreateSessionFromArray);
  IS_COUNTED(ReleaseSession);
  IS_COUNTED(SessionGetModelMetadata);
  IS_COUNTED(ReleaseModelMetadata);
  IS_COUNTED(CreateIoBinding);
  IS_COUNTED(ReleaseIoBinding);
  IS_COUNTED(CreateAllocator);
  IS_COUNTED(ReleaseAllocator);
  IS_COUNTED(SessionGetInputTypeInfo);
  IS_COUNTED(SessionGetOutputTypeInfo);
  IS_COUNTED(ReleaseTypeInfo);
  IS_COUNTED(CreateOpAttr);
  IS_COUNTED(ReleaseOpAttr);
  IS_COUNTED(CreateCustomOpDomain);
  IS_COUNTED(ReleaseCustomOpDomain);
  IS_COUNTED(CreateLoraAdapterFromArray);
  IS_COUNTED(ReleaseLoraAdapter);
  IS_COUNTED(CreateEnv);
  IS_COUNTED(ReleaseEnv);
  IS_COUNTED(CreateSessionOptions);
  IS_COUNTED(CloneSessionOptions);
  IS_COUNTED(ReleaseSessionOptions);
  IS_COUNTED(CreateTensorWithDataAsOrtValue);
  IS_COUNTED(CreateTensorWithDataAndDeleterAsOrtValue);
  IS_COUNTED(ReleaseValue);
  IS_COUNTED(GetBoundOutputValues);
  IS_COUNTED(ReleaseValueInfo);
  IS_COUNTED(ReleaseNode);
  IS_COUNTED(ReleaseGraph);
  IS_COUNTED(ReleaseModel);
  IS_COUNTED(GetModelEditorApi);
  IS_COUNTED(GetCompileApi);
  return table;
}

static const OrtApiBase* real_base(void) {
  static const OrtApiBase* base;
  if (base == NULL) {
    void* library = dlopen(getenv("COUNTED_LIBRARY"), RTLD_NOW);
    const OrtApiBase* (*get)(void) =
        library == NULL ? NULL : (const OrtApiBase* (*)(void))dlsym(library, "OrtGetApiBase");
    if (get == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      abort();
    }
    base = get();
  }
  return base;
}

static const OrtApi* ORT_API_CALL counted_GetApi(uint32_t version) {
  static OrtApi table;
  if (version != ORT_API_VERSION) { /* an older table is shorter than this copy */
    return NULL;
  }
  if (api == NULL) {
    api = real_base()->GetApi(version);
    table = api == NULL ? (OrtApi){0} : counted_table();
  }
  return api == NULL ? NULL : &table;
}

static const char* ORT_API_CALL counted_GetVersionString(void) {
  return real_base()->GetVersionString();
}

const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) {
  static const OrtApiBase base = {counted_GetApi, counted_GetVersionString};
  return &base;
}
