/* SPDX-License-Identifier: MIT */
/* Scopes of tracking adaptors, and the blocks that are recorded for them. */
#include "adaptors/scopes.h"

#include "adaptors/tracking_internal.h"

struct core_scope {
  /* The references are one of the creator, and one of each block in use. */
  struct core_object object;
  struct core_tracking* tracking;
  int depth;
  int open;
  struct core_scope* previous;
  struct core_scope* next;
  /* Blocks of this scope have higher numbers. */
  uint64_t since;
  /* While it is open: the adaptor's statistics at its start, and in `peak` the most bytes in use
   * since. */
  core_scope_figures figures;
  /* The newest block at the peak, and the blocks of that moment that were freed since. */
  uint64_t peak_serial;
  struct core_membership* gone;
};

/* That a block counts in a scope. When the block is freed after the peak, it stays as the record
 * of the block in the scope's list `gone`, where `scope` is NULL. So no free needs memory. */
struct core_membership {
  struct core_membership* next;
  struct core_scope* scope;
  size_t size;
  uint32_t site;
};

_Static_assert(sizeof(struct core_header) <= CORE_HEADER, "a header precedes its block");

static core_site_source site_source;

void core_set_site_source(core_site_source source) {
  __atomic_store_n(&site_source, source, __ATOMIC_RELAXED);
}

static const struct core_class scope_class = {.kind = CORE_SCOPE};

static void push(struct core_membership** list, struct core_membership* membership) {
  membership->next = *list;
  *list = membership;
}

static void free_list(struct core_membership* list) {
  while (list != NULL) {
    struct core_membership* next = list->next;
    core_drop(list->scope);
    heap_free(list);
    list = next;
  }
}

static struct core_membership* new_list(size_t count) {
  struct core_membership* list = NULL;
  struct core_membership* added;
  for (; count > 0 && (added = heap_alloc(sizeof *added)) != NULL; count--) {
    added->scope = NULL;
    push(&list, added);
  }
  return list;
}

/* Sets what the open scopes need. Under the lock. */
static void refresh(struct core_tracking* self) {
  size_t recording = 0;
  int depth = 0;
  for (const struct core_scope* scope = self->scopes; scope != NULL; scope = scope->next) {
    recording += scope->depth > 0;
    depth = scope->depth > depth ? scope->depth : depth;
  }
  __atomic_store_n(&self->depth, depth, __ATOMIC_RELAXED);
  __atomic_store_n(&self->recording, recording, __ATOMIC_RELAXED);
}

/* Begins to look for a new peak; the last one counts for all open scopes. Under the lock. */
static void take_window(struct core_tracking* self) {
  int64_t peak = tracking_take_window(self);
  for (struct core_scope* scope = self->scopes; scope != NULL; scope = scope->next) {
    if (peak > scope->figures.peak) {
      scope->figures.peak = peak;
    }
  }
}

/* Replaces the adaptor's statistics at the start by the difference to those now. Under the lock. */
static void subtract_start(struct core_scope* scope) {
  core_tracking_figures now;
  core_scope_figures* figures = &scope->figures;
  core_tracking_read(&scope->tracking->adaptor.base, &now);
  figures->peak = figures->peak > figures->live ? figures->peak - figures->live : 0;
  figures->live = now.current - figures->live;
  figures->total = now.total - figures->total;
  figures->allocations = now.allocations - figures->allocations;
  figures->frees = now.frees - figures->frees;
}

OrtStatus* core_open_scope(OrtAllocator* tracking, int depth, core_scope** out) {
  struct core_tracking* self = (struct core_tracking*)tracking;
  struct core_scope* scope = core_new_object(&scope_class, sizeof *scope);
  CORE_RETURN_IF(scope == NULL, CORE_OUT_OF_MEMORY(Scope, sizeof *scope));
  scope->tracking = self;
  scope->depth = depth;
  scope->open = 1;
  core_retain_adaptor(tracking);
  core_lock(CORE_LOCK_TRACKING);
  core_tracking_figures now;
  take_window(self);
  core_tracking_read(tracking, &now);
  scope->figures =
      (core_scope_figures){now.current, now.current, now.total, now.allocations, now.frees};
  scope->since = self->serial;
  scope->next = self->scopes;
  if (scope->next != NULL) {
    scope->next->previous = scope;
  }
  self->scopes = scope;
  refresh(self);
  core_unlock(CORE_LOCK_TRACKING);
  *out = scope;
  return NULL;
}

void core_close_scope(core_scope* scope, core_scope_figures* out) {
  core_lock(CORE_LOCK_TRACKING);
  if (scope->open) {
    take_window(scope->tracking);
    subtract_start(scope);
    *(scope->previous != NULL ? &scope->previous->next : &scope->tracking->scopes) = scope->next;
    if (scope->next != NULL) {
      scope->next->previous = scope->previous;
    }
    scope->open = 0;
    refresh(scope->tracking);
  }
  if (out != NULL) {
    *out = scope->figures;
  }
  core_unlock(CORE_LOCK_TRACKING);
}

