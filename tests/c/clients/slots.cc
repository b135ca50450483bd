/* SPDX-License-Identifier: MIT */
/*
 * Calls every slot of every table of the core with nothing but zeroes. What needs an engine, or is
 * not there yet, says so by name; what the core answers names itself and the argument; nothing
 * crashes. The name of the slot is printed first, so that a crash tells where.
 */
#include "client.h"
#include "onnxruntime_c_api.h"

namespace {

const OrtApi* g_ort = nullptr;
int called = 0;

template <class Result, class... Arguments>
Result call_with_zeroes(Result (*slot)(Arguments...) noexcept) {
  return slot(Arguments{}...);
}

void announce(const char* name) {
  called++;
  puts(name);
  fflush(stdout);
}

void check_status(OrtStatus* status, OrtErrorCode code, const char* name) {
  CHECK(status != nullptr);
  CHECK(g_ort->GetErrorCode(status) == code);
  CHECK(strncmp(g_ort->GetErrorMessage(status), name, strlen(name)) == 0);
  g_ort->ReleaseStatus(status);
}

struct Answer {
  const char* name;
  OrtErrorCode code;
};

/* What has nothing to complain about zeroes, or something else than an argument. */
const Answer kOthers[] = {
    {"CreateStatus", ORT_OK},
    {"EnableTelemetryEvents", ORT_OK},
    {"DisableTelemetryEvents", ORT_OK},
    {"ReleaseAvailableProviders", ORT_OK},
    {"SetLanguageProjection", ORT_OK},
    {"SetCurrentGpuDeviceId", ORT_FAIL},
    {"GetCurrentGpuDeviceId", ORT_FAIL},
    {"UpdateEnvWithCustomLogLevel", ORT_FAIL},
};

void check_answered(OrtStatus* status, const char* name) {
  OrtErrorCode code = ORT_INVALID_ARGUMENT;
  for (const Answer& other : kOthers) {
    code = strcmp(other.name, name) == 0 ? other.code : code;
  }
  if (code != ORT_OK) {
    check_status(status, code, name);
  } else if (status != nullptr) {
    check_status(status, ORT_OK, "");
  }
}

/* What is not implemented refuses the first pointer that it needs, if it needs one. */
void check_unanswered(OrtStatus* status, const char* name) {
  CHECK(status != nullptr);
  OrtErrorCode code = g_ort->GetErrorCode(status);
  check_status(status, code == ORT_INVALID_ARGUMENT ? code : ORT_NOT_IMPLEMENTED, name);
}

template <class Value>
void check_zero(Value value) {
  CHECK(value == Value{});
}

void check_zero(const char* text) { CHECK(text == nullptr || text[0] == '\0'); }

}  // namespace

#define STATUS_HOST(slot, name) check_answered(call_with_zeroes(slot), name)
#define STATUS_ENGINE(slot, name) check_unanswered(call_with_zeroes(slot), name)
#define STATUS_NOT_YET(slot, name) check_unanswered(call_with_zeroes(slot), name)
#define GETTER_HOST(slot) CHECK(slot() != nullptr)
#define GETTER_TABLE(slot) CHECK(slot() != nullptr)
#define GETTER_ENGINE(slot) check_zero(slot())
#define GETTER_NOT_YET(slot) check_zero(slot())

namespace {

void call_api(const OrtApi* table) {
#include "all_rows.h"
#include "ort_slots.def"
}

void call_model_editor(const OrtModelEditorApi* table) {
#include "all_rows.h"
#include "ort_model_editor_slots.def"
}

void call_compile(const OrtCompileApi* table) {
#include "all_rows.h"
#include "ort_compile_slots.def"
}

void call_interop(const OrtInteropApi* table) {
#include "all_rows.h"
#include "ort_interop_slots.def"
}

void call_ep(const OrtEpApi* table) {
#include "all_rows.h"
#include "ort_ep_slots.def"
}

void call_model_package(const OrtModelPackageApi* table) {
#include "all_rows.h"
#include "ort_model_package_slots.def"
}

}  // namespace

int main() {
  g_ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  CHECK(g_ort != nullptr);
  constexpr int slots = sizeof(OrtApi) / sizeof(void*);
  call_api(g_ort);
  CHECK(called == slots);
  call_model_editor(g_ort->GetModelEditorApi());
  call_compile(g_ort->GetCompileApi());
  call_interop(g_ort->GetInteropApi());
  call_ep(g_ort->GetEpApi());
  call_model_package(g_ort->GetModelPackageApi());
  CHECK(called == slots + 20 + 20 + 13 + 78 + 16);
  puts("ok");
  return 0;
}
