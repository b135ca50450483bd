/* SPDX-License-Identifier: MIT */
/* Weightless modes: whether providers are to leave weights out of what they compile, and whether
 * they can. */

#include "session/session.h"

#define MODE "ep.enable_weightless_mode"
/* The entry that providers knew before there were modes. */
#define ENABLE "ep.enable_weightless"

/* What the metadata of devices says, by the numbers of OrtWeightlessSupport. */
static const char* const names[] = {"none", "external_only", "all", "all_or_external_only"};

static const char* entry(const OrtSession* session, const char* key) {
  return core_config_get(&session->options->lists[CORE_SESSION_CONFIG], key);
}

/* The mode that is asked for; NULL for none. */
static const char* mode_of(const OrtSession* session) {
  const char* mode = entry(session, MODE);
  return mode != NULL && strcmp(mode, "0") != 0 ? mode : NULL;
}

/* Whether a provider that supports some modes supports one. */
static bool has_mode(OrtWeightlessSupport support, const char* mode) {
  return support == OrtWeightlessSupport_ALL_OR_EXTERNAL_ONLY || (int)support == mode[0] - '0';
}

OrtStatus* core_read_weightless(OrtSession* session) {
  const char* mode = entry(session, MODE);
  if (mode == NULL) {
    return NULL;
  }
  CORE_RETURN_IF(mode[0] < '0' || mode[0] > '2' || mode[1] != 0,
                 core_status(ORT_INVALID_ARGUMENT,
                             "Invalid value '%s' for " MODE
                             ". Valid values are: \"0\" (OrtWeightlessSupport_NONE), \"1\" "
                             "(OrtWeightlessSupport_EXTERNAL_ONLY), and \"2\" "
                             "(OrtWeightlessSupport_ALL).",
                             mode));
  return core_config_set(&session->options->lists[CORE_SESSION_CONFIG], ENABLE,
                         mode[0] == '0' ? "0" : "1");
}

/* The modes that the metadata of a device names; their numbers are sets of bits. */
static OrtWeightlessSupport support_of(const OrtEpDevice* device) {
  const char* modes = ort_GetKeyValue(device->metadata, "weightless_supported_modes");
  modes = modes != NULL ? modes : ort_GetKeyValue(device->metadata, "weightless_support");
  size_t i = CORE_COUNT_OF(names) - 1;
  while (modes != NULL && i > 0 && strcmp(modes, names[i]) != 0) {
    i--;
  }
  return modes != NULL ? (OrtWeightlessSupport)i : OrtWeightlessSupport_NONE;
}

OrtStatus* core_check_weightless_devices(const OrtSession* session,
                                         const OrtEpDevice* const* devices, size_t count) {
  const char* mode = mode_of(session);
  for (size_t i = 0; mode != NULL && i < count; i++) {
    CORE_RETURN_IF(
        !has_mode(support_of(devices[i]), mode),
        core_status(ORT_EP_FAIL,
                    "Weightless mode '%s' requested (" MODE "=%s), but a device of '%s' does "
                    "not support it: see its metadata",
                    names[mode[0] - '0'], mode, devices[i]->name));
  }
  return NULL;
}

static void note_version(const OrtSession* session, const struct core_ep* ep) {
  core_session_log(session, ORT_LOGGING_LEVEL_INFO, "weightless.c",
                   "EP '%.100s' was compiled with API version %u, which has no "
                   "GetWeightlessSupport (version 29): whether it leaves weights out cannot be "
                   "verified",
                   ep->name, (unsigned)ep->seen.ep->ort_version_supported);
}

/* A host chooses devices by their metadata, before it asks the provider. */
static void compare_with_metadata(const struct core_weightless* self, const struct core_ep* ep,
                                  OrtWeightlessSupport support) {
  unsigned common = OrtWeightlessSupport_ALL_OR_EXTERNAL_ONLY;
  for (size_t i = 0; i < self->count; i++) {
    common &= (unsigned)support_of(self->devices[i]);
  }
  if (common != (unsigned)support) {
    core_session_log(self->session, ORT_LOGGING_LEVEL_WARNING, "weightless.c",
                     "EP '%.100s': GetWeightlessSupport() returns '%s', but the EP metadata of its "
                     "devices supports '%s' in common",
                     ep->name, names[support], names[common]);
  }
}

OrtStatus* core_ask_for_weightless(void* argument) {
  const struct core_weightless* self = argument;
  const OrtSession* session = self->session;
  const struct core_ep* own = core_last_ep(session)->ep;
  const OrtEp* ep = own->seen.ep;
  const char *mode = entry(session, MODE), *enable = entry(session, ENABLE);
  OrtWeightlessSupport support = OrtWeightlessSupport_NONE;
  const char *key = mode != NULL ? MODE : ENABLE, *value = mode != NULL ? mode : enable;
  if (enable == NULL || strcmp(enable, "1") != 0) {
    return NULL;
  }
  if (ep->ort_version_supported < 29) {
    note_version(session, own);
    return NULL;
  }
  CORE_RETURN_IF(ep->GetWeightlessSupport == NULL,
                 core_status(ORT_NOT_IMPLEMENTED,
                             "Weightless mode requested (%s=%s) but EP '%s' does not implement "
                             "GetWeightlessSupport.",
                             key, value, own->name));
  CORE_TRY(ep->GetWeightlessSupport(ep, &support));
  bool is_known = (unsigned)support < CORE_COUNT_OF(names);
  bool is_fine = mode != NULL ? has_mode(support, mode) : support != OrtWeightlessSupport_NONE;
  if (is_known && is_fine) {
    compare_with_metadata(self, own, support);
    return NULL;
  }
  return core_status(ORT_EP_FAIL,
                     "Weightless mode requested (%s=%s) but EP '%s' does not support it on this "
                     "device. Supported weightless modes: '%s'.",
                     key, value, own->name, is_known ? names[support] : "unknown");
}

OrtStatus* core_note_weightless(OrtSession* session) {
  static const char key[] = "weightless_mode";
  const char* mode = mode_of(session);
  return mode == NULL || core_items_find(&session->context_entries, key, sizeof key) != NULL ||
                 core_items_add(&session->context_entries, key, sizeof key, mode) != NULL
             ? NULL
             : core_no_memory(sizeof key);
}
