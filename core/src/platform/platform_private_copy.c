/* SPDX-License-Identifier: MIT */
/* For mkostemp. */
#define _GNU_SOURCE
#include "platform/private_copy.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGEST_LIBRARY ((off_t)1 << 32)

bool core_library_is_open(const char* path) {
  void* library = core_refuse_library(path) != NULL ? NULL : dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library != NULL) {
    dlclose(library);
  }
  return library != NULL;
}

static void set_error(char error[CORE_LIBRARY_ERROR], const char* path, const char* reason) {
  reason += strspn(reason, ": ");
  snprintf(error, CORE_LIBRARY_ERROR, "%.256s: %.200s", path, reason);
}

static bool read_all(int file, unsigned char* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(file, bytes + done, size - done);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return false;
    }
    done += count > 0 ? (size_t)count : 0;
  }
  return true;
}

static bool write_all(int file, const unsigned char* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = write(file, bytes + done, size - done);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    done += count > 0 ? (size_t)count : 0;
  }
  return true;
}

/* Maps a file; the caller unmaps it. NULL with errno set on failure. */
static unsigned char* load(const char* path, size_t* size) {
  struct stat about;
  unsigned char* bytes = MAP_FAILED;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return NULL;
  }
  if (fstat(file, &about) == 0) {
    errno = ENOEXEC;
    if (S_ISREG(about.st_mode) && about.st_size > 0 && about.st_size <= LARGEST_LIBRARY) {
      *size = (size_t)about.st_size;
      bytes = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
  }
  if (bytes != MAP_FAILED && !read_all(file, bytes, *size)) {
    munmap(bytes, *size);
    bytes = MAP_FAILED;
  }
  int reason = errno;
  close(file);
  errno = reason;
  return bytes != MAP_FAILED ? bytes : NULL;
}

/* The dependencies of a library, and the copy that holds them. */
struct dependencies {
  const char* path;
  struct core_library_copy* copy;
};

/* Writes a search path entry with $ORIGIN replaced by the library's folder; false if it has no
 * $ORIGIN or is too long. */
static bool expand(const char* place, size_t length, const char* path, char out[PATH_MAX]) {
  static const char* const names[] = {"$ORIGIN", "${ORIGIN}"};
  const char* slash = strrchr(path, '/');
  int folder = slash != NULL ? (int)(slash - path) : 1;
  for (size_t i = 0; i < CORE_COUNT_OF(names); i++) {
    size_t name = strlen(names[i]);
    if (length >= name && strncmp(place, names[i], name) == 0) {
      int size = snprintf(out, PATH_MAX, "%.*s%.*s", folder, slash != NULL ? path : ".",
                          (int)(length - name), place + name);
      return size > 0 && size < PATH_MAX;
    }
  }
  return false;
}

static void open_dependency(void* argument, const char* name, const char* places) {
  const struct dependencies* dependencies = argument;
  struct core_library_copy* copy = dependencies->copy;
  while (*places != '\0' && copy->dependency_count < CORE_COUNT_OF(copy->dependencies)) {
    char folder[PATH_MAX], path[PATH_MAX];
    size_t length = strcspn(places, ":");
    if (length < PATH_MAX && expand(places, length, dependencies->path, folder)) {
      int size = snprintf(path, sizeof path, "%s/%s", folder, name);
      bool is_there = size > 0 && (size_t)size < sizeof path && access(path, R_OK) == 0;
      void* library = is_there ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
      if (library != NULL) {
        copy->dependencies[copy->dependency_count++] = library;
        return;
      }
    }
    places += length + (places[length] != '\0');
  }
}

/* Writes a path of an open file that was not used before: the loader takes equal paths for the same
 * library, even if that file is closed by now. Redundant steps in the path encode a number. */
static void name_file(int file, char path[CORE_PATH_ROOM]) {
  static uint64_t last;
  uint64_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  int length = snprintf(path, CORE_PATH_ROOM, "/proc/self/fd");
  for (; number > 0; number >>= 1) {
    length +=
        snprintf(path + length, CORE_PATH_ROOM - (size_t)length, (number & 1) != 0 ? "/." : "//");
  }
  snprintf(path + length, CORE_PATH_ROOM - (size_t)length, "/%d", file);
}

