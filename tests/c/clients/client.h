/* SPDX-License-Identifier: MIT */
/* What the clients share: how they find a library on each system. */
#ifndef ORTCFFI_TESTS_CLIENT_H_
#define ORTCFFI_TESTS_CLIENT_H_

#include "check.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
/* Needs windows.h. */
#include <psapi.h>
/* Short words that it takes from everybody. */
#undef IN
#undef OUT
#else
#include <dlfcn.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <mach/mach.h>
#endif

/* Opens the library of that path, or ends the process. */
static inline void* open_library(const char* path) {
#if defined(_WIN32)
  void* library = (void*)LoadLibraryA(path);
  if (library == NULL) {
    fprintf(stderr, "%s: error %lu\n", path, GetLastError());
    exit(2);
  }
#else
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
#endif
  return library;
}

static inline void close_library(void* library) {
#if defined(_WIN32)
  CHECK(FreeLibrary((HMODULE)library));
#else
  CHECK(dlclose(library) == 0);
#endif
}

/* The address of OrtGetApiBase in an open library. */
static inline void* entry_in(void* library) {
#if defined(_WIN32)
  void* entry = (void*)GetProcAddress((HMODULE)library, "OrtGetApiBase");
#else
  void* entry = dlsym(library, "OrtGetApiBase");
#endif
  CHECK(entry != NULL);
  return entry;
}

/* The address of OrtGetApiBase in the library of that path. */
static inline void* entry_of(const char* path) { return entry_in(open_library(path)); }

/* Bytes of the process that are in memory. */
static inline size_t resident(void) {
#if defined(_WIN32)
  PROCESS_MEMORY_COUNTERS counters;
  CHECK(GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters));
  return counters.WorkingSetSize;
#elif defined(__APPLE__)
  mach_task_basic_info_data_t figures;
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  task_info_t out = (task_info_t)&figures;
  CHECK(task_info(mach_task_self(), MACH_TASK_BASIC_INFO, out, &count) == KERN_SUCCESS);
  return figures.resident_size;
#else
  size_t pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%*s %zu", &pages) == 1);
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
#endif
}

#endif /* ORTCFFI_TESTS_CLIENT_H_ */
