/* SPDX-License-Identifier: MIT */
/* Nodes that kernels are made for, checked against what their op declares. */
#include <stdarg.h>

#include "kernels/kernel.h"
#include "memory/allocator.h"

/* What a provider has compiled has a name with a hash of the model: its outputs name it. */
#define PLACE_ROOM 256
static void place_of(const struct core_node* node, char* text, size_t room) {
  for (size_t i = 0; node->ep != NULL && i < node->outputs.count; i++) {
    if (node->outputs.list[i].name[0] != '\0') {
      snprintf(text, room, "the execution provider %.80s, which makes '%.120s': ",
               node->op->GetExecutionProviderType(node->op), node->outputs.list[i].name);
      return;
    }
  }
  snprintf(text, room, "%.120s '%.120s': ", node->op_name != NULL ? node->op_name : "", node->name);
}

OrtStatus* core_node_status(const struct core_node* node, OrtErrorCode code, const char* format,
                            ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char place[PLACE_ROOM];
  place_of(node, place, sizeof place);
  return core_status(code, "%s%s", place, text);
}

const struct core_operand* core_declared(const struct core_side* side, size_t i) {
  size_t last = side->declared_count - 1;
  if (i < side->declared_count) {
    return &side->declared[i];
  }
  bool is_variadic =
      side->declared_count > 0 && side->declared[last].characteristic == INPUT_OUTPUT_VARIADIC;
  return is_variadic ? &side->declared[last] : NULL;
}

static size_t least_operands(const struct core_side* side) {
  size_t least = 0;
  for (size_t i = 0; i < side->declared_count; i++) {
    size_t needed = core_operands_needed(&side->declared[i], i);
    least = needed > least ? needed : least;
  }
  return least;
}

const OrtOpAttr* core_node_attribute(const struct core_node* node, const char* name) {
  for (size_t i = 0; i < node->attribute_count; i++) {
    if (strcmp(node->attributes[i]->name, name) == 0) {
      return node->attributes[i];
    }
  }
  return NULL;
}

/* Threads that compute at once note names without a lock: each takes its own bytes of the array.
 * What does not fit is dropped; asked_size still counts it, so that the reader sees that some is
 * missing. */
void core_note_asked(struct core_node* node, OrtOpAttrType type, const char* name) {
  if (node->asked == NULL) {
    return;
  }
  size_t size = strlen(name) + 2;
  size_t at = __atomic_fetch_add(&node->asked_size, size, __ATOMIC_RELAXED);
  if (at < node->asked_room && size <= node->asked_room - at) {
    node->asked[at] = (char)('0' + type);
    memcpy(node->asked + at + 1, name, size - 1);
  }
}

const OrtLogger* core_node_logger(const struct core_node* node) {
  return node->logger != NULL ? node->logger : node->host->logger();
}

static OrtStatus* new_array(struct core_node* node, size_t count, size_t size, void* out) {
  void* array = core_pool_array(&node->memory, count, size);
  memcpy(out, &array, sizeof array);
  return array != NULL ? NULL : core_no_memory(count * size);
}

static OrtStatus* copy_text(struct core_node* node, const char* from, const char** out) {
  size_t size = from != NULL ? strlen(from) : 0;
  *out = core_pool_text(&node->memory, from, size);
  return *out != NULL ? NULL : core_no_memory(size + 1);
}

struct side_call {
  struct core_op_call call;
  struct core_node* node;
  struct core_side* side;
  size_t count;
  /* What the library has to say. */
  OrtStatus* failure;
};

static void read_declared(struct core_op_call* call) {
  struct side_call* own = (struct side_call*)call;
  struct core_side* side = own->side;
  bool is_output = side == &own->node->outputs;
  own->count = core_op_operand_count(call->node->op, is_output);
  if (own->count <= CORE_MOST_OPERANDS) {
    own->failure = new_array(own->node, own->count, sizeof *side->declared, &side->declared);
    side->declared_count = own->failure == NULL ? own->count : 0;
  }
  for (size_t i = 0; i < side->declared_count; i++) {
    side->declared[i] = core_op_operand(call->node->op, is_output, i);
  }
}

/* Asks the op what it declares. */
static OrtStatus* describe(struct core_node* node, struct core_side* side) {
  struct side_call own = {{node, read_declared, NULL}, node, side, 0, NULL};
  OrtStatus* status = core_call_op(&own.call);
  CORE_TRY(core_first_failure(status, own.failure));
  CORE_RETURN_IF(
      own.count > CORE_MOST_OPERANDS,
      core_node_status(node, ORT_INVALID_ARGUMENT, "the op declares %zu %ss; at most %d can be",
                       own.count, side->what, CORE_MOST_OPERANDS));
  side->least = least_operands(side);
  const struct core_operand* variadic = core_declared(side, CORE_MOST_OPERANDS);
  side->is_homogeneous = variadic != NULL && variadic->is_homogeneous && variadic->type == 0;
  return NULL;
}

