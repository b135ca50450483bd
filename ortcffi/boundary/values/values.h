/* SPDX-License-Identifier: MIT */
/*
 * Values as Python objects: what ortcffi/values/value.py builds its class Value on.
 *
 * With CFFI alone a value would be a cdata with a destructor, and to make an array of it would take
 * half a dozen calls, several times as long as in the official package.
 *
 *   Maker(api, info, allocator, version, owner, parent)
 *       One table. `api`, `info`, which describes the memory of the CPU, and `allocator`, the
 *       library's default one, are addresses; `owner` is the Api, `parent` keeps them valid.
 *   Tensor
 *       A value of any kind: a handle of an OrtValue (handle/handle.h). Arrays and buffers over
 *       its memory keep it: after `close` the memory is released with the last of them.
 *
 * All functions need the GIL. Those that may block or call back release it.
 */
#ifndef ORTCFFI_BOUNDARY_VALUES_H_
#define ORTCFFI_BOUNDARY_VALUES_H_

#include "boundary/limited_api.h"

#include <stdint.h>

#include "onnxruntime_c_api.h"
#include "boundary/handle/handle.h"
#include "boundary/module.h"
#include "boundary/status/fail.h"
#include "boundary/values/layout.h"

struct maker {
  PyObject base;
  const OrtApi* api;
  const OrtMemoryInfo* info;
  OrtAllocator* allocator; /* the library's default one, which makes tensors of strings */
  int version;
  PyObject* owner;
  PyObject* parent;
  struct layout layout;
};

struct value {
  struct handle life; /* of the OrtValue */
  struct maker* maker;
  /* Data, shape and element type of a tensor, read at the first request: they never change. */
  void* data;
  const int64_t* shape; /* in the OrtValue; in shape_copy for tables that return no reference */
  int64_t* shape_copy;
  size_t rank;
  int element, kind;
  char has_kind, has_shape, has_data;
  char is_on_cpu; /* its memory is known to be the CPU's */
  char is_readonly;
  char is_held; /* arrays or buffers may point to the memory, and keep it until the last goes */
};

/* The OrtValue; NULL before there is one, and after its release. */
static inline OrtValue* ortcffi_value_object(const struct value* value) {
  return (OrtValue*)value->life.object;
}

/* A new value of a subtype of Tensor around an OrtValue that it is to own; NULL with an exception,
 * and the OrtValue is released. `parent` outlives it, and may be NULL. */
struct value* ortcffi_new_value(PyTypeObject* type, struct maker* maker, OrtValue* object,
                                PyObject* parent);

/* A new value without an OrtValue, which is to be written to `life.object`. NULL with an exception.
 */
struct value* ortcffi_blank_value(PyTypeObject* type, struct maker* maker, PyObject* parent);

/* Marks a value as held: something points into it, so it is not released before its last reference.
 */
void ortcffi_value_hold(struct value* value);

/* A new tensor from an allocator; None where that has no memory, NULL with an exception. */
PyObject* ortcffi_new_tensor(PyObject* type, struct maker* maker, OrtAllocator* allocator,
                             const int64_t* shape, size_t rank, int element);

/* A new tensor over memory that `parent` keeps; NULL with an exception. */
PyObject* ortcffi_borrow(PyObject* type, struct maker* maker, void* data, size_t size,
                         const int64_t* shape, size_t rank, int element, PyObject* parent,
                         int is_readonly);

/* A tuple of int as C has it, to be given to PyMem_Free; NULL with an exception. */
int64_t* ortcffi_lengths_of(PyObject* shape);

/* Raises the exception for a status of `maker`'s table, and releases it. Always returns NULL. */
PyObject* ortcffi_value_fail(const struct maker* maker, OrtStatus* status, const char* function);

/* 0 if the value is open; otherwise -1 with an exception. */
int ortcffi_value_open(const struct value* value);
/* An ONNXType; -1 with an exception. */
int ortcffi_value_kind(struct value* value);
/* Fills in element type and shape, or also the data; -1 with an exception. */
int ortcffi_value_shape(struct value* value);
int ortcffi_value_data(struct value* value);

/* The number of elements, and of bytes. Neither overflows: the library has checked that. */
size_t ortcffi_value_count(const struct value* value);
size_t ortcffi_value_bytes(const struct value* value);

/* Bits of an element; 0 for strings and for what is no type of a tensor. */
int ortcffi_element_bits(int element);

/* A new array with the elements of a tensor whose data were read, each of whole bytes. */
PyObject* ortcffi_copy_of_value(const struct value* tensor);

/* A valid address for tensors without bytes: to NumPy, NULL means that it should allocate. */
void* ortcffi_empty_memory(void);

/* Methods of Tensor, by file. */
PyObject* ortcffi_value_empty(PyObject* type, PyObject* arguments);
/* CFFI's type OrtValue*. */
extern PyObject* ortcffi_value_pointer;
PyObject* ortcffi_value_adopt(PyObject* type, PyObject* arguments);
int ortcffi_value_traverse(PyObject* self, visitproc visit, void* arg);
void ortcffi_value_dealloc(PyObject* self);

PyObject* ortcffi_value_from_numpy(PyObject* type, PyObject* const* arguments, Py_ssize_t count,
                                   PyObject* keywords);
PyObject* ortcffi_value_plain(PyObject* type, PyObject* arguments);
PyObject* ortcffi_value_borrow(PyObject* type, PyObject* arguments);
PyObject* ortcffi_value_numpy(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords);
PyObject* ortcffi_value_array(PyObject* self, PyObject* unused);
PyObject* ortcffi_value_view(PyObject* self, PyObject* arguments);
PyObject* ortcffi_value_capsule(PyObject* self, PyObject* arguments);
/* take_capsule(owner, capsule): an owner that is being made gets what a capsule of DLPack has, and
 * the capsule the name of a used one. In one call, since an interrupt in between would have both
 * release the tensor. */
PyObject* ortcffi_take_capsule(PyObject* module, PyObject* arguments);
/* An array, as far as a tensor over its memory needs it. */
struct plain_array {
  void* data;
  const int64_t* shape;
  size_t rank;
  size_t bytes;
  PyObject* object; /* the array, if it is one of str, borrowed */
  int element;
  int is_readonly;
};

/* Describes an ndarray whose memory can be a tensor's as it is; 0 for any other object. */
int ortcffi_plain_array(PyObject* x, struct plain_array* out);
/* Describes a C-contiguous ndarray of Python objects (PyObject*) or of str (UTF-32); 0 for any
 * other object. */
int ortcffi_text_array(PyObject* x, struct plain_array* out);
/* A new tensor of strings, of an array that ortcffi_text_array has described. 1 with the value; 0
 * where an element is not a str that C can hold as it is; -1 with an exception. */
int ortcffi_strings_from_array(const struct maker* maker, const struct plain_array* array,
                               OrtValue** out);
/* A new array of str with the elements of a tensor of strings. What is no UTF-8 is an error if
 * `is_strict`, and otherwise replaced. */
PyObject* ortcffi_value_string_array(struct value* value, int is_strict);
PyObject* ortcffi_value_fill_strings(PyObject* self, PyObject* strings);
PyObject* ortcffi_value_strings(PyObject* self, PyObject* unused);
PyObject* ortcffi_value_raw_strings(PyObject* self, PyObject* unused);
PyObject* ortcffi_value_sparse_strings(PyObject* self, PyObject* count);
/* Finds NumPy's functions; -1 with an exception. `scope` is the namespace in which _chosen is the
 * default Api. */
int ortcffi_value_arrays_init(PyObject* scope);

#endif
