/* SPDX-License-Identifier: MIT */
/*
 * Reaching into objects of the official package, whose binding is made with pybind11.
 *
 * pybind11 has a protocol between extension modules: every object has a method that returns the
 * address of the C++ object inside, for a caller that names its C++ type. So nothing here depends
 * on the layout of the binding's objects.
 */
#ifndef ORTCFFI_BOUNDARY_OFFICIAL_H_
#define ORTCFFI_BOUNDARY_OFFICIAL_H_

#include <stddef.h>
#include <stdint.h>

#include "onnxruntime_c_api.h"

/* The C++ types that are asked for. */
typedef enum ortcffi_official_type {
  ORTCFFI_OFFICIAL_VALUE,           /* OrtValue */
  ORTCFFI_OFFICIAL_SESSION_OPTIONS, /* PySessionOptions, which begins with OrtSessionOptions */
  ORTCFFI_OFFICIAL_OLD_OPTIONS,     /* OrtSessionOptions itself, up to release 1.22 */
  ORTCFFI_OFFICIAL_RUN_OPTIONS,     /* OrtRunOptions */
  ORTCFFI_OFFICIAL_MEMORY_INFO,     /* OrtMemoryInfo */
  ORTCFFI_OFFICIAL_SESSION,         /* PyInferenceSession, which refers to the OrtSession */
  ORTCFFI_OFFICIAL_TYPES
} ortcffi_official_type;

/**
 * The mangled name of a C++ type.
 * @param[in] type A member of ortcffi_official_type.
 * @return A constant, ASCII; NULL for another number.
 */
const char* ortcffi_official_type_name(int type);

/**
 * Copies memory of this process that may not be readable, through the system, which checks it.
 * @param[in] address Where the memory begins.
 * @param[out] out Where it is copied to; its content is undefined on failure.
 * @param[in] size How many bytes, up to 4096.
 * @return 1 if all bytes were copied, otherwise 0.
 */
int ortcffi_read_memory(uintptr_t address, void* out, size_t size);

#ifndef ORTCFFI_CDEF
#include "boundary/limited_api.h"

/* Adds the function for Python to the module. */
int ortcffi_add_official(PyObject* module);
#endif

#endif /* ORTCFFI_BOUNDARY_OFFICIAL_H_ */
