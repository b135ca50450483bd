/* SPDX-License-Identifier: MIT */
/* Runs of sessions: the steps are computed in their order. */

#include "compile/device.h"
#include "ep/library.h"
#include "memory/per_thread.h"
#include "options/session_options.h"
#include "session/profile.h"
#include "session/session.h"

static size_t operands_of(const struct core_step* step) {
  return step->input_count + step->output_count;
}

static size_t size_of_frame(const OrtSession* session) {
  size_t count = session->value_count + session->most_operands;
  size_t size = sizeof(struct core_frame) + count * sizeof(OrtValue*) + session->value_count +
                session->ep_count * sizeof(struct core_device_run);
  for (size_t i = 0; i < session->step_count; i++) {
    size += sizeof(OrtKernelContext*) + core_context_size(operands_of(&session->steps[i]));
  }
  return size;
}

/* What a run does on the device that computes a step; NULL for one without a device. */
static struct core_device_run* device_run_of(const OrtSession* session, struct core_frame* frame,
                                             const struct core_step* step) {
  const struct core_session_ep* own = core_ep_of_step(session, step);
  return own != NULL && own->ep->memory != NULL ? &frame->device_runs[own - session->eps] : NULL;
}

/* Lays a new frame out: contexts, values, operands and the rest are behind it in the same block. */
static void begin_frame(const OrtSession* session, struct core_frame* frame) {
  char* next = (char*)&frame->contexts[session->step_count];
  frame->device_runs = (struct core_device_run*)(void*)next;
  memset(next, 0, session->ep_count * sizeof *frame->device_runs);
  next += session->ep_count * sizeof *frame->device_runs;
  for (size_t i = 0; i < session->step_count; i++) {
    size_t room = operands_of(&session->steps[i]);
    frame->contexts[i] = (OrtKernelContext*)(void*)next;
    core_begin_context(frame->contexts[i], session->steps[i].kernel, room);
    struct core_device_run* device_run = device_run_of(session, frame, &session->steps[i]);
    frame->contexts[i]->device_run = device_run;
    frame->contexts[i]->idle = device_run == NULL ? &frame->idle : NULL;
    next += core_context_size(room);
  }
  frame->values = (OrtValue**)(void*)next;
  memcpy(frame->values, session->constants, session->value_count * sizeof *frame->values);
  frame->operands = frame->values + session->value_count;
  frame->is_own = (bool*)(frame->operands + session->most_operands);
  memset(frame->is_own, 0, session->value_count);
  frame->idle = NULL;
  frame->profile = NULL;
}

static OrtStatus* new_frame(const OrtSession* session, struct core_frame** out) {
  CORE_REQUIRE_READY(session, ORT_FAIL, "Session not initialized.");
  size_t size = size_of_frame(session);
  struct core_frame* frame = heap_alloc(size);
  CORE_NEED_MEMORY(frame, size);
  begin_frame(session, frame);
  *out = frame;
  return NULL;
}

/* Releases what is left of a run, and keeps the frame instead of the one that is kept already. */
static void give_frame_back(OrtSession* session, struct core_frame* frame) {
  for (size_t i = 0; i < session->value_count; i++) {
    if (frame->is_own[i]) {
      ort_ReleaseValue(frame->values[i]);
      frame->is_own[i] = false;
    }
    frame->values[i] = (OrtValue*)session->constants[i];
  }
  ort_ReleaseValue(frame->idle);
  frame->idle = NULL;
  heap_free(__atomic_exchange_n(&session->spare, frame, __ATOMIC_ACQ_REL));
}

void core_end_frames(OrtSession* session) { heap_free(session->spare); }

/* --- computing -------------------------------------------------------------------------------- */

/* Copies from the device what a step has left there and others read. */
static OrtStatus* copy_outputs(struct core_frame* frame, const struct core_step* step,
                               OrtKernelContext* context) {
  for (size_t i = 0; i < step->copy_count; i++) {
    const OrtValue* from = frame->values[step->copies[i].from];
    OrtValue** to = &frame->values[step->copies[i].to];
    bool is_new = *to == NULL;
    if (from != NULL) {
      CORE_TRY(core_copy_from_device(context->device_run, from, to));
      frame->is_own[step->copies[i].to] = is_new;
    }
  }
  return NULL;
}

