/* SPDX-License-Identifier: MIT */
/* Domains of custom ops, and the list of domains and libraries that session options hold. */

#include "custom_ops/custom_op.h"
#include "platform/platform.h"

/* A library that was opened for its custom ops; each list that has it has a reference. */
struct op_library {
  struct core_object object;
  void* handle;
};

static void end_library(void* block) { core_library_close(((struct op_library*)block)->handle); }

static const struct core_class library_class = {.kind = CORE_SHARED, .end = end_library};

static void end_domain(void* block) { core_list_end(&((OrtCustomOpDomain*)block)->ops); }

static const struct core_class domain_class = {.kind = CORE_CUSTOM_OP_DOMAIN, .end = end_domain};

/* Protects the arrays of all domains and lists: a thread may read the ops of options while another
 * registers more. Never held while code of a library runs. */
static void lock_ops(void) { core_lock(CORE_LOCK_OP_DOMAINS); }

static void unlock_ops(void) { core_unlock(CORE_LOCK_OP_DOMAINS); }

static OrtStatus* no_memory(void) { return core_fail(ORT_RUNTIME_EXCEPTION, "out of memory"); }

OrtStatus* core_new_op_domain(const char* name, OrtCustomOpDomain** out) {
  size_t size = strlen(name) + 1;
  OrtCustomOpDomain* domain = core_new_object(&domain_class, sizeof *domain + size);
  CORE_RETURN_IF(domain == NULL, no_memory());
  domain->name = memcpy(domain + 1, name, size);
  *out = domain;
  return NULL;
}

OrtStatus* core_op_domain_add(OrtCustomOpDomain* domain, const OrtCustomOp* op) {
  lock_ops();
  bool is_added = core_list_add(&domain->ops, (void*)op);
  unlock_ops();
  return is_added ? NULL : no_memory();
}

void core_release_op_domain(OrtCustomOpDomain* domain) {
  __atomic_store_n(&domain->is_released, 1, __ATOMIC_RELEASE);
  core_drop(domain);
}

OrtStatus* core_custom_ops_add(struct core_custom_ops* ops, OrtCustomOpDomain* domain) {
  lock_ops();
  bool is_listed =
      core_list_has(&ops->domains, domain) || core_list_keep(&ops->domains, &domain->object);
  unlock_ops();
  return is_listed ? NULL : no_memory();
}

/* Drops all items but the first `most`. The list is read under the lock, because another thread may
 * make it grow. */
static void cut(struct core_list* list, size_t most) {
  struct core_object* last;
  do {
    lock_ops();
    last = list->count > most ? list->items[--list->count] : NULL;
    unlock_ops();
    core_drop(last);
  } while (last != NULL);
}

/* Domains first: a library must not be closed before the domains that its memory may hold. */
void core_custom_ops_cut(struct core_custom_ops* ops, size_t domains, size_t libraries) {
  cut(&ops->domains, domains);
  cut(&ops->libraries, libraries);
}

void core_custom_ops_end(struct core_custom_ops* ops) {
  core_custom_ops_cut(ops, 0, 0);
  core_list_end(&ops->domains);
  core_list_end(&ops->libraries);
}

bool core_custom_ops_copy(const struct core_custom_ops* from, struct core_custom_ops* to) {
  bool is_done = true;
  lock_ops();
  for (size_t i = 0; is_done && i < from->domains.count; i++) {
    is_done = core_list_keep(&to->domains, from->domains.items[i]);
  }
  for (size_t i = 0; is_done && i < from->libraries.count; i++) {
    is_done = core_list_keep(&to->libraries, from->libraries.items[i]);
  }
  unlock_ops();
  return is_done;
}

const OrtCustomOpDomain* core_op_domain(const struct core_custom_ops* ops, size_t i) {
  lock_ops();
  const OrtCustomOpDomain* domain = core_list_at(&ops->domains, i);
  unlock_ops();
  return domain;
}

const OrtCustomOp* core_op(const OrtCustomOpDomain* domain, size_t i) {
  int is_released = __atomic_load_n(&domain->is_released, __ATOMIC_ACQUIRE);
  lock_ops();
  const OrtCustomOp* op = is_released ? NULL : core_list_at(&domain->ops, i);
  unlock_ops();
  return op;
}

bool core_op_is_newer(const OrtCustomOp* op, const OrtCustomOp* other) {
  int first, other_first, last;
  core_op_versions(op, &first, &last);
  core_op_versions(other, &other_first, &last);
  return first > other_first;
}

static bool is_sought(const struct core_op_search* search, const OrtCustomOp* op) {
  int first, last;
  if (strcmp(core_op_name(op), search->name) != 0) {
    return false;
  }
  core_op_versions(op, &first, &last);
  return search->version == 0 || (first <= search->version && search->version <= last);
}

const OrtCustomOp* core_next_op(struct core_op_search* search) {
  const OrtCustomOpDomain* domain;
  const OrtCustomOp* op;
  while ((domain = core_op_domain(search->ops, search->at_domain)) != NULL) {
    bool is_wanted = search->domain == NULL || strcmp(domain->name, search->domain) == 0;
    while (is_wanted && (op = core_op(domain, search->at_op)) != NULL) {
      search->at_op++;
      if (is_sought(search, op)) {
        return op;
      }
    }
    search->at_domain++;
    search->at_op = 0;
  }
  return NULL;
}

OrtStatus* core_register_ops(struct core_custom_ops* ops, RegisterCustomOpsFn registration,
                             OrtSessionOptions* options, const OrtApiBase* base) {
  size_t domains = ops->domains.count, libraries = ops->libraries.count;
  CORE_TRY_OR(registration(options, base), core_custom_ops_cut(ops, domains, libraries));
  return NULL;
}

OrtStatus* core_keep_op_library(struct core_custom_ops* ops, void* handle) {
  struct op_library* library = core_new_object(&library_class, sizeof *library);
  if (library == NULL) {
    core_library_close(handle);
    return no_memory();
  }
  library->handle = handle;
  lock_ops();
  bool is_kept = core_list_keep(&ops->libraries, &library->object);
  unlock_ops();
  core_drop(library);
  return is_kept ? NULL : no_memory();
}

OrtStatus* core_register_op_library(struct core_custom_ops* ops, OrtSessionOptions* options,
                                    const OrtApiBase* base, void* library, bool is_kept) {
  void* symbol = core_library_symbol(library, "RegisterCustomOps");
  if (symbol == NULL) {
    core_library_close(library);
    return core_fail(ORT_FAIL, "the library does not export RegisterCustomOps");
  }
  RegisterCustomOpsFn registration;
  memcpy(&registration, &symbol, sizeof symbol);
  size_t domains = ops->domains.count, libraries = ops->libraries.count;
  if (is_kept) {
    CORE_TRY(core_keep_op_library(ops, library));
  }
  OrtStatus* status = registration(options, base);
  if (status != NULL) {
    core_custom_ops_cut(ops, domains, libraries);
    if (!is_kept) {
      core_library_close(library);
    }
  }
  return status;
}
