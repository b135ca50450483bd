/* SPDX-License-Identifier: MIT */
/** @file map_order.h The order of a map's keys. */
#ifndef ORTCFFI_MAP_ORDER_H_
#define ORTCFFI_MAP_ORDER_H_

#include "values/value.h"

/**
 * Sorts keys of type INT64 or STRING: numbers by value, strings by their bytes.
 * @param[in] keys The keys, in any order.
 * @param[out] order The position of each distinct key, in ascending order of keys; of equal keys
 * the first. A block of the heap, or NULL if there are no keys.
 * @param[out] count How many distinct keys there are.
 */
OrtStatus* core_map_order(const struct core_tensor* keys, size_t** order, size_t* count);

#endif /* ORTCFFI_MAP_ORDER_H_ */
