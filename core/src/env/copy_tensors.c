/* SPDX-License-Identifier: MIT */
/* Copies between tensors: on the CPU by the core, otherwise by an execution provider. */

#include "env/registered_eps.h"
#include "values/value.h"

static bool is_same_memory(const struct OrtMemoryInfo* a, const struct OrtMemoryInfo* b) {
  int order = -1;
  OrtStatus* status = ort_CompareMemoryInfo(a, b, &order);
  return status == NULL && order == 0;
}

/* Checks that all values are tensors in the same memory. */
static OrtStatus* check_side(const OrtValue* const* values, size_t count, const char* name) {
  for (size_t i = 0; i < count; i++) {
    CORE_REFUSE_IF(values[i] == NULL, ORT_INVALID_ARGUMENT, "%s[i] must not be NULL", name);
    CORE_REFUSE_IF(!core_is_tensor(values[i]), ORT_INVALID_ARGUMENT, "%s must be dense tensors",
                   name);
    CORE_REFUSE_IF(
        !is_same_memory(&core_tensor_of(values[i])->info, &core_tensor_of(values[0])->info),
        ORT_INVALID_ARGUMENT, "%s must all be in the same memory", name);
  }
  return NULL;
}

static OrtStatus* check_pair(const struct core_tensor* from, const struct core_tensor* to) {
  CORE_FAIL_IF(from->shape.type != to->shape.type, ORT_INVALID_ARGUMENT,
               "CopyTensors: tensors of a pair must have one element type");
  CORE_FAIL_IF(!core_has_shape(&from->shape, to->shape.type, to->shape.dims, to->shape.rank),
               ORT_INVALID_ARGUMENT, "CopyTensors: tensors of a pair must have one shape");
  CORE_FAIL_IF(core_lacks_data(from) || core_lacks_data(to), ORT_INVALID_ARGUMENT,
               "CopyTensors: tensors must have data");
  return NULL;
}

/* Finds the data transfer that copies between two devices. Returns a reference to its library; NULL
 * where no provider has one. */
static struct core_registered_ep* find_transfer(const OrtEnv* env, const OrtMemoryDevice* from,
                                                const OrtMemoryDevice* to,
                                                OrtDataTransferImpl** out) {
  struct core_registered_ep* ep = NULL;
  while ((ep = core_next_ep(env, ep)) != NULL) {
    for (size_t i = 0; i < ep->library.factory_count; i++) {
      OrtDataTransferImpl* transfer = ep->library.factories[i].transfer;
      if (transfer != NULL && transfer->CanCopy(transfer, from, to)) {
        *out = transfer;
        return ep;
      }
    }
  }
  return NULL;
}

struct copying {
  OrtDataTransferImpl* transfer;
  const OrtValue** from;
  OrtValue** to;
  OrtSyncStream** streams;
  size_t count;
};

CORE_EP_CALLER(copy_by_ep, struct copying,
               self->transfer->CopyTensors(self->transfer, self->from, self->to, self->streams,
                                           self->count))

static OrtStatus* copy_by_provider(const OrtEnv* env, const OrtValue* const* from,
                                   OrtValue* const* to, OrtSyncStream* stream, size_t count) {
  struct copying copying = {.from = (const OrtValue**)from, .to = (OrtValue**)to, .count = count};
  copying.streams = heap_alloc(count * sizeof *copying.streams);
  CORE_NEED_MEMORY(copying.streams, count * sizeof *copying.streams);
  for (size_t i = 0; i < count; i++) {
    copying.streams[i] = stream;
  }
  OrtStatus* status = NULL;
  struct core_registered_ep* ep =
      find_transfer(env, core_memory_of(from[0]), core_memory_of(to[0]), &copying.transfer);
  if (ep != NULL) {
    status = core_ep_call("CopyTensors", copy_by_ep, &copying);
  } else {
    status = core_fail(ORT_NOT_IMPLEMENTED, "no execution provider copies between these memories");
  }
  core_drop(ep);
  heap_free(copying.streams);
  return status;
}

static OrtStatus* copy_on_cpu(const OrtValue* const* from, OrtValue* const* to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    CORE_TRY(core_copy_elements(core_tensor_of(from[i]), core_tensor_of(to[i])));
  }
  return NULL;
}

CORE_SLOT(ort_CopyTensors, const OrtEnv* env, const OrtValue* const* src_tensors,
          OrtValue* const* dst_tensors, OrtSyncStream* stream, size_t num_tensors) {
  CORE_FAIL_IF(num_tensors == 0, ORT_INVALID_ARGUMENT, "CopyTensors: num_tensors must be above 0");
  const OrtValue* const* targets = (const OrtValue* const*)dst_tensors;
  CORE_TRY(check_side(src_tensors, num_tensors, "src_tensors"));
  CORE_TRY(check_side(targets, num_tensors, "dst_tensors"));
  bool is_on_both = core_is_on_cpu(src_tensors[0]) && core_is_on_cpu(dst_tensors[0]);
  /* Check all pairs first, so that either all or none are copied. */
  for (size_t i = 0; i < num_tensors; i++) {
    CORE_TRY(check_pair(core_tensor_of(src_tensors[i]), core_tensor_of(dst_tensors[i])));
  }
  return is_on_both ? copy_on_cpu(src_tensors, dst_tensors, num_tensors)
                    : copy_by_provider(env, src_tensors, dst_tensors, stream, num_tensors);
}
