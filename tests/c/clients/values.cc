/* SPDX-License-Identifier: MIT */
/*
 * A client in C++17 that works with values, types, options and an environment the way wrappers do:
 * a failing status is an exception, a handle is released where its scope ends, elements of string
 * tensors are std::string.
 *
 * values LIBRARY
 */
#include "client_cxx.h"

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

const std::string kLong = "a text that does not fit into a string itself";

struct Release {
  void operator()(OrtEnv* x) const noexcept { g_ort->ReleaseEnv(x); }
  void operator()(OrtValue* x) const noexcept { g_ort->ReleaseValue(x); }
  void operator()(OrtMemoryInfo* x) const noexcept { g_ort->ReleaseMemoryInfo(x); }
  void operator()(OrtTypeInfo* x) const noexcept { g_ort->ReleaseTypeInfo(x); }
  void operator()(OrtTensorTypeAndShapeInfo* x) const noexcept {
    g_ort->ReleaseTensorTypeAndShapeInfo(x);
  }
  void operator()(OrtSessionOptions* x) const noexcept { g_ort->ReleaseSessionOptions(x); }
  void operator()(OrtRunOptions* x) const noexcept { g_ort->ReleaseRunOptions(x); }
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

OrtAllocator* allocator() {
  OrtAllocator* found = nullptr;
  check(g_ort->GetAllocatorWithDefaultOptions(&found));
  return found;
}

Owned<OrtMemoryInfo> cpu() {
  return make<OrtMemoryInfo>(g_ort->CreateCpuMemoryInfo, OrtDeviceAllocator, OrtMemTypeDefault);
}

template <class Element>
Owned<OrtValue> over(std::vector<Element>& data, const std::vector<int64_t>& shape,
                     ONNXTensorElementDataType type) {
  return make<OrtValue>(g_ort->CreateTensorWithDataAsOrtValue, cpu().get(), data.data(),
                        data.size() * sizeof(Element), shape.data(), shape.size(), type);
}

Owned<OrtValue> new_strings(int64_t count) {
  return make<OrtValue>(g_ort->CreateTensorAsOrtValue, allocator(), &count, size_t{1},
                        ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
}

std::vector<int64_t> shape_of(const OrtValue* value) {
  auto info = make<OrtTensorTypeAndShapeInfo>(g_ort->GetTensorTypeAndShape, value);
  size_t rank = 0;
  check(g_ort->GetDimensionsCount(info.get(), &rank));
  std::vector<int64_t> dims(rank);
  check(g_ort->GetDimensions(info.get(), dims.data(), rank));
  return dims;
}

template <class Element>
Element* data_of(OrtValue* value) {
  void* data = nullptr;
  check(g_ort->GetTensorMutableData(value, &data));
  return static_cast<Element*>(data);
}

std::string string_at(const OrtValue* value, size_t index) {
  size_t length = 0;
  check(g_ort->GetStringTensorElementLength(value, index, &length));
  std::string text(length, '\0');
  check(g_ort->GetStringTensorElement(value, length, index, text.data()));
  return text;
}

void a_tensor_shares_the_callers_memory() {
  std::vector<float> numbers(6);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  auto value = over(numbers, {2, 3}, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  CHECK(data_of<float>(value.get()) == numbers.data());
  CHECK((shape_of(value.get()) == std::vector<int64_t>{2, 3}));
}

void a_mistake_is_an_exception_and_leaves_nothing() {
  std::vector<float> numbers(5);
  try {
    over(numbers, {2, 3}, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  } catch (const Error& error) {
    CHECK(error.code == ORT_INVALID_ARGUMENT);
    return;
  }
  CHECK(!"an exception was thrown");
}

/* What a wrapper does that passes an array of std::string without a copy. */
void strings_of_the_client_are_elements() {
  std::vector<std::string> strings = {"short", kLong, ""};
  {
    auto value = over(strings, {3}, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    CHECK(string_at(value.get(), 0) == "short" && string_at(value.get(), 1) == kLong);
    strings[2] = kLong + kLong;
    CHECK(string_at(value.get(), 2) == kLong + kLong);
    const std::array<const char*, 3> others = {kLong.c_str(), "", "x"};
    check(g_ort->FillStringTensor(value.get(), others.data(), others.size()));
  }
  CHECK((strings == std::vector<std::string>{kLong, "", "x"}));
  strings[0] += "!";
  CHECK(strings[0] == kLong + "!");
}

/* What a custom op does that writes its output through std::string. */
void elements_can_be_assigned_as_strings_of_the_client() {
  auto value = new_strings(4);
  const std::array<const char*, 4> texts = {"a", kLong.c_str(), "", kLong.c_str()};
  check(g_ort->FillStringTensor(value.get(), texts.data(), texts.size()));
  auto* strings = data_of<std::string>(value.get());
  CHECK(strings[0] == "a" && strings[1] == kLong && strings[2].empty() && strings[3] == kLong);
  strings[0] = kLong;
  strings[1].clear();
  strings[2].assign(1000, 'x');
  strings[3] += kLong;
  CHECK(string_at(value.get(), 0) == kLong && string_at(value.get(), 1).empty());
  CHECK(string_at(value.get(), 2) == std::string(1000, 'x'));
  check(g_ort->FillStringTensorElement(value.get(), "set", 2));
  CHECK(strings[2] == "set" && strings[3] == kLong + kLong);
  check(g_ort->FillStringTensor(value.get(), texts.data(), texts.size()));
  CHECK(strings[3] == kLong);
}

void strings_are_read_while_a_client_gets_at_them() {
  auto value = new_strings(200);
  const std::vector<const char*> texts(200, kLong.c_str());
  check(g_ort->FillStringTensor(value.get(), texts.data(), texts.size()));
  std::thread other([&] { CHECK(data_of<std::string>(value.get())[199] == kLong); });
  for (size_t i = 0; i < 200; i++) {
    CHECK(string_at(value.get(), i) == kLong);
  }
  other.join();
}

void containers_copy_what_they_are_made_of() {
  std::vector<int64_t> keys = {2, 1};
  std::vector<float> numbers = {20, 10};
  auto key = over(keys, {2}, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  auto number = over(numbers, {2}, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  std::array<const OrtValue*, 2> parts = {key.get(), number.get()};
  auto map = make<OrtValue>(g_ort->CreateValue, parts.data(), parts.size(), ONNX_TYPE_MAP);
  parts[0] = parts[1] = map.get();
  auto maps = make<OrtValue>(g_ort->CreateValue, parts.data(), parts.size(), ONNX_TYPE_SEQUENCE);
  numbers[0] = keys[0] = 99;
  auto second = make<OrtValue>(g_ort->GetValue, maps.get(), 1, allocator());
  auto sorted = make<OrtValue>(g_ort->GetValue, second.get(), 0, allocator());
  auto values = make<OrtValue>(g_ort->GetValue, second.get(), 1, allocator());
  CHECK(data_of<int64_t>(sorted.get())[0] == 1 && data_of<int64_t>(sorted.get())[1] == 2);
  CHECK(data_of<float>(values.get())[0] == 10 && data_of<float>(values.get())[1] == 20);
}

void a_type_outlives_its_value() {
  Owned<OrtTypeInfo> type;
  {
    std::vector<int64_t> numbers(12);
    auto value = over(numbers, {3, 4}, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
    type = make<OrtTypeInfo>(g_ort->GetTypeInfo, value.get());
  }
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  size_t count = 0;
  check(g_ort->CastTypeInfoToTensorInfo(type.get(), &info));
  check(g_ort->GetTensorShapeElementCount(info, &count));
  CHECK(count == 12);
}

/* Tells how often it freed. */
struct Deleter : OrtAllocator {
  Deleter() : OrtAllocator{}, info(cpu()) {
    version = ORT_API_VERSION;
    OrtAllocator::Free = [](OrtAllocator* self, void*) noexcept {
      static_cast<Deleter*>(self)->freed++;
    };
    OrtAllocator::Info = [](const OrtAllocator* self) noexcept -> const OrtMemoryInfo* {
      return static_cast<const Deleter*>(self)->info.get();
    };
  }
  Owned<OrtMemoryInfo> info;
  int freed = 0;
};

void a_deleter_is_called_once() {
  Deleter deleter;
  std::vector<float> numbers(6);
  const int64_t shape = 6;
  {
    auto value = make<OrtValue>(g_ort->CreateTensorWithDataAndDeleterAsOrtValue, &deleter,
                                numbers.data(), numbers.size() * sizeof(float), &shape, size_t{1},
                                ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    CHECK(deleter.freed == 0);
  }
  CHECK(deleter.freed == 1);
}

void options_keep_what_they_are_given() {
  auto options = make<OrtSessionOptions>(g_ort->CreateSessionOptions);
  check(g_ort->AddSessionConfigEntry(options.get(), "session.use_env_allocators", "1"));
  auto clone = make<OrtSessionOptions>(g_ort->CloneSessionOptions, options.get());
  options.reset();
  size_t size = 0;
  check(g_ort->GetSessionConfigEntry(clone.get(), "session.use_env_allocators", nullptr, &size));
  std::string value(size, '\0');
  check(
      g_ort->GetSessionConfigEntry(clone.get(), "session.use_env_allocators", value.data(), &size));
  CHECK(std::strcmp(value.c_str(), "1") == 0);
  auto run = make<OrtRunOptions>(g_ort->CreateRunOptions);
  const char* tag = nullptr;
  check(g_ort->RunOptionsSetRunTag(run.get(), std::string("tag").c_str()));
  check(g_ort->RunOptionsGetRunTag(run.get(), &tag));
  CHECK(std::strcmp(tag, "tag") == 0);
}

void two_scopes_share_the_environment() {
  auto first = make<OrtEnv>(g_ort->CreateEnv, ORT_LOGGING_LEVEL_ERROR, "first");
  OrtEnv* address = first.get();
  {
    auto second = make<OrtEnv>(g_ort->CreateEnv, ORT_LOGGING_LEVEL_ERROR, "second");
    CHECK(second.get() == address);
  }
  char** providers = nullptr;
  int count = 0;
  check(g_ort->GetAvailableProviders(&providers, &count));
  CHECK(count > 0 && std::strcmp(providers[count - 1], "CPUExecutionProvider") == 0);
  check(g_ort->ReleaseAvailableProviders(providers, count));
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc == 2);
  const OrtApiBase*(ORT_API_CALL * get_base)();
  void* entry = entry_of(argv[1]);
  std::memcpy(&get_base, &entry, sizeof get_base);
  g_ort = get_base()->GetApi(ORT_API_VERSION);
  CHECK(g_ort != nullptr);
  a_tensor_shares_the_callers_memory();
  a_mistake_is_an_exception_and_leaves_nothing();
  strings_of_the_client_are_elements();
  elements_can_be_assigned_as_strings_of_the_client();
  strings_are_read_while_a_client_gets_at_them();
  containers_copy_what_they_are_made_of();
  a_type_outlives_its_value();
  a_deleter_is_called_once();
  options_keep_what_they_are_given();
  two_scopes_share_the_environment();
  puts("ok");
  return 0;
}
