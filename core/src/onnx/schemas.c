/* SPDX-License-Identifier: MIT */
/* Schemas, read from the table that tools/make_schemas.py writes. */
#include "onnx/schemas.h"

#include "onnx/op_attr.h"

/* A string is its place in `pool`; a list is its place in `lists`: the number of its items, then
 * the items. */

/* The schemas of an operator, whose versions ascend. Sorted by name, then by domain. */
struct op {
  uint16_t name;
  uint16_t domain;
  uint16_t first;
  uint16_t count;
};

struct core_schema {
  uint8_t since;
  uint8_t is_deprecated;
  /* Lists of the structs below. */
  uint16_t inputs;
  uint16_t outputs;
  uint16_t constraints;
  uint16_t attributes;
};

struct operand {
  uint16_t name;
  uint16_t type;
  uint8_t characteristic;
  uint8_t least;
  uint8_t is_homogeneous;
};

struct constraint {
  uint16_t name;
  /* A list of strings. */
  uint16_t types;
};

struct attribute {
  uint16_t name;
  uint8_t type;
  uint8_t is_required;
  /* Its place in `defaults` + 1; 0 for none. */
  uint16_t default_value;
};

struct default_value {
  OrtOpAttr attr;
  union {
    int64_t ints[3];
    float floats[6];
    char text[24];
  } value;
};

static const struct core_class default_class = {.kind = CORE_OP_ATTR};
#define DEFAULT(name, type, size, ...)                                                \
  {                                                                                   \
    {{&default_class, CORE_PERMANENT, 0}, type, size, pool + (name)}, { __VA_ARGS__ } \
  }
#include "onnx/schema_table.def"

static const char* text(size_t place) { return pool + place; }
static size_t length(size_t list) { return lists[list]; }
static size_t item(size_t list, size_t index) { return lists[list + 1 + index]; }

static int compare(const char* name, const char* domain, const struct op* other) {
  int order = strcmp(name, text(other->name));
  return order != 0 ? order : strcmp(domain, text(other->domain));
}

static const struct op* find_operator(const char* name, const char* domain) {
  size_t low = 0, high = CORE_COUNT_OF(operators);
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = compare(name, domain, &operators[middle]);
    if (order == 0) {
      return &operators[middle];
    }
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return NULL;
}

static const char* plain_domain(const char* domain) {
  return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

const struct core_schema* core_find_schema(const char* op, const char* domain, int opset) {
  const struct op* found = find_operator(op, plain_domain(domain));
  for (size_t i = found == NULL ? 0 : found->count; i > 0; i--) {
    const struct core_schema* schema = &schemas[found->first + i - 1];
    if (schema->since <= opset) {
      return schema;
    }
  }
  return NULL;
}

int64_t core_newest_ir_version(void) { return newest_ir_version; }

int core_format_of(int opset) {
  static const struct {
    int opset;
    int format;
  } formats[] = {{25, 13}, {24, 12}, {23, 11}, {21, 10}, {19, 9}};
  for (size_t i = 0; i < CORE_COUNT_OF(formats); i++) {
    if (opset >= formats[i].opset) {
      return formats[i].format;
    }
  }
  return 8;
}

int core_newest_opset(const char* domain) {
  int newest = 0;
  for (size_t i = 0; i < CORE_COUNT_OF(operators); i++) {
    const struct op* op = &operators[i];
    int since = schemas[op->first + op->count - 1].since;
    if (since > newest && strcmp(text(op->domain), plain_domain(domain)) == 0) {
      newest = since;
    }
  }
  return newest;
}

int core_schema_since(const struct core_schema* schema) { return schema->since; }

bool core_schema_is_deprecated(const struct core_schema* schema) { return schema->is_deprecated; }

size_t core_schema_attribute_count(const struct core_schema* schema) {
  return length(schema->attributes);
}

struct core_schema_attribute core_schema_attribute_at(const struct core_schema* schema,
                                                      size_t index) {
  const struct attribute* found = &attributes[item(schema->attributes, index)];
  size_t place = found->default_value;
  return (struct core_schema_attribute){
      .name = text(found->name),
      .type = found->type,
      .is_required = found->is_required,
      .default_value = place == 0 ? NULL : &defaults[place - 1].attr};
}

bool core_schema_find_attribute(const struct core_schema* schema, const char* name,
                                struct core_schema_attribute* out) {
  for (size_t i = 0; i < length(schema->attributes); i++) {
    if (strcmp(text(attributes[item(schema->attributes, i)].name), name) == 0) {
      *out = core_schema_attribute_at(schema, i);
      return true;
    }
  }
  return false;
}

static const struct constraint* constraint_of(const struct core_schema* schema, size_t index) {
  return &constraints[item(schema->constraints, index)];
}

size_t core_schema_constraint_count(const struct core_schema* schema) {
  return length(schema->constraints);
}

const char* core_schema_constraint_name(const struct core_schema* schema, size_t constraint) {
  return text(constraint_of(schema, constraint)->name);
}

size_t core_schema_type_count(const struct core_schema* schema, size_t constraint) {
  return length(constraint_of(schema, constraint)->types);
}

const char* core_schema_type(const struct core_schema* schema, size_t constraint, size_t index) {
  return text(item(constraint_of(schema, constraint)->types, index));
}

/* A string stands in the pool once, so equal names have one place. */
static size_t find_constraint(const struct core_schema* schema, size_t name) {
  size_t count = length(schema->constraints);
  for (size_t i = 0; i < count; i++) {
    if (constraint_of(schema, i)->name == name) {
      return i;
    }
  }
  return SIZE_MAX;
}

size_t core_schema_operand_count(const struct core_schema* schema, bool is_output) {
  return length(is_output ? schema->outputs : schema->inputs);
}

struct core_schema_operand core_schema_operand_at(const struct core_schema* schema, bool is_output,
                                                  size_t index) {
  size_t list = is_output ? schema->outputs : schema->inputs;
  const struct operand* found = &operands[item(list, index)];
  return (struct core_schema_operand){.name = text(found->name),
                                      .type = text(found->type),
                                      .constraint = find_constraint(schema, found->type),
                                      .characteristic = found->characteristic,
                                      .least = found->least,
                                      .is_homogeneous = found->is_homogeneous};
}
