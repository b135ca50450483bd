/* SPDX-License-Identifier: MIT */
/* Linux, Apple's systems and other kinds of Unix. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "platform/private_copy.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#if defined(__linux__)
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#endif
#include <unistd.h>

int core_thread_key_create(core_thread_key* key, void (*thread_end)(void* value)) {
  return pthread_key_create(key, thread_end) == 0;
}

void core_thread_key_set(core_thread_key key, void* value) { pthread_setspecific(key, value); }

static void* run_thread(void* thread) {
  const struct core_thread* own = thread;
  own->function(own->argument);
  return NULL;
}

_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a handle holds a pthread_t");

int core_thread_start(struct core_thread* thread) {
  pthread_t handle;
  if (pthread_create(&handle, NULL, run_thread, thread) != 0) {
    return 0;
  }
  memcpy(&thread->handle, &handle, sizeof handle);
  return 1;
}

int core_thread_start_alone(struct core_thread* thread) {
  pthread_t handle;
  return pthread_create(&handle, NULL, run_thread, thread) == 0 && pthread_detach(handle) == 0;
}

void core_thread_join(struct core_thread* thread) {
  pthread_t handle;
  memcpy(&handle, &thread->handle, sizeof handle);
  pthread_join(handle, NULL);
}

void core_yield(void) { sched_yield(); }

size_t core_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (size_t)count : 1;
}

void core_condition_wait(core_condition* condition, core_mutex* mutex) {
  pthread_cond_wait(condition, mutex);
}

#define BRIEFLY 10000000 /* nanoseconds */

/* A wait must not last longer when somebody sets the wall clock back. */
#if defined(__APPLE__)
void core_condition_begin(core_condition* condition) {
  *condition = (core_condition)PTHREAD_COND_INITIALIZER;
}

void core_condition_wait_briefly(core_condition* condition, core_mutex* mutex) {
  const struct timespec time = {0, BRIEFLY};
  pthread_cond_timedwait_relative_np(condition, mutex, &time);
}
#else
void core_condition_begin(core_condition* condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes); /* neither fails where locks take no other memory */
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

void core_condition_wait_briefly(core_condition* condition, core_mutex* mutex) {
  uint64_t end = core_clock() + BRIEFLY;
  const struct timespec time = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
  pthread_cond_timedwait(condition, mutex, &time);
}
#endif

int32_t core_process_id(void) { return (int32_t)getpid(); }

