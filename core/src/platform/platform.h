/* SPDX-License-Identifier: MIT */
/**
 * @file platform.h
 * The operating system's functions for the core: locks, threads, forks, address space, libraries.
 * platform_posix.c and platform_windows.c implement them; no other file of the core includes a
 * system's header.
 *
 * On POSIX the locks are pthread's, inlined; on Windows they are slim reader/writer locks. None is
 * recursive.
 */
#pragma once

#include "core.h"

/* Locks. The INIT macros initialize static locks. Locks in allocated memory need a `begin`
 * function, and the matching `end` before they are freed. */
#if defined(_WIN32)

typedef struct {
  void* state;
} core_mutex;
typedef core_mutex core_once;
typedef core_mutex core_condition;
#define CORE_MUTEX_INIT {NULL}
#define CORE_ONCE_INIT {NULL}

static inline void core_mutex_begin(core_mutex* mutex) { mutex->state = NULL; }
static inline void core_mutex_end(core_mutex* mutex) { (void)mutex; }
void core_mutex_lock(core_mutex* mutex);
void core_mutex_unlock(core_mutex* mutex);

static inline void core_condition_begin(core_condition* condition) { condition->state = NULL; }
static inline void core_condition_end(core_condition* condition) { (void)condition; }
void core_condition_signal(core_condition* condition);

void core_run_once(core_once* once, void (*function)(void));

#else

#include <pthread.h>

typedef pthread_mutex_t core_mutex;
typedef pthread_cond_t core_condition;
#define CORE_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
#if defined(__GLIBC__)
typedef pthread_once_t core_once;
#define CORE_ONCE_INIT PTHREAD_ONCE_INIT
#else
/* Other C libraries do not notice that the thread that runs the function is not in the child of a
 * fork: the child would wait for it without end. 0, CORE_ONCE_DONE or the process that runs it. */
typedef int64_t core_once;
#define CORE_ONCE_INIT 0
#define CORE_ONCE_DONE INT64_MIN
void core_run_once_slow(core_once* once, void (*function)(void));
#endif

/** As a static lock, which cannot fail. */
static inline void core_mutex_begin(core_mutex* mutex) { *mutex = (core_mutex)CORE_MUTEX_INIT; }
static inline void core_mutex_end(core_mutex* mutex) { pthread_mutex_destroy(mutex); }
static inline void core_mutex_lock(core_mutex* mutex) { pthread_mutex_lock(mutex); }
static inline void core_mutex_unlock(core_mutex* mutex) { pthread_mutex_unlock(mutex); }

void core_condition_begin(core_condition* condition);
static inline void core_condition_end(core_condition* condition) {
  pthread_cond_destroy(condition);
}
/** Wakes one of the threads that wait. */
static inline void core_condition_signal(core_condition* condition) {
  pthread_cond_signal(condition);
}

/** Runs a function once per process; returns when it has run. */
static inline void core_run_once(core_once* once, void (*function)(void)) {
#if defined(__GLIBC__)
  pthread_once(once, function);
#else
  if (CORE_UNLIKELY(__atomic_load_n(once, __ATOMIC_ACQUIRE) != CORE_ONCE_DONE)) {
    core_run_once_slow(once, function);
  }
#endif
}

#endif

/** Releases a mutex that the caller holds, waits for a signal, and takes it again. It may return
 * earlier, too. */
void core_condition_wait(core_condition* condition, core_mutex* mutex);
/** The same for about 10 ms at most. */
void core_condition_wait_briefly(core_condition* condition, core_mutex* mutex);

/* Threads and processes. */

/** Thread-specific values with a destructor, which runs when a thread ends that has set a value. At
 * most CORE_THREAD_KEYS keys in the process. */
#define CORE_THREAD_KEYS 4
#if defined(_WIN32)
typedef uint32_t core_thread_key;
#else
typedef pthread_key_t core_thread_key;
#endif
/** False where the system has no room for another key. */
int core_thread_key_create(core_thread_key* key, void (*thread_end)(void* value));
void core_thread_key_set(core_thread_key key, void* value);

/** The locks of locks.def. */
enum core_lock_name {
#define CORE_LOCK(name, place) CORE_LOCK_##name,
#include "platform/locks.def"
  CORE_LOCKS
};
extern core_mutex core_locks[CORE_LOCKS];
extern int core_locks_are_ready;

/** Has forks take the locks, once. The first core_lock does it too, perhaps while another thread
 * forks, so a program with threads calls it before. False when out of memory. */
