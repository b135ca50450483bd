/* SPDX-License-Identifier: MIT */
/* What a kernel borrows for one call. */

#include "kernels/kernel.h"

/* Stands before a scratch buffer, as long as a cache line so that the buffer stays aligned. */
struct core_scratch {
  struct core_scratch* next;
  /* A buffer elsewhere, on a device; NULL: the buffer is behind this struct. */
  void* elsewhere;
  char fill[HEAP_LINE - 2 * sizeof(void*)];
};

void core_free_scratch(OrtKernelContext* context) {
  OrtAllocator* allocator = context->node->allocator;
  OrtAllocator* other = context->node->device_allocator;
  while (context->scratch != NULL) {
    struct core_scratch* scratch = context->scratch;
    context->scratch = scratch->next;
    if (scratch->elsewhere != NULL) {
      other->Free(other, scratch->elsewhere);
    }
    allocator->Free(allocator, scratch);
  }
}

/* A scratch buffer of an allocator of the node. Its head is the CPU's. */
static struct core_scratch* new_scratch(const struct core_node* node, OrtAllocator* allocator,
                                        size_t size) {
  bool is_here = allocator == node->allocator;
  size_t behind = is_here ? size : 0;
  struct core_scratch* scratch =
      behind <= SIZE_MAX - sizeof *scratch
          ? node->allocator->Alloc(node->allocator, sizeof *scratch + behind)
          : NULL;
  if (scratch == NULL) {
    return NULL;
  }
  scratch->elsewhere = is_here ? NULL : allocator->Alloc(allocator, size);
  if (!is_here && scratch->elsewhere == NULL) {
    node->allocator->Free(node->allocator, scratch);
    return NULL;
  }
  return scratch;
}

#define COUNTER(NAME, function, side, passed)                                         \
  ORT_API_STATUS_IMPL(NAME, const OrtKernelContext* context, size_t* out) {           \
    CORE_REQUIRE_CONTEXT(function);                                                   \
    CORE_REQUIRE(function, out);                                                      \
    *out = context->node->side.is_open ? context->passed : context->node->side.count; \
    return NULL;                                                                      \
  }
COUNTER(ort_KernelContext_GetInputCount, KernelContext_GetInputCount, inputs, input_count)
COUNTER(ort_KernelContext_GetOutputCount, KernelContext_GetOutputCount, outputs, output_count)

/* The reference counts in int. */
static OrtStatus* check_index(size_t index) {
  return CORE_LIKELY(index <= INT_MAX) ? NULL
                                       : core_fail(ORT_RUNTIME_EXCEPTION, "index is too large");
}

ORT_API_STATUS_IMPL(ort_KernelContext_GetInput, const OrtKernelContext* context, size_t index,
                    const OrtValue** out) {
  CORE_REQUIRE_CONTEXT(KernelContext_GetInput);
  CORE_REQUIRE(KernelContext_GetInput, out);
  CORE_TRY(core_named("KernelContext_GetInput", check_index(index)));
  *out = core_context_input(context, index);
  return NULL;
}

/* The element type of an output: what node or op say, or else that of the inputs of any type. */
static ONNXTensorElementDataType type_of_output(const OrtKernelContext* context, size_t index) {
  const struct core_node* node = context->node;
  ONNXTensorElementDataType type = core_node_type(&node->outputs, index);
  bool is_known = type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t count = node->inputs.is_open ? context->input_count : node->inputs.count;
  for (size_t i = 0; !is_known && i < count; i++) {
    const struct core_operand* declared = core_declared(&node->inputs, i);
    const OrtValue* value = core_context_input(context, i);
    const struct core_shape* shape = value != NULL ? core_shape_of(value) : NULL;
    if (declared == NULL || declared->type != 0 || shape == NULL) {
      continue;
    }
    if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED && type != shape->type) {
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    }
    type = shape->type;
  }
  return type;
}

/* The tensor that the run has idle, if it can be the output: it is like one that `allocator` would
 * make. An allocator that has a reference count also counts or checks what it allocates, so that
 * its tensors are always made anew. */
