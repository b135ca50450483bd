/* SPDX-License-Identifier: MIT */
/* The core's table of ONNX's operators, of which the slots return only a part. All is constant. */
#ifndef ORTCFFI_BOUNDARY_SCHEMAS_H_
#define ORTCFFI_BOUNDARY_SCHEMAS_H_

#include "onnxruntime_c_api.h"

typedef struct core_schema ortcffi_schema;

typedef struct ortcffi_schema_attribute {
  const char* name;
  /* A number of the enum AttributeType of AttributeProto. */
  int type;
  int is_required;
  /* NULL where there is none. An attribute of the core's. */
  const OrtOpAttr* default_value;
} ortcffi_schema_attribute;

typedef struct ortcffi_schema_operand {
  /* A type, or the name of a type parameter. */
  const char* type;
  OrtCustomOpInputOutputCharacteristic characteristic;
  int least;
  int is_homogeneous;
} ortcffi_schema_operand;

/* The newest schema up to a version of the operator set; NULL where there is none. */
const ortcffi_schema* ortcffi_find_schema(const char* op, const char* domain, int opset);
/* The newest version of an operator set; 0 where the table has no operators of it. */
int ortcffi_newest_opset(const char* domain);
int ortcffi_schema_since(const ortcffi_schema* schema);
int ortcffi_schema_is_deprecated(const ortcffi_schema* schema);

/* Reads the i-th attribute, input or output; 0 past the last. */
int ortcffi_read_schema_attribute(const ortcffi_schema* schema, size_t i,
                                  ortcffi_schema_attribute* out);
int ortcffi_read_schema_operand(const ortcffi_schema* schema, int is_output, size_t i,
                                ortcffi_schema_operand* out);

#endif /* ORTCFFI_BOUNDARY_SCHEMAS_H_ */
