/* SPDX-License-Identifier: MIT */
/**
 * @file schemas.h
 * The schemas of ONNX's operators, in a table of constants.
 *
 * Nothing here allocates or fails. Schemas, strings and defaults are constants. An index must be
 * below the count that belongs to it.
 */
#pragma once

#include <stdbool.h>

#include "exported.h"
#include "onnxruntime_c_api.h"

/** An operator, as it is from a version of its operator set on. */
struct core_schema;

/** The newest schema of an operator up to a version of the operator set; NULL where there is none.
 * The domain "ai.onnx" is "". A deprecated operator is found. */
CORE_FOR_EXTENSION const struct core_schema* core_find_schema(const char* op, const char* domain,
                                                              int opset);

/** The newest version of the format of models that the table's release of ONNX has. */
CORE_FOR_EXTENSION int64_t core_newest_ir_version(void);

/** The version of the format that came with a version of ONNX's own operator set, so that older
 * libraries can read the model. */
CORE_FOR_EXTENSION int core_format_of(int opset);

/** The newest version of an operator set that the table has operators of; 0 where it has none. */
CORE_FOR_EXTENSION int core_newest_opset(const char* domain);

/** The version that the schema came with. */
CORE_FOR_EXTENSION int core_schema_since(const struct core_schema* schema);
CORE_FOR_EXTENSION bool core_schema_is_deprecated(const struct core_schema* schema);

/* Attributes. In the order of their names. */

struct core_schema_attribute {
  const char* name;
  /** A number of the enum AttributeType of AttributeProto: FLOAT is 1, INT is 2, ... */
  int type;
  bool is_required;
  /** The default, for nodes without the attribute; NULL where there is none. ReleaseOpAttr does
   * nothing with it, core_copy_op_attr copies it. It must not be made a part of another object. */
  const OrtOpAttr* default_value;
};

CORE_FOR_EXTENSION size_t core_schema_attribute_count(const struct core_schema* schema);
CORE_FOR_EXTENSION struct core_schema_attribute core_schema_attribute_at(
    const struct core_schema* schema, size_t index);
/** False where the schema has no attribute of that name, with `out` unchanged. */
CORE_FOR_EXTENSION bool core_schema_find_attribute(const struct core_schema* schema,
                                                   const char* name,
                                                   struct core_schema_attribute* out);

/* Type constraints. A type parameter, such as "T", and the types that are allowed for it, such
 * as "tensor(float)". */

CORE_FOR_EXTENSION size_t core_schema_constraint_count(const struct core_schema* schema);
CORE_FOR_EXTENSION const char* core_schema_constraint_name(const struct core_schema* schema,
                                                           size_t constraint);
CORE_FOR_EXTENSION size_t core_schema_type_count(const struct core_schema* schema,
                                                 size_t constraint);
CORE_FOR_EXTENSION const char* core_schema_type(const struct core_schema* schema, size_t constraint,
                                                size_t index);

/* Inputs and outputs. A variadic one counts once, and is the last one. */

struct core_schema_operand {
  const char* name;
  /** The name of a type parameter, or a type. */
  const char* type;
  /** The index of the type constraint; SIZE_MAX where `type` is a type. */
  size_t constraint;
  OrtCustomOpInputOutputCharacteristic characteristic;
  /** Variadic: the least number of values, and whether all have one type. Otherwise 1 and true. */
  int least;
  bool is_homogeneous;
};

CORE_FOR_EXTENSION size_t core_schema_operand_count(const struct core_schema* schema,
                                                    bool is_output);
CORE_FOR_EXTENSION struct core_schema_operand core_schema_operand_at(
    const struct core_schema* schema, bool is_output, size_t index);
