/* SPDX-License-Identifier: MIT */
/** @file streams.h The struct behind OrtSyncStream. */
#pragma once

#include "ep/devices.h"

struct OrtSyncStream {
  struct core_object object;
  OrtSyncStreamImpl* impl;
  /** A reference to the provider's library; NULL where the session that has the stream has one. */
  struct core_object* library;
};

/** Where a stream comes from. */
struct core_stream_source {
  /** Asked before the factory; may be NULL. */
  OrtEp* ep;
  OrtEpFactory* factory;
  const OrtMemoryInfo* memory;
  /** May be NULL. */
  const OrtKeyValuePairs* options;
  /** The library of both, to which the stream adds a reference; may be NULL. */
  struct core_object* library;
};

/** Whether the providers of a factory have streams. */
static inline bool core_has_streams(OrtEpFactory* factory) {
  return CORE_FACTORY_HAS(factory, 23, IsStreamAware) && factory->IsStreamAware(factory) &&
         CORE_FACTORY_HAS(factory, 23, CreateSyncStreamForDevice);
}

/** Makes a stream of a provider that has streams. */
OrtStatus* core_make_stream(const struct core_stream_source* source, OrtSyncStream** out);
