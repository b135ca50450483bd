/* SPDX-License-Identifier: MIT */
/* What an op asks while it infers shapes. */
#include "behaviour_kernels.h"

SHAPES_CALL("ShapeInferContext_GetInputCount") {
  size_t count = 99;
  say_status(api->ShapeInferContext_GetInputCount(context, &count));
  say("%zu", count);
}
SHAPES_CALL("ShapeInferContext_GetInputCount(out NULL)") {
  say_status(api->ShapeInferContext_GetInputCount(context, NULL));
}

static void shape_inference_get_input(const OrtShapeInferContext* context, size_t index) {
  OrtTensorTypeAndShapeInfo* info = UNTOUCHED;
  if (say_status(api->ShapeInferContext_GetInputTypeShape(context, index, &info))) {
    say_shape(info);
  } else {
    say_out(info, UNTOUCHED);
  }
}
SHAPES_CALL("ShapeInferContext_GetInputTypeShape(0)") { shape_inference_get_input(context, 0); }
SHAPES_CALL("ShapeInferContext_GetInputTypeShape(1), left out") {
  shape_inference_get_input(context, 1);
}
SHAPES_CALL("ShapeInferContext_GetInputTypeShape(2), an initializer") {
  shape_inference_get_input(context, 2);
}
SHAPES_CALL("ShapeInferContext_GetInputTypeShape(4), no shape") {
  shape_inference_get_input(context, 4);
}
SHAPES_CALL("ShapeInferContext_GetInputTypeShape(5)") { shape_inference_get_input(context, 5); }
SHAPES_CALL("ShapeInferContext_GetInputTypeShape(6), past the end") {
  shape_inference_get_input(context, 6);
}
SHAPES_CALL("ShapeInferContext_GetInputTypeShape(out NULL)") {
  say_status(api->ShapeInferContext_GetInputTypeShape(context, 0, NULL));
}

static void get_attribute(const OrtShapeInferContext* context, const char* name) {
  const OrtOpAttr* attribute = UNTOUCHED;
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  char bytes[64];
  size_t size = 0;
  if (say_status(api->ShapeInferContext_GetAttribute(context, name, &attribute))) {
    CHECK(api->OpAttr_GetType(attribute, &type) == NULL);
    say("type %d", (int)type);
    say_status(api->ReadOpAttr(attribute, type, bytes, sizeof bytes, &size));
    say("%zu bytes", size);
  } else {
    say_out(attribute, UNTOUCHED);
  }
}
SHAPES_CALL("ShapeInferContext_GetAttribute(f)") { get_attribute(context, "f"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(i)") { get_attribute(context, "i"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(s)") { get_attribute(context, "s"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(fs)") { get_attribute(context, "fs"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(is)") { get_attribute(context, "is"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(ss)") { get_attribute(context, "ss"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(t)") { get_attribute(context, "t"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(nope)") { get_attribute(context, "nope"); }
SHAPES_CALL("ShapeInferContext_GetAttribute(NULL)") { get_attribute(context, NULL); }

static void set_output(const OrtShapeInferContext* context, size_t index) {
  static const int64_t dims[] = {2, 3};
  OrtTensorTypeAndShapeInfo* info =
      NEW(OrtTensorTypeAndShapeInfo, api->CreateTensorTypeAndShapeInfo(&new_));
  CHECK(api->SetDimensions(info, dims, 2) == NULL);
  say_status(api->ShapeInferContext_SetOutputTypeShape(context, index, info));
  api->ReleaseTensorTypeAndShapeInfo(info);
}
SHAPES_CALL("ShapeInferContext_SetOutputTypeShape(0)") { set_output(context, 0); }
SHAPES_CALL("ShapeInferContext_SetOutputTypeShape(9)") { set_output(context, 9); }
SHAPES_CALL("ShapeInferContext_SetOutputTypeShape(info NULL)") {
  say_status(api->ShapeInferContext_SetOutputTypeShape(context, 0, NULL));
}