CORE_FOR_EXTENSION int core_locks_begin(void);

static inline void core_lock(enum core_lock_name lock) {
  if (CORE_UNLIKELY(!__atomic_load_n(&core_locks_are_ready, __ATOMIC_ACQUIRE))) {
    core_locks_begin();
  }
  core_mutex_lock(&core_locks[lock]);
}
static inline void core_unlock(enum core_lock_name lock) { core_mutex_unlock(&core_locks[lock]); }

enum core_fork { CORE_BEFORE_FORK, CORE_IN_PARENT, CORE_IN_CHILD };
/** Has forks call a function under a lock: before, and in both processes after. */
void core_at_fork(enum core_lock_name lock, void (*extension)(enum core_fork step));

/** A joinable thread. */
struct core_thread {
  void (*function)(void* argument);
  void* argument;
  uintptr_t handle;
};
/** Starts a thread that runs `function`; false where the system has no room for another. The struct
 * must live until core_thread_join. */
int core_thread_start(struct core_thread* thread);
/** The same for a thread that nobody joins. The struct must live until it calls the function. */
int core_thread_start_alone(struct core_thread* thread);
/** Waits for the end of a thread. */
void core_thread_join(struct core_thread* thread);

/** Lets other threads run. */
void core_yield(void);

/** How many processors the system has, at least 1. */
CORE_FOR_EXTENSION size_t core_processor_count(void);

/** The system's ids of this process and of the calling thread. */
int32_t core_process_id(void);
int32_t core_thread_id(void);

/* Address space. Sizes and addresses are multiples of a page. */

/** How many bytes of addresses can be reserved at negligible cost of memory. */
size_t core_address_room(void);
/** Reserves a range of addresses without access; NULL if none are left. */
void* core_address_reserve(size_t size);
/** Releases a whole range. */
void core_address_release(void* start, size_t size);
/** Makes a part of a range readable and writable; committed pages keep their contents. False when
 * out of memory. */
int core_address_commit(void* start, size_t size);
/** Lets nobody read or write committed pages until they are opened again; they keep their contents.
 * False if the system cannot. */
int core_address_close(void* start, size_t size);
int core_address_open(void* start, size_t size);
/** Returns the memory of a part of a range to the system. If CORE_PURGE_DECOMMITS, the part must be
 * committed again before it is touched; otherwise it reads as zeros. */
void core_address_purge(void* start, size_t size);
#if defined(_WIN32)
#define CORE_PURGE_DECOMMITS 1
#else
#define CORE_PURGE_DECOMMITS 0
#endif
/** The size of a page in bytes. */
size_t core_page_size(void);
/** Makes a readable and writable part of a range read as zeros, without touching its pages. False
 * if the system cannot. */
int core_address_zero(void* start, size_t size);
/** Asks the system to use, or not to use, huge pages for a part of a range. */
void core_address_huge_pages(void* start, size_t size, int wanted);

enum core_read { CORE_READ, CORE_READ_FAULT, CORE_READ_UNKNOWN };
/**
 * Copies memory of this process that may not be readable, through the system, which checks it.
 * @param[in] address Where the memory begins.
 * @param[out] out Where it is copied to; undefined unless all was copied.
 * @param[in] size How many bytes, up to 4096.
 * @return CORE_READ if all bytes were copied, CORE_READ_FAULT if some cannot be read,
 *     CORE_READ_UNKNOWN if the system refuses to say.
 */
CORE_FOR_EXTENSION enum core_read core_read_memory(const void* address, void* out, size_t size);

/** Maps zeroed memory. Untouched pages cost nothing, if the system can do that. NULL when out of
 * memory. */
void* core_map(size_t size);
/** Whether the system would give that many bytes now. */
int core_system_has(size_t size);

/* Time. */

/** A number that differs between processes and between calls. */
uint64_t core_entropy(void);

/** The local time as "2026-01-31 23:59:59.123456789", in the resolution of the system's clock. */
#define CORE_LOCAL_TIME 32
void core_local_time(char text[CORE_LOCAL_TIME]);

/** The text of an environment variable; NULL for none, and for a program that has rights which its
 * user does not have (`*is_refused`). */
const char* core_variable(const char* name, bool* is_refused);

/** Nanoseconds of a clock that never goes back. */
CORE_FOR_EXTENSION uint64_t core_clock(void);
/** Nanoseconds since 1970. */
uint64_t core_wall_clock(void);

/* Other libraries. Call these without holding a lock of the core: libraries run code when they
 * are opened and closed. */

