/* SPDX-License-Identifier: MIT */
/*
 * Prints what the core's table says of operators: for each line of the input, an operator, its
 * domain after a comma, and an opset after another one. Compiled with core/src/onnx/schemas.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "onnx/schemas.h"

static void print_texts(const char* text, size_t size) {
  for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
    printf(" %s", text + at);
  }
}

static void print_default(const OrtOpAttr* attr) {
  const void* value = core_op_attr_value(attr);
  const int64_t* ints = value;
  const float* floats = value;
  printf(" = %d %s", (int)attr->type, attr->name);
  switch (attr->type) {
    case ORT_OP_ATTR_INT:
    case ORT_OP_ATTR_INTS:
      for (size_t i = 0; i < attr->size / sizeof *ints; i++) {
        printf(" %" PRId64, ints[i]);
      }
      break;
    case ORT_OP_ATTR_FLOAT:
    case ORT_OP_ATTR_FLOATS:
      for (size_t i = 0; i < attr->size / sizeof *floats; i++) {
        printf(" %.9g", (double)floats[i]);
      }
      break;
    case ORT_OP_ATTR_STRING:
      printf(" %.*s", (int)attr->size, (const char*)value);
      break;
    default:
      print_texts(value, attr->size);
  }
}

static void print_operands(const struct core_schema* schema, bool is_output) {
  for (size_t i = 0; i < core_schema_operand_count(schema, is_output); i++) {
    struct core_schema_operand operand = core_schema_operand(schema, is_output, i);
    printf("%s %s %s %d %d %d %d\n", is_output ? "output" : "input", operand.name, operand.type,
           operand.constraint == SIZE_MAX ? -1 : (int)operand.constraint,
           (int)operand.characteristic, operand.least, operand.is_homogeneous);
  }
}

static void print_schema(const struct core_schema* schema) {
  printf("since %d %d\n", core_schema_since(schema), core_schema_is_deprecated(schema));
  for (size_t i = 0; i < core_schema_attribute_count(schema); i++) {
    struct core_schema_attribute attribute = core_schema_attribute(schema, i);
    printf("attribute %s %d %d", attribute.name, attribute.type, attribute.is_required);
    if (attribute.default_value != NULL) {
      print_default(attribute.default_value);
    }
    printf("\n");
  }
  print_operands(schema, false);
  print_operands(schema, true);
  for (size_t i = 0; i < core_schema_constraint_count(schema); i++) {
    printf("constraint %s", core_schema_constraint_name(schema, i));
    for (size_t k = 0; k < core_schema_type_count(schema, i); k++) {
      printf(" %s", core_schema_type(schema, i, k));
    }
    printf("\n");
  }
}

int main(void) {
  char line[200];
  while (fgets(line, sizeof line, stdin) != NULL) {
    char* domain = strchr(line, ',');
    char* opset = domain == NULL ? NULL : strchr(domain + 1, ',');
    if (opset == NULL) {
      return 1;
    }
    *domain = *opset = 0;
    int version = 0;
    sscanf(opset + 1, "%d", &version);
    printf("%s,%s,%d\n", line, domain + 1, version);
    const struct core_schema* schema = core_find_schema(line, domain + 1, version);
    if (schema != NULL) {
      print_schema(schema);
    }
  }
  return 0;
}
