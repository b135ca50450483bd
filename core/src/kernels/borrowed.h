/* SPDX-License-Identifier: MIT */
/** @file borrowed.h What the slots of kernel infos and contexts have in common. */
#ifndef ORTCFFI_BORROWED_H_
#define ORTCFFI_BORROWED_H_

#include "kernels/kernel.h"

/** Guards the first argument of a slot, which kernels may have kept for too long. */
#define CORE_REQUIRE_BORROWED(function, argument, mark, its_mark)                            \
  do {                                                                                       \
    CORE_REQUIRE(function, argument);                                                        \
    if (CORE_UNLIKELY(__atomic_load_n(&(argument)->mark, __ATOMIC_RELAXED) != (its_mark))) { \
      CORE_FAIL(ORT_INVALID_ARGUMENT,                                                        \
                #function ": " #argument " is used after the call that it was valid for");   \
    }                                                                                        \
  } while (0)
#define CORE_REQUIRE_KERNEL_INFO(function) \
  CORE_REQUIRE_BORROWED(function, info, object.class, &core_kernel_info_class)
#define CORE_REQUIRE_CONTEXT(function) \
  CORE_REQUIRE_BORROWED(function, context, mark, CORE_CONTEXT_MARK)

/** Copies a text into a client's buffer. `size` gets what it needs, also where it is too small. */
OrtStatus* core_give_text(const char* text, size_t length, char* out, size_t* size);

/** The allocator of a node for some memory: the CPU's, or that of the provider's device. */
OrtStatus* core_node_allocator(const struct core_node* node, const OrtMemoryInfo* info,
                               OrtAllocator** out);

#endif /* ORTCFFI_BORROWED_H_ */
