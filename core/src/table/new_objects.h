/* SPDX-License-Identifier: MIT */
/**
 * @file new_objects.h
 * What watched tables (watch.c) and traces (trace.c) note of a call: which of its arguments are
 * places for new objects.
 */
#ifndef ORTCFFI_NEW_OBJECTS_H_
#define ORTCFFI_NEW_OBJECTS_H_

#include <string.h>

#include "table/versions.h"

/* Whether the caller of a slot borrows the object that it gets, and must not release it. */
#define CORE_PLACE(name) (offsetof(OrtApi, name) / sizeof(void*))
static inline bool core_slot_borrows(unsigned slot) {
  return slot == CORE_PLACE(KernelContext_GetOutput) ||
         slot == CORE_PLACE(KernelContext_GetPreallocatedOutput) ||
         slot == CORE_PLACE(ShapeInferContext_GetInputTypeShape);
}

/** Notes what was written to `place`, where a caller wanted a pointer to a new object. */
static inline void core_note_made(uintptr_t place, uint64_t* alive) {
  const void* object = NULL;
  if (place != 0) {
    memcpy(&object, (const void*)place, sizeof object);
    core_note(object, alive);
  }
}

/** Whether an argument is the place for a new object. What the caller may only read is const. */
#define CORE_IS_PLACE(argument)          \
  _Generic((argument),                   \
      OrtValue * *: 1,                   \
      OrtTypeInfo * *: 1,                \
      OrtTensorTypeAndShapeInfo * *: 1,  \
      OrtOpAttr * *: 1,                  \
      OrtKernelInfo * *: 1,              \
      OrtOp * *: 1,                      \
      OrtKeyValuePairs * *: 1,           \
      OrtMemoryInfo * *: 1,              \
      OrtGraph * *: 1,                   \
      OrtModelMetadata * *: 1,           \
      OrtExternalInitializerInfo * *: 1, \
      OrtKernelRegistry * *: 1,          \
      OrtKernelDefBuilder * *: 1,        \
      OrtKernelDef * *: 1,               \
      default: 0)

/** NOTE_ALL(a, b, ...): NOTE_MADE(place) for each argument that is a place. The includer defines
 * NOTE_MADE. */
#define NOTE(argument) (CORE_IS_PLACE(argument) ? NOTE_MADE((uintptr_t)(argument)) : (void)0);
#define NOTE_1(a) NOTE(a)
#define NOTE_2(a, ...) NOTE(a) NOTE_1(__VA_ARGS__)
#define NOTE_3(a, ...) NOTE(a) NOTE_2(__VA_ARGS__)
#define NOTE_4(a, ...) NOTE(a) NOTE_3(__VA_ARGS__)
#define NOTE_5(a, ...) NOTE(a) NOTE_4(__VA_ARGS__)
#define NOTE_6(a, ...) NOTE(a) NOTE_5(__VA_ARGS__)
#define NOTE_7(a, ...) NOTE(a) NOTE_6(__VA_ARGS__)
#define NOTE_8(a, ...) NOTE(a) NOTE_7(__VA_ARGS__)
#define NOTE_9(a, ...) NOTE(a) NOTE_8(__VA_ARGS__)
#define NOTE_10(a, ...) NOTE(a) NOTE_9(__VA_ARGS__)
#define NOTE_11(a, ...) NOTE(a) NOTE_10(__VA_ARGS__)
#define NOTE_12(a, ...) NOTE(a) NOTE_11(__VA_ARGS__)
/* The macro for as many arguments. */
#define NOTE_OF(a, b, c, d, e, f, g, h, i, j, k, l, chosen, ...) chosen
#define NOTE_ALL(...)                                                                             \
  NOTE_OF(__VA_ARGS__, NOTE_12, NOTE_11, NOTE_10, NOTE_9, NOTE_8, NOTE_7, NOTE_6, NOTE_5, NOTE_4, \
          NOTE_3, NOTE_2, NOTE_1, )                                                               \
  (__VA_ARGS__)
#define FIRST(...) FIRST_OF(__VA_ARGS__, )
#define FIRST_OF(first, ...) first

#endif /* ORTCFFI_NEW_OBJECTS_H_ */
