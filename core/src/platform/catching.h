/* SPDX-License-Identifier: MIT */
/**
 * @file catching.h
 * Calls of functions that may throw, from a library that is not linked with C++.
 *
 * With DWARF unwinding (platform_catching_dwarf.c), a frame's personality decides what happens to
 * an exception that reaches it, whatever the language. The frame of core_call_catching has one that
 * stops every exception, after the frames below were cleaned up. Windows unwinds in another way:
 * there an exception passes through (platform_catching_none.c).
 */
#pragma once

#include "core.h"

/** Called with the text of a caught exception before that is destroyed: the what() of a
 * std::exception, otherwise a text with the name of its type. */
typedef void (*core_exception_report)(void* argument, const char* text);

/** Calls `function`; false if an exception ended it, after `report` was called. Both get
 * `argument`. */
bool core_call_catching(void (*function)(void* argument), void* argument,
                        core_exception_report report);
