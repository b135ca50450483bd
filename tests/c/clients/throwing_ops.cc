// SPDX-License-Identifier: MIT
// A library of custom ops, written in C++, whose functions throw. What it throws says the attribute
// "what"; an op's name says in which function.
#include <stdexcept>
#include <string>
#include <vector>

#include "onnxruntime_c_api.h"

// C++ has one such variable in the process, so that its symbol is unique.
template <typename T>
struct Counter {
  static int& live() {
    static int count = 0;
    return count;
  }
};

// Counts what a throw must clean up.
struct Local {
  Local() { Counter<Local>::live()++; }
  ~Local() { Counter<Local>::live()--; }
};

namespace {

const OrtApi* api;

struct Virtual : virtual std::runtime_error {
  Virtual() : std::runtime_error("from a virtual base") {}
};
struct Other {
  virtual ~Other() = default;
  std::vector<int> fill{1, 2, 3};
};
struct Second : Other, std::logic_error {
  Second() : std::logic_error("from a second base") {}
};
struct Hidden : private std::runtime_error {
  Hidden() : std::runtime_error("nobody may see this") {}
};
struct Plain {};

void throw_again(const std::exception_ptr& pointer) { std::rethrow_exception(pointer); }

void raise(int64_t what) {
  Local local;
  switch (what) {
    case 0:
      return;
    case 1:
      throw std::runtime_error("a plain runtime_error");
    case 2:
      throw 42;
    case 3:
      throw Virtual();
    case 4:
      throw Second();
    case 5:
      throw "a literal";
    case 6:
      throw Plain();
    case 7:
      throw Hidden();
    case 8:
      try {
        throw std::out_of_range("rethrown from a pointer");
      } catch (...) {
        throw_again(std::current_exception());
      }
      return;
    case 9:
      try {
        throw std::out_of_range("thrown again");
      } catch (const std::exception&) {
        throw;
      }
    case 10:
      throw std::runtime_error(std::string(3000, 'x'));
    default:
      throw std::bad_alloc();
  }
}

struct Kernel {
  int64_t what = 0;
};

int64_t read(const OrtKernelInfo* info) {
  int64_t what = 0;
  if (OrtStatus* status = api->KernelInfoGetAttribute_int64(info, "what", &what)) {
    api->ReleaseStatus(status);
  }
  return what;
}

// The output is how many locals are left, and whether exceptions are on their way.
void work(OrtKernelContext* context) {
  const int64_t shape[] = {2};
  OrtValue* out = nullptr;
  void* data = nullptr;
  if (api->KernelContext_GetOutput(context, 0, shape, 1, &out) != nullptr ||
      api->GetTensorMutableData(out, &data) != nullptr) {
    return;
  }
  static_cast<float*>(data)[0] = static_cast<float>(Counter<Local>::live());
  static_cast<float*>(data)[1] = std::uncaught_exceptions() > 0 ? 1.0F : 0.0F;
}

void* ORT_API_CALL create_1(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo* info) {
  raise(read(info));
  return new Kernel;
}
OrtStatus* ORT_API_CALL create_2(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo* info,
                                 void** kernel) {
  raise(read(info));
  *kernel = new Kernel;
  return nullptr;
}
void* ORT_API_CALL read_1(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo* info) {
  return new Kernel{read(info)};
}
OrtStatus* ORT_API_CALL read_2(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo* info,
                               void** kernel) {
  *kernel = new Kernel{read(info)};
  return nullptr;
}
void ORT_API_CALL compute_1(void* kernel, OrtKernelContext* context) {
  work(context);
  raise(static_cast<Kernel*>(kernel)->what);
}
OrtStatus* ORT_API_CALL compute_2(void* kernel, OrtKernelContext* context) {
  compute_1(kernel, context);
  return nullptr;
}
void in_parallel(void* what, size_t i) {
  if (i == 7) {
    raise(*static_cast<int64_t*>(what));
  }
}
OrtStatus* ORT_API_CALL compute_parallel(void* kernel, OrtKernelContext* context) {
  work(context);
  return api->KernelContext_ParallelFor(context, in_parallel, 100, 0,
                                        &static_cast<Kernel*>(kernel)->what);
}
void ORT_API_CALL destroy(void* kernel) { delete static_cast<Kernel*>(kernel); }
void ORT_API_CALL destroy_badly(void* kernel) {
  destroy(kernel);
  raise(1);
}

struct Op : OrtCustomOp {
  const char* name = nullptr;
};

size_t ORT_API_CALL none(const OrtCustomOp*) { return 0; }
size_t ORT_API_CALL one(const OrtCustomOp*) { return 1; }
size_t ORT_API_CALL no_count(const OrtCustomOp*) { throw std::runtime_error("no count"); }
ONNXTensorElementDataType ORT_API_CALL floats(const OrtCustomOp*, size_t) {
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

Op make(const char* name) {
  Op op{};
  op.version = ORT_API_VERSION;
  op.name = name;
  op.GetName = [](const OrtCustomOp* self) { return static_cast<const Op*>(self)->name; };
  op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
  op.GetInputTypeCount = none;
  op.GetOutputTypeCount = one;
  op.GetInputType = floats;
  op.GetOutputType = floats;
  op.GetInputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetOutputCharacteristic = op.GetInputCharacteristic;
  op.KernelDestroy = destroy;
  return op;
}

Op ops[6];

// Released when the library is closed.
struct Domains : std::vector<OrtCustomOpDomain*> {
  ~Domains() {
    for (OrtCustomOpDomain* domain : *this) {
      api->ReleaseCustomOpDomain(domain);
    }
  }
} domains;

void fill() {
  ops[0] = make("Create1");
  ops[0].CreateKernel = create_1;
  ops[0].KernelCompute = compute_1;
  ops[1] = make("Create2");
  ops[1].CreateKernelV2 = create_2;
  ops[1].KernelComputeV2 = compute_2;
  ops[2] = make("Compute1");
  ops[2].CreateKernel = read_1;
  ops[2].KernelCompute = compute_1;
  ops[2].KernelDestroy = destroy_badly;
  ops[3] = make("Compute2");
  ops[3].CreateKernelV2 = read_2;
  ops[3].KernelComputeV2 = compute_2;
  ops[4] = make("Parallel");
  ops[4].CreateKernelV2 = read_2;
  ops[4].KernelComputeV2 = compute_parallel;
  ops[5] = ops[3];
  ops[5].name = "Describe";
  ops[5].GetInputTypeCount = no_count;
}

}  // namespace

extern "C" ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                                const OrtApiBase* base) {
  api = base->GetApi(30);
  fill();
  OrtCustomOpDomain* domain = nullptr;
  if (OrtStatus* status = api->CreateCustomOpDomain("throwing", &domain)) {
    return status;
  }
  domains.push_back(domain);
  for (const Op& op : ops) {
    if (OrtStatus* status = api->CustomOpDomain_Add(domain, &op)) {
      return status;
    }
  }
  return api->AddCustomOpDomain(options, domain);
}
