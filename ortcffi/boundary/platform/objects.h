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

typedef struct ortcffi_object ortcffi_object;

/* A new type Source; see memory/blocks.c. To be called before any function that takes an object. */
ortcffi_object* ortcffi_source_type(void);

/* A new type Owner, see owner.c; `ffi_cast` is ffi.cast. */
ortcffi_object* ortcffi_owner_type(ortcffi_object* ffi_cast);

/* The object at an address, which must be alive: C passes it as the context of a callback. */
ortcffi_object* ortcffi_object_at(void* address);

#endif /* ORTCFFI_BOUNDARY_OBJECTS_H_ */
