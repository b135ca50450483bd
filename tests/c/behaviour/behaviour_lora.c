/* SPDX-License-Identifier: MIT */
/* LoRA adapters, and a run that uses one. */
#include "../clients/adapter_bytes.h"
#include "behaviour_session.h"

static void read_adapter(const void* bytes, size_t size, OrtAllocator* own) {
  OrtLoraAdapter* adapter = UNTOUCHED;
  if (say_status(api->CreateLoraAdapterFromArray(bytes, size, own, &adapter))) {
    api->ReleaseLoraAdapter(adapter);
    say("read");
  } else {
    say_out(adapter, UNTOUCHED);
  }
}

static OrtLoraAdapter* some_adapter(void) {
  return NEW(OrtLoraAdapter,
             api->CreateLoraAdapterFromArray(adapter_bytes, sizeof adapter_bytes, NULL, &new_));
}

CALL("CreateLoraAdapterFromArray(good)") {
  read_adapter(adapter_bytes, sizeof adapter_bytes, NULL);
}
CALL("CreateLoraAdapterFromArray(CPU allocator)") {
  OrtAllocator* own = NEW(OrtAllocator, api->GetAllocatorWithDefaultOptions(&new_));
  read_adapter(adapter_bytes, sizeof adapter_bytes, own);
}
CALL("CreateLoraAdapterFromArray(cut)") {
  read_adapter(adapter_bytes, sizeof adapter_bytes - 4, NULL);
}
CALL("CreateLoraAdapterFromArray(no bytes)") { read_adapter(adapter_bytes, 0, NULL); }
CALL("CreateLoraAdapterFromArray(other bytes)") { read_adapter(adapter_bytes + 1, 64, NULL); }
CALL("CreateLoraAdapter(no such file)") {
  OrtLoraAdapter* adapter = UNTOUCHED;
  say_status(api->CreateLoraAdapter(ORT_TSTR("no/such/file"), NULL, &adapter));
  say_out(adapter, UNTOUCHED);
}

CALL("Run(with an adapter)") {
  static float numbers[] = {1, 2};
  const int64_t two = 2;
  const char* const input = "x";
  const char* const output = "b";
  OrtValue *x = NULL, *b = NULL;
  OrtMemoryInfo* info =
      NEW(OrtMemoryInfo, api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &new_));
  CHECK(api->CreateTensorWithDataAsOrtValue(info, numbers, sizeof numbers, &two, 1,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &x) == NULL);
  OrtRunOptions* options = NEW(OrtRunOptions, api->CreateRunOptions(&new_));
  say_status(api->RunOptionsAddActiveLoraAdapter(options, some_adapter()));
  say_status(
      api->Run(some_session(), options, &input, (const OrtValue* const*)&x, 1, &output, 1, &b));
  const float* found = NEW(const float, api->GetTensorData(b, (const void**)&new_));
  say("%g %g", (double)found[0], (double)found[1]);
}
