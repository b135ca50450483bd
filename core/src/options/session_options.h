/* SPDX-License-Identifier: MIT */
/**
 * @file session_options.h
 * The structs behind OrtSessionOptions, OrtRunOptions, OrtThreadingOptions and OrtEpContextConfig,
 * and what all options share.
 */
#pragma once

#include "custom_ops/custom_op.h"
#include "ep/devices.h"
#include "kernels/thread_pool.h"
#include "object/keyed_list.h"
#include "options/option_rows.h"
#include "object/object.h"
#include "object/list.h"

/** The functions for the data of compiled models. Each state is NULL where its function is. */
struct core_ep_context {
  OrtReadNamedBufferFunc read;
  void* read_state;
  OrtWriteNamedBufferFunc write;
  void* write_state;
};

struct OrtEpContextConfig {
  struct core_object object;
  struct core_ep_context functions;
};

/** The cancellation flag that options share with their copies. */
struct core_load_flag {
  struct core_object object;
  bool is_cancelled;
};

/** Whatever is no list. session_options.def has the options that are one value. */
struct core_session_settings {
  ExecutionMode execution_mode;
  GraphOptimizationLevel optimization_level;
  int intra_op_threads;
  int inter_op_threads;
  int log_severity;
  int log_verbosity;
  /** NULL: the environment's. */
  OrtLoggingFunction logging_function;
  void* logging_param;
  bool mem_pattern;
  bool cpu_arena;
  bool per_session_threads;
  bool deterministic;
  char* log_id;
  ORTCHAR_T* optimized_model_path;
  /** The prefix of the path of profiles. */
  ORTCHAR_T* profiling;
  struct core_load_flag* loading_cancelled;
  struct core_thread_functions threads;
  /** Whether a policy or a delegate was set; each replaces the other. */
  bool has_policy;
  OrtExecutionProviderDevicePolicy device_policy;
  EpSelectionDelegate delegate;
  void* delegate_state;
  /** Borrowed; NULL for none. */
  const void* weightless_source;
  size_t weightless_source_size;
  struct core_ep_context ep_context;
};

extern const struct core_class core_session_options_class;

struct OrtSessionOptions {
  struct core_object object;
  struct core_session_settings settings;
  struct core_items lists[CORE_SESSION_LISTS];
  struct core_custom_ops custom_ops;
  /** Of struct core_ep_choice, the preferred first; a reference to each. */
  struct core_list ep_choices;
};

/** The devices of one execution provider, for which a session is to make one. Constant; options and
 * their copies share it. */
struct core_ep_choice {
  struct core_object object;
  /** Keeps the devices; a reference. */
  struct core_object* library;
  size_t count;
  const OrtEpDevice* devices[];
};

/** Has a session make a provider for devices that are all of one. The defaults of the devices are
 * options where the options have no such entry. */
OrtStatus* core_add_ep_choice(OrtSessionOptions* options, const OrtEpDevice* const* devices,
                              size_t count);

/** Copies a list of choices to an empty one, with references; false where there is no memory. */
bool core_copy_ep_choices(const struct core_list* from, struct core_list* to);
void core_end_ep_choices(struct core_list* choices);

/** Sets the numbers and flags of new options to what they are at first. */
void core_begin_options(void* options, enum core_options owner);

/** Sets an option that is a number or a flag. */
void core_set_number(void* options, const core_option_row* row, int number);

/** Replaces the text in a field by a copy; NULL only frees it. */
OrtStatus* core_set_text(void* field, const void* text, size_t size);

/** Gives options that were copied by assignment texts of their own; false where there is no memory.
 */
bool core_copy_texts_of(const void* from, void* to, enum core_options owner);
void core_end_texts(void* options, enum core_options owner);

/** Sets or replaces an entry within the API's bounds. */
OrtStatus* core_config_set(struct core_items* entries, const char* key, const char* value);

/** Sets what an entry stands for that is a setting with a function of its own; `is_named` is false
 * for other entries, with which nothing is done. */
OrtStatus* core_set_named(OrtSessionOptions* options, const char* key, const char* value,
                          bool* is_named);

/** The value of a key; NULL if there is no such entry. Valid until the entry changes. */
const char* core_config_get(const struct core_items* entries, const char* key);

/** Adds a reference to each value of the list; releases one of each. */
void core_retain_initializers(const struct core_items* items);
void core_release_initializers(const struct core_items* items);

extern const struct core_class core_run_options_class;

#define CORE_DEFAULT_SEVERITY (-1)

struct OrtRunOptions {
  struct core_object object;
  /** CORE_DEFAULT_SEVERITY: that of the session. */
  int log_severity;
  int log_verbosity;
  /** NULL until it is set. */
  char* tag;
  /** Atomic: another thread sets it to end a run. */
  bool terminated;
  /** The prefix of the path of the profile; NULL while runs write none. */
  ORTCHAR_T* profiling;
  /** Borrowed. */
  OrtSyncStream* stream;
  /** An item's text is the value. */
  struct core_items config;
  /** Of OrtLoraAdapter. Borrowed. */
  struct core_list adapters;
};

extern const struct core_class core_threading_options_class;

struct OrtThreadingOptions {
  struct core_object object;
  int intra_op_threads;
  int inter_op_threads;
  bool spinning;
  bool denormal_as_zero;
  /** NULL until it is set. */
  char* affinity;
  struct core_thread_functions functions;
};

/** A copy, which the caller gives to ReleaseThreadingOptions; NULL where there is no memory. */
OrtThreadingOptions* core_copy_threading_options(const OrtThreadingOptions* options);
