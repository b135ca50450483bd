/* SPDX-License-Identifier: MIT */
/* The node of behaviour_kernels.h on the core's kernel host. */
#include "behaviour_kernels.h"
#include "behaviour_values.h"

/* Attributes as the core's host takes them. */
static void make_attributes(OrtOpAttr* made[ATTRIBUTES], OrtValue* its_tensor) {
  static const float number = 1.5F;
  static const int64_t seven = 7, ints[] = {4, 5, 6};
  static const char* const texts[] = {"x", "yz"};
  const struct {
    const void* data;
    int count;
  } values[] = {{&number, 1}, {&seven, 1}, {"abc", 3}, {x, 3},
                {ints, 3},    {texts, 2},  {NULL, 0},  {"", 0}};
  OrtcoreTensorAttribute make_tensor =
      (OrtcoreTensorAttribute)api->GetExperimentalFunction(ORTCORE_TENSOR_ATTRIBUTE);
  for (size_t i = 0; i < ATTRIBUTES; i++) {
    CHECK((attributes[i].type == ORT_OP_ATTR_TENSOR
               ? make_tensor("t", its_tensor, &made[i])
               : api->CreateOpAttr(attributes[i].name, values[i].data, values[i].count,
                                   attributes[i].type, &made[i])) == NULL);
  }
}

static void infer_on_core(OrtcoreKernel* kernel, const OrtTypeInfo* x_type, const OrtValue* c,
                          const OrtValue* v) {
  OrtcoreKernelInferShapes infer_shapes =
      (OrtcoreKernelInferShapes)api->GetExperimentalFunction(ORTCORE_KERNEL_INFER_SHAPES);
  const OrtTensorTypeAndShapeInfo* known = NULL;
  OrtTensorTypeAndShapeInfo *y = NULL, *c_shape = NULL, *v_shape = NULL, *out[3] = {NULL};
  CHECK(api->CastTypeInfoToTensorInfo(x_type, &known) == NULL);
  CHECK(api->CreateTensorTypeAndShapeInfo(&y) == NULL);
  CHECK(api->GetTensorTypeAndShape(c, &c_shape) == NULL);
  CHECK(api->GetTensorTypeAndShape(v, &v_shape) == NULL);
  const OrtTensorTypeAndShapeInfo* infos[] = {known, NULL, c_shape, NULL, y, v_shape};
  CHECK(infer_shapes(kernel, infos, 6, out, 3) == NULL);
  for (size_t i = 0; i < 3; i++) {
    api->ReleaseTensorTypeAndShapeInfo(out[i]);
  }
  api->ReleaseTensorTypeAndShapeInfo(y);
  api->ReleaseTensorTypeAndShapeInfo(c_shape);
  api->ReleaseTensorTypeAndShapeInfo(v_shape);
}

static void compute_on_core(OrtcoreKernel* kernel, const OrtValue* v) {
  OrtcoreKernelCompute run =
      (OrtcoreKernelCompute)api->GetExperimentalFunction(ORTCORE_KERNEL_COMPUTE);
  OrtValue *in_x = value_of(x_shape, 2, 6), *in_y = value_of(four, 1, 4), *out[3] = {NULL};
  const OrtValue* values[] = {in_x, NULL, NULL, NULL, in_y, v};
  api->ReleaseStatus(run(kernel, values, 6, out, 3));
  for (size_t i = 0; i < 3; i++) {
    api->ReleaseValue(out[i]);
  }
  api->ReleaseValue(in_x);
  api->ReleaseValue(in_y);
}

/* What the kernel's node is made of, but for its attributes. */
struct parts {
  OrtValue *c, *v;
  OrtTypeInfo *x_type, *o_type, *v_type;
  OrtKeyValuePairs* config;
  OrtCustomOpDomain* domain;
  OrtSessionOptions* options;
};