/* Computes a step, and keeps what it made. */
static inline OrtStatus* compute(struct core_frame* frame, const struct core_step* step,
                                 OrtKernelContext* context) {
  OrtValue** operands = frame->operands;
  size_t inputs = step->input_count, count = operands_of(step);
  for (size_t i = 0; i < count; i++) {
    core_value_number value = step->values[i];
    operands[i] = value == CORE_NO_VALUE ? NULL : frame->values[value];
  }
  CORE_TRY(core_kernel_compute_in(context, (const OrtValue* const*)operands, inputs,
                                  operands + inputs, step->output_count));
  for (size_t i = inputs; i < count; i++) {
    core_value_number value = step->values[i];
    if (value == CORE_NO_VALUE) {
      ort_ReleaseValue(operands[i]);
      operands[i] = NULL;
    } else if (frame->values[value] == NULL) {
      frame->values[value] = operands[i];
      frame->is_own[value] = operands[i] != NULL;
    }
  }
  return CORE_LIKELY(step->copy_count == 0) ? NULL : copy_outputs(frame, step, context);
}

/* The most bytes of an idle tensor: to make a larger one takes little of the time of its step. */
#define MOST_IDLE 4096

/* Releases a value of the run, or has the next steps use its memory. */
static inline void release_value(struct core_frame* frame, OrtValue* value) {
  bool can_be_used = core_is_tensor(value) && core_tensor_of(value)->bytes <= MOST_IDLE &&
                     core_is_only_reference(&value->object);
  OrtValue* released = can_be_used ? frame->idle : value;
  frame->idle = can_be_used ? value : frame->idle;
  ort_ReleaseValue(released);
}

/* Releases the values that a step was the last one to read. */
static inline void release_read(struct core_frame* frame, const struct core_step* step,
                                struct core_device_run* device_run) {
  for (size_t i = 0; i < step->end_count; i++) {
    core_value_number value = step->ends[i];
    if (frame->is_own[value]) {
      if (CORE_LIKELY(device_run == NULL)) {
        release_value(frame, frame->values[value]);
      } else {
        core_release_after(device_run, frame->values[value]);
      }
      frame->is_own[value] = false;
      frame->values[value] = NULL;
    }
  }
}

static OrtStatus* check_terminated(const OrtRunOptions* options) {
  CORE_FAIL_IF(options != NULL && __atomic_load_n(&options->terminated, __ATOMIC_RELAXED), ORT_FAIL,
               "Exiting due to terminate flag being set to true.");
  return NULL;
}

/* Has the processor load what a step reads first, while the one before computes: the memory of a
 * large model's steps does not fit into the nearest cache. Without CORE_INLINE GCC drops the call,
 * because it finds no effect in it. */
static inline CORE_INLINE void fetch(const OrtSession* session, const struct core_frame* frame,
                                     size_t i) {
  if (i < session->step_count) {
    const OrtcoreKernel* kernel = session->steps[i].kernel;
    __builtin_prefetch(frame->contexts[i]);
    __builtin_prefetch(frame->contexts[i]->passed);
    __builtin_prefetch(kernel->node);
    __builtin_prefetch(kernel->state);
  }
}

static OrtStatus* compute_all(const OrtSession* session, struct core_frame* frame,
                              const OrtRunOptions* options) {
  for (size_t i = 0; i < session->step_count; i++) {
    CORE_TRY(check_terminated(options));
    fetch(session, frame, i + 1);
    frame->contexts[i]->run_options = options;
    CORE_TRY(compute(frame, &session->steps[i], frame->contexts[i]));
    release_read(frame, &session->steps[i], frame->contexts[i]->device_run);
  }
  return check_terminated(options);
}

/* The same, with an event for each step. */
static CORE_COLD OrtStatus* compute_profiled(const OrtSession* session, struct core_frame* frame,
                                             const OrtRunOptions* options) {
  for (size_t i = 0; i < session->step_count; i++) {
    const struct core_step* step = &session->steps[i];
    CORE_TRY(check_terminated(options));
    const struct core_timing timing = core_begin_event(frame->profile);
    frame->contexts[i]->run_options = options;
    OrtStatus* status = compute(frame, step, frame->contexts[i]);
    core_end_step(frame->profile, &timing, session, step, frame->operands);
    CORE_TRY(status);
    release_read(frame, step, frame->contexts[i]->device_run);
  }
  return check_terminated(options);
}

