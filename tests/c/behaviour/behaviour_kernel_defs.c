/* SPDX-License-Identifier: MIT */
/* Definitions of the kernels of execution providers, their builder, and registries. */
#include <limits.h>

#include "behaviour.h"
#include "onnxruntime_ep_c_api.h"

#define EP (api->GetEpApi())
#define FLOAT ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
#define DOUBLE ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE

static OrtKernelDefBuilder* builder(void) {
  return NEW(OrtKernelDefBuilder, EP->CreateKernelDefBuilder(&new_));
}
static const OrtDataType* kernel_defs_type_of(ONNXTensorElementDataType type) {
  return NEW(const OrtDataType, EP->GetTensorDataType(type, &new_));
}
static OrtKernelDef* build(OrtKernelDefBuilder* from) {
  OrtKernelDef* made = NEW(OrtKernelDef, EP->KernelDefBuilder_Build(from, &new_));
  EP->ReleaseKernelDefBuilder(from);
  return made;
}
static void say_def(const OrtKernelDef* def) {
  int first = 7, last = 7;
  OrtMemType in = 7, out = 7;
  say("'%s' '%s' '%s'", EP->KernelDef_GetOperatorType(def), EP->KernelDef_GetDomain(def),
      EP->KernelDef_GetExecutionProvider(def));
  say_status(EP->KernelDef_GetSinceVersion(def, &first, &last));
  say_status(EP->KernelDef_GetInputMemType(def, 1, &in));
  say_status(EP->KernelDef_GetOutputMemType(def, 0, &out));
  say("%d %s %d %d", first,
      last == INT_MAX ? "open"
      : last == 7     ? "7"
                      : "other",
      (int)in, (int)out);
}

/* A call with a builder `b` of a definition that is then said. */
#define WITH_BUILDER(text, ...)         \
  CALL(text) {                          \
    OrtKernelDefBuilder* b = builder(); \
    __VA_ARGS__;                        \
    OrtKernelDef* def = build(b);       \
    say_def(def);                       \
    EP->ReleaseKernelDef(def);          \
  }
#define SET(text, ...) WITH_BUILDER("KernelDefBuilder_" text, say_status(EP->__VA_ARGS__))

WITH_BUILDER("KernelDefBuilder_Build of nothing", (void)b)
SET("SetOperatorType(b,Add)", KernelDefBuilder_SetOperatorType(b, "Add"))
SET("SetOperatorType(b,\"\")", KernelDefBuilder_SetOperatorType(b, ""))
SET("SetOperatorType(b,NULL)", KernelDefBuilder_SetOperatorType(b, NULL))
SET("SetDomain(b,d)", KernelDefBuilder_SetDomain(b, "d"))
SET("SetDomain(b,ai.onnx)", KernelDefBuilder_SetDomain(b, "ai.onnx"))
SET("SetDomain(b,NULL)", KernelDefBuilder_SetDomain(b, NULL))
SET("SetExecutionProvider(b,e)", KernelDefBuilder_SetExecutionProvider(b, "e"))
SET("SetExecutionProvider(b,NULL)", KernelDefBuilder_SetExecutionProvider(b, NULL))
SET("SetSinceVersion(b,3,7)", KernelDefBuilder_SetSinceVersion(b, 3, 7))
SET("SetSinceVersion(b,3,INT_MAX)", KernelDefBuilder_SetSinceVersion(b, 3, INT_MAX))
SET("SetSinceVersion(b,3,3)", KernelDefBuilder_SetSinceVersion(b, 3, 3))
SET("SetSinceVersion(b,0,3)", KernelDefBuilder_SetSinceVersion(b, 0, 3))
SET("SetSinceVersion(b,4,3)", KernelDefBuilder_SetSinceVersion(b, 4, 3))
SET("SetInputMemType(b,1,CPUInput)", KernelDefBuilder_SetInputMemType(b, 1, OrtMemTypeCPUInput))
SET("SetInputMemType(b,1,9)", KernelDefBuilder_SetInputMemType(b, 1, (OrtMemType)9))
SET("SetOutputMemType(b,0,CPUOutput)", KernelDefBuilder_SetOutputMemType(b, 0, OrtMemTypeCPUOutput))
WITH_BUILDER("KernelDefBuilder_SetInputMemType twice",
             say_status(EP->KernelDefBuilder_SetInputMemType(b, 1, OrtMemTypeCPUInput));
             say_status(EP->KernelDefBuilder_SetInputMemType(b, 1, OrtMemTypeDefault)))

