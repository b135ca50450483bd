/* SPDX-License-Identifier: MIT */
/*
 * A custom-op library that asks for the API version ASKED and registers one op, unless NO_OP is
 * defined. FIRST runs before it asks for a table, WITH_TABLE after that. The struct of the op has
 * the version OP_VERSION, and OP_FIELDS are initialisers for more of its fields.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "own_domain.h"

#ifndef ASKED
#define ASKED ORT_API_VERSION
#endif
#ifndef FIRST
#define FIRST
#endif
#ifndef WITH_TABLE
#define WITH_TABLE
#endif
#ifndef OP_VERSION
#define OP_VERSION 1
#endif
#ifndef OP_FIELDS
#define OP_FIELDS
#endif

#if !defined(NO_OP)
static const char* ORT_API_CALL name(const OrtCustomOp* op) { return (void)op, "Nothing"; }
static size_t ORT_API_CALL none(const OrtCustomOp* op) { return (void)op, 0; }
static size_t ORT_API_CALL most(const OrtCustomOp* op) { return (void)op, SIZE_MAX; }
static void* ORT_API_CALL create(const OrtCustomOp* op, const OrtApi* given,
                                 const OrtKernelInfo* info) {
  return (void)op, (void)given, (void)info, NULL;
}
static OrtStatusPtr ORT_API_CALL create_v2(const OrtCustomOp* op, const OrtApi* given,
                                           const OrtKernelInfo* info, void** kernel) {
  return (void)op, (void)given, (void)info, (void)kernel, NULL;
}
/* Not every test uses each of them. */
static void* const functions[] = {(void*)none, (void*)most, (void*)create, (void*)create_v2};

static const OrtCustomOp op = {.version = OP_VERSION, .GetName = name, OP_FIELDS};

static OrtStatus* register_op(OrtSessionOptions* options) {
  (void)functions;
  OrtStatus* status = api->CreateCustomOpDomain("test.doctor", &domain);
  status = status == NULL ? api->CustomOpDomain_Add(domain, &op) : status;
  return status == NULL ? api->AddCustomOpDomain(options, domain) : status;
}
#else
#define register_op(options) NULL
#endif

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* base) NO_EXCEPTION {
  (void)options;
  FIRST;
  api = base->GetApi(ASKED);
  if (api == NULL) {
    return NULL;
  }
  WITH_TABLE;
  return register_op(options);
}
