/* SPDX-License-Identifier: MIT */
/**
 * @file private_copy.h
 * Loads a second copy of a library, with variables of its own.
 *
 * The loader does not load the same file twice, so the copy is another file, without a name, that
 * is removed with the library. An exact copy would not be private: C++ marks some variables as
 * unique in the process (STB_GNU_UNIQUE), so the copy makes them ordinary. And a library may look
 * for its dependencies in its own folder ($ORIGIN), so those are opened first, from the original's
 * folder.
 *
 * What is promised, and by whom: the ELF gABI says how a file is laid out, and that a loader reads
 * the dynamic section; the GNU extension of it what STB_GNU_UNIQUE means; glibc and musl that files
 * of another inode are other libraries. `dlmopen` would load a copy without all this, but with a C
 * library of its own, whose memory, threads and stdout are not the process's, in one of 16
 * namespaces, and with glibc alone.
 */
#pragma once

#include "platform/platform.h"

/** Says why a file must not be given to the loader: it is a FIFO, for example, on which the loader
 * would wait, or a library that is cut off, at which the process would end. NULL for all others. */
CORE_FOR_EXTENSION const char* core_refuse_library(const char* path);

/** Whether the process has loaded a library. */
bool core_library_is_open(const char* path);

/** A copy of a library as a file, which can be opened from begin to end. */
struct core_library_copy {
  char path[CORE_PATH_ROOM];
  int file;
  bool is_named;
  /** Dependencies that stay open until the copy is loaded, which then holds them itself. */
  size_t dependency_count;
  void* dependencies[64];
};

/** Makes the copy. If the system cannot do that, `path` is that of the library itself and `file` is
 * -1. On failure there is nothing to end. */
CORE_FOR_EXTENSION bool core_library_begin_copy(const char* path, struct core_library_copy* copy,
                                                char error[CORE_LIBRARY_ERROR]);
CORE_FOR_EXTENSION void core_library_end_copy(struct core_library_copy* copy);

/** Opens a copy of a library or, if the system cannot do that, the library itself. Otherwise like
 * core_library_open_utf8. */
void* core_library_open_copy(const char* path, char error[CORE_LIBRARY_ERROR], bool* is_copy);

/** Makes the unique symbols of a library in memory ordinary; returns how many there were. The bytes
 * are untrusted. */
size_t core_elf_make_ordinary(unsigned char* bytes, size_t size);

/** Calls `found` with each dependency and the library's search path. */
void core_elf_dependencies(const unsigned char* bytes, size_t size,
                           void (*found)(void* argument, const char* name, const char* places),
                           void* argument);
