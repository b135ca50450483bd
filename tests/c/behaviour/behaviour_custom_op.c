/* SPDX-License-Identifier: MIT */
/* Custom-op domains, and libraries that register them. The library is this program: it exports the
 * function that libraries export. */
#include "behaviour.h"

#include "../clients/client.h"

/* What the registration is to do. */
static enum { SUCCEED, FAIL_HALFWAY } task;
static int registrations;

static const char* ORT_API_CALL op_name(const OrtCustomOp* op) {
  (void)op;
  return "Op";
}

static const OrtCustomOp op = {.version = ORT_API_VERSION, .GetName = op_name};

static OrtCustomOpDomain* some_domain(const char* name) {
  OrtCustomOpDomain* domain = NEW(OrtCustomOpDomain, api->CreateCustomOpDomain(name, &new_));
  CHECK(api->CustomOpDomain_Add(domain, &op) == NULL);
  return domain;
}

/* Not released before the options are. */
static OrtCustomOpDomain* registered;

ORT_EXPORT OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                     const OrtApiBase* host) NO_EXCEPTION {
  CHECK(host->GetApi(api_version) != NULL);
  registrations++;
  registered = some_domain("behaviour");
  CHECK(api->AddCustomOpDomain(options, registered) == NULL);
  return task == SUCCEED ? NULL : api->CreateStatus(ORT_EP_FAIL, "halfway");
}

static OrtSessionOptions* some_options(void) {
  return NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
}

static void custom_op_end(OrtSessionOptions* options) {
  api->ReleaseSessionOptions(options);
  api->ReleaseCustomOpDomain(registered);
  registered = NULL;
}

#define OPTIONS_CALL(text) CALL_WITH(text, OrtSessionOptions*, options, some_options, custom_op_end)

CALL("CreateCustomOpDomain(\"d\",&o)") {
  OrtCustomOpDomain* domain = UNTOUCHED;
  say_status(api->CreateCustomOpDomain("d", &domain));
  say_out(domain, UNTOUCHED);
  api->ReleaseCustomOpDomain(domain);
}
CALL("CreateCustomOpDomain(\"\",&o)") {
  OrtCustomOpDomain* domain = UNTOUCHED;
  say_status(api->CreateCustomOpDomain("", &domain));
  say_out(domain, UNTOUCHED);
  api->ReleaseCustomOpDomain(domain);
}

static void custom_op_add(const OrtCustomOp* added) {
  OrtCustomOpDomain* domain = some_domain("d");
  say_status(api->CustomOpDomain_Add(domain, added));
  api->ReleaseCustomOpDomain(domain);
}
CALL("CustomOpDomain_Add(d,op)") { custom_op_add(&op); }
CALL("CustomOpDomain_Add(d,op that is all zero)") {
  static const OrtCustomOp nothing;
  custom_op_add(&nothing);
}
CALL("CustomOpDomain_Add(d,op of version 9999)") {
  static const OrtCustomOp later = {.version = 9999};
  custom_op_add(&later);
}
OPTIONS_CALL("AddCustomOpDomain(o,d)") {
  registered = some_domain("d");
  say_status(api->AddCustomOpDomain(options, registered));
}
OPTIONS_CALL("AddCustomOpDomain twice") {
  registered = some_domain("d");
  say_status(api->AddCustomOpDomain(options, registered));
  say_status(api->AddCustomOpDomain(options, registered));
}
OPTIONS_CALL("AddCustomOpDomain(o,d), then d is released first") {
  OrtCustomOpDomain* domain = some_domain("d");
  say_status(api->AddCustomOpDomain(options, domain));
  api->ReleaseCustomOpDomain(domain);
}

/* --- Libraries -------------------------------------------------------------------------------- */

/* The path under which this program is a library. */
static const char* this_program(void) {
#if defined(_WIN32)
  static char path[MAX_PATH];
  CHECK(GetModuleFileNameA(NULL, path, sizeof path) > 0);
  return path;
#else
  return "";
#endif
}

/* A path in the system's characters. */
static const ORTCHAR_T* system_path(const char* path) {
#if defined(_WIN32)
  static wchar_t wide[MAX_PATH];
  CHECK(mbstowcs(wide, path, MAX_PATH) < MAX_PATH);
  return wide;
#else
  return path;
#endif
}

static void register_library(const char* path) {
  OrtSessionOptions* options = some_options();
  void* library = UNTOUCHED;
  registrations = 0;
  say_status(api->RegisterCustomOpsLibrary(options, path, &library));
  say("%d calls", registrations);
  say_out(library, UNTOUCHED);
  custom_op_end(options);
}

static void register_library_v2(const char* path) {
  OrtSessionOptions* options = some_options();
  registrations = 0;
  say_status(api->RegisterCustomOpsLibrary_V2(options, path == NULL ? NULL : system_path(path)));
  say("%d calls", registrations);
  custom_op_end(options);
}

CALL("RegisterCustomOpsLibrary(o,path,&h)") {
  task = SUCCEED;
  register_library(this_program());
}
CALL("RegisterCustomOpsLibrary(o,path of one that fails,&h)") {
  task = FAIL_HALFWAY;
  register_library(this_program());
}
CALL("RegisterCustomOpsLibrary(o,\"/nope.so\",&h)") { register_library("/nope.so"); }
CALL("RegisterCustomOpsLibrary(o,NULL,&h)") { register_library(NULL); }
CALL("RegisterCustomOpsLibrary_V2(o,path)") {
  task = SUCCEED;
  register_library_v2(this_program());
}
CALL("RegisterCustomOpsLibrary_V2(o,path of one that fails)") {
  task = FAIL_HALFWAY;
  register_library_v2(this_program());
}
CALL("RegisterCustomOpsLibrary_V2(o,\"/nope.so\")") { register_library_v2("/nope.so"); }
CALL("RegisterCustomOpsLibrary_V2(o,NULL)") { register_library_v2(NULL); }

static void register_function(const char* name) {
  OrtSessionOptions* options = some_options();
  registrations = 0;
  say_status(api->RegisterCustomOpsUsingFunction(options, name));
  say("%d calls", registrations);
  custom_op_end(options);
}
CALL("RegisterCustomOpsUsingFunction(o,name)") {
  task = SUCCEED;
  register_function("RegisterCustomOps");
}
CALL("RegisterCustomOpsUsingFunction(o,name of one that fails)") {
  task = FAIL_HALFWAY;
  register_function("RegisterCustomOps");
}
CALL("RegisterCustomOpsUsingFunction(o,\"no_such_function\")") {
  register_function("no_such_function");
}
CALL("RegisterCustomOpsUsingFunction(o,NULL)") { register_function(NULL); }
OPTIONS_CALL("EnableOrtCustomOps(o)") { say_status(api->EnableOrtCustomOps(options)); }

#undef OPTIONS_CALL
