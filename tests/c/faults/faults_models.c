/* SPDX-License-Identifier: MIT */
/* Trials of models: opening, asking, building and writing them. */
#include "faults.h"

/* Needs CHECK. */
#include "../clients/model_bytes.h"
#include "model/model.h"

static struct model_bytes bytes;
static OrtModel* model;
static const OrtGraph* graph;
static OrtModelMetadata* metadata;

static OrtStatus* open_model(void** out) {
  return core_open_model_bytes(bytes.at, bytes.size, NULL, (OrtModel**)out);
}
static void release_model(void* out) { api->ReleaseModel(out); }
static OrtStatus* open_nothing(void** out) {
  return core_open_model_bytes(bytes.at, 1, NULL, (OrtModel**)out);
}

static void with_bytes(void) { bytes = branching_model(); }
static void with_model(void) {
  bytes = branching_model();
  CHECK(open_model((void**)&model) == NULL);
}
static void with_wide_model(void) {
  bytes = wide_model();
  CHECK(open_model((void**)&model) == NULL);
}
static OrtStatus* read_graph(void** out) {
  const OrtGraph* found;
  OrtStatus* status = core_graph_of_model(model, ORTCORE_GRAPH_PREPARED, &found);
  status = status == NULL ? core_graph_of_model(model, ORTCORE_GRAPH_AS_WRITTEN, &found) : status;
  *out = status == NULL ? (void*)found : *out;
  return status;
}

/* The outputs are the shape of x, and how many dimensions it has. */
static void with_shapes(void) {
  bytes = (struct model_bytes){.size = 0};
  put_number(&bytes, 1, 10);
  begin_message(&bytes, 7);
  put_text(&bytes, 2, "main");
  put_value(&bytes, 11, "x", 1, 2, NULL);
  put_node(&bytes, "Shape", "x", "s");
  put_node(&bytes, "Size", "s", "n");
  put_value(&bytes, 12, "s", 7, 1, NULL);
  put_value(&bytes, 12, "n", 7, 1, NULL);
  end_message(&bytes);
  CHECK(open_model((void**)&model) == NULL);
}
static OrtStatus* fold_graph(void** out) {
  const OrtGraph* found;
  size_t count = 0;
  OrtStatus* status = core_graph_of_model(model, ORTCORE_GRAPH_FOLDED, &found);
  if (status == NULL) {
    *out = (void*)found;
    CHECK(api->Graph_GetNumInitializers(found, &count) == NULL && count == 2);
  }
  return status;
}

static OrtStatus* count_untyped(void** out) {
  size_t count = 0;
  OrtStatus* status = core_untyped_values(model, &count);
  CHECK(status != NULL || count == 4); /* a, c, y, clipped */
  return (void)out, status;
}

static void with_graph(void) {
  with_model();
  CHECK(core_graph_of_model(model, ORTCORE_GRAPH_PREPARED, &graph) == NULL);
}
static void with_wide_graph(void) {
  with_wide_model();
  CHECK(core_graph_of_model(model, ORTCORE_GRAPH_PREPARED, &graph) == NULL);
}

static const OrtNode* node_at(size_t index) {
  const OrtNode* nodes[8];
  CHECK(api->Graph_GetNodes(graph, nodes, 8) == NULL);
  return nodes[index];
}

