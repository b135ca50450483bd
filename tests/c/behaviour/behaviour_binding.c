/* SPDX-License-Identifier: MIT */
/* Bindings of inputs and outputs to runs. */
#include "behaviour_session.h"

static OrtIoBinding* some_binding(OrtSession* session) {
  return NEW(OrtIoBinding, api->CreateIoBinding(session, &new_));
}

CALL("CreateIoBinding(s)") {
  OrtIoBinding* binding = NULL;
  say_status(api->CreateIoBinding(some_session(), &binding));
}
CALL("BindInput(x)") { say_status(api->BindInput(some_binding(some_session()), "x", FLOATS(1))); }
ANSWER("BindInput(unknown)", api->BindInput(some_binding(some_session()), "z", FLOATS(1)))
ANSWER("BindOutput(unknown)", api->BindOutput(some_binding(some_session()), "z", FLOATS(1)))
ANSWER("BindOutputToDevice(a)",
       api->BindOutputToDevice(some_binding(some_session()), "a", cpu_info()))
ANSWER("SynchronizeBoundInputs(b)", api->SynchronizeBoundInputs(some_binding(some_session())))
ANSWER("SynchronizeBoundOutputs(b)", api->SynchronizeBoundOutputs(some_binding(some_session())))
CALL("ClearBoundInputs(NULL)") {
  api->ClearBoundInputs(NULL);
  say("returned");
}
CALL("ClearBoundOutputs(NULL)") {
  api->ClearBoundOutputs(NULL);
  say("returned");
}

static void say_names(const OrtIoBinding* binding) {
  char* names = UNTOUCHED;
  size_t *lengths = UNTOUCHED, count = 99;
  if (say_status(api->GetBoundOutputNames(binding, allocator(), &names, &lengths, &count))) {
    say("%d", (int)count);
    say("%.*s", count > 0 ? (int)lengths[0] : 0, count > 0 ? names : "");
  }
}
CALL("GetBoundOutputNames(none)") { say_names(some_binding(some_session())); }
CALL("GetBoundOutputNames(b)") {
  OrtIoBinding* binding = some_binding(some_session());
  CHECK(api->BindOutput(binding, "b", FLOATS(1, 2)) == NULL);
  say_names(binding);
}

static void say_bound(const OrtIoBinding* binding) {
  OrtValue** values = UNTOUCHED;
  size_t count = 99;
  if (say_status(api->GetBoundOutputValues(binding, allocator(), &values, &count))) {
    say("%d", (int)count);
    for (size_t i = 0; i < count; i++) {
      say_tensor(values[i]);
    }
  }
}
CALL("GetBoundOutputValues(none)") { say_bound(some_binding(some_session())); }

/* A binding of x to an output; the value may be NULL. */
static OrtIoBinding* bound(OrtSession* session, const OrtValue* x, const char* output,
                           const OrtValue* value) {
  OrtIoBinding* binding = some_binding(session);
  CHECK(x == NULL || api->BindInput(binding, "x", x) == NULL);
  CHECK((value != NULL ? api->BindOutput(binding, output, value)
                       : api->BindOutputToDevice(binding, output, cpu_info())) == NULL);
  return binding;
}
CALL("RunWithBinding(into a value)") {
  OrtSession* session = some_session();
  OrtIoBinding* binding = bound(session, FLOATS(3, 4), "a", FLOATS(0, 0));
  say_status(api->RunWithBinding(session, NULL, binding));
  say_bound(binding);
}
CALL("RunWithBinding(into memory of the library, twice)") {
  OrtSession* session = some_session();
  OrtIoBinding* binding = bound(session, FLOATS(3, 4), "a", NULL);
  say_status(api->RunWithBinding(session, NULL, binding));
  CHECK(api->BindInput(binding, "x", FLOATS(5)) == NULL);
  say_status(api->RunWithBinding(session, NULL, binding));
  say_bound(binding);
}
CALL("RunWithBinding(unknown output)") {
  OrtSession* session = some_session();
  say_status(api->RunWithBinding(session, NULL, bound(session, FLOATS(3), "z", FLOATS(1))));
}
CALL("RunWithBinding(no output)") {
  OrtSession* session = some_session();
  say_status(api->RunWithBinding(session, NULL, some_binding(session)));
}
