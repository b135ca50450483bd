/* SPDX-License-Identifier: MIT */
/* Opens other libraries that export OrtGetApiBase, which are never closed, and reads memory. */
#ifndef ORTCFFI_BOUNDARY_LOAD_H_
#define ORTCFFI_BOUNDARY_LOAD_H_

#include <stddef.h>
#include <stdint.h>

/* Opens a library, whose path is UTF-8, with RTLD_NOW and RTLD_LOCAL. On failure answers NULL and
 * writes the loader's message to `reason`. The path NULL stands for the program and all libraries
 * whose symbols are global. */
void* ortcffi_library_open(const char* path, char* reason, size_t reason_size);

/* Makes the symbols of an open library global, so that libraries opened from now on find them. On
 * failure, and on Windows, which has no global symbols, answers NULL and writes the loader's
 * message to `reason`. */
void* ortcffi_library_expose(const char* path, char* reason, size_t reason_size);

/* The address of a symbol of an open library or of one that it depends on; NULL if none has it. */
void* ortcffi_library_symbol(void* library, const char* name);

void ortcffi_library_close(void* library);

/* The path of the file that an address was loaded from, as the loader names it: its length, with
 * the path in `path`, of at least 4096 bytes; 0 if there is none. */
int ortcffi_library_of(const void* address, char* path);

/* Copies up to 4096 bytes of memory that may not be readable, through the system, which checks it.
 * Whether all were copied; otherwise the content of `out` is undefined. */
int ortcffi_read_memory(uintptr_t address, void* out, size_t size);

#endif /* ORTCFFI_BOUNDARY_LOAD_H_ */