static struct core_tensor* idle_output(const OrtKernelContext* context, size_t index,
                                       const OrtAllocator* allocator,
                                       ONNXTensorElementDataType type, const int64_t* dims,
                                       size_t rank) {
  if (context->idle == NULL || *context->idle == NULL || index != 0) {
    return NULL;
  }
  struct core_tensor* idle = core_tensor_of(*context->idle);
  bool fits = idle->owner == allocator && !idle->keeps_owner &&
              type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING &&
              core_has_shape(&idle->shape, type, dims, rank);
  return fits ? idle : NULL;
}

static OrtStatus* new_output(const OrtKernelContext* context, size_t index, const int64_t* dims,
                             size_t rank, struct core_tensor** out) {
  const struct core_node* node = context->node;
  ONNXTensorElementDataType type = type_of_output(context, index);
  CORE_REFUSE_IF(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, ORT_FAIL,
                 "the type of the output is not known; say it in the node's outputs");
  bool is_on_device = context->is_on_device && type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING &&
                      !context->passed[context->input_count + index].is_for_cpu;
  OrtAllocator* allocator = is_on_device ? node->device_allocator : node->allocator;
  *out = idle_output(context, index, allocator, type, dims, rank);
  if (*out != NULL) {
    return NULL;
  }
  OrtStatus* status = core_new_tensor(allocator, dims, rank, type, out);
  /* As the reference says of memory that it does not get. */
  if (CORE_UNLIKELY(status != NULL) && ort_GetErrorCode(status) == ORT_RUNTIME_EXCEPTION) {
    OrtStatus* failure = core_fail(ORT_FAIL, "%s", ort_GetErrorMessage(status));
    ort_ReleaseStatus(status);
    return failure;
  }
  return status;
}

/* Refuses an output that is there already and has another type or shape. */
static OrtStatus* check_output(const OrtValue* value, const int64_t* dims, size_t rank) {
  const struct core_shape* shape = core_shape_of(value);
  bool is_same = shape != NULL && shape->rank == rank;
  for (size_t i = 0; is_same && i < rank; i++) {
    is_same = shape->dims[i] == dims[i];
  }
  CORE_FAIL_IF(!is_same, ORT_INVALID_ARGUMENT,
               "KernelContext_GetOutput: the output exists already and has another shape");
  return NULL;
}

ORT_API_STATUS_IMPL(ort_KernelContext_GetOutput, OrtKernelContext* context, size_t index,
                    const int64_t* dim_values, size_t dim_count, OrtValue** out) {
  static const char name[] = "KernelContext_GetOutput";
  CORE_REQUIRE_CONTEXT(KernelContext_GetOutput);
  CORE_REQUIRE(KernelContext_GetOutput, out);
  CORE_REQUIRE_IF(dim_count > 0, KernelContext_GetOutput, dim_values);
  CORE_TRY(core_named(name, check_index(index)));
  CORE_TRY(core_named(name, core_check_rank("dim_count", dim_count)));
  if (index >= context->output_count || !core_node_has(&context->node->outputs, index)) {
    *out = NULL;
    return NULL;
  }
  OrtValue* handle = &context->passed[context->input_count + index].handle;
  OrtValue* there = __atomic_load_n(&handle->target, __ATOMIC_ACQUIRE);
  if (there == NULL) {
    struct core_tensor* made = NULL;
    CORE_TRY(core_named(name, new_output(context, index, dim_values, dim_count, &made)));
    if (CORE_LIKELY(__atomic_compare_exchange_n(&handle->target, &there, &made->base, false,
                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))) {
      *out = handle;
      return NULL;
    }
    /* Another thread of the kernel was faster. An idle tensor is still the run's. */
    if (context->idle == NULL || *context->idle != &made->base) {
      ort_ReleaseValue(&made->base);
    }
  }
  CORE_TRY(check_output(there, dim_values, dim_count));
  *out = handle;
  return NULL;
}

