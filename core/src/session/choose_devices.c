/* SPDX-License-Identifier: MIT */
/* The devices that a policy of the options chooses for a session, or a function of the caller; or
 * those of an environment variable. */

#include "env/registered_eps.h"
#include "model/model.h"
#include "session/session.h"

/** What a function may choose, as in ONNX Runtime. */
#define MOST_CHOSEN 8

struct choosing {
  OrtSession* session;
  /** All devices of the environment, the preferred first. */
  const OrtEpDevice** devices;
  size_t count;
  const OrtEpDevice* chosen[MOST_CHOSEN];
  size_t chosen_count;
};

/* --- the order of devices, as ONNX Runtime has it -------------------------------------------- */

static bool is_discrete(const OrtEpDevice* device) {
  const char* value = device->hardware->metadata != NULL
                          ? ort_GetKeyValue(device->hardware->metadata, "Discrete")
                          : NULL;
  return device->hardware->type == OrtHardwareDeviceType_GPU && value != NULL &&
         strcmp(value, "1") == 0;
}

static bool is_of_same_vendor(const OrtEpDevice* device) {
  OrtEpFactory* factory = device->factory;
  uint32_t id = CORE_FACTORY_HAS(factory, 23, GetVendorId) ? factory->GetVendorId(factory) : 0;
  return (id != 0 && id == device->hardware->vendor_id) ||
         strcmp(device->hardware->vendor, device->vendor) == 0;
}

/* The CPU, whose nodes are run by custom ops on the core: it comes last of all. */
static bool is_cores(const OrtEpDevice* device) { return device->factory == &core_cpu_factory; }

/* Lower for a device that is preferred: an NPU to a GPU to a CPU, a GPU of its own to one in the
 * CPU, and hardware of the provider's vendor to other hardware. */
static int rank_of(const OrtEpDevice* device) {
  OrtHardwareDeviceType type = device->hardware->type;
  int kind = type == OrtHardwareDeviceType_NPU ? 0 : type == OrtHardwareDeviceType_GPU ? 1 : 2;
  return 8 * kind + 4 * !is_discrete(device) + 2 * is_cores(device) + !is_of_same_vendor(device);
}

static bool is_preferred(const OrtEpDevice* a, const OrtEpDevice* b) {
  int first = rank_of(a), second = rank_of(b);
  return first != second ? first < second : strcmp(a->name, b->name) < 0;
}

static OrtStatus* order_devices(void* argument) {
  const struct choosing* self = argument;
  for (size_t i = 1; i < self->count; i++) {
    const OrtEpDevice* device = self->devices[i];
    size_t place = i;
    for (; place > 0 && is_preferred(device, self->devices[place - 1]); place--) {
      self->devices[place] = self->devices[place - 1];
    }
    self->devices[place] = device;
  }
  return NULL;
}

/* --- who chooses ------------------------------------------------------------------------------ */

static void choose_first(struct choosing* self, OrtHardwareDeviceType type) {
  for (size_t i = 0; i < self->count; i++) {
    if (self->devices[i]->hardware->type == type) {
      self->chosen[self->chosen_count++] = self->devices[i];
      return;
    }
  }
}

/* The best device of the preferred type, then the best CPU for what is left. */
static OrtStatus* choose_by_policy(struct choosing* self) {
  switch (self->session->options->settings.device_policy) {
    case OrtExecutionProviderDevicePolicy_DEFAULT:
    case OrtExecutionProviderDevicePolicy_PREFER_CPU:
      break;
    case OrtExecutionProviderDevicePolicy_PREFER_NPU:
    case OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY:
    case OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER:
      choose_first(self, OrtHardwareDeviceType_NPU);
      break;
    case OrtExecutionProviderDevicePolicy_PREFER_GPU:
    case OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE:
      choose_first(self, OrtHardwareDeviceType_GPU);
      break;
    default:
      return core_fail(ORT_INVALID_ARGUMENT,
                       "the options have a policy for devices that the core does not know");
  }
  choose_first(self, OrtHardwareDeviceType_CPU);
  return NULL;
}

