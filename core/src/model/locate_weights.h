/* SPDX-License-Identifier: MIT */
/** @file locate_weights.h Asks a function where the initializers of a model go. */
#ifndef ORTCFFI_LOCATE_WEIGHTS_H_
#define ORTCFFI_LOCATE_WEIGHTS_H_

#include "model/model.h"

/** Calls `writing->locate` for each initializer of a model that is dense and has no strings. The
 * list gets an item for each one that the client has stored: see core_place_of. */
OrtStatus* core_locate_weights(const OrtModel* model, const OrtcoreWriting* writing,
                               struct core_items* places);

/** Where the client has put a TensorProto; NULL for one that stays in the model. */
const OrtExternalInitializerInfo* core_place_of(const struct core_items* places,
                                                struct core_message tensor);

/** Frees a list. */
void core_end_places(struct core_items* places);

#endif /* ORTCFFI_LOCATE_WEIGHTS_H_ */
