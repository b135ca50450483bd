/* SPDX-License-Identifier: MIT */
/* What a kernel asks about its node while it is made. */
#include <string.h>

#include "behaviour_kernels.h"

#define COUNT_CALLS(slot)                \
  INFO_CALL(#slot) {                     \
    size_t count = 99;                   \
    say_status(api->slot(info, &count)); \
    say("%zu", count);                   \
  }                                      \
  INFO_CALL(#slot "(out NULL)") { say_status(api->slot(info, NULL)); }
COUNT_CALLS(KernelInfo_GetInputCount)
COUNT_CALLS(KernelInfo_GetOutputCount)

/* The size alone, then the text, then a buffer that is too small. */
#define TEXT_CALLS(slot)                      \
  INFO_CALL(#slot) {                          \
    char text[32] = "#";                      \
    size_t size = 0;                          \
    say_status(api->slot(info, NULL, &size)); \
    say("%zu", size);                         \
    size = sizeof text;                       \
    say_status(api->slot(info, text, &size)); \
    say("%zu '%s'", size, text);              \
  }                                           \
  INFO_CALL(#slot "(1 byte)") {               \
    char text[] = "#";                        \
    size_t size = 1;                          \
    say_status(api->slot(info, text, &size)); \
    say("%zu '%s'", size, text);              \
  }                                           \
  INFO_CALL(#slot "(size NULL)") {            \
    char text[] = "#";                        \
    say_status(api->slot(info, text, NULL));  \
  }
TEXT_CALLS(KernelInfo_GetNodeName)
TEXT_CALLS(KernelInfo_GetOperatorDomain)
TEXT_CALLS(KernelInfo_GetOperatorType)

#define NAME_CALLS(slot, index)                      \
  INFO_CALL(#slot "(" #index ")") {                  \
    char text[32] = "#";                             \
    size_t size = sizeof text;                       \
    say_status(api->slot(info, index, text, &size)); \
    say("%zu '%s'", size, text);                     \
  }
NAME_CALLS(KernelInfo_GetInputName, 0)
NAME_CALLS(KernelInfo_GetInputName, 1)
NAME_CALLS(KernelInfo_GetInputName, 5)
NAME_CALLS(KernelInfo_GetInputName, 6)
NAME_CALLS(KernelInfo_GetOutputName, 0)
NAME_CALLS(KernelInfo_GetOutputName, 1)
NAME_CALLS(KernelInfo_GetOutputName, 3)
INFO_CALL("KernelInfo_GetInputName(size NULL)") {
  say_status(api->KernelInfo_GetInputName(info, 0, NULL, NULL));
}

#define TYPE_CALLS(slot, index)                                   \
  INFO_CALL(#slot "(" #index ")") {                               \
    OrtTypeInfo* type = UNTOUCHED;                                \
    const OrtTensorTypeAndShapeInfo* shape = NULL;                \
    if (say_status(api->slot(info, index, &type))) {              \
      CHECK(api->CastTypeInfoToTensorInfo(type, &shape) == NULL); \
      say_shape(shape);                                           \
      api->ReleaseTypeInfo(type);                                 \
    } else {                                                      \
      say_out(type, UNTOUCHED);                                   \
    }                                                             \
  }
TYPE_CALLS(KernelInfo_GetInputTypeInfo, 0)
TYPE_CALLS(KernelInfo_GetInputTypeInfo, 1)
TYPE_CALLS(KernelInfo_GetInputTypeInfo, 2)
TYPE_CALLS(KernelInfo_GetInputTypeInfo, 4)
TYPE_CALLS(KernelInfo_GetInputTypeInfo, 5)
TYPE_CALLS(KernelInfo_GetInputTypeInfo, 6)
TYPE_CALLS(KernelInfo_GetOutputTypeInfo, 0)
TYPE_CALLS(KernelInfo_GetOutputTypeInfo, 1)
TYPE_CALLS(KernelInfo_GetOutputTypeInfo, 2)
TYPE_CALLS(KernelInfo_GetOutputTypeInfo, 3)

INFO_CALL("KernelInfo_GetOperatorSinceVersion") {
  int version = -1;
  say_status(api->KernelInfo_GetOperatorSinceVersion(info, &version));
  say("%d", version);
}
INFO_CALL("KernelInfo_GetOperatorSinceVersion(out NULL)") {
  say_status(api->KernelInfo_GetOperatorSinceVersion(info, NULL));
}
INFO_CALL("KernelInfo_GetLogger") {
  const OrtLogger* logger = NULL;
  say_status(api->KernelInfo_GetLogger(info, &logger));
  say_pointer(logger);
}
INFO_CALL("KernelInfo_GetLogger(out NULL)") { say_status(api->KernelInfo_GetLogger(info, NULL)); }

static void get_constant(const OrtKernelInfo* info, size_t index) {
  int is_constant = -1;
  const OrtValue* value = UNTOUCHED;
  say_status(api->KernelInfoGetConstantInput_tensor(info, index, &is_constant, &value));
  say("%d", is_constant);
  if (is_constant == 1) {
    say_value(value);
  } else {
    say_out(value, UNTOUCHED);
  }
}
INFO_CALL("KernelInfoGetConstantInput_tensor(0)") { get_constant(info, 0); }
INFO_CALL("KernelInfoGetConstantInput_tensor(2), an initializer") { get_constant(info, 2); }
INFO_CALL("KernelInfoGetConstantInput_tensor(7), past the end") { get_constant(info, 7); }
INFO_CALL("KernelInfoGetConstantInput_tensor(is_constant NULL)") {
  const OrtValue* value = NULL;
  say_status(api->KernelInfoGetConstantInput_tensor(info, 0, NULL, &value));
}

static void kernel_info_get_allocator(const OrtKernelInfo* info, OrtMemType type) {
  OrtAllocator* own = NULL;
  if (say_status(api->KernelInfoGetAllocator(info, type, &own))) {
    void* block = own->Alloc(own, 100);
    say_pointer(block);
    own->Free(own, block);
    api->ReleaseAllocator(own);
  }
}
INFO_CALL("KernelInfoGetAllocator(default)") { kernel_info_get_allocator(info, OrtMemTypeDefault); }
INFO_CALL("KernelInfoGetAllocator(CPU input)") {
  kernel_info_get_allocator(info, OrtMemTypeCPUInput);
}
INFO_CALL("KernelInfoGetAllocator(99)") { kernel_info_get_allocator(info, (OrtMemType)99); }
INFO_CALL("KernelInfoGetAllocator(out NULL)") {
  say_status(api->KernelInfoGetAllocator(info, OrtMemTypeDefault, NULL));
}

INFO_CALL("KernelInfo_GetConfigEntries") {
  OrtKeyValuePairs* entries = NULL;
  if (say_status(api->KernelInfo_GetConfigEntries(info, &entries))) {
    say("my.key=%s", api->GetKeyValue(entries, "my.key"));
    api->ReleaseKeyValuePairs(entries);
  }
}
INFO_CALL("KernelInfo_GetConfigEntries(out NULL)") {
  say_status(api->KernelInfo_GetConfigEntries(info, NULL));
}

INFO_CALL("CopyKernelInfo") {
  OrtKernelInfo* copy = NULL;
  size_t count = 0;
  if (say_status(api->CopyKernelInfo(info, &copy))) {
    say(copy == info ? "same" : "another");
    say_status(api->KernelInfo_GetInputCount(copy, &count));
    say("%zu", count);
    api->ReleaseKernelInfo(copy);
  }
}
INFO_CALL("CopyKernelInfo(out NULL)") { say_status(api->CopyKernelInfo(info, NULL)); }

#undef COUNT_CALLS
