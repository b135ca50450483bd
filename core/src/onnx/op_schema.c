/* SPDX-License-Identifier: MIT */
/* OrtOpSchema: a schema, with the arrays that its slots return. */
#include "object/object.h"
#include "onnx/schemas.h"

struct OrtOpSchemaTypeConstraint {
  const char* name;
  const char** types;
  size_t type_count;
  /* The indices of its inputs and of its outputs. */
  size_t* places[2];
  size_t place_counts[2];
};

/* One block: the struct, the constraints, their types, their places. */
struct OrtOpSchema {
  struct core_object object;
  const struct core_schema* schema;
  size_t constraint_count;
  OrtOpSchemaTypeConstraint constraints[];
};

static const struct core_class op_schema_class = {.kind = CORE_OP_SCHEMA};

static size_t block_size(const struct core_schema* schema) {
  size_t constraints = core_schema_constraint_count(schema);
  size_t size = sizeof(OrtOpSchema) + constraints * sizeof(OrtOpSchemaTypeConstraint);
  for (size_t i = 0; i < constraints; i++) {
    size += core_schema_type_count(schema, i) * sizeof(char*);
  }
  size_t operands =
      core_schema_operand_count(schema, false) + core_schema_operand_count(schema, true);
  return size + operands * sizeof(size_t); /* each has one constraint at most */
}

/* Writes the places of the operands that a constraint bounds; returns the end. */
static size_t* fill_places(OrtOpSchema* self, size_t constraint, bool is_output, size_t* to) {
  OrtOpSchemaTypeConstraint* filled = &self->constraints[constraint];
  filled->places[is_output] = to;
  for (size_t i = 0; i < core_schema_operand_count(self->schema, is_output); i++) {
    if (core_schema_operand_at(self->schema, is_output, i).constraint == constraint) {
      *to++ = i;
    }
  }
  filled->place_counts[is_output] = (size_t)(to - filled->places[is_output]);
  return to;
}

static void fill(OrtOpSchema* self) {
  const char** types = (const char**)(void*)&self->constraints[self->constraint_count];
  for (size_t i = 0; i < self->constraint_count; i++) {
    OrtOpSchemaTypeConstraint* filled = &self->constraints[i];
    filled->name = core_schema_constraint_name(self->schema, i);
    filled->types = types;
    filled->type_count = core_schema_type_count(self->schema, i);
    for (size_t k = 0; k < filled->type_count; k++) {
      *types++ = core_schema_type(self->schema, i, k);
    }
  }
  size_t* places = (size_t*)(void*)types;
  for (size_t i = 0; i < self->constraint_count; i++) {
    places = fill_places(self, i, false, places);
    places = fill_places(self, i, true, places);
  }
}

CORE_SLOT(ort_ep_GetOpSchema, const char* name, int max_inclusive_version, const char* domain,
          OrtOpSchema** out_schema) {
  const struct core_schema* schema = core_find_schema(name, domain, max_inclusive_version);
  if (schema == NULL) {
    *out_schema = NULL;
    return NULL;
  }
  size_t size = block_size(schema);
  OrtOpSchema* self = core_new_object(&op_schema_class, size);
  CORE_RETURN_IF(self == NULL, core_no_memory(size));
  self->schema = schema;
  self->constraint_count = core_schema_constraint_count(schema);
  fill(self);
  *out_schema = self;
  return NULL;
}

CORE_RELEASER(ort_ep_ReleaseOpSchema, OrtOpSchema)
CORE_GETTER(ort_ep_OpSchema_GetSinceVersion, int, core_schema_since(schema->schema),
            const OrtOpSchema* schema)

/* --- inputs and outputs ----------------------------------------------------------------------- */

