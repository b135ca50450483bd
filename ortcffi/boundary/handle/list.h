/* SPDX-License-Identifier: MIT */
/* Several objects of one type, and the function that releases each. */
#ifndef ORTCFFI_BOUNDARY_PLATFORM_LIST_H_
#define ORTCFFI_BOUNDARY_PLATFORM_LIST_H_

#include "onnxruntime_c_api.h"

typedef struct ortcffi_list ortcffi_list;
/* A function that releases an object. If `api` is NULL, it takes the object alone. */
typedef void ortcffi_release(const OrtApi* api, void* object);

/* 0 where there is no memory. */
int ortcffi_new_list(ortcffi_release* release, size_t count, ortcffi_list** out);
/* Releases the objects that are left in the list. */
void ortcffi_release_list(const OrtApi* api, ortcffi_list* list);
void** ortcffi_list_items(ortcffi_list* list);
/* Writes the pointer at a place to `out`, which owns the object from then on. */
void ortcffi_list_move(ortcffi_list* list, size_t place, void** out);

#endif /* ORTCFFI_BOUNDARY_PLATFORM_LIST_H_ */
