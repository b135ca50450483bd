/* SPDX-License-Identifier: MIT */
/* Whether hardware and compiled models fit an execution provider. */

#include "ep/library.h"
#include "object/keyed_list.h"

struct OrtDeviceEpIncompatibilityDetails {
  struct core_object object;
  uint32_t reasons;
  int32_t error_code;
  char* notes;
};

static void end_details(void* block) {
  heap_free(((struct OrtDeviceEpIncompatibilityDetails*)block)->notes);
}

static const struct core_class details_class = {.kind = CORE_INCOMPATIBILITY, .end = end_details};

struct question {
  OrtEpFactory* factory;
  const OrtHardwareDevice* hardware;
  OrtDeviceEpIncompatibilityDetails* details;
};

CORE_EP_CALLER(get_details, struct question,
               self->factory->GetHardwareDeviceIncompatibilityDetails(self->factory, self->hardware,
                                                                      self->details))

OrtStatus* core_ask_incompatibility(OrtEpFactory* factory, const OrtHardwareDevice* hardware,
                                    OrtDeviceEpIncompatibilityDetails** out) {
  CORE_NEW(OrtDeviceEpIncompatibilityDetails, details, &details_class);
  struct question question = {factory, hardware, details};
  CORE_HAND_OUT(
      CORE_FACTORY_HAS(factory, 24, GetHardwareDeviceIncompatibilityDetails)
          ? core_ep_call("GetHardwareDeviceEpIncompatibilityDetails", get_details, &question)
          : NULL,
      details, out);
}

CORE_SLOT(ort_ep_DeviceEpIncompatibilityDetails_SetDetails,
          OrtDeviceEpIncompatibilityDetails* details, uint32_t reasons_bitmask, int32_t error_code,
          const char* notes) {
  char* copy = NULL;
  if (notes != NULL) {
    CORE_TRY(core_copy_text(notes, &copy));
  }
  heap_free(details->notes);
  details->notes = copy;
  details->reasons = reasons_bitmask;
  details->error_code = error_code;
  return NULL;
}

CORE_GETTER(ort_DeviceEpIncompatibilityDetails_GetReasonsBitmask, uint32_t, details->reasons,
            const OrtDeviceEpIncompatibilityDetails* details)
CORE_GETTER(ort_DeviceEpIncompatibilityDetails_GetNotes, const char*, details->notes,
            const OrtDeviceEpIncompatibilityDetails* details)
CORE_GETTER(ort_DeviceEpIncompatibilityDetails_GetErrorCode, int32_t, details->error_code,
            const OrtDeviceEpIncompatibilityDetails* details)

void ORT_API_CALL
ort_ReleaseDeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails* input) NO_EXCEPTION {
  core_drop(input);
}

/* --- compiled models ------------------------------------------------------------------------- */

struct validation {
  OrtEpFactory* factory;
  const OrtHardwareDevice** hardware;
  size_t count;
  const char* info;
  OrtCompiledModelCompatibility answer;
};

CORE_EP_CALLER(validate, struct validation,
               self->factory->ValidateCompiledModelCompatibilityInfo(self->factory, self->hardware,
                                                                     self->count, self->info,
                                                                     &self->answer))

static OrtStatus* check_devices(const OrtEpDevice* const* devices, size_t count) {
  for (size_t i = 0; i < count; i++) {
    CORE_FAIL_IF(devices[i] == NULL || devices[i]->factory != devices[0]->factory,
                 ORT_INVALID_ARGUMENT,
                 "GetModelCompatibilityForEpDevices: ep_devices must be of one execution provider, "
                 "none of them NULL");
  }
  return NULL;
}

CORE_SLOT(ort_GetModelCompatibilityForEpDevices, const OrtEpDevice* const* ep_devices,
          size_t num_ep_devices, const char* compatibility_info,
          OrtCompiledModelCompatibility* out_status) {
  CORE_FAIL_IF(num_ep_devices == 0, ORT_INVALID_ARGUMENT,
               "GetModelCompatibilityForEpDevices: num_ep_devices must be above 0");
  CORE_TRY(check_devices(ep_devices, num_ep_devices));
  struct validation validation = {.factory = ep_devices[0]->factory,
                                  .count = num_ep_devices,
                                  .info = compatibility_info,
                                  .answer = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE};
  OrtStatus* status = NULL;
  if (CORE_FACTORY_HAS(validation.factory, 23, ValidateCompiledModelCompatibilityInfo)) {
    size_t size = num_ep_devices * sizeof *validation.hardware;
    validation.hardware = heap_alloc(size);
    CORE_NEED_MEMORY(validation.hardware, size);
    for (size_t i = 0; i < num_ep_devices; i++) {
      validation.hardware[i] = ep_devices[i]->hardware;
    }
    status = core_ep_call("GetModelCompatibilityForEpDevices", validate, &validation);
    heap_free(validation.hardware);
  }
  if (status == NULL) {
    *out_status = validation.answer;
  }
  return status;
}
