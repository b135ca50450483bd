/* SPDX-License-Identifier: MIT */
/*
 * An adaptor that finds writes beyond blocks. A block of the inner allocator's is
 *
 *     record | zone | block | zone
 *     record | zone | block | rest of the line | closed page      if pages are closed
 *
 * A zone has a pattern, which is compared on request and when the block is freed. What
 * reads or writes a closed page ends the process. Free looks an address up in a table, and never
 * reads memory to see whether it is a block.
 */

#include "adaptors/adaptor.h"
#include "platform/platform.h"

/* Blocks begin at multiples of a line, as far as the inner allocator's do. */
#define LINE ((size_t)64)
#define ZONE (4 * LINE)
/* From the record of a block to the block. */
#define FRONT (LINE + ZONE)
#define FREED 0xDD
#define BUCKETS 1024

struct record {
  struct record* next;
  void* start;
  size_t size;
};
_Static_assert(sizeof(struct record) <= LINE, "a record is in front of the zone");

struct guarded {
  struct core_adaptor adaptor;
  /* What new blocks are filled with. */
  uint8_t fill;
  /* The size of a page, if each block has a closed one; else 0. */
  size_t page;
  /* Under the lock: the blocks in use by address, and the first damage to one that was freed. */
  struct record* buckets[BUCKETS];
  core_damage freed;
  /* Bytes of blocks in use, the most that these were, and the most that they may be. */
  size_t live;
  size_t peak;
  size_t limit;
};

static uint8_t* block_of(const struct record* record) { return (uint8_t*)record + FRONT; }

static struct record** bucket_of(struct guarded* self, const void* block) {
  return &self->buckets[(uintptr_t)block / LINE % BUCKETS];
}

static size_t lines(size_t size) { return (size + LINE - 1) & ~(LINE - 1); }

static uint8_t* end_of_zone(const struct guarded* self, const struct record* record) {
  return block_of(record) + lines(record->size) + (self->page == 0 ? ZONE : 0);
}

/* Differs from byte to byte, and is never 0, so that what is written there hardly ever looks the
 * same. */
static uint8_t pattern(const uint8_t* byte) { return (uint8_t)((uintptr_t)byte * 167 + 91) | 1; }

static void write_zone(uint8_t* byte, const uint8_t* end) {
  for (; byte < end; byte++) {
    *byte = pattern(byte);
  }
}

static void write_zones(const struct guarded* self, const struct record* record) {
  uint8_t* block = block_of(record);
  write_zone(block - ZONE, block);
  write_zone(block + record->size, end_of_zone(self, record));
}

/* Finds the bytes of a zone that were changed: from the first to the last. */
static bool is_damaged(const uint8_t* byte, const uint8_t* end, const uint8_t* block,
                       core_damage* out) {
  while (byte < end && *byte == pattern(byte)) {
    byte++;
  }
  while (byte < end && end[-1] == pattern(end - 1)) {
    end--;
  }
  out->offset = byte - block;
  out->length = end - byte;
  return byte < end;
}

/* Finds what was written beyond a block, and repairs the zones, so that it is found once. */
static bool take_damage(const struct guarded* self, const struct record* record, core_damage* out) {
  uint8_t* block = block_of(record);
  if (!is_damaged(block + record->size, end_of_zone(self, record), block, out) &&
      !is_damaged(block - ZONE, block, block, out)) {
    return false;
  }
  out->block = block;
  out->size = record->size;
  write_zones(self, record);
  return true;
}

/* Where the record of a block is in the inner allocator's block of `whole` bytes. */
static struct record* place(const struct guarded* self, char* start, size_t whole, size_t size) {
  if (self->page == 0) {
    return (struct record*)start;
  }
  uintptr_t closed = ((uintptr_t)start + whole - self->page) & ~(self->page - 1);
  return (struct record*)(closed - lines(size) - FRONT);
}

/* Counts a block; false where it would be more than the limit. */
static bool count_block(struct guarded* self, size_t size) {
  core_lock(CORE_LOCK_GUARDED);
  bool has_room = self->live <= self->limit && size <= self->limit - self->live;
  if (has_room) {
    self->live += size;
    self->peak = self->live > self->peak ? self->live : self->peak;
  }
  core_unlock(CORE_LOCK_GUARDED);
  return has_room;
}

static char* take_inner(struct guarded* self, size_t whole, size_t size) {
  if (!count_block(self, size)) {
    return NULL;
  }
  char* start = core_inner_alloc(&self->adaptor, whole);
  if (CORE_UNLIKELY(start == NULL)) {
    core_lock(CORE_LOCK_GUARDED);
    self->live -= size;
    core_unlock(CORE_LOCK_GUARDED);
  }
  return start;
}

