/* SPDX-License-Identifier: MIT */
/* Each slot that can fail: it guards the pointers that must not be NULL, calls its body, and puts
 * its name in front of the message of a status that core_fail made. So the functions that a slot
 * calls need not know it. */
#include "kernels/kernel.h"
#include "table/arguments.inc"

/* Infos and contexts of kernels are borrowed for one call. */
static inline bool info_is_valid(const void* info) {
  return __atomic_load_n(&((const OrtKernelInfo*)info)->object.class, __ATOMIC_RELAXED) ==
         &core_kernel_info_class;
}
static inline bool context_is_valid(const void* context) {
  return __atomic_load_n(&((const OrtKernelContext*)context)->mark, __ATOMIC_RELAXED) ==
         CORE_CONTEXT_MARK;
}
static inline bool other_is_valid(const void* argument) { return true; }
#define IS_VALID(argument)                       \
  _Generic((argument),                           \
      const OrtKernelInfo*: info_is_valid,       \
      const OrtKernelContext*: context_is_valid, \
      default: other_is_valid)((const void*)(uintptr_t)(argument))
#define REQUIRE_VALID(name, first, ...)                \
  CORE_FAIL_IF(!IS_VALID(first), ORT_INVALID_ARGUMENT, \
               #name ": " #first " is used after the call that it was valid for")

#define NAMED_HOST(symbol, name, parameters, arguments)    \
  OrtStatus* ORT_API_CALL symbol parameters NO_EXCEPTION { \
    GUARD(name, LIST arguments);                           \
    return core_named(#name, CORE_BODY(symbol) arguments); \
  }
#define GUARD(name, ...)           \
  CORE_REQUIRE(name, __VA_ARGS__); \
  REQUIRE_VALID(name, __VA_ARGS__, )
#define LIST(...) __VA_ARGS__
#define NAMED_ENGINE(symbol, name, parameters, arguments)
#define NAMED_NOT_YET(symbol, name, parameters, arguments)

/* These are called so often that one more call would be seen: they have no body beside them, and
 * name what fails in them themselves. */
#define LEAVE(symbol, name, parameters, arguments)
#define ITSELF_AllocatorAlloc , LEAVE
#define ITSELF_AllocatorFree , LEAVE
#define ITSELF_CreateMemoryInfo , LEAVE
#define ITSELF_CreateStatus , LEAVE
#define ITSELF_GetTensorElementTypeAndShapeDataReference , LEAVE
#define ITSELF_GetTensorMemoryInfo , LEAVE
#define ITSELF_GetTensorMutableData , LEAVE
#define ITSELF_GetValueInfoName , LEAVE
#define ITSELF_GetValueType , LEAVE
#define ITSELF_HasValue , LEAVE
#define ITSELF_KernelContext_GetInput , LEAVE
#define ITSELF_KernelContext_GetInputCount , LEAVE
#define ITSELF_KernelContext_GetOutput , LEAVE
#define ITSELF_KernelContext_GetOutputCount , LEAVE
#define ITSELF_Node_GetAttributes , LEAVE
#define ITSELF_Node_GetDomain , LEAVE
#define ITSELF_Node_GetInputs , LEAVE
#define ITSELF_Node_GetName , LEAVE
#define ITSELF_Node_GetNumAttributes , LEAVE
#define ITSELF_Node_GetNumInputs , LEAVE
#define ITSELF_Node_GetNumOutputs , LEAVE
#define ITSELF_Node_GetOperatorType , LEAVE
#define ITSELF_Node_GetOutputs , LEAVE
#define ITSELF_OpAttr_GetName , LEAVE
#define ITSELF_OpAttr_GetType , LEAVE
#define ITSELF_ReadOpAttr , LEAVE
#define CHOOSE(...) SECOND(__VA_ARGS__)
#define SECOND(first, second, ...) second

#define ROWS "table/named_rows.def"
#include "ort_tables.def"