/* What a graph and its nodes have is there, and needs no memory. */
static OrtStatus* ask_graph(void** out) {
  const OrtValueInfo* values[8];
  const char* text = NULL;
  const ORTCHAR_T* path = NULL;
  const OrtNode* parent = NULL;
  size_t count = 0;
  int64_t number = 0;
  (void)out;
  CHECK(api->Graph_GetName(graph, &text) == NULL && api->Graph_GetModelPath(graph, &path) == NULL);
  CHECK(api->Graph_GetOnnxIRVersion(graph, &number) == NULL && number == 10);
  CHECK(api->Graph_GetNumOperatorSets(graph, &count) == NULL && count == 1);
  CHECK(api->Graph_GetOperatorSets(graph, &text, &number, 1) == NULL && number == 21);
  CHECK(api->Graph_GetNumInputs(graph, &count) == NULL && count == 3);
  CHECK(api->Graph_GetInputs(graph, values, 8) == NULL);
  CHECK(api->Graph_GetNumOutputs(graph, &count) == NULL && count == 2);
  CHECK(api->Graph_GetOutputs(graph, values, 8) == NULL);
  CHECK(api->Graph_GetNumInitializers(graph, &count) == NULL && count == 3);
  CHECK(api->Graph_GetInitializers(graph, values, 8) == NULL);
  CHECK(api->Graph_GetNumNodes(graph, &count) == NULL && count == 5);
  CHECK(api->Graph_GetNodes(graph, (const OrtNode**)values, 8) == NULL);
  return api->Graph_GetParentNode(graph, &parent);
}

static OrtStatus* ask_node(void** out) {
  const OrtNode* node = node_at(1);
  const OrtValueInfo* values[8];
  const OrtGraph* graphs[2];
  const char* texts[2] = {NULL};
  const OrtOpAttr* attributes[2];
  size_t count = 0;
  int version = 0;
  (void)out;
  CHECK(api->Node_GetId(node, &count) == NULL && count == 1);
  CHECK(api->Node_GetSinceVersion(node, &version) == NULL && version == 21);
  CHECK(api->Node_GetInputs(node, values, 8) == NULL);
  CHECK(api->Node_GetOutputs(node, values, 8) == NULL);
  CHECK(api->Node_GetNumImplicitInputs(node, &count) == NULL && count == 3);
  CHECK(api->Node_GetImplicitInputs(node, values, 8) == NULL);
  CHECK(api->Node_GetNumSubgraphs(node, &count) == NULL && count == 2);
  CHECK(api->Node_GetSubgraphs(node, graphs, 2, texts) == NULL);
  CHECK(api->Node_GetAttributes(node, attributes, 2) == NULL);
  CHECK(api->Node_GetGraph(node, graphs) == NULL && graphs[0] == graph);
  return api->Node_GetEpName(node, texts);
}

static const OrtValueInfo* first_input(size_t node) {
  const OrtValueInfo* values[8];
  CHECK(api->Node_GetInputs(node_at(node), values, 8) == NULL);
  return values[0];
}

static OrtStatus* ask_value(void** out) {
  const OrtValueInfo* value = first_input(4);
  const OrtNode* nodes[8];
  int64_t indices[8];
  size_t count = 0;
  bool is = true;
  (void)out;
  CHECK(api->ValueInfo_IsRequiredGraphInput(value, &is) == NULL && !is);
  CHECK(api->ValueInfo_IsOptionalGraphInput(value, &is) == NULL && !is);
  CHECK(api->ValueInfo_IsGraphOutput(value, &is) == NULL && !is);
  CHECK(api->ValueInfo_IsConstantInitializer(value, &is) == NULL && !is);
  CHECK(api->ValueInfo_IsFromOuterScope(value, &is) == NULL && !is);
  CHECK(api->ValueInfo_GetValueProducer(value, nodes, &count) == NULL && nodes[0] == node_at(0));
  CHECK(api->ValueInfo_GetValueNumConsumers(value, &count) == NULL && count == 2);
  return api->ValueInfo_GetValueConsumers(value, nodes, indices, 8);
}

/* --- what is made on first use ---------------------------------------------------------------- */

static OrtStatus* read_types(void** out) {
  const OrtTypeInfo* type = NULL;
  (void)out;
  return api->GetValueInfoTypeInfo(first_input(0), &type);
}

static OrtStatus* read_tensors(void** out) {
  const OrtValueInfo* values[8];
  const OrtValue* tensor = NULL;
  OrtStatus* status = NULL;
  size_t count = 0;
  (void)out;
  CHECK(api->Graph_GetNumInitializers(graph, &count) == NULL);
  CHECK(api->Graph_GetInitializers(graph, values, 8) == NULL);
  /* The first one of the wide model has no file. */
  for (size_t i = count == 4; status == NULL && i < count; i++) {
    status = api->ValueInfo_GetInitializerValue(values[i], &tensor);
  }
  return status;
}

