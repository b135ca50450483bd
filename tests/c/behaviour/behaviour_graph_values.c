/* SPDX-License-Identifier: MIT */
/* OrtValueInfo: what the values of a graph answer, and values of the model editor to the same
 * questions. */
#include "behaviour_graph.h"

OrtValueInfo* free_value(const char* name) {
  OrtTypeInfo* type = matrix_type((const int64_t[]){2, 3}, "");
  OrtValueInfo* value =
      NEW(OrtValueInfo, api->GetModelEditorApi()->CreateValueInfo(name, type, &new_));
  api->ReleaseTypeInfo(type);
  return value;
}

#define NO_VALUE(text, ...)            \
  CALL(text " of the editor") {        \
    OrtValueInfo* v = free_value("x"); \
    __VA_ARGS__;                       \
    api->ReleaseValueInfo(v);          \
  }
/* A call with a value of the graph by its name. */
#define VALUE_CALL(text, name, ...) \
  GRAPH_CALL(text "(" name ")", const OrtValueInfo* v = value_of_graph(g, name); __VA_ARGS__)

#define FLAG_OF(Name, name)         \
  VALUE_CALL(                       \
      #Name, name, bool is = false; \
      if (say_status(api->Name(v, &is))) { say(is ? "true" : "false"); })
#define READ_FLAG(Name) \
  FLAG_OF(Name, "x")    \
  FLAG_OF(Name, "w")    \
  FLAG_OF(Name, "o")    \
  FLAG_OF(Name, "c")    \
  FLAG_OF(Name, "a")    \
  FLAG_OF(Name, "z")    \
  NO_VALUE(             \
      #Name, bool is = false; if (say_status(api->Name(v, &is))) { say(is ? "true" : "false"); })

READ_FLAG(ValueInfo_IsRequiredGraphInput)
READ_FLAG(ValueInfo_IsOptionalGraphInput)
READ_FLAG(ValueInfo_IsGraphOutput)
READ_FLAG(ValueInfo_IsConstantInitializer)
READ_FLAG(ValueInfo_IsFromOuterScope)

static const OrtGraph* branch_of(const OrtGraph* g, size_t which) {
  const OrtGraph* graphs[2];
  const char* names[2];
  CHECK(api->Node_GetSubgraphs(node_of(g, "If"), graphs, 2, names) == NULL);
  return graphs[(strcmp(names[0], "then_branch") == 0) == (which == 0) ? 0 : 1];
}
GRAPH_CALL("ValueInfo_IsFromOuterScope(a, in a subgraph)", bool is = false;
           say_status(api->ValueInfo_IsFromOuterScope(value_of_graph(branch_of(g, 0), "a"), &is));
           say(is ? "true" : "false"))
GRAPH_CALL("ValueInfo_IsConstantInitializer(w, in a subgraph)", bool is = false;
           const OrtValueInfo* v = value_of_graph(branch_of(g, 0), "w");
           say_status(api->ValueInfo_IsConstantInitializer(v, &is)); say(is ? "true" : "false"))

#define SAY_PRODUCER                                                   \
  const OrtNode* node = UNTOUCHED;                                     \
  size_t index = 99;                                                   \
  if (say_status(api->ValueInfo_GetValueProducer(v, &node, &index))) { \
    say_nodes(&node, 1);                                               \
    say("%d", (int)index);                                             \
  }
VALUE_CALL("ValueInfo_GetValueProducer", "x", SAY_PRODUCER)
VALUE_CALL("ValueInfo_GetValueProducer", "a", SAY_PRODUCER)
VALUE_CALL("ValueInfo_GetValueProducer", "c", SAY_PRODUCER)
NO_VALUE("ValueInfo_GetValueProducer", SAY_PRODUCER)
GRAPH_CALL("ValueInfo_GetValueProducer(a, in a subgraph)",
           const OrtValueInfo* v = value_of_graph(branch_of(g, 0), "a");
           SAY_PRODUCER)
VALUE_CALL("ValueInfo_GetValueProducer, index=NULL", "a", const OrtNode* node = UNTOUCHED;
           say_status(api->ValueInfo_GetValueProducer(v, &node, NULL)))

#define SAY_CONSUMERS                                                           \
  const OrtNode* nodes[8] = {UNTOUCHED};                                        \
  int64_t indices[8] = {99};                                                    \
  size_t count = 99;                                                            \
  if (say_status(api->ValueInfo_GetValueNumConsumers(v, &count)) &&             \
      say_status(api->ValueInfo_GetValueConsumers(v, nodes, indices, count))) { \
    for (size_t i = 0; i < count; i++) {                                        \
      say_nodes(&nodes[i], 1);                                                  \
      say("%d", (int)indices[i]);                                               \
    }                                                                           \
  }
VALUE_CALL("ValueInfo_GetValueNumConsumers", "x", SAY_CONSUMERS)
VALUE_CALL("ValueInfo_GetValueNumConsumers", "a", SAY_CONSUMERS)
VALUE_CALL("ValueInfo_GetValueNumConsumers", "c", SAY_CONSUMERS)
VALUE_CALL("ValueInfo_GetValueNumConsumers", "z", SAY_CONSUMERS)
NO_VALUE("ValueInfo_GetValueNumConsumers", size_t count = 99;
         say_status(api->ValueInfo_GetValueNumConsumers(v, &count)))
NO_VALUE("ValueInfo_GetValueConsumers", const OrtNode* nodes[8]; int64_t indices[8];
         say_status(api->ValueInfo_GetValueConsumers(v, nodes, indices, 8)))
VALUE_CALL("ValueInfo_GetValueConsumers, no room", "a", const OrtNode* node = UNTOUCHED;
           int64_t index = 99; say_status(api->ValueInfo_GetValueConsumers(v, &node, &index, 0));
           say_out(node, UNTOUCHED))
VALUE_CALL("ValueInfo_GetValueConsumers, nodes=NULL", "a", int64_t index = 99;
           say_status(api->ValueInfo_GetValueConsumers(v, NULL, &index, 0)))
VALUE_CALL("ValueInfo_GetValueConsumers, indices=NULL", "a", const OrtNode* node = UNTOUCHED;
           say_status(api->ValueInfo_GetValueConsumers(v, &node, NULL, 0)))

#define SAY_INITIALIZER                                             \
  const OrtValue* tensor = UNTOUCHED;                               \
  if (say_status(api->ValueInfo_GetInitializerValue(v, &tensor))) { \
    tensor == NULL ? say("NULL") : say_tensor(tensor);              \
  }
VALUE_CALL("ValueInfo_GetInitializerValue", "w", SAY_INITIALIZER)
VALUE_CALL("ValueInfo_GetInitializerValue", "o", SAY_INITIALIZER)
VALUE_CALL("ValueInfo_GetInitializerValue", "c", SAY_INITIALIZER)
VALUE_CALL("ValueInfo_GetInitializerValue", "x", SAY_INITIALIZER)
VALUE_CALL("ValueInfo_GetInitializerValue", "a", SAY_INITIALIZER)
NO_VALUE("ValueInfo_GetInitializerValue", SAY_INITIALIZER)
GRAPH_CALL("ValueInfo_GetInitializerValue(w, in a subgraph)",
           const OrtValueInfo* v = value_of_graph(branch_of(g, 0), "w");
           SAY_INITIALIZER)

VALUE_CALL(
    "ReleaseValueInfo of a model's", "x", const char* name = NULL;
    api->ReleaseValueInfo((OrtValueInfo*)v);
    if (say_status(api->GetValueInfoName(v, &name))) { say("%s", name); })

/* --- external initializers ------------------------------------------------------------------- */

#define SAY_EXTERNAL                                               \
  OrtExternalInitializerInfo* info = UNTOUCHED;                    \
  say_status(api->ValueInfo_GetExternalInitializerInfo(v, &info)); \
  say_out(info, UNTOUCHED)
VALUE_CALL("ValueInfo_GetExternalInitializerInfo", "w", SAY_EXTERNAL)
VALUE_CALL("ValueInfo_GetExternalInitializerInfo", "x", SAY_EXTERNAL)
NO_VALUE("ValueInfo_GetExternalInitializerInfo", SAY_EXTERNAL)

static void say_info(const ORTCHAR_T* path, int64_t offset, size_t size) {
  OrtExternalInitializerInfo* info = UNTOUCHED;
  if (!say_status(api->CreateExternalInitializerInfo(path, offset, size, &info))) {
    say_out(info, UNTOUCHED);
    return;
  }
  say("%c", (char)api->ExternalInitializerInfo_GetFilePath(info)[0]);
  say("%lld", (long long)api->ExternalInitializerInfo_GetFileOffset(info));
  say("%lld", (long long)api->ExternalInitializerInfo_GetByteSize(info));
  api->ReleaseExternalInitializerInfo(info);
}
CALL("CreateExternalInitializerInfo") { say_info(ORT_TSTR("file"), 8, 16); }
CALL("CreateExternalInitializerInfo(offset=-1)") { say_info(ORT_TSTR("file"), -1, SIZE_MAX); }
CALL("CreateExternalInitializerInfo(path=NULL)") { say_info(NULL, 8, 16); }
