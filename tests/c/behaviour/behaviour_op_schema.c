/* SPDX-License-Identifier: MIT */
/* Schemas of operators. */
#include "behaviour.h"

static const OrtEpApi* ep(void) { return api->GetEpApi(); }

/* Schemas are known once an environment exists. */
static OrtEnv* op_schema_begin(void) {
  return NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "test", &new_));
}

static void say_schema(OrtOpSchema* schema) {
  int since = 0;
  if (schema == NULL) {
    say("NULL");
    return;
  }
  CHECK(ep()->OpSchema_GetSinceVersion(schema, &since) == NULL);
  say("since %d", since);
  ep()->ReleaseOpSchema(schema);
}

static void find(const char* name, int version, const char* domain) {
  OrtEnv* env = op_schema_begin();
  OrtOpSchema* schema = UNTOUCHED;
  if (say_status(ep()->GetOpSchema(name, version, domain, &schema))) {
    say_schema(schema);
  } else {
    say_out(schema, UNTOUCHED);
  }
  api->ReleaseEnv(env);
}
CALL("GetOpSchema(\"Conv\",21,\"\")") { find("Conv", 21, ""); }
CALL("GetOpSchema(\"Conv\",22,\"ai.onnx\")") { find("Conv", 22, "ai.onnx"); }
CALL("GetOpSchema(\"Conv\",1,\"\")") { find("Conv", 1, ""); }
CALL("GetOpSchema(\"Conv\",0,\"\")") { find("Conv", 0, ""); }
CALL("GetOpSchema(\"Conv\",-1,\"\")") { find("Conv", -1, ""); }
CALL("GetOpSchema(\"Conv\",INT_MAX,\"\")") { find("Conv", 0x7fffffff, ""); }
CALL("GetOpSchema(\"conv\",21,\"\")") { find("conv", 21, ""); }
CALL("GetOpSchema(\"\",21,\"\")") { find("", 21, ""); }
CALL("GetOpSchema(\"Upsample\",21,\"\", deprecated)") { find("Upsample", 21, ""); }
CALL("GetOpSchema(\"Gelu\",19,\"\", older than the operator)") { find("Gelu", 19, ""); }
CALL("GetOpSchema(\"Conv\",21,\"ai.onnx.ml\")") { find("Conv", 21, "ai.onnx.ml"); }
CALL("GetOpSchema(\"Scaler\",5,\"ai.onnx.ml\")") { find("Scaler", 5, "ai.onnx.ml"); }
CALL("GetOpSchema(\"Conv\",21,\"nowhere\")") { find("Conv", 21, "nowhere"); }
CALL("GetOpSchema(\"FastGelu\",1,\"com.microsoft\")") { find("FastGelu", 1, "com.microsoft"); }
CALL("GetOpSchema(\"Conv\",21,\"com.ms.internal.nhwc\")") {
  find("Conv", 21, "com.ms.internal.nhwc");
}
CALL("GetOpSchema(\"Adam\",1,\"ai.onnx.preview.training\")") {
  find("Adam", 1, "ai.onnx.preview.training");
}
CALL("GetOpSchema(no environment)") {
  OrtOpSchema* schema = UNTOUCHED;
  CHECK(ep()->GetOpSchema("Conv", 21, "", &schema) == NULL);
  say_schema(schema);
}

/* --- a schema, its operands and constraints --------------------------------------------------- */

static OrtEnv* op_schema_env;
static OrtOpSchema* found;

static OrtOpSchema* schema_of(const char* name) {
  op_schema_env = op_schema_begin();
  CHECK(ep()->GetOpSchema(name, 21, "", &found) == NULL && found != NULL);
  return found;
}
static void end(void) {
  ep()->ReleaseOpSchema(found);
  api->ReleaseEnv(op_schema_env);
}
static const OrtOpSchemaTypeConstraint* constraint_of(const char* name, size_t index) {
  return NEW(const OrtOpSchemaTypeConstraint,
             ep()->OpSchema_GetTypeConstraint(schema_of(name), index, &new_));
}

static void op_schema_say_name(OrtStatus* status, const char* name) {
  if (say_status(status)) {
    say("%s", name);
  } else {
    say_out(name, UNTOUCHED);
  }
}

/* The getters with a place. */
#define AT(index, getter, type, show)                                          \
  CALL(#getter "(s," #index ")") {                                             \
    type out = UNTOUCHED;                                                      \
    OrtStatus* status = ep()->getter(schema_of("Resize"), index, (void*)&out); \
    show(status, out);                                                         \
    end();                                                                     \
  }
