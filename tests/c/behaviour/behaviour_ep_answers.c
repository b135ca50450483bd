/* SPDX-License-Identifier: MIT */
/* What execution providers answer of hardware and compiled models; their part in options. */
#include "behaviour_eps.h"

#define WITH_EP(text, words, ...)                  \
  CALL(text) {                                     \
    OrtEnv* e = env_of_eps();                      \
    const OrtEpDevice* d = device_of_ep(e, words); \
    if (d == NULL) {                               \
      return;                                      \
    }                                              \
    __VA_ARGS__;                                   \
  }

/* --- incompatibility ------------------------------------------------------------------------- */

static void say_details(const OrtDeviceEpIncompatibilityDetails* details) {
  uint32_t reasons = 7;
  int32_t code = 7;
  const char* notes = UNTOUCHED;
  say_status(api->DeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &reasons));
  say_status(api->DeviceEpIncompatibilityDetails_GetNotes(details, &notes));
  say_status(api->DeviceEpIncompatibilityDetails_GetErrorCode(details, &code));
  say("%u %d %s", reasons, code, notes == NULL ? "NULL" : notes == UNTOUCHED ? "untouched" : notes);
}
static void why_not(OrtEnv* env, const char* name) {
  OrtDeviceEpIncompatibilityDetails* details = UNTOUCHED;
  const OrtHardwareDevice* hardware[64] = {NULL};
  size_t count = 0;
  CHECK(api->GetNumHardwareDevices(env, &count) == NULL && count <= 64);
  CHECK(api->GetHardwareDevices(env, hardware, count) == NULL);
  if (say_status(
          api->GetHardwareDeviceEpIncompatibilityDetails(env, name, hardware[0], &details))) {
    say_details(details);
    api->ReleaseDeviceEpIncompatibilityDetails(details);
  } else {
    say_out(details, UNTOUCHED);
  }
}
WITH_EP("GetHardwareDeviceEpIncompatibilityDetails(e,n,h,&i)", "incompatible",
        why_not(e, "AskedEP"))
WITH_EP("GetHardwareDeviceEpIncompatibilityDetails of nothing wrong", "mine", why_not(e, "AskedEP"))
WITH_EP("GetHardwareDeviceEpIncompatibilityDetails of version 22", "incompatible version-22",
        why_not(e, "AskedEP"))
WITH_EP("GetHardwareDeviceEpIncompatibilityDetails that fails", "no-details", why_not(e, "AskedEP"))
WITH_EP("GetHardwareDeviceEpIncompatibilityDetails by the registration's name", "mine",
        why_not(e, "mine"))
CALL("GetHardwareDeviceEpIncompatibilityDetails of the CPU") {
  why_not(env_of_eps(), "CPUExecutionProvider");
}
CALL("GetHardwareDeviceEpIncompatibilityDetails(e,\"\",h,&i)") { why_not(env_of_eps(), ""); }
CALL("DeviceEpIncompatibilityDetails_GetReasonsBitmask(NULL,&r) and the like") {
  say_details(NULL);
  say_status(api->GetEpApi()->DeviceEpIncompatibilityDetails_SetDetails(NULL, 0, 0, NULL));
}

/* --- compiled models ------------------------------------------------------------------------- */

static void is_compatible(const OrtEpDevice* const* devices, size_t count, const char* info) {
  OrtCompiledModelCompatibility answer = 7;
  say_status(api->GetModelCompatibilityForEpDevices(devices, count, info, &answer));
  say("%d", (int)answer);
}
static const OrtEpDevice* cpu_of(OrtEnv* env) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK(api->GetEpDevices(env, &devices, &count) == NULL);
  return devices[0];
}
WITH_EP("GetModelCompatibilityForEpDevices(d,1,i,&o)", "mine", is_compatible(&d, 1, "mine"))
WITH_EP("GetModelCompatibilityForEpDevices(d,1,other,&o)", "mine", is_compatible(&d, 1, "other"))
WITH_EP("GetModelCompatibilityForEpDevices that fails", "no-validation",
        is_compatible(&d, 1, "mine"))
WITH_EP("GetModelCompatibilityForEpDevices of version 22", "version-22",
        is_compatible(&d, 1, "mine"))
WITH_EP("GetModelCompatibilityForEpDevices(d,0,i,&o)", "mine", is_compatible(&d, 0, "mine"))
WITH_EP("GetModelCompatibilityForEpDevices of two providers", "mine",
        const OrtEpDevice* both[] = {d, cpu_of(e)};
        is_compatible(both, 2, "mine"))
