/* SPDX-License-Identifier: MIT */
/* What all options do by their rows: begin, copy, end and read them. */
#include "options/option_rows.h"

#include "options/session_options.h"
#include "platform/platform.h"

#define OPTION(name, kind, initial, entry) \
  {#name, CORE_OPTION_##kind, initial, offsetof(struct OWNER, FIELD(name)), entry},
#define SLOT_ROW(slot, kind) {&#slot[4], CORE_OPTION_##kind, 0, 0, NULL}, /* without "ort_" */
#define SETTER(slot, ...) SLOT_ROW(slot, SETTER)
#define TEXT_SETTER(slot, ...) SLOT_ROW(slot, SETTER)
#define PATH_SETTER(slot, ...) SLOT_ROW(slot, SETTER)
#define OWN_SETTER(slot) SLOT_ROW(slot, SETTER)
#define ON(slot, name) SLOT_ROW(slot, ON)
#define OFF(slot, name) SLOT_ROW(slot, OFF)
#define CLEARER(slot, name) SLOT_ROW(slot, OFF)
#define GETTER(slot, ...) SLOT_ROW(slot, GETTER)
#define OWN_GETTER(slot) SLOT_ROW(slot, GETTER)

#define OWNER OrtSessionOptions
#define FIELD(name) settings.name
static const core_option_row session_rows[] = {
#include "options/session_options.def"
    {NULL, 0, 0, 0, NULL}};
#undef OWNER
#undef FIELD

#define OWNER OrtRunOptions
#define FIELD(name) name
static const core_option_row run_rows[] = {
#include "options/run_options.def"
    {NULL, 0, 0, 0, NULL}};
#undef OWNER

#define OWNER OrtThreadingOptions
static const core_option_row threading_rows[] = {
#include "options/threading_options.def"
    {NULL, 0, 0, 0, NULL}};

const core_option_row* core_option_rows(enum core_options owner) {
  static const core_option_row* const rows[] = {[CORE_OF_SESSION] = session_rows,
                                                [CORE_OF_RUN] = run_rows,
                                                [CORE_OF_THREADING] = threading_rows};
  return rows[owner];
}

#define EACH_OPTION(row, owner)                                                        \
  for (const core_option_row* row = core_option_rows(owner); row->name != NULL; row++) \
    if (row->kind < CORE_OPTION_SETTER)

static bool is_text(const core_option_row* row) {
  return row->kind == CORE_OPTION_TEXT || row->kind == CORE_OPTION_PATH;
}

void core_begin_options(void* options, enum core_options owner) {
  EACH_OPTION(row, owner) {
    if (row->kind <= CORE_OPTION_FLAG) {
      core_set_number(options, row, row->initial);
    }
  }
}

void core_set_number(void* options, const core_option_row* row, int number) {
  void* field = (char*)options + row->offset;
  if (row->kind == CORE_OPTION_FLAG) {
    __atomic_store_n((bool*)field, number != 0, __ATOMIC_RELEASE);
  } else {
    memcpy(field, &number, sizeof number);
  }
}

OrtStatus* core_set_text(void* field, const void* text, size_t size) {
  void *copy = text == NULL ? NULL : core_copy_bytes(text, size), *before;
  CORE_RETURN_IF(text != NULL && copy == NULL, core_no_memory(size));
  memcpy(&before, field, sizeof before);
  memcpy(field, &copy, sizeof copy);
  heap_free(before);
  return NULL;
}

bool core_copy_texts_of(const void* from, void* to, enum core_options owner) {
  bool done = true;
  EACH_OPTION(row, owner) {
    if (is_text(row)) {
      const void* text;
      memcpy(&text, (const char*)from + row->offset, sizeof text);
      memset((char*)to + row->offset, 0, sizeof text);
      size_t size = text == NULL                    ? 0
                    : row->kind == CORE_OPTION_PATH ? core_path_size(text)
                                                    : strlen(text) + 1;
      OrtStatus* status = core_set_text((char*)to + row->offset, text, size);
      done &= status == NULL;
      ort_ReleaseStatus(status);
    }
  }
  return done;
}

void core_end_texts(void* options, enum core_options owner) {
  EACH_OPTION(row, owner) {
    if (is_text(row)) {
      core_set_text((char*)options + row->offset, NULL, 0);
    }
  }
}

bool core_read_option(const void* options, const core_option_row* row, int* number,
                      const char** text) {
  const struct core_class* class = ((const struct core_object*)options)->class;
  const void* field = (const char*)options + row->offset;
  if (class != &core_session_options_class && class != &core_run_options_class &&
      class != &core_threading_options_class) {
    return false;
  }
  if (is_text(row)) {
    memcpy(text, field, sizeof *text);
  } else if (row->kind == CORE_OPTION_FLAG) {
    *number = __atomic_load_n((const bool*)field, __ATOMIC_ACQUIRE);
  } else if (row->kind == CORE_OPTION_SHARED_FLAG) {
    const struct core_load_flag* const* flag = field;
    *number = __atomic_load_n(&(*flag)->is_cancelled, __ATOMIC_ACQUIRE);
  } else {
    memcpy(number, field, sizeof *number);
  }
  return true;
}

OrtStatus* core_run_config(const OrtRunOptions* options, OrtKeyValuePairs** out) {
  *out = NULL;
  return options->object.class == &core_run_options_class ? core_pairs_of(&options->config, out)
                                                          : NULL;
}

bool core_read_session_item(const OrtSessionOptions* options, enum core_session_list list, size_t i,
                            core_session_item* out) {
  if (options->object.class != &core_session_options_class || i >= options->lists[list].count) {
    return false;
  }
  const struct core_item* item = &options->lists[list].list[i];
  *out = (core_session_item){item->key, item->number, item->pointer, item->mark};
  return true;
}
