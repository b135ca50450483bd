/* SPDX-License-Identifier: MIT */
#include "boundary/onnx/schemas.h"

#include "onnx/schemas.h"

const ortcffi_schema* ortcffi_find_schema(const char* op, const char* domain, int opset) {
  return core_find_schema(op, domain, opset);
}

int ortcffi_newest_opset(const char* domain) { return core_newest_opset(domain); }

int ortcffi_schema_since(const ortcffi_schema* schema) { return core_schema_since(schema); }

int ortcffi_schema_is_deprecated(const ortcffi_schema* schema) {
  return core_schema_is_deprecated(schema);
}

int ortcffi_read_schema_attribute(const ortcffi_schema* schema, size_t i,
                                  ortcffi_schema_attribute* out) {
  if (i >= core_schema_attribute_count(schema)) {
    return 0;
  }
  struct core_schema_attribute found = core_schema_attribute(schema, i);
  *out = (ortcffi_schema_attribute){found.name, found.type, found.is_required, found.default_value};
  return 1;
}

int ortcffi_read_schema_operand(const ortcffi_schema* schema, int is_output, size_t i,
                                ortcffi_schema_operand* out) {
  if (i >= core_schema_operand_count(schema, is_output)) {
    return 0;
  }
  struct core_schema_operand found = core_schema_operand(schema, is_output, i);
  *out =
      (ortcffi_schema_operand){found.type, found.characteristic, found.least, found.is_homogeneous};
  return 1;
}
