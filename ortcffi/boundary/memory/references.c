/* SPDX-License-Identifier: MIT */
/*
 * Reference counts of allocators, as the cyclic collector is to see them.
 *
 * A reference to an allocator is a reference to a Python object as well: to the object behind the
 * allocator's functions where these are Python's, otherwise to the Owner that Python made for it.
 * An adaptor has one to the object of the allocator inside, and the adaptor's Owner shows it to the
 * collector; so does a Source. The collector is not told of other references, such as those of
 * values: they will call the allocator, which must be whole until then.
 *
 * For allocators that are not the core's:
 *
 *   Keeper(allocator, what)
 *       As long as somebody has a reference to the allocator, an address, `what` stays alive:
 *       whatever would free the allocator at its own end, such as an environment.
 *
 * References to such an allocator are references to its keeper. There may be several keepers of one
 * allocator: the oldest counts, and it stays the oldest as long as it has a reference. The GIL
 * guards the list of keepers.
 */
#include "boundary/limited_api.h"

#include <stdint.h>

#include "memory/adaptor.h"
#include "memory/scopes.h"
#include "boundary/gil.h"
#include "boundary/memory/reference_objects.h"
#include "boundary/memory/references.h"
#include "boundary/platform/owner.h"

struct keeper {
  PyObject base;
  OrtAllocator* allocator;
  PyObject* what;
  /* References to the allocator that were counted here. Others began before this keeper did. */
  size_t references;
  struct keeper* next;
};

#define BUCKETS 64
static struct keeper* buckets[BUCKETS];
static size_t keepers;

static struct keeper** bucket_of(const OrtAllocator* allocator) {
  return &buckets[((uintptr_t)allocator >> 4) * 0x9e3779b1u % BUCKETS];
}

/* Needs the GIL. */
static struct keeper* keeper_of(const OrtAllocator* allocator) {
  struct keeper* at = *bucket_of(allocator);
  while (at != NULL && at->allocator != allocator) {
    at = at->next;
  }
  return at;
}

static void add_reference(void* allocator) {
  struct keeper* keeper = keeper_of((const OrtAllocator*)allocator);
  if (keeper != NULL) {
    keeper->references++;
    Py_INCREF((PyObject*)keeper);
  }
}

static void drop_foreign_reference(void* allocator) {
  struct keeper* keeper = keeper_of((const OrtAllocator*)allocator);
  if (keeper != NULL && keeper->references > 0) {
    keeper->references--;
    Py_DECREF((PyObject*)keeper);
  }
}

static void retain_foreign(OrtAllocator* allocator) {
  if (__atomic_load_n(&keepers, __ATOMIC_RELAXED) != 0) {
    call_with_gil(add_reference, allocator);
  }
}

static void release_foreign(OrtAllocator* allocator) {
  if (__atomic_load_n(&keepers, __ATOMIC_RELAXED) != 0) {
    call_with_gil(drop_foreign_reference, allocator);
  }
}

static void take_reference(void* object) { Py_INCREF((PyObject*)object); }

static void retain_object(void* object) { call_with_gil(take_reference, object); }

static void release_object(void* object) { call_with_gil(drop_reference, object); }

PyObject* ortcffi_object_of(const OrtAllocator* allocator) {
  if (core_is_adaptor(allocator)) {
    return ((const struct core_adaptor*)allocator)->counter.object;
  }
  return (PyObject*)keeper_of(allocator);
}

static PyObject* object_inside(void* adaptor) {
  return ortcffi_object_of(((const struct core_adaptor*)adaptor)->inner);
}

void ortcffi_adaptor_made(ortcffi_object* owner, ortcffi_object* object, int shows) {
  struct owner* self = (struct owner*)owner;
  const struct core_counter counter = {object, retain_object, release_object};
  core_count_on(self->object, &counter);
  self->refers_to = shows ? object_inside : NULL;
}

void ortcffi_adaptor_reads(ortcffi_object* owner, const OrtApi* api) {
  ((struct core_adaptor*)((struct owner*)owner)->object)->inner_api = api;
}

void* ortcffi_reserve(OrtAllocator* allocator, size_t size) {
  void* block;
  Py_BEGIN_ALLOW_THREADS;
  block = core_alloc_from(allocator, size, 1);
  Py_END_ALLOW_THREADS;
  return block;
}

void ortcffi_retain_allocator(OrtAllocator* allocator) { core_allocator_retain(allocator); }

void ortcffi_release_allocator(OrtAllocator* allocator) { core_allocator_release(allocator); }

static PyObject* keeper_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  unsigned long long allocator;
  PyObject* what;
  if (!PyArg_ParseTuple(arguments, "KO", &allocator, &what)) {
    return NULL;
  }
  struct keeper* keeper = PyObject_GC_New(struct keeper, type);
  if (keeper != NULL) {
    keeper->allocator = (OrtAllocator*)(uintptr_t)allocator;
    keeper->what = Py_NewRef(what);
    keeper->references = 0;
    keeper->next = NULL;
    struct keeper** at = bucket_of(keeper->allocator);
    while (*at != NULL) {
      at = &(*at)->next;
    }
    *at = keeper;
    __atomic_add_fetch(&keepers, 1, __ATOMIC_RELAXED);
    PyObject_GC_Track(keeper);
  }
  return (PyObject*)keeper;
}

static void keeper_dealloc(PyObject* self) {
  struct keeper* keeper = (struct keeper*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  struct keeper** at = bucket_of(keeper->allocator);
  while (*at != keeper) {
    at = &(*at)->next;
  }
  *at = keeper->next;
  __atomic_sub_fetch(&keepers, 1, __ATOMIC_RELAXED);
  Py_DECREF(keeper->what);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static int keeper_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((struct keeper*)self)->what);
  return 0;
}

static PyType_Slot keeper_slots[] = {
    {Py_tp_new, (void*)keeper_new},
    {Py_tp_dealloc, (void*)keeper_dealloc},
    {Py_tp_traverse, (void*)keeper_traverse},
    {0, NULL},
};

static PyType_Spec keeper_spec = {
    .name = "ortcffi._ort.Keeper",
    .basicsize = sizeof(struct keeper),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = keeper_slots,
};

ortcffi_object* ortcffi_keeper_type(void) {
  core_set_foreign_references(retain_foreign, release_foreign);
  /* While there is one thread: a fork while another registers its handlers would miss them. */
  core_tracking_begin();
  return (ortcffi_object*)PyType_FromSpec(&keeper_spec);
}
