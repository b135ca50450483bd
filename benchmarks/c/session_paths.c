/* SPDX-License-Identifier: MIT */
/* Runs a session again and again: session_paths LIBRARY MODEL COUNT PROVIDER [SMAPS]. The model has
 * one input and one output, both four floats; PROVIDER is a library with an execution provider.
 * With LIBRARY none that is loaded, and nothing else done. With SMAPS, prints the time at the end,
 * in seconds, what malloc has taken in KiB, and that file of the system. Under callgrind, what
 * `walk` or `open_session` and everything below execute is counted. */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "client.h"

static const OrtApi* api;
static OrtEnv* env;
static OrtSession* session;
static char *input_name, *output_name;
static OrtValue* input;

/* Not inlined: callgrind gets its name. */
__attribute__((noinline)) void walk(long count) {
  for (long i = 0; i < count; i++) {
    OrtValue* output = NULL;
    MUST(api->Run(session, NULL, (const char* const*)&input_name, (const OrtValue* const*)&input, 1,
                  (const char* const*)&output_name, 1, &output));
    api->ReleaseValue(output);
  }
}

__attribute__((noinline)) void open_session(const char* model, const OrtSessionOptions* options) {
  MUST(api->CreateSession(env, model, options, &session));
}

static void add_provider(OrtSessionOptions* options, const char* library) {
  const OrtEpDevice* const* devices = NULL;
  const OrtEpDevice* ours = NULL;
  size_t count = 0;
  MUST(api->RegisterExecutionProviderLibrary(env, "paths", library));
  MUST(api->GetEpDevices(env, &devices, &count));
  for (size_t i = 0; i < count && ours == NULL; i++) {
    bool is_own = strcmp(api->EpDevice_EpName(devices[i]), "CPUExecutionProvider") == 0;
    ours = is_own ? NULL : devices[i];
  }
  CHECK(ours != NULL);
  MUST(api->SessionOptionsAppendExecutionProvider_V2(options, env, &ours, 1, NULL, NULL, 0));
}

static void prepare(const char* library, const char* model, const char* provider) {
  static float data[4] = {1, 1, 1, 1};
  static const int64_t shape[] = {4};
  OrtSessionOptions* options = NULL;
  OrtAllocator* allocator = NULL;
  OrtMemoryInfo* memory = NULL;
  api = api_of(library);
  MUST(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "paths", &env));
  MUST(api->CreateSessionOptions(&options));
  MUST(api->SetIntraOpNumThreads(options, 1));
  add_provider(options, provider);
  open_session(model, options);
  api->ReleaseSessionOptions(options);
  MUST(api->GetAllocatorWithDefaultOptions(&allocator));
  MUST(api->SessionGetInputName(session, 0, allocator, &input_name));
  MUST(api->SessionGetOutputName(session, 0, allocator, &output_name));
  MUST(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  MUST(api->CreateTensorWithDataAsOrtValue(memory, data, sizeof data, shape, 1,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input));
  api->ReleaseMemoryInfo(memory);
}

static void report(const char* smaps) {
  char line[512];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%.6f\n", (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
  FILE* file = fopen(smaps, "r");
  CHECK(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    fputs(line, stdout);
  }
  fclose(file);
}

int main(int argc, char** argv) {
  CHECK(argc == 5 || argc == 6);
  bool runs = strcmp(argv[1], "none") != 0;
  if (runs) {
    prepare(argv[1], argv[2], argv[4]);
    walk(strtol(argv[3], NULL, 10));
  } else {
    CHECK(dlopen(argv[4], RTLD_NOW | RTLD_LOCAL) != NULL);
  }
  if (argc == 6) {
    report(argv[5]);
  }
  if (runs) {
    api->ReleaseValue(input);
    api->ReleaseSession(session);
  }
  return 0;
}
