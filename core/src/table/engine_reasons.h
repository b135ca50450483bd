/* SPDX-License-Identifier: MIT */
/**
 * @file engine_reasons.h
 * Why the core answers a slot with ORT_NOT_IMPLEMENTED: for each table with rows whose column `who`
 * is ENGINE and that return a status, the end of their messages. Of the others, releases are for
 * objects that no row makes, and GetTrainingApi is NULL in most builds of the real library, too.
 */
#pragma once

#define CORE_WHY_OrtApi                                                                     \
  "it is for providers that a library is built with, of which the core has none: register " \
  "a library of the provider"
#define CORE_WHY_OrtEpApi "sessions of the core share no packed weights"
#define CORE_WHY_OrtModelPackageApi "it reads no model packages; the library onnxruntime does"
