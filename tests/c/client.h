/* SPDX-License-Identifier: MIT */
/* What the clients share: how they find a library, and how they say what went wrong. */
#ifndef ORTCFFI_TESTS_CLIENT_H_
#define ORTCFFI_TESTS_CLIENT_H_

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* The address of OrtGetApiBase in the library of that path. */
static inline void* entry_of(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  void* entry = dlsym(library, "OrtGetApiBase");
  CHECK(entry != NULL);
  return entry;
}

/* Bytes of the process that are in memory. */
static inline size_t resident(void) {
  size_t pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%*s %zu", &pages) == 1);
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#endif /* ORTCFFI_TESTS_CLIENT_H_ */