static const OrtDataType* one_type[1];
SET("AddTypeConstraint(b,T,t,1)",
    KernelDefBuilder_AddTypeConstraint(b, "T", (one_type[0] = kernel_defs_type_of(FLOAT), one_type),
                                       1))
SET("AddTypeConstraint(b,T,t,0)",
    KernelDefBuilder_AddTypeConstraint(b, "T", (one_type[0] = kernel_defs_type_of(FLOAT), one_type),
                                       0))
SET("AddTypeConstraint(b,T,NULL,1)", KernelDefBuilder_AddTypeConstraint(b, "T", NULL, 1))
SET("AddTypeConstraint(b,T,{NULL},1)",
    KernelDefBuilder_AddTypeConstraint(b, "T", (one_type[0] = NULL, one_type), 1))
SET("AddTypeConstraint(b,NULL,t,1)",
    KernelDefBuilder_AddTypeConstraint(b, NULL,
                                       (one_type[0] = kernel_defs_type_of(FLOAT), one_type), 1))

static const int places[] = {0, 1};
SET("AddInputOutputAliases(b,i,o,2)", KernelDefBuilder_AddInputOutputAliases(b, places, places, 2))
SET("AddInputOutputAliases(b,i,o,0)", KernelDefBuilder_AddInputOutputAliases(b, places, places, 0))
SET("AddInputOutputAliases(b,NULL,o,2)", KernelDefBuilder_AddInputOutputAliases(b, NULL, places, 2))
SET("AddInputOutputAliases(b,i,NULL,2)", KernelDefBuilder_AddInputOutputAliases(b, places, NULL, 2))
SET("AddInputOutputMutableAliases(b,i,o,2)",
    KernelDefBuilder_AddInputOutputMutableAliases(b, places, places, 2))
SET("AddInputOutputMutableAliases(b,i,o,0)",
    KernelDefBuilder_AddInputOutputMutableAliases(b, places, places, 0))

CALL("KernelDefBuilder_Build(b,NULL)") { say_status(EP->KernelDefBuilder_Build(builder(), NULL)); }
CALL("KernelDefBuilder_Build twice") {
  OrtKernelDef *def = NULL, *again = UNTOUCHED;
  OrtKernelDefBuilder* b = builder();
  say_status(EP->KernelDefBuilder_Build(b, &def));
  say_status(EP->KernelDefBuilder_Build(b, &again));
  say_out(again, UNTOUCHED);
}
CALL("KernelDefBuilder_SetDomain after KernelDefBuilder_Build") {
  OrtKernelDef* def = NULL;
  OrtKernelDefBuilder* b = builder();
  say_status(EP->KernelDefBuilder_Build(b, &def));
  say_status(EP->KernelDefBuilder_SetDomain(b, "d"));
}
CALL("KernelDef_GetOperatorType(NULL)") { say_pointer(EP->KernelDef_GetOperatorType(NULL)); }
CALL("KernelDef_GetDomain(NULL)") { say_pointer(EP->KernelDef_GetDomain(NULL)); }
CALL("KernelDef_GetExecutionProvider(NULL)") {
  say_pointer(EP->KernelDef_GetExecutionProvider(NULL));
}

static void data_type(int number) {
  const OrtDataType* type = UNTOUCHED;
  if (say_status(EP->GetTensorDataType((ONNXTensorElementDataType)number, &type))) {
    say("%d", type == kernel_defs_type_of((ONNXTensorElementDataType)number));
  } else {
    say_out(type, UNTOUCHED);
  }
}
CALL("GetTensorDataType(float,&t)") { data_type(FLOAT); }
CALL("GetTensorDataType(string,&t)") { data_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING); }
CALL("GetTensorDataType(int4,&t)") { data_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4); }
CALL("GetTensorDataType(undefined,&t)") { data_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED); }
CALL("GetTensorDataType(complex64,&t)") { data_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64); }
CALL("GetTensorDataType(-1,&t)") { data_type(-1); }
CALL("GetTensorDataType(100,&t)") { data_type(100); }

/* --- registries ------------------------------------------------------------------------------ */

