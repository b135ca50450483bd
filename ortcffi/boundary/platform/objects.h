/* SPDX-License-Identifier: MIT */
/*
 * Functions on Python objects, for what CFFI alone does too slowly or not at all.
 *
 * An argument of type ortcffi_object* takes any object; the caller keeps its reference. A result is
 * a new reference, or NULL with an exception, which the call then raises; see conversions.h. All of
 * them need the GIL, so they keep it.
 */
#ifndef ORTCFFI_BOUNDARY_OBJECTS_H_
#define ORTCFFI_BOUNDARY_OBJECTS_H_

#include "onnxruntime_c_api.h"

typedef struct ortcffi_object ortcffi_object;

/* A new type Blocks, see memory/blocks.c. An ndarray can have `most_dimensions`. */
ortcffi_object* ortcffi_allocator_type(int most_dimensions);

/* A new type Owner, see handle.h. To be called before any function that takes an object. */
ortcffi_object* ortcffi_new_handle_type(void);

/* Gives ffi.from_buffer, by which handles make cdata. */
void ortcffi_handles_begin(ortcffi_object* from_buffer);

/* Begins to make the object of a handle, see handle_make. `type` is CFFI's type of the pointer,
 * `release` a function, or NULL for an object that a parent owns. */
ortcffi_object* ortcffi_make_handle(ortcffi_object* handle, const void* api, ortcffi_object* type,
                                    void* release, ortcffi_object* parents);

/* A cdata of `type`, CFFI's type of pointers to the object's pointer: where C is to write the
 * object to. Valid as long as the handle. */
ortcffi_object* ortcffi_handle_out(ortcffi_object* handle, ortcffi_object* type);

/* In the child of a fork: objects with threads now belong to another process. */
void ortcffi_new_process(void);

/* Several objects of one type, and the function that releases each. */
typedef struct ortcffi_list ortcffi_list;
/* A function that releases an object. It is called with the GIL, which it may release meanwhile. If
 * `api` is NULL, it takes the object alone and is called without the GIL. */
typedef void ortcffi_release(const OrtApi* api, void* object);

/* 0 where there is no memory. */
int ortcffi_new_list(ortcffi_release* release, size_t count, ortcffi_list** out);
/* Releases the objects that are left in the list. */
void ortcffi_release_list(const OrtApi* api, ortcffi_list* list);
void** ortcffi_list_items(ortcffi_list* list);
/* Writes the pointer at a place to `out`, which owns the object from then on. */
void ortcffi_list_move(ortcffi_list* list, size_t place, void** out);

/* A new reference to the object at an address, which must be alive: C passes such addresses as
 * contexts of callbacks. */
ortcffi_object* ortcffi_object_at(void* address);

#endif /* ORTCFFI_BOUNDARY_OBJECTS_H_ */
