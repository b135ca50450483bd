/* SPDX-License-Identifier: MIT */
#include "boundary/limited_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "boundary/table/load.h"
#include "platform/private_copy.h"

/* The loader holds its own lock while it runs the constructors of a library. A constructor that
 * waits for the GIL, while a thread with the GIL waits for the loader, would deadlock. So each
 * function here releases the GIL before it calls the loader. */

static void* open_library(const char* path, int flags, char* reason, size_t reason_size) {
  const char* why = path != NULL ? core_refuse_library(path) : NULL;
  if (why != NULL) {
    PyOS_snprintf(reason, reason_size, "%s: %s", path, why);
    return NULL;
  }
  void* library;
  Py_BEGIN_ALLOW_THREADS;
  library = dlopen(path, RTLD_NOW | flags);
  if (library == NULL) {
    const char* text = dlerror();
    PyOS_snprintf(reason, reason_size, "%s", text == NULL ? "the loader gives no reason" : text);
  }
  Py_END_ALLOW_THREADS;
  return library;
}

void* ortcffi_library_open(const char* path, char* reason, size_t reason_size) {
  /* RTLD_LOCAL: other libraries do not find its symbols, so two copies of a library never mix. */
  return open_library(path, RTLD_LOCAL, reason, reason_size);
}

void* ortcffi_library_expose(const char* path, char* reason, size_t reason_size) {
  return open_library(path, RTLD_GLOBAL | RTLD_NOLOAD, reason, reason_size);
}

void* ortcffi_library_symbol(void* library, const char* name) {
  void* address;
  Py_BEGIN_ALLOW_THREADS;
  address = dlsym(library, name);
  Py_END_ALLOW_THREADS;
  return address;
}

const char* ortcffi_library_of(const void* address) {
  Dl_info info;
  int found;
  Py_BEGIN_ALLOW_THREADS;
  found = dladdr(address, &info);
  Py_END_ALLOW_THREADS;
  return found ? info.dli_fname : NULL;
}
