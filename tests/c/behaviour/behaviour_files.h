/* SPDX-License-Identifier: MIT */
/* Files that calls read. Their folder is temporary, because several libraries may be asked at once.
 */
#ifndef ORTCFFI_TESTS_BEHAVIOUR_FILES_H_
#define ORTCFFI_TESTS_BEHAVIOUR_FILES_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "behaviour.h"

#if defined(_WIN32)
#include <direct.h>
#else
#include <unistd.h>
#endif

/** Room for the path of a temporary folder, and for that of a file in it. */
#define FOLDER_ROOM 260
#define FILE_ROOM (FOLDER_ROOM + 32)

static inline void make_folder(const char* path) {
#if defined(_WIN32)
  CHECK(_mkdir(path) == 0);
#else
  CHECK(mkdir(path, 0700) == 0);
#endif
}

static inline void make_temporary_folder(char root[FOLDER_ROOM]) {
#if defined(_WIN32)
  char name[L_tmpnam];
  CHECK(getenv("TEMP") != NULL && tmpnam(name) != NULL);
  snprintf(root, FOLDER_ROOM, "%s%s", getenv("TEMP"), name);
  make_folder(root);
#else
  strcpy(root, "/tmp/ortcffi-behaviour-XXXXXX");
  CHECK(mkdtemp(root) != NULL);
#endif
}

static inline void write_bytes(const char* root, const char* name, const void* bytes, size_t size) {
  char path[FILE_ROOM];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static inline void remove_from(const char* root, const char* name) {
  char path[FILE_ROOM];
  snprintf(path, sizeof path, "%s/%s", root, name);
  remove(path);
}

/** A path of ASCII in the system's characters. */
static inline void to_native(const char* path, ORTCHAR_T native[FILE_ROOM]) {
  size_t i = 0;
  do {
    native[i] = (ORTCHAR_T)path[i];
  } while (path[i++] != 0);
}

#endif /* ORTCFFI_TESTS_BEHAVIOUR_FILES_H_ */
