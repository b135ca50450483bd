/* SPDX-License-Identifier: MIT */
/*
 * NumPy's arrays in an allocator's memory, and the Python objects that they keep as their base.
 *
 * In Python an array takes a dozen calls: to check the dtype, to multiply the dimensions, to make a
 * cdata with a destructor, and for NumPy's constructor, which checks all that again.
 *
 *   Blocks
 *       A handle of an OrtAllocator. `_empty(shape, dtype, order)` and its sister `_zeros` make
 *       arrays with a new Block as their base. Where the allocator has no block, `_refuse` raises,
 *       given the exception of the status, or None where there is no status, and the function.
 *   Block
 *       Exports its memory as a buffer, and gives it back when the last reference goes. It holds
 *       the allocator.
 *
 * Blocks take no part in garbage collection, since NumPy's arrays do not show the collector their
 * base: an allocator that refers to its own arrays is never collected.
 */
#include "boundary/limited_api.h"

#include <stdint.h>

#include "core.h"
#include "heap/heap_base.h"
#include "boundary/memory/extents.h"
#include "boundary/memory/numpy_arrays.h"
#include "boundary/memory/allocators.h"
#include "boundary/module.h"
#include "boundary/status/calls.h"
#include "boundary/status/fail.h"

struct block {
  PyObject base;
  struct allocator* allocator;
  void* data;
  Py_ssize_t size;
};

/* Where arrays without elements begin: NumPy takes a buffer at NULL for no buffer at all. */
static _Alignas(64) char nothing[64];

static Py_ssize_t max_dimensions; /* of an ndarray */

/* --- Allocator ---------------------------------------------------------------------------------*/

static PyObject* c_name; /* the "C" of Python's code; set by begin_blocks */

/* Raises for a failing status, or for success without a block. */
static void refuse(struct allocator* self, OrtStatus* status, const char* function) {
  PyObject *type = NULL, *error = NULL, *traceback = NULL;
  if (status != NULL) {
    (void)ortcffi_fail(self->handle.api, status, function);
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
  }
  PyObject* given = error == NULL ? Py_None : error;
  PyObject* answer = PyObject_CallMethod((PyObject*)self, "_refuse", "Os", given, function);
  Py_XDECREF(answer);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
  if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
}

/* Gets `size` bytes; NULL for none, with an exception. */
static void* alloc_block(struct allocator* self, Py_ssize_t size) {
  const OrtApi* api = self->handle.api;
  OrtStatus* status;
  void* data = NULL;
  if (self->may_block) {
    struct ortcffi_call call;
    ortcffi_call_begin(&call);
    Py_BEGIN_ALLOW_THREADS;
    status = api->AllocatorAlloc(self->handle.object, (size_t)size, &data);
    Py_END_ALLOW_THREADS;
    if (status == NULL && data == NULL) {
      ortcffi_call_end_empty(&call, "AllocatorAlloc");
    } else {
      ortcffi_call_end(&call, status, "AllocatorAlloc");
    }
  } else {
    status = api->AllocatorAlloc(self->handle.object, (size_t)size, &data);
  }
  if (status != NULL || data == NULL) {
    refuse(self, status, "AllocatorAlloc");
    return NULL;
  }
  return data;
}

static struct block* new_block(struct allocator* self, Py_ssize_t size) {
  struct block* block = PyObject_New(struct block, ortcffi_block_type);
  if (block == NULL) {
    return NULL;
  }
  handle_hold(&self->handle);
  block->allocator = (struct allocator*)Py_NewRef((PyObject*)self);
  block->size = size;
  block->data = NULL;
  if (size > 0) {
    block->data = alloc_block(self, size);
    if (block->data == NULL) {
      Py_DECREF(block);
      return NULL;
    }
  }
  return block;
}

/* An array over a block. */
static PyObject* array_of(const struct extent* extent, PyObject* dtype, struct block* block,
                          int order) {
  void* data = block->data == NULL ? nothing : block->data;
  const int64_t* lengths = (const int64_t*)extent->lengths;
  PyObject* array = ortcffi_make_array(data, lengths, (size_t)extent->rank, dtype,
                                       order | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE);
  if (array != NULL && (uintptr_t)data % sizeof nothing != 0) {
    PyArray_UpdateFlags((PyArrayObject*)array, NPY_ARRAY_ALIGNED);
  }
  if (array != NULL &&
      PyArray_SetBaseObject((PyArrayObject*)array, Py_NewRef((PyObject*)block)) < 0) {
    Py_CLEAR(array);
  }
  return array;
}

/* The flag of an order; 0 with an exception. */
static int read_order(PyObject* given) {
  if (given == c_name) {
    return NPY_ARRAY_C_CONTIGUOUS;
  }
  if (PyUnicode_Check(given) && PyUnicode_CompareWithASCIIString(given, "F") == 0) {
    return NPY_ARRAY_F_CONTIGUOUS;
  }
  if (PyUnicode_Check(given) && PyUnicode_CompareWithASCIIString(given, "C") == 0) {
    return NPY_ARRAY_C_CONTIGUOUS;
  }
  PyErr_Format(PyExc_ValueError, "order must be 'C' or 'F', not %R", given);
  return 0;
}

