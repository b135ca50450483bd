/* SPDX-License-Identifier: MIT */
/*
 * A library of custom ops, one of each version that the struct had. Each op ends
 * with the fields of its version, at the end of a page, behind which nothing can be read. With
 * FAILS it registers half of itself and gives up.
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "own_domain.h"
#include "plain_op.h"

#ifndef FAILS
#define FAILS 0
#endif

static const char* ORT_API_CALL name(const OrtCustomOp* op) {
  static char names[32][8];
  names[op->version][0] = 'V';
  names[op->version][1] = (char)('0' + op->version / 10);
  names[op->version][2] = (char)('0' + op->version % 10);
  return names[op->version];
}
static size_t ORT_API_CALL two(const OrtCustomOp* op) { return (void)op, 2; }
static ONNXTensorElementDataType ORT_API_CALL type(const OrtCustomOp* op, size_t i) {
  (void)op;
  return i == 0 ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT : ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
}
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL kind(const OrtCustomOp* op, size_t i) {
  (void)op;
  return i == 0 ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_VARIADIC;
}
static OrtMemType ORT_API_CALL memory(const OrtCustomOp* op, size_t i) {
  return (void)op, (void)i, OrtMemTypeCPUInput;
}
static int ORT_API_CALL three(const OrtCustomOp* op) { return (void)op, 3; }
static int ORT_API_CALL no(const OrtCustomOp* op) { return (void)op, 0; }

static const OrtCustomOp whole = {
    .GetName = name,
    .GetInputTypeCount = two,
    .GetInputType = type,
    .GetOutputTypeCount = plain_count,
    .GetOutputType = type,
    .GetInputCharacteristic = kind,
    .GetOutputCharacteristic = kind,
    .GetInputMemoryType = memory,
    .GetVariadicInputMinArity = three,
    .GetVariadicInputHomogeneity = no,
    .GetStartVersion = three,
    .GetEndVersion = three,
};

/* The bytes of a struct that was compiled for a version. */
static size_t size_of(uint32_t version) {
  return version < 8    ? offsetof(OrtCustomOp, GetInputCharacteristic)
         : version < 13 ? offsetof(OrtCustomOp, GetInputMemoryType)
         : version < 14 ? offsetof(OrtCustomOp, GetVariadicInputMinArity)
         : version < 16 ? offsetof(OrtCustomOp, CreateKernelV2)
         : version < 17 ? offsetof(OrtCustomOp, InferOutputShapeFn)
         : version < 18 ? offsetof(OrtCustomOp, GetMayInplace)
                        : sizeof(OrtCustomOp);
}

/* Stays to the end of the process. */
static OrtCustomOp* at_the_end_of_a_page(uint32_t version) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = size_of(version);
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + page, page, PROT_NONE);
  OrtCustomOp* op = (OrtCustomOp*)(pages + page - size);
  memcpy(op, &whole, size);
  op->version = version;
  return op;
}

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) NO_EXCEPTION {
  static const uint32_t versions[] = {1, 7, 8, 12, 13, 14, 16, 17, 18, ORT_API_VERSION};
  api = base->GetApi(30);
  OrtStatus* status = api->CreateCustomOpDomain("test.pages", &domain);
  for (size_t i = 0; status == NULL && i < sizeof versions / sizeof *versions; i++) {
    status = api->CustomOpDomain_Add(domain, at_the_end_of_a_page(versions[i]));
  }
  if (status == NULL) {
    status = api->AddCustomOpDomain(options, domain);
  }
  return status == NULL && FAILS ? api->CreateStatus(ORT_EP_FAIL, "halfway") : status;
}
