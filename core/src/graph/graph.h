/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h
 * Models and what they consist of: the structs behind OrtModel, OrtGraph, OrtNode, OrtValueInfo.
 *
 * A model is the bytes of an ONNX file. Each of its graphs is made of the bytes at the first
 * request, in one pool of memory, and never changes. Types of values and tensors of initializers
 * take time and memory, so each is made at its own first request. Threads that request one at the
 * same time may both make it: the first one stores it (core_publish), the other one drops its own.
 *
 * A part that the model editor made belongs to the caller until a graph takes it over. A graph that
 * the model editor made is written as bytes when a model takes it over.
 */
#pragma once

#include "custom_ops/custom_op.h"
#include "object/keyed_list.h"
#include "object/pool.h"
#include "onnx/schemas.h"
#include "onnx/wire.h"
#include "platform/platform.h"
#include "values/value.h"

/** Elements of a tensor in memory outside of the model's bytes, which refer to them by index. */
struct core_weight {
  const uint8_t* bytes;
  size_t size;
};

/** A file with weights, which stays mapped as long as the model. */
struct core_weights_file;

/** The forms in which a graph can be read. */
enum core_graph_form {
  /** As the file has it. */
  CORE_AS_WRITTEN,
  /** As execution providers see it: nodes Constant have become initializers, unused initializers
   * and nodes that lead to no output are left out, also in subgraphs, and attributes that a node
   * leaves out have their defaults. */
  CORE_PREPARED,
  /** The same, and nodes Shape and Size of a value whose shape is known have become initializers.
   */
  CORE_FOLDED,
  CORE_GRAPH_FORMS
};

/** Versions of operator sets by domain, sorted by domain. */
struct core_opsets {
  const char** domains;
  int64_t* versions;
  size_t count;
};

/** What a session changes in a model: lists of its options, as struct OrtSessionOptions describes
 * them; NULL where there is nothing. */
struct core_changes {
  const struct core_items* dimensions;
  const struct core_items* initializers;
  const struct core_items* external_initializers;
  /** All files of weights, in memory: none is read from disk. */
  const struct core_items* files;
  /** The folder of files of weights, in the place of the model's. UTF-8; copied. */
  const char* folder;
  /** Nodes that these may run stay though they lead to no output: they may do more than compute. */
  const struct core_custom_ops* custom_ops;
};

struct OrtModel {
  struct core_object object;
  /** A serialized ModelProto: the mapped file, the caller's, or `own`. */
  struct core_message bytes;
  struct core_mapping file;
  uint8_t* own;
  struct core_pool pool;
  /** The path as the caller gave it; "" for a model of bytes. */
  const ORTCHAR_T* path;
  /** The folder that names of files are relative to, and the folder of the file to which `path`
   * leads if it is a link. Files of weights may be in either. UTF-8, absolute; NULL for bytes
   * without a folder. */
  const char* folder;
  const char* real_folder;
  int64_t ir_version;
  struct core_opsets opsets;
  /** The serialized GraphProto. */
  struct core_message graph_bytes;
  struct core_message* functions;
  size_t function_count;
  /** Each form of the graph, then the bodies of the functions; each atomic, NULL until it is read.
   */
  OrtGraph** graphs;
  struct core_weight* weights;
  size_t weight_count;
  /** A reference to the model that owns the weights, if it is another one. */
  struct OrtModel* weights_of;
  /** A reference to the model whose graph was added, and whose tensors are used in place. */
  const struct OrtModel* extended_by;
  /** Only for the model of a session, and only its prepared graph has the changes. */
  struct core_changes changes;
  /** The mapped files of weights; atomic. */
  struct core_weights_file* files;
  /** The graph of the model editor from which the bytes were written. */
  OrtGraph* editor_graph;
};

/** One use of a value. */
struct core_use {
  const OrtNode* node;
  /** Which input; -1 for one that a subgraph of the node uses. */
  int64_t index;
};

enum core_value_flag {
  CORE_IS_INPUT = 1,
  CORE_IS_OUTPUT = 2,
  CORE_IS_INITIALIZER = 4,
  /** An initializer that a run may replace: an input as well. */
  CORE_IS_OVERRIDABLE = 64,
  /** A value of an outer graph that a subgraph uses. */
  CORE_IS_OUTER = 8,
  /** The initializer is stored as a SparseTensorProto, or as an attribute of a node Constant. */
  CORE_IS_SPARSE = 16,
  CORE_IS_CONSTANT_NODE = 32,
  /** An initializer of the model editor whose tensor models use in place, without a copy. */
  CORE_IS_IN_PLACE = 128,
  /** A constant that is an input of a graph that a provider compiles. */
  CORE_IS_CONSTANT_INPUT = 256,
  /** An initializer whose tensor the options of a session give, or that was a node Shape or Size.
   */
  CORE_IS_REPLACED = 512
};