static bool is_listed(const struct choosing* self, const OrtEpDevice* device) {
  for (size_t i = 0; i < self->count; i++) {
    if (self->devices[i] == device) {
      return true;
    }
  }
  return false;
}

/* The function gets the list itself, in which it may write. */
static OrtStatus* call_delegate(struct choosing* self, const OrtEpDevice** list,
                                const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime) {
  const struct core_session_settings* settings = &self->session->options->settings;
  memcpy(list, self->devices, self->count * sizeof *list);
  OrtStatus* status =
      settings->delegate(list, self->count, model, runtime, self->chosen, MOST_CHOSEN,
                         &self->chosen_count, settings->delegate_state);
  CORE_TRY_OR(status == NULL ? NULL
                             : core_status(ORT_FAIL, "EP selection delegate failed: %s",
                                           ort_GetErrorMessage(status)),
              ort_ReleaseStatus(status));
  CORE_FAIL_IF(self->chosen_count == 0, ORT_FAIL, "EP selection delegate did not select anything.");
  CORE_FAIL_IF(self->chosen_count > MOST_CHOSEN, ORT_FAIL,
               "EP selection delegate selected too many EP devices: the limit is 8");
  for (size_t i = 0; i < self->chosen_count; i++) {
    CORE_FAIL_IF(!is_listed(self, self->chosen[i]), ORT_FAIL,
                 "EP selection delegate selected what is none of its devices");
  }
  return NULL;
}

static OrtStatus* choose_by_delegate(struct choosing* self) {
  OrtKeyValuePairs *model = NULL, *runtime = NULL;
  CORE_TRY(core_describe_model(self->session->model, &model));
  ort_CreateKeyValuePairs(&runtime);
  const OrtEpDevice** list = heap_alloc(self->count * sizeof *list + 1);
  OrtStatus* status = runtime != NULL && list != NULL ? call_delegate(self, list, model, runtime)
                                                      : core_no_memory(self->count * sizeof *list);
  heap_free(list);
  ort_ReleaseKeyValuePairs(runtime);
  ort_ReleaseKeyValuePairs(model);
  return status;
}

/* --- what was chosen -------------------------------------------------------------------------- */

/* Adds the chosen devices to the options, those of one provider together. */
static OrtStatus* add_chosen(struct choosing* self) {
  for (size_t i = 0; i < self->chosen_count; i++) {
    const OrtEpDevice* group[MOST_CHOSEN];
    const OrtEpDevice* first = self->chosen[i];
    size_t count = 0;
    if (first == NULL || is_cores(first)) {
      continue;
    }
    for (size_t k = i; k < self->chosen_count; k++) {
      const OrtEpDevice* device = self->chosen[k];
      if (device != NULL && device->factory == first->factory &&
          strcmp(device->name, first->name) == 0) {
        group[count++] = device;
        self->chosen[k] = NULL;
      }
    }
    CORE_TRY(core_add_ep_choice(self->session->options, group, count));
  }
  return NULL;
}

static OrtStatus* choose(struct choosing* self) {
  CORE_TRY(core_ep_call("GetVendorId", order_devices, self));
  CORE_TRY(self->session->options->settings.delegate != NULL ? choose_by_delegate(self)
                                                             : choose_by_policy(self));
  return add_chosen(self);
}

OrtStatus* core_choose_devices(OrtSession* session) {
  struct choosing self = {.session = session};
  const OrtSessionOptions* options = session->options;
  if (options->ep_choices.count > 0) {
    return NULL;
  }
  if (!options->settings.has_policy) {
    return core_choose_presets(session->env, session->options);
  }
  CORE_TRY(core_env_use_devices(session->env, &self.devices, &self.count));
  OrtStatus* status = choose(&self);
  core_env_leave_devices(self.devices, self.count);
  return status;
}
