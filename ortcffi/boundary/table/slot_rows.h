/* SPDX-License-Identifier: MIT */
/* The slot list and the core's live-object counts, for Python. */
#ifndef ORTCFFI_BOUNDARY_SLOT_ROWS_H_
#define ORTCFFI_BOUNDARY_SLOT_ROWS_H_

#include "onnxruntime_c_api.h"
#include "ortcore.h"

/* Whether the loader has taken the core that was built with the extension: another libortcore may
 * be in the process. Otherwise no other function of the core may be called. */
bool ortcffi_has_own_core(void);

/* The embedded core's base, even if the process has other functions OrtGetApiBase. */
const OrtApiBase* ortcffi_core_api_base(void);

/* Whether a table is one for kernels: its default allocator is that of the running kernel. */
int ortcffi_is_table_of_kernels(const OrtApi* api);

/* The API version of this build, and its number of slots: of OrtApi, and of OrtApi and OrtEpApi. */
enum {
  ORTCFFI_API_VERSION = ORT_API_VERSION,
  ORTCFFI_SLOTS = ORTCORE_TRACED_SLOTS,
  ORTCFFI_SLOTS_AND_EP = ORTCORE_TRACED_ALL
};

/* One row of the list of slots. */
typedef struct ortcffi_slot {
  const char* name;
  int since;
  const char* topic;
  const char* who;
} ortcffi_slot;

/* Row i of the list of OrtApi's slots, 0 <= i < ORTCFFI_SLOTS; then follow those of OrtEpApi. */
const ortcffi_slot* ortcffi_slot_row(int i);

/* The API version that the slot of OrtApi with a name came with; 0 if there is none. */
int ortcffi_slot_since(const char* name);

/* The address of the function with a name that releases objects; NULL if there is none. CFFI would
 * build a type for each. */
void* ortcffi_releasing(const char* name);

/* The number of the core's live objects of a kind; see enum core_kind. */
int64_t ortcffi_live_objects(int kind);

/* A status that was not released, and the slot that made it. A longer message is cut. */
typedef struct ortcffi_left_status {
  int slot;
  int code;
  char message[512];
} ortcffi_left_status;

/* Writes up to `room` statuses that were not released, of those that a trace noted in `figures`, or
 * of all watched libraries (NULL). `out` must be zeroed. Returns how many there are. */
size_t ortcffi_left_statuses(const OrtcoreFigures* figures, ortcffi_left_status* out, size_t room);

/* The name of a kind of object; NULL past the last. */
const char* ortcffi_kind_name(int kind);

#endif /* ORTCFFI_BOUNDARY_SLOT_ROWS_H_ */
