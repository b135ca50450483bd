/* SPDX-License-Identifier: MIT */
/*
 * Calls every slot of every older host with nothing but zeroes: up to the host's version it is the
 * core's own function, and later ones say so. Then every slot of a traced table, which answers like
 * the core's and counts; and a trace without its arguments.
 */
#include <cstring>
#include <string>

#include "client.h"
#include "ortcore.h"

namespace {

const OrtApi* g_core = nullptr;

template <class Result, class... Arguments>
Result call_with_zeroes(Result (*slot)(Arguments...) noexcept) {
  return slot(Arguments{}...);
}

/* What a status says, or nothing for success; the status is released. */
std::string text_of(OrtStatus* status) {
  if (status == nullptr) {
    return "";
  }
  std::string text =
      std::to_string(g_core->GetErrorCode(status)) + " " + g_core->GetErrorMessage(status);
  g_core->ReleaseStatus(status);
  return text;
}

void check_late(OrtStatus* status, const char* name, int since) {
  CHECK(text_of(status) == std::to_string(ORT_NOT_IMPLEMENTED) + " " + name +
                               " came with API version " + std::to_string(since) +
                               "; this host is of an older one");
}

template <class Value>
void check_zero(Value value) {
  CHECK(value == Value{});
}

/* The slots that hand a base to op libraries: each host's own, since it hands out its own base. */
bool hands_out_a_base(const char* name) {
  return strncmp(name, "RegisterCustomOps", strlen("RegisterCustomOps")) == 0;
}

void check_host(const OrtApi* table, int host) {
#define IF_LATE(since, name, check)                                \
  if ((since) > host) {                                            \
    check;                                                         \
  } else {                                                         \
    CHECK(hands_out_a_base(#name) || table->name == g_core->name); \
  }
#define ORT_SLOT_STATUS(index, since, topic, who, name, parameters, arguments) \
  IF_LATE(since, name, check_late(call_with_zeroes(table->name), #name, since))
#define ORT_SLOT_VOID(index, since, topic, who, name, parameters, arguments) \
  IF_LATE(since, name, call_with_zeroes(table->name))
#define ORT_SLOT_VALUE(index, since, topic, who, returns, name, parameters, arguments) \
  IF_LATE(since, name, check_zero(call_with_zeroes(table->name)))
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  IF_LATE(since, name, check_zero(table->name()))
#include "ort_slots.def"
}

/* Of each slot, what the traced table and the core's own answer, and that it was counted at FIRST
 * and its index. */
#define CHECK_COUNT(index) CHECK(trace->figures->calls[FIRST + (index)] == 1)
#define CHECK_STATUS_ROW(index, since, topic, who, name, parameters, arguments)            \
  CHECK(text_of(call_with_zeroes(traced->name)) == text_of(call_with_zeroes(core->name))); \
  CHECK_COUNT(index);
#define CHECK_VOID_ROW(index, since, topic, who, name, parameters, arguments) \
  call_with_zeroes(traced->name);                                             \
  CHECK_COUNT(index);
#define CHECK_VALUE_ROW(index, since, topic, who, returns, name, parameters, arguments) \
  CHECK(call_with_zeroes(traced->name) == call_with_zeroes(core->name));                \
  CHECK_COUNT(index);

void check_trace(const OrtcoreTrace* trace) {
  const OrtApi *traced = trace->api, *core = g_core;
#define FIRST 0
#define ORT_SLOT_STATUS CHECK_STATUS_ROW
#define ORT_SLOT_VOID CHECK_VOID_ROW
#define ORT_SLOT_VALUE CHECK_VALUE_ROW
/* The table for execution providers is the trace's own. */
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name) \
  CHECK((traced->name() == core->name()) !=                      \
        (index == offsetof(OrtApi, GetEpApi) / sizeof(void*)));  \
  CHECK_COUNT(index);
#include "ort_slots.def"
}

void check_ep_trace(const OrtcoreTrace* trace) {
  const OrtEpApi *traced = trace->api->GetEpApi(), *core = g_core->GetEpApi();
#undef FIRST
#define FIRST ORTCORE_TRACED_SLOTS
#define ORT_SLOT_STATUS CHECK_STATUS_ROW
#define ORT_SLOT_VOID CHECK_VOID_ROW
#define ORT_SLOT_VALUE CHECK_VALUE_ROW
#define ORT_SLOT_GETTER(index, since, topic, who, returns, name)
#include "ort_ep_slots.def"
}

void check_refused(OrtcoreTraceBegin begin, const OrtApi* api, uint32_t version, const char* words,
                   OrtcoreTrace** out, const char* said) {
  CHECK(text_of(begin(api, version, words, nullptr, out)) ==
        std::to_string(ORT_INVALID_ARGUMENT) + " ortcore_trace_begin: " + said);
}

/* `traced` is the table of an open trace. */
void check_arguments(OrtcoreTraceBegin begin, const OrtApi* traced) {
  OrtcoreTrace* out = nullptr;
  check_refused(begin, nullptr, 1, "1.1.0", &out, "api must not be NULL");
  check_refused(begin, g_core, 0, "1.1.0", &out, "version must be 1 or more");
  check_refused(begin, g_core, 1, nullptr, &out, "version_string must not be NULL");
  check_refused(begin, g_core, 1, "1.1.0", nullptr, "out must not be NULL");
  check_refused(begin, traced, 1, "1.1.0", &out, "api must not be the table of a trace");
  CHECK(out == nullptr);
}

template <class Function>
Function find(const char* name) {
  return reinterpret_cast<Function>(g_core->GetExperimentalFunction(name));
}

}  // namespace

int main() {
  g_core = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtcoreEmulate emulate = find<OrtcoreEmulate>(ORTCORE_EMULATE);
  for (int host = 1; host <= ORT_API_VERSION; host++) {
    check_host(emulate(static_cast<uint32_t>(host))->GetApi(1), host);
  }
  OrtcoreTrace* trace = nullptr;
  OrtcoreTraceBegin begin = find<OrtcoreTraceBegin>(ORTCORE_TRACE_BEGIN);
  CHECK(begin(g_core, ORT_API_VERSION, "1.9.9", nullptr, &trace) == nullptr);
  check_arguments(begin, trace->api);
  check_trace(trace);
  check_ep_trace(trace);
  find<OrtcoreTraceEnd>(ORTCORE_TRACE_END)(trace);
  puts("ok");
  return 0;
}
