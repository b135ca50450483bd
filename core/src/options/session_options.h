/* SPDX-License-Identifier: MIT */
/**
 * @file session_options.h
 * The struct behind OrtSessionOptions. Every setting can be read (describe_options.h), although the
 * API has functions to read only a few.
 */
#ifndef ORTCFFI_SESSION_OPTIONS_H_
#define ORTCFFI_SESSION_OPTIONS_H_

#include "custom_ops/custom_op.h"
#include "ep/devices.h"
#include "kernels/thread_pool.h"
#include "object/keyed_list.h"
#include "object/list.h"
#include "options/describe_options.h"
#include "core.h"

/* The functions for the data of compiled models, and OrtEpContextConfig. */

/** Each state is NULL where its function is. */
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

/** The settings that a plain assignment copies. */
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
  bool profiling;
  bool per_session_threads;
  bool deterministic;
  struct core_thread_functions threads;
  /** Whether a policy or a delegate was set; each replaces the other. */
  bool has_policy;
  OrtExecutionProviderDevicePolicy policy;
  EpSelectionDelegate delegate;
  void* delegate_state;
  /** Borrowed; NULL for none. */
  const void* weightless_source;
  size_t weightless_source_size;
  struct core_ep_context ep_context;
};

/** Strings and paths, which include their terminators. */
enum core_session_text {
  CORE_LOG_ID,
  /** Paths are ORTCHAR_T. */
  CORE_PROFILE_PREFIX,
  CORE_OPTIMIZED_MODEL_PATH,
  CORE_SESSION_TEXTS
};

struct core_text {
  /** NULL until it is set. */
  void* bytes;
  size_t size;
};

/** The cancellation flag that options share with their copies. */
struct core_load_flag {
  struct core_object object;
  bool is_cancelled;
};

extern const struct core_class core_session_options_class;

struct OrtSessionOptions {
  struct core_object object;
  struct core_session_settings settings;
  struct core_text texts[CORE_SESSION_TEXTS];
  struct core_items lists[CORE_SESSION_LISTS];
  struct core_load_flag* load_flag;
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

#endif /* ORTCFFI_SESSION_OPTIONS_H_ */