static OrtStatus* read_external(void** out) {
  return api->ValueInfo_GetExternalInitializerInfo(first_input(0),
                                                   (OrtExternalInitializerInfo**)out);
}
static OrtStatus* make_external(void** out) {
  OrtExternalInitializerInfo** info = (OrtExternalInitializerInfo**)out;
  return api->CreateExternalInitializerInfo(ORT_TSTR("weights"), 4, 8, info);
}
static void release_external(void* out) {
  CHECK(api->ExternalInitializerInfo_GetFilePath(out)[0] == 'w');
  CHECK(api->ExternalInitializerInfo_GetFileOffset(out) % 4 == 0);
  CHECK(api->ExternalInitializerInfo_GetByteSize(out) == 8);
  api->ReleaseExternalInitializerInfo(out);
}

static OrtStatus* make_view(void** out) {
  const OrtNode* nodes[] = {node_at(1), node_at(2)};
  return api->Graph_GetGraphView(graph, nodes, 2, (OrtGraph**)out);
}
static void release_graph(void* out) { api->ReleaseGraph(out); }

static OrtStatus* make_metadata(void** out) {
  return api->Graph_GetModelMetadata(graph, (OrtModelMetadata**)out);
}
static void release_metadata(void* out) { api->ReleaseModelMetadata(out); }
static void with_metadata(void) {
  with_graph();
  CHECK(make_metadata((void**)&metadata) == NULL);
}

static void free_text(void* out) { allocator->Free(allocator, out); }
#define READS(Name)                                                              \
  static OrtStatus* read_##Name(void** out) {                                    \
    return api->ModelMetadataGet##Name(metadata, allocator, (char**)(void*)out); \
  }
READS(ProducerName)
READS(GraphName)
READS(Domain)
READS(Description)
READS(GraphDescription)
static OrtStatus* read_version(void** out) {
  int64_t version = 0;
  (void)out;
  return api->ModelMetadataGetVersion(metadata, &version);
}
static OrtStatus* read_entry(void** out) {
  return api->ModelMetadataLookupCustomMetadataMap(metadata, allocator, "key", (char**)(void*)out);
}
static OrtStatus* read_keys(void** out) {
  int64_t count = 0;
  return api->ModelMetadataGetCustomMetadataMapKeys(metadata, allocator, (char***)(void*)out,
                                                    &count);
}
static void free_keys(void* out) {
  char** keys = out;
  free_text(keys[0]);
  free_text(keys[1]);
  free_text(keys);
}

/* --- writing ---------------------------------------------------------------------------------- */

static OrtStatus* ORT_API_CALL count_bytes(void* state, const void* at, size_t size) {
  (void)at;
  *(size_t*)state += size;
  return NULL;
}
static OrtStatus* write_as(int is_skeleton) {
  size_t size = 0;
  const OrtcoreWriting writing = {.version = ORT_API_VERSION,
                                  .is_skeleton = is_skeleton,
                                  .write = count_bytes,
                                  .state = &size,
                                  .write_external = is_skeleton ? NULL : count_bytes,
                                  .external_state = &size,
                                  .external_name = "weights",
                                  .external_above = 4};
  return core_write_model(model, &writing);
}
static OrtStatus* ORT_API_CALL place(void* state, const char* name, const OrtValue* value,
                                     const OrtExternalInitializerInfo* stored,
                                     OrtExternalInitializerInfo** out) {
  (void)state, (void)name, (void)value, (void)stored;
  static const ORTCHAR_T path[] = {'w', 0};
  return api->CreateExternalInitializerInfo(path, 8, 4, out);
}
static OrtStatus* write_placed(void** out) {
  size_t size = 0;
  const OrtcoreWriting writing = {
      .version = ORT_API_VERSION, .write = count_bytes, .state = &size, .locate = place};
  return (void)out, core_write_model(model, &writing);
}
static OrtStatus* write_model(void** out) { return (void)out, write_as(0); }
static OrtStatus* write_skeleton(void** out) { return (void)out, write_as(1); }
static OrtStatus* open_with_weights(void** out) {
  return core_open_model_bytes(bytes.at, bytes.size, model, (OrtModel**)out);
}

