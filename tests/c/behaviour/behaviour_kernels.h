/* SPDX-License-Identifier: MIT */
/*
 * Calls from inside a kernel. On a library with an engine, a model of one node is loaded and run;
 * on the core, its kernel host is used. The node is the same on both:
 *
 *     Probe "the_node", domain "probe"
 *     inputs   X float[batch,3], "", C float[2] (an initializer), "", Y float, V float[1]
 *     outputs  O float[2,3], "", S string
 *     attributes f 1.5, i 7, s "abc", fs [1,2,3], is [4,5,6], ss ["x","yz"], t float[2], es ""
 */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_KERNELS_H_
#define ORTCFFI_TESTS_BEHAVIOUR_KERNELS_H_

#include "behaviour.h"

/** What a probe makes of the stage that it belongs to; the others get NULL. */
struct probe {
  void (*info)(const OrtKernelInfo* info);
  void (*context)(OrtKernelContext* context);
  void (*shapes)(OrtShapeInferContext* context);
};

/** Calls the probe in its stage. With an engine, the process ends there. */
void run_probe(const struct probe* probe);

/* What the node is made of, for a session and for the core's host. */
struct probe_attribute {
  const char* name;
  /* ONNX numbers the types in another order than ORT. */
  unsigned in_model;
  OrtOpAttrType type;
};
#define ATTRIBUTES 8
extern const struct probe_attribute attributes[ATTRIBUTES];
extern const struct probe* current_probe;
extern const OrtCustomOp probe_op;
extern const float x[6];
extern const int64_t x_shape[], four[], just_one[];
OrtValue* value_of(const int64_t* shape, size_t rank, size_t count);
void run_host(void);

/* Writes a call whose body gets what a kernel borrows. */
#define PROBE(text, member, type, argument, n) PROBE_NUMBER(text, member, type, argument, n)
#define PROBE_NUMBER(text, member, type, argument, n)        \
  static void probe_##n(type argument);                      \
  CALL(text) {                                               \
    static const struct probe probe = {.member = probe_##n}; \
    run_probe(&probe);                                       \
  }                                                          \
  static void probe_##n(type argument)
#define INFO_CALL(text) PROBE(text, info, const OrtKernelInfo*, info, __COUNTER__)
#define CONTEXT_CALL(text) PROBE(text, context, OrtKernelContext*, context, __COUNTER__)
#define SHAPES_CALL(text) PROBE(text, shapes, OrtShapeInferContext*, context, __COUNTER__)

/** Says a tensor's type and shape, and its first number if it has floats. */
void say_value(const OrtValue* value);
/** Says element type and dimensions with their names. */
void say_shape(const OrtTensorTypeAndShapeInfo* info);

#endif /* ORTCFFI_TESTS_BEHAVIOUR_KERNELS_H_ */
