/* SPDX-License-Identifier: MIT */
/*
 * NumPy's arrays in an allocator's memory, and the Python objects that they keep as their base.
 *
 * In Python an array takes a dozen calls: to look at the dtype, to multiply the dimensions, to make
 * a cdata with a destructor, and for NumPy's constructor, which looks at all that again.
 *
 *   Source(api, allocator, refuse, max_dimensions)
 *       One allocator, to which it holds a reference. The first two are addresses;
 *       `refuse(exception, function)` raises, given the exception of the status that a slot
 *       answered, or None where it answered none; `max_dimensions` is how many an ndarray can have.
 *   Source.empty(shape, dtype) -> ndarray
 *       An array with a new Block as its base.
 *   Source.zeros(shape, dtype) -> ndarray
 *       The same, filled with zeros.
 *   Block
 *       Exports its memory as a buffer, and gives it back when the last reference goes.
 *
 * The cyclic collector sees a Source's reference to the allocator. It does not see Blocks, since
 * NumPy's arrays do not show it theirs: an allocator that leads to its own arrays stays.
 */
#include "boundary/limited_api.h"

#include <stdint.h>

#include "core.h"
#include "heap/heap.h"
#include "boundary/memory/extents.h"
#include "boundary/memory/numpy_arrays.h"
#include "boundary/memory/reference_objects.h"
#include "boundary/status/raise.h"

struct source {
  PyObject base;
  const OrtApi* api;
  OrtAllocator* allocator;
  PyObject* refuse;
  Py_ssize_t max_dimensions;
  /* Whether the allocator may block or call back, so that the GIL is released. */
  int is_foreign;
};

struct block {
  PyObject base;
  struct source* source;
  void* data;
  Py_ssize_t size;
};

static PyTypeObject* block_type;

/* Where arrays without elements begin: NumPy takes a buffer at NULL for no buffer at all. */
static _Alignas(64) char nothing[64];

/* --- Source ------------------------------------------------------------------------------------*/

/* The functions' names, in exceptions. */
static PyObject *alloc_name, *free_name;

/* Leaves an exception for what a slot answered, also for success where it did not do its work. */
static void refuse(const struct source* source, OrtStatus* status, PyObject* function) {
  PyObject *type = NULL, *error = NULL, *traceback = NULL;
  if (status != NULL) {
    ortcffi_fail(source->api, status, (ortcffi_object*)function);
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
  }
  PyObject* given = error == NULL ? Py_None : error;
  PyObject* answer = PyObject_CallFunctionObjArgs(source->refuse, given, function, NULL);
  Py_XDECREF(answer);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
  if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
}

/* Gets `size` bytes; NULL for none, with an exception. */
static void* take(const struct source* source, Py_ssize_t size) {
  OrtStatus* status;
  void* data = NULL;
  if (source->is_foreign) {
    Py_BEGIN_ALLOW_THREADS;
    status = source->api->AllocatorAlloc(source->allocator, (size_t)size, &data);
    Py_END_ALLOW_THREADS;
  } else {
    status = source->api->AllocatorAlloc(source->allocator, (size_t)size, &data);
  }
  if (status != NULL || data == NULL) {
    refuse(source, status, alloc_name);
    return NULL;
  }
  return data;
}

static struct block* new_block(struct source* source, Py_ssize_t size) {
  struct block* block = PyObject_New(struct block, block_type);
  if (block == NULL) {
    return NULL;
  }
  block->source = (struct source*)Py_NewRef((PyObject*)source);
  block->size = size;
  block->data = NULL;
  if (size > 0) {
    block->data = take(source, size);
    if (block->data == NULL) {
      Py_DECREF(block);
      return NULL;
    }
  }
  return block;
}

/* The array that NumPy's constructor makes over a block, with flags that it finds out. */
static PyObject* construct_array(const struct extent* extent, PyObject* dtype,
                                 struct block* block) {
  PyObject* shape = PyTuple_New(extent->rank);
  for (Py_ssize_t i = 0; shape != NULL && i < extent->rank; i++) {
    PyObject* length = PyLong_FromSsize_t(extent->lengths[i]);
    if (length == NULL) {
      Py_CLEAR(shape);
    } else {
      PyTuple_SetItem(shape, i, length);
    }
  }
  PyObject* array = shape == NULL ? NULL
                                  : PyObject_CallFunctionObjArgs((PyObject*)ortcffi_array_type,
                                                                 shape, dtype, block, NULL);
  Py_XDECREF(shape);
  return array;
}

/* An array over a block. NumPy's constructor takes longer than all the rest, so it is called only
 * where an element may not be aligned, or is not of NumPy's plain types. */
static PyObject* array_of(const struct extent* extent, PyObject* dtype, struct block* block) {
  void* data = block->data == NULL ? nothing : block->data;
  if (!ortcffi_is_plain(dtype) || (uintptr_t)data % sizeof nothing != 0) {
    return construct_array(extent, dtype, block);
  }
  PyObject* array = ortcffi_make_array(data, extent->lengths, (size_t)extent->rank, dtype,
                                       C_CONTIGUOUS | ALIGNED | WRITEABLE);
  if (array != NULL && ortcffi_array_keep(array, (PyObject*)block) < 0) {
    Py_CLEAR(array);
  }
  return array;
}

