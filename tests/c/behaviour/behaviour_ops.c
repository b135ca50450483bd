/* SPDX-License-Identifier: MIT */
/* Ops that a kernel makes and calls: an engine makes those of ONNX, the core custom ones. */
#include <string.h>

#include "behaviour_kernels.h"

/* What CreateOp is given; zeroes are its defaults. */
struct ops_wanted {
  const char *name, *domain;
  int version;
  const char* constraint;
  ONNXTensorElementDataType type;
  int inputs, outputs;
};
static const struct ops_wanted ops_add = {"Add", "", 14, "T", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                          2,     1};
/* Of behaviour_kernels.h; it has six inputs and three outputs. */
static const struct ops_wanted custom = {"Probe", "probe", 1, NULL, 0, 6, 3};

static OrtStatus* ops_make(const OrtKernelInfo* info, const struct ops_wanted* wanted,
                           OrtOp** out) {
  return api->CreateOp(info, wanted->name, wanted->domain, wanted->version,
                       (const char**)&wanted->constraint, &wanted->type, wanted->constraint != NULL,
                       NULL, 0, wanted->inputs, wanted->outputs, out);
}

static void try_to_make(const OrtKernelInfo* info, struct ops_wanted wanted) {
  OrtOp* op = UNTOUCHED;
  if (say_status(ops_make(info, &wanted, &op))) {
    api->ReleaseOp(op);
    say("made");
  } else {
    say_out(op, UNTOUCHED);
  }
}

INFO_CALL("CreateOp(Add)") { try_to_make(info, ops_add); }
INFO_CALL("CreateOp(no such op)") {
  struct ops_wanted wanted = ops_add;
  wanted.name = "NoSuchOp";
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(a custom op)") {
  /* Which makes nothing when its kernel is made. */
  static const struct probe nothing;
  current_probe = &nothing;
  try_to_make(info, custom);
}
INFO_CALL("CreateOp(a custom op of another version)") {
  struct ops_wanted wanted = custom;
  wanted.version = 2;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(a custom op, version 0)") {
  struct ops_wanted wanted = custom;
  wanted.version = 0;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(a custom op, seven outputs)") {
  struct ops_wanted wanted = custom;
  wanted.outputs = 7;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(a custom op, another type)") {
  struct ops_wanted wanted = custom;
  wanted.constraint = "Input0";
  wanted.type = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(a custom op, T)") {
  struct ops_wanted wanted = custom;
  wanted.constraint = "T";
  wanted.type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(op_name NULL)") {
  struct ops_wanted wanted = ops_add;
  wanted.name = NULL;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(domain NULL)") {
  struct ops_wanted wanted = ops_add;
  wanted.domain = NULL;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(attr_values NULL)") {
  OrtOp* op = UNTOUCHED;
  say_status(api->CreateOp(info, "Add", "", 14, NULL, NULL, 0, NULL, 1, 2, 1, &op));
  say_out(op, UNTOUCHED);
}
INFO_CALL("CreateOp(input_count -1)") {
  struct ops_wanted wanted = ops_add;
  wanted.inputs = -1;
  try_to_make(info, wanted);
}
INFO_CALL("CreateOp(out NULL)") { say_status(ops_make(info, &ops_add, NULL)); }

CONTEXT_CALL("InvokeOp(ort_op NULL)") {
  say_status(api->InvokeOp(context, NULL, NULL, 0, NULL, 0));
}
