/* SPDX-License-Identifier: MIT */
/**
 * @file library.h
 * A shared library with execution providers: its factories, the devices that they support, and what
 * copies tensors to and from them.
 *
 * An environment registers libraries (env/registered_eps.c), and is the first to have a reference.
 * Options and sessions have more, so that a library which was unregistered stays until they end. No
 * lock of the core may be held while one of these functions runs: all of them call providers.
 */
#ifndef ORTCFFI_LIBRARY_H_
#define ORTCFFI_LIBRARY_H_

#include "ep/devices.h"
#include "platform/platform.h"

/** For how many there is room, as in ONNX Runtime: devices are those of one factory. */
#define CORE_EP_FACTORIES 4
#define CORE_EP_DEVICES 8

struct core_ep_factory {
  OrtEpFactory* factory;
  char* name;
  /** NULL where the CPU can copy. */
  OrtDataTransferImpl* transfer;
};

/** Part of an object that has references; all zeroes is a library of nothing. */
struct core_ep_library {
  struct core_object object;
  char* name;
  /** NULL for the providers of the core itself. */
  void* handle;
  ReleaseEpApiFactoryFn release;
  const OrtLogger* logger;
  struct core_ep_factory factories[CORE_EP_FACTORIES];
  size_t factory_count;
  OrtEpDevice* devices[CORE_EP_FACTORIES * CORE_EP_DEVICES];
  size_t device_count;
  /** What the factories were shown; each is held. */
  const OrtHardwareDevice** hardware;
  size_t hardware_count;
};

/** What a library is made of. Borrowed, but the logger must live as long as the library. */
struct core_ep_source {
  const char* name;
  /** NULL: `factory` is the only one, which ends by itself. */
  const ORTCHAR_T* path;
  OrtEpFactory* factory;
  const OrtApiBase* base;
  const OrtLogger* logger;
  const OrtHardwareDevice* const* hardware;
  size_t hardware_count;
};

/** Opens a library: makes its factories, then asks each for its devices. What there is after a
 * failure must be ended, too. */
OrtStatus* core_ep_library_begin(const struct core_ep_source* source,
                                 struct core_ep_library* library);

/** Asks each factory for its data transfer, which comes after the allocators. */
OrtStatus* core_ep_library_ask_transfers(struct core_ep_library* library);

/** Ends the data transfers, which come before all else. */
void core_ep_library_end_transfers(struct core_ep_library* library);

/** Ends the devices, the factories and the library. */
void core_ep_library_end(struct core_ep_library* library);

/** Runs functions of providers: an exception that leaves `function`, which gets `argument`, becomes
 * a status with ORT_RUNTIME_EXCEPTION. `name` is that of the slot. */
OrtStatus* core_ep_call(const char* name, OrtStatus* (*function)(void* argument), void* argument);

/** Writes what a provider answered where nobody waits for it to the log; takes the status over. */
void core_ep_log(const OrtLogger* logger, OrtStatus* status);

#endif /* ORTCFFI_LIBRARY_H_ */
