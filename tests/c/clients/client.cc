/* SPDX-License-Identifier: MIT */
/*
 * A client in C++17: handles that release themselves, statuses as exceptions, lambdas as callbacks.
 *
 * Runs on the library that it is linked with, or on that of the first argument.
 */
#include "client_cxx.h"

#include <string>
#include <type_traits>
#include <utility>

namespace {

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

void a_status_becomes_an_exception() {
  try {
    memory_info("no device");
  } catch (const Error& error) {
    CHECK(error.code == ORT_INVALID_ARGUMENT);
    CHECK(!std::string(error.what()).empty());
    return;
  }
  CHECK(!"an exception was thrown");
}

void a_handle_releases_itself() {
  Owned<OrtMemoryInfo> info = memory_info("Cpu");
  Owned<OrtMemoryInfo> moved = std::move(info);
  const char* name = nullptr;
  check(g_ort->MemoryInfoGetName(moved.get(), &name));
  CHECK(std::string(name) == "Cpu");
  OrtKeyValuePairs* pairs = nullptr;
  g_ort->CreateKeyValuePairs(&pairs);
  Owned<OrtKeyValuePairs> owned(pairs);
  g_ort->AddKeyValuePair(pairs, "key", "value");
  CHECK(std::string(g_ort->GetKeyValue(pairs, "key")) == "value");
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

}  // namespace

int main(int argc, char** argv) {
  auto get_base = &OrtGetApiBase;
  if (argc > 1) {
    get_base = reinterpret_cast<decltype(get_base)>(entry_of(argv[1]));
  }
  g_ort = get_base()->GetApi(ORT_API_VERSION);
  CHECK(g_ort != nullptr);
  a_status_becomes_an_exception();
  a_handle_releases_itself();
  a_lambda_is_a_callback();
  a_struct_of_settings_starts_with_the_defaults();
  puts("ok");
  return 0;
}
