/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include "onnxruntime_c_api.h"
#include "boundary/python.h"
#include "boundary/callbacks/from_libraries.h"
#include "boundary/gil.h"

void ortcffi_log(void* context, OrtLoggingLevel severity, const char* category, const char* logid,
                 const char* code_location, const char* message) {
  struct gil gil;
  if (take_gil(&gil)) {
    ortcffi_python_log(context, severity, category, logid, code_location, message);
    release_gil(&gil);
  }
}

OrtCustomThreadHandle ortcffi_create_thread(void* context, OrtThreadWorkerFn worker,
                                            void* argument) {
  struct gil gil;
  OrtCustomThreadHandle thread = NULL;
  if (take_gil(&gil)) {
    thread = ortcffi_python_create_thread(context, worker, argument);
    release_gil(&gil);
  }
  return thread;
}

void ortcffi_join_thread(OrtCustomThreadHandle thread) {
  struct gil gil;
  if (take_gil(&gil)) {
    ortcffi_python_join_thread(thread);
    release_gil(&gil);
  }
}

OrtStatus* ortcffi_select_devices(const OrtEpDevice** devices, size_t count,
                                  const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                                  const OrtEpDevice** selected, size_t room, size_t* out,
                                  void* context) {
  struct gil gil;
  OrtStatus* status = NULL;
  if (take_gil(&gil)) {
    status = ortcffi_python_select(context, devices, count, model, runtime, selected, room, out);
    release_gil(&gil);
  }
  return status;
}

void* ortcffi_work_enqueued(void* context) {
  struct gil gil;
  void* data = NULL;
  if (take_gil(&gil)) {
    data = ortcffi_python_enqueued(context);
    release_gil(&gil);
  }
  return data;
}

static void report_event(void* context, int event, void* data) {
  struct gil gil;
  if (take_gil(&gil)) {
    ortcffi_python_work(context, event, data);
    release_gil(&gil);
  }
}

void ortcffi_work_started(void* context, void* data) { report_event(context, 0, data); }

void ortcffi_work_stopped(void* context, void* data) { report_event(context, 1, data); }

void ortcffi_work_abandoned(void* context, void* data) { report_event(context, 2, data); }

OrtStatus* ortcffi_write(void* context, const void* bytes, size_t size) {
  struct gil gil;
  OrtStatus* status = NULL;
  if (take_gil(&gil)) {
    status = ortcffi_python_write(context, bytes, size);
    release_gil(&gil);
  }
  return status;
}

OrtStatus* ortcffi_locate(void* context, const char* name, const OrtValue* value,
                          const OrtExternalInitializerInfo* stored,
                          OrtExternalInitializerInfo** out) {
  struct gil gil;
  OrtStatus* status = NULL;
  if (take_gil(&gil)) {
    status = ortcffi_python_locate(context, name, value, stored, out);
    release_gil(&gil);
  }
  return status;
}
