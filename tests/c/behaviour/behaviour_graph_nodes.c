/* SPDX-License-Identifier: MIT */
/* OrtNode: what the nodes of a graph answer, and nodes of the model editor to the same questions.
 */
#include "behaviour_graph.h"

OrtNode* free_node(void) {
  static const char* const names[] = {"a", "b"};
  return NEW(OrtNode, api->GetModelEditorApi()->CreateNode("Add", "", "n", names, 2, names + 1, 1,
                                                           NULL, 0, &new_));
}

/* A call with the node If of a graph, one with a node of the model editor, one without a node. */
#define NODE_CALL(text, ...)                                         \
  GRAPH_CALL(text, const OrtNode* n = node_of(g, "If"); __VA_ARGS__) \
  CALL(text " of the editor") {                                      \
    OrtNode* n = free_node();                                        \
    __VA_ARGS__;                                                     \
    api->ReleaseNode(n);                                             \
  }

NODE_CALL(
    "Node_GetId", size_t id = 99; if (say_status(api->Node_GetId(n, &id))) { say("%d", (int)id); })
NODE_CALL(
    "Node_GetSinceVersion", int version = 0;
    if (say_status(api->Node_GetSinceVersion(n, &version))) { say("%d", version); })
NODE_CALL("Node_GetGraph", const OrtGraph* graph = UNTOUCHED;
          say_status(api->Node_GetGraph(n, &graph)); say_out(graph, UNTOUCHED))
NODE_CALL(
    "Node_GetEpName", const char* name = UNTOUCHED;
    if (say_status(api->Node_GetEpName(n, &name))) { say("'%s'", name); })
GRAPH_CALL("Node_GetName(of a model)", const char* name = NULL;
           say_status(api->Node_GetName(node_of(g, "If"), &name)); say("%s", name))

/* Lists, of which the first one is "If"'s own and the second one that of a Clip with a gap. */
#define READ_OPERANDS(Name)                                                                   \
  NODE_CALL(                                                                                  \
      #Name, const OrtValueInfo* items[4] = {UNTOUCHED};                                      \
      if (say_status(api->Name(n, items, 4))) { say_values(items, 1); })                      \
  GRAPH_CALL(#Name "(no room)", const OrtValueInfo* items[4] = {UNTOUCHED};                   \
             say_status(api->Name(node_of(g, "If"), items, 0)); say_out(items[0], UNTOUCHED)) \
  GRAPH_CALL(#Name "(out=NULL)", say_status(api->Name(node_of(g, "If"), NULL, 0)))

READ_OPERANDS(Node_GetInputs)
READ_OPERANDS(Node_GetOutputs)
GRAPH_CALL("Node_GetInputs(one left out)", const OrtValueInfo* items[4] = {UNTOUCHED};
           say_status(api->Node_GetInputs(node_of(g, "Clip"), items, 4)); say_values(items, 3))

NODE_CALL(
    "Node_GetNumImplicitInputs", size_t count = 99;
    if (say_status(api->Node_GetNumImplicitInputs(n, &count))) { say("%d", (int)count); })
NODE_CALL("Node_GetImplicitInputs", const OrtValueInfo* items[4] = {UNTOUCHED};
          say_status(api->Node_GetImplicitInputs(n, items, 4)); say_out(items[0], UNTOUCHED))
GRAPH_CALL("Node_GetImplicitInputs(no room)", const OrtValueInfo* items[4] = {UNTOUCHED};
           say_status(api->Node_GetImplicitInputs(node_of(g, "If"), items, 0));
           say_out(items[0], UNTOUCHED))
GRAPH_CALL("Node_GetImplicitInputs(out=NULL)",
           say_status(api->Node_GetImplicitInputs(node_of(g, "If"), NULL, 0)))

NODE_CALL(
    "Node_GetNumSubgraphs", size_t count = 99;
    if (say_status(api->Node_GetNumSubgraphs(n, &count))) { say("%d", (int)count); })
NODE_CALL("Node_GetSubgraphs", const OrtGraph* graphs[2] = {UNTOUCHED};
          const char* names[2] = {UNTOUCHED};
          say_status(api->Node_GetSubgraphs(n, graphs, 2, names)); say_out(graphs[0], UNTOUCHED);
          say_out(names[0], UNTOUCHED))
GRAPH_CALL("Node_GetSubgraphs(names=NULL)", const OrtGraph* graphs[2] = {UNTOUCHED};
           say_status(api->Node_GetSubgraphs(node_of(g, "If"), graphs, 2, NULL));
           say_out(graphs[1], UNTOUCHED))
GRAPH_CALL("Node_GetSubgraphs(no room)", const OrtGraph* graphs[2] = {UNTOUCHED};
           say_status(api->Node_GetSubgraphs(node_of(g, "If"), graphs, 1, NULL));
           say_out(graphs[0], UNTOUCHED))
GRAPH_CALL("Graph_GetInputs(no inputs, out=NULL)", const OrtGraph* graphs[2] = {NULL};
           CHECK(api->Node_GetSubgraphs(node_of(g, "If"), graphs, 2, NULL) == NULL);
           say_status(api->Graph_GetInputs(graphs[0], NULL, 0));
           say_status(api->Graph_GetInitializers(graphs[0], NULL, 0)))
GRAPH_CALL("Node_GetAttributes(none, out=NULL)",
           say_status(api->Node_GetAttributes(node_of(g, "Add"), NULL, 0));
           say_status(api->Node_GetImplicitInputs(node_of(g, "Add"), NULL, 0));
           say_status(api->Node_GetSubgraphs(node_of(g, "Add"), NULL, 0, NULL)))
GRAPH_CALL("Node_GetSubgraphs(out=NULL)",
           say_status(api->Node_GetSubgraphs(node_of(g, "If"), NULL, 0, NULL)))
GRAPH_CALL("Graph_GetParentNode(of a subgraph)", const OrtGraph* graphs[2];
           const OrtNode* parent = NULL;
           CHECK(api->Node_GetSubgraphs(node_of(g, "If"), graphs, 2, NULL) == NULL);
           say_status(api->Graph_GetParentNode(graphs[0], &parent)); say_nodes(&parent, 1))

/* --- attributes of a model's nodes ----------------------------------------------------------- */

GRAPH_CALL(
    "Node_GetAttributeByName(one that the node has)", const OrtOpAttr* found = NULL;
    OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
    if (say_status(api->Node_GetAttributeByName(node_of(g, "If"), "then_branch", &found))) {
      say_status(api->OpAttr_GetType(found, &type));
      say("%d", (int)type);
    })
GRAPH_CALL(
    "Node_GetAttributeByName(default)", const OrtOpAttr* found = NULL; int64_t axis = 99;
    size_t size = 0;
    if (say_status(api->Node_GetAttributeByName(node_of(g, "Softmax"), "axis", &found))) {
      say_status(api->ReadOpAttr(found, ORT_OP_ATTR_INT, &axis, sizeof axis, &size));
      say("%d", (int)axis);
    })
GRAPH_CALL("Node_GetAttributeByName(unknown of a model)", const OrtOpAttr* found = UNTOUCHED;
           say_status(api->Node_GetAttributeByName(node_of(g, "Softmax"), "axes", &found));
           say_out(found, UNTOUCHED))
GRAPH_CALL("ReleaseNode(that of a model)", OrtNode* n = (OrtNode*)node_of(g, "If");
           const char* name = NULL; api->ReleaseNode(n); say_status(api->Node_GetName(n, &name));
           say("%s", name))
