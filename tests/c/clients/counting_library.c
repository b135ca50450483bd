/* SPDX-License-Identifier: MIT */
/*
 * A library whose table is that of the one which COUNTED_LIBRARY names, and which counts how many
 * objects of each kind it has made that were not released.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_c_api.h"

/* Of each kind: the slots that make an object, which is what their last argument leads to, and
 * those that release one or take it over. Those that count otherwise are below. */
static const struct {
  const char *made, *ended;
} kinds[] = {
    {"CreateSession CreateSessionFromArray CreateSessionFromModel "
     "CreateModelEditorSessionFromArray",
     "ReleaseSession"},
    {"SessionGetModelMetadata", "ReleaseModelMetadata"},
    {"CreateIoBinding", "ReleaseIoBinding"},
    {"CreateAllocator", "ReleaseAllocator"},
    {"SessionGetInputTypeInfo SessionGetOutputTypeInfo CreateTensorTypeInfo", "ReleaseTypeInfo"},
    {"CreateCustomOpDomain", "ReleaseCustomOpDomain"},
    {"CreateEnv", "ReleaseEnv"},
    {"CreateSessionOptions CloneSessionOptions", "ReleaseSessionOptions"},
    {"CreateModel", "ReleaseModel"},
    {"CreateModelCompilationOptionsFromSessionOptions", "ReleaseModelCompilationOptions"},
    {"CreateLoraAdapterFromArray", "ReleaseLoraAdapter"},
    {"CreateGraph", "ReleaseGraph AddGraphToModel"},
#define ATTRIBUTE 12
    {"CreateOpAttr", "ReleaseOpAttr"},
#define VALUE 13
    {"CreateTensorWithDataAsOrtValue CreateTensorWithDataAndDeleterAsOrtValue",
     "ReleaseValue AddInitializerToGraph"},
#define VALUE_INFO 14
    {"CreateValueInfo", "ReleaseValueInfo"},
    {"CreateNode", "ReleaseNode AddNodeToGraph"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The last one is nobody's. */
static atomic_long live[KINDS + 1];

long counted_live(int kind) { return kind < KINDS ? live[kind] : -1; }

/* The kind whose list has a name, or -1. */
static int find_kind(const char* name, int is_made) {
  size_t length = strlen(name);
  for (int kind = 0; kind < KINDS; kind++) {
    const char* list = is_made ? kinds[kind].made : kinds[kind].ended;
    for (const char* at = list; (at = strstr(at, name)) != NULL; at += length) {
      if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ')) return kind;
    }
  }
  return -1;
}
/* Once for each slot. */
static void look_up(const char* name, int* made, int* ended) {
  if (*made == KINDS) {
    *made = find_kind(name, 1);
    *ended = find_kind(name, 0);
  }
}

/* --- the tables ------------------------------------------------------------------------------- */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INNER JOIN(inner_, ORT_TABLE)
#define OUTER JOIN(outer_, ORT_TABLE)
#define COUNTED(name) JOIN(JOIN(counted_, ORT_PREFIX), name)
#define TABLE(Type)                \
  static const Type* inner_##Type; \
  static Type outer_##Type
TABLE(OrtApi);
TABLE(OrtModelEditorApi);
TABLE(OrtCompileApi);
TABLE(OrtInteropApi);
TABLE(OrtEpApi);
TABLE(OrtModelPackageApi);

#pragma GCC diagnostic ignored "-Wunused-value"
#define ROWS "../../tests/c/clients/counted_rows.def"
#include "ort_tables.def"

static void fill_tables(void) {
#define ROW(index, since, topic, who, returns, name, parameters, arguments) \
  OUTER.name = COUNTED(name);
#define ROWS "ort_rows.def"
#include "ort_tables.def"
}

static const OrtModelEditorApi* ORT_API_CALL get_editor(void) { return &outer_OrtModelEditorApi; }
static const OrtCompileApi* ORT_API_CALL get_compiler(void) { return &outer_OrtCompileApi; }

/* --- slots that count otherwise --------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL get_bound_values(const OrtIoBinding* binding,
                                                OrtAllocator* allocator, OrtValue*** out,
                                                size_t* count) {
  OrtStatus* status = inner_OrtApi->GetBoundOutputValues(binding, allocator, out, count);
  live[VALUE] += status == NULL ? (long)*count : 0;
  return status;
}

/* Of the objects in an array, those that were taken over are not counted any more. */
static OrtStatus* uncount(int kind, void* const* objects, size_t count, OrtStatus* status) {
  for (size_t i = 0; i < count; i++) live[kind] -= objects[i] == NULL;
  return status;
}

static OrtStatus* ORT_API_CALL create_node(const char* op, const char* domain, const char* name,
                                           const char* const* inputs, size_t input_count,
                                           const char* const* outputs, size_t output_count,
                                           OrtOpAttr** attributes, size_t count, OrtNode** out) {
  return uncount(ATTRIBUTE, (void* const*)attributes, count,
                 counted_ort_model_editor_CreateNode(op, domain, name, inputs, input_count, outputs,
                                                     output_count, attributes, count, out));
}
static OrtStatus* ORT_API_CALL set_inputs(OrtGraph* graph, OrtValueInfo** infos, size_t count) {
  OrtStatus* status = inner_OrtModelEditorApi->SetGraphInputs(graph, infos, count);
  return uncount(VALUE_INFO, (void* const*)infos, count, status);
}
static OrtStatus* ORT_API_CALL set_outputs(OrtGraph* graph, OrtValueInfo** infos, size_t count) {
  OrtStatus* status = inner_OrtModelEditorApi->SetGraphOutputs(graph, infos, count);
  return uncount(VALUE_INFO, (void* const*)infos, count, status);
}

/* --- the library ------------------------------------------------------------------------------ */

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

static void begin(const OrtApi* api) {
  inner_OrtApi = api;
  inner_OrtModelEditorApi = api->GetModelEditorApi();
  inner_OrtCompileApi = api->GetCompileApi();
  fill_tables();
  outer_OrtApi.GetModelEditorApi = get_editor;
  outer_OrtApi.GetCompileApi = get_compiler;
  outer_OrtApi.GetBoundOutputValues = get_bound_values;
  outer_OrtModelEditorApi.CreateNode = create_node;
  outer_OrtModelEditorApi.SetGraphInputs = set_inputs;
  outer_OrtModelEditorApi.SetGraphOutputs = set_outputs;
}

static const OrtApi* ORT_API_CALL counted_GetApi(uint32_t version) {
  const OrtApi* api = real_base()->GetApi(version);
  if (version != ORT_API_VERSION || api == NULL) { /* an older table is shorter than this copy */
    return NULL;
  }
  if (inner_OrtApi == NULL) begin(api);
  return &outer_OrtApi;
}

static const char* ORT_API_CALL counted_GetVersionString(void) {
  return real_base()->GetVersionString();
}

const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) {
  static const OrtApiBase base = {counted_GetApi, counted_GetVersionString};
  return &base;
}
