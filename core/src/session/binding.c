/* SPDX-License-Identifier: MIT */
/* OrtIoBinding: the values of the next runs, by name. */

#include "ep/library.h"
#include "session/session.h"

struct OrtIoBinding {
  struct core_object object;
  /** A reference. */
  OrtSession* session;
  /** An item's pointer is an OrtValue with a reference. */
  struct core_items inputs;
  /** The same; NULL where the next run is to make the value. An item's mark is true for a value
   * that the caller bound: each run writes into it. */
  struct core_items outputs;
};

static void clear(struct core_items* items) {
  for (size_t i = 0; i < items->count; i++) {
    ort_ReleaseValue((OrtValue*)items->list[i].pointer);
  }
  core_items_cut(items, 0);
}

static void end_binding(void* block) {
  struct OrtIoBinding* binding = block;
  clear(&binding->inputs);
  clear(&binding->outputs);
  core_items_end(&binding->inputs);
  core_items_end(&binding->outputs);
  core_drop(binding->session);
}

static const struct core_class binding_class = {.kind = CORE_IO_BINDING, .end = end_binding};

CORE_SLOT(ort_CreateIoBinding, OrtSession* session, OrtIoBinding** out) {
  CORE_REQUIRE_READY(session, ORT_FAIL, "Session not initialized.");
  CORE_NEW(struct OrtIoBinding, binding, &binding_class);
  binding->session = session;
  core_retain(&session->object);
  *out = binding;
  return NULL;
}

CORE_RELEASER(ort_ReleaseIoBinding, OrtIoBinding)

/* Binds a value, or none, to a name, in place of the one before. */
static OrtStatus* bind(struct core_items* items, const char* name, const OrtValue* value) {
  struct core_item* item = core_items_of(items, name);
  CORE_NEED_MEMORY(item, strlen(name));
  OrtValue* before = (OrtValue*)item->pointer;
  item->pointer = value != NULL ? core_retain_value(value) : NULL;
  item->mark = value != NULL;
  ort_ReleaseValue(before);
  return NULL;
}

CORE_SLOT(ort_BindInput, OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) {
  const OrtSession* session = binding_ptr->session;
  CORE_RETURN_IF(core_find_port(&session->inputs, name, 0) == NULL &&
                     core_find_port(&session->overridable, name, 0) == NULL,
                 core_status(ORT_FAIL, "Failed to find input name in the mapping: %s", name));
  return bind(&binding_ptr->inputs, name, val_ptr);
}

CORE_SLOT(ort_BindOutput, OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) {
  return bind(&binding_ptr->outputs, name, val_ptr);
}

CORE_SLOT(ort_BindOutputToDevice, OrtIoBinding* binding_ptr, const char* name,
          const OrtMemoryInfo* mem_info_ptr) {
  CORE_FAIL_IF(!core_is_cpu_memory(mem_info_ptr), ORT_INVALID_ARGUMENT,
               "BindOutputToDevice: runs leave outputs in the CPU's memory");
  return bind(&binding_ptr->outputs, name, NULL);
}

#define CLEARER(NAME, values)                                      \
  void ORT_API_CALL NAME(OrtIoBinding* binding_ptr) NO_EXCEPTION { \
    if (binding_ptr != NULL) {                                     \
      clear(&binding_ptr->values);                                 \
    }                                                              \
  }
CLEARER(ort_ClearBoundInputs, inputs)
CLEARER(ort_ClearBoundOutputs, outputs)

/* Waits for the work of all providers of a session. */
static OrtStatus* synchronize(void* argument) {
  const OrtSession* session = argument;
  for (size_t i = 0; i < session->ep_count; i++) {
    OrtEp* ep = session->eps[i].ep->seen.ep;
    if (ep->ort_version_supported >= 25 && ep->Sync != NULL) {
      CORE_TRY(ep->Sync(ep));
    }
  }
  return NULL;
}

CORE_SLOT(ort_SynchronizeBoundInputs, OrtIoBinding* binding_ptr) {
  return core_ep_call("Sync", synchronize, binding_ptr->session);
}

