/* SPDX-License-Identifier: MIT */
/* The table and the domain of a library of custom ops, which releases it when it is unloaded. */
#ifndef ORTCFFI_TESTS_OWN_DOMAIN_H_
#define ORTCFFI_TESTS_OWN_DOMAIN_H_

#include "onnxruntime_c_api.h"

static const OrtApi* api;
static OrtCustomOpDomain* domain;

static void __attribute__((destructor)) release_domain(void) {
  if (api != NULL) {
    api->ReleaseCustomOpDomain(domain);
  }
}

#endif /* ORTCFFI_TESTS_OWN_DOMAIN_H_ */
