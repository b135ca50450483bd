/* SPDX-License-Identifier: MIT */
/**
 * @file platform.h
 * What the core needs from the system: locks, the end of threads, address space, other libraries.
 * platform_posix.c and platform_windows.c each serve one kind of system; no other file of the core
 * includes a header of one.
 *
 * On POSIX the locks are pthread's, inlined; on Windows they are slim locks, a pointer each. None
 * is recursive.
 */
#ifndef ORTCFFI_PLATFORM_H_
#define ORTCFFI_PLATFORM_H_

#include <stddef.h>
#include <stdint.h>

#include "core.h"

/** @name Locks
 * The INIT macros make static ones; begin makes those in allocated memory, which end must undo.
 * @{ */
#if defined(_WIN32)

typedef struct {
  void* state;
} core_mutex;
typedef core_mutex core_rwlock;
typedef core_mutex core_once;
#define CORE_MUTEX_INIT {NULL}
#define CORE_RWLOCK_INIT {NULL}
#define CORE_ONCE_INIT {NULL}

static inline int core_mutex_begin(core_mutex* mutex) {
  mutex->state = NULL;
  return 1;
}
static inline void core_mutex_end(core_mutex* mutex) { (void)mutex; }
void core_mutex_lock(core_mutex* mutex);
void core_mutex_unlock(core_mutex* mutex);

static inline int core_rwlock_begin(core_rwlock* lock) { return core_mutex_begin(lock); }
static inline void core_rwlock_end(core_rwlock* lock) { (void)lock; }
void core_rwlock_read(core_rwlock* lock);
void core_rwlock_read_unlock(core_rwlock* lock);
static inline void core_rwlock_write(core_rwlock* lock) { core_mutex_lock(lock); }
static inline void core_rwlock_write_unlock(core_rwlock* lock) { core_mutex_unlock(lock); }

void core_run_once(core_once* once, void (*function)(void));

#else

#include <pthread.h>

typedef pthread_mutex_t core_mutex;
typedef pthread_rwlock_t core_rwlock;
typedef pthread_once_t core_once;
#define CORE_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
#define CORE_RWLOCK_INIT PTHREAD_RWLOCK_INITIALIZER
#define CORE_ONCE_INIT PTHREAD_ONCE_INIT

/** False where the system has no room for another lock. */
static inline int core_mutex_begin(core_mutex* mutex) {
  return pthread_mutex_init(mutex, NULL) == 0;
}
static inline void core_mutex_end(core_mutex* mutex) { pthread_mutex_destroy(mutex); }
static inline void core_mutex_lock(core_mutex* mutex) { pthread_mutex_lock(mutex); }
static inline void core_mutex_unlock(core_mutex* mutex) { pthread_mutex_unlock(mutex); }

/** False where the system has no room for another lock. */
static inline int core_rwlock_begin(core_rwlock* lock) {
  return pthread_rwlock_init(lock, NULL) == 0;
}
static inline void core_rwlock_end(core_rwlock* lock) { pthread_rwlock_destroy(lock); }
static inline void core_rwlock_read(core_rwlock* lock) { pthread_rwlock_rdlock(lock); }
static inline void core_rwlock_read_unlock(core_rwlock* lock) { pthread_rwlock_unlock(lock); }
static inline void core_rwlock_write(core_rwlock* lock) { pthread_rwlock_wrlock(lock); }
static inline void core_rwlock_write_unlock(core_rwlock* lock) { pthread_rwlock_unlock(lock); }

/** Runs a function once in the life of the process; returns when it has run. */
static inline void core_run_once(core_once* once, void (*function)(void)) {
  pthread_once(once, function);
}

#endif
/** @} */

/** @name Threads and processes
 * @{ */

/** Says what happens with a value when a thread that has set it ends. At most CORE_THREAD_KEYS keys
 * in the process. */
#define CORE_THREAD_KEYS 4
#if defined(_WIN32)
typedef uint32_t core_thread_key;
#else
typedef pthread_key_t core_thread_key;
#endif
/** False where the system has no room for another key. */
int core_thread_key_create(core_thread_key* key, void (*thread_end)(void* value));
void core_thread_key_set(core_thread_key key, void* value);