/* Whether the node's output may be a value; the node may not say of which type. */
static bool can_be(const struct core_side* outputs, size_t index, const OrtValue* value) {
  const OrtTypeInfo* type = index < outputs->count ? outputs->list[index].type_info : NULL;
  bool is_made = core_shape_of(value) == NULL && core_is_of_type(value, type);
  return is_made &&
         (core_node_type(outputs, index) == 0 || core_type_of(value) == ONNX_TYPE_OPTIONAL);
}

OrtStatus* ORT_API_CALL core_kernel_set_output(OrtKernelContext* context, size_t index,
                                               const OrtValue* value) {
  CORE_REQUIRE_CONTEXT(ortcore_kernel_set_output);
  CORE_REQUIRE(ortcore_kernel_set_output, value);
  const struct core_side* outputs = &context->node->outputs;
  if (index >= context->output_count || !core_node_has(outputs, index)) {
    return NULL;
  }
  CORE_FAIL_IF(!can_be(outputs, index, value), ORT_INVALID_ARGUMENT,
               "ortcore_kernel_set_output: value is not of the type of the output");
  OrtValue* handle = &context->passed[context->input_count + index].handle;
  OrtValue *there = NULL, *made = core_retain_value(value);
  if (!__atomic_compare_exchange_n(&handle->target, &there, made, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    ort_ReleaseValue(made);
    CORE_FAIL(ORT_INVALID_ARGUMENT, "ortcore_kernel_set_output: the output exists already");
  }
  return NULL;
}

CORE_SLOT(ort_KernelContext_GetPreallocatedOutput, const OrtKernelContext* context,
          size_t output_index, OrtValue** output) {
  size_t count = 0;
  CORE_TRY(ort_KernelContext_GetOutputCount(context, &count));
  CORE_FAIL_IF(output_index >= count, ORT_INVALID_ARGUMENT,
               "KernelContext_GetPreallocatedOutput: output_index must be less than the count");
  /* The slot gives a value that may be written to. */
  struct core_passed* passed =
      (struct core_passed*)&context->passed[context->input_count + output_index];
  *output = output_index < context->output_count && passed->is_callers ? &passed->handle : NULL;
  return NULL;
}

CORE_GETTER(ort_KernelContext_GetGPUComputeStream, void*, ort_SyncStream_GetHandle(context->stream),
            const OrtKernelContext* context)
CORE_GETTER(ort_KernelContext_GetSyncStream, OrtSyncStream*, context->stream,
            const OrtKernelContext* context)

CORE_SLOT(ort_KernelContext_GetResource, const OrtKernelContext* context, int resource_version,
          int resource_id, void** resource) {
  *resource = NULL;
  CORE_FAIL(ORT_INVALID_ARGUMENT, "KernelContext_GetResource: there is no stream with resources");
}

CORE_GETTER(ort_KernelContext_GetLogger, const OrtLogger*,
            context->logger != NULL ? context->logger : core_node_logger(context->node),
            const OrtKernelContext* context)

CORE_SLOT(ort_KernelContext_GetAllocator, const OrtKernelContext* context,
          const OrtMemoryInfo* mem_info, OrtAllocator** out) {
  return core_node_allocator(context->node, mem_info, out);
}

CORE_SLOT(ort_KernelContext_GetScratchBuffer, const OrtKernelContext* context,
          const OrtMemoryInfo* mem_info, size_t count_or_bytes, void** out) {
  OrtAllocator* allocator = NULL;
  CORE_TRY(core_node_allocator(context->node, mem_info, &allocator));
  if (count_or_bytes == 0) {
    *out = NULL;
    return NULL;
  }
  struct core_scratch* scratch = new_scratch(context->node, allocator, count_or_bytes);
  CORE_NEED_MEMORY(scratch, count_or_bytes);
  /* Any thread of the kernel may ask. */
  struct core_scratch** first = &((OrtKernelContext*)context)->scratch;
  scratch->next = __atomic_load_n(first, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(first, &scratch->next, scratch, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
  *out = scratch->elsewhere != NULL ? scratch->elsewhere : scratch + 1;
  return NULL;
}
