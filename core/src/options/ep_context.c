/* SPDX-License-Identifier: MIT */
#include "options/session_options.h"

static const struct core_class ep_context_class = {.kind = CORE_EP_CONTEXT};

CORE_SLOT(ort_SessionOptionsSetEpContextDataReadFunc, OrtSessionOptions* options,
          OrtReadNamedBufferFunc read_func, void* state) {
  options->settings.ep_context.read = read_func;
  options->settings.ep_context.read_state = read_func == NULL ? NULL : state;
  return NULL;
}

CORE_SLOT(ort_ep_SessionOptionsGetEpContextConfig, const OrtSessionOptions* session_options,
          OrtEpContextConfig** config) {
  CORE_NEW(struct OrtEpContextConfig, made, &ep_context_class);
  made->functions = session_options->settings.ep_context;
  *config = made;
  return NULL;
}

CORE_RELEASER(ort_ep_ReleaseEpContextConfig, OrtEpContextConfig)

CORE_PAIR_GETTER(ort_ep_EpContextConfigGetEpContextDataReadFunc, OrtReadNamedBufferFunc,
                 config->functions.read, void*, config->functions.read_state,
                 const OrtEpContextConfig* config)
CORE_PAIR_GETTER(ort_ep_EpContextConfigGetEpContextDataWriteFunc, OrtWriteNamedBufferFunc,
                 config->functions.write, void*, config->functions.write_state,
                 const OrtEpContextConfig* config)