/** Calls `before` ahead of each fork, and behind it `in_parent` in the one process and `in_child`
 * in the other. False without memory. Systems that do not fork call nothing. */
int core_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/** A thread that somebody waits for. */
struct core_thread {
  void (*function)(void* argument);
  void* argument;
  uintptr_t handle;
};
/** Starts a thread that runs `function`; false where the system has no room for another. The struct
 * must live until core_thread_join. */
int core_thread_start(struct core_thread* thread);
/** Waits for the end of a thread. */
void core_thread_join(struct core_thread* thread);

/** Lets other threads run. */
void core_yield(void);

/** True where core_barrier works, from then on. */
int core_barrier_begin(void);
/** What every running thread wrote before it, the caller sees after it, and the other way round: a
 * barrier that costs those threads no instruction of their own. */
void core_barrier(void);
/** @} */

/** @name Address space
 * Sizes and addresses are multiples of a page.
 * @{ */

/** Addresses that may be reserved without costing memory worth mentioning. */
size_t core_address_room(void);
/** A range that nobody may touch yet; NULL where there are no addresses left. */
void* core_address_reserve(size_t size);
/** Gives up a whole range. */
void core_address_release(void* start, size_t size);
/** Makes a part of a range readable and writable; what is so stays as it is. False where there is
 * no memory for it. */
int core_address_commit(void* start, size_t size);
/** Gives the memory of a part of a range back. Where CORE_PURGE_DECOMMITS the part must be
 * committed anew before it is touched; elsewhere it reads as zeros. */
void core_address_purge(void* start, size_t size);
#if defined(_WIN32)
#define CORE_PURGE_DECOMMITS 1
#else
#define CORE_PURGE_DECOMMITS 0
#endif
/** Bytes of a page. */
size_t core_page_size(void);
/** Makes a readable and writable part of a range read as zeros, without touching it. False where
 * the system cannot. */
int core_address_zero(void* start, size_t size);
/** Says whether a part of a range deserves the system's huge pages. */
void core_address_huge_pages(void* start, size_t size, int wanted);

/** Zeroed memory that counts only where it is touched, if the system can do that; NULL without. */
void* core_map(size_t size);
/** Whether the system would give that many bytes now. */
int core_system_has(size_t size);
/** @} */

/** @name Time
 * @{ */

/** A number that differs between processes and between moments. */
uint64_t core_entropy(void);

/** The local time as "2026-01-31 23:59:59.123456789", as far as the system's clock counts. */
#define CORE_LOCAL_TIME 32
void core_local_time(char text[CORE_LOCAL_TIME]);
/** @} */

/** @name Other libraries
 * None of our locks may be held: libraries run code of their own when they are opened and closed.
 * @{ */

/** Room for the text of why a library did not open. */
#define CORE_LIBRARY_ERROR 512

/** Opens a library for itself alone. NULL if that fails, with the system's reason as UTF-8 in
 * `error`. */
void* core_library_open(const ORTCHAR_T* path, char error[CORE_LIBRARY_ERROR]);
/** The same for a path in UTF-8. */
void* core_library_open_utf8(const char* path, char error[CORE_LIBRARY_ERROR]);
/** The address of an exported name, as a pointer to no function in particular; NULL without. */
void* core_library_symbol(void* library, const char* name);
/** Undoes one core_library_open. */
void core_library_close(void* library);
/** A name that is exported by the program or by a library that everybody sees; NULL without. */
void* core_process_symbol(const char* name);
/** How many bytes from an address on can be read, up to `wanted`, because they are part of a
 * library that is loaded; 0 where that cannot be told. */
size_t core_readable_size(const void* address, size_t wanted);
/** @} */

/** Bytes of a path with its end. */
static inline size_t core_path_size(const ORTCHAR_T* path) {
  size_t length = 0;
  while (path[length] != 0) {
    length++;
  }
  return (length + 1) * sizeof *path;
}

/** Room that a path needs as UTF-8. */
static inline size_t core_path_utf8_room(const ORTCHAR_T* path) { return 2 * core_path_size(path); }

/** Writes a path as UTF-8, without what does not fit. */
void core_path_utf8(const ORTCHAR_T* path, char* text, size_t room);

#endif /* ORTCFFI_PLATFORM_H_ */
