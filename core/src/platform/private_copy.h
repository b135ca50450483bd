/* SPDX-License-Identifier: MIT */
/**
 * @file private_copy.h
 * Opens a library a second time, as another library with variables of its own.
 *
 * The loader knows a file that it has loaded, so the copy is another file: one without a name, gone
 * with the library. Two things keep an exact copy from being private. C++ marks some variables as
 * unique in the process (STB_GNU_UNIQUE); in the copy they are ordinary ones. And a library may
 * look for others beside itself ($ORIGIN); those are opened first, where the original finds them.
 */
#ifndef ORTCFFI_PRIVATE_COPY_H_
#define ORTCFFI_PRIVATE_COPY_H_

#include "platform/platform.h"

/** Whether the process has loaded a library. */
bool core_library_is_open(const char* path);

/** Opens a copy of a library; where the system has no such copies, the library itself. Otherwise as
 * core_library_open_utf8. */
void* core_library_open_copy(const char* path, char error[CORE_LIBRARY_ERROR], bool* is_copy);

/** Makes the unique symbols of a library in memory ordinary ones; how many there were. The bytes
 * may be anything. */
size_t core_elf_make_ordinary(unsigned char* bytes, size_t size);

/** Calls `found` with each dependency and each place that the library says to look in. */
void core_elf_dependencies(const unsigned char* bytes, size_t size,
                           void (*found)(void* argument, const char* name, const char* places),
                           void* argument);

#endif /* ORTCFFI_PRIVATE_COPY_H_ */
