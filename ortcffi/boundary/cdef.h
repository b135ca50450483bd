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
#include "declare_rows.h"
#include "ort_slots.def"
#undef TABLE

#define TABLE OrtModelEditorApi
#include "declare_rows.h"
#include "ort_model_editor_slots.def"
#undef TABLE

#define TABLE OrtCompileApi
#include "declare_rows.h"
#include "ort_compile_slots.def"
#undef TABLE

#define TABLE OrtInteropApi
#include "declare_rows.h"
#include "ort_interop_slots.def"
#undef TABLE

#define TABLE OrtEpApi
#include "declare_rows.h"
#include "ort_ep_slots.def"
#undef TABLE

#include "extras.h"
#include "bench.h"
#include "providers.h"
#include "adaptors.h"
#include "options.h"
#include "custom_ops.h"
#include "guests.h"
#include "lending.h"
#include "objects.h"
#include "callbacks.h"
