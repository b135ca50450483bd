/* SPDX-License-Identifier: MIT */
/*
 * What the GIL guards, in a Python without it; with the GIL all of this is plain code.
 *
 *   the fields of an object     the object's critical section, in which its methods run:
 *                               ORTCFFI_CRITICAL_BEGIN, or ORTCFFI_LOCKED for a whole method
 *   the life of a handle        one word, changed by change_word()
 *   a list of the process       its lock, of lock_list()
 *   a flag, a count, a spare    take_flag(), add_to(), swap_pointer()
 *   an object made once         object_made(), keep_first()
 *
 * The collector stops all threads where they call Python. So the holder of a list's lock calls no
 * Python, and a tp_traverse takes no lock.
 */
#ifndef ORTCFFI_BOUNDARY_UNLOCKED_H_
#define ORTCFFI_BOUNDARY_UNLOCKED_H_

#include "boundary/limited_api.h"

#include <stdint.h>

/* The lists of the process. No thread holds two of their locks. */
enum ortcffi_list_name { LIST_OF_RUNS, LIST_OF_ALLOCATORS, LIST_NAMES };

#ifdef Py_GIL_DISABLED

#define ORTCFFI_CRITICAL_BEGIN(object) Py_BEGIN_CRITICAL_SECTION(object)
#define ORTCFFI_CRITICAL_END() Py_END_CRITICAL_SECTION()

/* Defines `locked_NAME`: a function in the critical section of its first argument. */
#define ORTCFFI_LOCKED_AS(type, name, parameters, ...) \
  static type locked_##name parameters {               \
    type answer;                                       \
    Py_BEGIN_CRITICAL_SECTION(self);                   \
    answer = name(__VA_ARGS__);                        \
    Py_END_CRITICAL_SECTION();                         \
    return answer;                                     \
  }
#define ORTCFFI_LOCKED(name) locked_##name

extern PyMutex ortcffi_list_locks[LIST_NAMES];

static inline void lock_list(enum ortcffi_list_name list) {
  PyMutex_Lock(&ortcffi_list_locks[list]);
}

static inline void unlock_list(enum ortcffi_list_name list) {
  PyMutex_Unlock(&ortcffi_list_locks[list]);
}

static inline uint64_t read_word(const uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Sets a word that is still as it was seen; otherwise 0, and `seen` is what it is. */
static inline int change_word(uint64_t* word, uint64_t* seen, uint64_t wanted) {
  return __atomic_compare_exchange_n(word, seen, wanted, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Whether a flag was clear; it is set now. */
static inline int take_flag(char* flag) { return !__atomic_exchange_n(flag, 1, __ATOMIC_ACQ_REL); }

static inline void clear_flag(char* flag) { __atomic_store_n(flag, 0, __ATOMIC_RELEASE); }

static inline void* swap_pointer(void** place, void* wanted) {
  return __atomic_exchange_n(place, wanted, __ATOMIC_ACQ_REL);
}

static inline void add_to(int64_t* count, int64_t change) {
  __atomic_fetch_add(count, change, __ATOMIC_RELAXED);
}

static inline void add_to_sum(double* sum, double change) {
  double seen, wanted;
  __atomic_load(sum, &seen, __ATOMIC_RELAXED);
  do {
    wanted = seen + change;
  } while (!__atomic_compare_exchange(sum, &seen, &wanted, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* An object that is made at its first use, and stays; NULL before that. */
static inline PyObject* object_made(PyObject** place) {
  return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

/* Keeps such an object; the one of another thread that was first. `made` may be NULL. */
static inline PyObject* keep_first(PyObject** place, PyObject* made) {
  PyObject* seen = NULL;
  if (made == NULL ||
      __atomic_compare_exchange_n(place, &seen, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return made;
  }
  Py_DECREF(made);
  return seen;
}

/* A list with the items of a list, which no other thread changes; NULL with an exception. */
static inline PyObject* own_list(PyObject* list) {
  return PyList_GetSlice(list, 0, PY_SSIZE_T_MAX);
}

/* A new reference to an item; NULL where it is not there, or with an exception. */
static inline PyObject* item_of_dict(PyObject* dict, PyObject* key) {
  PyObject* item = NULL;
  (void)PyDict_GetItemRef(dict, key, &item);
  return item;
}

#else

#define ORTCFFI_CRITICAL_BEGIN(object) {
#define ORTCFFI_CRITICAL_END() }
#define ORTCFFI_LOCKED_AS(type, name, parameters, ...)
#define ORTCFFI_LOCKED(name) name

static inline void lock_list(enum ortcffi_list_name list) { (void)list; }

static inline void unlock_list(enum ortcffi_list_name list) { (void)list; }

static inline uint64_t read_word(const uint64_t* word) { return *word; }

static inline int change_word(uint64_t* word, uint64_t* seen, uint64_t wanted) {
  (void)seen;
  *word = wanted;
  return 1;
}

static inline int take_flag(char* flag) {
  char before = *flag;
  *flag = 1;
  return !before;
}

static inline void clear_flag(char* flag) { *flag = 0; }

static inline void* swap_pointer(void** place, void* wanted) {
  void* before = *place;
  *place = wanted;
  return before;
}

static inline void add_to(int64_t* count, int64_t change) { *count += change; }

static inline void add_to_sum(double* sum, double change) { *sum += change; }

static inline PyObject* object_made(PyObject** place) { return *place; }

static inline PyObject* keep_first(PyObject** place, PyObject* made) {
  if (*place == NULL) { /* which the making may have done, too */
    *place = made;
  } else {
    Py_XDECREF(made);
  }
  return *place;
}

static inline PyObject* own_list(PyObject* list) { return Py_NewRef(list); }

static inline PyObject* item_of_dict(PyObject* dict, PyObject* key) {
  return Py_XNewRef(PyDict_GetItemWithError(dict, key));
}

#endif

#define ORTCFFI_LOCKED_METHOD(name) \
  ORTCFFI_LOCKED_AS(PyObject*, name, (PyObject * self, PyObject * argument), self, argument)
#define ORTCFFI_LOCKED_GETTER(name) \
  ORTCFFI_LOCKED_AS(PyObject*, name, (PyObject * self, void* unused), self, unused)

#endif /* ORTCFFI_BOUNDARY_UNLOCKED_H_ */