static CORE_COLD OrtStatus* execute_profiled(const OrtSession* session, struct core_frame* frame,
                                             const OrtRunOptions* options) {
  const struct core_timing timing = core_begin_event(frame->profile);
  OrtStatus* status = compute_profiled(session, frame, options);
  core_end_event(frame->profile, &timing, "SequentialExecutor::Execute");
  return status;
}

/* --- calls of providers around a run ---------------------------------------------------------- */

/* One such call of one provider. */
struct announcement {
  const OrtRunOptions* options;
  struct core_ep* to;
  bool is_success;
};

static const OrtRunOptions* options_for(const struct announcement* self) {
  return self->options != NULL ? self->options : self->to->run_options;
}

CORE_EP_CALLER(call_run_start, const struct announcement,
               self->to->seen.ep->OnRunStart(self->to->seen.ep, options_for(self)))

CORE_EP_CALLER(call_run_end, const struct announcement,
               self->to->seen.ep->OnRunEnd(self->to->seen.ep, options_for(self), self->is_success))

static OrtStatus* announce_start(struct announcement* self) {
  return self->to->seen.ep->OnRunStart != NULL ? core_ep_call("OnRunStart", call_run_start, self)
                                               : NULL;
}

static OrtStatus* announce_end(struct announcement* self) {
  return self->to->seen.ep->OnRunEnd != NULL ? core_ep_call("OnRunEnd", call_run_end, self) : NULL;
}

/* OnRunEnd is called for each provider whose OnRunStart succeeded, whatever the others return. */
static OrtStatus* run_providers(const OrtSession* session, struct core_frame* frame,
                                const OrtRunOptions* options) {
  struct announcement announcement = {.options = options};
  OrtStatus* status = NULL;
  size_t started = 0;
  while (status == NULL && started < session->ep_count) {
    announcement.to = session->eps[started].ep;
    status = announce_start(&announcement);
    started += status == NULL;
  }
  if (CORE_LIKELY(status == NULL)) {
    status = CORE_LIKELY(frame->profile == NULL) ? compute_all(session, frame, options)
                                                 : execute_profiled(session, frame, options);
  }
  for (size_t i = 0; i < session->ep_count; i++) {
    status = core_end_device_run(&frame->device_runs[i], status);
  }
  announcement.is_success = status == NULL;
  while (started > 0) {
    announcement.to = session->eps[--started].ep;
    status = core_first_failure(status, announce_end(&announcement));
  }
  return status;
}

/* Waits until no other run of the session is under way, or until the waiting one is terminated: the
 * other may wait for it, in a node that has started a thread. */
static OrtStatus* take_turn(OrtSession* session, const OrtRunOptions* options, const void* thread) {
  OrtStatus* status = NULL;
  core_mutex_lock(&session->lock);
  if (session->runner == thread) {
    status = core_status(ORT_FAIL,
                         "Run: a node of the session runs the session again, one of whose "
                         "execution providers runs one call at a time (IsConcurrentRunSupported)");
  }
  while (status == NULL && session->runner != NULL) {
    core_condition_wait_briefly(&session->turn, &session->lock);
    status = check_terminated(options);
  }
  session->runner = status == NULL ? thread : session->runner;
  core_mutex_unlock(&session->lock);
  return status;
}

/* Runs while no other run of the session does. */
static CORE_COLD OrtStatus* run_alone(OrtSession* session, struct core_frame* frame,
                                      const OrtRunOptions* options) {
  /* The address is another one in each thread. */
  CORE_TRY(take_turn(session, options, &core_thread_number));
  OrtStatus* status = run_providers(session, frame, options);
  core_mutex_lock(&session->lock);
  session->runner = NULL;
  core_condition_signal(&session->turn);
  core_mutex_unlock(&session->lock);
  return status;
}

static OrtStatus* run(OrtSession* session, struct core_frame* frame, const OrtRunOptions* options,
                      const struct core_feeds* feeds) {
  CORE_TRY(core_set_inputs(session, frame, options, feeds));
  CORE_TRY(core_set_outputs(session, frame, feeds));
  OrtStatus* status = CORE_LIKELY(!session->runs_alone) ? run_providers(session, frame, options)
                                                        : run_alone(session, frame, options);
  return status == NULL ? core_hand_over(session, frame, feeds) : status;
}

