/* SPDX-License-Identifier: MIT */
/* The input is the file of a model. The fuzzer of calls changes two models that it makes itself;
 * this one begins with any files. */
#include "../fuzz.h"

/* Needs CHECK. */
#include "../../c/clients/walk_model.h"

const OrtApi* api;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  api = core_api_base()->GetApi(ORT_API_VERSION);
  walk_model(data, size);
  must_be_empty();
  return 0;
}