WITH_EP("GetModelCompatibilityForEpDevices of NULL", "mine", const OrtEpDevice* both[] = {d, NULL};
        is_compatible(both, 2, "mine"))
CALL("GetModelCompatibilityForEpDevices of the CPU") {
  const OrtEpDevice* cpu = cpu_of(env_of_eps());
  is_compatible(&cpu, 1, "mine");
}

/* --- options --------------------------------------------------------------------------------- */

static void ep_answers_say_entry(const OrtSessionOptions* options, const char* key) {
  char value[100] = "";
  size_t size = sizeof value;
  OrtStatus* status = api->GetSessionConfigEntry(options, key, value, &size);
  say("%s=%s", key, status == NULL ? value : "none");
  api->ReleaseStatus(status);
}
static void append(OrtEnv* env, const OrtEpDevice* const* devices, size_t device_count,
                   const char* const* keys, const char* const* values, size_t count) {
  OrtSessionOptions* options = NULL;
  CHECK(api->CreateSessionOptions(&options) == NULL);
  CHECK(api->AddSessionConfigEntry(options, "ep.askedep.Mine", "0") == NULL);
  say_status(api->SessionOptionsAppendExecutionProvider_V2(options, env, devices, device_count,
                                                           keys, values, count));
  ep_answers_say_entry(options, "ep.askedep.Default");
  ep_answers_say_entry(options, "ep.askedep.Mine");
  ep_answers_say_entry(options, "ep.askedep.");
  api->ReleaseSessionOptions(options);
}
static const char* const keys[] = {"Mine", "Default"};
static const char* const values[] = {"1", "2"};
static const char* const holes[] = {"Mine", NULL};
static const char* const empty[] = {"Mine", ""};
#define APPEND SessionOptionsAppendExecutionProvider_V2
WITH_EP("SessionOptionsAppendExecutionProvider_V2(o,e,d,1,NULL,NULL,0)", "mine",
        append(e, &d, 1, NULL, NULL, 0))
WITH_EP("SessionOptionsAppendExecutionProvider_V2(o,e,d,1,k,v,2)", "mine",
        append(e, &d, 1, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 with a NULL key", "mine",
        append(e, &d, 1, holes, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 with an empty key", "mine",
        append(e, &d, 1, empty, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 with a NULL value", "mine",
        append(e, &d, 1, keys, holes, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2(o,e,d,1,NULL,v,2)", "mine",
        append(e, &d, 1, NULL, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2(o,e,d,1,k,NULL,2)", "mine",
        append(e, &d, 1, keys, NULL, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2(o,e,d,0)", "mine",
        append(e, &d, 0, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2(o,e,NULL,1)", "mine",
        append(e, NULL, 1, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2(o,NULL,d,1)", "mine",
        append(NULL, &d, 1, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 of two providers", "mine",
        const OrtEpDevice* both[] = {d, cpu_of(e)};
        append(e, both, 2, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 of two factories", "two",
        const OrtEpDevice* const* all = NULL;
        size_t count = 0; CHECK(api->GetEpDevices(e, &all, &count) == NULL && count == 3);
        append(e, all + 1, 2, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 of one device twice", "mine",
        const OrtEpDevice* both[] = {d, d};
        append(e, both, 2, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 with domains", "domains",
        append(e, &d, 1, keys, values, 2))
WITH_EP("SessionOptionsAppendExecutionProvider_V2 whose domains fail", "no-domains",
        append(e, &d, 1, keys, values, 2))
CALL("SessionOptionsAppendExecutionProvider_V2 of the CPU") {
  OrtEnv* env = env_of_eps();
  const OrtEpDevice* cpu = cpu_of(env);
  append(env, &cpu, 1, keys, values, 2);
}

static void weightless(const OrtSessionOptions* options) {
  const void* data = UNTOUCHED;
  size_t size = 7;
  say_status(api->GetEpApi()->SessionOptionsGetWeightlessSourceModelBuffer(options, &data, &size));
  say("%s %zu", data == UNTOUCHED ? "untouched" : data == NULL ? "NULL" : (const char*)data, size);
}
CALL("SessionOptionsGetWeightlessSourceModelBuffer(o,&d,&n)") {
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  weightless(options);
  CHECK(api->SessionOptionsSetWeightlessSourceModelBuffer(options, "model", 5) == NULL);
  weightless(options);
}

#undef APPEND
#undef WITH_EP
