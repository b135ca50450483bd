/* SPDX-License-Identifier: MIT */
/*
 * A client of version ORT_API_VERSION meets hosts of every age, and is watched while it calls
 * slots. Given a library, it is watched at that one's table as well.
 */
#include "client.h"
#include "ortcore.h"

static const OrtApi* core;
static OrtcoreEmulate emulate;
static OrtcoreTraceBegin trace_begin;
static OrtcoreTraceEnd trace_end;

static OrtExperimentalFnPtr find(const char* name) {
  OrtExperimentalFnPtr function = core->GetExperimentalFunction(name);
  CHECK(function != NULL);
  return function;
}

/* What a trace gets as the traced library's version: any text. */
#define VERSION_STRING "1.9.9"
/* The place of a slot, as the list counts. */
#define SLOT(name) (offsetof(OrtApi, name) / sizeof(void*))

static void check_late(const OrtApi* api, OrtStatus* status, const char* message) {
  CHECK(status != NULL);
  CHECK(api->GetErrorCode(status) == ORT_NOT_IMPLEMENTED);
  CHECK(strcmp(api->GetErrorMessage(status), message) == 0);
  api->ReleaseStatus(status);
}

static void a_host_has_the_versions_up_to_its_own(unsigned version) {
  const OrtApiBase* base = emulate(version);
  CHECK(base == emulate(version));
  char expected[16];
  snprintf(expected, sizeof expected, "1.%u.0", version);
  CHECK(strcmp(base->GetVersionString(), expected) == 0);
  const OrtApi* api = base->GetApi(1);
  CHECK(api != NULL);
  for (unsigned older = 2; older <= version; older++) {
    CHECK(base->GetApi(older) == api);
  }
  CHECK(base->GetApi(0) == NULL);
  CHECK(base->GetApi(version + 1) == NULL);
}

static void there_is_no_host_of_another_version(void) {
  CHECK(emulate(0) == NULL);
  CHECK(emulate(ORT_API_VERSION + 1) == NULL);
  CHECK(emulate(UINT32_MAX) == NULL);
  CHECK(emulate(ORT_API_VERSION) == OrtGetApiBase());
}

static void a_host_works_up_to_its_version(void) {
  const OrtApi* api = emulate(12)->GetApi(12);
  OrtMemoryInfo* info = NULL;
  CHECK(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info) == NULL);
  const char* name = NULL;
  CHECK(api->MemoryInfoGetName(info, &name) == NULL);
  CHECK(strcmp(name, "Cpu") == 0);
  api->ReleaseMemoryInfo(info);
}

static void a_client_that_reads_on_is_reported(void) {
  const OrtApi* api = emulate(12)->GetApi(12);
  OrtMemoryInfo* info = NULL;
  OrtStatus* status =
      api->CreateMemoryInfo_V2("Cpu", OrtMemoryInfoDeviceType_CPU, 0, 0,
                               OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator, &info);
  check_late(
      api, status,
      "CreateMemoryInfo_V2 came with API version 23; this host is 1.12.0, of API version 12");
  CHECK(info == NULL);
  CHECK(api->GetModelEditorApi() == NULL);
  CHECK(api->GetKeyValue(NULL, "key") == NULL);
  api->ReleaseKeyValuePairs(NULL);
}

static OrtcoreTrace* begin(const OrtApi* api, uint32_t version, const char* version_string) {
  OrtcoreTrace* trace = NULL;
  CHECK(trace_begin(api, version, version_string, NULL, &trace) == NULL);
  return trace;
}

