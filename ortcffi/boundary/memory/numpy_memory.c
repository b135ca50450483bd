/* SPDX-License-Identifier: MIT */
/* An OrtAllocator as the source of NumPy's memory (NEP 49). Every function runs with the GIL held.
 */
#include "boundary/limited_api.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "adaptors/adaptor.h"
#include "onnxruntime_c_api.h"

#include "boundary/memory/adaptors.h"
#include "boundary/memory/numpy_arrays.h"

struct context {
  PyDataMem_Handler handler;
  OrtAllocator* allocator;
};

/* NumPy's realloc does not say how long the block was, so each block carries its size. */
#define HEADER ((size_t)64)

static void* take_bytes(struct context* context, size_t size) {
  if (size > SIZE_MAX - HEADER) {
    return NULL;
  }
  OrtAllocator* allocator = context->allocator;
  char* start = size < CORE_MAY_THROW ? allocator->Alloc(allocator, size + HEADER)
                                      : core_alloc_from(allocator, size + HEADER, 0);
  if (start == NULL) {
    return NULL;
  }
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
  (void)size;
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
  free(context);
}

static PyObject* new_handler(OrtAllocator* allocator) {
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
  PyCapsule_SetContext(capsule, context);
  return capsule;
}

/*
 * An allocator as the source of NumPy's memory (NEP 49). NumPy has its handler in a ContextVar,
 * here `handlers`. Arrays keep the handler that they were made with, and a handler keeps a
 * reference to the allocator.
 */

/* numpy_use_default(): sets NumPy's own handler in this context, so that the context has the
 * variable. */
static PyObject* use_default(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  PyObject* before = ortcffi_arrays_begin() < 0 ? NULL : PyDataMem_SetHandler(NULL);
  Py_XDECREF(before);
  return before == NULL ? NULL : Py_NewRef(Py_None);
}

/* Sets a context variable; returns the token. NULL with an exception, also for no value. */
static PyObject* set_variable(PyObject* variable, PyObject* value) {
  return value == NULL ? NULL : PyObject_CallMethod(variable, "set", "(O)", value);
}

/* Sets the variable with the tokens of the blocks that are open; true on success. */
static int set_tokens(PyObject* variable, PyObject* tokens) {
  PyObject* token = set_variable(variable, tokens);
  Py_XDECREF(token);
  return token != NULL;
}

static PyObject* one_longer(PyObject* tokens, PyObject* last) {
  PyObject* end = PyTuple_Pack(1, last);
  PyObject* longer = end == NULL ? NULL : PySequence_Concat(tokens, end);
  Py_XDECREF(end);
  return longer;
}

/* Restores a context variable to its value before a token. In a copy of the token's context it
 * cannot be reset, so it is set to that value. True on success. */
static int reset(PyObject* variable, PyObject* token) {
  PyObject* answer = PyObject_CallMethod(variable, "reset", "(O)", token);
  if (answer == NULL &&
      (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_RuntimeError))) {
    PyErr_Clear();
    PyObject* before = PyObject_GetAttrString(token, "old_value");
    PyObject* missing = PyObject_GetAttrString(token, "MISSING");
    answer = set_variable(variable, before == missing ? PyDataMem_DefaultHandler : before);
    Py_XDECREF(missing);
    Py_XDECREF(before);
  }
  Py_XDECREF(answer);
  return answer != NULL;
}

/* Undoes a step after a failure, and keeps the exception of that failure. */
static void undo_step(int (*act)(PyObject*, PyObject*), PyObject* variable, PyObject* argument) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  act(variable, argument);
  PyErr_Restore(type, value, traceback);
}

/* numpy_enter(allocator, handlers, open): sets the handler of an allocator at an address in this
 * context, and adds the token to the tuple in `open`, a ContextVar. An interrupt undoes both. */
static PyObject* enter(PyObject* module, PyObject* arguments) {
  (void)module;
  unsigned long long allocator;
  PyObject *handlers, *open;
  if (!PyArg_ParseTuple(arguments, "KOO", &allocator, &handlers, &open)) {
    return NULL;
  }
  PyObject* tokens = PyObject_CallMethod(open, "get", NULL);
  PyObject* handler = tokens == NULL ? NULL : new_handler((OrtAllocator*)(uintptr_t)allocator);
  PyObject* token = set_variable(handlers, handler);
  PyObject* longer = token == NULL ? NULL : one_longer(tokens, token);
  int is_entered = set_tokens(open, longer);
  if (token != NULL && !is_entered) {
    undo_step(reset, handlers, token);
  }
  Py_XDECREF(longer);
  Py_XDECREF(token);
  Py_XDECREF(handler);
  Py_XDECREF(tokens);
  return is_entered ? Py_NewRef(Py_None) : NULL;
}

/* numpy_leave(handlers, open): takes the last token from that tuple, and has NumPy use the handler
 * before it. False if the tuple is empty. */
static PyObject* leave(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *handlers, *open;
  if (!PyArg_UnpackTuple(arguments, "numpy_leave", 2, 2, &handlers, &open)) {
    return NULL;
  }
  PyObject* tokens = PyObject_CallMethod(open, "get", NULL);
  Py_ssize_t count = tokens == NULL ? -1 : PyTuple_Size(tokens);
  if (count <= 0) {
    Py_XDECREF(tokens);
    return count == 0 ? Py_NewRef(Py_False) : NULL;
  }
  PyObject* shorter = PyTuple_GetSlice(tokens, 0, count - 1);
  int is_left = set_tokens(open, shorter);
  if (is_left && !reset(handlers, PyTuple_GetItem(tokens, count - 1))) {
    undo_step(set_tokens, open, tokens);
    is_left = 0;
  }
  Py_XDECREF(shorter);
  Py_DECREF(tokens);
  return is_left ? Py_NewRef(Py_True) : NULL;
}

static PyMethodDef numpy_functions[] = {
    {"numpy_use_default", use_default, METH_NOARGS, NULL},
    {"numpy_enter", enter, METH_VARARGS, NULL},
    {"numpy_leave", leave, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int ortcffi_add_numpy_memory(PyObject* module) {
  return PyModule_AddFunctions(module, numpy_functions);
}
