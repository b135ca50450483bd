/* SPDX-License-Identifier: MIT */
/* What an op works out of the shapes of its outputs. */

#include "kernels/kernel.h"

/* Since when a struct has InferOutputShapeFn. */
#define INFERENCE_SINCE 17

struct OrtShapeInferContext {
  uintptr_t mark;
  struct core_node* node;
  /** Copies, so that an op that writes to what it borrows does no harm. */
  OrtTensorTypeAndShapeInfo** inputs;
  size_t input_count;
  OrtTensorTypeAndShapeInfo** outputs;
  size_t output_count;
};
#define INFERENCE_MARK ((uintptr_t)0x4B65726E53687065)
#define REQUIRE_INFERENCE(function) CORE_REQUIRE_BORROWED(function, context, mark, INFERENCE_MARK)

CORE_SLOT(ort_ShapeInferContext_GetInputCount, const OrtShapeInferContext* context, size_t* out) {
  REQUIRE_INFERENCE(ShapeInferContext_GetInputCount);
  *out = context->input_count;
  return NULL;
}

CORE_SLOT(ort_ShapeInferContext_GetInputTypeShape, const OrtShapeInferContext* context,
          size_t index, OrtTensorTypeAndShapeInfo** info) {
  REQUIRE_INFERENCE(ShapeInferContext_GetInputTypeShape);
  CORE_FAIL_IF(index >= context->input_count, ORT_RUNTIME_EXCEPTION,
               "ShapeInferContext_GetInputTypeShape: index must be less than the count");
  *info = context->inputs[index];
  return NULL;
}

CORE_SLOT(ort_ShapeInferContext_GetAttribute, const OrtShapeInferContext* context,
          const char* attr_name, const OrtOpAttr** attr) {
  REQUIRE_INFERENCE(ShapeInferContext_GetAttribute);
  CORE_FAIL_IF(attr_name == NULL, ORT_RUNTIME_EXCEPTION,
               "ShapeInferContext_GetAttribute: attr_name must not be NULL");
  *attr = core_node_attribute(context->node, attr_name);
  core_note_asked(context->node, *attr != NULL ? (*attr)->type : ORT_OP_ATTR_GRAPH, attr_name);
  CORE_REFUSE_IF(*attr == NULL, ORT_INVALID_ARGUMENT, "there is no attribute %s", attr_name);
  return NULL;
}

CORE_SLOT(ort_ShapeInferContext_SetOutputTypeShape, const OrtShapeInferContext* context,
          size_t index, const OrtTensorTypeAndShapeInfo* info) {
  REQUIRE_INFERENCE(ShapeInferContext_SetOutputTypeShape);
  CORE_FAIL_IF(info == NULL, ORT_FAIL,
               "ShapeInferContext_SetOutputTypeShape: info must not be NULL");
  CORE_FAIL_IF(
      index >= context->output_count, ORT_RUNTIME_EXCEPTION,
      "ShapeInferContext_SetOutputTypeShape: index must be less than the count of outputs");
  OrtTensorTypeAndShapeInfo* copy = NULL;
  CORE_TRY(core_copy_shape_info(info, &copy));
  /* The op says the shape; the type is what it declares. */
  ONNXTensorElementDataType type = core_node_type(&context->node->outputs, index);
  copy->type = type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ? type : copy->type;
  ort_ReleaseTensorTypeAndShapeInfo(context->outputs[index]);
  context->outputs[index] = copy;
  return NULL;
}

struct infer_call {
  struct core_op_call call;
  OrtShapeInferContext* context;
};

static void infer(struct core_op_call* call) {
  const struct infer_call* own = (const struct infer_call*)call;
  const OrtCustomOp* op = call->node->op;
  call->status = op->InferOutputShapeFn(op, own->context);
}

static void end_infos(OrtTensorTypeAndShapeInfo** infos, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (infos[i] != NULL) {
      core_end_part(&infos[i]->object);
    }
  }
}

/* Nothing known of an input: no type, no shape. */
static const OrtTensorTypeAndShapeInfo unknown = {.type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED};

static OrtStatus* infer_shapes(const struct core_node* node, OrtShapeInferContext* context,
                               const OrtTensorTypeAndShapeInfo* const* inputs) {
  for (size_t i = 0; i < context->input_count; i++) {
    CORE_TRY(core_copy_shape_info(inputs[i] != NULL ? inputs[i] : &unknown, &context->inputs[i]));
    core_make_part(&context->inputs[i]->object);
  }
  struct infer_call own = {{node, infer, NULL}, context};
  return core_call_op(&own.call);
}

OrtStatus* ORT_API_CALL core_kernel_infer_shapes(OrtcoreKernel* kernel,
                                                 const OrtTensorTypeAndShapeInfo* const* inputs,
                                                 size_t input_count,
                                                 OrtTensorTypeAndShapeInfo** outputs,
                                                 size_t output_count) {
  CORE_REQUIRE(ortcore_kernel_infer_shapes, kernel);
  CORE_REQUIRE_IF(input_count > 0, ortcore_kernel_infer_shapes, inputs);
  CORE_REQUIRE_IF(output_count > 0, ortcore_kernel_infer_shapes, outputs);
  struct core_node* node = kernel->node;
  CORE_FAIL_IF(input_count > CORE_MOST_OPERANDS || output_count > CORE_MOST_OPERANDS,
               ORT_INVALID_ARGUMENT, "ortcore_kernel_infer_shapes: there are too many operands");
  bool has_function = node->op->version >= INFERENCE_SINCE && node->op->InferOutputShapeFn != NULL;
  size_t size = (input_count + output_count + 1) * sizeof(OrtTensorTypeAndShapeInfo*);
  OrtTensorTypeAndShapeInfo** infos = heap_alloc(size);
  CORE_RETURN_IF(infos == NULL, CORE_OUT_OF_MEMORY(ortcore_kernel_infer_shapes, size));
  memset(infos, 0, size);
  OrtShapeInferContext context = {INFERENCE_MARK,      node,        infos, input_count,
                                  infos + input_count, output_count};
  OrtStatus* status = has_function ? infer_shapes(node, &context, inputs) : NULL;
  end_infos(context.inputs, input_count);
  if (status != NULL) {
    end_infos(context.outputs, output_count);
  } else if (output_count > 0) {
    memcpy(outputs, context.outputs, output_count * sizeof *outputs);
  }
  heap_free(infos);
  return core_named("ortcore_kernel_infer_shapes", status);
}
