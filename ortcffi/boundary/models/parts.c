/* SPDX-License-Identifier: MIT */
/*
 * Nodes and values of graphs of any library as Python objects. In Python each name would take three
 * calls through CFFI, and a node has half a dozen.
 *
 *   ValuePart
 *       An OrtValueInfo: its `name`.
 *   NodePart
 *       An OrtNode: `op_type`, `domain`, `name`, and the names of its `inputs` and `outputs`.
 *
 * Both have `graph`, the handle of an OrtGraph, which they keep alive. Each read is a use of it,
 * and raises after it was closed. Two parts are equal if they are the same object of the library.
 */
#include "boundary/models/models.h"

#include "boundary/limited_api.h"
/* Needs the headers above. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <structmember.h>

#include "graph/tensor_bytes.h"
#include "model/model.h"

static PyTypeObject *value_type, *node_type;

struct part* node_part(PyObject* object) {
  if (!PyObject_TypeCheck(object, node_type)) {
    PyErr_SetString(PyExc_TypeError, "not a node");
    return NULL;
  }
  return (struct part*)object;
}

static PyObject* text_of(const char* text) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* A cache of the names of operators, which repeat: each has a place by its hash. The GIL guards it.
 */
#define OPERATORS 64
static struct {
  char text[24];
  PyObject* object;
} operators[OPERATORS];

static PyObject* operator_of(const char* text) {
  size_t size = strlen(text);
  if (size < 2 || size >= sizeof operators->text) {
    return text_of(text);
  }
  size_t place = (size + 7U * (uint8_t)text[0] + (uint8_t)text[size - 2]) % OPERATORS;
  if (operators[place].object == NULL || strcmp(operators[place].text, text) != 0) {
    PyObject* object = text_of(text);
    if (object == NULL) {
      return NULL;
    }
    Py_XDECREF(operators[place].object);
    operators[place].object = object;
    strcpy(operators[place].text, text);
  }
  return Py_NewRef(operators[place].object);
}

/* --- lists -------------------------------------------------------------------------------------*/

/* A tuple of what `make` makes of each item. */
static PyObject* tuple_of(struct handle* graph, ortcffi_parts list, const void* of,
                          PyObject* (*make)(struct handle* graph, const void* item, void* state),
                          void* state) {
  struct parts_list items;
  PyObject* tuple = NULL;
  if (begin_parts(&items, graph, list, of) == 0) {
    tuple = PyTuple_New((Py_ssize_t)items.count);
  }
  for (size_t i = 0; tuple != NULL && i < items.count; i++) {
    PyObject* made = make(graph, items.items[i], state);
    if (made == NULL) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SetItem(tuple, (Py_ssize_t)i, made);
    }
  }
  end_parts(&items);
  return tuple;
}

static PyObject* make_name(struct handle* graph, const void* item, void* unused) {
  const char* name = "";
  (void)unused;
  if (item != NULL &&
      check_call(graph, graph->api->GetValueInfoName(item, &name), "GetValueInfoName") < 0) {
    return NULL;
  }
  return text_of(name);
}

static PyObject* names_of(struct handle* graph, ortcffi_parts list, const void* node) {
  PyObject* names = tuple_of(graph, list, node, make_name, NULL);
  if (names != NULL && PyTuple_Size(names) > 0) {
    PyObject_GC_UnTrack(names); /* the collector would do so at its next run, which takes longer */
  }
  return names;
}

static PyObject* operator_of_node(struct handle* graph, const OrtNode* node) {
  const char* text = "";
  return check_call(graph, graph->api->Node_GetOperatorType(node, &text), "Node_GetOperatorType") <
                 0
             ? NULL
             : operator_of(text);
}

/* To be called during a use of the graph. */
static PyObject* make_part(struct handle* graph, const void* item, void* kind) {
  PyTypeObject* type = (PyTypeObject*)kind;
  if (item == NULL) {
    return Py_NewRef(Py_None);
  }
  struct part* part = (struct part*)PyType_GenericAlloc(type, 0);
  if (part == NULL) {
    return NULL;
  }
  PyObject_GC_UnTrack(part); /* a graph refers to nothing that could refer to its parts */
  part->graph = (struct handle*)Py_NewRef((PyObject*)graph);
  part->object = item;
  int is_node = PyType_IsSubtype(type, node_type);
  part->facts[0] = is_node ? operator_of_node(graph, item) : make_name(graph, item, NULL);
  if (is_node && part->facts[0] != NULL) {
    part->facts[1] = names_of(graph, ORTCFFI_NODE_INPUTS, item);
    part->facts[2] = part->facts[1] == NULL ? NULL : names_of(graph, ORTCFFI_NODE_OUTPUTS, item);
  }
  if (part->facts[is_node ? 2 : 0] == NULL) {
    Py_DECREF(part);
    return NULL;
  }
  return (PyObject*)part;
}