static void* ORT_API_CALL guarded_alloc(OrtAllocator* this_, size_t size) NO_EXCEPTION {
  struct guarded* self = (struct guarded*)this_;
  /* The bytes of two pages contain one whole page, wherever they begin. */
  size_t around = FRONT + (self->page == 0 ? ZONE : 2 * self->page);
  if (CORE_UNLIKELY(size - 1 >= SIZE_MAX - around - LINE)) {
    return NULL;
  }
  size_t whole = lines(size) + around;
  char* start = take_inner(self, whole, size);
  if (CORE_UNLIKELY(start == NULL)) {
    return NULL;
  }
  struct record* record = place(self, start, whole, size);
  *record = (struct record){.start = start, .size = size};
  write_zones(self, record);
  memset(block_of(record), __atomic_load_n(&self->fill, __ATOMIC_RELAXED), size);
  if (self->page != 0) {
    /* A system that has too many mappings refuses. Then only the rest of the line is checked. */
    core_address_close(end_of_zone(self, record), self->page);
  }
  core_lock(CORE_LOCK_GUARDED);
  struct record** bucket = bucket_of(self, block_of(record));
  record->next = *bucket;
  *bucket = record;
  core_unlock(CORE_LOCK_GUARDED);
  return block_of(record);
}

/* Takes a block out of the table, and notes what was written beyond it. NULL for other pointers. */
static struct record* take_out(struct guarded* self, const void* p) {
  core_damage found = {.is_freed = 1};
  core_lock(CORE_LOCK_GUARDED);
  struct record** link = bucket_of(self, p);
  while (*link != NULL && block_of(*link) != p) {
    link = &(*link)->next;
  }
  struct record* record = *link;
  if (record != NULL) {
    *link = record->next;
    self->live -= record->size;
    if (take_damage(self, record, &found) && self->freed.block == NULL) {
      self->freed = found;
    }
  }
  core_unlock(CORE_LOCK_GUARDED);
  return record;
}

static void ORT_API_CALL guarded_free(OrtAllocator* this_, void* p) NO_EXCEPTION {
  struct guarded* self = (struct guarded*)this_;
  if (p == NULL) {
    return;
  }
  struct record* record = take_out(self, p);
  if (record == NULL) {
    core_refuse_free(p, "is not a block of this allocator, or was freed before");
    return;
  }
  if (self->page != 0) {
    core_address_open(end_of_zone(self, record), self->page);
  }
  memset(p, FREED, record->size);
  self->adaptor.inner->Free(self->adaptor.inner, record->start);
}

int core_guarded_damage(OrtAllocator* allocator, core_damage* out) {
  struct guarded* self = (struct guarded*)allocator;
  core_lock(CORE_LOCK_GUARDED);
  *out = self->freed;
  self->freed.block = NULL;
  bool is_found = out->block != NULL;
  for (size_t i = 0; !is_found && i < BUCKETS; i++) {
    for (struct record* record = self->buckets[i]; !is_found && record != NULL;
         record = record->next) {
      out->is_freed = 0;
      is_found = take_damage(self, record, out);
    }
  }
  core_unlock(CORE_LOCK_GUARDED);
  return is_found;
}

void core_guarded_read(const OrtAllocator* allocator, size_t* live, size_t* peak) {
  const struct guarded* self = (const struct guarded*)allocator;
  core_lock(CORE_LOCK_GUARDED);
  *live = self->live;
  *peak = self->peak;
  core_unlock(CORE_LOCK_GUARDED);
}

void core_guarded_limit(OrtAllocator* allocator, size_t limit) {
  core_lock(CORE_LOCK_GUARDED);
  ((struct guarded*)allocator)->limit = limit;
  core_unlock(CORE_LOCK_GUARDED);
}

void core_guarded_fill(OrtAllocator* allocator, uint8_t byte) {
  __atomic_store_n(&((struct guarded*)allocator)->fill, byte, __ATOMIC_RELAXED);
}

/* Blocks that were not freed are the program's for good, as are the pages after them. */
static void guarded_end(void* adaptor) {
  struct guarded* self = adaptor;
  for (size_t i = 0; self->page != 0 && i < BUCKETS; i++) {
    for (struct record* record = self->buckets[i]; record != NULL; record = record->next) {
      core_address_open(end_of_zone(self, record), self->page);
    }
  }
  core_end_adaptor(adaptor);
}

static const struct core_class guarded_class = CORE_ADAPTOR_CLASS(guarded_end);

OrtStatus* core_create_guarded(OrtAllocator* inner, int closes_pages, OrtAllocator** out) {
  CORE_TRY(core_check_inner(inner, out));
  CORE_TRY(core_new_adaptor("Guarded", &guarded_class, sizeof(struct guarded), inner, guarded_alloc,
                            guarded_free, out));
  struct guarded* self = (struct guarded*)*out;
  self->fill = CORE_GUARDED_FILL;
  self->limit = SIZE_MAX;
  self->page = closes_pages ? core_page_size() : 0;
  return NULL;
}
