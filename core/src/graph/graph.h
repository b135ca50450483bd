/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h
 * Models and what they consist of: the structs behind OrtModel, OrtGraph, OrtNode, OrtValueInfo.
 *
 * A model is the bytes of an ONNX file. Its graphs are made of the bytes when somebody first asks
 * for them, in one pool of memory, and never change. What takes long or much memory is made even
 * later, one thing at a time: types and the tensors of initializers. Threads that ask at once may
 * both make such a thing; the first one publishes it, and the other one drops its own.
 *
 * A part that the model editor made belongs to the caller until a graph takes it over. A graph that
 * it made is written as bytes when a model takes it over.
 */
#ifndef ORTCFFI_GRAPH_H_
#define ORTCFFI_GRAPH_H_

#include "custom_ops/custom_op.h"
#include "object/keyed_list.h"
#include "object/list.h"
#include "object/object.h"
#include "object/pool.h"
#include "onnx/schemas.h"
#include "onnx/wire.h"
#include "platform/platform.h"
#include "values/value.h"

/** Bytes of a tensor that are not in the model's own bytes, which name them by their index. */
struct core_weight {
  const uint8_t* bytes;
  size_t size;
};

/** A file with weights, which stays mapped. */
struct core_weights_file;

/** How a graph differs from what the file says. */
enum core_graph_form {
  /** It does not. */
  CORE_AS_WRITTEN,
  /** What execution providers see: constants are initializers, those that nobody uses are gone,
   * and attributes that a node leaves out have their defaults. */
  CORE_PREPARED,
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
  /** All files of weights; others are not looked for. */
  const struct core_items* files;
};

struct OrtModel {
  struct core_object object;
  /** A serialized ModelProto: the mapped file, the caller's, or `own`. */
  struct core_message bytes;
  struct core_mapping file;
  uint8_t* own;
  struct core_pool pool;
  /** As it was given; "" for bytes. */
  const ORTCHAR_T* path;
  /** The folder that names of files are relative to, and the one where links lead that stand for
   * the model, whose files may be links as well. UTF-8, absolute; NULL for bytes without one. */
  const char* folder;
  const char* real_folder;
  int64_t ir_version;
  struct core_opsets opsets;
  /** The serialized GraphProto. */
  struct core_message graph_bytes;
  struct core_message* functions;
  size_t function_count;
  /** Of OrtGraph; atomic. Functions come behind the forms of the graph. */
  OrtGraph** graphs;
  struct core_weight* weights;
  size_t weight_count;
  /** What the weights belong to, if it is another model. */
  struct OrtModel* weights_of;
  /** Of a model that belongs to a session; only its prepared form has them. */
  struct core_changes changes;
  /** Atomic. */
  struct core_weights_file* files;
  /** What the model editor made and the bytes were written of. */
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
  /** A graph around this one has it. */
  CORE_IS_OUTER = 8,
  /** The initializer is a SparseTensorProto; the attributes of a node Constant. */
  CORE_IS_SPARSE = 16,
  CORE_IS_CONSTANT_NODE = 32,
  /** The model editor's: models use the memory of the tensor, which they do not copy. */
  CORE_IS_IN_PLACE = 128,
  /** A constant that is an input of what a provider compiles. */
  CORE_IS_CONSTANT_INPUT = 256,
  /** An initializer with a tensor that the options of a session give. */
  CORE_IS_REPLACED = 512
};

struct OrtValueInfo {
  struct core_object object;
  const char* name;
  /** NULL for one that the model editor made. */
  const OrtGraph* graph;
  /** The value whose type and initializer this one has; NULL if that is itself. */
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
  /** A serialized TypeProto, and the type; atomic, NULL until somebody asks. */
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
  /** Of OrtOpAttr, which belong to the node, but for defaults, which are constants. */
  struct core_list attributes;

