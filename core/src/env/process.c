/* SPDX-License-Identifier: MIT */
/* Slots that concern the whole process: providers, telemetry, GPU device, thread-pool callbacks. */

#include "heap/heap.h"

CORE_SLOT(ort_EnableTelemetryEvents, const OrtEnv* env) { return NULL; }

CORE_SLOT(ort_DisableTelemetryEvents, const OrtEnv* env) { return NULL; }

CORE_SLOT(ort_SetLanguageProjection, const OrtEnv* ort_env, OrtLanguageProjection projection) {
  return NULL;
}

CORE_SLOT(ort_SetCurrentGpuDeviceId, int device_id) {
  CORE_FAIL(ORT_FAIL, "SetCurrentGpuDeviceId: this library has no CUDA");
}

CORE_SLOT(ort_GetCurrentGpuDeviceId, int* device_id) {
  CORE_FAIL(ORT_FAIL, "GetCurrentGpuDeviceId: this library has no CUDA");
}

/* Answers one block: the array with a terminating NULL, then the names. */
CORE_SLOT(ort_GetAvailableProviders, char*** out_ptr, int* provider_length) {
  static const char cpu[] = "CPUExecutionProvider";
  char** providers = heap_alloc(2 * sizeof *providers + sizeof cpu);
  CORE_NEED_MEMORY(providers, 2 * sizeof *providers + sizeof cpu);
  providers[0] = memcpy(providers + 2, cpu, sizeof cpu);
  providers[1] = NULL;
  *out_ptr = providers;
  *provider_length = 1;
  return NULL;
}

CORE_SLOT(ort_ReleaseAvailableProviders, char** ptr, int providers_length) {
  heap_free(ptr);
  return NULL;
}

/* Fails as the builds of ONNX Runtime in the wheels do: they have no thread-pool callbacks. */
CORE_SLOT(ort_SetPerSessionThreadPoolCallbacks, OrtEnv* env,
          const OrtThreadPoolCallbacksConfig* config) {
  CORE_FAIL_IF(config->version == 0 || config->version > ORT_API_VERSION, ORT_INVALID_ARGUMENT,
               "SetPerSessionThreadPoolCallbacks: config->version must be from 1 to " CORE_TEXT(
                   ORT_API_VERSION));
  CORE_FAIL(ORT_NOT_IMPLEMENTED,
            "SetPerSessionThreadPoolCallbacks: this library calls no functions about the work of "
            "threads");
}
