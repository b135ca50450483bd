/* SPDX-License-Identifier: MIT */
/** @file key_values.h Key-value pairs made of a list that the core has. */
#ifndef ORTCFFI_KEY_VALUES_H_
#define ORTCFFI_KEY_VALUES_H_

#include "object/keyed_list.h"

/** Copies a list with texts, as the caller's pairs. */
OrtStatus* core_pairs_of(const struct core_items* items, OrtKeyValuePairs** out);

#endif /* ORTCFFI_KEY_VALUES_H_ */
