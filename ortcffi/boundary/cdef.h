/* SPDX-License-Identifier: MIT */
/* What CFFI sees of C: one named function per slot, and what the boundary adds. tools/generate.py
 * runs this file through the preprocessor, which makes cdef.txt of it. */
#ifndef ORTCFFI_BOUNDARY_CDEF_H_
#define ORTCFFI_BOUNDARY_CDEF_H_

/* CFFI would link functions that it sees declared, and the core exports no provider. */
#define ORT_NO_PROVIDER_EXPORTS
/* CFFI knows no attributes. */
#define CORE_FOR_EXTENSION
#include "onnxruntime_c_api.h"
#include "ortcore.h"

#define PARAMETERS(...) __VA_ARGS__
#define DECLARE(table, returns, name, parameters) \
  returns name(const table* api, PARAMETERS parameters);
#define DECLARE_GETTER(table, returns, name) returns name(const table* api);

#define ROWS "boundary/declare_rows.def"
#include "ort_tables.def"

#include "boundary/headers.h"

#endif /* ORTCFFI_BOUNDARY_CDEF_H_ */
