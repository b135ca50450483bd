/* SPDX-License-Identifier: MIT */
/**
 * @file exported.h
 * What leaves a library. All else is hidden; core/exports has the names for the linker.
 */
#pragma once

#if defined(__GNUC__)
#define CORE_EXPORT __attribute__((visibility("default")))
#else
#define CORE_EXPORT
#endif

/* In front of a declaration: the function leaves the core for the Python extension, which comes
 * with it and is compiled from the same headers. It is nobody else's. Windows has its own word. */
#if defined(CORE_FOR_EXTENSION)
#elif defined(_WIN32)
#define CORE_FOR_EXTENSION __declspec(dllexport)
#else
#define CORE_FOR_EXTENSION CORE_EXPORT
#endif

#if !defined(ORTCFFI_CDEF)
#include "exported_names.inc"
#endif
