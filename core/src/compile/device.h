/* SPDX-License-Identifier: MIT */
/**
 * @file device.h
 * Memory of a provider's device, for a provider that does not compute in the CPU's: what its nodes
 * read is copied there, what they make is copied back.
 */
#ifndef ORTCFFI_DEVICE_H_
#define ORTCFFI_DEVICE_H_

#include "compile/ep.h"
#include "kernels/kernel.h"

/** Finds out where a provider computes, of the devices that it was made for: `ep->memory`. */
OrtStatus* core_find_memory(struct core_ep* ep, const OrtEpDevice* const* devices, size_t count);

/** The allocator and the copies of a provider's device, made when somebody first asks. `out` is
 * NULL for a provider that computes in the CPU's memory. */
OrtStatus* core_device_of(struct core_ep* ep, struct core_device** out);

/** The allocator for memory of the device. */
OrtAllocator* core_device_allocator(const struct core_device* device);

/** Ends it, before the provider. NULL does nothing. */
void core_end_device(struct core_ep* ep);

/** Copies a tensor into a new one on the device. The source must stay until the stream has got
 * there; without a stream (NULL) the copy is done on return. */
OrtStatus* core_copy_to_device(struct core_device* device, const OrtValue* from,
                               OrtSyncStream* stream, OrtValue** out);

/** A computation, called with a context whose tensors are on the device. */
struct core_device_call {
  OrtStatus* (*compute)(void* argument, OrtKernelContext* context);
  void* argument;
  /** For each input of the node: its constant on the device, or NULL. */
  OrtValue* const* constants;
  /** For each output whether it stays on the device. */
  const bool* stays;
  /** Which operands are to be in the CPU's memory; NULL: none. */
  const OrtKernelDef* kernel;
};

/** Makes a call for a context whose tensors are the CPU's; what is on the device already is not
 * copied. When it returns the outputs are there. */
OrtStatus* core_compute_on_device(struct core_ep* ep, OrtKernelContext* context,
                                  const struct core_device_call* call);

#endif /* ORTCFFI_DEVICE_H_ */
