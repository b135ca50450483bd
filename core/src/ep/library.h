/* SPDX-License-Identifier: MIT */
/**
 * @file library.h
 * A shared library with execution providers: its factories, the devices that they support, and what
 * copies tensors to and from them.
 *
 * An environment registers libraries (env/registered_eps.c) and has the first reference to each.
 * Options and sessions have references too, so that a library stays loaded until they end, even if
 * it is unregistered before. No lock of the core may be held while one of these functions runs: all
 * of them call providers.
 */
#pragma once

#include "ep/devices.h"
#include "platform/platform.h"

/** The most factories of a library and devices of a factory, as in ONNX Runtime. */
#define CORE_EP_FACTORIES 4
#define CORE_EP_DEVICES 8

struct core_ep_factory {
  OrtEpFactory* factory;
  char* name;
  /** NULL where the memory of its devices can be copied as the CPU's. */
  OrtDataTransferImpl* transfer;
};

/** Part of an object that has references; all zeroes is a library without factories. */
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
  /** The hardware that the factories were shown; references. */
  const OrtHardwareDevice** hardware;
  size_t hardware_count;
};

/** What a library is made of. Borrowed, but the logger must live as long as the library. */
struct core_ep_source {
  const char* name;
  /** NULL for a library of the core itself, whose only factory is `factory`, a constant. */
  const ORTCHAR_T* path;
  OrtEpFactory* factory;
  const OrtApiBase* base;
  const OrtLogger* logger;
  const OrtHardwareDevice* const* hardware;
  size_t hardware_count;
};

/** Opens a library: makes its factories, then asks each for its devices. Call core_ep_library_end
 * after a failure, too. */
OrtStatus* core_ep_library_begin(const struct core_ep_source* source,
                                 struct core_ep_library* library);

/** Asks each factory for its data transfer, after the allocators, as ONNX Runtime does. */
OrtStatus* core_ep_library_ask_transfers(struct core_ep_library* library);

/** Ends the data transfers, before the allocators. */
void core_ep_library_end_transfers(struct core_ep_library* library);

/** Ends the devices, the factories and the library. */
void core_ep_library_end(struct core_ep_library* library);

/** Runs functions of providers: an exception that leaves `function`, which gets `argument`, becomes
 * a status with ORT_RUNTIME_EXCEPTION. `name` is that of the slot. */
OrtStatus* core_ep_call(const char* name, OrtStatus* (*function)(void* argument), void* argument);
/** For it: a function that answers an expression of `self`, a pointer to its argument. */
#define CORE_EP_CALLER(function, type, expression) \
  static OrtStatus* function(void* argument) {     \
    type* self = argument;                         \
    return expression;                             \
  }

/** The same for what has no status. */
#define CORE_EP_ACTION(function, type, expression) \
  CORE_EP_CALLER(function, type, (expression, (OrtStatus*)NULL))

/** The function that calls the Release of an object of a provider. */
#define CORE_EP_RELEASE(function, type) CORE_EP_ACTION(function, type, self->Release(self))

/** Logs and releases a failure that no caller can receive. NULL does nothing; without a logger it
 * is only released. */
void core_ep_log(const OrtLogger* logger, OrtStatus* status);