/* --- the model editor ------------------------------------------------------------------------ */

static const OrtModelEditorApi* editor(void) { return api->GetModelEditorApi(); }
static OrtGraph* own_graph;
static OrtValueInfo* own_value;
static OrtNode* own_node;
static OrtValue* own_tensor;

static void with_parts(void) {
  static const char* const names[] = {"x", "y"};
  const int64_t length = 64;
  OrtTensorTypeAndShapeInfo* shape = NULL;
  OrtTypeInfo* type = NULL;
  CHECK(api->CreateTensorTypeAndShapeInfo(&shape) == NULL);
  CHECK(api->SetDimensions(shape, &length, 1) == NULL);
  CHECK(editor()->CreateTensorTypeInfo(shape, &type) == NULL);
  api->ReleaseTensorTypeAndShapeInfo(shape);
  CHECK(editor()->CreateValueInfo("x", type, &own_value) == NULL);
  api->ReleaseTypeInfo(type);
  CHECK(editor()->CreateNode("Relu", "", "n", names, 1, names + 1, 1, NULL, 0, &own_node) == NULL);
  CHECK(api->CreateTensorAsOrtValue(allocator, &length, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                    &own_tensor) == NULL);
  CHECK(editor()->CreateGraph(&own_graph) == NULL);
}
static OrtStatus* make_graph(void** out) { return editor()->CreateGraph((OrtGraph**)out); }
static OrtStatus* set_inputs(void** out) {
  return (void)out, editor()->SetGraphInputs(own_graph, &own_value, 1);
}
static OrtStatus* set_outputs(void** out) {
  return (void)out, editor()->SetGraphOutputs(own_graph, &own_value, 1);
}
static OrtStatus* add_node(void** out) {
  OrtStatus* status = editor()->AddNodeToGraph(own_graph, own_node);
  own_node = status == NULL ? NULL : own_node;
  return (void)out, status;
}
static OrtStatus* add_initializer(void** out) {
  OrtStatus* status = editor()->AddInitializerToGraph(own_graph, "w", own_tensor, true);
  own_tensor = status == NULL ? NULL : own_tensor;
  return (void)out, status;
}
static OrtStatus* make_model(void** out) {
  static const char* const domains[] = {"", "other"};
  return editor()->CreateModel(domains, (const int[]){21, 1}, 2, (OrtModel**)out);
}
static void with_whole_graph(void) {
  with_parts();
  CHECK(set_inputs(NULL) == NULL && add_node(NULL) == NULL && add_initializer(NULL) == NULL);
  CHECK(make_model((void**)&model) == NULL);
}
static OrtStatus* add_graph(void** out) {
  OrtStatus* status = editor()->AddGraphToModel(model, own_graph);
  own_graph = status == NULL ? NULL : own_graph;
  return (void)out, status;
}