struct name_call {
  struct core_op_call call;
  const char* name;
  int first;
  int last;
};

static void read_name(struct core_op_call* call) {
  struct name_call* own = (struct name_call*)call;
  own->name = core_op_name(call->node->op);
  core_op_versions(call->node->op, &own->first, &own->last);
}

static OrtStatus* copy_name(struct core_node* node) {
  struct name_call own = {.call = {node, read_name, NULL}};
  CORE_TRY(core_call_op(&own.call));
  CORE_FAIL_IF(own.name[0] == '\0', ORT_INVALID_ARGUMENT,
               "ortcore_kernel_create: the op must have a name");
  node->since_version = own.first;
  return copy_text(node, own.name, &node->op_name);
}

/* Why an operand's type is not the one that the op declares. */
static OrtStatus* check_type(const struct core_node* node, const struct core_side* side, size_t i,
                             ONNXTensorElementDataType declared) {
  ONNXTensorElementDataType type = side->expected[i].type;
  if (declared == 0 || type == 0 || type == declared) {
    return NULL;
  }
  return core_node_status(
      node, ORT_INVALID_ARGUMENT, "%s %zu ('%.120s') is declared as a tensor of %s, not of %s",
      side->what, i, side->list[i].name, core_element_name(declared), core_element_name(type));
}

static OrtStatus* copy_types(struct core_node_operand* operand, const OrtcoreOperand* from,
                             bool is_output, ONNXTensorElementDataType* type) {
  *type = from->element_type;
  if (from->type != NULL) {
    CORE_TRY(core_copy_type_info(from->type, &operand->type_info));
    const OrtTypeInfo* held = from->type;
    /* An input may be an optional that holds nothing; an output that is made is not. */
    if (is_output && held->kind == ONNX_TYPE_OPTIONAL) {
      held = held->inner;
    }
    *type = held->kind == ONNX_TYPE_TENSOR ? held->tensor->type
                                           : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  }
  if (from->constant != NULL) {
    operand->constant = core_retain_value(from->constant);
    core_make_borrowed(&operand->borrowed_constant, core_type_of(operand->constant),
                       operand->constant);
    const struct core_shape* shape = core_shape_of(operand->constant);
    *type = *type == 0 && shape != NULL ? shape->type : *type;
  }
  return NULL;
}

static OrtStatus* copy_operand(struct core_node* node, const struct core_side* side, size_t i,
                               const OrtcoreOperand* from) {
  struct core_node_operand* operand = &side->list[i];
  struct core_expected* expected = &side->expected[i];
  const struct core_operand* declared = core_declared(side, i);
  CORE_TRY(copy_text(node, from->name, &operand->name));
  CORE_RETURN_IF(declared == NULL, core_node_status(node, ORT_INVALID_ARGUMENT,
                                                    "the node has %zu %ss, but the op declares %zu",
                                                    side->count, side->what, side->declared_count));
  CORE_RETURN_IF(operand->name[0] == '\0' && declared->characteristic != INPUT_OUTPUT_OPTIONAL,
                 core_node_status(node, ORT_INVALID_ARGUMENT, "%s %zu is required and has no name",
                                  side->what, i));
  CORE_TRY(copy_types(operand, from, side == &node->outputs, &expected->type));
  CORE_TRY(check_type(node, side, i, declared->type));
  expected->type = expected->type != 0 ? expected->type : declared->type;
  expected->is_there = operand->name[0] != '\0';
  /* An optional input that the node names comes with each call. */
  bool is_optional = declared->characteristic == INPUT_OUTPUT_OPTIONAL;
  expected->is_required =
      side == &node->inputs
          ? operand->constant == NULL && !(is_optional && (side->is_open || !expected->is_there))
          : expected->is_there && !is_optional;
  return NULL;
}

static OrtStatus* make_room(struct core_node* node, struct core_side* side, size_t count) {
  if (count <= CORE_FEW_OPERANDS) {
    side->expected = side->few;
  } else {
    CORE_TRY(new_array(node, count, sizeof *side->expected, &side->expected));
  }
  CORE_TRY(new_array(node, count, sizeof *side->list, &side->list));
  side->count = count;
  return NULL;
}

/* The operands that a node has which does not say so: one for each that the op declares. */
static OrtStatus* copy_declared(struct core_node* node, struct core_side* side) {
  side->is_open = true;
  size_t count = side->least > side->declared_count ? side->least : side->declared_count;
  CORE_RETURN_IF(
      count > CORE_MOST_OPERANDS,
      core_node_status(node, ORT_INVALID_ARGUMENT, "the op needs %zu %ss; at most %d can be", count,
                       side->what, CORE_MOST_OPERANDS));
  CORE_TRY(make_room(node, side, count));
  for (size_t i = 0; i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s%zu", side->what, i);
    OrtcoreOperand operand = {.name = name};
    CORE_TRY(copy_operand(node, side, i, &operand));
  }
  return NULL;
}

