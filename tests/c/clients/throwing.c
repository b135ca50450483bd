/* SPDX-License-Identifier: MIT */
/*
 * Kernels that throw: each exception is a status with its text, and nothing of it is left.
 *
 *     throwing LIBRARY OPS    OPS is the library that throwing_ops.cc makes
 */
#include "kernels.h"

static OrtSessionOptions* options;

static OrtStatus* create(const char* name, int64_t what, uint32_t threads, OrtcoreKernel** kernel) {
  OrtOpAttr* attribute =
      NEW(OrtOpAttr, api->CreateOpAttr("what", &what, 1, ORT_OP_ATTR_INT, &new_));
  OrtcoreNode node = {.version = ORT_API_VERSION,
                      .op = host.find_op(options, "throwing", name),
                      .name = "node",
                      .attributes = (const OrtOpAttr* const*)&attribute,
                      .attribute_count = 1,
                      .threads = threads};
  CHECK(node.op != NULL);
  OrtStatus* status = host.create(&node, kernel);
  api->ReleaseOpAttr(attribute);
  return status;
}

static OrtStatus* compute(const char* name, int64_t what, uint32_t threads) {
  OrtValue* out = NULL;
  OrtcoreKernel* kernel = NEW(OrtcoreKernel, create(name, what, threads, &new_));
  OrtStatus* status = host.compute(kernel, NULL, 0, &out, 1);
  api->ReleaseValue(out);
  host.release(kernel);
  return status;
}

static const char* const thrown[] = {
    "",
    "a plain runtime_error",
    "of the C++ type i",
    "from a virtual base",
    "from a second base",
    "a literal",
    "Plain",
    "Hidden",
    "rethrown from a pointer",
    "thrown again",
    "xxxxx",
    "bad_alloc",
};
#define KINDS (int64_t)(sizeof thrown / sizeof *thrown)

/* A kernel that does not throw tells what the others have left behind. */
static void check_nothing_left(void) {
  OrtValue* out = NULL;
  OrtcoreKernel* kernel = NEW(OrtcoreKernel, create("Compute2", 0, 1, &new_));
  CHECK(host.compute(kernel, NULL, 0, &out, 1) == NULL);
  void* data = NEW(void, api->GetTensorMutableData(out, &new_));
  CHECK(((const float*)data)[0] == 0 && ((const float*)data)[1] == 0);
  api->ReleaseValue(out);
  host.release(kernel);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  find_host(table_of(argv[1]));
  CHECK(api->CreateSessionOptions(&options) == NULL);
  CHECK(host.register_library(options, NULL, argv[2], ORTCORE_COPY_IF_LOADED, NULL) == NULL);
  static const char* const computing[] = {"Compute1", "Compute2", "Parallel"};
  static const char* const creating[] = {"Create1", "Create2"};
  for (int64_t what = 1; what < KINDS; what++) {
    for (size_t i = 0; i < 3; i++) {
      CHECK(says(compute(computing[i], what, 3), ORT_RUNTIME_EXCEPTION, "'node'", thrown[what]));
    }
    for (size_t i = 0; i < 2; i++) {
      OrtcoreKernel* kernel = NULL;
      CHECK(says(create(creating[i], what, 1, &kernel), ORT_RUNTIME_EXCEPTION, "'node'",
                 thrown[what]));
      CHECK(kernel == NULL);
    }
  }
  OrtcoreKernel* kernel = NULL;
  CHECK(says(create("Describe", 0, 1, &kernel), ORT_RUNTIME_EXCEPTION, "'node'", "no count"));
  check_nothing_left();
  api->ReleaseSessionOptions(options);
  printf("throwing: OK\n");
  return 0;
}
