// SPDX-License-Identifier: MIT
// A library of one custom op in C++ on strings: Join puts elements together. Its first input, what
// stands between them, is optional; any number of inputs follows. The attribute `prefix` is
// optional too.
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

std::vector<int64_t> ShapeOf(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  Check(api->GetTensorTypeAndShape(value, &info));
  const std::unique_ptr<OrtTensorTypeAndShapeInfo, decltype(api->ReleaseTensorTypeAndShapeInfo)>
      holder(info, api->ReleaseTensorTypeAndShapeInfo);
  size_t rank = 0;
  Check(api->GetDimensionsCount(info, &rank));
  std::vector<int64_t> shape(rank);
  Check(api->GetDimensions(info, shape.data(), rank));
  return shape;
}

// Strings have a length, and may have zero bytes.
std::string ElementOf(const OrtValue* value, size_t index) {
  size_t length = 0;
  Check(api->GetStringTensorElementLength(value, index, &length));
  std::string text(length, '\0');
  Check(api->GetStringTensorElement(value, length, index, text.data()));
  return text;
}

// The first call asks for the size, which includes a zero byte; where it fails, there is none.
std::string PrefixOf(const OrtKernelInfo* info) {
  size_t size = 0;
  if (OrtStatus* status = api->KernelInfoGetAttribute_string(info, "prefix", nullptr, &size)) {
    api->ReleaseStatus(status);
    return "";
  }
  std::string text(size, '\0');
  Check(api->KernelInfoGetAttribute_string(info, "prefix", text.data(), &size));
  text.resize(size - 1);
  return text;
}

struct Kernel {
  explicit Kernel(const OrtKernelInfo* info) : prefix(PrefixOf(info)) {}

  void Compute(OrtKernelContext* context) const {
    size_t inputs = 0;
    Check(api->KernelContext_GetInputCount(context, &inputs));
    const OrtValue* separator = nullptr;  // stays NULL where the input is not there
    Check(api->KernelContext_GetInput(context, 0, &separator));
    const std::string between = separator == nullptr ? "" : ElementOf(separator, 0);
    std::vector<const OrtValue*> parts(inputs - 1);
    for (size_t i = 0; i < parts.size(); i++) {
      Check(api->KernelContext_GetInput(context, i + 1, &parts[i]));
      if (ShapeOf(parts[i]) != ShapeOf(parts[0])) {
        throw std::invalid_argument("Join: input " + std::to_string(i + 1) + " has another shape");
      }
    }
    const std::vector<int64_t> shape = ShapeOf(parts[0]);
    OrtValue* joined = nullptr;
    Check(api->KernelContext_GetOutput(context, 0, shape.data(), shape.size(), &joined));
    size_t count = 1;
    for (const int64_t size : shape) {
      count *= static_cast<size_t>(size);
    }
    for (size_t element = 0; element < count; element++) {
      std::string text = prefix + ElementOf(parts[0], element);
      for (size_t i = 1; i < parts.size(); i++) {
        text += between + ElementOf(parts[i], element);
      }
      Check(api->FillStringTensorElement(joined, text.c_str(), element));
    }
  }

  std::string prefix;
};

OrtCustomOp MakeOp() {
  OrtCustomOp op{};
  op.version = 16;
  op.GetName = [](const OrtCustomOp*) { return "Join"; };
  op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
  op.GetInputTypeCount = [](const OrtCustomOp*) -> size_t { return 2; };
  op.GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op.GetInputType = op.GetOutputType = [](const OrtCustomOp*, size_t) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  };
  op.GetInputCharacteristic = [](const OrtCustomOp*, size_t index) {
    return index == 0 ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_VARIADIC;
  };
  op.GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  // ONNX Runtime calls those of the outputs as well, though none is variadic.
  op.GetVariadicInputMinArity = op.GetVariadicOutputMinArity = [](const OrtCustomOp*) { return 1; };
  op.GetVariadicInputHomogeneity =
      op.GetVariadicOutputHomogeneity = [](const OrtCustomOp*) { return 1; };
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
    return base->GetApi(1)->CreateStatus(ORT_FAIL, "Join needs ONNX Runtime 1.16 or newer");
  }
  if (domain == nullptr) {
    OrtCustomOpDomain* made = nullptr;
    OrtStatus* status = api->CreateCustomOpDomain("my.text", &made);
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
