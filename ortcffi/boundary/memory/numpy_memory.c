/* SPDX-License-Identifier: MIT */
/*
 * An OrtAllocator as the source of NumPy's memory (NEP 49). NumPy has its handler in the context.
 * Arrays keep the handler that they were made with. A handler keeps a reference to its allocator,
 * and the handler that was in the context before it. Every function runs with the GIL held.
 */
#include "boundary/limited_api.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heap/heap_base.h"
#include "adaptors/adaptor.h"
#include "onnxruntime_c_api.h"

#include "boundary/module.h"
#include "boundary/memory/numpy_arrays.h"
#include "boundary/status/calls.h"

struct context {
  PyDataMem_Handler handler;
  OrtAllocator* allocator;
  PyObject* before;
};

/* NumPy's realloc does not say how long the block was, so each block carries its size. */
#define HEADER ((size_t)64)

static void* take_bytes(struct context* context, size_t size) {
  if (size > SIZE_MAX - HEADER) {
    return NULL;
  }
  OrtAllocator* allocator = context->allocator;
  struct ortcffi_call call;
  ortcffi_call_begin(&call);
  char* start = size < CORE_MAY_THROW ? allocator->Alloc(allocator, size + HEADER)
                                      : core_alloc_from(allocator, size + HEADER, 0);
  if (start == NULL) {
    ortcffi_call_end_empty(&call, "Alloc");
    return NULL;
  }
  (void)ortcffi_call_end(&call, NULL, "Alloc");
  memcpy(start, &size, sizeof size);
  return start + HEADER;
}

static void* numpy_malloc(void* context, size_t size) { return take_bytes(context, size); }

static void* numpy_calloc(void* context, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    return NULL;
  }
  void* block = take_bytes(context, bytes);
  if (block != NULL) {
    heap_zero(block, bytes);
  }
  return block;
}

static void numpy_free(void* context, void* block, size_t size) {
  OrtAllocator* allocator = ((struct context*)context)->allocator;
  if (block != NULL) {
    allocator->Free(allocator, (char*)block - HEADER);
  }
}

static void* numpy_realloc(void* context, void* block, size_t size) {
  void* moved = take_bytes(context, size);
  if (moved != NULL && block != NULL) {
    size_t before;
    memcpy(&before, (char*)block - HEADER, sizeof before);
    memcpy(moved, block, before < size ? before : size);
    numpy_free(context, block, before);
  }
  return moved;
}

static void destroy(PyObject* capsule) {
  struct context* context = PyCapsule_GetContext(capsule);
  core_allocator_release(context->allocator);
  Py_DECREF(context->before);
  free(context);
}

static PyObject* new_handler(OrtAllocator* allocator, PyObject* before) {
  struct context* context = calloc(1, sizeof *context);
  if (context == NULL) {
    return PyErr_NoMemory();
  }
  memcpy(context->handler.name, "ortcffi", sizeof "ortcffi");
  context->handler.version = 1;
  context->handler.allocator = (PyDataMemAllocator){
      .ctx = context,
      .malloc = numpy_malloc,
      .calloc = numpy_calloc,
      .realloc = numpy_realloc,
      .free = numpy_free,
  };
  context->allocator = allocator;
  PyObject* capsule = PyCapsule_New(&context->handler, "mem_handler", destroy);
  if (capsule == NULL) {
    free(context);
    return NULL;
  }
  core_allocator_retain(allocator);
  context->before = Py_NewRef(before);
  PyCapsule_SetContext(capsule, context);
  return capsule;
}

/* The context of a handler; NULL without an exception if it is not one of these. */
static struct context* context_of(PyObject* capsule) {
  PyDataMem_Handler* handler = PyCapsule_GetPointer(capsule, "mem_handler");
  PyErr_Clear();
  int is_ours = handler != NULL && handler->allocator.malloc == numpy_malloc;
  return is_ours ? PyCapsule_GetContext(capsule) : NULL;
}

/* numpy_handler(): the handler of this context; None for NumPy's own. */
static PyObject* get_handler(PyObject* module, PyObject* unused) {
  PyObject* handler = ortcffi_arrays_begin() < 0 ? NULL : PyDataMem_GetHandler();
  if (handler == PyDataMem_DefaultHandler) {
    Py_DECREF(handler);
    Py_RETURN_NONE;
  }
  return handler;
}

static PyObject* set_handler(PyObject* handler) {
  PyObject* before = PyDataMem_SetHandler(handler);
  Py_XDECREF(before);
  return before == NULL ? NULL : Py_NewRef(Py_None);
}

/* numpy_use(handler): sets what numpy_handler() has returned. */
static PyObject* use_handler(PyObject* module, PyObject* handler) {
  return set_handler(handler == Py_None ? NULL : handler);
}

/* numpy_enter(allocator): sets a new handler of an allocator, which is given by its address. */
static PyObject* enter(PyObject* module, PyObject* address) {
  OrtAllocator* allocator = PyLong_AsVoidPtr(address);
  PyObject* before = allocator == NULL ? NULL : PyDataMem_GetHandler();
  PyObject* handler = before == NULL ? NULL : new_handler(allocator, before);
  PyObject* answer = handler == NULL ? NULL : set_handler(handler);
  Py_XDECREF(handler);
  Py_XDECREF(before);
  return answer;
}

/* numpy_leave(): sets the handler before the last one; False if that is not of an allocator. */
static PyObject* leave(PyObject* module, PyObject* unused) {
  PyObject* handler = PyDataMem_GetHandler();
  if (handler == NULL) {
    return NULL;
  }
  struct context* context = context_of(handler);
  PyObject* left = context == NULL ? NULL : PyDataMem_SetHandler(context->before);
  Py_DECREF(handler);
  Py_XDECREF(left);
  return context != NULL && left == NULL ? NULL : PyBool_FromLong(context != NULL);
}

PyMethodDef ortcffi_numpy_functions[] = {
    {"numpy_handler", get_handler, METH_NOARGS, NULL},
    {"numpy_use", use_handler, METH_O, NULL},
    {"numpy_enter", enter, METH_O, NULL},
    {"numpy_leave", leave, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