static void a_trace_counts_what_a_client_calls(const OrtApi* api) {
  OrtcoreTrace* trace = begin(api, ORT_API_VERSION, VERSION_STRING);
  CHECK(strcmp(trace->base->GetVersionString(), VERSION_STRING) == 0);
  const OrtApi* traced = trace->base->GetApi(22);
  CHECK(traced == trace->api);
  CHECK(trace->base->GetApi(ORT_API_VERSION + 1) == NULL);
  OrtKeyValuePairs* pairs = NULL;
  traced->CreateKeyValuePairs(&pairs);
  traced->AddKeyValuePair(pairs, "key", "value");
  CHECK(strcmp(traced->GetKeyValue(pairs, "key"), "value") == 0);
  CHECK(strcmp(traced->GetKeyValue(pairs, "key"), "value") == 0);
  traced->ReleaseKeyValuePairs(pairs);
  CHECK(trace->figures->calls[SLOT(CreateKeyValuePairs)] == 1);
  CHECK(trace->figures->calls[SLOT(AddKeyValuePair)] == 1);
  CHECK(trace->figures->calls[SLOT(GetKeyValue)] == 2);
  CHECK(trace->figures->calls[SLOT(ReleaseKeyValuePairs)] == 1);
  CHECK(trace->figures->calls[SLOT(CreateStatus)] == 0);
  CHECK(trace->figures->asked == ((uint64_t)1 << 22 | (uint64_t)1 << (ORT_API_VERSION + 1)));
  trace_end(trace);
}

/* A status belongs to the library that made it: any other's ReleaseStatus would crash. */
static void a_trace_lets_the_library_itself_refuse_late_slots(const OrtApi* api) {
  OrtcoreTrace* trace = begin(api, 21, "1.21.3");
  const OrtApi* traced = trace->base->GetApi(21);
  CHECK(trace->base->GetApi(22) == NULL);
  check_late(traced, traced->GetEpDevices(NULL, NULL, NULL),
             "GetEpDevices came with API version 22; this host is 1.21.3, of API version 21");
  CHECK(traced->GetEpApi() == NULL);
  traced->ReleaseKeyValuePairs(NULL);
  CHECK(trace->figures->calls[SLOT(GetEpDevices)] == 1);
  CHECK(trace->figures->calls[SLOT(GetEpApi)] == 1);
  CHECK(trace->figures->calls[SLOT(ReleaseKeyValuePairs)] == 1);
  trace_end(trace);
}

static void a_trace_counts_where_its_caller_says(const OrtApi* api) {
  static OrtcoreFigures figures = {.asked = 1, .calls = {1}};
  OrtcoreTrace* trace = NULL;
  CHECK(trace_begin(api, ORT_API_VERSION, VERSION_STRING, &figures, &trace) == NULL);
  CHECK(trace->figures == &figures && figures.asked == 0 && figures.calls[0] == 0);
  trace->api->ReleaseStatus(NULL);
  trace_end(trace);
  CHECK(figures.calls[SLOT(ReleaseStatus)] == 1);
}

static void check_refused(OrtStatus* status, OrtErrorCode code, const char* message) {
  CHECK(status != NULL);
  CHECK(core->GetErrorCode(status) == code);
  CHECK(strcmp(core->GetErrorMessage(status), message) == 0);
  core->ReleaseStatus(status);
}

static void two_traces_count_apart_and_a_third_waits(const OrtApi* api) {
  OrtcoreTrace* first = begin(core, ORT_API_VERSION, VERSION_STRING);
  OrtcoreTrace* second = begin(api, ORT_API_VERSION, VERSION_STRING);
  second->api->ReleaseStatus(NULL);
  CHECK(first->figures->calls[SLOT(ReleaseStatus)] == 0);
  CHECK(second->figures->calls[SLOT(ReleaseStatus)] == 1);
  OrtcoreTrace* third = NULL;
  check_refused(trace_begin(core, ORT_API_VERSION, VERSION_STRING, NULL, &third), ORT_FAIL,
                "ortcore_trace_begin: two traces are open; end one of them first");
  CHECK(third == NULL);
  trace_end(first);
  trace_end(begin(core, ORT_API_VERSION, VERSION_STRING));
  trace_end(second);
  trace_end(NULL);
}

