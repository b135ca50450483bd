/* SPDX-License-Identifier: MIT */
/* Libraries with execution providers, and what environments know of devices: the one of
 * tests/c/provider, whose path is in ASKED_EP, does what the name asks that it is registered under.
 */
#include "behaviour_eps.h"

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

OrtEnv* env_of_eps(void) {
  return NEW(OrtEnv, api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "behaviour", &new_));
}

const ORTCHAR_T* asked_ep(void) {
#if defined(_WIN32)
  return ORT_TSTR("none");
#else
  const char* path = getenv("ASKED_EP");
  return path == NULL ? "none" : path;
#endif
}

const char* events_of_ep(void) {
  const char* (*events)(void) = NULL;
#if !defined(_WIN32)
  void* library = dlopen(asked_ep(), RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) {
    *(void**)&events = dlsym(library, "AskedEpEvents");
  }
#endif
  return events == NULL ? "" : events();
}

const OrtEpDevice* device_of_ep(OrtEnv* env, const char* words) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  if (getenv("ASKED_EP") == NULL) {
    say("no library");
    return NULL;
  }
  CHECK(api->RegisterExecutionProviderLibrary(env, words, asked_ep()) == NULL);
  CHECK(api->GetEpDevices(env, &devices, &count) == NULL && count > 1);
  return devices[count - 1];
}

/* --- registration ---------------------------------------------------------------------------- */

static bool is_path_of_ep(const char* path) {
  const char* of_ep = getenv("ASKED_EP");
  return of_ep != NULL && strcmp(path, of_ep) == 0;
}

static void say_devices(OrtEnv* env) {
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  if (!say_status(api->GetEpDevices(env, &devices, &count))) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const OrtKeyValuePairs* metadata = api->EpDevice_EpMetadata(devices[i]);
    const char* path = api->GetKeyValue(metadata, "library_path");
    const char* version = api->GetKeyValue(metadata, "version");
    say("%s of %s %s", api->EpDevice_EpName(devices[i]), api->EpDevice_EpVendor(devices[i]),
        version == NULL ? "without a version"
        : i == 0        ? ""
                        : version);
    say("%s", path == NULL ? "no path" : is_path_of_ep(path) ? "its path" : path);
  }
}

/* Registers and unregisters under a name, and says what the library was asked. */
static void registering(const char* words) {
  OrtEnv* env = env_of_eps();
  events_of_ep();
  if (say_status(api->RegisterExecutionProviderLibrary(env, words, asked_ep()))) {
    say_devices(env);
    say("%s", events_of_ep());
    say_status(api->UnregisterExecutionProviderLibrary(env, words));
  }
  say("%s", events_of_ep());
  say_devices(env);
  api->ReleaseEnv(env);
}
#define REGISTER(words) \
  CALL("RegisterExecutionProviderLibrary(e," words ")") { registering(words); }
REGISTER("mine")
REGISTER("two")
REGISTER("three-devices")
REGISTER("memory")
REGISTER("memory host-memory read-only-memory transfers")
REGISTER("memory host-memory three-devices two")
REGISTER("memory null-allocator")
REGISTER("memory no-allocator")
REGISTER("memory arena")
REGISTER("own-path")
REGISTER("no-end")
REGISTER("refuse")
REGISTER("no-factory")
REGISTER("newer")
REGISTER("five")
REGISTER("null-factory")
REGISTER("version-21")
REGISTER("version-22")
REGISTER("cannot-create")
REGISTER("no-devices")
REGISTER("two no-devices")
REGISTER("nine-devices")
REGISTER("same-factory")
REGISTER("null-device")
REGISTER("same-device")
REGISTER("no-transfer")
REGISTER("half-transfers")
REGISTER("")

ANSWER("RegisterExecutionProviderLibrary(e,NULL,p)",
       api->RegisterExecutionProviderLibrary(env_of_eps(), NULL, asked_ep()))
ANSWER("RegisterExecutionProviderLibrary of no file",
       api->RegisterExecutionProviderLibrary(env_of_eps(), "mine", ORT_TSTR("/no/such/file")))
#if !defined(_WIN32)
ANSWER("RegisterExecutionProviderLibrary of another library",
       api->RegisterExecutionProviderLibrary(env_of_eps(), "mine", getenv("LOGGER_LIBRARY")))
