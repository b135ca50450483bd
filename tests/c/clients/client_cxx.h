/* SPDX-License-Identifier: MIT */
/* What the clients in C++ share: the table, and a failing status as an exception. */
#ifndef ORTCFFI_TESTS_CLIENT_CXX_H_
#define ORTCFFI_TESTS_CLIENT_CXX_H_

#include <stdexcept>

#include "client.h"
#include "onnxruntime_c_api.h"

static const OrtApi* g_ort = nullptr;

struct Error : std::runtime_error {
  Error(OrtErrorCode code, const char* message) : std::runtime_error(message), code(code) {}
  OrtErrorCode code;
};

static inline void check(OrtStatus* status) {
  if (status != nullptr) {
    Error error(g_ort->GetErrorCode(status), g_ort->GetErrorMessage(status));
    g_ort->ReleaseStatus(status);
    throw error;
  }
}

#endif /* ORTCFFI_TESTS_CLIENT_CXX_H_ */
