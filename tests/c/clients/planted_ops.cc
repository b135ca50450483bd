// SPDX-License-Identifier: MIT
// Custom ops that multiply by the attribute `factor`, each with one bug, which its name says; and
// `Right`, without one. Compiled with -DASKS=99 the library asks for a table that no host has.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <vector>

#include "onnxruntime_c_api.h"

#ifndef ASKS
#define ASKS 17
#endif

namespace {

enum class Bug {
  kNone,
  kWritesBeyond,
  kWritesInput,
  kLeavesLastUnwritten,
  kWritesDoubles,
  kInfersOtherShape,
  kKeepsAttributeInStatic,
  kNeverReadsAttribute,
  kKeepsState,
  kCrashes,
  kCrashesOnEmpty,
  kLoopsOnEmpty,
  kHasNoDestroy,
  kThrows,
  kLeaksInfo,
  kLeaksStatus,
  kLeaksNew,
  kDestroysNothing,
  kRaces,
  kReadsBeyond,
};

constexpr const char* kNames[] = {
    "Right",
    "WritesBeyond",
    "WritesInput",
    "LeavesLastUnwritten",
    "WritesDoubles",
    "InfersOtherShape",
    "KeepsAttributeInStatic",
    "NeverReadsAttribute",
    "KeepsState",
    "Crashes",
    "CrashesOnEmpty",
    "LoopsOnEmpty",
    "HasNoDestroy",
    "Throws",
    "LeaksInfo",
    "LeaksStatus",
    "LeaksNew",
    "DestroysNothing",
    "Races",
    "ReadsBeyond",
};

const OrtApi* api;
float shared_factor;

struct Op : OrtCustomOp {
  Bug bug;
};

struct Kernel {
  Bug bug;
  float factor = 1;
  float calls = 0;
  float* left = nullptr;
  std::vector<float> scratch{};
};

OrtStatus* Create(const OrtCustomOp* op, const OrtApi*, const OrtKernelInfo* info, void** out) {
  auto* kernel = new Kernel{static_cast<const Op*>(op)->bug};
  if (kernel->bug != Bug::kNeverReadsAttribute) {
    OrtStatus* status = api->KernelInfoGetAttribute_float(info, "factor", &kernel->factor);
    if (kernel->bug != Bug::kLeaksStatus) {
      api->ReleaseStatus(status);  // there is a default
    }
  }
  shared_factor = kernel->factor;
  *out = kernel;
  return nullptr;
}

struct Call {
  const float* from;
  float* to;
  size_t count;
};

Call Open(OrtKernelContext* context, bool leaks) {
  const OrtValue* x = nullptr;
  OrtValue* y = nullptr;
  OrtTensorTypeAndShapeInfo* info = nullptr;
  size_t rank = 0, count = 0;
  api->ReleaseStatus(api->KernelContext_GetInput(context, 0, &x));
  api->ReleaseStatus(api->GetTensorTypeAndShape(x, &info));
  api->ReleaseStatus(api->GetDimensionsCount(info, &rank));
  api->ReleaseStatus(api->GetTensorShapeElementCount(info, &count));
  std::vector<int64_t> shape(rank);
  api->ReleaseStatus(api->GetDimensions(info, shape.data(), rank));
  if (!leaks) {
    api->ReleaseTensorTypeAndShapeInfo(info);
  }
  api->ReleaseStatus(api->KernelContext_GetOutput(context, 0, shape.data(), rank, &y));
  void *from = nullptr, *to = nullptr;
  api->ReleaseStatus(api->GetTensorMutableData(const_cast<OrtValue*>(x), &from));
  api->ReleaseStatus(api->GetTensorMutableData(y, &to));
  return {static_cast<const float*>(from), static_cast<float*>(to), count};
}

// What goes wrong before or after the right computation.
void Disturb(Kernel* kernel, const Call& call) {
  switch (kernel->bug) {
    case Bug::kWritesBeyond:
      call.to[call.count] = 1;
      break;
    case Bug::kWritesInput:
      if (call.count > 0) const_cast<float*>(call.from)[call.count - 1] += 1;
      break;
    case Bug::kWritesDoubles:
      for (size_t i = 0; i < call.count; i++) {
        reinterpret_cast<double*>(call.to)[i] = call.from[i];
      }
      break;
    case Bug::kCrashes:
      *static_cast<volatile int*>(nullptr) = 1;
      break;
    case Bug::kCrashesOnEmpty:
      if (call.count == 0) *static_cast<volatile int*>(nullptr) = 1;
      break;
    case Bug::kLoopsOnEmpty:
      for (std::atomic<int> forever{1}; call.count == 0 && forever != 0;) {
      }
      break;
    case Bug::kThrows:
      throw std::runtime_error("thrown across the C API");
    case Bug::kLeaksNew:
      kernel->left = new float[call.count + 8];
      break;
    case Bug::kReadsBeyond:
      if (call.count > 0) kernel->calls = static_cast<const volatile float*>(call.from)[call.count];
      break;
    default:
      break;
  }
}

OrtStatus* Compute(void* state, OrtKernelContext* context) {
  auto* kernel = static_cast<Kernel*>(state);
  const Call call = Open(context, kernel->bug == Bug::kLeaksInfo);
  float factor = kernel->bug == Bug::kKeepsAttributeInStatic ? shared_factor : kernel->factor;
  if (kernel->bug == Bug::kKeepsState) {
    factor += kernel->calls++;
  }
  size_t count = call.count;
  if (kernel->bug == Bug::kLeavesLastUnwritten && count > 0) {
    count--;
  }
  if (kernel->bug == Bug::kRaces) {
    kernel->scratch.resize(count < 200'000 ? 200'000 : count);  // once, or threads would crash
    for (size_t i = 0; i < count; i++) kernel->scratch[i] = factor * call.from[i];
    if (count >= 200'000) {  // or a busy machine may run one call after the other
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (size_t i = 0; i < count; i++) call.to[i] = kernel->scratch[i];
  } else {
    for (size_t i = 0; i < count; i++) call.to[i] = factor * call.from[i];
  }
  Disturb(kernel, call);
  return nullptr;
}

OrtStatus* Infer(const OrtCustomOp* op, OrtShapeInferContext* context) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  OrtStatus* status = api->ShapeInferContext_GetInputTypeShape(context, 0, &info);
  if (status != nullptr) {
    return status;
  }
  if (static_cast<const Op*>(op)->bug != Bug::kInfersOtherShape) {
    return api->ShapeInferContext_SetOutputTypeShape(context, 0, info);
  }
  const int64_t shape[] = {7, 7, 7, 7, 7};
  OrtTensorTypeAndShapeInfo* other = nullptr;
  api->ReleaseStatus(api->CreateTensorTypeAndShapeInfo(&other));
  api->ReleaseStatus(api->SetTensorElementType(other, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT));
  api->ReleaseStatus(api->SetDimensions(other, shape, 5));
  status = api->ShapeInferContext_SetOutputTypeShape(context, 0, other);
  api->ReleaseTensorTypeAndShapeInfo(other);
  return status;
}

void Destroy(void* state) {
  auto* kernel = static_cast<Kernel*>(state);
  if (kernel->bug != Bug::kDestroysNothing) {
    delete kernel;
  }
}

Op MakeOp(Bug bug) {
  Op op{};
  op.version = 17;
  op.bug = bug;
  op.GetName = [](const OrtCustomOp* self) {
    return kNames[static_cast<int>(static_cast<const Op*>(self)->bug)];
  };
  op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
  op.GetInputTypeCount = op.GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op.GetInputType = op.GetOutputType = [](const OrtCustomOp*, size_t) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  };
  op.GetInputCharacteristic =
      op.GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
  op.GetStartVersion = [](const OrtCustomOp*) { return 1; };
  op.GetEndVersion = [](const OrtCustomOp*) { return 2147483647; };
  op.CreateKernelV2 = Create;
  op.KernelComputeV2 = Compute;
  op.InferOutputShapeFn = Infer;
  op.KernelDestroy = bug == Bug::kHasNoDestroy ? nullptr : Destroy;
  return op;
}

}  // namespace

extern "C" ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                                const OrtApiBase* base) {
  static std::vector<Op> ops;
  static OrtCustomOpDomain* domain;
  api = base->GetApi(ASKS);
  OrtStatus* status = nullptr;
  if (domain == nullptr) {
    status = api->CreateCustomOpDomain("planted", &domain);
    for (size_t i = 0; i < std::size(kNames); i++) {
      ops.push_back(MakeOp(static_cast<Bug>(i)));
    }
    for (size_t i = 0; i < ops.size() && status == nullptr; i++) {
      status = api->CustomOpDomain_Add(domain, &ops[i]);
    }
  }
  return status == nullptr ? api->AddCustomOpDomain(options, domain) : status;
}
