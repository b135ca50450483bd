/* SPDX-License-Identifier: MIT */
#include <onnxruntime_c_api.h>
#include <stdio.h>

/* Tells what went wrong; whether nothing did. */
static int succeeded(const OrtApi* api, OrtStatus* status) {
  if (status == NULL) {
    return 1;
  }
  fprintf(stderr, "code %d: %s\n", api->GetErrorCode(status), api->GetErrorMessage(status));
  api->ReleaseStatus(status);
  return 0;
}

int main(void) {
  const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (api == NULL) {
    return 1; /* The library is older than the header. */
  }
  OrtAllocator* allocator = NULL;
  void* block = NULL;
  if (!succeeded(api, api->GetAllocatorWithDefaultOptions(&allocator)) ||
      !succeeded(api, api->AllocatorAlloc(allocator, 1000, &block))) {
    return 1;
  }
  printf("aligned to 64 bytes: %s\n", (uintptr_t)block % 64 == 0 ? "yes" : "no");
  if (!succeeded(api, api->AllocatorFree(allocator, block))) {
    return 1;
  }
  return succeeded(api, api->AllocatorFree(allocator, block)); /* Frees it a second time. */
}
