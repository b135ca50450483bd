/* SPDX-License-Identifier: MIT */
/**
 * @file option_slots.h
 * What the rows of options become in the file with the slots. The includer defines before: OWNER,
 * the struct; SELF, the slots' name for it; FIELD(name), where an option is in it.
 */
#pragma once

#include "options/session_options.h"
#include "platform/platform.h"

#define OPTION(name, kind, initial, entry)
#define OWN_SETTER(slot)
#define OWN_GETTER(slot)

#define SETTER(slot, name, type, argument)      \
  CORE_SLOT(slot, OWNER* SELF, type argument) { \
    SELF->FIELD(name) = argument;               \
    return NULL;                                \
  }
#define SWITCH(slot, name, value)                                  \
  CORE_SLOT(slot, OWNER* SELF) {                                   \
    __atomic_store_n(&SELF->FIELD(name), value, __ATOMIC_RELEASE); \
    return NULL;                                                   \
  }
#define ON(slot, name) SWITCH(slot, name, true)
#define OFF(slot, name) SWITCH(slot, name, false)
#define COPIER(slot, name, type, argument, size)              \
  CORE_SLOT(slot, OWNER* SELF, const type* argument) {        \
    return core_set_text(&SELF->FIELD(name), argument, size); \
  }
#define TEXT_SETTER(slot, name, argument) COPIER(slot, name, char, argument, strlen(argument) + 1)
#define PATH_SETTER(slot, name, argument) \
  COPIER(slot, name, ORTCHAR_T, argument, core_path_size(argument))
#define CLEARER(slot, name) \
  CORE_SLOT(slot, OWNER* SELF) { return core_set_text(&SELF->FIELD(name), NULL, 0); }
#define GETTER(slot, name, type, out)             \
  CORE_SLOT(slot, const OWNER* SELF, type* out) { \
    *out = SELF->FIELD(name);                     \
    return NULL;                                  \
  }
