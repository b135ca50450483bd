// SPDX-License-Identifier: MIT
// A library of one custom op in C++: SoftClip bends what is beyond the attribute `limit`.
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "onnxruntime_c_api.h"

namespace {

const OrtApi* api;

void Check(OrtStatus* status) {
  if (status != nullptr) {
    const std::string text = api->GetErrorMessage(status);
    api->ReleaseStatus(status);
    throw std::runtime_error(text);
  }
}

// What throws in an op becomes a status: exceptions must not reach the library that called.
template <typename Function>
OrtStatus* Guard(const Function& function) {
  try {
    function();
    return nullptr;
  } catch (const std::exception& error) {
    return api->CreateStatus(ORT_FAIL, error.what());
  }
}

struct Kernel {
  explicit Kernel(const OrtKernelInfo* info) {
    Check(api->KernelInfoGetAttribute_float(info, "limit", &limit));
  }

  void Compute(OrtKernelContext* context) const {
    const OrtValue* x = nullptr;
    Check(api->KernelContext_GetInput(context, 0, &x));
    OrtTensorTypeAndShapeInfo* info = nullptr;
    Check(api->GetTensorTypeAndShape(x, &info));
    const std::unique_ptr<OrtTensorTypeAndShapeInfo, decltype(api->ReleaseTensorTypeAndShapeInfo)>
        holder(info, api->ReleaseTensorTypeAndShapeInfo);
    size_t rank = 0, count = 0;
    Check(api->GetDimensionsCount(info, &rank));
    Check(api->GetTensorShapeElementCount(info, &count));
    std::vector<int64_t> shape(rank);
    Check(api->GetDimensions(info, shape.data(), rank));
    OrtValue* y = nullptr;
    Check(api->KernelContext_GetOutput(context, 0, shape.data(), rank, &y));
    void *from = nullptr, *to = nullptr;
    Check(api->GetTensorMutableData(const_cast<OrtValue*>(x), &from));
    Check(api->GetTensorMutableData(y, &to));
    for (size_t i = 0; i < count; i++) {
      static_cast<float*>(to)[i] = Bend(static_cast<const float*>(from)[i]);
    }
  }

  float Bend(float x) const {
    const float beyond = std::fabs(x) - limit;
    return beyond <= 0 ? x : std::copysign(limit + std::log1p(beyond), x);
  }

  float limit = 0;
};

OrtCustomOp MakeOp() {
  OrtCustomOp op{};
  op.version = 16;
  op.GetName = [](const OrtCustomOp*) { return "SoftClip"; };
  op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
  op.GetInputTypeCount = op.GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op.GetInputType = op.GetOutputType = [](const OrtCustomOp*, size_t) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  };
  op.GetInputCharacteristic =
      op.GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
  op.CreateKernelV2 = [](const OrtCustomOp*, const OrtApi*, const OrtKernelInfo* info,
                         void** kernel) -> OrtStatusPtr {
    return Guard([&] { *kernel = new Kernel(info); });
  };
  op.KernelComputeV2 = [](void* kernel, OrtKernelContext* context) -> OrtStatusPtr {
    return Guard([&] { static_cast<Kernel*>(kernel)->Compute(context); });
  };
  op.KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
  return op;
}

// Sessions use it until this library is unloaded.
using Domain = std::unique_ptr<OrtCustomOpDomain, decltype(OrtApi::ReleaseCustomOpDomain)>;

}  // namespace

extern "C" ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                                const OrtApiBase* base) {
  static const OrtCustomOp op = MakeOp();
  static Domain domain(nullptr, nullptr);
  api = base->GetApi(16);
  if (api == nullptr) {  // an older host, whose version 1 can make a status
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "SoftClip needs ONNX Runtime 1.16 or newer");
  }
  if (domain == nullptr) {
    OrtCustomOpDomain* made = nullptr;
    OrtStatus* status = api->CreateCustomOpDomain("my.domain", &made);
    if (status != nullptr) {
      return status;
    }
    Domain fresh(made, api->ReleaseCustomOpDomain);
    status = api->CustomOpDomain_Add(made, &op);
    if (status != nullptr) {
      return status;
    }
    domain = std::move(fresh);
  }
  return api->AddCustomOpDomain(options, domain.get());
}