static const struct trial trials[] = {
    TRIAL("ortcore_open_model_bytes ReleaseModel", with_bytes, open_model, release_model),
    {"bytes that are no model", with_bytes, open_nothing, NULL, ORT_INVALID_PROTOBUF},
    TRIAL("ortcore_model_graph", with_model, read_graph, NULL),
    TRIAL("ortcore_model_graph of a wide model", with_wide_model, read_graph, NULL),
    TRIAL("ortcore_model_graph with constant shapes", with_shapes, fold_graph, NULL),
    TRIAL("ortcore_untyped_values", with_model, count_untyped, NULL),
    TRIAL("Graph_GetName Graph_GetModelPath Graph_GetOnnxIRVersion Graph_GetNumOperatorSets "
          "Graph_GetOperatorSets Graph_GetNumInputs Graph_GetInputs Graph_GetNumOutputs "
          "Graph_GetOutputs Graph_GetNumInitializers Graph_GetInitializers Graph_GetNumNodes "
          "Graph_GetNodes Graph_GetParentNode",
          with_graph, ask_graph, NULL),
    TRIAL("Node_GetId Node_GetSinceVersion Node_GetInputs Node_GetOutputs "
          "Node_GetNumImplicitInputs Node_GetImplicitInputs Node_GetNumSubgraphs "
          "Node_GetSubgraphs Node_GetGraph Node_GetEpName",
          with_graph, ask_node, NULL),
    TRIAL("ValueInfo_IsRequiredGraphInput ValueInfo_IsOptionalGraphInput ValueInfo_IsGraphOutput "
          "ValueInfo_IsConstantInitializer ValueInfo_IsFromOuterScope ValueInfo_GetValueProducer "
          "ValueInfo_GetValueNumConsumers ValueInfo_GetValueConsumers",
          with_graph, ask_value, NULL),
    TRIAL("GetValueInfoTypeInfo of a model", with_graph, read_types, NULL),
    TRIAL("ValueInfo_GetInitializerValue", with_graph, read_tensors, NULL),
    TRIAL("ValueInfo_GetInitializerValue of a wide model", with_wide_graph, read_tensors, NULL),
    TRIAL("ValueInfo_GetExternalInitializerInfo ReleaseExternalInitializerInfo", with_wide_graph,
          read_external, release_external),
    TRIAL("CreateExternalInitializerInfo ExternalInitializerInfo_GetFilePath "
          "ExternalInitializerInfo_GetFileOffset ExternalInitializerInfo_GetByteSize",
          NULL, make_external, release_external),
    TRIAL("Graph_GetGraphView ReleaseGraph", with_graph, make_view, release_graph),
    TRIAL("Graph_GetModelMetadata ReleaseModelMetadata", with_graph, make_metadata,
          release_metadata),
    TRIAL("ModelMetadataGetProducerName", with_metadata, read_ProducerName, free_text),
    TRIAL("ModelMetadataGetGraphName", with_metadata, read_GraphName, free_text),
    TRIAL("ModelMetadataGetDomain", with_metadata, read_Domain, free_text),
    TRIAL("ModelMetadataGetDescription", with_metadata, read_Description, free_text),
    TRIAL("ModelMetadataGetGraphDescription", with_metadata, read_GraphDescription, free_text),
    TRIAL("ModelMetadataGetVersion", with_metadata, read_version, NULL),
    TRIAL("ModelMetadataLookupCustomMetadataMap", with_metadata, read_entry, free_text),
    TRIAL("ModelMetadataGetCustomMetadataMapKeys", with_metadata, read_keys, free_keys),
    TRIAL("ortcore_write_model", with_model, write_model, NULL),
    TRIAL("with places for weights", with_model, write_placed, NULL),
    TRIAL("a skeleton", with_model, write_skeleton, NULL),
    TRIAL("the weights of another model", with_model, open_with_weights, release_model),
    TRIAL("CreateGraph", NULL, make_graph, release_graph),
    TRIAL("SetGraphInputs", with_parts, set_inputs, NULL),
    TRIAL("SetGraphOutputs", with_parts, set_outputs, NULL),
    TRIAL("AddNodeToGraph", with_parts, add_node, NULL),
    TRIAL("AddInitializerToGraph", with_parts, add_initializer, NULL),
    TRIAL("CreateModel", NULL, make_model, release_model),
    TRIAL("AddGraphToModel", with_whole_graph, add_graph, NULL),
    {NULL},
};

static void clean(void) {
  api->ReleaseModelMetadata(metadata);
  api->ReleaseNode(own_node);
  api->ReleaseValueInfo(own_value);
  api->ReleaseGraph(own_graph);
  api->ReleaseValue(own_tensor);
  api->ReleaseModel(model);
}

const struct section models = {trials, clean};
