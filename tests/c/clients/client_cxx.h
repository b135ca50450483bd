/* SPDX-License-Identifier: MIT */
/* What the clients in C++ share: the table, a failing status as an exception, and handles that
 * release themselves. */
#ifndef ORTCFFI_TESTS_CLIENT_CXX_H_
#define ORTCFFI_TESTS_CLIENT_CXX_H_

#include <memory>
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

struct Release {
  void operator()(OrtValue* x) const noexcept { g_ort->ReleaseValue(x); }
  void operator()(OrtMemoryInfo* x) const noexcept { g_ort->ReleaseMemoryInfo(x); }
  void operator()(OrtKeyValuePairs* x) const noexcept { g_ort->ReleaseKeyValuePairs(x); }
  void operator()(OrtTensorTypeAndShapeInfo* x) const noexcept {
    g_ort->ReleaseTensorTypeAndShapeInfo(x);
  }
};
template <class Handle>
using Owned = std::unique_ptr<Handle, Release>;

/* Calls a function whose last parameter is the new handle. */
template <class Handle, class... Parameters, class... Arguments>
Owned<Handle> make(OrtStatus*(ORT_API_CALL* function)(Parameters...), Arguments... arguments) {
  Handle* handle = nullptr;
  check(function(arguments..., &handle));
  return Owned<Handle>(handle);
}

#endif /* ORTCFFI_TESTS_CLIENT_CXX_H_ */
