/* SPDX-License-Identifier: MIT */
/*
 * The C side of the boundary: one named function per slot of every table.
 *
 * A pointer read from a struct is called through libffi; a named function is compiled, at a third
 * of the cost.
 *
 * The interpreter lock. CFFI releases it around every call, which costs more than most slots take.
 * Here the row decides (column `gil` of the slot lists): FREE rows may block or call back, so the
 * lock is released inside the named function; HOLD rows return at once and keep it. CFFI's own
 * release, and its saving of errno, which nobody here reads, are therefore switched off below.
 */
#include "onnxruntime_c_api.h"
#include "ortcore.h"
/* Needs the types of the header above. */
#include "boundary/table/slot_rows.h"
#include "boundary/bench/bench.h"
#include "boundary/table/load.h"
#include "boundary/memory/adaptors.h"
#include "boundary/custom_ops/custom_ops.h"
#include "boundary/options/options.h"
#include "boundary/callbacks/from_libraries.h"
#include "boundary/memory/foreign.h"
#include "boundary/status/raise.h"

#define PARAMETERS(...) __VA_ARGS__
#define HOLD(statement) statement
#define FREE(statement)             \
  Py_BEGIN_ALLOW_THREADS statement; \
  Py_END_ALLOW_THREADS
#define DEFINE(table, returns, gil, name, parameters, arguments) \
  static returns name(const table* api, PARAMETERS parameters) { \
    returns answer;                                              \
    gil(answer = api->name arguments);                           \
    return answer;                                               \
  }

#define TABLE OrtApi
#include "boundary/define_rows.h"
#include "ort_slots.def"
#undef TABLE

#define TABLE OrtModelEditorApi
#include "boundary/define_rows.h"
#include "ort_model_editor_slots.def"
#undef TABLE

#define TABLE OrtCompileApi
#include "boundary/define_rows.h"
#include "ort_compile_slots.def"
#undef TABLE

#define TABLE OrtInteropApi
#include "boundary/define_rows.h"
#include "ort_interop_slots.def"
#undef TABLE

#define TABLE OrtEpApi
#include "boundary/define_rows.h"
#include "ort_ep_slots.def"
#undef TABLE

#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#undef _cffi_restore_errno
#undef _cffi_save_errno
#define Py_BEGIN_ALLOW_THREADS
#define Py_END_ALLOW_THREADS
#define _cffi_restore_errno() ((void)0)
#define _cffi_save_errno() ((void)0)
#include "boundary/conversions.h"