/* --- the types ---------------------------------------------------------------------------------*/

static PyObject* text_of_node(PyObject* self, OrtStatus* (*get)(const OrtNode*, const char**),
                              const char* slot) {
  const struct part* part = (struct part*)self;
  const char* text = "";
  return check_call(part->graph, get(part->object, &text), slot) < 0 ? NULL : text_of(text);
}

static PyObject* get_name(PyObject* self, void* unused) {
  struct handle* graph = ((struct part*)self)->graph;
  (void)unused;
  if (handle_begin(graph) < 0) {
    return NULL;
  }
  PyObject* name = text_of_node(self, graph->api->Node_GetName, "Node_GetName");
  handle_end(graph);
  return name;
}

static PyObject* get_domain(PyObject* self, void* unused) {
  struct handle* graph = ((struct part*)self)->graph;
  (void)unused;
  if (handle_begin(graph) < 0) {
    return NULL;
  }
  PyObject* domain = text_of_node(self, graph->api->Node_GetDomain, "Node_GetDomain");
  handle_end(graph);
  return domain;
}

static PyObject* get_graph(PyObject* self, void* unused) {
  (void)unused;
  return Py_NewRef((PyObject*)((struct part*)self)->graph);
}

static PyObject* get_address(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromUnsignedLongLong((uintptr_t)((struct part*)self)->object);
}

static PyObject* refuse_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)arguments;
  (void)keywords;
  PyObject* name = PyType_GetName(type);
  if (name != NULL) {
    PyErr_Format(PyExc_TypeError, "a %U belongs to a graph, which gives it", name);
    Py_DECREF(name);
  }
  return NULL;
}

static PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) ||
      (!PyObject_TypeCheck(other, value_type) && !PyObject_TypeCheck(other, node_type))) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  int is_same = ((struct part*)self)->object == ((struct part*)other)->object;
  return PyBool_FromLong(is_same == (operation == Py_EQ));
}

static Py_hash_t hash(PyObject* self) {
  return (Py_hash_t)((uintptr_t)((struct part*)self)->object >> 4);
}

static int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((struct part*)self)->graph);
  return 0;
}

static void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  struct part* part = (struct part*)self;
  for (size_t i = 0; i < sizeof part->facts / sizeof *part->facts; i++) {
    Py_XDECREF(part->facts[i]);
  }
  Py_XDECREF((PyObject*)part->graph);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

#define COMMON_GETTERS                                               \
  {"graph", get_graph, NULL, "The graph that it is part of.", NULL}, \
      {"_address", get_address, NULL, NULL, NULL}, {                 \
    NULL, NULL, NULL, NULL, NULL                                     \
  }

#define FACT(name, i, text) {name, T_OBJECT_EX, offsetof(struct part, facts[i]), READONLY, text}