/* Makes a file that is in no folder, and a path to it. If the system has no such files, makes one
 * in the folder for temporary files and sets `is_named`. */
static int new_file(const char* original, char path[CORE_PATH_ROOM], bool* is_named) {
#if defined(SYS_memfd_create)
  char name[200]; /* for who reads a backtrace or /proc/self/maps */
  const char* slash = strrchr(original, '/');
  snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : original);
  int file = (int)syscall(SYS_memfd_create, name, 1 /* close on exec */);
  *is_named = file < 0;
  if (file >= 0) {
    name_file(file, path);
    return file;
  }
#endif
  const char* folder = getenv("TMPDIR");
  *is_named = true;
  snprintf(path, CORE_PATH_ROOM, "%s/ortcffi-XXXXXX", folder != NULL ? folder : P_tmpdir);
  return mkostemp(path, O_CLOEXEC);
}

bool core_library_begin_copy(const char* path, struct core_library_copy* copy,
                             char error[CORE_LIBRARY_ERROR]) {
  size_t size = 0;
  if (strchr(path, '/') == NULL) {
    set_error(error, path, "give a path, not a name that the loader searches for");
    return false;
  }
  const char* why = core_refuse_library(path);
  if (why != NULL) {
    set_error(error, path, why);
    return false;
  }
  unsigned char* bytes = load(path, &size);
  if (bytes == NULL) {
    set_error(error, path, strerror(errno));
    return false;
  }
  *copy = (struct core_library_copy){.file = -1};
  core_elf_make_ordinary(bytes, size);
  copy->file = new_file(path, copy->path, &copy->is_named);
  bool is_written = copy->file >= 0 && write_all(copy->file, bytes, size);
  if (is_written) {
    struct dependencies dependencies = {path, copy};
    core_elf_dependencies(bytes, size, open_dependency, &dependencies);
  } else {
    set_error(error, path, strerror(errno));
    core_library_end_copy(copy);
  }
  munmap(bytes, size);
  return is_written;
}

void core_library_end_copy(struct core_library_copy* copy) {
  if (copy->file >= 0) {
    if (copy->is_named) {
      unlink(copy->path);
    }
    close(copy->file);
  }
  while (copy->dependency_count > 0) {
    dlclose(copy->dependencies[--copy->dependency_count]);
  }
}

void* core_library_open_copy(const char* path, char error[CORE_LIBRARY_ERROR], bool* is_copy) {
  struct core_library_copy copy;
  char reason[CORE_LIBRARY_ERROR];
  *is_copy = false;
  if (!core_library_begin_copy(path, &copy, error)) {
    return NULL;
  }
  void* library = core_library_open(copy.path, reason);
  if (library == NULL) {
    /* The loader's message names the copy, so put the original's path in. */
    size_t length = strlen(copy.path);
    set_error(error, path, strncmp(reason, copy.path, length) == 0 ? reason + length : reason);
  }
  core_library_end_copy(&copy);
  *is_copy = library != NULL;
  return library;
}
#else
bool core_library_is_open(const char* path) { return false; }

bool core_library_begin_copy(const char* path, struct core_library_copy* copy,
                             char error[CORE_LIBRARY_ERROR]) {
  *copy = (struct core_library_copy){.file = -1};
  int size = snprintf(copy->path, sizeof copy->path, "%s", path);
  bool fits = size >= 0 && (size_t)size < sizeof copy->path;
  if (!fits) {
    snprintf(error, CORE_LIBRARY_ERROR, "the path of the library is too long");
  }
  return fits;
}

void core_library_end_copy(struct core_library_copy* copy) { (void)copy; }

void* core_library_open_copy(const char* path, char error[CORE_LIBRARY_ERROR], bool* is_copy) {
  *is_copy = false;
  return core_library_open_utf8(path, error);
}
#endif
