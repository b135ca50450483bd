/* SPDX-License-Identifier: MIT */
/*
 * A client in C++17: handles that release themselves, statuses as exceptions, lambdas as callbacks,
 * elements of string tensors that are std::string.
 *
 * Runs on the library that it is linked with, or on that of the first argument.
 */
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "client.h"
#include "onnxruntime_c_api.h"

namespace {

const OrtApi* g_ort = nullptr;

void check(OrtStatus* status) {
  if (status != nullptr) {
    const std::string message = g_ort->GetErrorMessage(status);
    g_ort->ReleaseStatus(status);
    throw std::runtime_error(message);
  }
}

struct Release {
  void operator()(OrtValue* x) const noexcept { g_ort->ReleaseValue(x); }
  void operator()(OrtMemoryInfo* x) const noexcept { g_ort->ReleaseMemoryInfo(x); }
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

/* The type of a slot says that it does not throw, so that code around it can be noexcept as well.
 */
static_assert(noexcept(OrtGetApiBase()->GetApi(1)));
static_assert(noexcept(std::declval<const OrtApi&>().CreateStatus(ORT_OK, nullptr)));
static_assert(noexcept(std::declval<const OrtApi&>().ReleaseStatus(nullptr)));
static_assert(std::is_same_v<OrtStatusPtr, OrtStatus*>);

Owned<OrtMemoryInfo> memory_info(const char* name) {
  return make<OrtMemoryInfo>(g_ort->CreateMemoryInfo, name, OrtDeviceAllocator, 0,
                             OrtMemTypeDefault);
}

/* Clients of long ago write lambdas that are not noexcept; they must keep compiling. */
struct Allocator : OrtAllocator {
  explicit Allocator(const OrtMemoryInfo* where) : OrtAllocator{}, where(where) {
    version = ORT_API_VERSION;
    OrtAllocator::Alloc = [](OrtAllocator*, size_t size) -> void* { return malloc(size); };
    OrtAllocator::Free = [](OrtAllocator*, void* p) { free(p); };
    OrtAllocator::Info = [](const OrtAllocator* this_) {
      return static_cast<const Allocator*>(this_)->where;
    };
    OrtAllocator::Reserve = OrtAllocator::Alloc;
  }
  const OrtMemoryInfo* where;
};

void a_lambda_is_a_callback() {
  Owned<OrtMemoryInfo> info = memory_info("Cpu");
  Allocator allocator(info.get());
  void* block = nullptr;
  check(g_ort->AllocatorAlloc(&allocator, 8, &block));
  CHECK(block != nullptr);
  check(g_ort->AllocatorFree(&allocator, block));
  OrtCustomOp op{};
  op.version = ORT_API_VERSION;
  op.GetName = [](const OrtCustomOp*) { return "Twice"; };
  op.KernelComputeV2 = [](void*, OrtKernelContext*) -> OrtStatusPtr { return nullptr; };
  CHECK(std::string(op.GetName(&op)) == "Twice");
  OrtLoggingFunction log = [](void*, OrtLoggingLevel, const char*, const char*, const char*,
                              const char*) {};
  RunAsyncCallbackFn done = [](void*, OrtValue**, size_t, OrtStatusPtr) {};
  CHECK(log != nullptr && done != nullptr);
}

void a_struct_of_settings_starts_with_the_defaults() {
  OrtCUDAProviderOptions cuda;
  CHECK(cuda.gpu_mem_limit == SIZE_MAX && cuda.do_copy_in_default_stream == 1);
  CHECK(cuda.user_compute_stream == nullptr && cuda.device_id == 0);
  OrtROCMProviderOptions rocm;
  CHECK(rocm.gpu_mem_limit == SIZE_MAX && rocm.do_copy_in_default_stream == 1);
  OrtOpenVINOProviderOptions openvino;
  CHECK(openvino.device_type == nullptr && openvino.num_of_threads == 0);
}

/* --- strings ---------------------------------------------------------------------------------- */

const std::string kLong = "a text that does not fit into a string itself";

std::string string_at(const OrtValue* value, size_t index) {
  size_t length = 0;
  check(g_ort->GetStringTensorElementLength(value, index, &length));
  std::string text(length, '\0');
  check(g_ort->GetStringTensorElement(value, length, index, text.data()));
  return text;
}

/* What a wrapper does that passes an array of std::string without a copy. */
void strings_of_the_client_are_elements() {
  std::vector<std::string> strings = {"short", kLong, ""};
  const int64_t count = 3;
  {
    auto cpu =
        make<OrtMemoryInfo>(g_ort->CreateCpuMemoryInfo, OrtDeviceAllocator, OrtMemTypeDefault);
    auto value = make<OrtValue>(g_ort->CreateTensorWithDataAsOrtValue, cpu.get(), strings.data(),
                                strings.size() * sizeof(std::string), &count, size_t{1},
                                ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    CHECK(string_at(value.get(), 0) == "short" && string_at(value.get(), 1) == kLong);
    strings[2] = kLong + kLong;
    CHECK(string_at(value.get(), 2) == kLong + kLong);
    const std::array<const char*, 3> others = {kLong.c_str(), "", "x"};
    check(g_ort->FillStringTensor(value.get(), others.data(), others.size()));
  }
  CHECK((strings == std::vector<std::string>{kLong, "", "x"}));
}

/* What a custom op does that writes its output through std::string. */
void elements_can_be_assigned_as_strings_of_the_client() {
  OrtAllocator* allocator = nullptr;
  void* data = nullptr;
  const int64_t count = 4;
  const std::array<const char*, 4> texts = {"a", kLong.c_str(), "", kLong.c_str()};
  check(g_ort->GetAllocatorWithDefaultOptions(&allocator));
  auto value = make<OrtValue>(g_ort->CreateTensorAsOrtValue, allocator, &count, size_t{1},
                              ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  check(g_ort->FillStringTensor(value.get(), texts.data(), texts.size()));
  check(g_ort->GetTensorMutableData(value.get(), &data));
  auto* strings = static_cast<std::string*>(data);
  CHECK(strings[0] == "a" && strings[1] == kLong && strings[2].empty() && strings[3] == kLong);
  strings[0] = kLong;
  strings[1].clear();
  strings[2].assign(1000, 'x');
  CHECK(string_at(value.get(), 0) == kLong && string_at(value.get(), 1).empty());
  CHECK(string_at(value.get(), 2) == std::string(1000, 'x'));
  check(g_ort->FillStringTensorElement(value.get(), "set", 2));
  CHECK(strings[2] == "set");
}

}  // namespace

int main(int argc, char** argv) {
  auto get_base = &OrtGetApiBase;
  if (argc > 1) {
    get_base = reinterpret_cast<decltype(get_base)>(entry_of(argv[1]));
  }
  g_ort = get_base()->GetApi(ORT_API_VERSION);
  CHECK(g_ort != nullptr);
  a_lambda_is_a_callback();
  a_struct_of_settings_starts_with_the_defaults();
  strings_of_the_client_are_elements();
  elements_can_be_assigned_as_strings_of_the_client();
  puts("ok");
  return 0;
}
