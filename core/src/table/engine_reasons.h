/* SPDX-License-Identifier: MIT */
/**
 * @file engine_reasons.h
 * Why the core answers a slot with ORT_NOT_IMPLEMENTED: for each row whose column `who` is ENGINE
 * and that returns a status, the end of its message. A row without one does not compile. Of the
 * others, releases are for objects that no row makes, and GetTrainingApi is NULL in most builds of
 * the real library, too.
 */
#pragma once

#define BUILT_IN                                                                            \
  "it is for providers that a library is built with, of which the core has none: register " \
  "a library of the provider"
#define NO_PACKAGES "it reads no model packages; the library onnxruntime does"

#define CORE_WHY_SessionOptionsAppendExecutionProvider_CUDA BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_ROCM BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_OpenVINO BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_TensorRT BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_TensorRT_V2 BUILT_IN
#define CORE_WHY_CreateTensorRTProviderOptions BUILT_IN
#define CORE_WHY_UpdateTensorRTProviderOptions BUILT_IN
#define CORE_WHY_GetTensorRTProviderOptionsAsString BUILT_IN
#define CORE_WHY_GetExecutionProviderApi BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_CUDA_V2 BUILT_IN
#define CORE_WHY_CreateCUDAProviderOptions BUILT_IN
#define CORE_WHY_UpdateCUDAProviderOptions BUILT_IN
#define CORE_WHY_GetCUDAProviderOptionsAsString BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_MIGraphX BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_CANN BUILT_IN
#define CORE_WHY_CreateCANNProviderOptions BUILT_IN
#define CORE_WHY_UpdateCANNProviderOptions BUILT_IN
#define CORE_WHY_GetCANNProviderOptionsAsString BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_Dnnl BUILT_IN
#define CORE_WHY_CreateDnnlProviderOptions BUILT_IN
#define CORE_WHY_UpdateDnnlProviderOptions BUILT_IN
#define CORE_WHY_GetDnnlProviderOptionsAsString BUILT_IN
#define CORE_WHY_CreateROCMProviderOptions BUILT_IN
#define CORE_WHY_UpdateROCMProviderOptions BUILT_IN
#define CORE_WHY_GetROCMProviderOptionsAsString BUILT_IN
#define CORE_WHY_UpdateTensorRTProviderOptionsWithValue BUILT_IN
#define CORE_WHY_GetTensorRTProviderOptionsByName BUILT_IN
#define CORE_WHY_UpdateCUDAProviderOptionsWithValue BUILT_IN
#define CORE_WHY_GetCUDAProviderOptionsByName BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_OpenVINO_V2 BUILT_IN
#define CORE_WHY_SessionOptionsAppendExecutionProvider_VitisAI BUILT_IN
#define CORE_WHY_SharedPrePackedWeightCache_StoreWeightData \
  "sessions of the core share no packed weights"
#define CORE_WHY_CreateModelPackageOptionsFromSessionOptions NO_PACKAGES
#define CORE_WHY_CreateModelPackageContext NO_PACKAGES
#define CORE_WHY_ModelPackage_GetSchemaVersion NO_PACKAGES
#define CORE_WHY_ModelPackage_GetComponentCount NO_PACKAGES
#define CORE_WHY_ModelPackage_GetComponentNames NO_PACKAGES
#define CORE_WHY_ModelPackage_GetVariantCount NO_PACKAGES
#define CORE_WHY_ModelPackage_GetVariantNames NO_PACKAGES
#define CORE_WHY_ModelPackage_GetVariantEpName NO_PACKAGES
#define CORE_WHY_ModelPackage_ResolveStringRef NO_PACKAGES
#define CORE_WHY_SelectComponent NO_PACKAGES
#define CORE_WHY_ModelPackageComponent_GetSelectedVariantName NO_PACKAGES
#define CORE_WHY_ModelPackageComponent_GetSelectedVariantFolderPath NO_PACKAGES
#define CORE_WHY_CreateSession NO_PACKAGES
