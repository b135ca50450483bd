/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include "onnxruntime_c_api.h"
#include "boundary/python.h"
#include "boundary/callbacks/from_libraries.h"
#include "boundary/gil.h"

int64_t ortcffi_next_number(void) {
  static int64_t last;
  return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* The arguments and the result of a function of Python's, each of which has some of these. */
struct call {
  void* context;
  const char* name;
  OrtStatus* status;
  struct {
    OrtLoggingLevel severity;
    const char *category, *logid, *code_location;
  } message; /* whose text is the name */
  struct {
    const OrtEpDevice **devices, **selected;
    size_t count, room;
    const OrtKeyValuePairs *model, *runtime;
  } choice;
  struct {
    const OrtValue* value;
    const OrtExternalInitializerInfo* stored;
    OrtExternalInitializerInfo** out;
  } place;
  const void* bytes;
  size_t size;
  OrtAllocator* allocator;
  void** buffer;
  size_t* out;
};

static OrtStatus* call_python(void (*function)(void* call), struct call* call) {
  call_with_gil(function, call);
  return call->status;
}

ORTCFFI_IN_PYTHON(log_in_python, struct call,
                  ortcffi_python_log(call->context, call->message.severity, call->message.category,
                                     call->message.logid, call->message.code_location, call->name))

void ortcffi_log(void* context, OrtLoggingLevel severity, const char* category, const char* logid,
                 const char* code_location, const char* message) {
  struct call call = {
      .context = context, .name = message, .message = {severity, category, logid, code_location}};
  (void)call_python(log_in_python, &call);
}

ORTCFFI_IN_PYTHON(select_in_python, struct call,
                  call->status = ortcffi_python_select(call->context, call->choice.devices,
                                                       call->choice.count, call->choice.model,
                                                       call->choice.runtime, call->choice.selected,
                                                       call->choice.room, call->out))

OrtStatus* ortcffi_select_devices(const OrtEpDevice** devices, size_t count,
                                  const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                                  const OrtEpDevice** selected, size_t room, size_t* out,
                                  void* context) {
  struct call call = {
      .context = context, .choice = {devices, selected, count, room, model, runtime}, .out = out};
  *out = 0; /* the answer if the interpreter has ended: no device, and no failure */
  return call_python(select_in_python, &call);
}

ORTCFFI_IN_PYTHON(write_in_python, struct call,
                  call->status = ortcffi_python_write(call->context, call->bytes, call->size))

OrtStatus* ortcffi_write(void* context, const void* bytes, size_t size) {
  struct call call = {.context = context, .bytes = bytes, .size = size};
  return call_python(write_in_python, &call);
}

ORTCFFI_IN_PYTHON(locate_in_python, struct call,
                  call->status = ortcffi_python_locate(call->context, call->name, call->place.value,
                                                       call->place.stored, call->place.out))

OrtStatus* ortcffi_locate(void* context, const char* name, const OrtValue* value,
                          const OrtExternalInitializerInfo* stored,
                          OrtExternalInitializerInfo** out) {
  struct call call = {.context = context, .name = name, .place = {value, stored, out}};
  return call_python(locate_in_python, &call);
}

ORTCFFI_IN_PYTHON(write_named_in_python, struct call,
                  call->status = ortcffi_python_write_named(call->context, call->name, call->bytes,
                                                            call->size))

OrtStatus* ortcffi_write_named(void* context, const char* name, const void* bytes, size_t size) {
  struct call call = {.context = context, .name = name, .bytes = bytes, .size = size};
  return call_python(write_named_in_python, &call);
}

ORTCFFI_IN_PYTHON(read_named_in_python, struct call,
                  call->status = ortcffi_python_read_named(call->context, call->name,
                                                           call->allocator, call->buffer,
                                                           call->out))

OrtStatus* ortcffi_read_named(void* context, const char* name, OrtAllocator* allocator,
                              void** buffer, size_t* size) {
  struct call call = {
      .context = context, .name = name, .allocator = allocator, .buffer = buffer, .out = size};
  *buffer = NULL; /* the answer if the interpreter has ended: no data, and no failure */
  *size = 0;
  return call_python(read_named_in_python, &call);
}