/** Room for a path with its terminator; a longer one is as one that does not exist. */
#define CORE_PATH_ROOM 4096
/** The size of the buffer for the error of opening a library. */
#define CORE_LIBRARY_ERROR 512

/** Opens a library without making its symbols global. On failure returns NULL, with the system's
 * error as UTF-8 in `error`. */
CORE_FOR_EXTENSION void* core_library_open(const ORTCHAR_T* path, char error[CORE_LIBRARY_ERROR]);
/** The same for a path in UTF-8. */
CORE_FOR_EXTENSION void* core_library_open_utf8(const char* path, char error[CORE_LIBRARY_ERROR]);
/** Returns the address of an exported symbol, or NULL. */
CORE_FOR_EXTENSION void* core_library_symbol(void* library, const char* name);
/** Writes the path of the library that an address belongs to, as UTF-8; false if there is none. */
CORE_FOR_EXTENSION bool core_library_path(const void* address, char path[CORE_PATH_ROOM]);
/** Closes a library that core_library_open opened. */
CORE_FOR_EXTENSION void core_library_close(void* library);
/** Returns the address of a symbol in the process's global scope, or NULL. */
void* core_process_symbol(const char* name);

/* Files. Paths here are UTF-8 on every system. */

#if defined(_WIN32)
#define CORE_SEPARATOR '\\'
#define CORE_IS_SEPARATOR(c) ((c) == '/' || (c) == '\\')
#else
#define CORE_SEPARATOR '/'
#define CORE_IS_SEPARATOR(c) ((c) == '/')
#endif

enum core_file {
  CORE_NO_FILE,
  CORE_BROKEN_LINK,
  CORE_FOLDER,
  CORE_REGULAR_FILE,
  /** A device, a pipe. */
  CORE_SPECIAL_FILE
};
/** What is at a path. Writes the absolute path of a file or folder, without links, to `real`. */
enum core_file core_find_file(const char* path, char real[CORE_PATH_ROOM]);
/** Opens a file to read its bytes; NULL where that cannot be. */
FILE* core_open_file(const char* path);
/** Creates or empties a file, for bytes that are written at once; NULL where that cannot be, and
 * with `is_new` where there is one already. */
FILE* core_create_file(const char* path, bool is_new);
/** Removes a file, if it is there. */
void core_remove_file(const char* path);
/** Gives a file another path in its folder. It replaces a file that is there at once, and gets its
 * permissions. */
bool core_replace_file(const char* from, const char* to);

/** A file as memory that can be read; all zeroes is none. */
struct core_mapping {
  const uint8_t* bytes;
  size_t size;
};
/** Maps a regular file. False where that cannot be. The address of a file without bytes is not NULL
 * either. */
bool core_map_file(const char* path, struct core_mapping* out);
/** Ends a mapping, after which it is none. */
void core_unmap_file(struct core_mapping* mapping);

/** A path in the system's characters, with its terminator; returns its size in bytes, which is
 * also what it needs where `room` is less. */
CORE_FOR_EXTENSION size_t core_native_path(const char* path, ORTCHAR_T* native, size_t room);

/** The size of a path in bytes, with its terminator. */
static inline size_t core_path_size(const ORTCHAR_T* path) {
  size_t length = 0;
  while (path[length] != 0) {
    length++;
  }
  return (length + 1) * sizeof *path;
}

/** The size of a buffer that holds a path as UTF-8. */
static inline size_t core_path_utf8_room(const ORTCHAR_T* path) { return 2 * core_path_size(path); }

/** The length of the part of a path in UTF-8 that names the folder, with the separator after it. */
size_t core_path_folder_length(const char* path);

/** Whether a path in UTF-8, as it is written, stays in the folder that it is joined to: it is
 * relative, not empty, and no part of it is "..". Links are not followed. */
bool core_path_is_inside(const char* path);

/** Whether a path is that of a folder or of something in it. Both are absolute, without links. */
bool core_path_is_below(const char* folder, const char* path);

/** Whether a path, as it is written, is that of a folder: it ends in a separator. */
bool core_path_is_folder(const ORTCHAR_T* path);

/** Writes a path as UTF-8, cut to the buffer's size. */
void core_path_utf8(const ORTCHAR_T* path, char* text, size_t room);
/** The same, whole; false, with nothing written, where it may be too long. */
bool core_whole_path_utf8(const ORTCHAR_T* path, char text[CORE_PATH_ROOM]);
