/* SPDX-License-Identifier: MIT */
/*
 * The C side of the boundary: one named function per slot of every table.
 *
 * A pointer read from a struct is called through libffi; a named function is compiled, at a third
 * of the cost. CFFI releases the GIL around every call.
 */
#ifndef ORTCFFI_BOUNDARY_H_
#define ORTCFFI_BOUNDARY_H_

#include <string.h>

#include "boundary/headers.h"
#include "boundary/status/calls.h"
#include "table/arguments.inc"

#define PARAMETERS(...) __VA_ARGS__
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
    NAMED(ortcffi_end_legacy) NAMED(ortcffi_end_ops) NAMED(ortcffi_end_versioned)
        NAMED(ortcffi_release_adaptor) NAMED(ortcffi_release_list) NAMED(ortcffi_release_scope)
            NAMED(ortcffi_release_scratch) NAMED(ortcffi_unregister_ep)
                NAMED(ortcffi_free_figures)};

void* ortcffi_releasing(const char* name) {
  for (size_t i = 0; i < sizeof releasing / sizeof *releasing; i++) {
    if (strcmp(releasing[i].name, name) == 0) {
      return releasing[i].function;
    }
  }
  return NULL;
}

#endif /* ORTCFFI_BOUNDARY_H_ */