static int is_in_scope(const struct core_header* header, const struct core_scope* scope) {
  const struct core_membership* at = header->memberships;
  while (at != NULL && at->scope != scope) {
    at = at->next;
  }
  return at != NULL;
}

size_t core_scope_blocks(core_scope* scope, core_tracked_block* out, size_t capacity) {
  size_t count = 0;
  if (scope->depth == 0) {
    return 0;
  }
  core_lock(CORE_LOCK_TRACKING);
  for (struct core_header* at = scope->tracking->recorded; at != NULL && at->serial > scope->since;
       at = at->next) {
    if (is_in_scope(at, scope) && count++ < capacity) {
      out[count - 1] = (core_tracked_block){core_block_after(at), at->size, at->site,
                                            at->serial <= scope->peak_serial};
    }
  }
  for (struct core_membership* at = scope->gone; at != NULL; at = at->next) {
    if (count++ < capacity) {
      out[count - 1] = (core_tracked_block){NULL, at->size, at->site, 1};
    }
  }
  core_unlock(CORE_LOCK_TRACKING);
  return count;
}

void core_release_scope(core_scope* scope) {
  if (scope == NULL) {
    return;
  }
  core_close_scope(scope, NULL);
  free_list(scope->gone);
  core_release_adaptor(&scope->tracking->adaptor.base);
  core_drop(scope);
}

/* Makes a block a member of the open scopes that record blocks. Under the lock. */
static void join_scopes(struct core_tracking* self, struct core_membership** spare,
                        struct core_header* header) {
  for (struct core_scope* scope = self->scopes; scope != NULL; scope = scope->next) {
    struct core_membership* membership = *spare;
    if (scope->depth > 0 && membership != NULL) {
      *spare = membership->next;
      core_retain(&scope->object);
      membership->scope = scope;
      push(&header->memberships, membership);
    }
  }
}

/* Notes the peak of a scope at a new block; `in_use` is what the adaptor has in use. At a new peak,
 * the list of blocks freed since the last one moves to `outdated`. Under the lock. */
static void note_peak(struct core_scope* scope, const struct core_header* header, int64_t in_use,
                      struct core_membership** outdated) {
  if (in_use <= scope->figures.peak) {
    return;
  }
  scope->figures.peak = in_use;
  scope->peak_serial = header->serial;
  while (scope->gone != NULL) {
    struct core_membership* membership = scope->gone;
    scope->gone = membership->next;
    push(outdated, membership);
  }
}

void tracking_record(struct core_tracking* self, struct core_header* header) {
  core_site_source source = __atomic_load_n(&site_source, __ATOMIC_RELAXED);
  int depth = __atomic_load_n(&self->depth, __ATOMIC_RELAXED);
  header->site = source != NULL ? source(depth) : 0;
  struct core_membership* spare = new_list(__atomic_load_n(&self->recording, __ATOMIC_RELAXED));
  if (spare == NULL) {
    return;
  }
  int64_t in_use = tracking_update_peaks(self);
  struct core_membership* outdated = NULL;
  header->previous = NULL;
  header->memberships = NULL;
  core_lock(CORE_LOCK_TRACKING);
  join_scopes(self, &spare, header);
  header->serial = ++self->serial;
  header->next = self->recorded;
  if (header->next != NULL) {
    header->next->previous = header;
  }
  self->recorded = header;
  for (struct core_membership* at = header->memberships; at != NULL; at = at->next) {
    note_peak(at->scope, header, in_use, &outdated);
  }
  core_unlock(CORE_LOCK_TRACKING);
  free_list(spare);
  free_list(outdated);
}

/* Counts the free of a block. Returns whether the membership is kept as a record of the peak. Under
 * the lock. */
static int count_member_free(struct core_membership* membership, const struct core_header* header) {
  struct core_scope* scope = membership->scope;
  if (!scope->open) {
    return 0;
  }
  if (header->serial > scope->peak_serial) {
    return 0;
  }
  membership->size = header->size;
  membership->site = header->site;
  membership->scope = NULL;
  push(&scope->gone, membership);
  /* Never the last reference: the creator has one while the scope is open. */
  core_drop(scope);
  return 1;
}

void tracking_forget(struct core_tracking* self, struct core_header* header) {
  struct core_membership* ended = NULL;
  core_lock(CORE_LOCK_TRACKING);
  *(header->previous != NULL ? &header->previous->next : &self->recorded) = header->next;
  if (header->next != NULL) {
    header->next->previous = header->previous;
  }
  while (header->memberships != NULL) {
    struct core_membership* membership = header->memberships;
    header->memberships = membership->next;
    if (!count_member_free(membership, header)) {
      push(&ended, membership);
    }
  }
  core_unlock(CORE_LOCK_TRACKING);
  free_list(ended);
}

void tracking_end_recording(struct core_tracking* self) {
  for (struct core_header* at = self->recorded; at != NULL; at = at->next) {
    free_list(at->memberships);
  }
}
