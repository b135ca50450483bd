/* SPDX-License-Identifier: MIT */
/* Execution providers, made by a factory for some of its devices. */
#include "compile/ep.h"

#include "compile/device.h"
#include "ep/library.h"

static OrtStatus* refuse(const char* why) {
  return core_status(ORT_FAIL, "ortcore_create_ep%s", why);
}

CORE_EP_ACTION(release_provider, const struct core_ep,
               self->factory->ReleaseEp(self->factory, self->seen.ep))

static void end_ep(void* block) {
  struct core_ep* ep = block;
  core_end_device(ep);
  if (ep->seen.ep != NULL) {
    core_ep_log(core_logger_of_ep(ep), core_ep_call("ReleaseEp", release_provider, ep));
  }
  core_list_cut(&ep->fused, 0);
  core_list_end(&ep->fused);
  ort_ReleaseRunOptions(ep->run_options);
  heap_free(ep->name);
  core_drop(ep->library);
}

static const struct core_class ep_class = {
    .kind = CORE_EP, .offset = offsetof(struct core_ep, object), .end = end_ep};

/* The devices that a provider is made for. */
struct ep_creation {
  struct core_ep* ep;
  const OrtEpDevice* const* devices;
  size_t count;
  const OrtSessionOptions* options;
  const OrtLogger* logger;
};

static OrtStatus* check_devices(const OrtEpDevice* const* devices, size_t count) {
  for (size_t i = 0; i < count; i++) {
    CORE_FAIL_IF(!core_is_ep_device(devices[i]) || devices[i]->factory != devices[0]->factory,
                 ORT_INVALID_ARGUMENT,
                 "ortcore_create_ep: devices must be devices of this library, of one factory");
  }
  return NULL;
}

/* Checks what is called without asking. */
static OrtStatus* check_provider(struct core_ep* ep) {
  const OrtEp* made = ep->seen.ep;
  CORE_RETURN_IF(made == NULL, refuse("the factory answered success and made no provider"));
  CORE_RETURN_IF(
      made->ort_version_supported < 22 || made->GetName == NULL || made->GetCapability == NULL,
      refuse("the provider must have GetName and GetCapability, and a version of 22 or more"));
  const char* name = made->GetName(made);
  CORE_RETURN_IF(name == NULL, refuse("the name of the provider must not be NULL"));
  CORE_TRY(core_copy_text(name, &ep->name));
  ep->seen.name = ep->name;
  return NULL;
}

static OrtStatus* create_ep(void* argument) {
  struct ep_creation* self = argument;
  const OrtHardwareDevice* hardware[CORE_EP_DEVICES];
  const OrtKeyValuePairs* metadata[CORE_EP_DEVICES];
  for (size_t i = 0; i < self->count; i++) {
    hardware[i] = self->devices[i]->hardware;
    metadata[i] = self->devices[i]->metadata;
  }
  OrtEpFactory* factory = self->ep->factory;
  OrtEp* made = NULL;
  CORE_TRY(factory->CreateEp(factory, hardware, metadata, self->count, self->options, self->logger,
                             &made));
  self->ep->seen.ep = made;
  CORE_TRY(check_provider(self->ep));
  return made->ort_version_supported >= 24 && made->GetKernelRegistry != NULL
             ? made->GetKernelRegistry(made, &self->ep->registry)
             : NULL;
}

OrtStatus* ORT_API_CALL core_create_ep(const OrtEpDevice* const* devices, size_t count,
                                       const OrtSessionOptions* options, const OrtLogger* logger,
                                       OrtcoreEp** out) {
  CORE_REQUIRE(ortcore_create_ep, devices, options, out);
  CORE_FAIL_IF(count == 0 || count > CORE_EP_DEVICES, ORT_INVALID_ARGUMENT,
               "ortcore_create_ep: count must be from 1 to 8");
  CORE_TRY(check_devices(devices, count));
  struct core_ep* ep = core_new_object(&ep_class, sizeof *ep);
  CORE_RETURN_IF(ep == NULL, CORE_OUT_OF_MEMORY(ortcore_create_ep, sizeof *ep));
  ep->factory = devices[0]->factory;
  ep->library = devices[0]->library;
  if (ep->library != NULL) {
    core_retain(ep->library);
  }
  OrtStatus* status = ort_CreateRunOptions(&ep->run_options);
  struct ep_creation creation = {ep, devices, count, options, logger};
  CORE_THEN(status, core_ep_call("CreateEp", create_ep, &creation));
  CORE_THEN(status, core_find_memory(ep, devices, count));
  CORE_TRY_OR(core_named("ortcore_create_ep", status), core_drop(&ep->object));
  *out = &ep->seen;
  return NULL;
}

void ORT_API_CALL core_release_ep(OrtcoreEp* ep) {
  core_drop(ep != NULL ? &core_ep_of(ep)->object : NULL);
}