struct OrtValueInfo {
  struct core_object object;
  const char* name;
  /** NULL for one that the model editor made. */
  const OrtGraph* graph;
  /** For a copy: the value that has its type and initializer. Otherwise NULL. */
  const OrtValueInfo* origin;
  const OrtNode* producer;
  size_t producer_index;
  struct core_use* uses;
  size_t use_count;
  uint32_t flags;
  uint32_t hash;
  /** The next value of the same pool. */
  OrtValueInfo* next;
  /** The last node of the same graph whose subgraphs use the value. */
  const OrtNode* captured_by;
  /** A serialized TypeProto, and the type made of it: atomic, NULL until the first request. */
  struct core_message type_bytes;
  OrtTypeInfo* type;
  /** The same for the tensor of an initializer. */
  struct core_message tensor_bytes;
  OrtValue* tensor;
};

struct OrtNode {
  struct core_object object;
  const char* op_type;
  const char* domain;
  const char* name;
  /** The names of the inputs, then those of the outputs; "" for one that is left out. */
  const char** operands;
  size_t input_count;
  size_t output_count;
  /** Of OrtOpAttr. They belong to the node, except for defaults, which are constants. */
  struct core_list attributes;

  /** From here on only for a node of a model's graph. NULL: the model editor made the node. */
  const OrtGraph* graph;
  /** Its index among the nodes of the file; the copy in a view has the same. */
  size_t id;
  /** Its index among the nodes of its graph: none of those before it depends on it. */
  size_t place;
  /** The name of the execution provider that has taken it; "" for none. */
  const char* provider;
  /** The same operands; NULL for one that is left out. */
  const OrtValueInfo** values;
  /** Of const OrtValueInfo: the values of outer graphs that its subgraphs use. */
  struct core_list implicit_inputs;
  /** Of OrtGraph, with the names of their attributes. */
  struct core_list subgraphs;
  const char** subgraph_names;
  /** A serialized NodeProto. */
  struct core_message bytes;
  /** What ONNX says of it, in a graph that providers see. NULL: ONNX does not have the operator, or
   * a custom op of the session or a function of the model stands for it. */
  const struct core_schema* schema;
};

struct OrtGraph {
  struct core_object object;
  /** NULL: the model editor made it. */
  const OrtModel* model;
  const char* name;
  /** The operator sets of the function that it is in; NULL for those of the model. */
  const struct core_opsets* opsets;
  /** The node whose subgraph it is. */
  const OrtNode* parent;
  /** For a view: the graph from which its nodes are copied. */
  const OrtGraph* source;
  enum core_graph_form form;
  /** More than the id of any of its nodes: the size of arrays that are indexed by id. */
  size_t node_numbers;
  /** The ids of the nodes that were changed to have the channels last, in the order of the changes.
   */
  size_t* moved;
  size_t moved_count;
  /** Only in the outermost graph: the memory of it and of its subgraphs, all their values, and
   * references to OrtValue, the tensors of attributes. */
  struct core_pool pool;
  OrtValueInfo* values;
  struct core_list tensors;
  /** Of OrtValueInfo, OrtNode. */
  struct core_list inputs;
  struct core_list outputs;
  struct core_list initializers;
  struct core_list nodes;
  /** Only for a graph of the model editor: the names of its initializers, and the addresses of
   * their tensors. */
  struct core_items names;
  struct core_items added;
};

extern const struct core_class core_graph_class;

/** The operator sets that a graph of a model uses. */
static inline const struct core_opsets* core_opsets_of(const OrtGraph* graph) {
  return graph->opsets != NULL ? graph->opsets : &graph->model->opsets;
}

/** Reads the operator sets of a message, which are in its fields with that number. */
OrtStatus* core_read_opsets(struct core_pool* pool, struct core_message bytes, uint32_t number,
                            struct core_opsets* out);

/** Whether a value is an initializer that a run cannot replace. */
static inline bool core_is_constant(const OrtValueInfo* value) {
  return (value->flags & (CORE_IS_INITIALIZER | CORE_IS_OVERRIDABLE)) == CORE_IS_INITIALIZER;
}

