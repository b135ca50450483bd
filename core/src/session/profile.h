/* SPDX-License-Identifier: MIT */
/**
 * @file profile.h
 * Profiles of sessions and of single runs: what took how long, in a JSON file for trace viewers.
 *
 * Events are written when they end, by any thread. A profile that
 * fails does not fail the session or run: a provider's failure is logged, and one of the core is
 * returned at the end.
 */
#pragma once

#include "ep/profiling.h"
#include "session/session.h"
#include "onnx/writing.h"

/** Begins a profile: creates the file, whose name is the prefix, the local time, and ".json". */
OrtStatus* core_begin_profile(const ORTCHAR_T* prefix, const OrtLogger* logger,
                              struct core_profile** out);

/** What takes time now. */
struct core_timing {
  uint64_t begin;
  uint64_t id;
};

/** Asks the providers of a session, which must outlive the profile, for events of their own, within
 * an event that has begun; NULL: there is none. */
void core_profile_providers(struct core_profile* profile, const OrtSession* session,
                            const struct core_timing* event);

/** Writes what is left, and closes the file. Later events are left out. The second time it does
 * nothing. */
OrtStatus* core_end_profile(struct core_profile* profile);

/** Frees a profile, which has been ended. NULL does nothing. */
void core_free_profile(struct core_profile* profile);

/** The path of the file, UTF-8; NULL once the profile has ended. */
const char* core_profile_path(struct core_profile* profile);

/** When it began, in nanoseconds since 1970. */
uint64_t core_profile_begin_time(const struct core_profile* profile);

/** Begins an event; nothing without a profile (NULL). */
struct core_timing core_begin_event(struct core_profile* profile);

/** Ends an event of the session or a run, which has no more to say; nothing without a profile. */
void core_end_event(struct core_profile* profile, const struct core_timing* timing,
                    const char* name);

/** Ends the event of a step, which has computed the operands. */
void core_end_step(struct core_profile* profile, const struct core_timing* timing,
                   const OrtSession* session, const struct core_step* step,
                   OrtValue* const* operands);