static PyObject* make_array(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                            int is_zeroed) {
  struct source* source = (struct source*)self;
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "an array takes a shape and a dtype");
    return NULL;
  }
  Py_ssize_t item;
  PyObject* dtype = ortcffi_arrays_begin() < 0 ? NULL : ortcffi_read_dtype(arguments[1], &item);
  if (dtype == NULL) {
    return NULL;
  }
  struct extent extent;
  struct block* block = NULL;
  if (ortcffi_read_shape(arguments[0], item, source->max_dimensions, &extent) == 0) {
    block = new_block(source, extent.bytes);
  }
  if (block != NULL && block->data != NULL && is_zeroed) {
    heap_zero(block->data, (size_t)block->size);
  }
  PyObject* array = block == NULL ? NULL : array_of(&extent, dtype, block);
  Py_XDECREF((PyObject*)block);
  Py_DECREF(dtype);
  return array;
}

static PyObject* source_empty(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return make_array(self, arguments, count, 0);
}

static PyObject* source_zeros(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return make_array(self, arguments, count, 1);
}

static PyObject* source_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  unsigned long long api, allocator;
  PyObject* refuse;
  Py_ssize_t max_dimensions;
  if (!PyArg_ParseTuple(arguments, "KKOn", &api, &allocator, &refuse, &max_dimensions)) {
    return NULL;
  }
  struct source* source = PyObject_GC_New(struct source, type);
  if (source != NULL) {
    const OrtApi* core = core_api_base()->GetApi(ORT_API_VERSION);
    OrtAllocator* ours = NULL;
    ort_ReleaseStatus(ort_GetAllocatorWithDefaultOptions(&ours));
    source->api = (const OrtApi*)(uintptr_t)api;
    source->allocator = (OrtAllocator*)(uintptr_t)allocator;
    core_allocator_retain(source->allocator);
    source->refuse = Py_NewRef(refuse);
    source->max_dimensions =
        max_dimensions < EXTENT_DIMENSIONS ? max_dimensions : EXTENT_DIMENSIONS;
    source->is_foreign = source->allocator != ours || source->api != core;
    PyObject_GC_Track(source);
  }
  return (PyObject*)source;
}

static void source_dealloc(PyObject* self) {
  struct source* source = (struct source*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  core_allocator_release(source->allocator);
  Py_DECREF(source->refuse);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static int source_traverse(PyObject* self, visitproc visit, void* arg) {
  const struct source* source = (const struct source*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(source->refuse);
  Py_VISIT(ortcffi_object_of(source->allocator));
  return 0;
}

static PyMethodDef source_methods[] = {
    {"empty", (PyCFunction)(void (*)(void))source_empty, METH_FASTCALL, NULL},
    {"zeros", (PyCFunction)(void (*)(void))source_zeros, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot source_slots[] = {
    {Py_tp_new, (void*)source_new},
    {Py_tp_dealloc, (void*)source_dealloc},
    {Py_tp_traverse, (void*)source_traverse},
    {Py_tp_methods, source_methods},
    {0, NULL},
};

static PyType_Spec source_spec = {
    .name = "ortcffi._ort.Source",
    .basicsize = sizeof(struct source),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = source_slots,
};

/* --- Block -------------------------------------------------------------------------------------*/

static int block_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  struct block* block = (struct block*)self;
  void* data = block->data == NULL ? nothing : block->data;
  return PyBuffer_FillInfo(view, self, data, block->size, 0, flags);
}

static void report(const struct source* source, OrtStatus* status) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  refuse(source, status, free_name);
  PyErr_WriteUnraisable(source->refuse);
  PyErr_Restore(type, value, traceback);
}

static void give_back(const struct source* source, void* data) {
  OrtStatus* status;
  if (source->is_foreign) {
    /* An allocator may run Python, which must not see an exception on its way past this object. */
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Py_BEGIN_ALLOW_THREADS;
    status = source->api->AllocatorFree(source->allocator, data);
    Py_END_ALLOW_THREADS;
    PyErr_Restore(type, value, traceback);
  } else {
    status = source->api->AllocatorFree(source->allocator, data);
  }
  if (status != NULL) {
    report(source, status);
  }
}

static void block_dealloc(PyObject* self) {
  struct block* block = (struct block*)self;
  PyTypeObject* type = Py_TYPE(self);
  if (block->data != NULL) {
    give_back(block->source, block->data);
  }
  Py_DECREF(block->source);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyType_Slot block_slots[] = {
    {Py_tp_dealloc, (void*)block_dealloc},
    {Py_bf_getbuffer, (void*)block_getbuffer},
    {0, NULL},
};

static PyType_Spec block_spec = {
    .name = "ortcffi._ort.Block",
    .basicsize = sizeof(struct block),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = block_slots,
};

ortcffi_object* ortcffi_source_type(void) {
  alloc_name = PyUnicode_InternFromString("AllocatorAlloc");
  free_name = PyUnicode_InternFromString("AllocatorFree");
  if (alloc_name == NULL || free_name == NULL) {
    return NULL;
  }
  block_type = (PyTypeObject*)PyType_FromSpec(&block_spec);
  return block_type == NULL ? NULL : (ortcffi_object*)PyType_FromSpec(&source_spec);
}
