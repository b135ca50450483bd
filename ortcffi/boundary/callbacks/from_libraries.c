/* SPDX-License-Identifier: MIT */
/* What the extension promises as a whole. */
#define Py_LIMITED_API 0x030b0000

#include <Python.h>

#include "onnxruntime_c_api.h"
/* Needs the types of the header above. */
#include "boundary/callbacks_c.h"
#include "boundary/callbacks/from_libraries.h"
#include "boundary/callbacks/gil.h"

void ortcffi_log(void* context, OrtLoggingLevel severity, const char* category, const char* logid,
                 const char* code_location, const char* message) {
  struct visit visit;
  if (enter(&visit)) {
    ortcffi_python_log(context, severity, category, logid, code_location, message);
    leave(&visit);
  }
}

OrtCustomThreadHandle ortcffi_create_thread(void* context, OrtThreadWorkerFn worker,
                                            void* argument) {
  struct visit visit;
  OrtCustomThreadHandle thread = NULL;
  if (enter(&visit)) {
    thread = ortcffi_python_create_thread(context, worker, argument);
    leave(&visit);
  }
  return thread;
}

void ortcffi_join_thread(OrtCustomThreadHandle thread) {
  struct visit visit;
  if (enter(&visit)) {
    ortcffi_python_join_thread(thread);
    leave(&visit);
  }
}

OrtStatus* ortcffi_select_devices(const OrtEpDevice** devices, size_t count,
                                  const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                                  const OrtEpDevice** selected, size_t room, size_t* out,
                                  void* context) {
  struct visit visit;
  OrtStatus* status = NULL;
  if (enter(&visit)) {
    status = ortcffi_python_select(context, devices, count, model, runtime, selected, room, out);
    leave(&visit);
  }
  return status;
}

void* ortcffi_work_enqueued(void* context) {
  struct visit visit;
  void* data = NULL;
  if (enter(&visit)) {
    data = ortcffi_python_enqueued(context);
    leave(&visit);
  }
  return data;
}

static void tell(void* context, int event, void* data) {
  struct visit visit;
  if (enter(&visit)) {
    ortcffi_python_work(context, event, data);
    leave(&visit);
  }
}

void ortcffi_work_started(void* context, void* data) { tell(context, 0, data); }

void ortcffi_work_stopped(void* context, void* data) { tell(context, 1, data); }

void ortcffi_work_abandoned(void* context, void* data) { tell(context, 2, data); }
