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
  CORE_NEED_MEMORY(self, size);
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

static const OrtOpSchemaTypeConstraint* constraint_of_operand(const OrtOpSchema* schema,
                                                              bool is_output, size_t index) {
  size_t constraint = core_schema_operand_at(schema->schema, is_output, index).constraint;
  return constraint == SIZE_MAX ? NULL : &schema->constraints[constraint];
}

/* A slot that reads one thing of many, by its index. */
#define ITEM_GETTER(NAME, function, type, count, item)                  \
  CORE_SLOT(NAME, const OrtOpSchema* schema, size_t index, type* out) { \
    CORE_FAIL_IF(index >= (count), ORT_INVALID_ARGUMENT,                \
                 #function ": index must be less than the count");      \
    *out = item;                                                        \
    return NULL;                                                        \
  }
#define NUM_INPUTS core_schema_operand_count(schema->schema, false)
#define NUM_OUTPUTS core_schema_operand_count(schema->schema, true)

CORE_GETTER(ort_ep_OpSchema_GetNumInputs, size_t, NUM_INPUTS, const OrtOpSchema* schema)
ITEM_GETTER(ort_ep_OpSchema_GetInputName, OpSchema_GetInputName, const char*, NUM_INPUTS,
            core_schema_operand_at(schema->schema, false, index).name)
ITEM_GETTER(ort_ep_OpSchema_GetInputTypeConstraint, OpSchema_GetInputTypeConstraint,
            const OrtOpSchemaTypeConstraint*, NUM_INPUTS,
            constraint_of_operand(schema, false, index))
CORE_GETTER(ort_ep_OpSchema_GetNumOutputs, size_t, NUM_OUTPUTS, const OrtOpSchema* schema)
ITEM_GETTER(ort_ep_OpSchema_GetOutputName, OpSchema_GetOutputName, const char*, NUM_OUTPUTS,
            core_schema_operand_at(schema->schema, true, index).name)
ITEM_GETTER(ort_ep_OpSchema_GetOutputTypeConstraint, OpSchema_GetOutputTypeConstraint,
            const OrtOpSchemaTypeConstraint*, NUM_OUTPUTS,
            constraint_of_operand(schema, true, index))

/* --- type constraints ------------------------------------------------------------------------- */

CORE_GETTER(ort_ep_OpSchema_GetTypeConstraintCount, size_t, schema->constraint_count,
            const OrtOpSchema* schema)
ITEM_GETTER(ort_ep_OpSchema_GetTypeConstraint, OpSchema_GetTypeConstraint,
            const OrtOpSchemaTypeConstraint*, schema->constraint_count, &schema->constraints[index])
CORE_GETTER(ort_ep_OpSchemaTypeConstraint_GetTypeParamName, const char*, type_constraint->name,
            const OrtOpSchemaTypeConstraint* type_constraint)

CORE_PAIR_GETTER(ort_ep_OpSchemaTypeConstraint_GetAllowedTypes, const char* const*,
                 type_constraint->types, size_t, type_constraint->type_count,
                 const OrtOpSchemaTypeConstraint* type_constraint)
CORE_PAIR_GETTER(ort_ep_OpSchemaTypeConstraint_GetInputIndices, const size_t*,
                 type_constraint->places[0], size_t, type_constraint->place_counts[0],
                 const OrtOpSchemaTypeConstraint* type_constraint)
CORE_PAIR_GETTER(ort_ep_OpSchemaTypeConstraint_GetOutputIndices, const size_t*,
                 type_constraint->places[1], size_t, type_constraint->place_counts[1],
                 const OrtOpSchemaTypeConstraint* type_constraint)
