/* SPDX-License-Identifier: MIT */
/*
 * A client in C++17 that works with tensors the way wrappers do:
 * a failing status is an exception, a handle is released where its scope ends, elements of string
 * tensors are std::string.
 *
 * values LIBRARY
 */
#include "client_cxx.h"

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

const std::string kLong = "a text that does not fit into a string itself";

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
  puts("ok");
  return 0;
}
