/* SPDX-License-Identifier: MIT */
/*
 * Hosts: the core's table in each API version. The kernel hosts are for libraries of custom ops:
 * their default allocator, inside a kernel, is the kernel's. The watched hosts are kernel hosts
 * that note what their clients have not released.
 *
 * The tables are filled in on first use: as constants, each pointer would need a relocation, and
 * these take more space than the code.
 */

#include "env/logging.h"
#include "kernels/kernel.h"
#include "options/session_options.h"
#include "platform/private_copy.h"
#include "table/versions.h"

/* The hosts that lack something. */
#define HOSTS (ORT_API_VERSION - 1)

/* What a host answers in the place of a slot that came later. */
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters)                       \
  static CORE_COLD OrtStatus* ORT_API_CALL no_##name parameters NO_EXCEPTION {            \
    CORE_FAIL(ORT_NOT_IMPLEMENTED, #name " came with API version " #since CORE_LATE_END); \
  }
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters) \
  static CORE_COLD void ORT_API_CALL no_##name parameters NO_EXCEPTION {}
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters) \
  static CORE_COLD returns ORT_API_CALL no_##name parameters NO_EXCEPTION { return (returns)0; }
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  ORT_SLOT_VALUE(index, since, topic, who, returns, name, (void))
#include "ort_slots.def"

enum flavour { PLAIN, FOR_KERNELS, WATCHED, FLAVOURS };

static OrtApi tables[FLAVOURS][ORT_API_VERSION + 1];

#define BASE_FUNCTIONS(host, flavour)                                                       \
  static const OrtApi* ORT_API_CALL get_##flavour##_##host(uint32_t version) NO_EXCEPTION { \
    return version >= 1 && version <= (host)                                                \
               ? &tables[flavour][host]                                                     \
               : core_refuse_version(version, host, "1." #host ".0");                       \
  }
#define VERSION_STRING(host, ...)                                               \
  static const char* ORT_API_CALL version_string_of_##host(void) NO_EXCEPTION { \
    return "1." #host ".0";                                                     \
  }
CORE_EACH_HOST(VERSION_STRING, )
CORE_EACH_HOST(BASE_FUNCTIONS, PLAIN)
CORE_EACH_HOST(BASE_FUNCTIONS, FOR_KERNELS)
CORE_EACH_HOST(BASE_FUNCTIONS, WATCHED)

#define BASE(host, flavour) [host] = {get_##flavour##_##host, version_string_of_##host},
#define BASES(flavour) [flavour] = {CORE_EACH_HOST(BASE, flavour)}
static const OrtApiBase bases[][ORT_API_VERSION + 1] = {BASES(PLAIN), BASES(FOR_KERNELS),
                                                        BASES(WATCHED)};

/* The slots that load op libraries. A library gets the base of the host, not the core's. */
#define REGISTRATION(host, ...)                                                   \
  static CORE_COLD OrtStatus* ORT_API_CALL register_v1_in_##host(                 \
      OrtSessionOptions* options, const char* path, void** handle) NO_EXCEPTION { \
    return core_register_library_v1(options, &bases[PLAIN][host], path, handle);  \
  }                                                                               \
  static CORE_COLD OrtStatus* ORT_API_CALL register_v2_in_##host(                 \
      OrtSessionOptions* options, const ORTCHAR_T* path) NO_EXCEPTION {           \
    return core_register_library_v2(options, &bases[PLAIN][host], path);          \
  }                                                                               \
  static CORE_COLD OrtStatus* ORT_API_CALL register_function_in_##host(           \
      OrtSessionOptions* options, const char* name) NO_EXCEPTION {                \
    return core_register_function(options, &bases[PLAIN][host], name);            \
  }
CORE_EACH_OLDER_HOST(REGISTRATION, )

#define SET_REGISTRATION(host, ...)                                                   \
  tables[PLAIN][host].RegisterCustomOpsLibrary = register_v1_in_##host;               \
  if ((host) >= 14) {                                                                 \
    tables[PLAIN][host].RegisterCustomOpsLibrary_V2 = register_v2_in_##host;          \
    tables[PLAIN][host].RegisterCustomOpsUsingFunction = register_function_in_##host; \
  }

static CORE_COLD void fill_plain(void) {
  for (int host = 1; host <= HOSTS; host++) {
    tables[PLAIN][host] = *core_api_base()->GetApi(ORT_API_VERSION);
#define ORT_SLOT(index, since, topic, who, returns, name, parameters) \
  if (host < (since)) {                                               \
    tables[PLAIN][host].name = no_##name;                             \
  }
#include "ort_slots.def"
  }
  CORE_EACH_OLDER_HOST(SET_REGISTRATION, )
}

static OrtStatus* ORT_API_CALL allocator_of_kernel(OrtAllocator** out) NO_EXCEPTION {
  OrtAllocator* running = core_running_allocator();
  if (running == NULL || out == NULL) {
    return ort_GetAllocatorWithDefaultOptions(out);
  }
  *out = running;
  return NULL;
}

static void fill_for_kernels(void) {
  for (uint32_t version = 1; version <= ORT_API_VERSION; version++) {
    OrtApi* table = &tables[FOR_KERNELS][version];
    *table = *core_emulate(version)->GetApi(version);
    table->GetAllocatorWithDefaultOptions = allocator_of_kernel;
  }
}

/* What a host lacks or answers in its own way stays as it is. */
static void fill_watched(void) {
  const OrtApi* inner = core_kernel_base(ORT_API_VERSION)->GetApi(ORT_API_VERSION);
  const OrtApi* watched = core_watch(inner);
  for (uint32_t version = 1; version <= ORT_API_VERSION; version++) {
    OrtApi* table = &tables[WATCHED][version];
    *table = tables[FOR_KERNELS][version];
    for (size_t at = 0; at < sizeof *table; at += sizeof(void*)) {
      if (memcmp((char*)table + at, (const char*)inner + at, sizeof(void*)) == 0) {
        memcpy((char*)table + at, (const char*)watched + at, sizeof(void*));
      }
    }
  }
}

static const OrtApiBase* base_of(enum flavour flavour, uint32_t version) {
  static core_once once[FLAVOURS] = {CORE_ONCE_INIT, CORE_ONCE_INIT, CORE_ONCE_INIT};
  static void (*const fill[])(void) = {fill_plain, fill_for_kernels, fill_watched};
  if (version == 0 || version > ORT_API_VERSION) {
    return NULL;
  }
  core_run_once(&once[flavour], fill[flavour]);
  return flavour == PLAIN && version == ORT_API_VERSION ? core_api_base()
                                                        : &bases[flavour][version];
}

const OrtApiBase* ORT_API_CALL core_emulate(uint32_t version) { return base_of(PLAIN, version); }

const OrtApiBase* ORT_API_CALL core_kernel_base(uint32_t version) {
  return base_of(FOR_KERNELS, version);
}

const OrtApiBase* ORT_API_CALL core_watched_base(uint32_t version) {
  return base_of(WATCHED, version);
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
  static const struct core_kernel_host host = {&tables[FOR_KERNELS][ORT_API_VERSION],
                                               logger_of_process, ops_of};
  core_kernel_base(ORT_API_VERSION); /* fills the table */
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
  CORE_RETURN_IF(library == NULL, core_status(ORT_FAIL, "ortcore_register_library: %s", error));
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