#endif
CALL("RegisterExecutionProviderLibrary twice under a name") {
  OrtEnv* env = env_of_eps();
  say_status(api->RegisterExecutionProviderLibrary(env, "mine", asked_ep()));
  say_status(api->RegisterExecutionProviderLibrary(env, "mine", asked_ep()));
  say_devices(env);
}
CALL("RegisterExecutionProviderLibrary under two names") {
  OrtEnv* env = env_of_eps();
  say_status(api->RegisterExecutionProviderLibrary(env, "mine", asked_ep()));
  say_status(api->RegisterExecutionProviderLibrary(env, "other", asked_ep()));
  say_devices(env);
}
ANSWER("RegisterExecutionProviderLibrary(e,CPUExecutionProvider)",
       api->RegisterExecutionProviderLibrary(env_of_eps(), "CPUExecutionProvider", asked_ep()))
CALL("RegisterExecutionProviderLibrary and ReleaseEnv") {
  OrtEnv* env = env_of_eps();
  say_status(api->RegisterExecutionProviderLibrary(env, "mine memory transfers", asked_ep()));
  events_of_ep();
  api->ReleaseEnv(env);
  say("%s", events_of_ep());
}
ANSWER("UnregisterExecutionProviderLibrary(e,NULL)",
       api->UnregisterExecutionProviderLibrary(env_of_eps(), NULL))
ANSWER("UnregisterExecutionProviderLibrary of no name",
       api->UnregisterExecutionProviderLibrary(env_of_eps(), "mine"))
CALL("UnregisterExecutionProviderLibrary twice") {
  OrtEnv* env = env_of_eps();
  say_status(api->RegisterExecutionProviderLibrary(env, "mine", asked_ep()));
  say_status(api->UnregisterExecutionProviderLibrary(env, "mine"));
  say_status(api->UnregisterExecutionProviderLibrary(env, "mine"));
}

/* --- devices --------------------------------------------------------------------------------- */

CALL("GetEpDevices(e,&d,&n)") { say_devices(env_of_eps()); }
CALL("GetNumHardwareDevices(e,&n)") {
  size_t count = 0;
  say_status(api->GetNumHardwareDevices(env_of_eps(), &count));
  say("%d", count > 0);
}

static void eps_hardware(OrtEnv* env, size_t room) {
  const OrtHardwareDevice* devices[64] = {UNTOUCHED};
  devices[63] = UNTOUCHED;
  if (say_status(api->GetHardwareDevices(env, devices, room))) {
    say("%d %s %d", (int)api->HardwareDevice_Type(devices[0]),
        api->HardwareDevice_Vendor(devices[0])[0] == 0 ? "" : "a vendor",
        api->HardwareDevice_Metadata(devices[0]) != NULL);
    say_out(devices[63], UNTOUCHED);
  }
}
CALL("GetHardwareDevices(e,d,64)") { eps_hardware(env_of_eps(), 64); }
CALL("GetHardwareDevices(e,d,0)") { eps_hardware(env_of_eps(), 0); }

/* --- the environment's entries --------------------------------------------------------------- */

static void eps_say_entry(const char* key) {
  OrtKeyValuePairs* entries = NULL;
  if (say_status(api->GetEpApi()->GetEnvConfigEntries(&entries))) {
    const char* value = api->GetKeyValue(entries, key);
    say("%s=%s", key, value == NULL ? "none" : value);
    api->ReleaseKeyValuePairs(entries);
  }
}
CALL("GetEnvConfigEntries without an environment") { eps_say_entry("k"); }
CALL("GetEnvConfigEntries(&c)") {
  OrtKeyValuePairs* entries = NULL;
  api->CreateKeyValuePairs(&entries);
  api->AddKeyValuePair(entries, "k", "v");
  OrtEnvCreationOptions options = {api_version, ORT_LOGGING_LEVEL_FATAL, "id", NULL, NULL, NULL,
                                   entries};
  CHECK(NEW(OrtEnv, api->CreateEnvWithOptions(&options, &new_)) != NULL);
  api->ReleaseKeyValuePairs(entries);
  eps_say_entry("k");
  eps_say_entry("other");
}
CALL("GetEnvConfigEntries with a library in .virtual") {
  OrtEnv* env = env_of_eps();
  eps_say_entry("allow_virtual_devices");
  say_status(api->RegisterExecutionProviderLibrary(env, "mine.virtual", asked_ep()));
  say_status(api->RegisterExecutionProviderLibrary(env, "other.virtual", asked_ep()));
  eps_say_entry("allow_virtual_devices");
  say_status(api->UnregisterExecutionProviderLibrary(env, "mine.virtual"));
  eps_say_entry("allow_virtual_devices");
  say_status(api->UnregisterExecutionProviderLibrary(env, "other.virtual"));
  eps_say_entry("allow_virtual_devices");
}