/** The value that has the type and the initializer: the value itself, or the one it copies. */
static inline OrtValueInfo* core_origin(const OrtValueInfo* value) {
  return (OrtValueInfo*)(value->origin != NULL ? value->origin : value);
}

/** Graphs within graphs; deeper ones are refused. */
#define CORE_DEEPEST_GRAPH 32

/** The version of the format of a graph of the model editor that is not in a model yet, as in ONNX
 * Runtime. */
#define CORE_EDITOR_IR_VERSION 13

/** Returns a status for an object of the model editor that is not in a model. */
#define CORE_REQUIRE_MODEL(function, argument, model) \
  CORE_FAIL_IF((model) == NULL, ORT_NOT_IMPLEMENTED,  \
               #function ": " #argument " was made with the model editor, and is not in a model")

/** Copies a list into an array with `room` places; `room_name` is the name of that argument. */
static inline OrtStatus* core_copy_list(const char* room_name, const struct core_list* list,
                                        const void** out, size_t room) {
  CORE_REFUSE_IF(room < list->count, ORT_INVALID_ARGUMENT, "%s is less than the items of the list",
                 room_name);
  if (list->count > 0) {
    memcpy(out, list->items, list->count * sizeof *out);
  }
  return NULL;
}

/** A slot that copies a list to an array, which may be NULL only for an empty list. `function` is
 * its name without "ort_"; the last arguments are the names and types of its parameters. */
#define CORE_LIST_GETTER(NAME, function, list, type, out, room, owner_type, owner) \
  CORE_SLOT(NAME, const owner_type* owner, const type** out, size_t room) {        \
    CORE_REQUIRE_IF(list.count > 0, function, out);                                \
    return core_copy_list(#room, &list, (const void**)out, room);                  \
  }

/** How to make a view. */
struct core_view {
  const char* name;
  /** Whether inputs are in the order of their first use, as in a graph that a provider compiles;
   * otherwise in the order of the source. */
  bool is_fused;
  /** Whether constants are inputs as well. */
  bool keeps_constants;
};

/** Makes a graph of some nodes of another one, which must outlive it; drop it with core_drop. */
OrtStatus* core_make_view(const OrtGraph* from, const OrtNode* const* nodes, size_t count,
                          const struct core_view* how, OrtGraph** out);

/** Ends a view that a provider saw during a call. NULL does nothing. */
void core_end_view(OrtGraph* view);

/** Whether the memory of a view is closed when its call ends, so that a provider that uses the view
 * later ends the process: a test of providers. Holds for calls that begin from now on. The memory
 * is never reused. */
CORE_FOR_EXTENSION void core_close_shown_graphs(bool wanted);
bool core_closes_shown_graphs(void);

/** The domain of operators of ONNX that read and write the channels last (NHWC), with the version
 * of ONNX's own domain. */
#define CORE_CHANNELS_LAST "com.ms.internal.nhwc"

/** Makes a copy of a graph in which some more nodes have the channels last: they have the domain
 * above, and a Transpose before the first input and after the first output. Nodes keep their ids;
 * values keep their names and types. The model must outlive it; drop it with core_drop. */
OrtStatus* core_move_channels(const OrtGraph* from, const size_t* ids, size_t count,
                              OrtGraph** out);

/** Makes the fused node that stands for a view, in a graph of its own. It has copies of the inputs
 * and outputs of the view. Drop the graph with core_drop. */
OrtStatus* core_fuse(const OrtGraph* view, const char* name, const char* provider, size_t id,
                     OrtGraph** out);

/** Finds the type of a value, which belongs to the value; NULL where the model does not say. */
OrtStatus* core_known_type(const OrtValueInfo* value, const OrtTypeInfo** out);

/** Finds element type and shape of a value that is a dense tensor; NULL for another kind, and where
 * the model does not say. */
OrtStatus* core_known_tensor(const OrtValueInfo* value, const OrtTensorTypeAndShapeInfo** out);

/** Finds the tensor of an initializer, which belongs to the value; NULL for another value. */
OrtStatus* core_initializer_of(const OrtValueInfo* value, const OrtValue** out);

/** Finds the tensors of all initializers of a graph and of its subgraphs: the first one that is
 * damaged, or whose file is missing, is refused. */
OrtStatus* core_check_initializers(const OrtGraph* graph);

/** ONNX's number for the element type of a dense tensor, as far as it is known without the tensor
 * itself; 0 for other values, and for NULL. */
ONNXTensorElementDataType core_element_type_of(const OrtValueInfo* value);

/** What a custom op does not take of a node, to be read after the node's name; "" where it takes
 * all. */
struct core_misfit {
  char text[200];
};

/** Finds the custom op of the session that fits a node. Several may have one name, for other types
 * or versions: of those that fit, it is the newest that the graph's version of their operator set
 * has, and of one version the first. Where none fits it is NULL, and `misfit` is that of the first
 * op: "" if there is no op of the name. */
const OrtCustomOp* core_op_of_node(const OrtNode* node, struct core_misfit* misfit);

/** Whether a node calls a function of its model. */
bool core_is_function(const OrtNode* node);

/** Makes a value of the model editor for an initializer, without the tensor. */
OrtStatus* core_new_initializer(const char* name, OrtValueInfo** out);

/** Reads a graph of a model: its main graph in a form, or the body of a function, whose number
 * counts from CORE_GRAPH_FORMS on. It belongs to the model. */
OrtStatus* core_model_graph(const OrtModel* model, size_t which, const OrtGraph** out);

/** The version that is imported of an operator set; NULL where none is. */
const int64_t* core_find_opset(const struct core_opsets* opsets, const char* domain);

/** The version of the operator set that the graph of a node uses for it; 0 where that is not known.
 */
int core_opset_version_of(const OrtNode* node);

/** The schema of a node's operator, in the version that the graph uses; NULL where it is not known.
 */
const struct core_schema* core_schema_of(const OrtNode* node);

/** The first attribute of a node with a name; NULL if there is none. */
const OrtOpAttr* core_find_attribute(const OrtNode* node, const char* name);

/** ONNX's number for a type of attributes; 0 for one that the API cannot show. */
uint32_t core_onnx_of_attribute(OrtOpAttrType type);

/** The same in the bytes of a node of a model's graph: the last AttributeProto of that name. */
bool core_find_attribute_bytes(const OrtNode* node, const char* name, struct core_message* out);

/** Whether the model editor made a graph; a subgraph has no class. */
static inline bool core_is_edited(const OrtGraph* graph) {
  return graph->object.class != NULL && graph->object.class != &core_graph_class;
}

/** Lists the uses of each value by some nodes, in the memory of a pool. */
OrtStatus* core_list_uses(struct core_pool* pool, const struct core_list* nodes);

/** Reads a graph of a model like core_model_graph, as a new graph with one reference. */
OrtStatus* core_read_graph(const OrtModel* model, size_t which, OrtGraph** out);

/** Converts the number of an element type between ONNX's files and the API, where the newest types
 * have other numbers. */
ONNXTensorElementDataType core_element_of_onnx(uint64_t number);
uint64_t core_onnx_of_element(ONNXTensorElementDataType type);

/** Finds the type in a serialized TypeProto: its members exclude each other, and the last one
 * counts. Returns the number of its field; 0 for none, with `out` unchanged. */
uint32_t core_member_of_type(struct core_message type, struct core_message* out);
/** Makes a type of a serialized TypeProto. `fixed` has lengths for its free dimensions (see
 * CORE_FREE_DIMENSIONS); NULL for none. */
OrtStatus* core_read_type(struct core_message bytes, const struct core_items* fixed,
                          OrtTypeInfo** out);

/** Makes a tensor of a serialized TensorProto. If its elements are stored as they are in memory,
 * they stay in the model's bytes or in a file. */
OrtStatus* core_read_tensor(const OrtModel* model, struct core_message bytes,
                            struct core_tensor** out);

/** Makes the tensor of an initializer, like core_read_tensor. */
OrtStatus* core_read_initializer(const OrtValueInfo* value, OrtValue** out);

/** Reads a sparse initializer without making a dense tensor of it. */
OrtStatus* core_check_sparse(const OrtValueInfo* value);

/** Whether an attribute has a type that the value of a node Constant may have. */
bool core_is_constant_value(const OrtModel* model, struct core_message attribute);

/** ONNX's number for the element type of such an attribute; 0 where it says none. */
uint64_t core_element_of_constant(struct core_message attribute);

/** Whether a tensor has the element type and shape of an initializer, whose elements may be
 * missing.
 */
OrtStatus* core_fits_initializer(const OrtValueInfo* value, const struct core_tensor* tensor,
                                 bool* out);