  /** What only a node of a model's graph has. NULL: the model editor made it. */
  const OrtGraph* graph;
  /** Its place among the nodes as they are written; views keep it. */
  size_t id;
  /** The name of the execution provider that has taken it; "" for none. */
  const char* provider;
  /** The same operands; NULL for one that is left out. */
  const OrtValueInfo** values;
  /** Of const OrtValueInfo: what the subgraphs use from around them. */
  struct core_list implicit_inputs;
  /** Of OrtGraph, with the names of their attributes. */
  struct core_list subgraphs;
  const char** subgraph_names;
  /** A serialized NodeProto. */
  struct core_message bytes;
};

struct OrtGraph {
  struct core_object object;
  /** NULL: the model editor made it. */
  const OrtModel* model;
  const char* name;
  /** Those of the function whose body it is or is in; NULL: those of the model. */
  const struct core_opsets* opsets;
  /** The node whose subgraph it is. */
  const OrtNode* parent;
  /** Of a view: the graph whose nodes it has some of, by their numbers. */
  const OrtGraph* source;
  enum core_graph_form form;
  /** The numbers of its nodes are less than this. */
  size_t node_numbers;
  /** The numbers of the nodes that have the channels last, in the order in which they got there. */
  size_t* moved;
  size_t moved_count;
  /** What a graph and its subgraphs consist of is in the pool of the outermost one, which knows all
   * their values, and drops the tensors of attributes, of OrtValue. */
  struct core_pool pool;
  OrtValueInfo* values;
  struct core_list tensors;
  /** Of OrtValueInfo, OrtNode. */
  struct core_list inputs;
  struct core_list outputs;
  struct core_list initializers;
  struct core_list nodes;
};

extern const struct core_class core_graph_class;

/** The operator sets that a graph of a model uses. */
static inline const struct core_opsets* core_opsets_of(const OrtGraph* graph) {
  return graph->opsets != NULL ? graph->opsets : &graph->model->opsets;
}

/** Reads the operator sets in the fields of a number. */
OrtStatus* core_read_opsets(const char* function, struct core_pool* pool, struct core_message bytes,
                            uint32_t number, struct core_opsets* out);

/** Whether a value is an initializer that a run cannot replace. */
static inline bool core_is_constant(const OrtValueInfo* value) {
  return (value->flags & (CORE_IS_INITIALIZER | CORE_IS_OVERRIDABLE)) == CORE_IS_INITIALIZER;
}

/** The value with the type and the initializer. */
static inline OrtValueInfo* core_origin(const OrtValueInfo* value) {
  return (OrtValueInfo*)(value->origin != NULL ? value->origin : value);
}

/** Graphs within graphs; deeper ones are refused. */
#define CORE_DEEPEST_GRAPH 32

/** What a graph of the model editor answers as the version of the format until it is in a model, as
 * in ONNX Runtime. */
#define CORE_EDITOR_IR_VERSION 13

/** Returns a status for what only has an answer within a model. */
#define CORE_REQUIRE_MODEL(function, argument, model)                                         \
  do {                                                                                        \
    if ((model) == NULL) {                                                                    \
      CORE_FAIL(ORT_NOT_IMPLEMENTED, #function ": " #argument                                 \
                                               " was made with the model editor, and is not " \
                                               "in a model");                                 \
    }                                                                                         \
  } while (0)

/** Copies a list into an array with `room` places; `room_name` is ": " and the name of that
 * argument. */
OrtStatus* core_copy_list(const char* function, const char* room_name, const struct core_list* list,
                          const void** out, size_t room);

/** What a view is like. */
struct core_view {
  const char* name;
  /** What a provider compiles: inputs in the order of their first use, not in that of the source.
   */
  bool is_fused;
  /** Constants are inputs as well. */
  bool keeps_constants;
};

/** Makes a graph of some nodes of another one, which must outlive it; drop it with core_drop. */
OrtStatus* core_make_view(const char* function, const OrtGraph* from, const OrtNode* const* nodes,
                          size_t count, const struct core_view* how, OrtGraph** out);

/** Ends a view that was shown for a call. */
void core_end_view(OrtGraph* view);

/** Whether views that are shown for a call end in such a way that using them later ends the
 * process: to test providers with. Those of all calls that begin from now on; their memory is never
 * reused.
 */
