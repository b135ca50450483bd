/* SPDX-License-Identifier: MIT */
/** @file key_values.h Key-value pairs made of a list that the core has. */
#pragma once

#include "object/keyed_list.h"

/** Copies a list with texts, as the caller's pairs. */
OrtStatus* core_pairs_of(const struct core_items* items, OrtKeyValuePairs** out);
