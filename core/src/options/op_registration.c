/* SPDX-License-Identifier: MIT */

#include "platform/platform.h"
#include "options/session_options.h"

CORE_SLOT(ort_CreateCustomOpDomain, const char* domain, OrtCustomOpDomain** out) {
  return core_new_op_domain(domain, out);
}

CORE_SLOT(ort_CustomOpDomain_Add, OrtCustomOpDomain* custom_op_domain, const OrtCustomOp* op) {
  return core_op_domain_add(custom_op_domain, op);
}

void ORT_API_CALL ort_ReleaseCustomOpDomain(OrtCustomOpDomain* input) NO_EXCEPTION {
  if (input != NULL) {
    core_release_op_domain(input);
  }
}

CORE_SLOT(ort_AddCustomOpDomain, OrtSessionOptions* options, OrtCustomOpDomain* custom_op_domain) {
  return core_custom_ops_add(&options->custom_ops, custom_op_domain);
}

CORE_SLOT(ort_EnableOrtCustomOps, OrtSessionOptions* options) {
  CORE_FAIL(ORT_FAIL, "EnableOrtCustomOps: onnxruntime-extensions is not part of this library");
}

OrtStatus* core_register_library_v1(OrtSessionOptions* options, const OrtApiBase* base,
                                    const char* library_path, void** library_handle) {
  CORE_REQUIRE(RegisterCustomOpsLibrary, options, library_handle);
  CORE_FAIL_IF(library_path == NULL, ORT_RUNTIME_EXCEPTION,
               "RegisterCustomOpsLibrary: library_path must not be NULL");
  *library_handle = NULL;
  char error[CORE_LIBRARY_ERROR];
  void* library = core_library_open_utf8(library_path, error);
  CORE_RETURN_IF(library == NULL, core_status(ORT_FAIL, "RegisterCustomOpsLibrary: %s", error));
  CORE_TRY(
      core_named("RegisterCustomOpsLibrary",
                 core_register_op_library(&options->custom_ops, options, base, library, false)));
  *library_handle = library;
  return NULL;
}

CORE_SLOT(ort_RegisterCustomOpsLibrary, OrtSessionOptions* options, const char* library_path,
          void** library_handle) {
  return core_register_library_v1(options, core_api_base(), library_path, library_handle);
}

OrtStatus* core_register_library_v2(OrtSessionOptions* options, const OrtApiBase* base,
                                    const ORTCHAR_T* library_name) {
  CORE_REQUIRE(RegisterCustomOpsLibrary_V2, options);
  CORE_FAIL_IF(library_name == NULL, ORT_RUNTIME_EXCEPTION,
               "RegisterCustomOpsLibrary_V2: library_name must not be NULL");
  char error[CORE_LIBRARY_ERROR];
  void* library = core_library_open(library_name, error);
  CORE_RETURN_IF(library == NULL, core_status(ORT_FAIL, "RegisterCustomOpsLibrary_V2: %s", error));
  return core_named("RegisterCustomOpsLibrary_V2",
                    core_register_op_library(&options->custom_ops, options, base, library, true));
}

CORE_SLOT(ort_RegisterCustomOpsLibrary_V2, OrtSessionOptions* options,
          const ORTCHAR_T* library_name) {
  return core_register_library_v2(options, core_api_base(), library_name);
}

OrtStatus* core_register_function(OrtSessionOptions* options, const OrtApiBase* base,
                                  const char* registration_func_name) {
  CORE_REQUIRE(RegisterCustomOpsUsingFunction, options, registration_func_name);
  void* symbol = core_process_symbol(registration_func_name);
  CORE_RETURN_IF(
      symbol == NULL,
      core_status(ORT_FAIL,
                  "RegisterCustomOpsUsingFunction: neither the program nor a library opened "
                  "with RTLD_GLOBAL exports %s",
                  registration_func_name));
  RegisterCustomOpsFn registration;
  memcpy(&registration, &symbol, sizeof symbol);
  return core_register_ops(&options->custom_ops, registration, options, base);
}

CORE_SLOT(ort_RegisterCustomOpsUsingFunction, OrtSessionOptions* options,
          const char* registration_func_name) {
  return core_register_function(options, core_api_base(), registration_func_name);
}
