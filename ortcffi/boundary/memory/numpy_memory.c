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
#include "boundary/memory/numpy_table.h"

/* NumPy's structs of version 1 of the protocol; new fields come after these. */
struct numpy_allocator {
  void* context;
  void* (*malloc)(void* context, size_t size);
  void* (*calloc)(void* context, size_t count, size_t size);
  void* (*realloc)(void* context, void* block, size_t size);
  void (*free)(void* context, void* block, size_t size);
};

struct numpy_handler {
  char name[127];
  uint8_t version;
  struct numpy_allocator allocator;
};

/* Place of PyDataMem_SetHandler in the table of functions that NumPy exports in a capsule. */
#define SET_HANDLER 304

struct context {
  struct numpy_handler handler;
  OrtAllocator* allocator;
};

/* NumPy's realloc does not say how long the block was, so each block carries its size. */
#define HEADER ((size_t)64)

static void* take(struct context* context, size_t size) {
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

static void* numpy_malloc(void* context, size_t size) { return take(context, size); }

static void* numpy_calloc(void* context, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    return NULL;
  }
  void* block = take(context, bytes);
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
  void* moved = take(context, size);
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
  context->handler.allocator = (struct numpy_allocator){
      .context = context,
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

void** ortcffi_numpy_functions(void) {
  static void** functions;
  /* It moved in NumPy 2. */
  static const char* const places[] = {"numpy._core._multiarray_umath",
                                       "numpy.core._multiarray_umath"};
  for (size_t i = 0; functions == NULL && i < sizeof places / sizeof *places; i++) {
    PyObject* module = PyImport_ImportModule(places[i]);
    PyObject* capsule = module == NULL ? NULL : PyObject_GetAttrString(module, "_ARRAY_API");
    functions = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, NULL);
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    PyErr_Clear();
  }
  return functions;
}

/* Sets NumPy's handler in this context; returns the one before, or NULL with an exception. */
static PyObject* set_handler(PyObject* handler) {
  PyObject* (*function)(PyObject*);
  memcpy(&function, &ortcffi_numpy_functions()[SET_HANDLER], sizeof function);
  return function(handler);
}

/* Sets a context variable to a tuple; true on success. Takes the tuple's reference. */
static int set_stack(PyObject* variable, PyObject* stack) {
  PyObject* token = stack == NULL ? NULL : PyObject_CallMethod(variable, "set", "(O)", stack);
  Py_XDECREF(token);
  Py_XDECREF(stack);
  return token != NULL;
}

static PyObject* one_longer(PyObject* stack, PyObject* last) {
  PyObject* end = PyTuple_Pack(1, last);
  PyObject* longer = end == NULL ? NULL : PySequence_Concat(stack, end);
  Py_XDECREF(end);
  return longer;
}

/* Has NumPy use a handler again, whatever exception there is. */
static void set_back(PyObject* handler) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Py_XDECREF(set_handler(handler));
  PyErr_Restore(type, value, traceback);
}

ortcffi_object* ortcffi_numpy_enter(OrtAllocator* allocator, ortcffi_object* variable) {
  if (ortcffi_numpy_functions() == NULL) {
    return (ortcffi_object*)Py_NewRef(Py_False);
  }
  PyObject* stack = PyObject_CallMethod((PyObject*)variable, "get", NULL);
  PyObject* handler = stack == NULL ? NULL : new_handler(allocator);
  PyObject* before = handler == NULL ? NULL : set_handler(handler);
  PyObject* answer = NULL;
  if (before != NULL && set_stack((PyObject*)variable, one_longer(stack, before))) {
    answer = Py_NewRef(Py_True);
  } else if (before != NULL) {
    set_back(before);
  }
  Py_XDECREF(before);
  Py_XDECREF(handler);
  Py_XDECREF(stack);
  return (ortcffi_object*)answer;
}

ortcffi_object* ortcffi_numpy_leave(ortcffi_object* variable) {
  PyObject* stack = PyObject_CallMethod((PyObject*)variable, "get", NULL);
  Py_ssize_t count = stack == NULL ? -1 : PyTuple_Size(stack);
  if (count <= 0) {
    Py_XDECREF(stack);
    return (ortcffi_object*)(count == 0 ? Py_NewRef(Py_False) : NULL);
  }
  PyObject* ours = set_handler(PyTuple_GetItem(stack, count - 1));
  PyObject* answer = NULL;
  if (ours != NULL && set_stack((PyObject*)variable, PyTuple_GetSlice(stack, 0, count - 1))) {
    answer = Py_NewRef(Py_True);
  } else if (ours != NULL) {
    set_back(ours);
  }
  Py_XDECREF(ours);
  Py_DECREF(stack);
  return (ortcffi_object*)answer;
}
