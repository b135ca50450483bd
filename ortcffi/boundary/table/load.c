/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <stddef.h>
#include <stdio.h>
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include "boundary/table/load.h"
#include "platform/platform.h"
#include "platform/private_copy.h"

/* CFFI has released the GIL. The loader holds its own lock while it runs the constructors of a
 * library: a constructor that waits for the GIL, while a thread with the GIL waits for the loader,
 * would deadlock. */

#if defined(_WIN32)

void* ortcffi_library_open(const char* path, char* reason, size_t reason_size) {
  char error[CORE_LIBRARY_ERROR] = "Windows has no global symbols";
  void* library = path != NULL ? core_library_open_utf8(path, error) : NULL;
  (void)snprintf(reason, reason_size, "%s", library == NULL ? error : "");
  return library;
}

void* ortcffi_library_expose(const char* path, char* reason, size_t reason_size) {
  return ortcffi_library_open(NULL, reason, reason_size);
}

#else

static void* open_library(const char* path, int flags, char* reason, size_t reason_size) {
  const char* why = path != NULL ? core_refuse_library(path) : NULL;
  if (why != NULL) {
    (void)snprintf(reason, reason_size, "%s: %s", path, why);
    return NULL;
  }
  void* library = dlopen(path, RTLD_NOW | flags);
  if (library == NULL) {
    const char* text = dlerror();
    (void)snprintf(reason, reason_size, "%s", text == NULL ? "the loader gives no reason" : text);
  }
  return library;
}

void* ortcffi_library_open(const char* path, char* reason, size_t reason_size) {
  /* RTLD_LOCAL: other libraries do not find its symbols, so two copies of a library never mix. */
  return open_library(path, RTLD_LOCAL, reason, reason_size);
}

void* ortcffi_library_expose(const char* path, char* reason, size_t reason_size) {
  return open_library(path, RTLD_GLOBAL | RTLD_NOLOAD, reason, reason_size);
}

#endif

void* ortcffi_library_symbol(void* library, const char* name) {
  return core_library_symbol(library, name);
}

void ortcffi_library_close(void* library) { core_library_close(library); }

int ortcffi_library_of(const void* address, char* path) {
  return core_library_path(address, path) ? (int)strlen(path) : 0;
}

int ortcffi_read_memory(uintptr_t address, void* out, size_t size) {
  return size <= 4096 && core_read_memory((const void*)address, out, size) == CORE_READ;
}