#define UNSET ((OrtMemType)7)
static OrtStatus* ORT_API_CALL kernel_defs_make(void* state, const OrtKernelInfo* info,
                                                OrtKernelImpl** out) {
  (void)state, (void)info, (void)out;
  return NULL;
}
struct kernel_defs_wanted {
  const char *type, *domain, *provider;
  int first, last;
  ONNXTensorElementDataType element;
  OrtMemType memory;
};
static OrtKernelDef* def_of(struct kernel_defs_wanted of) {
  OrtKernelDefBuilder* b = builder();
  const OrtDataType* types[] = {kernel_defs_type_of(of.element)};
  CHECK(EP->KernelDefBuilder_SetOperatorType(b, of.type) == NULL);
  CHECK(EP->KernelDefBuilder_SetDomain(b, of.domain) == NULL);
  CHECK(EP->KernelDefBuilder_SetExecutionProvider(b, of.provider) == NULL);
  CHECK(EP->KernelDefBuilder_SetSinceVersion(b, of.first, of.last) == NULL);
  CHECK(EP->KernelDefBuilder_AddTypeConstraint(b, "T", types, 1) == NULL);
  if (of.memory != UNSET) {
    CHECK(EP->KernelDefBuilder_SetInputMemType(b, 0, of.memory) == NULL);
  }
  return build(b);
}
#define ADD {"Add", "", "e", 7, 13, FLOAT, UNSET}
static void add_two(struct kernel_defs_wanted other) {
  OrtKernelRegistry* registry = NULL;
  struct kernel_defs_wanted add = ADD;
  OrtKernelDef *one = def_of(add), *two = def_of(other);
  say_status(EP->CreateKernelRegistry(&registry));
  say_status(EP->KernelRegistry_AddKernel(registry, one, kernel_defs_make, NULL));
  EP->ReleaseKernelDef(one);
  say_status(EP->KernelRegistry_AddKernel(registry, two, kernel_defs_make, NULL));
  EP->ReleaseKernelDef(two);
  EP->ReleaseKernelRegistry(registry);
}
#define ADD_TWO(text, ...)                         \
  CALL("KernelRegistry_AddKernel twice, " text) {  \
    struct kernel_defs_wanted other = __VA_ARGS__; \
    add_two(other);                                \
  }
ADD_TWO("the same", ADD)
ADD_TWO("another operator", {"Mul", "", "e", 7, 13, FLOAT, UNSET})
ADD_TWO("another domain", {"Add", "d", "e", 7, 13, FLOAT, UNSET})
ADD_TWO("another provider", {"Add", "", "f", 7, 13, FLOAT, UNSET})
ADD_TWO("later versions", {"Add", "", "e", 14, INT_MAX, FLOAT, UNSET})
ADD_TWO("an open version in common", {"Add", "", "e", 13, INT_MAX, FLOAT, UNSET})
ADD_TWO("an open version before", {"Add", "", "e", 6, INT_MAX, FLOAT, UNSET})
ADD_TWO("another type", {"Add", "", "e", 7, 13, DOUBLE, UNSET})
static void add_memories(OrtMemType first, OrtMemType second) {
  struct kernel_defs_wanted wanted = ADD;
  OrtKernelRegistry* registry = NEW(OrtKernelRegistry, EP->CreateKernelRegistry(&new_));
  wanted.memory = first;
  say_status(EP->KernelRegistry_AddKernel(registry, def_of(wanted), kernel_defs_make, NULL));
  wanted.memory = second;
  say_status(EP->KernelRegistry_AddKernel(registry, def_of(wanted), kernel_defs_make, NULL));
}
CALL("KernelRegistry_AddKernel twice, the same memory") {
  add_memories(OrtMemTypeCPUInput, OrtMemTypeCPUInput);
}
CALL("KernelRegistry_AddKernel twice, other memories") {
  add_memories(OrtMemTypeCPUInput, OrtMemTypeDefault);
}
CALL("KernelRegistry_AddKernel twice, no memory after some") {
  add_memories(OrtMemTypeCPUInput, UNSET);
}
CALL("KernelRegistry_AddKernel twice, some memory after none") {
  add_memories(UNSET, OrtMemTypeCPUInput);
}

CALL("KernelRegistry_AddKernel of nothing set") {
  OrtKernelRegistry* registry = NEW(OrtKernelRegistry, EP->CreateKernelRegistry(&new_));
  say_status(EP->KernelRegistry_AddKernel(registry, build(builder()), kernel_defs_make, NULL));
}

static int releases;
static void ORT_API_CALL count_release(OrtKernelImpl* self) { (void)self, releases++; }
CALL("ReleaseKernelImpl(k)") {
  OrtKernelImpl kernel = {.ort_version_supported = api_version, .Release = count_release};
  EP->ReleaseKernelImpl(&kernel);
  say("%d", releases);
}

#undef ADD