static CORE_COLD OrtStatus* run_in(struct core_profile* profile, OrtSession* session,
                                   struct core_frame* frame, const OrtRunOptions* options,
                                   const struct core_feeds* feeds) {
  const struct core_timing timing = core_begin_event(profile);
  frame->profile = profile;
  OrtStatus* status = run(session, frame, options, feeds);
  frame->profile = NULL;
  core_end_event(profile, &timing, "model_run");
  return status;
}

/* Runs with a profile, that of the session or else one of this run, if there is one. What goes
 * wrong with the latter is logged. */
static CORE_COLD OrtStatus* run_profiled(OrtSession* session, struct core_frame* frame,
                                         const OrtRunOptions* options,
                                         const struct core_feeds* feeds) {
  const OrtLogger* logger = &session->logger;
  struct core_profile* profile = session->profile;
  if (profile != NULL && core_profile_path(profile) != NULL) {
    return run_in(profile, session, frame, options, feeds);
  }
  profile = NULL;
  if (options != NULL && options->profiling != NULL) {
    core_ep_log(logger,
                core_named("Run", core_begin_profile(options->profiling, logger, &profile)));
  }
  if (profile == NULL) {
    return run(session, frame, options, feeds);
  }
  core_profile_providers(profile, session, NULL);
  OrtStatus* status = run_in(profile, session, frame, options, feeds);
  core_ep_log(logger, core_named("Run", core_end_profile(profile)));
  core_free_profile(profile);
  return status;
}

static void set_logger(const OrtSession* session, struct core_frame* frame,
                       const OrtLogger* logger) {
  for (size_t i = 0; i < session->step_count; i++) {
    frame->contexts[i]->logger = logger;
  }
}

/* Runs with what the options of the run or the session ask for: a profile, or a logger with the tag
 * and the severity of the run. */
static CORE_COLD OrtStatus* run_special(OrtSession* session, struct core_frame* frame,
                                        const OrtRunOptions* options,
                                        const struct core_feeds* feeds) {
  struct OrtLogger logger = session->logger;
  const char* tag = options != NULL && options->tag != NULL ? options->tag : "";
  size_t size = strlen(logger.id) + strlen(tag) + sizeof ":";
  CORE_FAIL_IF(options != NULL && (options->log_severity < CORE_DEFAULT_SEVERITY ||
                                   options->log_severity > ORT_LOGGING_LEVEL_FATAL),
               ORT_FAIL, "Run: the log severity of run_options must be -1 to 4");
  char* id = heap_alloc(size);
  CORE_NEED_MEMORY(id, size);
  bool has_both = logger.id[0] != 0 && tag[0] != 0;
  snprintf(id, size, "%s%s%s", logger.id, has_both ? ":" : "", tag);
  logger.id = id;
  if (options != NULL && options->log_severity != CORE_DEFAULT_SEVERITY) {
    logger.severity = options->log_severity;
  }
  set_logger(session, frame, &logger);
  OrtStatus* status = run_profiled(session, frame, options, feeds);
  set_logger(session, frame, NULL);
  heap_free(id);
  return status;
}

OrtStatus* core_run(OrtSession* session, const OrtRunOptions* options,
                    const struct core_feeds* feeds) {
  struct core_frame* frame = __atomic_exchange_n(&session->spare, NULL, __ATOMIC_ACQUIRE);
  if (CORE_UNLIKELY(frame == NULL)) {
    CORE_TRY(new_frame(session, &frame));
  }
  bool is_special = session->profile != NULL ||
                    (options != NULL && (options->profiling != NULL || options->tag != NULL ||
                                         options->log_severity != CORE_DEFAULT_SEVERITY));
  OrtStatus* status = CORE_LIKELY(!is_special) ? run(session, frame, options, feeds)
                                               : run_special(session, frame, options, feeds);
  give_frame_back(session, frame);
  return status;
}

CORE_SLOT(ort_Run, OrtSession* session, const OrtRunOptions* run_options,
          const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
          const char* const* output_names, size_t output_names_len, OrtValue** outputs) {
  CORE_REQUIRE_IF(input_len > 0, Run, input_names, inputs);
  CORE_REQUIRE_OUTPUTS(output_names_len);
  const struct core_feeds feeds = {input_names,  inputs,  input_len,
                                   output_names, outputs, output_names_len};
  return core_run(session, run_options, &feeds);
}
