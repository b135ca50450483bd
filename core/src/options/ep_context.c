/* SPDX-License-Identifier: MIT */
#include "options/session_options.h"

#include "object/object.h"

static const struct core_class ep_context_class = {.kind = CORE_EP_CONTEXT};

CORE_SLOT(ort_SessionOptionsSetEpContextDataReadFunc, OrtSessionOptions* options,
          OrtReadNamedBufferFunc read_func, void* state) {
  CORE_REQUIRE_SAYING(SessionOptionsSetEpContextDataReadFunc, options,
                      "'options' parameter must not be NULL");
  options->settings.ep_context.read = read_func;
  options->settings.ep_context.read_state = read_func == NULL ? NULL : state;
  return NULL;
}

CORE_SLOT(ort_ep_SessionOptionsGetEpContextConfig, const OrtSessionOptions* session_options,
          OrtEpContextConfig** config) {
  CORE_REQUIRE_SAYING(SessionOptionsGetEpContextConfig, session_options,
                      "OrtSessionOptions is NULL");
  CORE_REQUIRE_SAYING(SessionOptionsGetEpContextConfig, config,
                      "Output OrtEpContextConfig is NULL");
  struct OrtEpContextConfig* made = core_new_object(&ep_context_class, sizeof *made);
  CORE_RETURN_IF(made == NULL, core_no_memory(sizeof *made));
  made->functions = session_options->settings.ep_context;
  *config = made;
  return NULL;
}

CORE_RELEASER(ort_ep_ReleaseEpContextConfig, OrtEpContextConfig)

CORE_SLOT(ort_ep_EpContextConfigGetEpContextDataReadFunc, const OrtEpContextConfig* config,
          OrtReadNamedBufferFunc* read_func, void** state) {
  CORE_REQUIRE_SAYING(EpContextConfigGetEpContextDataReadFunc, config,
                      "OrtEpContextConfig is NULL");
  CORE_REQUIRE_SAYING(EpContextConfigGetEpContextDataReadFunc, read_func,
                      "Output read_func is NULL");
  CORE_REQUIRE_SAYING(EpContextConfigGetEpContextDataReadFunc, state, "Output state is NULL");
  *read_func = config->functions.read;
  *state = config->functions.read_state;
  return NULL;
}

CORE_SLOT(ort_ep_EpContextConfigGetEpContextDataWriteFunc, const OrtEpContextConfig* config,
          OrtWriteNamedBufferFunc* write_func, void** state) {
  CORE_REQUIRE_SAYING(EpContextConfigGetEpContextDataWriteFunc, config,
                      "OrtEpContextConfig is NULL");
  CORE_REQUIRE_SAYING(EpContextConfigGetEpContextDataWriteFunc, write_func,
                      "Output write_func is NULL");
  CORE_REQUIRE_SAYING(EpContextConfigGetEpContextDataWriteFunc, state, "Output state is NULL");
  *write_func = config->functions.write;
  *state = config->functions.write_state;
  return NULL;
}
