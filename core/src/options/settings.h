/* SPDX-License-Identifier: MIT */
/**
 * @file settings.h
 * Slots that only store a setting in options, or read one: a row for each.
 */
#ifndef ORTCFFI_SETTINGS_H_
#define ORTCFFI_SETTINGS_H_

#include "core.h"

#define CORE_REQUIRE_HERE(argument)                                        \
  if (CORE_UNLIKELY((argument) == NULL)) {                                 \
    return core_fail(ORT_INVALID_ARGUMENT, #argument " must not be NULL"); \
  }

/** Stores an argument. */
#define CORE_STORES(slot, owner, options, type, argument, field) \
  CORE_SLOT(slot, owner* options, type argument) {               \
    CORE_REQUIRE_HERE(options)                                   \
    options->field = argument;                                   \
    return NULL;                                                 \
  }

/** Stores a constant. */
#define CORE_SETS(slot, owner, options, field, value) \
  CORE_SLOT(slot, owner* options) {                   \
    CORE_REQUIRE_HERE(options)                        \
    options->field = value;                           \
    return NULL;                                      \
  }

/** Reads a setting. */
#define CORE_READS(slot, owner, options, type, out, field) \
  CORE_SLOT(slot, const owner* options, type* out) {       \
    CORE_REQUIRE_HERE(options)                             \
    CORE_REQUIRE_HERE(out)                                 \
    *out = options->field;                                 \
    return NULL;                                           \
  }

#endif /* ORTCFFI_SETTINGS_H_ */
