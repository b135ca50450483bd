/* SPDX-License-Identifier: MIT */
/**
 * @file notes.h
 * Notes of the objects that slots have made and clients have not released: of watched tables and
 * of traces. Each note counts in a number of the caller's.
 */
#pragma once

#include "core.h"

/** Notes a new object, and adds one to `alive`, from which it is taken when the object is
 * forgotten. Without memory, or for NULL, nothing is noted. */
void core_note(const void* object, uint64_t* alive);

/** The same for a status or another object. Whether there was memory to note it. */
bool core_note_as(const void* object, uint64_t* alive, bool is_status);

/** As core_note for a status of the core, which is forgotten when it is released, by whomever.
 * Returns the status to hand out instead: a copy, if it was a constant. */
OrtStatus* core_note_status(OrtStatus* status, uint64_t* alive);

/** The references of a noted status. */
#define CORE_NOTED_STATUS 2

/** The number that an object counts in; NULL if it is not noted. With `is_unread` the object is
 * read, and is a status that was not read before if that becomes true. */
uint64_t* core_noted_in(const void* object, bool* is_unread);

/** Tells that an object has been released. NULL does nothing. */
void core_forget(const void* object);

/** Forgets all objects that count in one of the `count` numbers, which stay as they are. */
void core_forget_counted(const uint64_t* numbers, size_t count);

/** Receives the index of the number that a noted object counts in, and the object if it is a
 * status, else NULL. It holds the lock of the notes: it must not call back. */
typedef void (*core_noted_fn)(void* argument, size_t place, const OrtStatus* status);

/** Calls a function with each noted object that counts in one of the `count` numbers, in no order.
 */
CORE_FOR_EXTENSION void core_each_noted(const uint64_t* numbers, size_t count, core_noted_fn each,
                                        void* argument);
