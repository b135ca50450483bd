/* SPDX-License-Identifier: MIT */
/* Values and nodes that are in no graph. */
#include "behaviour_values.h"

static OrtTypeInfo* nodes_tensor_type(void) {
  return matrix_type((const int64_t[]){-1, 3}, "batch");
}

static OrtStatus* make_value(const char* name, const OrtTypeInfo* type, OrtValueInfo** out) {
  return api->GetModelEditorApi()->CreateValueInfo(name, type, out);
}

/* A call with the type of a tensor, `t`, and room for a value, `v`. */
#define WITH_TYPE(text, ...)              \
  CALL(text) {                            \
    OrtTypeInfo* t = nodes_tensor_type(); \
    OrtValueInfo* v = UNTOUCHED;          \
    __VA_ARGS__;                          \
    if (v != UNTOUCHED) {                 \
      api->ReleaseValueInfo(v);           \
    }                                     \
    api->ReleaseTypeInfo(t);              \
  }

WITH_TYPE("CreateValueInfo(x)", say_status(make_value("x", t, &v)))
WITH_TYPE("CreateValueInfo(name=empty)", say_status(make_value("", t, &v)); say_out(v, UNTOUCHED))

/* A value of another type than a tensor. */
static void make_other(OrtStatus* (*other)(const OrtTypeInfo*, OrtTypeInfo**)) {
  OrtTypeInfo* t = nodes_tensor_type();
  OrtValueInfo* v = UNTOUCHED;
  OrtTypeInfo* outer = NEW(OrtTypeInfo, other(t, &new_));
  say_status(make_value("x", outer, &v));
  say_out(v, UNTOUCHED);
  if (v != UNTOUCHED) {
    api->ReleaseValueInfo(v);
  }
  api->ReleaseTypeInfo(outer);
  api->ReleaseTypeInfo(t);
}
static OrtStatus* sequence_of(const OrtTypeInfo* type, OrtTypeInfo** out) {
  return api->GetModelEditorApi()->CreateSequenceTypeInfo(type, out);
}
static OrtStatus* map_of(const OrtTypeInfo* type, OrtTypeInfo** out) {
  return api->GetModelEditorApi()->CreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, type,
                                                     out);
}
static OrtStatus* optional_of(const OrtTypeInfo* type, OrtTypeInfo** out) {
  return api->GetModelEditorApi()->CreateOptionalTypeInfo(type, out);
}
CALL("CreateValueInfo(sequence)") { make_other(sequence_of); }
CALL("CreateValueInfo(map)") { make_other(map_of); }
CALL("CreateValueInfo(optional)") { make_other(optional_of); }

/* A call with a value, `v`, whose type was freed. */
#define WITH_VALUE(text, ...)              \
  CALL(text) {                             \
    OrtTypeInfo* t = nodes_tensor_type();  \
    OrtValueInfo* v = NULL;                \
    CHECK(make_value("x", t, &v) == NULL); \
    api->ReleaseTypeInfo(t);               \
    __VA_ARGS__;                           \
    api->ReleaseValueInfo(v);              \
  }

WITH_VALUE(
    "GetValueInfoName", const char* name = NULL;
    if (say_status(api->GetValueInfoName(v, &name))) { say("%s", name); })
WITH_VALUE(
    "GetValueInfoTypeInfo", const OrtTypeInfo* type = NULL;
    const OrtTensorTypeAndShapeInfo* shape = NULL; const char* names[2] = {NULL, NULL};
    int64_t dims[2] = {0, 0}; if (say_status(api->GetValueInfoTypeInfo(v, &type))) {
      CHECK(api->CastTypeInfoToTensorInfo(type, &shape) == NULL);
      CHECK(api->GetDimensions(shape, dims, 2) == NULL);
      CHECK(api->GetSymbolicDimensions(shape, names, 2) == NULL);
      say("%d %d, %s", (int)dims[0], (int)dims[1], names[0]);
    })

/* --- nodes ----------------------------------------------------------------------------------- */

static const char* const inputs[] = {"a", "", "b"};
static const char* const outputs[] = {"y"};

static OrtStatus* make_node(OrtOpAttr** attributes, size_t count, OrtNode** out) {
  return api->GetModelEditorApi()->CreateNode("Clip", "", "n", inputs, 3, outputs, 1, attributes,
                                              count, out);
}

static OrtOpAttr* attribute(void) {
  const int64_t value = 7;
  return NEW(OrtOpAttr, api->CreateOpAttr("axis", &value, 1, ORT_OP_ATTR_INT, &new_));
}

/* A call with a node, `n`, that has one attribute. */
#define WITH_NODE(text, ...)                 \
  CALL(text) {                               \
    OrtNode* n = NULL;                       \
    OrtOpAttr* given = attribute();          \
    CHECK(make_node(&given, 1, &n) == NULL); \
    __VA_ARGS__;                             \
    api->ReleaseNode(n);                     \
  }

