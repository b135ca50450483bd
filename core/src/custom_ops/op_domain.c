/* SPDX-License-Identifier: MIT */
/* Domains of custom ops, and the list of domains and libraries that session options hold. */
#include <string.h>

#include "custom_ops/custom_op.h"
#include "heap/heap.h"
#include "platform/platform.h"

struct core_op_library {
  /** How many lists have it. Atomic. */
  size_t references;
  void* handle;
};

#define FIRST_CAPACITY 8

/* Protects the arrays of all domains and lists: a thread may read the ops of options while another
 * registers more. Never held while code of a library runs. */
static core_mutex lock = CORE_MUTEX_INIT;
static core_once once = CORE_ONCE_INIT;

static void lock_before_fork(void) { core_mutex_lock(&lock); }
static void unlock_after_fork(void) { core_mutex_unlock(&lock); }
static void register_fork_handlers(void) {
  core_at_fork(CORE_FORK_OP_DOMAINS, lock_before_fork, unlock_after_fork, unlock_after_fork);
}

static void lock_ops(void) {
  core_run_once(&once, register_fork_handlers);
  core_mutex_lock(&lock);
}

static void unlock_ops(void) { core_mutex_unlock(&lock); }

/* Makes room for one more pointer; false where there is no memory, with nothing changed. */
static int grow(void*** array, size_t count, size_t* capacity) {
  if (count < *capacity) {
    return 1;
  }
  size_t wanted = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
  void** grown = heap_alloc(wanted * sizeof *grown);
  if (grown == NULL) {
    return 0;
  }
  if (count > 0) {
    memcpy(grown, *array, count * sizeof *grown);
  }
  heap_free(*array);
  *array = grown;
  *capacity = wanted;
  return 1;
}

static OrtStatus* no_memory(const char* function) {
  return core_status(ORT_RUNTIME_EXCEPTION, function, ": out of memory", NULL);
}

OrtStatus* core_new_op_domain(const char* function, const char* name, OrtCustomOpDomain** out) {
  size_t size = strlen(name) + 1;
  OrtCustomOpDomain* domain = heap_alloc(sizeof *domain + size);
  if (domain == NULL) {
    return no_memory(function);
  }
  *domain = (OrtCustomOpDomain){.references = 1, .name = memcpy(domain + 1, name, size)};
  heap_created(CORE_CUSTOM_OP_DOMAIN);
  *out = domain;
  return NULL;
}

OrtStatus* core_op_domain_add(const char* function, OrtCustomOpDomain* domain,
                              const OrtCustomOp* op) {
  lock_ops();
  int is_added = grow((void***)&domain->ops, domain->count, &domain->capacity);
  if (is_added) {
    domain->ops[domain->count++] = op;
  }
  unlock_ops();
  return is_added ? NULL : no_memory(function);
}

void core_op_domain_retain(OrtCustomOpDomain* domain) {
  __atomic_fetch_add(&domain->references, 1, __ATOMIC_RELAXED);
}

void core_op_domain_drop(OrtCustomOpDomain* domain) {
  if (__atomic_sub_fetch(&domain->references, 1, __ATOMIC_ACQ_REL) == 0) {
    heap_free(domain->ops);
    heap_free(domain);
    heap_released(CORE_CUSTOM_OP_DOMAIN);
  }
}

void core_release_op_domain(OrtCustomOpDomain* domain) {
  __atomic_store_n(&domain->is_released, 1, __ATOMIC_RELEASE);
  core_op_domain_drop(domain);
}

/* Adds a domain, with a reference to it; false where there is no memory. Under the lock. */
static int keep_domain(struct core_custom_ops* ops, OrtCustomOpDomain* domain) {
  if (!grow((void***)&ops->domains, ops->domain_count, &ops->domain_capacity)) {
    return 0;
  }
  core_op_domain_retain(domain);
  ops->domains[ops->domain_count++] = domain;
  return 1;
}

OrtStatus* core_custom_ops_add(const char* function, struct core_custom_ops* ops,
                               OrtCustomOpDomain* domain) {
  lock_ops();
  size_t i = 0;
  while (i < ops->domain_count && ops->domains[i] != domain) {
    i++;
  }
  int is_listed = i < ops->domain_count || keep_domain(ops, domain);
  unlock_ops();
  return is_listed ? NULL : no_memory(function);
}

