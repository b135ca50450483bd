/* SPDX-License-Identifier: MIT */
/* A library of execution providers with one factory that finds no device, for `ortcffi check`.
 * Compiled with -DWRONG the factory lacks functions and says little; with -DCRASHES it cannot be
 * made; with -DENDLESS nothing ends it; with -DREFUSES the library answers a status. */
#define CreateEpFactories CreateFactoriesOfGuide
#define ReleaseEpFactory ReleaseFactoryOfGuide
#include "../../../docs/guide/add_ep.c"
#undef CreateEpFactories
#undef ReleaseEpFactory

static const char* name(const OrtEpFactory* self) { return (void)self, "NothingEP"; }
static const char* vendor(const OrtEpFactory* self) { return (void)self, "nobody"; }
static const char* first(const OrtEpFactory* self) { return (void)self, "first"; }
static const char* version(const OrtEpFactory* self) { return (void)self, "1.2.3"; }
static OrtStatus* find_nothing(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                               size_t device_count, OrtEpDevice** found, size_t room,
                               size_t* count) {
  (void)self, (void)devices, (void)device_count, (void)found, (void)room;
  return *count = 0, NULL;
}

static void change(OrtEpFactory* factory) {
  factory->GetName = name;
  factory->GetVendor = vendor;
  factory->GetVersion = version;
  factory->GetSupportedDevices = find_nothing;
#ifdef WRONG
  factory->GetVendor = NULL;
  factory->GetVendorId = NULL;
  factory->CreateDataTransfer = NULL;
  factory->CreateAllocator = (void*)1;
  factory->GetVersion = first;
#else
  (void)first;
#endif
}

ORT_EXPORT OrtStatus* CreateEpFactories(const char* registered_name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t room, size_t* count) {
#ifdef CRASHES
  abort();
#endif
#ifdef REFUSES
  return base->GetApi(23)->CreateStatus(ORT_EP_FAIL, "no factory today");
#endif
  OrtStatus* status = CreateFactoriesOfGuide(registered_name, base, logger, factories, room, count);
  if (status == NULL) change(factories[0]);
  return status;
}

#ifndef ENDLESS
ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return ReleaseFactoryOfGuide(factory);
}
#endif
