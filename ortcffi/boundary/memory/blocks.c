/* SPDX-License-Identifier: MIT */
/*
 * Blocks of an allocator as Python objects: what an ndarray keeps as its base.
 *
 * In CFFI alone such an object is a cdata with a destructor and a buffer around it, made by three
 * calls, beside a few more to multiply the dimensions; those took twice the time of all the rest.
 *
 *   Source(api, allocator, refuse, max_dimensions)
 *       One allocator, to which it holds a reference. The first two are addresses; `refuse(status,
 *       function)` raises, given the address of what a slot answered; `max_dimensions` is how many
 *       an ndarray can have.
 *   Source.block(shape, itemsize) -> Block
 *       Room for an array of that shape.
 *   Source.zeroed(shape, itemsize) -> Block
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
#include "boundary/memory/reference_objects.h"
#include "boundary/status/raise.h"

struct source {
  PyObject base;
  const OrtApi* api;
  OrtAllocator* allocator;
  PyObject* refuse;
  Py_ssize_t max_dimensions;
  /* Whether the allocator may block or call back, so that the interpreter lock is released. */
  int is_foreign;
};

struct block {
  PyObject base;
  struct source* source;
  void* data;
  Py_ssize_t size;
};

static PyTypeObject* block_type;

/* --- the size of an array ----------------------------------------------------------------------*/

/* One dimension, named in the error by its place; -1 for an error. */
static Py_ssize_t read_dimension(PyObject* dimension, Py_ssize_t place) {
  Py_ssize_t length = -1;
  int is_index = PyIndex_Check(dimension) && !PyBool_Check(dimension);
  if (is_index) {
    length = PyNumber_AsSsize_t(dimension, PyExc_OverflowError);
  }
  if (length >= 0) {
    return length;
  }
  if (is_index && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError))) {
    PyErr_Format(PyExc_ValueError, "shape[%zd] must be from 0 to %zd, but is %R", place,
                 PY_SSIZE_T_MAX, dimension);
  } else if (!is_index || PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Format(PyExc_TypeError, "shape[%zd] must be an int, not of %R", place,
                 Py_TYPE(dimension));
  }
  return -1;
}

/* The bytes of an array with the dimensions in a tuple; -1 for an error. Nothing may overflow even
 * where another dimension is 0, because NumPy has no such arrays. */
static Py_ssize_t array_size(PyObject* shape, Py_ssize_t itemsize, Py_ssize_t max_dimensions) {
  Py_ssize_t count = PyTuple_Size(shape);
  if (count > max_dimensions) {
    PyErr_Format(PyExc_ValueError, "shape must have at most %zd dimensions, but has %zd",
                 max_dimensions, count);
    return -1;
  }
  Py_ssize_t size = itemsize;
  int is_empty = 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    Py_ssize_t length = read_dimension(PyTuple_GetItem(shape, i), i);
    if (length < 0) {
      return -1;
    }
    if (length == 0) {
      is_empty = 1;
    } else if (__builtin_mul_overflow(size, length, &size)) {
      PyErr_Format(PyExc_ValueError, "shape %R needs more than %zd bytes", shape, PY_SSIZE_T_MAX);
      return -1;
    }
  }
  return is_empty ? 0 : size;
}

/* The dimensions as a new tuple: of a sequence, or of one number. */
static PyObject* as_tuple(PyObject* shape) {
  if (PySequence_Check(shape) && !PyUnicode_Check(shape) && !PyBytes_Check(shape)) {
    PyObject* dimensions = PySequence_Tuple(shape);
    if (dimensions != NULL || !PyIndex_Check(shape)) {
      return dimensions;
    }
    PyErr_Clear(); /* an array of NumPy's without dimensions is a number after all */
  }
  if (PyIndex_Check(shape)) {
    return PyTuple_Pack(1, shape);
  }
  PyErr_Format(PyExc_TypeError, "shape must be an int or a sequence of ints, not of %R",
               Py_TYPE(shape));
  return NULL;
}

static Py_ssize_t size_of(const struct source* source, PyObject* shape, PyObject* itemsize) {
  Py_ssize_t item = PyLong_AsSsize_t(itemsize);
  if (item == -1 && PyErr_Occurred()) {
    return -1;
  }
  PyObject* dimensions = PyTuple_CheckExact(shape) ? Py_NewRef(shape) : as_tuple(shape);
  if (dimensions == NULL) {
    return -1;
  }
  Py_ssize_t size = array_size(dimensions, item, source->max_dimensions);
  Py_DECREF(dimensions);
  return size;
}

/* --- Source ------------------------------------------------------------------------------------*/

/* Leaves an exception for what a slot answered, also for success where it did not do its work. */
static void refuse(const struct source* source, OrtStatus* status, const char* function) {
  PyObject* answer =
      PyObject_CallFunction(source->refuse, "Ks", (unsigned long long)(uintptr_t)status, function);
  Py_XDECREF(answer);
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
    refuse(source, status, "AllocatorAlloc");
    return NULL;
  }
  return data;
}

static struct block* new_block(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  struct source* source = (struct source*)self;
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "a block takes a shape and an itemsize");
    return NULL;
  }
  Py_ssize_t size = size_of(source, arguments[0], arguments[1]);
  if (size < 0) {
    return NULL;
  }
  struct block* block = PyObject_New(struct block, block_type);
  if (block == NULL) {
    return NULL;
  }
  block->source = (struct source*)Py_NewRef(self);
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

static PyObject* source_block(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return (PyObject*)new_block(self, arguments, count);
}

static PyObject* source_zeroed(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  struct block* block = new_block(self, arguments, count);
  if (block != NULL && block->data != NULL) {
    heap_zero(block->data, (size_t)block->size);
  }
  return (PyObject*)block;
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
    source->max_dimensions = max_dimensions;
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
    {"block", (PyCFunction)(void (*)(void))source_block, METH_FASTCALL, NULL},
    {"zeroed", (PyCFunction)(void (*)(void))source_zeroed, METH_FASTCALL, NULL},
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
  /* NumPy takes a buffer at NULL for no buffer at all. */
  static _Alignas(64) char nothing[1];
  struct block* block = (struct block*)self;
  void* data = block->data == NULL ? nothing : block->data;
  return PyBuffer_FillInfo(view, self, data, block->size, 0, flags);
}

static void report(const struct source* source, OrtStatus* status) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  refuse(source, status, "AllocatorFree");
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
  block_type = (PyTypeObject*)PyType_FromSpec(&block_spec);
  return block_type == NULL ? NULL : (ortcffi_object*)PyType_FromSpec(&source_spec);
}
