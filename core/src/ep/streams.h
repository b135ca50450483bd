/* SPDX-License-Identifier: MIT */
/** @file streams.h The struct behind OrtSyncStream. */
#ifndef ORTCFFI_STREAMS_H_
#define ORTCFFI_STREAMS_H_

#include "ep/devices.h"

struct OrtSyncStream {
  struct core_object object;
  OrtSyncStreamImpl* impl;
  /** How often others waited for it; the id that follows is that of its next synchronization. */
  uint64_t sync_id;
  /** What keeps the provider; a reference. NULL where the session that has the stream does. */
  struct core_object* library;
};

#endif /* ORTCFFI_STREAMS_H_ */