static void a_table_outlives_its_trace(const OrtApi* api) {
  OrtcoreTrace* trace = begin(api, ORT_API_VERSION, VERSION_STRING);
  const OrtApi* kept = trace->api;
  trace_end(trace);
  OrtStatus* status = kept->CreateStatus(ORT_FAIL, "after the end");
  trace = begin(api, ORT_API_VERSION, VERSION_STRING);
  CHECK(trace->api == kept);
  CHECK(strcmp(kept->GetErrorMessage(status), "after the end") == 0);
  kept->ReleaseStatus(status);
  CHECK(trace->figures->calls[SLOT(CreateStatus)] == 0);
  CHECK(trace->figures->calls[SLOT(ReleaseStatus)] == 1);
  trace_end(trace);
}

static void a_provider_gets_its_table_back(const OrtApi* api) {
  OrtcoreTrace* other = begin(emulate(3)->GetApi(3), 3, "1.3.0");
  OrtcoreTrace* trace = begin(api, ORT_API_VERSION, VERSION_STRING);
  const OrtApi* kept = trace->api;
  trace_end(other);
  trace_end(trace);
  trace = begin(api, ORT_API_VERSION, VERSION_STRING);
  CHECK(trace->api == kept);
  trace_end(trace);
}

static void a_trace_without_its_arguments_is_refused(void) {
  OrtcoreTrace* out = NULL;
  check_refused(trace_begin(NULL, ORT_API_VERSION, VERSION_STRING, NULL, &out),
                ORT_INVALID_ARGUMENT, "ortcore_trace_begin: api must not be NULL");
  check_refused(trace_begin(core, 0, VERSION_STRING, NULL, &out), ORT_INVALID_ARGUMENT,
                "ortcore_trace_begin: version must be 1 or more");
  check_refused(trace_begin(core, ORT_API_VERSION, NULL, NULL, &out), ORT_INVALID_ARGUMENT,
                "ortcore_trace_begin: version_string must not be NULL");
  check_refused(trace_begin(core, ORT_API_VERSION, VERSION_STRING, NULL, NULL),
                ORT_INVALID_ARGUMENT, "ortcore_trace_begin: out must not be NULL");
  OrtcoreTrace* trace = begin(core, ORT_API_VERSION, VERSION_STRING);
  check_refused(trace_begin(trace->api, ORT_API_VERSION, VERSION_STRING, NULL, &out),
                ORT_INVALID_ARGUMENT, "ortcore_trace_begin: api must not be the table of a trace");
  trace_end(trace);
  CHECK(out == NULL);
}

int main(int argc, char** argv) {
  core = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  CHECK(core->GetExperimentalFunction("no such function") == NULL);
  emulate = (OrtcoreEmulate)find(ORTCORE_EMULATE);
  trace_begin = (OrtcoreTraceBegin)find(ORTCORE_TRACE_BEGIN);
  trace_end = (OrtcoreTraceEnd)find(ORTCORE_TRACE_END);
  const OrtApi* api = core;
  if (argc > 1) {
    const OrtApiBase*(ORT_API_CALL * get_base)(void);
    *(void**)&get_base = entry_of(argv[1]);
    api = get_base()->GetApi(ORT_API_VERSION);
    CHECK(api != NULL);
  }
  for (unsigned version = 1; version <= ORT_API_VERSION; version++) {
    a_host_has_the_versions_up_to_its_own(version);
  }
  there_is_no_host_of_another_version();
  a_host_works_up_to_its_version();
  a_client_that_reads_on_is_reported();
  a_trace_counts_what_a_client_calls(api);
  a_trace_lets_the_library_itself_refuse_late_slots(api);
  a_trace_counts_where_its_caller_says(api);
  two_traces_count_apart_and_a_third_waits(api);
  a_table_outlives_its_trace(api);
  a_provider_gets_its_table_back(api);
  a_trace_without_its_arguments_is_refused();
  puts("ok");
  return 0;
}
