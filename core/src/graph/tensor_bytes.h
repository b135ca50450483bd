/* SPDX-License-Identifier: MIT */
/** @file tensor_bytes.h Finds the elements of a TensorProto: in it, in memory or in a file. */
#pragma once

#include "graph/graph.h"

/** The location of weights that the model editor's models have in memory: the offset is their
 * index. In a model without such weights it is the name of a file. */
#define CORE_WEIGHTS_IN_MEMORY "*"

/** What the entries `external_data` of a TensorProto say. */
struct core_external_data {
  struct core_message location;
  uint64_t offset;
  /** 0: as much as the shape needs. */
  uint64_t length;
};

/** Whether the elements of a TensorProto are elsewhere. */
CORE_FOR_EXTENSION bool core_is_external(struct core_message tensor);

/** Whether they are weights that the model has in memory. */
bool core_is_in_memory(const OrtModel* model, const struct core_external_data* data);

/** Copies the name of the file; false where no file can have it. */
bool core_external_name(const struct core_external_data* data, char name[CORE_PATH_ROOM]);

/** The size in bytes of the elements of a TensorProto, by its type and shape. */
OrtStatus* core_measure_tensor(const OrtModel* model, struct core_message tensor, size_t* out);

/** Reads the entries; one that cannot be is named. */
CORE_FOR_EXTENSION OrtStatus* core_read_external(struct core_message tensor,
                                                 struct core_external_data* out);

/** Finds `size` bytes of weights, which stay as long as the model; maps their file if need be. A
 * file must be below the folder of the model, also behind links. */
OrtStatus* core_find_weights(const OrtModel* model, const struct core_external_data* data,
                             size_t size, const uint8_t** out);

/** Maps the files of weights of a model as far as they are there: what takes their place later does
 * not change the model. */
CORE_FOR_EXTENSION void core_map_weights(OrtModel* model);

/** Ends the mappings of a model. */
void core_unmap_weights(OrtModel* model);