static struct PyMemberDef value_members[] = {
    FACT("name", 0, "The name. API function: ``GetValueInfoName``."),
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef value_getters[] = {COMMON_GETTERS};

static struct PyMemberDef node_members[] = {
    FACT("op_type", 0, "The operator. API function: ``Node_GetOperatorType``."),
    FACT("inputs", 1,
         "The names of what it reads; \"\" for what is left out. API function: "
         "``Node_GetInputs``."),
    FACT("outputs", 2,
         "The names of what it makes; \"\" for what is left out. API function: "
         "``Node_GetOutputs``."),
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef node_getters[] = {
    {"domain", get_domain, NULL,
     "The operator's domain; \"\" is that of ONNX. API function: ``Node_GetDomain``.", NULL},
    {"name", get_name, NULL, "The name, which may be \"\". API function: ``Node_GetName``.", NULL},
    COMMON_GETTERS,
};

static PyTypeObject* new_type(const char* name, PyGetSetDef* getters, struct PyMemberDef* members) {
  PyType_Slot slots[] = {
      {Py_tp_new, (void*)refuse_new},
      {Py_tp_dealloc, (void*)dealloc},
      {Py_tp_traverse, (void*)traverse},
      {Py_tp_hash, (void*)hash},
      {Py_tp_richcompare, (void*)compare},
      {Py_tp_getset, getters},
      {Py_tp_members, members},
      {0, NULL},
  };
  PyType_Spec spec = {
      .name = name,
      .basicsize = sizeof(struct part),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
      .slots = slots,
  };
  return (PyTypeObject*)PyType_FromSpec(&spec);
}

/* --- functions of the module -------------------------------------------------------------------*/

static struct handle* graph_or_error(PyObject* object) {
  struct handle* graph = handle_of(object);
  if (graph == NULL) {
    PyErr_SetString(PyExc_TypeError, "not a graph");
  }
  return graph;
}

/* list_parts(of, list, type): a new tuple of the parts in one of the lists ortcffi_parts of a
 * graph, which is a handle, or of a node, which is a part. They are of `type`, a subclass of
 * ValuePart or NodePart; None for an operand that is left out. */
static PyObject* list_parts(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  (void)module;
  struct handle* graph = count == 3 ? handle_of(arguments[0]) : NULL;
  const void* object = NULL;
  if (count != 3 || (graph == NULL && !PyObject_TypeCheck(arguments[0], node_type))) {
    PyErr_SetString(PyExc_TypeError, "neither a graph nor a node");
    return NULL;
  }
  if (graph == NULL) {
    graph = ((struct part*)arguments[0])->graph;
    object = ((struct part*)arguments[0])->object;
  }
  ortcffi_parts list = (ortcffi_parts)PyLong_AsLong(arguments[1]);
  if (PyErr_Occurred() || handle_begin(graph) < 0) {
    return NULL;
  }
  PyObject* parts =
      tuple_of(graph, list, object == NULL ? graph->object : object, make_part, arguments[2]);
  handle_end(graph);
  return parts;
}

/* part_at(graph, address, type): the part at an address, which must belong to the graph. */
static PyObject* part_at(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *graph, *type;
  unsigned long long address;
  if (!PyArg_ParseTuple(arguments, "OKO", &graph, &address, &type)) {
    return NULL;
  }
  struct handle* handle = graph_or_error(graph);
  if (handle == NULL || handle_begin(handle) < 0) {
    return NULL;
  }
  PyObject* part = make_part(handle, (const void*)(uintptr_t)address, type);
  handle_end(handle);
  return part;
}

/* Adds the values of a list by name; one that is there already stays. */
static int index_list(PyObject* index, struct handle* graph, ortcffi_parts list, const void* of) {
  struct parts_list items;
  int answer = begin_parts(&items, graph, list, of);
  for (size_t i = 0; answer == 0 && i < items.count; i++) {
    if (items.items[i] == NULL) {
      continue;
    }
    PyObject* name = make_name(graph, items.items[i], NULL);
    PyObject* address = PyLong_FromVoidPtr((void*)items.items[i]);
    int is_there = name == NULL || address == NULL ? -1 : PyDict_Contains(index, name);
    answer = is_there == 0 ? PyDict_SetItem(index, name, address) : is_there < 0 ? -1 : 0;
    Py_XDECREF(name);
    Py_XDECREF(address);
  }
  end_parts(&items);
  return answer;
}

static int index_graph(PyObject* index, struct handle* graph) {
  struct parts_list nodes;
  if (index_list(index, graph, ORTCFFI_GRAPH_INPUTS, graph->object) < 0 ||
      index_list(index, graph, ORTCFFI_GRAPH_INITIALIZERS, graph->object) < 0) {
    return -1;
  }
  int answer = begin_parts(&nodes, graph, ORTCFFI_GRAPH_NODES, graph->object);
  for (size_t i = 0; answer == 0 && i < nodes.count; i++) {
    answer = index_list(index, graph, ORTCFFI_NODE_OUTPUTS, nodes.items[i]);
  }
  end_parts(&nodes);
  return answer;
}

/* index_values(graph): a new dict of the address of each value of a graph by name: inputs,
 * initializers, and what nodes make. */
static PyObject* index_values(PyObject* module, PyObject* graph) {
  (void)module;
  struct handle* handle = graph_or_error(graph);
  PyObject* index = handle == NULL ? NULL : PyDict_New();
  if (index == NULL || handle_begin(handle) < 0) {
    Py_XDECREF(index);
    return NULL;
  }
  if (index_graph(index, handle) < 0) {
    Py_CLEAR(index);
  }
  handle_end(handle);
  return index;
}

static PyMethodDef parts_functions[] = {
    {"list_parts", ORTCFFI_METHOD(list_parts), METH_FASTCALL, NULL},
    {"part_at", part_at, METH_VARARGS, NULL},
    {"index_values", index_values, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_parts(PyObject* module) {
  value_type = new_type("ortcffi._compiled.ValuePart", value_getters, value_members);
  node_type = new_type("ortcffi._compiled.NodePart", node_getters, node_members);
  return value_type == NULL || node_type == NULL || PyModule_AddType(module, value_type) < 0 ||
                 PyModule_AddType(module, node_type) < 0
             ? -1
             : PyModule_AddFunctions(module, parts_functions);
}

void ortcffi_close_shown_graphs(int wanted) { core_close_shown_graphs(wanted != 0); }

const void* ortcffi_model_bytes(OrtModel* model, size_t* size, size_t* weights) {
  core_map_weights(model);
  *size = core_message_size(model->bytes);
  *weights = model->weight_count;
  return model->bytes.at;
}

OrtStatus* ortcffi_open_model(const void* bytes, size_t size, const uintptr_t* weights,
                              size_t count, OrtModel* of, OrtModel** out) {
  const struct core_message content = {bytes, (const uint8_t*)bytes + size};
  return core_open_with_weights(content, (const struct core_weight*)weights, count, of, out);
}
