/* SPDX-License-Identifier: MIT */
/*
 * The C side of the boundary: one named function per slot of every table.
 *
 * A pointer read from a struct is called through libffi; a named function is compiled, at a third
 * of the cost.
 *
 * The GIL. CFFI releases it around every call, which costs more than most slots take.
 * Here the row decides (column `gil` of the slot lists): FREE rows may block or call back, so the
 * lock is released inside the named function; HOLD rows return at once and keep it. CFFI's own
 * release, and its saving of errno, which nobody here reads, are therefore switched off below.
 */
#ifndef ORTCFFI_BOUNDARY_H_
#define ORTCFFI_BOUNDARY_H_

#include "boundary/cffi.h"

#include "boundary/headers.h"

#define PARAMETERS(...) __VA_ARGS__
#define HOLD(statement) statement
#define FREE(statement)             \
  Py_BEGIN_ALLOW_THREADS statement; \
  Py_END_ALLOW_THREADS
#define DEFINE(table, returns, gil, name, parameters, arguments)             \
  static returns ORT_CALLER(name)(const table* api, PARAMETERS parameters) { \
    returns answer;                                                          \
    gil(answer = api->name arguments);                                       \
    return answer;                                                           \
  }

#define ROWS "boundary/define_rows.def"
#include "ort_tables.def"

#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#undef _cffi_restore_errno
#undef _cffi_save_errno
#define Py_BEGIN_ALLOW_THREADS
#define Py_END_ALLOW_THREADS
#define _cffi_restore_errno() ((void)0)
#define _cffi_save_errno() ((void)0)
#include "boundary/conversions.h"

#endif /* ORTCFFI_BOUNDARY_H_ */