int32_t core_thread_id(void) {
#if defined(__linux__)
  return (int32_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
  uint64_t number = 0;
  pthread_threadid_np(NULL, &number);
  return (int32_t)number;
#else
  return (int32_t)(uintptr_t)pthread_self();
#endif
}

#if !defined(__GLIBC__)
void core_run_once_slow(core_once* once, void (*function)(void)) {
  int64_t own = getpid();
  int64_t runner = 0;
  while (
      !__atomic_compare_exchange_n(once, &runner, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    if (runner == CORE_ONCE_DONE) {
      return;
    }
    /* A runner of this process will be done soon; one that a fork has left behind is replaced. */
    if (runner == own) {
      core_yield();
      runner = 0;
    }
  }
  function();
  __atomic_store_n(once, CORE_ONCE_DONE, __ATOMIC_RELEASE);
}
#endif

static void* map(size_t size, int protection, int flags) {
  void* range = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return range == MAP_FAILED ? NULL : range;
}

size_t core_address_room(void) { return (size_t)1 << 40; }

void* core_address_reserve(size_t size) { return map(size, PROT_NONE, 0); }

void core_address_release(void* start, size_t size) { munmap(start, size); }

int core_address_commit(void* start, size_t size) {
  return mprotect(start, size, PROT_READ | PROT_WRITE) == 0;
}

int core_address_close(void* start, size_t size) { return mprotect(start, size, PROT_NONE) == 0; }

int core_address_open(void* start, size_t size) { return core_address_commit(start, size); }

void core_address_purge(void* start, size_t size) { madvise(start, size, MADV_DONTNEED); }

size_t core_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

int core_address_zero(void* start, size_t size) {
#if defined(__linux__)
  return madvise(start, size, MADV_DONTNEED) == 0;
#else
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  return mmap(start, size, PROT_READ | PROT_WRITE, flags, -1, 0) == start;
#endif
}

void core_address_huge_pages(void* start, size_t size, int wanted) {
#if defined(MADV_HUGEPAGE)
  madvise(start, size, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
#endif
}

/* A pipe takes a page without a reader, and the kernel refuses to write out what cannot be read. */
static enum core_read read_through_a_pipe(const void* address, void* out, size_t size) {
  int ends[2];
  if (pipe(ends) != 0) {
    return CORE_READ_UNKNOWN;
  }
  enum core_read result = CORE_READ_UNKNOWN;
  ssize_t written = write(ends[1], address, size);
  if (written == (ssize_t)size && read(ends[0], out, size) == written) {
    result = CORE_READ;
  } else if (written >= 0 || errno == EFAULT) {
    result = CORE_READ_FAULT;
  }
  close(ends[0]);
  close(ends[1]);
  return result;
}

enum core_read core_read_memory(const void* address, void* out, size_t size) {
#if defined(__linux__)
  struct iovec to = {out, size};
  struct iovec from = {(void*)(uintptr_t)address, size};
  ssize_t copied = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  if (copied == (ssize_t)size) {
    return CORE_READ;
  }
  if (copied >= 0 || errno == EFAULT) {
    return CORE_READ_FAULT;
  }
#endif
  return read_through_a_pipe(address, out, size);
}

void* core_map(size_t size) { return map(size, PROT_READ | PROT_WRITE, MAP_NORESERVE); }

int core_system_has(size_t size) {
  void* range = map(size, PROT_READ | PROT_WRITE, 0);
  return range != NULL && munmap(range, size) == 0;
}

uint64_t core_entropy(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 32) ^ (uintptr_t)&now;
}

static uint64_t nanoseconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t core_clock(void) { return nanoseconds_of(CLOCK_MONOTONIC); }
uint64_t core_wall_clock(void) { return nanoseconds_of(CLOCK_REALTIME); }

void core_local_time(char text[CORE_LOCAL_TIME]) {
  struct timespec now;
  struct tm local = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  localtime_r(&now.tv_sec, &local);
  size_t length = strftime(text, CORE_LOCAL_TIME, "%Y-%m-%d %H:%M:%S", &local);
  snprintf(text + length, CORE_LOCAL_TIME - length, ".%09ld", now.tv_nsec);
}

const char* core_variable(const char* name, bool* is_refused) {
  const char* value = getenv(name);
#if defined(__linux__)
  *is_refused = value != NULL && secure_getenv(name) == NULL;
#else
  *is_refused = value != NULL && (getuid() != geteuid() || getgid() != getegid());
#endif
  return *is_refused ? NULL : value;
}

#if defined(__linux__)
/* Whether a file is an ELF library that lacks bytes of its segments. The loader would map it, and
 * end the process (SIGBUS) at the first access to what is missing. */
static bool is_cut_off(int file, uint64_t size) {
  ElfW(Ehdr) header;
  ElfW(Phdr) segment;
  if (pread(file, &header, sizeof header, 0) != sizeof header ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof segment) {
    return false; /* the loader says what is wrong */
  }
  for (size_t i = 0; i < header.e_phnum; i++) {
    off_t at = (off_t)(header.e_phoff + i * sizeof segment);
    if (pread(file, &segment, sizeof segment, at) != sizeof segment ||
        (segment.p_type == PT_LOAD &&
         (segment.p_offset > size || segment.p_filesz > size - segment.p_offset))) {
      return true;
    }
  }
  return false;
}
#else
static bool is_cut_off(int file, uint64_t size) { return false; }
#endif

const char* core_refuse_library(const char* path) {
  struct stat found;
  if (strchr(path, '/') == NULL || stat(path, &found) != 0 || S_ISDIR(found.st_mode)) {
    return NULL;
  }
  if (!S_ISREG(found.st_mode)) {
    return "is not a regular file";
  }
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool is_wrong = file >= 0 && is_cut_off(file, (uint64_t)found.st_size);
  if (file >= 0) {
    close(file);
  }
  return is_wrong ? "is cut off" : NULL;
}

enum core_file core_find_file(const char* path, char real[CORE_PATH_ROOM]) {
  struct stat found;
  char* resolved = realpath(path, NULL);
  if (resolved == NULL) {
    return lstat(path, &found) == 0 ? CORE_BROKEN_LINK : CORE_NO_FILE;
  }
  size_t size = strlen(resolved) + 1;
  bool is_found = size <= CORE_PATH_ROOM && stat(resolved, &found) == 0;
  if (is_found) {
    memcpy(real, resolved, size);
  }
  free(resolved);
  return !is_found                ? CORE_NO_FILE
         : S_ISDIR(found.st_mode) ? CORE_FOLDER
         : S_ISREG(found.st_mode) ? CORE_REGULAR_FILE
                                  : CORE_SPECIAL_FILE;
}

FILE* core_open_file(const char* path) { return fopen(path, "rbe"); }

/* Without a buffer of the C library, which a child of fork would write a second time. */
FILE* core_create_file(const char* path, bool is_new) {
  FILE* file = fopen(path, is_new ? "wbxe" : "wbe");
  if (file != NULL) {
    setvbuf(file, NULL, _IONBF, 0);
  }
  return file;
}

void core_remove_file(const char* path) { unlink(path); }

bool core_replace_file(const char* from, const char* to) {
  struct stat old, new;
  /* Some file systems have one mode for all files, and refuse to set any. */
  bool is_alike = stat(to, &old) != 0 || (stat(from, &new) == 0 && new.st_mode == old.st_mode) ||
                  chmod(from, old.st_mode & 07777) == 0;
  return is_alike && rename(from, to) == 0;
}

bool core_map_file(const char* path, struct core_mapping* out) {
  struct stat found;
  /* Not blocking: a pipe has no writer perhaps. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool is_known = file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode);
  void* bytes = (void*)"";
  if (is_known && found.st_size > 0) {
    bytes = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    is_known = bytes != MAP_FAILED;
  }
  if (file >= 0) {
    close(file);
  }
  if (is_known) {
    *out = (struct core_mapping){bytes, (size_t)found.st_size};
  }
  return is_known;
}

void core_unmap_file(struct core_mapping* mapping) {
  if (mapping->size > 0) {
    munmap((void*)mapping->bytes, mapping->size);
  }
  *mapping = (struct core_mapping){NULL, 0};
}

size_t core_native_path(const char* path, ORTCHAR_T* native, size_t room) {
  size_t size = strlen(path) + 1;
  if (size <= room) {
    memcpy(native, path, size);
  }
  return size;
}

#if defined(__linux__)
/* Opened once more, a runtime gets these flags. The threads of OpenMP run on after the library that
 * brought it. The runtime of C++ is the first that later libraries find: QNN's provider makes all
 * symbols of its own one global, and libraries that were built for the other would crash. */
static const struct {
  const char* name;
  int flags;
} runtimes[] = {{"libgomp", RTLD_NODELETE},
                {"libomp", RTLD_NODELETE},
                {"libiomp", RTLD_NODELETE},
                {"libstdc++", RTLD_GLOBAL}};

struct found_runtimes {
  size_t count;
  struct {
    char path[1024];
    int flags;
  } list[4];
};

static int find_runtime(struct dl_phdr_info* library, size_t info_size, void* argument) {
  struct found_runtimes* found = argument;
  const char* path = library->dlpi_name != NULL ? library->dlpi_name : "";
  const char* name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
  for (size_t i = 0; i < CORE_COUNT_OF(runtimes); i++) {
    bool is_one = strncmp(name, runtimes[i].name, strlen(runtimes[i].name)) == 0;
    if (is_one && found->count < CORE_COUNT_OF(found->list)) {
      found->list[found->count].flags = runtimes[i].flags;
      snprintf(found->list[found->count++].path, sizeof found->list[0].path, "%s", path);
    }
  }
  return 0;
}

static void settle_runtimes(void) {
  struct found_runtimes found = {0};
  dl_iterate_phdr(find_runtime, &found);
  for (size_t i = 0; i < found.count; i++) {
    void* library = dlopen(found.list[i].path, RTLD_LAZY | RTLD_NOLOAD | found.list[i].flags);
    if (library != NULL) {
      dlclose(library);
    }
  }
}
#else
static void settle_runtimes(void) {}
#endif

void* core_library_open(const ORTCHAR_T* path, char error[CORE_LIBRARY_ERROR]) {
  const char* why = core_refuse_library(path);
  if (why != NULL) {
    snprintf(error, CORE_LIBRARY_ERROR, "%s: %s", path, why);
    return NULL;
  }
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char* reason = dlerror();
    snprintf(error, CORE_LIBRARY_ERROR, "%s", reason != NULL ? reason : "no reason is known");
    return NULL;
  }
  settle_runtimes();
  return library;
}

void* core_library_open_utf8(const char* path, char error[CORE_LIBRARY_ERROR]) {
  return core_library_open(path, error);
}

void* core_library_symbol(void* library, const char* name) { return dlsym(library, name); }

bool core_library_path(const void* address, char path[CORE_PATH_ROOM]) {
  Dl_info found;
  int length = dladdr(address, &found) != 0 && found.dli_fname != NULL
                   ? snprintf(path, CORE_PATH_ROOM, "%s", found.dli_fname)
                   : 0;
  return length > 0 && length < CORE_PATH_ROOM;
}

void core_library_close(void* library) { dlclose(library); }

void* core_process_symbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

void core_path_utf8(const ORTCHAR_T* path, char* text, size_t room) {
  snprintf(text, room, "%s", path);
}