static OrtStatus* copy_side(struct core_node* node, struct core_side* side,
                            const OrtcoreOperand* from, size_t count) {
  CORE_TRY(describe(node, side));
  if (from == NULL) {
    return copy_declared(node, side);
  }
  CORE_RETURN_IF(
      count > CORE_MOST_OPERANDS || count < side->least,
      core_node_status(node, ORT_INVALID_ARGUMENT,
                       "the node has %zu %ss, but the op needs from %zu to %zu", count, side->what,
                       side->least,
                       core_declared(side, CORE_MOST_OPERANDS) != NULL ? CORE_MOST_OPERANDS
                                                                       : side->declared_count));
  CORE_TRY(make_room(node, side, count));
  for (size_t i = 0; i < count; i++) {
    CORE_TRY(copy_operand(node, side, i, &from[i]));
  }
  return NULL;
}

static OrtStatus* copy_attributes(struct core_node* node, const OrtcoreNode* from) {
  CORE_RETURN_IF(from->attribute_count > CORE_MOST_OPERANDS,
                 core_node_status(node, ORT_INVALID_ARGUMENT, "attribute_count is too large"));
  CORE_TRY(new_array(node, from->attribute_count, sizeof *node->attributes, &node->attributes));
  for (size_t i = 0; i < from->attribute_count; i++) {
    CORE_RETURN_IF(
        from->attributes == NULL || from->attributes[i] == NULL,
        core_node_status(node, ORT_INVALID_ARGUMENT, "attribute %zu must not be NULL", i));
    CORE_TRY(core_copy_op_attr(from->attributes[i], &node->attributes[i]));
    core_make_part(&node->attributes[i]->object);
    node->attribute_count++;
  }
  return NULL;
}

static OrtStatus* fill(struct core_node* node, const OrtcoreNode* from) {
  CORE_TRY(copy_text(node, from->name, &node->name));
  CORE_TRY(copy_text(node, from->domain, &node->domain));
  CORE_TRY(copy_name(node));
  if (from->config != NULL) {
    CORE_TRY(core_copy_pairs(from->config, &node->config));
  }
  CORE_TRY(copy_attributes(node, from));
  if (from->asked != NULL && from->asked_room > 0) {
    CORE_TRY(new_array(node, from->asked_room, 1, &node->asked));
    node->asked_room = from->asked_room;
  }
  CORE_TRY(copy_side(node, &node->inputs, from->inputs, from->input_count));
  return copy_side(node, &node->outputs, from->outputs, from->output_count);
}

static void end_constants(struct core_side* side) {
  for (size_t i = 0; i < side->count; i++) {
    struct core_node_operand* operand = &side->list[i];
    ort_ReleaseValue(operand->constant);
    operand->constant = NULL;
    core_end_borrowed(&operand->borrowed_constant);
  }
}

void core_leave_node(struct core_node* node) {
  node->options = NULL;
  node->logger = NULL;
  node->ep = NULL;
  node->device_allocator = NULL;
  end_constants(&node->inputs);
  end_constants(&node->outputs);
}

/* Of a node that was made in part, what is not there is NULL. */
static void end_side(struct core_side* side) {
  end_constants(side);
  for (size_t i = 0; i < side->count; i++) {
    ort_ReleaseTypeInfo(side->list[i].type_info);
  }
}

static void end_node(void* block) {
  struct core_node* node = block;
  end_side(&node->inputs);
  end_side(&node->outputs);
  for (size_t i = 0; i < node->attribute_count; i++) {
    core_end_part(&node->attributes[i]->object);
  }
  ort_ReleaseKeyValuePairs(node->config);
  core_allocator_release(node->allocator);
  core_pool_end(&node->memory);
}

static const struct core_class node_class = {.kind = CORE_SHARED, .end = end_node};

OrtStatus* core_new_node(const struct core_kernel_host* host, const OrtcoreNode* from,
                         struct core_node** out) {
  CORE_NEW(struct core_node, node, &node_class);
  node->host = host;
  node->op = from->op;
  node->api = from->api != NULL ? from->api : host->api;
  node->allocator = from->allocator != NULL ? from->allocator : CORE_DEFAULT_ALLOCATOR;
  node->logger = from->logger;
  node->threads = from->threads;
  node->options = from->version >= CORE_NODE_OPTIONS_SINCE ? from->options : NULL;
  node->inputs.what = "input";
  node->outputs.what = "output";
  OrtStatus* status = fill(node, from);
  core_allocator_retain(node->allocator);
  CORE_HAND_OUT(status, node, out);
}
