// SPDX-License-Identifier: MIT
// A library of one custom op in C++: Checked copies its input, and throws for a negative element.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "onnxruntime_c_api.h"

namespace {

const OrtApi* api;

struct Kernel {
  void Compute(OrtKernelContext* context) const {
    const OrtValue* x = nullptr;
    OrtValue* y = nullptr;
    OrtTensorTypeAndShapeInfo* info = nullptr;
    size_t count = 0;
    void *from = nullptr, *to = nullptr;
    Check(api->KernelContext_GetInput(context, 0, &x));
    Check(api->GetTensorTypeAndShape(x, &info));
    OrtStatus* status = api->GetTensorShapeElementCount(info, &count);
    api->ReleaseTensorTypeAndShapeInfo(info);
    Check(status);
    const int64_t shape[] = {static_cast<int64_t>(count)};
    Check(api->KernelContext_GetOutput(context, 0, shape, 1, &y));
    Check(api->GetTensorMutableData(const_cast<OrtValue*>(x), &from));
    Check(api->GetTensorMutableData(y, &to));
    for (size_t i = 0; i < count; i++) {
      const float value = static_cast<const float*>(from)[i];
      if (value < 0) {
        throw std::invalid_argument("element " + std::to_string(i) + " is negative");
      }
      static_cast<float*>(to)[i] = value;
    }
  }

  static void Check(OrtStatus* status) {
    if (status != nullptr) {
      std::string text = api->GetErrorMessage(status);
      api->ReleaseStatus(status);
      throw std::runtime_error(text);
    }
  }
};

OrtCustomOp MakeOp() {
  OrtCustomOp op{};
  op.version = 8;
  op.CreateKernel = [](const OrtCustomOp*, const OrtApi* given, const OrtKernelInfo*) -> void* {
    api = given;
    return new Kernel;
  };
  op.GetName = [](const OrtCustomOp*) { return "Checked"; };
  op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
  op.GetInputTypeCount = op.GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op.GetInputType = op.GetOutputType = [](const OrtCustomOp*, size_t) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  };
  op.GetInputCharacteristic =
      op.GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.KernelCompute = [](void* kernel, OrtKernelContext* context) {
    static_cast<Kernel*>(kernel)->Compute(context);
  };
  op.KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
  return op;
}

// Sessions use it until this library is unloaded.
using Domain = std::unique_ptr<OrtCustomOpDomain, decltype(OrtApi::ReleaseCustomOpDomain)>;

OrtStatus* MakeDomain(const OrtApi* table, Domain& domain) {
  static const OrtCustomOp op = MakeOp();
  OrtCustomOpDomain* made = nullptr;
  OrtStatus* status = table->CreateCustomOpDomain("my.domain", &made);
  if (status != nullptr) {
    return status;
  }
  Domain fresh(made, table->ReleaseCustomOpDomain);
  status = table->CustomOpDomain_Add(made, &op);
  if (status == nullptr) {
    domain = std::move(fresh);
  }
  return status;
}

}  // namespace

extern "C" ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                                const OrtApiBase* base) {
  static Domain domain(nullptr, nullptr);
  const OrtApi* table = base->GetApi(8);
  if (table == nullptr) {  // an older host, whose version 1 can make a status
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "Checked needs ONNX Runtime 1.8 or newer");
  }
  OrtStatus* status = domain == nullptr ? MakeDomain(table, domain) : nullptr;
  return status == nullptr ? table->AddCustomOpDomain(options, domain.get()) : status;
}
