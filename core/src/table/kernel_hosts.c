/* SPDX-License-Identifier: MIT */
/* What libraries of custom ops and kernels are given: tables whose default allocator, inside a
 * kernel, is the kernel's. */
#include <string.h>

#include "env/logging.h"
#include "kernels/kernel.h"
#include "options/session_options.h"
#include "platform/platform.h"
#include "platform/private_copy.h"
#include "table/versions.h"

static OrtStatus* ORT_API_CALL allocator_of_kernel(OrtAllocator** out) NO_EXCEPTION {
  OrtAllocator* running = core_running_allocator();
  if (running == NULL || out == NULL) {
    return ort_GetAllocatorWithDefaultOptions(out);
  }
  *out = running;
  return NULL;
}

static OrtApi tables[ORT_API_VERSION + 1];
static core_once once = CORE_ONCE_INIT;

static void fill_tables(void) {
  for (uint32_t version = 1; version <= ORT_API_VERSION; version++) {
    tables[version] = *core_emulate(version)->GetApi(version);
    tables[version].GetAllocatorWithDefaultOptions = allocator_of_kernel;
  }
}

CORE_HOST_BASES(CORE_EACH_HOST);

const OrtApiBase* ORT_API_CALL core_kernel_base(uint32_t version) {
  if (version == 0 || version > ORT_API_VERSION) {
    return NULL;
  }
  core_run_once(&once, fill_tables);
  return &bases[version];
}

/* Where there is no environment, kernels still have somewhere to write warnings to. */
static const struct OrtLogger stderr_logger = {.id = "kernel",
                                               .severity = ORT_LOGGING_LEVEL_WARNING};

static const struct core_custom_ops* ops_of(const OrtSessionOptions* options) {
  return &options->custom_ops;
}

/* Asked for at each use: it ends with the environment, which whoever runs kernels keeps. */
static const OrtLogger* logger_of_process(void) {
  const OrtLogger* logger = core_default_logger();
  return logger != NULL ? logger : &stderr_logger;
}

OrtStatus* ORT_API_CALL core_host_kernel(const OrtcoreNode* node, OrtcoreKernel** out) {
  static const struct core_kernel_host host = {&tables[ORT_API_VERSION], logger_of_process, ops_of};
  core_run_once(&once, fill_tables);
  return core_kernel_create(&host, node, out);
}

OrtStatus* ORT_API_CALL core_register_library(OrtSessionOptions* options, const OrtApiBase* base,
                                              const char* path, OrtcoreCopy copy, int* is_copy) {
  CORE_REQUIRE(ortcore_register_library, options, path);
  char error[CORE_LIBRARY_ERROR];
  bool is_private =
      copy == ORTCORE_COPY_ALWAYS || (copy == ORTCORE_COPY_IF_LOADED && core_library_is_open(path));
  bool is_copied = false;
  void* library = is_private ? core_library_open_copy(path, error, &is_copied)
                             : core_library_open_utf8(path, error);
  if (library == NULL) {
    return core_status(ORT_FAIL, "ortcore_register_library: %s", error);
  }
  base = base != NULL ? base : core_kernel_base(ORT_API_VERSION);
  CORE_TRY(
      core_named("ortcore_register_library",
                 core_register_op_library(&options->custom_ops, options, base, library, true)));
  if (is_copy != NULL) {
    *is_copy = is_copied;
  }
  return NULL;
}

const OrtCustomOp* ORT_API_CALL core_find_op(const OrtSessionOptions* options, const char* domain,
                                             const char* name) {
  if (options == NULL || name == NULL) {
    return NULL;
  }
  struct core_op_search search = {.ops = &options->custom_ops, .domain = domain, .name = name};
  return core_next_op(&search);
}