#define REQUIRE_INDEX(function, index, count)                                           \
  do {                                                                                  \
    if ((index) >= (count)) {                                                           \
      CORE_FAIL(ORT_INVALID_ARGUMENT, #function ": index must be less than the count"); \
    }                                                                                   \
  } while (0)

static const OrtOpSchemaTypeConstraint* constraint_of_operand(const OrtOpSchema* schema,
                                                              bool is_output, size_t index) {
  size_t constraint = core_schema_operand_at(schema->schema, is_output, index).constraint;
  return constraint == SIZE_MAX ? NULL : &schema->constraints[constraint];
}

CORE_GETTER(ort_ep_OpSchema_GetNumInputs, size_t, core_schema_operand_count(schema->schema, false),
            const OrtOpSchema* schema)

CORE_SLOT(ort_ep_OpSchema_GetInputName, const OrtOpSchema* schema, size_t index, const char** out) {
  REQUIRE_INDEX(OpSchema_GetInputName, index, core_schema_operand_count(schema->schema, false));
  *out = core_schema_operand_at(schema->schema, false, index).name;
  return NULL;
}

CORE_SLOT(ort_ep_OpSchema_GetInputTypeConstraint, const OrtOpSchema* schema, size_t index,
          const OrtOpSchemaTypeConstraint** out) {
  REQUIRE_INDEX(OpSchema_GetInputTypeConstraint, index,
                core_schema_operand_count(schema->schema, false));
  *out = constraint_of_operand(schema, false, index);
  return NULL;
}

CORE_GETTER(ort_ep_OpSchema_GetNumOutputs, size_t, core_schema_operand_count(schema->schema, true),
            const OrtOpSchema* schema)

CORE_SLOT(ort_ep_OpSchema_GetOutputName, const OrtOpSchema* schema, size_t index,
          const char** out) {
  REQUIRE_INDEX(OpSchema_GetOutputName, index, core_schema_operand_count(schema->schema, true));
  *out = core_schema_operand_at(schema->schema, true, index).name;
  return NULL;
}

CORE_SLOT(ort_ep_OpSchema_GetOutputTypeConstraint, const OrtOpSchema* schema, size_t index,
          const OrtOpSchemaTypeConstraint** out) {
  REQUIRE_INDEX(OpSchema_GetOutputTypeConstraint, index,
                core_schema_operand_count(schema->schema, true));
  *out = constraint_of_operand(schema, true, index);
  return NULL;
}

/* --- type constraints ------------------------------------------------------------------------- */

CORE_GETTER(ort_ep_OpSchema_GetTypeConstraintCount, size_t, schema->constraint_count,
            const OrtOpSchema* schema)

CORE_SLOT(ort_ep_OpSchema_GetTypeConstraint, const OrtOpSchema* schema, size_t index,
          const OrtOpSchemaTypeConstraint** out) {
  REQUIRE_INDEX(OpSchema_GetTypeConstraint, index, schema->constraint_count);
  *out = &schema->constraints[index];
  return NULL;
}

CORE_GETTER(ort_ep_OpSchemaTypeConstraint_GetTypeParamName, const char*, type_constraint->name,
            const OrtOpSchemaTypeConstraint* type_constraint)

CORE_SLOT(ort_ep_OpSchemaTypeConstraint_GetAllowedTypes,
          const OrtOpSchemaTypeConstraint* type_constraint, const char* const** out_types,
          size_t* num_types) {
  *out_types = type_constraint->types;
  *num_types = type_constraint->type_count;
  return NULL;
}

CORE_SLOT(ort_ep_OpSchemaTypeConstraint_GetInputIndices,
          const OrtOpSchemaTypeConstraint* type_constraint, const size_t** out_indices,
          size_t* count) {
  *out_indices = type_constraint->places[0];
  *count = type_constraint->place_counts[0];
  return NULL;
}

CORE_SLOT(ort_ep_OpSchemaTypeConstraint_GetOutputIndices,
          const OrtOpSchemaTypeConstraint* type_constraint, const size_t** out_indices,
          size_t* count) {
  *out_indices = type_constraint->places[1];
  *count = type_constraint->place_counts[1];
  return NULL;
}
