/* SPDX-License-Identifier: MIT */
#include "custom_ops/custom_op.h"

#include "platform/platform.h"

/* A slot function cannot see through which table it was called. So each recorder has its own set of
 * functions, and their number is fixed when this is compiled. */
#define EACH_RECORDER(X) X(0) X(1) X(2) X(3)
#define RECORDERS 4

/* A domain of the other library, and the core's copy of it, which can be read. */
struct pair {
  struct pair* next;
  OrtCustomOpDomain* theirs;
  OrtCustomOpDomain* ours;
};

/* Slots of API versions after the core's, which libraries newer than the core have. */
#define LATER_SLOTS 128

struct recorder {
  struct {
    OrtApi known;
    /* Copied, unrecorded: the core does not know their types. */
    void* later[LATER_SLOTS];
  } table;
  /* The highest API version that `table` has. */
  uint32_t table_version;
  const OrtApi* inner;
  const OrtApiBase* base;
  uint32_t version;
  struct pair* pairs;
};

/* The call of a registration function that this thread is in. */
struct registration {
  struct registration* outer;
  const struct recorder* recorder;
  OrtSessionOptions* options;
  struct core_custom_ops added;
};

/* Guarded with their pairs by CORE_LOCK_OP_RECORDERS, under which no other library is called. */
static struct recorder recorders[RECORDERS];

static __thread struct registration* current CORE_TLS;

/* Turns a status of the core into one of the other library, which the caller can release. */
static OrtStatus* translate(const OrtApi* api, OrtStatus* status) {
  if (status == NULL) {
    return NULL;
  }
  OrtStatus* theirs = api->CreateStatus(ort_GetErrorCode(status), ort_GetErrorMessage(status));
  ort_ReleaseStatus(status);
  return theirs;
}

static struct pair** find_pair(struct recorder* recorder, const OrtCustomOpDomain* theirs) {
  struct pair** at = &recorder->pairs;
  while (*at != NULL && (*at)->theirs != theirs) {
    at = &(*at)->next;
  }
  return at;
}

/* The copy of a domain, with one more reference; NULL for a domain that this recorder did not make.
 */
static OrtCustomOpDomain* retain_copy(struct recorder* recorder, const OrtCustomOpDomain* theirs) {
  core_lock(CORE_LOCK_OP_RECORDERS);
  struct pair* pair = *find_pair(recorder, theirs);
  OrtCustomOpDomain* ours = pair == NULL ? NULL : pair->ours;
  if (ours != NULL) {
    core_retain(&ours->object);
  }
  core_unlock(CORE_LOCK_OP_RECORDERS);
  return ours;
}

static OrtStatus* create(struct recorder* recorder, const char* name, OrtCustomOpDomain** out) {
  OrtCustomOpDomain *theirs = NULL, *ours = NULL;
  CORE_TRY(recorder->inner->CreateCustomOpDomain(name, &theirs));
  struct pair* pair = heap_alloc(sizeof *pair);
  OrtStatus* status = pair == NULL ? core_no_memory(sizeof *pair) : core_new_op_domain(name, &ours);
  if (status != NULL) {
    heap_free(pair);
    recorder->inner->ReleaseCustomOpDomain(theirs);
    return translate(recorder->inner, status);
  }
  core_lock(CORE_LOCK_OP_RECORDERS);
  *pair = (struct pair){recorder->pairs, theirs, ours};
  recorder->pairs = pair;
  core_unlock(CORE_LOCK_OP_RECORDERS);
  *out = theirs;
  return NULL;
}

static OrtStatus* add_op(struct recorder* recorder, OrtCustomOpDomain* theirs,
                         const OrtCustomOp* op) {
  CORE_TRY(recorder->inner->CustomOpDomain_Add(theirs, op));
  OrtCustomOpDomain* ours = retain_copy(recorder, theirs);
  if (ours == NULL || op == NULL) {
    return NULL;
  }
  OrtStatus* status = core_op_domain_add(ours, op);
  core_drop(ours);
  return translate(recorder->inner, status);
}

static OrtStatus* add_domain(struct recorder* recorder, OrtSessionOptions* options,
                             OrtCustomOpDomain* theirs) {
  struct registration* registration = current;
  bool is_noted = registration != NULL && registration->recorder == recorder &&
                  registration->options == options;
  OrtCustomOpDomain* ours = is_noted ? retain_copy(recorder, theirs) : NULL;
  if (ours == NULL) {
    return recorder->inner->AddCustomOpDomain(options, theirs);
  }
  OrtStatus* status = core_custom_ops_add(&registration->added, ours);
  core_drop(ours);
  return translate(recorder->inner, status);
}

