/* SPDX-License-Identifier: MIT */
/** @file editor.h What the model editor's functions share. */
#pragma once

#include "model/model.h"
#include "onnx/writing.h"
#include "values/type_info.h"

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
