/* SPDX-License-Identifier: MIT */
/* Options of sessions and of runs: their entries, their initializers, their copies. */
#include "model.h"
#include "options/session_options.h"

#define OPTIONS 3
#define ENTRIES 24
#define NAMES 16
#define KEY 2
#define TEXT 12

struct entries {
  size_t count;
  char keys[ENTRIES][KEY + 1];
  char values[ENTRIES][TEXT + 1];
};

static struct options {
  OrtSessionOptions* handle;
  struct entries entries;
  /* Of external initializers. */
  char names[NAMES][KEY + 1];
  size_t name_count;
  int has_domain;
} options[OPTIONS];

/* Whose op is only named. */
static OrtCustomOpDomain* domain;
static const OrtCustomOp op = {.version = 1};
static int registration_fails;

static OrtRunOptions* run;
static struct entries run_entries;

static size_t find(const struct entries* entries, const char* key) {
  size_t i = 0;
  while (i < entries->count && strcmp(entries->keys[i], key) != 0) {
    i++;
  }
  return i;
}

/* Sets an entry with one of the two functions, of sessions or of runs. */
static void set_entry(struct entries* entries, OrtSessionOptions* session) {
  char key[KEY + 1];
  char value[TEXT + 1];
  next_string(key, KEY);
  next_string(value, TEXT);
  size_t at = find(entries, key);
  if (at == ENTRIES) {
    return;
  }
  OrtStatus* status = session != NULL ? api->AddSessionConfigEntry(session, key, value)
                                      : api->AddRunConfigEntry(run, key, value);
  if (succeeded(status, key[0] != '\0', ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
    strcpy(entries->keys[at], key);
    strcpy(entries->values[at], value);
    entries->count += at == entries->count;
  }
}

static void get_entry(const struct options* from) {
  char key[KEY + 1];
  char value[TEXT + 1];
  next_string(key, KEY);
  size_t room = next_byte() % (TEXT + 2);
  size_t size = room;
  size_t at = find(&from->entries, key);
  int has = 0;
  int can = at < from->entries.count && strlen(from->entries.values[at]) < room;
  CHECK(api->HasSessionConfigEntry(from->handle, key, &has) == NULL);
  CHECK(has == (at < from->entries.count));
  if (succeeded(api->GetSessionConfigEntry(from->handle, key, value, &size), can,
                ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
    CHECK(strcmp(value, from->entries.values[at]) == 0);
  }
  CHECK(size == (has ? strlen(from->entries.values[at]) + 1 : room) || may_lack_memory());
}

static void check_options(const struct options* from) {
  const OrtCustomOpDomain* kept = core_op_domain(&from->handle->custom_ops, 0);
  CHECK(kept == (from->has_domain ? domain : NULL));
  CHECK(core_op_domain(&from->handle->custom_ops, 1) == NULL);
  OrtKeyValuePairs* pairs = NULL;
  const char* const* keys = NULL;
  const char* const* texts = NULL;
  size_t count = 0;
  if (!succeeded(api->GetSessionOptionsConfigEntries(from->handle, &pairs), 1, ORT_FAIL,
                 ORT_FAIL)) {
    CHECK(pairs == NULL);
    return;
  }
  api->GetKeyValuePairs(pairs, &keys, &texts, &count);
  CHECK(count == from->entries.count);
  for (size_t i = 0; i < count; i++) {
    CHECK(strcmp(keys[i], from->entries.keys[i]) == 0);
    CHECK(strcmp(texts[i], from->entries.values[i]) == 0);
  }
  api->ReleaseKeyValuePairs(pairs);
}

/* All of them or none. */
static void add_initializers(struct options* to) {
  char names[2][KEY + 1];
  const char* pointers[] = {names[0], names[1]};
  const OrtValue* initializers[2];
  size_t count = 1 + next_byte() % 2;
  int can = 1;
  for (size_t i = 0; i < count; i++) {
    const struct value* value = next_value();
    next_string(names[i], KEY);
    initializers[i] = value != NULL ? value->handle : NULL;
    can = can && value != NULL && value->model->kind == ONNX_TYPE_TENSOR && value->borrowed != NULL;
    for (size_t j = 0; j < to->name_count; j++) {
      can = can && strcmp(to->names[j], names[i]) != 0;
    }
    can = can && (i == 0 || strcmp(names[0], names[1]) != 0);
  }
  if (to->name_count + count <= NAMES &&
      succeeded(api->AddExternalInitializers(to->handle, pointers, initializers, count), can,
                ORT_INVALID_ARGUMENT, ORT_INVALID_ARGUMENT)) {
    for (size_t i = 0; i < count; i++) {
      strcpy(to->names[to->name_count++], names[i]);
    }
  }
}

/* A function that registers, found by its name. If it fails, nothing stays of what it did. */
CORE_EXPORT OrtStatus* register_for_fuzzer(OrtSessionOptions* handle, const OrtApiBase* base) {
  const OrtApi* table = base->GetApi(ORT_API_VERSION);
  OrtStatus* status = table->AddCustomOpDomain(handle, domain);
  return status == NULL && registration_fails ? table->CreateStatus(ORT_EP_FAIL, "no") : status;
}

static void register_ops(struct options* to, unsigned what) {
  if (domain == NULL) {
    if (succeeded(api->CreateCustomOpDomain("domain", &domain), 1, ORT_FAIL, ORT_FAIL)) {
      succeeded(api->CustomOpDomain_Add(domain, &op), 1, ORT_FAIL, ORT_FAIL);
    }
    return;
  }
  registration_fails = what % 2;
  OrtStatus* status = what % 4 < 2
                          ? api->RegisterCustomOpsUsingFunction(to->handle, "register_for_fuzzer")
                          : api->AddCustomOpDomain(to->handle, domain);
  if (succeeded(status, what % 4 >= 2 || !registration_fails, ORT_EP_FAIL, ORT_EP_FAIL)) {
    to->has_domain = 1;
  }
}

static void make(struct options* to, const struct options* from) {
  OrtSessionOptions* made = NULL;
  OrtStatus* status = from->handle != NULL ? api->CloneSessionOptions(from->handle, &made)
                                           : api->CreateSessionOptions(&made);
  CHECK((status == NULL) == (made != NULL));
  if (succeeded(status, 1, ORT_FAIL, ORT_FAIL)) {
    if (from->handle != NULL) {
      *to = *from;
    } else {
      memset(to, 0, sizeof *to);
    }
    to->handle = made;
  }
}

static void use_run(void) {
  if (run == NULL) {
    run_entries.count = 0;
    CHECK(succeeded(api->CreateRunOptions(&run), 1, ORT_FAIL, ORT_FAIL) == (run != NULL));
    return;
  }
  set_entry(&run_entries, NULL);
  for (size_t i = 0; i < run_entries.count; i++) {
    const char* value = api->GetRunConfigEntry(run, run_entries.keys[i]);
    CHECK(value != NULL && strcmp(value, run_entries.values[i]) == 0);
  }
}

void use_options(void) {
  unsigned what = next_byte();
  struct options* which = &options[what % OPTIONS];
  if (what >= 224) {
    use_run();
  } else if (which->handle == NULL) {
    make(which, &options[what / OPTIONS % OPTIONS]);
  } else if (what >= 208) {
    check_options(which);
    api->ReleaseSessionOptions(which->handle);
    which->handle = NULL;
  } else if (what % 8 == 4) {
    register_ops(which, what / 8);
  } else if (what % 4 == 0) {
    add_initializers(which);
  } else if (what % 4 == 1) {
    get_entry(which);
  } else {
    set_entry(&which->entries, which->handle);
  }
  if (which->handle != NULL) {
    check_options(which);
  }
}

void end_options(void) {
  for (size_t i = 0; i < OPTIONS; i++) {
    api->ReleaseSessionOptions(options[i].handle);
    options[i].handle = NULL;
  }
  api->ReleaseRunOptions(run);
  run = NULL;
  api->ReleaseCustomOpDomain(domain);
  domain = NULL;
}
