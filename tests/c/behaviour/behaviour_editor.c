/* SPDX-License-Identifier: MIT */
/* Graphs and models of the model editor. */
#include "behaviour_graph.h"

/* A call with an empty graph of the editor, `g`. */
#define EDITOR_CALL(text, ...)                \
  CALL(text) {                                \
    OrtGraph* g = NULL;                       \
    CHECK(editor()->CreateGraph(&g) == NULL); \
    __VA_ARGS__;                              \
    api->ReleaseGraph(g);                     \
  }

/* --- inputs and outputs ---------------------------------------------------------------------- */

static void set_values(OrtGraph* g, bool is_input, OrtValueInfo** values, size_t count) {
  OrtValueInfo* first = count > 0 && values != NULL ? values[0] : NULL;
  say_status(is_input ? editor()->SetGraphInputs(g, values, count)
                      : editor()->SetGraphOutputs(g, values, count));
  if (first != NULL) {
    say_out(values[0], first);
  }
}

#define SET_VALUES(Name, is_input)                                                               \
  EDITOR_CALL(#Name, OrtValueInfo* v[] = {free_value("x"), free_value("y")};                     \
              set_values(g, is_input, v, 2); say_out(v[1], UNTOUCHED))                           \
  EDITOR_CALL(#Name "(NULL,0)", set_values(g, is_input, NULL, 0))                                \
  EDITOR_CALL(#Name "(NULL,1)", set_values(g, is_input, NULL, 1))                                \
  EDITOR_CALL(#Name "(an entry NULL)", OrtValueInfo* v[] = {free_value("x"), NULL};              \
              set_values(g, is_input, v, 2))                                                     \
  EDITOR_CALL(#Name "(twice in the array)", OrtValueInfo* v[] = {free_value("x"), NULL};         \
              v[1] = v[0]; set_values(g, is_input, v, 2))                                        \
  EDITOR_CALL(#Name "(after twice in the array)", OrtValueInfo* v[] = {free_value("x"), NULL};   \
              v[1] = v[0]; set_values(g, is_input, v, 2); set_values(g, is_input, v, 1))         \
  EDITOR_CALL(#Name "(two of one name)", OrtValueInfo* v[] = {free_value("x"), free_value("x")}; \
              set_values(g, is_input, v, 2))                                                     \
  EDITOR_CALL(#Name "(one that the graph has)", OrtValueInfo* v[] = {free_value("x")};           \
              OrtValueInfo* again = v[0]; set_values(g, is_input, v, 1);                         \
              set_values(g, is_input, &again, 1))                                                \
  EDITOR_CALL(#Name "(again)", OrtValueInfo* v[] = {free_value("x")};                            \
              OrtValueInfo * w[] = {free_value("y"), free_value("z")}; size_t count = 0;         \
              set_values(g, is_input, v, 1); set_values(g, is_input, w, 2);                      \
              CHECK((is_input ? api->Graph_GetNumInputs(g, &count)                               \
                              : api->Graph_GetNumOutputs(g, &count)) == NULL);                   \
              say("%d", (int)count))                                                             \
  GRAPH_CALL(#Name "(graph of a model)", OrtValueInfo* v[] = {free_value("x")};                  \
             set_values((OrtGraph*)g, is_input, v, 1))
SET_VALUES(SetGraphInputs, true)
SET_VALUES(SetGraphOutputs, false)

/* --- nodes and initializers ------------------------------------------------------------------ */

EDITOR_CALL("AddNodeToGraph", say_status(editor()->AddNodeToGraph(g, free_node())))
EDITOR_CALL("AddNodeToGraph(twice)", OrtNode* n = free_node();
            say_status(editor()->AddNodeToGraph(g, n)); say_status(editor()->AddNodeToGraph(g, n)))
GRAPH_CALL("AddNodeToGraph(graph of a model)",
           say_status(editor()->AddNodeToGraph((OrtGraph*)g, free_node())))
GRAPH_CALL("AddNodeToGraph(node of a model)", OrtGraph* own = NULL;
           CHECK(editor()->CreateGraph(&own) == NULL);
           say_status(editor()->AddNodeToGraph(own, (OrtNode*)node_of(g, "If"))))

static void add_initializer(OrtGraph* g, const char* name, OrtValue* tensor, bool is_external) {
  say_status(editor()->AddInitializerToGraph(g, name, tensor, is_external));
}
EDITOR_CALL("AddInitializerToGraph", add_initializer(g, "w", FLOATS(1, 2), false))
EDITOR_CALL("AddInitializerToGraph(name=empty)", add_initializer(g, "", FLOATS(1, 2), false))
EDITOR_CALL("AddInitializerToGraph(strings)", add_initializer(g, "w", STRINGS("a", "b"), false))
EDITOR_CALL("AddInitializerToGraph(sequence)",
            add_initializer(g, "w", SEQUENCE(FLOATS(1), FLOATS(2)), false))
EDITOR_CALL("AddInitializerToGraph(name twice)", add_initializer(g, "w", FLOATS(1, 2), false);
            add_initializer(g, "w", FLOATS(1, 2), false))
EDITOR_CALL("AddInitializerToGraph(external, 8 bytes)", add_initializer(g, "w", FLOATS(1, 2), true))
EDITOR_CALL("AddInitializerToGraph(external, 128 bytes)",
            add_initializer(g, "w", TENSOR(FLOAT, 32), true))
EDITOR_CALL("AddInitializerToGraph(external, then not)",
            add_initializer(g, "w", TENSOR(FLOAT, 32), true);
            add_initializer(g, "w", FLOATS(1, 2), false))
EDITOR_CALL("AddInitializerToGraph(tensor without data)", OrtValue* value = NULL;
            CHECK(api->CreateTensorWithDataAsOrtValue(cpu_info(), NULL, 8, DIMS(2), FLOAT,
                                                      &value) == NULL);
            add_initializer(g, "w", value, false))
GRAPH_CALL("AddInitializerToGraph(graph of a model)",
           add_initializer((OrtGraph*)g, "w", FLOATS(1, 2), false))

/* --- what a graph of the editor answers ------------------------------------------------------ */

#define ASK_LIST(Name, type)                                                          \
  EDITOR_CALL(                                                                        \
      "Graph_GetNum" #Name " of the editor", size_t count = 99;                       \
      if (say_status(api->Graph_GetNum##Name(g, &count))) { say("%d", (int)count); }) \
  EDITOR_CALL("Graph_Get" #Name " of the editor", const type* room[1];                \
              say_status(api->Graph_Get##Name(g, room, 1)))
ASK_LIST(Inputs, OrtValueInfo)
ASK_LIST(Outputs, OrtValueInfo)
ASK_LIST(Initializers, OrtValueInfo)
ASK_LIST(Nodes, OrtNode)
EDITOR_CALL(
    "Graph_GetName of the editor", const char* name = NULL;
    if (say_status(api->Graph_GetName(g, &name))) { say("%s", name); })
EDITOR_CALL("Graph_GetModelPath of the editor", const ORTCHAR_T* path = NULL;
            say_status(api->Graph_GetModelPath(g, &path)); say_pointer(path))
EDITOR_CALL(
    "Graph_GetOnnxIRVersion of the editor", int64_t version = 0;
    if (say_status(api->Graph_GetOnnxIRVersion(g, &version))) { say("%d", (int)version); })
EDITOR_CALL("Graph_GetNumOperatorSets of the editor", size_t count = 99;
            say_status(api->Graph_GetNumOperatorSets(g, &count)))
EDITOR_CALL("Graph_GetOperatorSets of the editor", const char* domain; int64_t version;
            say_status(api->Graph_GetOperatorSets(g, &domain, &version, 1)))
EDITOR_CALL("Graph_GetParentNode of the editor", const OrtNode* node = UNTOUCHED;
            say_status(api->Graph_GetParentNode(g, &node)); say_out(node, UNTOUCHED))
EDITOR_CALL("Graph_GetModelMetadata of the editor", OrtModelMetadata* m = UNTOUCHED;
            say_status(api->Graph_GetModelMetadata(g, &m)); say_out(m, UNTOUCHED))
EDITOR_CALL("Graph_GetGraphView of the editor", OrtNode* n = free_node();
            OrtGraph* view = UNTOUCHED; CHECK(editor()->AddNodeToGraph(g, n) == NULL);
            say_status(api->Graph_GetGraphView(g, &(const OrtNode*){n}, 1, &view));
            say_out(view, UNTOUCHED))

/* --- models ---------------------------------------------------------------------------------- */

static OrtModel* new_model(void) {
  return NEW(OrtModel,
             editor()->CreateModel((const char* const[]){""}, (const int[]){21}, 1, &new_));
}

#define NEW_MODEL(text, ...)                                  \
  CALL("CreateModel(" text ")") {                             \
    OrtModel* m = UNTOUCHED;                                  \
    if (say_status(editor()->CreateModel(__VA_ARGS__, &m))) { \
      api->ReleaseModel(m);                                   \
    } else {                                                  \
      say_out(m, UNTOUCHED);                                  \
    }                                                         \
  }
NEW_MODEL("one domain", (const char* const[]){""}, (const int[]){21}, 1)
NEW_MODEL("a domain twice", (const char* const[]){"", "ai.onnx"}, (const int[]){21, 20}, 2)
NEW_MODEL("no domain", (const char* const[]){""}, (const int[]){21}, 0)
NEW_MODEL("no domain, NULL", NULL, NULL, 0)
NEW_MODEL("a domain NULL", (const char* const[]){NULL}, (const int[]){21}, 1)
NEW_MODEL("version -1", (const char* const[]){""}, (const int[]){-1}, 1)

CALL("AddGraphToModel(empty graph)") {
  OrtModel* m = new_model();
  OrtGraph* g = NEW(OrtGraph, editor()->CreateGraph(&new_));
  say_status(editor()->AddGraphToModel(m, g));
  api->ReleaseModel(m);
}
CALL("AddGraphToModel(a second graph)") {
  OrtModel* m = new_model();
  OrtGraph *first = NULL, *second = NULL;
  CHECK(editor()->CreateGraph(&first) == NULL && editor()->CreateGraph(&second) == NULL);
  say_status(editor()->AddGraphToModel(m, first));
  say_status(editor()->AddGraphToModel(m, second));
}
CALL("AddGraphToModel(a graph of another model)") {
  OrtGraph* g = NEW(OrtGraph, editor()->CreateGraph(&new_));
  say_status(editor()->AddGraphToModel(new_model(), g));
  say_status(editor()->AddGraphToModel(new_model(), g));
}
GRAPH_CALL("AddGraphToModel(a graph of a file)",
           say_status(editor()->AddGraphToModel(new_model(), (OrtGraph*)g)))
CALL("AddNodeToGraph(graph that a model has)") {
  OrtGraph* g = NEW(OrtGraph, editor()->CreateGraph(&new_));
  say_status(editor()->AddGraphToModel(new_model(), g));
  say_status(editor()->AddNodeToGraph(g, free_node()));
}