static PyObject* make_array(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                            int is_zeroed) {
  struct allocator* allocator = (struct allocator*)self;
  if (count != 3) {
    PyErr_SetString(PyExc_TypeError, "an array takes a shape, a dtype and an order");
    return NULL;
  }
  int order = read_order(arguments[2]);
  if (order == 0) {
    return NULL;
  }
  Py_ssize_t item;
  PyObject* dtype = ortcffi_arrays_begin() < 0 ? NULL : ortcffi_read_dtype(arguments[1], &item);
  if (dtype == NULL) {
    return NULL;
  }
  struct extent extent;
  struct block* block = NULL;
  if (ortcffi_read_shape(arguments[0], item, max_dimensions, &extent) == 0 &&
      handle_begin(&allocator->handle) == 0) {
    block = new_block(allocator, extent.bytes);
    handle_end(&allocator->handle);
  }
  if (block != NULL && block->data != NULL && is_zeroed) {
    heap_zero(block->data, (size_t)block->size);
  }
  PyObject* array = block == NULL ? NULL : array_of(&extent, dtype, block, order);
  Py_XDECREF((PyObject*)block);
  Py_DECREF(dtype);
  return array;
}

static PyObject* allocator_empty(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return make_array(self, arguments, count, 0);
}

static PyObject* allocator_zeros(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return make_array(self, arguments, count, 1);
}

/* _begin(ends): what holds once there is an allocator, which may end before the process does. */
static PyObject* allocator_begin(PyObject* self, PyObject* ends) {
  struct allocator* allocator = (struct allocator*)self;
  OrtAllocator* ours = NULL;
  core_api()->ReleaseStatus(core_api()->GetAllocatorWithDefaultOptions(&ours));
  allocator->may_block = allocator->handle.object != ours || allocator->handle.api != core_api();
  int answer = ends == Py_True ? ortcffi_list_allocator(allocator) : 0;
  return answer < 0 ? NULL : Py_NewRef(Py_None);
}

static int allocator_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(ortcffi_object_inside((struct allocator*)self));
  return handle_traverse(self, visit, arg);
}

static void allocator_dealloc(PyObject* self) {
  struct allocator* allocator = (struct allocator*)self;
  PyObject_GC_UnTrack(self);
  ortcffi_unlist_allocator(allocator);
  handle_clear(&allocator->handle);
  ortcffi_free_object(self);
}

static PyMethodDef allocator_methods[] = {
    {"_empty", ORTCFFI_METHOD(allocator_empty), METH_FASTCALL, NULL},
    {"_zeros", ORTCFFI_METHOD(allocator_zeros), METH_FASTCALL, NULL},
    {"_begin", allocator_begin, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot allocator_slots[] = {
    {Py_tp_dealloc, (void*)allocator_dealloc},
    {Py_tp_traverse, (void*)allocator_traverse},
    {Py_tp_methods, allocator_methods},
    {0, NULL},
};

PyType_Spec ortcffi_allocator_spec =
    ORTCFFI_TYPE("ortcffi._compiled.Blocks", struct allocator,
                 Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, allocator_slots);

/* --- Block -------------------------------------------------------------------------------------*/

static int block_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  struct block* block = (struct block*)self;
  void* data = block->data == NULL ? nothing : block->data;
  return PyBuffer_FillInfo(view, self, data, block->size, 0, flags);
}

static void report(struct allocator* self, OrtStatus* status) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  refuse(self, status, "AllocatorFree");
  PyErr_WriteUnraisable((PyObject*)self);
  PyErr_Restore(type, value, traceback);
}

static void give_back(struct allocator* self, void* data) {
  const OrtApi* api = self->handle.api;
  OrtStatus* status;
  if (self->may_block) {
    /* An allocator may run Python, which must not see the exception that is being raised. */
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Py_BEGIN_ALLOW_THREADS;
    status = api->AllocatorFree(self->handle.object, data);
    Py_END_ALLOW_THREADS;
    PyErr_Restore(type, value, traceback);
  } else {
    status = api->AllocatorFree(self->handle.object, data);
  }
  if (status != NULL) {
    report(self, status);
  }
}

static void block_dealloc(PyObject* self) {
  struct block* block = (struct block*)self;
  struct allocator* allocator = block->allocator;
  PyTypeObject* type = Py_TYPE(self);
  if (block->data != NULL) {
    give_back(allocator, block->data);
  }
  PyObject_Free(self);
  Py_DECREF(type);
  handle_drop(&allocator->handle);
  Py_DECREF((PyObject*)allocator);
}

static PyType_Slot block_slots[] = {
    {Py_tp_dealloc, (void*)block_dealloc},
    {Py_bf_getbuffer, (void*)block_getbuffer},
    {0, NULL},
};

PyType_Spec ortcffi_block_spec = ORTCFFI_TYPE("ortcffi._compiled.Block", struct block,
                                              Py_TPFLAGS_DISALLOW_INSTANTIATION, block_slots);

/* begin_blocks(most): `most` is the number of dimensions that an ndarray can have. */
static PyObject* begin_blocks(PyObject* module, PyObject* most) {
  c_name = PyUnicode_InternFromString("C");
  max_dimensions = PyLong_AsSsize_t(most);
  if (PyErr_Occurred()) {
    return NULL;
  }
  max_dimensions = max_dimensions < EXTENT_DIMENSIONS ? max_dimensions : EXTENT_DIMENSIONS;
  Py_RETURN_NONE;
}

PyMethodDef ortcffi_block_functions[] = {
    {"begin_blocks", begin_blocks, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