static void release(struct recorder* recorder, OrtCustomOpDomain* theirs) {
  core_lock(CORE_LOCK_OP_RECORDERS);
  struct pair** at = find_pair(recorder, theirs);
  struct pair* pair = *at;
  if (pair != NULL) {
    *at = pair->next;
  }
  core_unlock(CORE_LOCK_OP_RECORDERS);
  if (pair != NULL) {
    core_release_op_domain(pair->ours);
    heap_free(pair);
  }
  recorder->inner->ReleaseCustomOpDomain(theirs);
}

/* The other library is asked in any case: its base may be a trace's, which counts. */
static const OrtApi* get_api(const struct recorder* recorder, uint32_t version) {
  const OrtApi* theirs = recorder->base->GetApi(version);
  bool is_ours = version >= 1 && version <= recorder->table_version;
  return theirs != NULL && is_ours ? &recorder->table.known : theirs;
}

static const char* version_string(const struct recorder* recorder) {
  return recorder->version > recorder->table_version ? CORE_VERSION_STRING
                                                     : recorder->base->GetVersionString();
}

#define FUNCTIONS(n)                                                                             \
  static OrtStatus* ORT_API_CALL create_of_##n(const char* name, OrtCustomOpDomain** out)        \
      NO_EXCEPTION {                                                                             \
    return create(&recorders[n], name, out);                                                     \
  }                                                                                              \
  static OrtStatus* ORT_API_CALL add_op_of_##n(OrtCustomOpDomain* domain, const OrtCustomOp* op) \
      NO_EXCEPTION {                                                                             \
    return add_op(&recorders[n], domain, op);                                                    \
  }                                                                                              \
  static OrtStatus* ORT_API_CALL add_domain_of_##n(OrtSessionOptions* options,                   \
                                                   OrtCustomOpDomain* domain) NO_EXCEPTION {     \
    return add_domain(&recorders[n], options, domain);                                           \
  }                                                                                              \
  static void ORT_API_CALL release_of_##n(OrtCustomOpDomain* domain) NO_EXCEPTION {              \
    release(&recorders[n], domain);                                                              \
  }                                                                                              \
  static const OrtApi* ORT_API_CALL get_api_of_##n(uint32_t version) NO_EXCEPTION {              \
    return get_api(&recorders[n], version);                                                      \
  }                                                                                              \
  static const char* ORT_API_CALL version_string_of_##n(void) NO_EXCEPTION {                     \
    return version_string(&recorders[n]);                                                        \
  }
EACH_RECORDER(FUNCTIONS)

