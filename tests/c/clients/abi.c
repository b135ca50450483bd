/* SPDX-License-Identifier: MIT */
/*
 * The layout that binaries rely on, in numbers. Nothing here comes from the slot lists: a list that
 * agrees with itself proves nothing.
 *
 * Most of it is decided when this compiles. What runs looks at the tables of the library given as
 * the first argument, as arrays of pointers.
 */
#include "table.h"

_Static_assert(sizeof(void*) == 8 && sizeof(size_t) == 8,
               "the numbers are those of 64-bit machines");

#define SLOT(number, name) \
  _Static_assert(offsetof(OrtApi, name) == (number) * 8, #name " is not in slot " #number)
#define FIELD(type, at, name) \
  _Static_assert(offsetof(type, name) == (at), #type "." #name " is not at " #at)
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has not " #bytes " bytes")

/* Where each version ends. 19, 21 and 26 brought nothing. */
SLOT(101, ReleaseCustomOpDomain);
SLOT(118, ReleaseModelMetadata);
SLOT(124, AddFreeDimensionOverrideByName);
SLOT(126, ReleaseAvailableProviders);
SLOT(149, SetGlobalSpinControl);
SLOT(157, ReleaseArenaCfg);
SLOT(161, GetCurrentGpuDeviceId);
SLOT(169, CreateSessionFromArrayWithPrepackedWeightsContainer);
SLOT(191, GetSparseTensorIndices);
SLOT(203, SynchronizeBoundOutputs);
SLOT(209, SessionOptionsAppendExecutionProvider_MIGraphX);
SLOT(218, ReleaseKernelInfo);
SLOT(224, ReleaseCANNProviderOptions);
SLOT(238, GetSessionConfigEntry);
SLOT(254, GetBuildInfoString);
SLOT(265, KernelContext_GetResource);
SLOT(275, SessionOptionsAppendExecutionProvider_OpenVINO_V2);
SLOT(279, AddExternalInitializersFromFilesInMemory);
SLOT(284, SetEpDynamicOptions);
SLOT(317, GetEpApi);
SLOT(389, CreateExternalInitializerInfo);
SLOT(413, RunOptionsSetSyncStream);
SLOT(418, SetPerSessionThreadPoolCallbacks);
SLOT(421, SessionReleaseCapturedGraph);
SLOT(423, KernelContext_GetSyncStream);
SLOT(424, SessionOptionsSetWeightlessSourceModelBuffer);
SLOT(425, KernelContext_GetPreallocatedOutput);
SLOT(427, GetModelPackageApi);
SLOT(428, EpDevice_GetMemoryCapacity);
SIZE(OrtApi, 3432);

SIZE(OrtApiBase, 16);
FIELD(OrtApiBase, 0, GetApi);
FIELD(OrtApiBase, 8, GetVersionString);

/* 56 bytes before version 25. */
SIZE(OrtAllocator, 64);
FIELD(OrtAllocator, 0, version);
FIELD(OrtAllocator, 8, Alloc);
FIELD(OrtAllocator, 16, Free);
FIELD(OrtAllocator, 24, Info);
FIELD(OrtAllocator, 32, Reserve);
FIELD(OrtAllocator, 40, GetStats);
FIELD(OrtAllocator, 48, AllocOnStream);
FIELD(OrtAllocator, 56, Shrink);

SIZE(OrtCustomOp, 208);
FIELD(OrtCustomOp, 0, version);
FIELD(OrtCustomOp, 8, CreateKernel);
FIELD(OrtCustomOp, 64, KernelCompute);
FIELD(OrtCustomOp, 72, KernelDestroy);
FIELD(OrtCustomOp, 96, GetInputMemoryType);
FIELD(OrtCustomOp, 136, CreateKernelV2);
FIELD(OrtCustomOp, 152, InferOutputShapeFn);
FIELD(OrtCustomOp, 200, ReleaseAliasMap);

SIZE(OrtEnvCreationOptions, 48);
FIELD(OrtEnvCreationOptions, 4, logging_severity_level);
FIELD(OrtEnvCreationOptions, 16, custom_logging_function);
FIELD(OrtEnvCreationOptions, 40, config_entries);

SIZE(OrtThreadPoolCallbacksConfig, 48);
SIZE(OrtCUDAProviderOptions, 64);
FIELD(OrtCUDAProviderOptions, 32, user_compute_stream);
SIZE(OrtROCMProviderOptions, 64);
FIELD(OrtROCMProviderOptions, 60, tunable_op_max_tuning_duration_ms);
SIZE(OrtTensorRTProviderOptions, 104);
FIELD(OrtTensorRTProviderOptions, 96, trt_force_sequential_engine_build);
SIZE(OrtMIGraphXProviderOptions, 88);
FIELD(OrtMIGraphXProviderOptions, 80, migraphx_arena_extend_strategy);
SIZE(OrtOpenVINOProviderOptions, 56);
FIELD(OrtOpenVINOProviderOptions, 49, enable_dynamic_shapes);

SIZE(OrtExternalMemoryDescriptor, 32);
SIZE(OrtExternalSemaphoreDescriptor, 16);
SIZE(OrtExternalTensorDescriptor, 32);
SIZE(OrtGraphicsInteropConfig, 24);
SIZE(OrtExternalMemoryHandle, 56);
SIZE(OrtExternalSemaphoreHandle, 40);

/* What plug-in execution providers fill in. */
SIZE(OrtDataTransferImpl, 32);
SIZE(OrtSyncNotificationImpl, 40);
SIZE(OrtSyncStreamImpl, 48);
SIZE(OrtExternalResourceImporterImpl, 88);
SIZE(OrtEpProfilerImpl, 48);
SIZE(OrtNodeFusionOptions, 8);
SIZE(OrtNodeComputeInfo, 32);
SIZE(OrtKernelImpl, 40);
SIZE(OrtLoopKernelHelper, 24);
SIZE(OrtScanKernelHelper, 24);
SIZE(OrtResourceCount, 56);
SIZE(OrtEp, 216);
FIELD(OrtEp, 208, GetEpContextDataCallbackSupport);
SIZE(OrtEpFactory, 176);
FIELD(OrtEpFactory, 168, GetDeviceMemoryCapacity);

/* The other tables. */
SIZE(OrtModelEditorApi, 160);
SIZE(OrtCompileApi, 160);
SIZE(OrtInteropApi, 104);
SIZE(OrtEpApi, 624);
SIZE(OrtModelPackageApi, 128);

static void check_no_null(const char* table, const void* pointers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (((void* const*)pointers)[i] == NULL) {
      fprintf(stderr, "slot %zu of %s is NULL\n", i, table);
      exit(1);
    }
  }
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  const OrtApi* api = table_of(argv[1]);
  check_no_null("OrtApi", api, sizeof *api / sizeof(void*));
  check_no_null("OrtModelEditorApi", api->GetModelEditorApi(), 20);
  check_no_null("OrtCompileApi", api->GetCompileApi(), 20);
  check_no_null("OrtInteropApi", api->GetInteropApi(), 13);
  check_no_null("OrtEpApi", api->GetEpApi(), 78);
  check_no_null("OrtModelPackageApi", api->GetModelPackageApi(), 16);
  puts("ok");
  return 0;
}
