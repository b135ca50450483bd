/* SPDX-License-Identifier: MIT */
/**
 * @file device.h
 * Memory of a provider's device, for a provider that does not compute in the CPU's memory: inputs
 * of its nodes are copied to the device, outputs are copied back. device.c has the allocator and
 * the copies, device_run.c what a run does on a device, device_node.c the run of a node.
 */
#pragma once

#include "compile/ep.h"
#include "kernels/kernel.h"

/** What a provider brings for memory of its device. */
struct core_device {
  struct core_ep* ep;
  OrtAllocator* allocator;
  OrtDataTransferImpl* transfer;
  /** A stream that no run uses; atomic, may be NULL. */
  OrtSyncStream* spare_stream;
};

/** Sets `ep->memory`, the memory in which a provider computes, among those of its devices. */
OrtStatus* core_find_memory(struct core_ep* ep, const OrtEpDevice* const* devices, size_t count);

/** Finds the device of a provider, which the first call makes. `out` is NULL for a provider that
 * computes in the CPU's memory. */
OrtStatus* core_device_of(struct core_ep* ep, struct core_device** out);

/** Ends the device of a provider, if it has one; call it before the provider ends. */
void core_end_device(struct core_ep* ep);

/** Copies a tensor into another one, each of which is on the device or the CPU's. The source must
 * stay until the stream has done the copy; without a stream (NULL) it is done on return. */
OrtStatus* core_copy_by_device(struct core_device* device, const OrtValue* from, OrtValue* to,
                               OrtSyncStream* stream);

/** The same into a new tensor on the device. */
OrtStatus* core_copy_to_device(struct core_device* device, const OrtValue* from,
                               OrtSyncStream* stream, OrtValue** out);

/** How many values may wait for a stream before the run waits for it as well. */
#define CORE_MOST_WAITING 64

/** What one run does on a device; zeroed before. */
struct core_device_run {
  /** NULL until the first node. */
  struct core_device* device;
  /** NULL where the provider has no streams. */
  OrtSyncStream* stream;
  /** Whether there may be work that nobody has waited for. */
  bool is_busy;
  /** Values that the device may still read, to release after the next wait. */
  OrtValue* waiting[CORE_MOST_WAITING];
  size_t waiting_count;
};

/** Call it before each node: the first call for a run finds device and stream. */
OrtStatus* core_begin_device_run(struct core_device_run* run, struct core_ep* ep);

/** Waits until all work of a run on the device is done. A run whose wait fails stays busy. */
OrtStatus* core_wait_for_device(struct core_device_run* run);

/** Releases a value, which may be NULL, when the device does not read it any more. */
void core_release_after(struct core_device_run* run, OrtValue* value);

/** Copies a value that a node left on the device into a tensor, or a new one in the CPU's memory if
 * `*to` is NULL. The copy is done on return. */
OrtStatus* core_copy_from_device(struct core_device_run* run, const OrtValue* from, OrtValue** to);

/** Ends what a run does on a device, if it has begun: waits for it, and keeps the stream for
 * another run. A stream whose run failed is released. Returns `status`, or the first failure if it
 * is NULL.
 */
OrtStatus* core_end_device_run(struct core_device_run* run, OrtStatus* status);

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

/** Makes a call for a context whose tensors are in the CPU's memory; a tensor that is on the device
 * already is not copied. On return outputs in the CPU's memory are complete; those on the device
 * are after the context's `device_run`, if it has one. */
OrtStatus* core_compute_on_device(struct core_ep* ep, OrtKernelContext* context,
                                  const struct core_device_call* call);
