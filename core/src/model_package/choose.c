/* SPDX-License-Identifier: MIT */
/* Which variant of a component fits the execution provider that options prefer. */
#include <string.h>

#include "model_package/package.h"
#include "options/session_options.h"

/* Who is to run the model, and where. */
struct target {
  const char* ep;
  /* None: the CPU's own provider. */
  const OrtEpDevice* const* devices;
  size_t count;
};

static char lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* Whether a text names a type of hardware, in letters of any case. */
static bool is_type(const char* text, OrtHardwareDeviceType type) {
  static const char* const names[] = {[OrtHardwareDeviceType_CPU] = "cpu",
                                      [OrtHardwareDeviceType_GPU] = "gpu",
                                      [OrtHardwareDeviceType_NPU] = "npu"};
  const char* name = (size_t)type < CORE_COUNT_OF(names) ? names[type] : "";
  while (*text != 0 && lower(*text) == *name) {
    text++;
    name++;
  }
  return *text == 0 && *name == 0;
}

/* The devices that a variant is for: all, or the first one of the type that it names; else none. */
static struct target narrow(const struct target* target, const char* device) {
  struct target found = *target;
  if (device == NULL || device[0] == 0) {
    return found;
  }
  while (found.count > 0 && !is_type(device, found.devices[0]->hardware->type)) {
    found.devices++;
    found.count--;
  }
  found.count = found.count > 0;
  return found;
}

/* How well the provider runs what was compiled for it; -1 if it cannot, or cannot say. */
static int ask_provider(const struct target* target, const char* compatibility) {
  OrtCompiledModelCompatibility answer = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  if (compatibility == NULL || compatibility[0] == 0 || target->count == 0) {
    return 1;
  }
  OrtStatus* status =
      ort_GetModelCompatibilityForEpDevices(target->devices, target->count, compatibility, &answer);
  if (status != NULL) {
    ort_ReleaseStatus(status);
    return -1;
  }
  switch (answer) {
    case OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL:
      return 3;
    case OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION:
      return 2;
    case OrtCompiledModelCompatibility_EP_NOT_APPLICABLE:
      return 1;
    case OrtCompiledModelCompatibility_EP_UNSUPPORTED:
      return -1;
    default: /* an answer of a later version */
      return 0;
  }
}

/* How well a variant fits; -1 if it does not. */
static int rate(const struct target* target, const struct core_variant* variant) {
  if (variant->ep == NULL || strcmp(variant->ep, target->ep) != 0) {
    return -1;
  }
  struct target wanted = narrow(target, variant->device);
  bool is_there = target->count > 0 ? wanted.count > 0
                                    : variant->device == NULL || variant->device[0] == 0 ||
                                          is_type(variant->device, OrtHardwareDeviceType_CPU);
  return is_there ? ask_provider(&wanted, variant->compatibility) : -1;
}

const struct core_variant* core_package_choose(const struct core_component* component,
                                               const OrtSessionOptions* options, const char** ep) {
  const struct core_ep_choice* preferred = core_list_at(&options->ep_choices, 0);
  struct target target = {.ep = "CPUExecutionProvider"};
  if (preferred != NULL) {
    target = (struct target){preferred->devices[0]->name, preferred->devices, preferred->count};
  }
  const struct core_variant* best = NULL;
  int most = -1;
  for (size_t i = 0; i < component->count; i++) {
    int rating = rate(&target, &component->variants[i]);
    if (rating > most) {
      most = rating;
      best = &component->variants[i];
    }
  }
  *ep = target.ep;
  return best;
}
