/* SPDX-License-Identifier: MIT */
/* How a kernel reads the attributes of its node. */
#include <string.h>

#include "behaviour_kernels.h"
#include "behaviour_values.h"

/* Each getter on each kind of attribute, and on one that is not there. */
#define EACH_ATTRIBUTE(X) X("f") X("i") X("s") X("fs") X("is") X("ss") X("t") X("es") X("nope")

#define FLOAT_CALL(name)                                                \
  INFO_CALL("KernelInfoGetAttribute_float(" name ")") {                 \
    float number = -9;                                                  \
    say_status(api->KernelInfoGetAttribute_float(info, name, &number)); \
    say("%g", number);                                                  \
  }
EACH_ATTRIBUTE(FLOAT_CALL)
#define INT_CALL(name)                                                  \
  INFO_CALL("KernelInfoGetAttribute_int64(" name ")") {                 \
    int64_t number = -9;                                                \
    say_status(api->KernelInfoGetAttribute_int64(info, name, &number)); \
    say("%lld", (long long)number);                                     \
  }
EACH_ATTRIBUTE(INT_CALL)
#define TEXT_CALL(name)                                                      \
  INFO_CALL("KernelInfoGetAttribute_string(" name ")") {                     \
    char text[16] = "#";                                                     \
    size_t size = 0;                                                         \
    say_status(api->KernelInfoGetAttribute_string(info, name, NULL, &size)); \
    say("%zu", size);                                                        \
    size = sizeof text;                                                      \
    say_status(api->KernelInfoGetAttribute_string(info, name, text, &size)); \
    say("%zu '%s'", size, text);                                             \
  }
EACH_ATTRIBUTE(TEXT_CALL)
#define FLOATS_CALL(name)                                                           \
  INFO_CALL("KernelInfoGetAttributeArray_float(" name ")") {                        \
    float numbers[8] = {-9};                                                        \
    size_t size = 8;                                                                \
    say_status(api->KernelInfoGetAttributeArray_float(info, name, numbers, &size)); \
    say("%zu; %g", size, numbers[0]);                                               \
  }
EACH_ATTRIBUTE(FLOATS_CALL)
#define INTS_CALL(name)                                                             \
  INFO_CALL("KernelInfoGetAttributeArray_int64(" name ")") {                        \
    int64_t numbers[8] = {-9};                                                      \
    size_t size = 8;                                                                \
    say_status(api->KernelInfoGetAttributeArray_int64(info, name, numbers, &size)); \
    say("%zu; %lld", size, (long long)numbers[0]);                                  \
  }
EACH_ATTRIBUTE(INTS_CALL)

#define TEXTS_CALL(name)                                                                         \
  INFO_CALL("KernelInfoGetAttributeArray_string(" name ")") {                                    \
    char** texts = UNTOUCHED;                                                                    \
    size_t size = 99;                                                                            \
    say_status(api->KernelInfoGetAttributeArray_string(info, name, allocator(), &texts, &size)); \
    say("%zu", size);                                                                            \
    if (texts == NULL || texts == UNTOUCHED) {                                                   \
      say_out(texts, UNTOUCHED);                                                                 \
      return;                                                                                    \
    }                                                                                            \
    for (size_t i = 0; i < size; i++) {                                                          \
      say("%s", texts[i]);                                                                       \
      allocator()->Free(allocator(), texts[i]);                                                  \
    }                                                                                            \
    allocator()->Free(allocator(), texts);                                                       \
  }
EACH_ATTRIBUTE(TEXTS_CALL)
#define TENSOR_CALL(name)                                                                  \
  INFO_CALL("KernelInfoGetAttribute_tensor(" name ")") {                                   \
    OrtValue* value = UNTOUCHED;                                                           \
    if (say_status(api->KernelInfoGetAttribute_tensor(info, name, allocator(), &value))) { \
      say_value(value);                                                                    \
      api->ReleaseValue(value);                                                            \
    } else {                                                                               \
      say_out(value, UNTOUCHED);                                                           \
    }                                                                                      \
  }
EACH_ATTRIBUTE(TENSOR_CALL)

INFO_CALL("KernelInfoGetAttribute_string(s, 3 bytes)") {
  char text[8] = "#";
  size_t size = 3;
  say_status(api->KernelInfoGetAttribute_string(info, "s", text, &size));
  say("%zu '%s'", size, text);
}
INFO_CALL("KernelInfoGetAttributeArray_int64(is, room for 1)") {
  int64_t numbers[] = {-9, -9};
  size_t size = 1;
  say_status(api->KernelInfoGetAttributeArray_int64(info, "is", numbers, &size));
  say("%zu; %lld", size, (long long)numbers[0]);
}
INFO_CALL("KernelInfoGetAttributeArray_float(fs, NULL)") {
  size_t size = 0;
  say_status(api->KernelInfoGetAttributeArray_float(info, "fs", NULL, &size));
  say("%zu", size);
}
INFO_CALL("KernelInfoGetAttribute_float(NULL)") {
  float number = -9;
  say_status(api->KernelInfoGetAttribute_float(info, NULL, &number));
  say("%g", number);
}
INFO_CALL("KernelInfoGetAttribute_float(out NULL)") {
  say_status(api->KernelInfoGetAttribute_float(info, "f", NULL));
}
INFO_CALL("KernelInfoGetAttribute_int64(out NULL)") {
  say_status(api->KernelInfoGetAttribute_int64(info, "i", NULL));
}
INFO_CALL("KernelInfoGetAttribute_string(size NULL)") {
  say_status(api->KernelInfoGetAttribute_string(info, "s", NULL, NULL));
}
INFO_CALL("KernelInfoGetAttribute_tensor(allocator NULL)") {
  OrtValue* value = UNTOUCHED;
  say_status(api->KernelInfoGetAttribute_tensor(info, "t", NULL, &value));
}
INFO_CALL("KernelInfoGetAttributeArray_string(allocator NULL,out NULL)") {
  size_t size = 99;
  say_status(api->KernelInfoGetAttributeArray_string(info, "ss", NULL, NULL, &size));
  say("%zu", size);
}
INFO_CALL("KernelInfoGetAttributeArray_string(allocator NULL)") {
  char** texts = UNTOUCHED;
  size_t size = 99;
  say_status(api->KernelInfoGetAttributeArray_string(info, "ss", NULL, &texts, &size));
}