/* Adds a library, with a reference to it; false where there is no memory. Under the lock. */
static int keep_library(struct core_custom_ops* ops, struct core_op_library* library) {
  if (!grow((void***)&ops->libraries, ops->library_count, &ops->library_capacity)) {
    return 0;
  }
  __atomic_fetch_add(&library->references, 1, __ATOMIC_RELAXED);
  ops->libraries[ops->library_count++] = library;
  return 1;
}

static void drop_library(struct core_op_library* library) {
  if (__atomic_sub_fetch(&library->references, 1, __ATOMIC_ACQ_REL) == 0) {
    core_library_close(library->handle);
    heap_free(library);
  }
}

/* Takes the last entry off an array that has more than `most`; NULL otherwise. The array is read
 * under the lock, because another thread may make it grow. */
static void* take_last(void*** array, size_t* count, size_t most) {
  lock_ops();
  void* last = *count > most ? (*array)[--*count] : NULL;
  unlock_ops();
  return last;
}

/* Domains first: a library must not be closed before the domains that its memory may hold. */
void core_custom_ops_cut(struct core_custom_ops* ops, size_t domains, size_t libraries) {
  void* last;
  while ((last = take_last((void***)&ops->domains, &ops->domain_count, domains)) != NULL) {
    core_op_domain_drop(last);
  }
  while ((last = take_last((void***)&ops->libraries, &ops->library_count, libraries)) != NULL) {
    drop_library(last);
  }
}

void core_custom_ops_end(struct core_custom_ops* ops) {
  core_custom_ops_cut(ops, 0, 0);
  heap_free(ops->domains);
  heap_free(ops->libraries);
  memset(ops, 0, sizeof *ops);
}

bool core_custom_ops_copy(const struct core_custom_ops* from, struct core_custom_ops* to) {
  bool is_done = true;
  lock_ops();
  for (size_t i = 0; is_done && i < from->domain_count; i++) {
    is_done = keep_domain(to, from->domains[i]);
  }
  for (size_t i = 0; is_done && i < from->library_count; i++) {
    is_done = keep_library(to, from->libraries[i]);
  }
  unlock_ops();
  return is_done;
}

const OrtCustomOpDomain* core_op_domain(const struct core_custom_ops* ops, size_t i) {
  lock_ops();
  const OrtCustomOpDomain* domain = i < ops->domain_count ? ops->domains[i] : NULL;
  unlock_ops();
  return domain;
}

const OrtCustomOp* core_op(const OrtCustomOpDomain* domain, size_t i) {
  int is_released = __atomic_load_n(&domain->is_released, __ATOMIC_ACQUIRE);
  lock_ops();
  const OrtCustomOp* op = !is_released && i < domain->count ? domain->ops[i] : NULL;
  unlock_ops();
  return op;
}

OrtStatus* core_register_ops(struct core_custom_ops* ops, RegisterCustomOpsFn registration,
                             OrtSessionOptions* options, const OrtApiBase* base) {
  size_t domains = ops->domain_count, libraries = ops->library_count;
  OrtStatus* status = registration(options, base);
  if (status != NULL) {
    core_custom_ops_cut(ops, domains, libraries);
  }
  return status;
}

OrtStatus* core_keep_op_library(const char* function, struct core_custom_ops* ops, void* handle) {
  struct core_op_library* library = heap_alloc(sizeof *library);
  int is_kept = 0;
  if (library != NULL) {
    *library = (struct core_op_library){.handle = handle};
    lock_ops();
    is_kept = keep_library(ops, library);
    unlock_ops();
  }
  if (!is_kept) {
    heap_free(library);
    core_library_close(handle);
    return no_memory(function);
  }
  return NULL;
}

OrtStatus* core_register_op_library(const char* function, struct core_custom_ops* ops,
                                    OrtSessionOptions* options, const OrtApiBase* base,
                                    void* library, bool is_kept) {
  void* symbol = core_library_symbol(library, "RegisterCustomOps");
  if (symbol == NULL) {
    core_library_close(library);
    return core_status(ORT_FAIL, function, ": the library does not export RegisterCustomOps", NULL);
  }
  RegisterCustomOpsFn registration;
  memcpy(&registration, &symbol, sizeof symbol);
  size_t domains = ops->domain_count, libraries = ops->library_count;
  if (is_kept) {
    CORE_TRY(core_keep_op_library(function, ops, library));
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
