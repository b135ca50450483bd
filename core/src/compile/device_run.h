/* SPDX-License-Identifier: MIT */
/** @file device_run.h What device.c and device_run.c share. */
#ifndef ORTCFFI_DEVICE_RUN_H_
#define ORTCFFI_DEVICE_RUN_H_

#include "compile/device.h"

struct core_device {
  struct core_ep* ep;
  OrtAllocator* allocator;
  OrtDataTransferImpl* transfer;
  /** A stream that no run uses; atomic, may be NULL. */
  OrtSyncStream* spare_stream;
};

/** Copies a tensor into another one; either is on the device. */
OrtStatus* core_copy_by_device(struct core_device* device, const OrtValue* from, OrtValue* to,
                               OrtSyncStream* stream);

#endif /* ORTCFFI_DEVICE_RUN_H_ */