struct functions {
  OrtApiBase base;
  OrtStatus*(ORT_API_CALL* create)(const char* name, OrtCustomOpDomain** out);
  OrtStatus*(ORT_API_CALL* add_op)(OrtCustomOpDomain* domain, const OrtCustomOp* op);
  OrtStatus*(ORT_API_CALL* add_domain)(OrtSessionOptions* options, OrtCustomOpDomain* domain);
  void(ORT_API_CALL* release)(OrtCustomOpDomain* domain);
};
#define ROW(n)                              \
  {{get_api_of_##n, version_string_of_##n}, \
   create_of_##n,                           \
   add_op_of_##n,                           \
   add_domain_of_##n,                       \
   release_of_##n},
static const struct functions functions[] = {EACH_RECORDER(ROW)};
_Static_assert(CORE_COUNT_OF(functions) == RECORDERS, "EACH_RECORDER lists every recorder");

/* Copies the slots after the core's from a library that is newer. How many there are is not known,
 * so some words after the end of its table may be copied too; a client does not use those. */
static void copy_later_slots(struct recorder* recorder) {
  recorder->table_version = recorder->version;
  if (recorder->version > ORT_API_VERSION) {
    size_t size = core_readable_size(recorder->inner + 1, sizeof recorder->table.later);
    memcpy(recorder->table.later, recorder->inner + 1, size);
    recorder->table_version = size > 0 ? recorder->version : ORT_API_VERSION;
  }
}

/* Fills in a recorder. Slots that the other library does not have stay NULL. */
static void fill_recorder(struct recorder* recorder, const OrtApi* inner,
                          const struct core_recording* to) {
  const struct functions* mine = &functions[recorder - recorders];
#define ORT_SLOT(index, since, topic, who, returns, name, parameters, arguments) \
  if (to->version >= (since)) {                                                  \
    recorder->table.known.name = inner->name;                                    \
  }
#include "ort_slots.def"
  recorder->table.known.CreateCustomOpDomain = mine->create;
  recorder->table.known.CustomOpDomain_Add = mine->add_op;
  recorder->table.known.AddCustomOpDomain = mine->add_domain;
  recorder->table.known.ReleaseCustomOpDomain = mine->release;
  recorder->base = to->base;
  recorder->version = to->version;
  recorder->inner = inner;
  copy_later_slots(recorder);
}

/* The recorder of a table, which is never given back: op libraries keep its table. NULL where all
 * are in use by other tables. */
static struct recorder* recorder_of(const OrtApi* inner, const struct core_recording* to) {
  struct recorder* recorder = recorders;
  core_lock(CORE_LOCK_OP_RECORDERS);
  while (recorder < recorders + RECORDERS && recorder->inner != NULL && recorder->inner != inner) {
    recorder++;
  }
  if (recorder == recorders + RECORDERS) {
    recorder = NULL;
  } else if (recorder->inner == NULL || recorder->version != to->version) {
    fill_recorder(recorder, inner, to);
  }
  core_unlock(CORE_LOCK_OP_RECORDERS);
  return recorder;
}

static OrtCustomOpDomain* theirs_of(const struct recorder* recorder,
                                    const OrtCustomOpDomain* ours) {
  core_lock(CORE_LOCK_OP_RECORDERS);
  const struct pair* pair = recorder->pairs;
  while (pair != NULL && pair->ours != ours) {
    pair = pair->next;
  }
  OrtCustomOpDomain* theirs = pair == NULL ? NULL : pair->theirs;
  core_unlock(CORE_LOCK_OP_RECORDERS);
  return theirs;
}

/* Adds the domains of a successful registration to the options, and to `ops`. */
static OrtStatus* add_recorded(const struct registration* done, struct core_custom_ops* ops) {
  for (size_t i = 0; i < done->added.domains.count; i++) {
    OrtCustomOpDomain* ours = done->added.domains.items[i];
    OrtCustomOpDomain* theirs = theirs_of(done->recorder, ours);
    if (theirs != NULL) {
      const OrtApi* inner = done->recorder->inner;
      CORE_TRY(translate(inner, core_custom_ops_add(ops, ours)));
      CORE_TRY(inner->AddCustomOpDomain(done->options, theirs));
    }
  }
  return NULL;
}

OrtStatus* core_record_function(const struct core_recording* recording,
                                RegisterCustomOpsFn function) {
  const OrtApi* inner = recording->table;
  struct recorder* recorder = recorder_of(inner, recording);
  if (recorder == NULL) {
    return inner->CreateStatus(ORT_FAIL,
                               "custom ops were registered with 4 other tables in this process, "
                               "which is as many as ortcffi can record");
  }
  struct registration registration = {
      .outer = current, .recorder = recorder, .options = recording->options};
  current = &registration;
  OrtStatus* status = function(recording->options, &functions[recorder - recorders].base);
  current = registration.outer;
  CORE_THEN(status, add_recorded(&registration, recording->ops));
  core_custom_ops_end(&registration.added);
  return status;
}

OrtStatus* core_record_library(const struct core_recording* recording, const char* path) {
  const OrtApi* api = recording->table;
  char error[CORE_LIBRARY_ERROR];
  void* library = core_library_open_utf8(path, error);
  if (library == NULL) {
    return api->CreateStatus(ORT_FAIL, error);
  }
  void* symbol = core_library_symbol(library, "RegisterCustomOps");
  if (symbol == NULL) {
    core_library_close(library);
    return api->CreateStatus(ORT_FAIL, "the library does not export RegisterCustomOps");
  }
  RegisterCustomOpsFn registration;
  memcpy(&registration, &symbol, sizeof symbol);
  size_t domains = recording->ops->domains.count, libraries = recording->ops->libraries.count;
  OrtStatus* status = translate(api, core_keep_op_library(recording->ops, library));
  if (status == NULL) {
    status = core_record_function(recording, registration);
    if (status != NULL) {
      core_custom_ops_cut(recording->ops, domains, libraries);
    }
  }
  return status;
}
