/* SPDX-License-Identifier: MIT */
/*
 * Custom ops that were registered with options, of the core or of another library
 * (custom_op.h and op_recorder.h in core/src/custom_ops say what each function does).
 */

/* Domains, and the libraries that are kept open for them. */
typedef struct core_custom_ops ortcffi_ops;

typedef struct ortcffi_op {
  const char* name;
  /* "" for the CPU's. */
  const char* provider;
  /* The versions of the opset that have it. */
  int first, last;
  size_t inputs, outputs;
} ortcffi_op;

typedef struct ortcffi_operand {
  /* ONNXTensorElementDataType, OrtCustomOpInputOutputCharacteristic, OrtMemType. */
  int type, characteristic, memory;
  /* Of a variadic one; 1 and 1 otherwise. */
  int least, is_homogeneous;
} ortcffi_operand;

/* A list for the options of another library, with what another list has or, for NULL, with nothing;
 * NULL without memory. It is to live as long as those options and what is made of them. */
ortcffi_ops* ortcffi_new_ops(const ortcffi_ops* from);
/* May unload libraries; other threads of Python run meanwhile. */
void ortcffi_end_ops(ortcffi_ops* ops);

/* Registers with the options of another library, of API version `version`, and notes in `ops` what
 * is registered. `path` is UTF-8. The status is the other library's. Other threads of Python run
 * meanwhile. */
OrtStatus* ortcffi_record_library(const OrtApiBase* base, uint32_t version,
                                  OrtSessionOptions* options, const char* path, ortcffi_ops* ops);
OrtStatus* ortcffi_record_function(const OrtApiBase* base, uint32_t version,
                                   OrtSessionOptions* options, const void* function,
                                   ortcffi_ops* ops);

/* The name of a domain; NULL past the last. */
const char* ortcffi_op_domain(const ortcffi_ops* ops, size_t domain);
/* An op of a domain; NULL past the last. */
const OrtCustomOp* ortcffi_op_at(const ortcffi_ops* ops, size_t domain, size_t i);
/* These call functions of the op's library. The strings are the library's. */
void ortcffi_read_op(const OrtCustomOp* op, ortcffi_op* out);
/* `i` is below the count of inputs or outputs. */
void ortcffi_read_operand(const OrtCustomOp* op, int is_output, size_t i, ortcffi_operand* out);
