/* SPDX-License-Identifier: MIT */
/* Reads the fields of an OrtCustomOp that its version has. */
#include "custom_ops/op_reading.h"

#include "custom_ops/custom_op.h"

/* The API versions that added fields. Every struct has the fields before these. */
enum {
  CHARACTERISTICS_SINCE = 8,
  MEMORY_SINCE = 13,
  VARIADIC_SINCE = 14,
  KERNEL_V2_SINCE = 16,
  VERSIONS_SINCE = 17
};

/* A greater count is a mistake, such as -1. */
#define MOST_OPERANDS_READ 65535

/* Calls a function of the op if it is not NULL; otherwise the value is `otherwise`. ASK_SINCE is
 * for fields that older structs do not have. */
#define ASK(op, otherwise, field, ...) \
  ((op)->field != NULL ? (op)->field(__VA_ARGS__) : (otherwise))
#define ASK_SINCE(since, op, otherwise, ...) \
  ((op)->version >= (since) ? ASK(op, otherwise, __VA_ARGS__) : (otherwise))

const char* core_op_name(const OrtCustomOp* op) {
  const char* name = ASK(op, NULL, GetName, op);
  return name == NULL ? "" : name;
}

const char* core_op_provider(const OrtCustomOp* op) {
  const char* provider = ASK(op, NULL, GetExecutionProviderType, op);
  return provider == NULL ? "" : provider;
}

void core_op_versions(const OrtCustomOp* op, int* first, int* last) {
  *first = ASK_SINCE(VERSIONS_SINCE, op, 1, GetStartVersion, op);
  *last = ASK_SINCE(VERSIONS_SINCE, op, INT_MAX, GetEndVersion, op);
}

/* Whether it creates or computes its kernel only through the functions of version 16. */
static bool needs_kernel_v2(const OrtCustomOp* op) {
  if (op->version < KERNEL_V2_SINCE) {
    return false;
  }
  return (op->CreateKernel == NULL && op->CreateKernelV2 != NULL) ||
         (op->KernelCompute == NULL && op->KernelComputeV2 != NULL);
}

size_t core_op_operand_count(const OrtCustomOp* op, bool is_output) {
  return is_output ? ASK(op, 0, GetOutputTypeCount, op) : ASK(op, 0, GetInputTypeCount, op);
}

#define OPERAND_READER(function, Side, its_memory)                                        \
  static struct core_operand function(const OrtCustomOp* op, size_t i) {                  \
    struct core_operand operand = {                                                       \
        .type = ASK(op, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, Get##Side##Type, op, i), \
        .characteristic = ASK_SINCE(CHARACTERISTICS_SINCE, op, INPUT_OUTPUT_REQUIRED,     \
                                    Get##Side##Characteristic, op, i),                    \
        .memory = its_memory,                                                             \
        .least = 1,                                                                       \
        .is_homogeneous = 1,                                                              \
    };                                                                                    \
    if (operand.characteristic == INPUT_OUTPUT_VARIADIC) {                                \
      operand.least = ASK_SINCE(VARIADIC_SINCE, op, 1, GetVariadic##Side##MinArity, op);  \
      operand.is_homogeneous =                                                            \
          ASK_SINCE(VARIADIC_SINCE, op, 1, GetVariadic##Side##Homogeneity, op);           \
    }                                                                                     \
    return operand;                                                                       \
  }
OPERAND_READER(input, Input,
               ASK_SINCE(MEMORY_SINCE, op, OrtMemTypeDefault, GetInputMemoryType, op, i))
OPERAND_READER(output, Output, OrtMemTypeDefault)

struct core_operand core_op_operand(const OrtCustomOp* op, bool is_output, size_t index) {
  return is_output ? output(op, index) : input(op, index);
}

size_t core_operands_needed(const struct core_operand* declared, size_t place) {
  if (declared->characteristic == INPUT_OUTPUT_VARIADIC) {
    return declared->least > 0 ? place + (size_t)declared->least : 0;
  }
  return declared->characteristic == INPUT_OUTPUT_REQUIRED ? place + 1 : 0;
}

bool core_op_takes(const OrtCustomOp* op, bool is_output, size_t place,
                   ONNXTensorElementDataType type) {
  size_t count = core_op_operand_count(op, is_output);
  if (count == 0) {
    return false;
  }
  const struct core_operand declared =
      core_op_operand(op, is_output, place < count ? place : count - 1);
  return (place < count || declared.characteristic == INPUT_OUTPUT_VARIADIC) &&
         (type == 0 || declared.type == 0 || type == declared.type);
}

static uint32_t operand_needs(const struct core_operand* operand) {
  if (operand->characteristic == INPUT_OUTPUT_VARIADIC) {
    return VARIADIC_SINCE;
  }
  if (operand->memory != OrtMemTypeDefault) {
    return MEMORY_SINCE;
  }
  return operand->characteristic == INPUT_OUTPUT_OPTIONAL ? CHARACTERISTICS_SINCE : 1;
}

static uint32_t operands_need(const OrtCustomOp* op, bool is_output) {
  uint32_t needs = 1;
  size_t count = core_op_operand_count(op, is_output);
  for (size_t i = 0; i < count && i < MOST_OPERANDS_READ; i++) {
    struct core_operand operand = core_op_operand(op, is_output, i);
    uint32_t since = operand_needs(&operand);
    needs = since > needs ? since : needs;
  }
  return needs;
}

uint32_t core_op_needs(const OrtCustomOp* op) {
  int first = 1, last = INT_MAX;
  core_op_versions(op, &first, &last);
  if (first != 1 || last != INT_MAX) {
    return VERSIONS_SINCE;
  }
  if (needs_kernel_v2(op)) {
    return KERNEL_V2_SINCE;
  }
  uint32_t inputs = operands_need(op, false), outputs = operands_need(op, true);
  return inputs > outputs ? inputs : outputs;
}
