/* SPDX-License-Identifier: MIT */
/* DLPack, version 1.1 and the capsules before version 1.0: shared by dlpack.c, which exports the
 * memory of values, and imported.c, which imports memory of other libraries. */
#ifndef ORTCFFI_BOUNDARY_VALUES_DLPACK_H_
#define ORTCFFI_BOUNDARY_VALUES_DLPACK_H_

#include <stdint.h>

#include "onnxruntime_c_api.h"

/* The structs of the protocol, under names of our own. */
struct dl_tensor {
  void* data;
  int32_t device_type, device_id;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides; /* in elements; NULL for C order, before version 1.2 */
  uint64_t byte_offset;
};

struct legacy {
  struct dl_tensor tensor;
  void* owner;
  void (*deleter)(struct legacy* self);
};

struct versioned {
  uint32_t major, minor;
  void* owner;
  void (*deleter)(struct versioned* self);
  uint64_t flags;
  struct dl_tensor tensor;
};

enum { FLAG_READ_ONLY = 1, FLAG_COPIED = 2, FLAG_PADDED = 4 };
enum { DEVICE_CPU = 1 };
enum { OUTSIDE_NUMPY = 4 }; /* type codes from here on: bfloat16, complex, bool and narrow floats */

/* Names of capsules. */
#define LEGACY "dltensor"
#define VERSIONED "dltensor_versioned"

/* The type code and the bits of an element type; no bits where DLPack has no such type. */
struct dl_kind {
  uint8_t code, bits;
};
#define DL_KINDS (ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 + 1)
extern const struct dl_kind ortcffi_dl_kinds[DL_KINDS];

#endif
