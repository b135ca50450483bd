/* SPDX-License-Identifier: MIT */
/* Trials of custom ops and attributes of nodes. */
#include "faults.h"

#define LONG "a text that is longer than any name of an attribute"

static const OrtCustomOp op = {.version = ORT_API_VERSION};
static OrtCustomOpDomain* domain;
static OrtOpAttr* attribute;

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
    TRIAL("CreateOpAttr ReleaseOpAttr", NULL, create_attribute, release_attribute),
    TRIAL("ReadOpAttr OpAttr_GetType OpAttr_GetName", with_attribute, read_attribute, NULL),
    {"OpAttr_GetTensorAttributeAsOrtValue", with_attribute, read_tensor, NULL,
     ORT_INVALID_ARGUMENT},
    {NULL},
};

static void clean(void) {
  api->ReleaseCustomOpDomain(domain);
  api->ReleaseOpAttr(attribute);
}

const struct section custom_ops = {trials, clean};
