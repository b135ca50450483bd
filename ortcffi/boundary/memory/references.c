/* SPDX-License-Identifier: MIT */
/*
 * Reference counts of allocators, shown to the garbage collector.
 *
 * A reference to an allocator holds the handle of its Python object. So an allocator that is closed
 * is released when its last user is done.
 *
 *   Adaptors and allocators written in Python have the handle in their counter. The reference to
 *   the allocator inside is shown to the collector.
 *   Other allocators are found by their address in a list. There may be several handles of one: the
 *   oldest counts, and it stays the oldest as long as it has a reference.
 *
 * The list has the lock of LIST_OF_ALLOCATORS.
 */
#include "boundary/limited_api.h"

#include <stdint.h>

#include "adaptors/adaptor.h"
#include "platform/platform.h"
#include "boundary/gil.h"
#include "boundary/memory/allocators.h"
#include "boundary/handle/handle.h"
#include "boundary/module.h"
#include "boundary/status/calls.h"

#define BUCKETS 64
static struct allocator* buckets[BUCKETS];
static size_t listed;

static struct allocator** bucket_of(const OrtAllocator* allocator) {
  return &buckets[((uintptr_t)allocator >> 4) * 0x9e3779b1u % BUCKETS];
}

/* Needs the lock, except while the collector has stopped all threads. A handle that was released
 * has none. */
static struct allocator* find_allocator(const OrtAllocator* allocator) {
  struct allocator* at = *bucket_of(allocator);
  while (at != NULL && (at->address != allocator || handle_state(&at->handle) == HANDLE_RELEASED)) {
    at = at->next;
  }
  return at;
}

static void hold_object(void* handle) {
  handle_hold((struct handle*)handle);
  Py_INCREF((PyObject*)handle);
}

static void drop_hold_of_object(void* handle) {
  handle_drop((struct handle*)handle);
  Py_DECREF((PyObject*)handle);
}

static void add_reference(void* allocator) {
  lock_list(LIST_OF_ALLOCATORS);
  struct allocator* found = find_allocator((const OrtAllocator*)allocator);
  PyObject* object = found == NULL ? NULL : handle_found(&found->handle);
  int is_held = object != NULL && handle_try_hold(&found->handle);
  if (is_held) {
    found->references++;
  }
  unlock_list(LIST_OF_ALLOCATORS);
  if (!is_held) { /* otherwise both are dropped with the reference */
    Py_XDECREF(object);
  }
}

static void drop_listed_reference(void* allocator) {
  lock_list(LIST_OF_ALLOCATORS);
  struct allocator* found = find_allocator((const OrtAllocator*)allocator);
  int is_held = found != NULL && found->references > 0;
  if (is_held) {
    found->references--;
  }
  unlock_list(LIST_OF_ALLOCATORS);
  if (is_held) {
    drop_hold_of_object(found);
  }
}

static void retain_foreign(OrtAllocator* allocator) {
  if (__atomic_load_n(&listed, __ATOMIC_RELAXED) != 0) {
    call_with_gil(add_reference, allocator);
  }
}

static void release_foreign(OrtAllocator* allocator) {
  if (__atomic_load_n(&listed, __ATOMIC_RELAXED) != 0) {
    call_with_gil(drop_listed_reference, allocator);
  }
}

static void retain_object(void* object) { call_with_gil(hold_object, object); }

static void release_object(void* object) { call_with_gil(drop_hold_of_object, object); }

/* Adaptors that the core makes for itself, such as the arenas of an environment, have none. */
static int has_handle(const OrtAllocator* allocator) {
  return core_is_own_adaptor(allocator) &&
         ((const struct core_adaptor*)allocator)->counter.object != NULL;
}

static struct handle* handle_without_lock(const OrtAllocator* allocator) {
  if (has_handle(allocator)) {
    return ((const struct core_adaptor*)allocator)->counter.object;
  }
  struct allocator* found = find_allocator(allocator);
  return found == NULL ? NULL : &found->handle;
}

