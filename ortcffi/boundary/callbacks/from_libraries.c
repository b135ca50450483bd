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

/* --- messages ----------------------------------------------------------------------------------*/

struct message {
  void* context;
  OrtLoggingLevel severity;
  const char *category, *logid, *code_location, *text;
};

ORTCFFI_IN_PYTHON(log_in_python, struct message,
                  ortcffi_python_log(call->context, call->severity, call->category, call->logid,
                                     call->code_location, call->text))

void ortcffi_log(void* context, OrtLoggingLevel severity, const char* category, const char* logid,
                 const char* code_location, const char* message) {
  struct message call = {context, severity, category, logid, code_location, message};
  call_with_gil(log_in_python, &call);
}

/* --- devices -----------------------------------------------------------------------------------*/

struct selection {
  void* context;
  const OrtEpDevice** devices;
  size_t count;
  const OrtKeyValuePairs *model, *runtime;
  const OrtEpDevice** selected;
  size_t room;
  size_t* out;
  OrtStatus* status;
};

ORTCFFI_IN_PYTHON(select_in_python, struct selection,
                  call->status = ortcffi_python_select(call->context, call->devices, call->count,
                                                       call->model, call->runtime, call->selected,
                                                       call->room, call->out))

OrtStatus* ortcffi_select_devices(const OrtEpDevice** devices, size_t count,
                                  const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                                  const OrtEpDevice** selected, size_t room, size_t* out,
                                  void* context) {
  struct selection call = {context, devices, count, model, runtime, selected, room, out, NULL};
  *out = 0; /* the answer if the interpreter has ended: no device, and no failure */
  call_with_gil(select_in_python, &call);
  return call.status;
}

/* --- compiled models ---------------------------------------------------------------------------*/

struct write_call {
  void* context;
  const void* bytes;
  size_t size;
  OrtStatus* status;
};

ORTCFFI_IN_PYTHON(write_in_python, struct write_call,
                  call->status = ortcffi_python_write(call->context, call->bytes, call->size))

OrtStatus* ortcffi_write(void* context, const void* bytes, size_t size) {
  struct write_call call = {context, bytes, size, NULL};
  call_with_gil(write_in_python, &call);
  return call.status;
}

struct locate_call {
  void* context;
  const char* name;
  const OrtValue* value;
  const OrtExternalInitializerInfo* stored;
  OrtExternalInitializerInfo** out;
  OrtStatus* status;
};

ORTCFFI_IN_PYTHON(locate_in_python, struct locate_call,
                  call->status = ortcffi_python_locate(call->context, call->name, call->value,
                                                       call->stored, call->out))

OrtStatus* ortcffi_locate(void* context, const char* name, const OrtValue* value,
                          const OrtExternalInitializerInfo* stored,
                          OrtExternalInitializerInfo** out) {
  struct locate_call call = {context, name, value, stored, out, NULL};
  call_with_gil(locate_in_python, &call);
  return call.status;
}

struct write_named_call {
  void* context;
  const char* name;
  const void* bytes;
  size_t size;
  OrtStatus* status;
};

ORTCFFI_IN_PYTHON(write_named_in_python, struct write_named_call,
                  call->status = ortcffi_python_write_named(call->context, call->name, call->bytes,
                                                            call->size))

OrtStatus* ortcffi_write_named(void* context, const char* name, const void* bytes, size_t size) {
  struct write_named_call call = {context, name, bytes, size, NULL};
  call_with_gil(write_named_in_python, &call);
  return call.status;
}

struct read_named_call {
  void* context;
  const char* name;
  OrtAllocator* allocator;
  void** buffer;
  size_t* size;
  OrtStatus* status;
};

ORTCFFI_IN_PYTHON(read_named_in_python, struct read_named_call,
                  call->status = ortcffi_python_read_named(call->context, call->name,
                                                           call->allocator, call->buffer,
                                                           call->size))

OrtStatus* ortcffi_read_named(void* context, const char* name, OrtAllocator* allocator,
                              void** buffer, size_t* size) {
  struct read_named_call call = {context, name, allocator, buffer, size, NULL};
  *buffer = NULL; /* the answer if the interpreter has ended: no data, and no failure */
  *size = 0;
  call_with_gil(read_named_in_python, &call);
  return call.status;
}
