/* SPDX-License-Identifier: MIT */
/* Trials of custom ops and attributes of nodes. */
#include "faults.h"

#define LONG "a text that is longer than any name of an attribute"

static const OrtCustomOp op = {.version = ORT_API_VERSION};
static OrtCustomOpDomain* domain;
static OrtOpAttr* attribute;
static OrtSessionOptions* options_;

static OrtStatus* create_domain(void** out) {
  return api->CreateCustomOpDomain("domain", (OrtCustomOpDomain**)out);
}
static void release_domain(void* out) { api->ReleaseCustomOpDomain(out); }
static void with_full_domain(void) {
  CHECK(create_domain((void**)&domain) == NULL);
  for (size_t i = 0; i < 8; i++) {
    CHECK(api->CustomOpDomain_Add(domain, &op) == NULL);
  }
}
static OrtStatus* add_op(void** out) { return (void)out, api->CustomOpDomain_Add(domain, &op); }

static void with_options(void) {
  CHECK(create_domain((void**)&domain) == NULL);
  CHECK(api->CreateSessionOptions(&options_) == NULL);
}
static OrtStatus* add_domain(void** out) {
  return (void)out, api->AddCustomOpDomain(options_, domain);
}
static OrtStatus* enable(void** out) { return (void)out, api->EnableOrtCustomOps(options_); }
/* Found by its name, since the program exports it. */
CORE_EXPORT OrtStatus* register_for_trial(OrtSessionOptions* options, const OrtApiBase* base) {
  (void)base;
  return api->AddCustomOpDomain(options, domain);
}
static OrtStatus* register_by_name(void** out) {
  return (void)out, api->RegisterCustomOpsUsingFunction(options_, "register_for_trial");
}
/* The handle is NULL after a failure, as in the reference. */
static OrtStatus* register_library(void** out) {
  void* library = NULL;
  CORE_TRY(api->RegisterCustomOpsLibrary(options_, CUSTOM_OPS, &library));
  *out = library;
  return NULL;
}
static OrtStatus* register_no_library(void** out) {
  void* library;
  return (void)out, api->RegisterCustomOpsLibrary(options_, "none", &library);
}
static OrtStatus* register_kept_library(void** out) {
  return (void)out, api->RegisterCustomOpsLibrary_V2(options_, ORT_TSTR(CUSTOM_OPS));
}

static OrtStatus* create_attribute(void** out) {
  const char* const texts[] = {LONG, ""};
  return api->CreateOpAttr("name", texts, 2, ORT_OP_ATTR_STRINGS, (OrtOpAttr**)out);
}
static void release_attribute(void* out) { api->ReleaseOpAttr(out); }
static void with_attribute(void) { CHECK(create_attribute((void**)&attribute) == NULL); }
static OrtStatus* read_attribute(void** out) {
  char bytes[100];
  OrtOpAttrType type;
  const char* name;
  size_t size;
  (void)out;
  CORE_TRY(api->OpAttr_GetType(attribute, &type));
  CORE_TRY(api->OpAttr_GetName(attribute, &name));
  return api->ReadOpAttr(attribute, ORT_OP_ATTR_STRINGS, bytes, sizeof bytes, &size);
}
static OrtStatus* read_tensor(void** out) {
  return api->OpAttr_GetTensorAttributeAsOrtValue(attribute, (OrtValue**)out);
}

static const struct trial trials[] = {
    TRIAL("CreateCustomOpDomain ReleaseCustomOpDomain", NULL, create_domain, release_domain),
    TRIAL("CustomOpDomain_Add", with_full_domain, add_op, NULL),
    TRIAL("AddCustomOpDomain", with_options, add_domain, NULL),
    {"EnableOrtCustomOps", with_options, enable, NULL, ORT_FAIL},
    TRIAL("RegisterCustomOpsUsingFunction", with_options, register_by_name, NULL),
    TRIAL("RegisterCustomOpsLibrary", with_options, register_library, close_library),
    {"RegisterCustomOpsLibrary of none", with_options, register_no_library, NULL, ORT_FAIL},
    TRIAL("RegisterCustomOpsLibrary_V2", with_options, register_kept_library, NULL),
    TRIAL("CreateOpAttr ReleaseOpAttr", NULL, create_attribute, release_attribute),
    TRIAL("ReadOpAttr OpAttr_GetType OpAttr_GetName", with_attribute, read_attribute, NULL),
    {"OpAttr_GetTensorAttributeAsOrtValue", with_attribute, read_tensor, NULL,
     ORT_INVALID_ARGUMENT},
    {NULL},
};

static void clean(void) {
  api->ReleaseSessionOptions(options_);
  api->ReleaseCustomOpDomain(domain);
  api->ReleaseOpAttr(attribute);
}

const struct section custom_ops = {trials, clean};
