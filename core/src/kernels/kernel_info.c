/* SPDX-License-Identifier: MIT */
/* What a kernel knows of its node, but for the attributes. */

#include "kernels/kernel.h"

OrtStatus* core_give_text(const char* text, size_t length, char* out, size_t* size) {
  size_t room = *size;
  *size = length + 1;
  if (out == NULL) {
    return NULL;
  }
  CORE_REFUSE_IF(room < length + 1, ORT_INVALID_ARGUMENT, "size is too small for the text");
  memcpy(out, text, length);
  out[length] = '\0';
  return NULL;
}

OrtStatus* core_node_allocator(const struct core_node* node, const OrtMemoryInfo* info,
                               OrtAllocator** out) {
  CORE_REFUSE_IF(!core_is_memory_info(info), ORT_INVALID_ARGUMENT,
                 "mem_info must be an OrtMemoryInfo of this library");
  OrtAllocator* other = node->device_allocator;
  if (core_is_cpu_memory(info)) {
    *out = node->allocator;
  } else if (other != NULL && core_is_same_device(info, other->Info(other))) {
    *out = other;
  } else {
    return core_fail(ORT_INVALID_ARGUMENT, "there is no allocator for this memory");
  }
  return NULL;
}

static void end_info(void* block) { core_drop(((OrtKernelInfo*)block)->node); }

const struct core_class core_kernel_info_class = {.kind = CORE_KERNEL_INFO, .end = end_info};

CORE_SLOT(ort_CopyKernelInfo, const OrtKernelInfo* info, OrtKernelInfo** info_copy) {
  CORE_NEW(OrtKernelInfo, copy, &core_kernel_info_class);
  copy->node = info->node;
  core_note_asked(info->node, ORT_OP_ATTR_UNDEFINED, "");
  core_retain(&copy->node->object);
  *info_copy = copy;
  return NULL;
}

void ORT_API_CALL ort_ReleaseKernelInfo(OrtKernelInfo* input) NO_EXCEPTION {
  /* The info that CreateKernel gets belongs to the kernel: it is permanent, so this drops nothing.
   */
  if (input != NULL && input->object.class == &core_kernel_info_class) {
    core_drop(input);
  }
}

CORE_GETTER(ort_KernelInfo_GetInputCount, size_t, info->node->inputs.count,
            const OrtKernelInfo* info)
CORE_GETTER(ort_KernelInfo_GetOutputCount, size_t, info->node->outputs.count,
            const OrtKernelInfo* info)

static OrtStatus* give_name(const struct core_side* side, size_t index, char* out, size_t* size) {
  CORE_REFUSE_IF(index >= side->count, ORT_INVALID_ARGUMENT, "index must be less than the count");
  const char* name = side->list[index].name;
  return core_give_text(name, strlen(name), out, size);
}

#define NAME_GETTER(NAME, side)                                                       \
  CORE_SLOT(NAME, const OrtKernelInfo* info, size_t index, char* out, size_t* size) { \
    return give_name(&info->node->side, index, out, size);                            \
  }
NAME_GETTER(ort_KernelInfo_GetInputName, inputs)
NAME_GETTER(ort_KernelInfo_GetOutputName, outputs)

static OrtStatus* give_type(const struct core_side* side, size_t index, OrtTypeInfo** out) {
  CORE_REFUSE_IF(index >= side->count, ORT_INVALID_ARGUMENT, "index must be less than the count");
  const struct core_node_operand* operand = &side->list[index];
  bool is_there = side->expected[index].is_there;
  if (is_there && operand->type_info != NULL) {
    return core_copy_type_info(operand->type_info, out);
  }
  if (is_there && operand->constant != NULL) {
    return ort_GetTypeInfo(operand->constant, out);
  }
  CORE_REFUSE_IF(!is_there || side->expected[index].type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED,
                 ORT_INVALID_GRAPH, "the node does not say the type");
  const OrtTensorTypeAndShapeInfo shapeless = {.type = side->expected[index].type};
  return core_new_tensor_type(ONNX_TYPE_TENSOR, &shapeless, out);
}

#define TYPE_GETTER(NAME, side)                                                       \
  CORE_SLOT(NAME, const OrtKernelInfo* info, size_t index, OrtTypeInfo** type_info) { \
    return give_type(&info->node->side, index, type_info);                            \
  }
TYPE_GETTER(ort_KernelInfo_GetInputTypeInfo, inputs)
TYPE_GETTER(ort_KernelInfo_GetOutputTypeInfo, outputs)

#define TEXT_GETTER(NAME, text)                                                   \
  CORE_SLOT(NAME, const OrtKernelInfo* info, char* out, size_t* size) {           \
    return core_give_text(info->node->text, strlen(info->node->text), out, size); \
  }

TEXT_GETTER(ort_KernelInfo_GetNodeName, name)
TEXT_GETTER(ort_KernelInfo_GetOperatorDomain, domain)
TEXT_GETTER(ort_KernelInfo_GetOperatorType, op_name)

CORE_GETTER(ort_KernelInfo_GetOperatorSinceVersion, int, info->node->since_version,
            const OrtKernelInfo* info)
CORE_GETTER(ort_KernelInfo_GetLogger, const OrtLogger*, core_node_logger(info->node),
            const OrtKernelInfo* info)

CORE_SLOT(ort_KernelInfoGetConstantInput_tensor, const OrtKernelInfo* info, size_t index,
          int* is_constant, const OrtValue** out) {
  const struct core_side* inputs = &info->node->inputs;
  *is_constant = index < inputs->count && inputs->list[index].constant != NULL;
  if (*is_constant) {
    *out = &inputs->list[index].borrowed_constant;
  }
  return NULL;
}

CORE_SLOT(ort_KernelInfoGetAllocator, const OrtKernelInfo* info, OrtMemType mem_type,
          OrtAllocator** out) {
  /* All memory is the CPU's, whatever it is used for. */
  *out = info->node->allocator;
  return NULL;
}

CORE_SLOT(ort_KernelInfo_GetConfigEntries, const OrtKernelInfo* info, OrtKeyValuePairs** out) {
  const struct core_node* node = info->node;
  return node->config == NULL && node->options != NULL
             ? node->host->api->GetSessionOptionsConfigEntries(node->options, out)
             : core_copy_pairs(node->config, out);
}

CORE_SLOT(ort_ep_KernelInfo_GetEp, const OrtKernelInfo* info, const OrtEp** ep) {
  CORE_FAIL_IF(info->node->ep == NULL, ORT_FAIL,
               "KernelInfo_GetEp: info must be that of a kernel of a plug-in execution provider");
  *ep = info->node->ep;
  return NULL;
}
