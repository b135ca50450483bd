/* SPDX-License-Identifier: MIT */
/* The tables that slots of OrtApi answer: model editor, compile, interop, execution providers. */
#include "core.h"
#include "table/stubs.h"

/* A function of these tables has the name of its table before its own: two tables may have slots of
 * one name. Each part below is stubs, table and assertions for one list. */
#define PLACE(table, index, name)                                  \
  _Static_assert(offsetof(table, name) == (index) * sizeof(void*), \
                 #name " is not in slot " #index " of " #table);

#define CORE_SYMBOL(name) ort_model_editor_##name
#include "table/stub_rows.def"
#include "ort_model_editor_slots.def"
static const OrtModelEditorApi model_editor_table = {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  .name = CORE_SYMBOL(name),
#include "ort_model_editor_slots.def"
};
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  PLACE(OrtModelEditorApi, index, name)
#include "ort_model_editor_slots.def"
#undef CORE_SYMBOL

#define CORE_SYMBOL(name) ort_compile_##name
#include "table/stub_rows.def"
#include "ort_compile_slots.def"
static const OrtCompileApi compile_table = {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  .name = CORE_SYMBOL(name),
#include "ort_compile_slots.def"
};
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  PLACE(OrtCompileApi, index, name)
#include "ort_compile_slots.def"
#undef CORE_SYMBOL

#define CORE_SYMBOL(name) ort_interop_##name
#include "table/stub_rows.def"
#include "ort_interop_slots.def"
static const OrtInteropApi interop_table = {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  .name = CORE_SYMBOL(name),
#include "ort_interop_slots.def"
};
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  PLACE(OrtInteropApi, index, name)
#include "ort_interop_slots.def"
#undef CORE_SYMBOL

#define CORE_SYMBOL(name) ort_ep_##name
#include "table/stub_rows.def"
#include "ort_ep_slots.def"
static const OrtEpApi ep_table = {
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  .name = CORE_SYMBOL(name),
#include "ort_ep_slots.def"
};
#define ORT_SLOT(index, since, topic, who, gil, returns, name, parameters, arguments) \
  PLACE(OrtEpApi, index, name)
#include "ort_ep_slots.def"
#undef CORE_SYMBOL

const OrtModelEditorApi* ORT_API_CALL ort_GetModelEditorApi(void) NO_EXCEPTION {
  return &model_editor_table;
}

const OrtCompileApi* ORT_API_CALL ort_GetCompileApi(void) NO_EXCEPTION { return &compile_table; }

const OrtInteropApi* ORT_API_CALL ort_GetInteropApi(void) NO_EXCEPTION { return &interop_table; }

const OrtEpApi* ORT_API_CALL ort_GetEpApi(void) NO_EXCEPTION { return &ep_table; }