CORE_SLOT(ort_SynchronizeBoundOutputs, OrtIoBinding* binding_ptr) {
  return core_ep_call("Sync", synchronize, binding_ptr->session);
}

CORE_SLOT(ort_GetBoundOutputNames, const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
          char** buffer, size_t** lengths, size_t* count) {
  const struct core_items* outputs = &binding_ptr->outputs;
  void *names = NULL, *sizes = NULL;
  size_t size = 0, at = 0;
  for (size_t i = 0; i < outputs->count; i++) {
    size += outputs->list[i].key_size - 1;
  }
  if (outputs->count > 0) {
    CORE_TRY(ort_AllocatorAlloc(allocator, size, &names));
    CORE_TRY_OR(ort_AllocatorAlloc(allocator, outputs->count * sizeof(size_t), &sizes),
                allocator->Free(allocator, names));
  }
  for (size_t i = 0; i < outputs->count; i++) {
    size_t length = outputs->list[i].key_size - 1;
    memcpy((char*)names + at, outputs->list[i].key, length);
    ((size_t*)sizes)[i] = length;
    at += length;
  }
  *buffer = names;
  *lengths = sizes;
  *count = outputs->count;
  return NULL;
}

CORE_SLOT(ort_GetBoundOutputValues, const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
          OrtValue*** output, size_t* output_count) {
  const struct core_items* outputs = &binding_ptr->outputs;
  void* values = NULL;
  size_t made = 0;
  for (size_t i = 0; i < outputs->count; i++) {
    made += outputs->list[i].pointer != NULL;
  }
  CORE_FAIL_IF(made != outputs->count, ORT_FAIL,
               "GetBoundOutputValues: an output has no value before the first run");
  if (made > 0) {
    CORE_TRY(ort_AllocatorAlloc(allocator, made * sizeof(OrtValue*), &values));
  }
  for (size_t i = 0; i < outputs->count; i++) {
    ((OrtValue**)values)[i] = core_retain_value(outputs->list[i].pointer);
  }
  *output = values;
  *output_count = made;
  return NULL;
}

/* The names and the values of a binding, for one run. */
struct bound {
  const char** names;
  const OrtValue** values;
};

static OrtStatus* list_bound(const struct core_items* items, struct core_pool* pool,
                             bool only_callers, struct bound* out) {
  CORE_TAKE_ARRAY(pool, out->names, items->count);
  CORE_TAKE_ARRAY(pool, out->values, items->count);
  for (size_t i = 0; i < items->count; i++) {
    const struct core_item* item = &items->list[i];
    out->names[i] = item->key;
    out->values[i] = only_callers && !item->mark ? NULL : item->pointer;
  }
  return NULL;
}

static OrtStatus* run_bound(OrtSession* session, const OrtRunOptions* options,
                            const OrtIoBinding* binding, struct core_pool* pool) {
  struct bound inputs, outputs;
  CORE_TRY(list_bound(&binding->inputs, pool, false, &inputs));
  CORE_TRY(list_bound(&binding->outputs, pool, true, &outputs));
  const struct core_feeds feeds = {inputs.names,
                                   inputs.values,
                                   binding->inputs.count,
                                   outputs.names,
                                   (OrtValue**)outputs.values,
                                   binding->outputs.count};
  CORE_TRY(core_run(session, options, &feeds));
  for (size_t i = 0; i < binding->outputs.count; i++) {
    struct core_item* item = &binding->outputs.list[i];
    if (!item->mark) {
      ort_ReleaseValue((OrtValue*)item->pointer);
      item->pointer = outputs.values[i];
    }
  }
  return NULL;
}

CORE_SLOT(ort_RunWithBinding, OrtSession* session, const OrtRunOptions* run_options,
          const OrtIoBinding* binding_ptr) {
  struct core_pool pool = {0};
  CORE_FAIL_IF(binding_ptr->session != session, ORT_INVALID_ARGUMENT,
               "RunWithBinding: binding_ptr was made for another session");
  CORE_REQUIRE_OUTPUTS(binding_ptr->outputs.count);
  OrtStatus* status = run_bound(session, run_options, binding_ptr, &pool);
  core_pool_end(&pool);
  return status;
}
