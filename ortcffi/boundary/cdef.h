/* SPDX-License-Identifier: MIT */
/* What Python sees of C: the public header, one named function per slot, and the core's extras.
 * build_ort.py runs this file through the preprocessor and gives the result to CFFI. */
/* CFFI would link what it is shown, and the core exports no provider. */
#define ORT_NO_PROVIDER_EXPORTS
#include "onnxruntime_c_api.h"
#include "ortcore.h"

#define PARAMETERS(...) __VA_ARGS__
#define DECLARE(table, returns, name, parameters) \
  returns name(const table* api, PARAMETERS parameters);
#define DECLARE_GETTER(table, returns, name) returns name(const table* api);

#define TABLE OrtApi
#include "boundary/declare_rows.h"
#include "ort_slots.def"
#undef TABLE

#define TABLE OrtModelEditorApi
#include "boundary/declare_rows.h"
#include "ort_model_editor_slots.def"
#undef TABLE

#define TABLE OrtCompileApi
#include "boundary/declare_rows.h"
#include "ort_compile_slots.def"
#undef TABLE

#define TABLE OrtInteropApi
#include "boundary/declare_rows.h"
#include "ort_interop_slots.def"
#undef TABLE

#define TABLE OrtEpApi
#include "boundary/declare_rows.h"
#include "ort_ep_slots.def"
#undef TABLE

#include "boundary/table/slot_rows.h"
#include "boundary/bench/bench.h"
#include "boundary/table/load.h"
#include "boundary/memory/adaptors.h"
#include "boundary/custom_ops/custom_ops.h"
#include "boundary/options/options.h"
#include "boundary/callbacks/from_libraries.h"
#include "boundary/memory/foreign.h"
#include "boundary/status/raise.h"
#include "boundary/callbacks/python.h"
