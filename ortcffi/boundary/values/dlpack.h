/* SPDX-License-Identifier: MIT */
/* DLPack, version 1.1 and the capsules before version 1.0: the structs of the protocol. */
#ifndef ORTCFFI_BOUNDARY_VALUES_DLPACK_H_
#define ORTCFFI_BOUNDARY_VALUES_DLPACK_H_

#include <stdint.h>

#include "onnxruntime_c_api.h"

typedef struct ortcffi_dl_tensor {
  void* data;
  int32_t device_type, device_id;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides; /* in elements; NULL for C order, before version 1.2 */
  uint64_t byte_offset;
} ortcffi_dl_tensor;

typedef struct ortcffi_dl_legacy {
  ortcffi_dl_tensor tensor;
  void* owner;
  void (*deleter)(struct ortcffi_dl_legacy* self);
} ortcffi_dl_legacy;

typedef struct ortcffi_dl_versioned {
  uint32_t major, minor;
  void* owner;
  void (*deleter)(struct ortcffi_dl_versioned* self);
  uint64_t flags;
  ortcffi_dl_tensor tensor;
} ortcffi_dl_versioned;

enum { ORTCFFI_DL_READ_ONLY = 1, ORTCFFI_DL_COPIED = 2, ORTCFFI_DL_PADDED = 4 };

/* The type code of an element type and its bits, as 256 * code + bits; 0 where DLPack has no such
 * type. */
int ortcffi_dl_kind(int element);

/* Call the deleter of a tensor that was taken out of a capsule, with the GIL, which some need. */
void ortcffi_end_legacy(ortcffi_dl_legacy* managed);
void ortcffi_end_versioned(ortcffi_dl_versioned* managed);

#endif /* ORTCFFI_BOUNDARY_VALUES_DLPACK_H_ */