void core_close_shown_graphs(bool wanted);
bool core_closes_shown_graphs(void);

/** The domain of operators of ONNX that read and write the channels last (NHWC), with the version
 * of ONNX's own domain. */
#define CORE_CHANNELS_LAST "com.ms.internal.nhwc"

/** Makes a graph of the same model in which some nodes have the channels last, in addition to those
 * that have them already: the domain above, and a Transpose before the first input and after the
 * first output. Nodes keep their numbers; values keep their names and types. The model must outlive
 * it; drop it with core_drop. */
OrtStatus* core_move_channels(const char* function, const OrtGraph* from, const size_t* ids,
                              size_t count, OrtGraph** out);

/** Makes a node that stands for a view, in a graph of its own that has no model: of each input and
 * output of the view it has a copy. Drop the graph with core_drop. */
OrtStatus* core_fuse(const char* function, const OrtGraph* view, const char* name,
                     const char* provider, size_t id, OrtGraph** out);

/** Finds the type of a value, which belongs to the value; NULL where the model does not say. */
OrtStatus* core_known_type(const OrtValueInfo* value, const OrtTypeInfo** out);

/** The same of a dense tensor; NULL for another kind, too. */
OrtStatus* core_known_tensor(const OrtValueInfo* value, const OrtTensorTypeAndShapeInfo** out);

/** Finds the tensor of an initializer, which belongs to the value; NULL for another value. */
OrtStatus* core_initializer_of(const char* function, const OrtValueInfo* value,
                               const OrtValue** out);

/** Makes a value of the model editor for an initializer, without the tensor. */
OrtStatus* core_new_initializer(const char* function, const char* name, OrtValueInfo** out);

/** Reads a graph of a model: its main graph in a form, or the body of a function, whose number
 * counts from CORE_GRAPH_FORMS on. It belongs to the model. */
OrtStatus* core_model_graph(const char* function, const OrtModel* model, size_t which,
                            const OrtGraph** out);

/** The version of the operator set that the graph of a node uses for it; 0 where that is not known.
 */
int core_opset_version_of(const OrtNode* node);

/** What ONNX says of the operator of a node, in the version that its graph uses; NULL where that is
 * not known. */
const struct core_schema* core_schema_of(const OrtNode* node);

/** Whether the model editor made a graph; a subgraph has no class. */
static inline bool core_is_edited(const OrtGraph* graph) {
  return graph->object.class != NULL && graph->object.class != &core_graph_class;
}

/** Lists who uses each value of some nodes, in the memory of a pool. */
OrtStatus* core_list_uses(const char* function, struct core_pool* pool,
                          const struct core_list* nodes);

/** The same, as a new graph with one reference. */
OrtStatus* core_read_graph(const char* function, const OrtModel* model, size_t which,
                           OrtGraph** out);

/** The element type that a number stands for in ONNX's bytes, and the other way round: the newest
 * types have other numbers there than in the API. */
ONNXTensorElementDataType core_element_of_onnx(uint64_t number);
uint64_t core_onnx_of_element(ONNXTensorElementDataType type);

/** Makes a type of a serialized TypeProto, in which the dimensions in a list (see
 * CORE_FREE_DIMENSIONS) are fixed; it may be NULL. */
OrtStatus* core_read_type(const char* function, struct core_message bytes,
                          const struct core_items* fixed, OrtTypeInfo** out);

/** Makes a tensor of a serialized TensorProto; for its elements, as below. */
OrtStatus* core_read_tensor(const char* function, const OrtModel* model, struct core_message bytes,
                            struct core_tensor** out);

/** Makes the tensor of an initializer. Its elements stay in the model's bytes or in a file, if they
 * are stored as memory has them. */
OrtStatus* core_read_initializer(const char* function, const OrtValueInfo* value, OrtValue** out);

/** Compares a tensor with the element type and shape of an initializer, whose elements are not
 * looked for. */
OrtStatus* core_fits_initializer(const char* function, const OrtValueInfo* value,
                                 const struct core_tensor* tensor, bool* out);

#endif /* ORTCFFI_GRAPH_H_ */
