/* SPDX-License-Identifier: MIT */
#include "platform/platform.h"

bool core_path_is_inside(const char* path) {
  if (path[0] == 0 || CORE_IS_SEPARATOR(path[0])) {
    return false;
  }
  for (const char* part = path; *part != 0;) {
    if (part[0] == '.' && part[1] == '.' && (part[2] == 0 || CORE_IS_SEPARATOR(part[2]))) {
      return false;
    }
    for (; *part != 0 && !CORE_IS_SEPARATOR(*part); part++) {
#if defined(_WIN32)
      if (*part == ':') { /* a drive, or a stream of a file */
        return false;
      }
#endif
    }
    part += *part != 0;
  }
  return true;
}

size_t core_path_folder_length(const char* path) {
  size_t length = strlen(path);
  while (length > 0 && !CORE_IS_SEPARATOR(path[length - 1])) {
    length--;
  }
  return length;
}

bool core_path_is_below(const char* folder, const char* path) {
  size_t length = strlen(folder);
  bool ends = length > 0 && CORE_IS_SEPARATOR(folder[length - 1]);
  return strncmp(path, folder, length) == 0 &&
         (ends || path[length] == 0 || CORE_IS_SEPARATOR(path[length]));
}

bool core_whole_path_utf8(const ORTCHAR_T* path, char text[CORE_PATH_ROOM]) {
  if (core_path_utf8_room(path) > CORE_PATH_ROOM) {
    return false;
  }
  core_path_utf8(path, text, CORE_PATH_ROOM);
  return true;
}

bool core_path_is_folder(const ORTCHAR_T* path) {
  bool is_folder = false;
  for (; *path != 0; path++) {
    is_folder = CORE_IS_SEPARATOR(*path);
  }
  return is_folder;
}
