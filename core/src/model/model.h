/* SPDX-License-Identifier: MIT */
/**
 * @file model.h
 * Opening and writing models. graph/graph.h has the struct.
 */
#pragma once

#include "graph/graph.h"
#include "ortcore.h"
#include "onnx/writing.h"
#include "values/type_info.h"

/** Makes a model without bytes. */
OrtStatus* core_new_model(OrtModel** out);

/** Refuses a length of a model's bytes that no model may have, before a byte is read. */
OrtStatus* core_check_model_size(size_t size);

/** The status for a path at which no file can be read: ORT_NO_SUCHFILE, or `code`. */
OrtStatus* core_refuse_file(const char* path, enum core_file found, OrtErrorCode code);

/** Opens a model for a slot, by whose name errors begin: a file, or a copy of bytes. */
OrtStatus* core_open_model_file(const ORTCHAR_T* path, OrtModel** out);
OrtStatus* core_copy_model(const void* bytes, size_t size, OrtModel** out);

/** Makes a model that is as another one but for some changes, whose lists must outlive it. */
OrtStatus* core_change_model(OrtModel* of, const struct core_changes* changes, OrtModel** out);

/** Makes a model that is `of` with the nodes and initializers of a graph of the model editor, and
 * with its inputs and its outputs where it has any. Both models stay with it. */
OrtStatus* core_extend_model(const OrtModel* of, const OrtModel* by, OrtModel** out);

/** Has a model without weights take those that its bytes name from another model, and keep that
 * one. */
OrtStatus* core_share_weights(OrtModel* model, const OrtModel* weights_of);

/** Opens the bytes of a model, which name weights by numbers: those that `of` has in memory, then
 * `weights`. All of them must outlive the model. It has the folder of `of`, which may be NULL. */
CORE_FOR_EXTENSION OrtStatus* core_open_with_weights(struct core_message bytes,
                                                     const struct core_weight* weights,
                                                     size_t count, OrtModel* of, OrtModel** out);

/** Reads the fields of `model->bytes`. */
OrtStatus* core_read_model(OrtModel* model);

/** What a model says of itself, by the names of the fields in ONNX, with its own entries. */
OrtStatus* core_describe_model(const OrtModel* model, OrtKeyValuePairs** out);

/* Functions of ortcore.h. */
OrtStatus* ORT_API_CALL core_open_model(const ORTCHAR_T* model_path, OrtModel** out);
OrtStatus* ORT_API_CALL core_open_model_bytes(const void* bytes, size_t size, OrtModel* weights_of,
                                              OrtModel** out);
OrtStatus* ORT_API_CALL core_graph_of_model(const OrtModel* model, size_t which,
                                            const OrtGraph** out);
OrtStatus* ORT_API_CALL core_untyped_values(const OrtModel* model, size_t* out);
/** Where a compiled model has the data of its nodes EPContext. */
enum core_contexts { CORE_NO_CONTEXTS, CORE_CONTEXTS_IN_MODEL, CORE_CONTEXTS_IN_FILES };

/** The entry of the metadata by which a compiled model says which other files it needs. */
#define CORE_DEPENDENCIES "external_dependencies"

/** The same as core_write_model for a compiled model, which gets that entry if it has contexts. */
OrtStatus* core_write_compiled_model(const OrtModel* model, const OrtcoreWriting* writing,
                                     enum core_contexts contexts);

OrtStatus* ORT_API_CALL core_write_model(const OrtModel* model, const OrtcoreWriting* writing);

/* Asks a function where the initializers of a model go. */

/** Calls `writing->locate` for each initializer of a model that is dense and has no strings. The
 * list gets an item for each one that the client has stored: see core_place_of. */
OrtStatus* core_locate_weights(const OrtModel* model, const OrtcoreWriting* writing,
                               struct core_items* places);

/** Where the client has put a TensorProto; NULL for one that stays in the model. */
const OrtExternalInitializerInfo* core_place_of(const struct core_items* places,
                                                struct core_message tensor);

/** Frees a list. */
void core_end_places(struct core_items* places);

/** The name of such a graph. */
#define CORE_EDITOR_GRAPH_NAME "ModelEditorGraph"

/** Writes a value that is a dense tensor as a ValueInfoProto, in a field. */
void core_write_value(struct core_writing* to, uint32_t field, const char* name,
                      const OrtTensorTypeAndShapeInfo* info);

/** Writes a tensor as a TensorProto, in a field. */
void core_write_tensor(struct core_writing* to, uint32_t field, const char* name,
                       const OrtValue* tensor);

/** Writes which version of an operator set a model uses. */
void core_write_opset(struct core_writing* to, const char* domain, int64_t version);

/** Writes a node that the model editor made as the fields of a NodeProto. */
void core_write_node(struct core_writing* to, const OrtNode* node);

/** Writes a graph that the model editor made as the fields of a GraphProto, but for its name. The
 * model lists behind its weights those that stay in the memory of their tensors. */
OrtStatus* core_write_editor_graph(const OrtGraph* graph, struct core_writing* to, OrtModel* model);