#define NO_NODE(text, ...)                                                      \
  CALL("CreateNode(" text ")") {                                                \
    OrtNode* n = UNTOUCHED;                                                     \
    say_status(api->GetModelEditorApi()->CreateNode(__VA_ARGS__, NULL, 0, &n)); \
    say_out(n, UNTOUCHED);                                                      \
    if (n != UNTOUCHED) {                                                       \
      api->ReleaseNode(n);                                                      \
    }                                                                           \
  }

NO_NODE("Clip", "Clip", "", "n", inputs, 3, outputs, 1)
NO_NODE("operator=empty", "", "", "n", inputs, 3, outputs, 1)
NO_NODE("inputs=NULL,1", "Clip", "", "n", NULL, 1, outputs, 1)
NO_NODE("inputs=NULL,0", "Clip", "", "n", NULL, 0, outputs, 1)
NO_NODE("outputs=NULL,1", "Clip", "", "n", inputs, 3, NULL, 1)
NO_NODE("outputs=NULL,0", "Clip", "", "n", inputs, 3, NULL, 0)
CALL("CreateNode(input i=NULL)") {
  const char* const names[] = {"a", NULL};
  OrtNode* n = UNTOUCHED;
  say_status(
      api->GetModelEditorApi()->CreateNode("Clip", "", "n", names, 2, outputs, 1, NULL, 0, &n));
  say_out(n, UNTOUCHED);
}
CALL("CreateNode(output i=NULL)") {
  const char* const names[] = {NULL};
  OrtNode* n = UNTOUCHED;
  say_status(
      api->GetModelEditorApi()->CreateNode("Clip", "", "n", inputs, 3, names, 1, NULL, 0, &n));
  say_out(n, UNTOUCHED);
}
CALL("CreateNode takes attributes") {
  OrtOpAttr* given = attribute();
  OrtNode* n = NULL;
  say_status(make_node(&given, 1, &n));
  say_pointer(given);
  api->ReleaseNode(n);
}
CALL("CreateNode(attribute=NULL)") {
  OrtOpAttr* given = NULL;
  OrtNode* n = UNTOUCHED;
  if (say_status(make_node(&given, 1, &n))) {
    api->ReleaseNode(n);
  }
}

CALL("CreateNode(attribute twice)") {
  OrtOpAttr* given[] = {attribute(), NULL};
  OrtNode* n = UNTOUCHED;
  given[1] = given[0];
  if (!say_status(make_node(given, 2, &n))) {
    say_out(n, UNTOUCHED);
    api->ReleaseOpAttr(given[0]);
  } else {
    api->ReleaseNode(n);
  }
}
WITH_NODE(
    "CreateNode(attribute of another node)", const OrtOpAttr* found = NULL;
    OrtNode* second = UNTOUCHED; if (say_status(api->Node_GetAttributeByName(n, "axis", &found))) {
      OrtOpAttr* again = (OrtOpAttr*)found;
      say_status(make_node(&again, 1, &second));
      say_out(second, UNTOUCHED);
    })
CALL("CreateNode(attributes=NULL,1)") {
  OrtNode* n = NULL;
  size_t count = 99;
  if (say_status(make_node(NULL, 1, &n))) {
    say_status(api->Node_GetNumAttributes(n, &count));
    say("%d", (int)count);
    api->ReleaseNode(n);
  }
}

#define READ_TEXT(slot)               \
  WITH_NODE(                          \
      #slot, const char* text = NULL; \
      if (say_status(api->slot(n, &text))) { say("%s", text == NULL ? "NULL" : text); })
#define READ_COUNT(slot) \
  WITH_NODE(             \
      #slot, size_t count = 99; if (say_status(api->slot(n, &count))) { say("%d", (int)count); })
READ_TEXT(Node_GetName)
READ_TEXT(Node_GetOperatorType)
READ_TEXT(Node_GetDomain)
READ_COUNT(Node_GetNumInputs)
READ_COUNT(Node_GetNumOutputs)
READ_COUNT(Node_GetNumAttributes)
WITH_NODE(
    "Node_GetAttributes", const OrtOpAttr* room[1] = {NULL};
    if (say_status(api->Node_GetAttributes(n, room, 1))) { say_pointer(room[0]); })
WITH_NODE(
    "Node_GetAttributeByName", const OrtOpAttr* found = NULL;
    if (say_status(api->Node_GetAttributeByName(n, "axis", &found))) { say_pointer(found); })
WITH_NODE(
    "Node_GetAttributeByName(unknown)", const OrtOpAttr* found = NULL;
    if (say_status(api->Node_GetAttributeByName(n, "axes", &found))) { say_pointer(found); })
WITH_NODE("Node_GetAttributes(no room)", const OrtOpAttr* room[1] = {UNTOUCHED};
          say_status(api->Node_GetAttributes(n, room, 0)); say_out(room[0], UNTOUCHED))
WITH_NODE("Node_GetAttributes(out=NULL)", say_status(api->Node_GetAttributes(n, NULL, 1)))

#undef READ_TEXT