static void say_constraint(OrtStatus* status, const OrtOpSchemaTypeConstraint* constraint) {
  if (!say_status(status)) {
    say_out(constraint, UNTOUCHED);
  } else if (constraint == NULL) {
    say("NULL");
  } else {
    const char* name =
        NEW(const char, ep()->OpSchemaTypeConstraint_GetTypeParamName(constraint, &new_));
    say("%s", name);
  }
}
#define EACH_PLACE(getter, type, show) \
  AT(0, getter, type, show)            \
  AT(2, getter, type, show)            \
  AT(4, getter, type, show)            \
  AT(SIZE_MAX, getter, type, show)
EACH_PLACE(OpSchema_GetInputName, const char*, op_schema_say_name)
EACH_PLACE(OpSchema_GetOutputName, const char*, op_schema_say_name)
EACH_PLACE(OpSchema_GetInputTypeConstraint, const OrtOpSchemaTypeConstraint*, say_constraint)
EACH_PLACE(OpSchema_GetOutputTypeConstraint, const OrtOpSchemaTypeConstraint*, say_constraint)
EACH_PLACE(OpSchema_GetTypeConstraint, const OrtOpSchemaTypeConstraint*, say_constraint)

CALL("the numbers of a schema") {
  size_t inputs = 0, outputs = 0, constraints = 0;
  OrtOpSchema* schema = schema_of("Resize");
  say_status(ep()->OpSchema_GetNumInputs(schema, &inputs));
  say_status(ep()->OpSchema_GetNumOutputs(schema, &outputs));
  say_status(ep()->OpSchema_GetTypeConstraintCount(schema, &constraints));
  say("%d %d %d", (int)inputs, (int)outputs, (int)constraints);
  end();
}
CALL("a schema's constraint is one object") {
  OrtOpSchema* schema = schema_of("Resize");
  const OrtOpSchemaTypeConstraint *of_input = NULL, *of_output = NULL, *first = NULL;
  say_status(ep()->OpSchema_GetInputTypeConstraint(schema, 0, &of_input));
  say_status(ep()->OpSchema_GetOutputTypeConstraint(schema, 0, &of_output));
  say_status(ep()->OpSchema_GetTypeConstraint(schema, 0, &first));
  say("%d", of_input == first && of_output == first);
  end();
}
CALL("the types of a constraint") {
  const char* const* types = NULL;
  size_t count = 0;
  say_status(
      ep()->OpSchemaTypeConstraint_GetAllowedTypes(constraint_of("Conv", 0), &types, &count));
  for (size_t i = 0; i < count; i++) {
    say("%s", types[i]);
  }
  end();
}
static void say_places(OrtStatus* status, const size_t* places, size_t count) {
  say_status(status);
  say("%d", (int)count);
  for (size_t i = 0; i < count; i++) {
    say("%d", (int)places[i]);
  }
  end();
}
#define PLACES(op, constraint, kind)                                           \
  CALL("OpSchemaTypeConstraint_Get" #kind "Indices(" op "," #constraint ")") { \
    const size_t* places = NULL;                                               \
    size_t count = 99;                                                         \
    OrtStatus* status = ep()->OpSchemaTypeConstraint_Get##kind##Indices(       \
        constraint_of(op, constraint), &places, &count);                       \
    say_places(status, places, count);                                         \
  }
PLACES("Conv", 0, Input)
PLACES("Conv", 0, Output)
PLACES("Cast", 0, Output)
PLACES("Cast", 1, Input)
PLACES("Cast", 1, Output)
PLACES("BatchNormalization", 1, Input)

/* --- NULL ------------------------------------------------------------------------------------- */

#define OF_SCHEMA(getter, type, ...)
#define FIRST 0,
OF_SCHEMA(OpSchema_GetSinceVersion, int, )
OF_SCHEMA(OpSchema_GetNumInputs, size_t, )
OF_SCHEMA(OpSchema_GetNumOutputs, size_t, )
OF_SCHEMA(OpSchema_GetTypeConstraintCount, size_t, )
OF_SCHEMA(OpSchema_GetInputName, const char*, FIRST)
OF_SCHEMA(OpSchema_GetOutputName, const char*, FIRST)
OF_SCHEMA(OpSchema_GetInputTypeConstraint, const void*, FIRST)
OF_SCHEMA(OpSchema_GetOutputTypeConstraint, const void*, FIRST)
OF_SCHEMA(OpSchema_GetTypeConstraint, const void*, FIRST)

/* The getters with two out-parameters. */
#define TWO(getter, type)
TWO(OpSchemaTypeConstraint_GetAllowedTypes, const char* const*)
TWO(OpSchemaTypeConstraint_GetInputIndices, const size_t*)
TWO(OpSchemaTypeConstraint_GetOutputIndices, const size_t*)

#undef PLACES
