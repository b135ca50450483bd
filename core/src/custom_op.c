/* SPDX-License-Identifier: MIT */
#include "custom_op.h"

ORT_API_STATUS_IMPL(ort_CreateCustomOpDomain, const char* domain, OrtCustomOpDomain** out) {
  CORE_REQUIRE(CreateCustomOpDomain, domain);
  CORE_REQUIRE(CreateCustomOpDomain, out);
  return core_new_op_domain("CreateCustomOpDomain", domain, out);
}

ORT_API_STATUS_IMPL(ort_CustomOpDomain_Add, OrtCustomOpDomain* custom_op_domain,
                    const OrtCustomOp* op) {
  CORE_REQUIRE(CustomOpDomain_Add, custom_op_domain);
  CORE_REQUIRE(CustomOpDomain_Add, op);
  return core_op_domain_add("CustomOpDomain_Add", custom_op_domain, op);
}

void ORT_API_CALL ort_ReleaseCustomOpDomain(OrtCustomOpDomain* input) NO_EXCEPTION {
  if (input != NULL) {
    core_release_op_domain(input);
  }
}