static struct parts make_parts(void) {
  struct parts parts = {.c = value_of((const int64_t[]){2}, 1, 2),
                        .v = value_of(just_one, 1, 1),
                        .x_type = matrix_type((const int64_t[]){-1, 3}, "batch"),
                        .o_type = matrix_type(x_shape, "")};
  api->CreateKeyValuePairs(&parts.config);
  api->AddKeyValuePair(parts.config, "my.key", "my value");
  CHECK(api->GetTypeInfo(parts.v, &parts.v_type) == NULL);
  CHECK(api->CreateCustomOpDomain("probe", &parts.domain) == NULL);
  CHECK(api->CustomOpDomain_Add(parts.domain, &probe_op) == NULL);
  CHECK(api->CreateSessionOptions(&parts.options) == NULL);
  CHECK(api->AddCustomOpDomain(parts.options, parts.domain) == NULL);
  return parts;
}

static void end_parts(struct parts* parts) {
  api->ReleaseKeyValuePairs(parts->config);
  api->ReleaseSessionOptions(parts->options);
  api->ReleaseCustomOpDomain(parts->domain);
  api->ReleaseTypeInfo(parts->x_type);
  api->ReleaseTypeInfo(parts->o_type);
  api->ReleaseTypeInfo(parts->v_type);
  api->ReleaseValue(parts->c);
  api->ReleaseValue(parts->v);
}

static OrtcoreKernel* make_kernel(const struct parts* parts) {
  OrtcoreKernelCreate make =
      (OrtcoreKernelCreate)api->GetExperimentalFunction(ORTCORE_KERNEL_CREATE);
  const OrtcoreOperand ins[] = {{.name = "X", .type = parts->x_type},
                                {.name = ""},
                                {.name = "C", .constant = parts->c},
                                {.name = ""},
                                {.name = "Y"},
                                {.name = "V", .type = parts->v_type}};
  const OrtcoreOperand outs[] = {{.name = "O", .type = parts->o_type}, {.name = ""}, {.name = "S"}};
  OrtOpAttr* made[ATTRIBUTES];
  make_attributes(made, parts->c);
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &probe_op, .domain = "probe"};
  node.name = "the_node";
  node.attributes = (const OrtOpAttr* const*)made;
  node.attribute_count = ATTRIBUTES;
  node.inputs = ins;
  node.input_count = 6;
  node.outputs = outs;
  node.output_count = 3;
  node.config = parts->config;
  node.options = parts->options;
  OrtcoreKernel* kernel = NEW(OrtcoreKernel, make(&node, &new_));
  for (size_t i = 0; i < ATTRIBUTES; i++) {
    api->ReleaseOpAttr(made[i]);
  }
  return kernel;
}

void run_host(void) {
  OrtcoreKernelRelease end =
      (OrtcoreKernelRelease)api->GetExperimentalFunction(ORTCORE_KERNEL_RELEASE);
  struct parts parts = make_parts();
  OrtcoreKernel* kernel = make_kernel(&parts);
  if (current_probe->context != NULL) {
    compute_on_core(kernel, parts.v);
  } else if (current_probe->shapes != NULL) {
    infer_on_core(kernel, parts.x_type, parts.c, parts.v);
  }
  end(kernel);
  end_parts(&parts);
}

void say_shape(const OrtTensorTypeAndShapeInfo* info) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  int64_t dims[8];
  const char* names[8];
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  CHECK(api->GetDimensionsCount(info, &rank) == NULL && rank <= 8);
  CHECK(api->GetDimensions(info, dims, rank) == NULL);
  CHECK(api->GetSymbolicDimensions(info, names, rank) == NULL);
  say("type %d, rank %zu", (int)type, rank);
  for (size_t i = 0; i < rank; i++) {
    say("%lld '%s'", (long long)dims[i], names[i]);
  }
}

void say_value(const OrtValue* value) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  if (value == NULL) {
    say("NULL");
    return;
  }
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->GetTensorTypeAndShape(value, &new_));
  CHECK(api->GetTensorElementType(info, &type) == NULL);
  say_shape(info);
  api->ReleaseTensorTypeAndShapeInfo(info);
  const void* data = NEW(const void, api->GetTensorData(value, &new_));
  if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
    return;
  }
  say(data != NULL ? "data" : "no data");
}
