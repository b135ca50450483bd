/* SPDX-License-Identifier: MIT */
/*
 * The C side of the boundary: one named function per slot of every table.
 *
 * A pointer read from a struct is called through libffi; a named function is compiled, at a third
 * of the cost.
 *
 * The GIL. CFFI releases it around every call, which costs more than most slots take. Here the row
 * decides (column `gil` of the slot lists): FREE rows may block or call back, so the lock is
 * released inside the named function; HOLD rows return at once and keep it. CFFI's own release is
 * therefore switched off below, and so is its saving of errno, which is not read here.
 */
#ifndef ORTCFFI_BOUNDARY_H_
#define ORTCFFI_BOUNDARY_H_

#include <string.h>

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

#define TEXT_OF(function) #function
#define NAMED(function) {TEXT_OF(function), (void*)(function)},

/* The functions that release objects: those of tables, then the boundary's own. */
static const struct {
  const char* name;
  void* function;
} releasing[] = {
#undef ROWS
#define ROWS "boundary/release_rows.def"
#include "ort_tables.def"
    NAMED(ortcffi_end_ops) NAMED(ortcffi_release_adaptor) NAMED(ortcffi_release_list)
        NAMED(ortcffi_release_scope) NAMED(ortcffi_release_scratch) NAMED(ortcffi_release_work)
            NAMED(ortcffi_unregister_ep) NAMED(ortcffi_unwatch_ep)};

void* ortcffi_releasing(const char* name) {
  for (size_t i = 0; i < sizeof releasing / sizeof *releasing; i++) {
    if (strcmp(releasing[i].name, name) == 0) {
      return releasing[i].function;
    }
  }
  return NULL;
}

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