PyObject* ortcffi_handle_of(const OrtAllocator* allocator) {
  if (has_handle(allocator)) {
    return Py_NewRef(((const struct core_adaptor*)allocator)->counter.object);
  }
  lock_list(LIST_OF_ALLOCATORS);
  struct allocator* found = find_allocator(allocator);
  PyObject* object = found == NULL ? NULL : handle_found(&found->handle);
  unlock_list(LIST_OF_ALLOCATORS);
  return object;
}

PyObject* ortcffi_object_inside(const struct allocator* self) {
  const OrtAllocator* allocator = self->handle.object;
  const struct core_adaptor* adaptor = (const struct core_adaptor*)allocator;
  int has_inner = core_is_own_adaptor(allocator) && adaptor->inner != NULL;
  return has_inner && adaptor->counter.object == self
             ? (PyObject*)handle_without_lock(adaptor->inner)
             : NULL;
}

/* adaptor_made(handle): references to the new adaptor hold the handle from now on. */
static PyObject* adaptor_made(PyObject* module, PyObject* object) {
  struct handle* handle = handle_open(object);
  if (handle == NULL) {
    return NULL;
  }
  const struct core_counter counter = {handle, retain_object, release_object};
  core_count_on(handle->object, &counter);
  ortcffi_unlist_allocator((struct allocator*)handle);
  Py_RETURN_NONE;
}

/* adaptor_reads(handle, api): the allocator inside a new adaptor is of another library, whose
 * statuses are read by the table at the address, which must stay as long as the adaptor. */
static PyObject* adaptor_reads(PyObject* module, PyObject* arguments) {
  PyObject* object;
  unsigned long long api;
  struct handle* handle = NULL;
  if (!PyArg_ParseTuple(arguments, "OK", &object, &api) || (handle = handle_open(object)) == NULL) {
    return NULL;
  }
  ((struct core_adaptor*)handle->object)->inner_api = (const OrtApi*)(uintptr_t)api;
  Py_RETURN_NONE;
}

PyMethodDef ortcffi_reference_functions[] = {
    {"adaptor_made", adaptor_made, METH_O, NULL},
    {"adaptor_reads", adaptor_reads, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

void* ortcffi_reserve(OrtAllocator* allocator, size_t size) {
  struct ortcffi_call call;
  ortcffi_call_begin(&call);
  void* block = core_alloc_from(allocator, size, 1);
  if (block == NULL) {
    ortcffi_call_end_empty(&call, "Reserve");
  } else {
    ortcffi_call_end(&call, NULL, NULL);
  }
  return block;
}

static void release_adaptor(const OrtApi* api, void* allocator) { core_release_adaptor(allocator); }

int ortcffi_list_allocator(struct allocator* self) {
  if (self->handle.release == NULL && core_is_own_adaptor(self->handle.object)) {
    core_retain_adaptor(self->handle.object);
    self->handle.release = release_adaptor;
  }
  if (self->is_listed || has_handle(self->handle.object)) {
    return 0;
  }
  if (handle_enlist(&self->handle) < 0) {
    return -1;
  }
  lock_list(LIST_OF_ALLOCATORS);
  struct allocator** at = bucket_of(self->handle.object);
  self->address = self->handle.object;
  self->is_listed = 1;
  while (*at != NULL) {
    at = &(*at)->next;
  }
  *at = self;
  __atomic_add_fetch(&listed, 1, __ATOMIC_RELAXED);
  unlock_list(LIST_OF_ALLOCATORS);
  return 0;
}

void ortcffi_unlist_allocator(struct allocator* self) {
  lock_list(LIST_OF_ALLOCATORS);
  if (self->is_listed) {
    struct allocator** at = bucket_of(self->address);
    while (*at != self) {
      at = &(*at)->next;
    }
    *at = self->next;
    self->is_listed = 0;
    __atomic_sub_fetch(&listed, 1, __ATOMIC_RELAXED);
  }
  unlock_list(LIST_OF_ALLOCATORS);
}

void ortcffi_references_begin(void) {
  core_set_foreign_references(retain_foreign, release_foreign);
  /* While there is one thread: a fork while another registers the handler would miss it. */
  core_locks_begin();
}
