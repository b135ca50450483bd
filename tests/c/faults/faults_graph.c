/* SPDX-License-Identifier: MIT */
/* Trials of values and nodes of graphs, and of schemas of operators. */
#include "faults.h"

static const OrtModelEditorApi* editor(void) { return api->GetModelEditorApi(); }

static OrtTypeInfo* type;
static OrtValueInfo* value;
static OrtNode* node;

static void with_type(void) {
  const int64_t dims[] = {2, 3};
  OrtTensorTypeAndShapeInfo* shape = NULL;
  CHECK(api->CreateTensorTypeAndShapeInfo(&shape) == NULL);
  CHECK(api->SetDimensions(shape, dims, 2) == NULL);
  CHECK(editor()->CreateTensorTypeInfo(shape, &type) == NULL);
  api->ReleaseTensorTypeAndShapeInfo(shape);
}
static OrtStatus* make_value(void** out) {
  return editor()->CreateValueInfo("x", type, (OrtValueInfo**)out);
}
static void release_value(void* out) { api->ReleaseValueInfo(out); }

static void with_value(void) {
  with_type();
  CHECK(make_value((void**)&value) == NULL);
}
static OrtStatus* read_value(void** out) {
  const char* name = NULL;
  (void)out;
  CHECK(api->GetValueInfoName(value, &name) == NULL);
  return api->GetValueInfoTypeInfo(value, (const OrtTypeInfo**)&name);
}

static OrtStatus* make_node(void** out) {
  static const char* const names[] = {"a", "b"};
  const int64_t one = 1;
  OrtOpAttr* attribute = NULL;
  OrtStatus* status = api->CreateOpAttr("axis", &one, 1, ORT_OP_ATTR_INT, &attribute);
  if (status == NULL) {
    status =
        editor()->CreateNode("Add", "", "n", names, 2, names, 1, &attribute, 1, (OrtNode**)out);
    api->ReleaseOpAttr(attribute);
  }
  return status;
}
static void release_node(void* out) { api->ReleaseNode(out); }

static void with_node(void) { CHECK(make_node((void**)&node) == NULL); }
static OrtStatus* read_node(void** out) {
  const char* text = NULL;
  size_t count = 0;
  const OrtOpAttr* attribute = NULL;
  (void)out;
  CHECK(api->Node_GetName(node, &text) == NULL && api->Node_GetDomain(node, &text) == NULL);
  CHECK(api->Node_GetOperatorType(node, &text) == NULL);
  CHECK(api->Node_GetNumInputs(node, &count) == NULL && count == 2);
  CHECK(api->Node_GetNumOutputs(node, &count) == NULL && count == 1);
  CHECK(api->Node_GetNumAttributes(node, &count) == NULL && count == 1);
  CHECK(api->Node_GetAttributes(node, &attribute, 1) == NULL);
  return api->Node_GetAttributeByName(node, "axis", &attribute);
}
static OrtStatus* miss_attribute(void** out) {
  return api->Node_GetAttributeByName(node, "axes", (const OrtOpAttr**)out);
}

static const OrtEpApi* ep(void) { return api->GetEpApi(); }

static OrtStatus* find_schema(void** out) {
  return ep()->GetOpSchema("Resize", 21, "", (OrtOpSchema**)out);
}
static void release_schema(void* out) { ep()->ReleaseOpSchema(out); }

static OrtStatus* find_and_read(void** out) {
  OrtOpSchema* schema = NULL;
  const OrtOpSchemaTypeConstraint* constraint = NULL;
  const char* const* types = NULL;
  const size_t* places = NULL;
  size_t count = 0;
  (void)out;
  OrtStatus* status = find_schema((void**)&schema);
  if (status == NULL) {
    CHECK(ep()->OpSchema_GetInputTypeConstraint(schema, 0, &constraint) == NULL);
    CHECK(ep()->OpSchemaTypeConstraint_GetAllowedTypes(constraint, &types, &count) == NULL);
    CHECK(count > 0 && strcmp(types[0], "tensor(uint8)") == 0);
    CHECK(ep()->OpSchemaTypeConstraint_GetInputIndices(constraint, &places, &count) == NULL);
    CHECK(count == 1 && places[0] == 0);
    CHECK(ep()->OpSchemaTypeConstraint_GetOutputIndices(constraint, &places, &count) == NULL);
    CHECK(count == 1 && places[0] == 0);
    ep()->ReleaseOpSchema(schema);
  }
  return status;
}
static OrtStatus* find_none(void** out) {
  OrtOpSchema* schema = UNTOUCHED;
  (void)out;
  OrtStatus* status = ep()->GetOpSchema("Resize", 9, "", &schema);
  CHECK(status != NULL || schema == NULL);
  return status;
}

static const struct trial trials[] = {
    TRIAL("CreateValueInfo ReleaseValueInfo", with_type, make_value, release_value),
    TRIAL("GetValueInfoName GetValueInfoTypeInfo", with_value, read_value, NULL),
    TRIAL("CreateNode ReleaseNode", NULL, make_node, release_node),
    TRIAL("Node_GetName Node_GetDomain Node_GetOperatorType Node_GetNumInputs Node_GetNumOutputs "
          "Node_GetNumAttributes Node_GetAttributes Node_GetAttributeByName",
          with_node, read_node, NULL),
    TRIAL("GetOpSchema ReleaseOpSchema", NULL, find_schema, release_schema),
    TRIAL("OpSchema_GetInputTypeConstraint OpSchemaTypeConstraint_GetAllowedTypes "
          "OpSchemaTypeConstraint_GetInputIndices OpSchemaTypeConstraint_GetOutputIndices",
          NULL, find_and_read, NULL),
    TRIAL("GetOpSchema of an operator that is newer", NULL, find_none, NULL),
    {"a missing attribute", with_node, miss_attribute, NULL, ORT_NOT_FOUND},
    {NULL},
};

static void clean(void) {
  release_node(node);
  release_value(value);
  api->ReleaseTypeInfo(type);
}

const struct section graphs = {trials, clean};
