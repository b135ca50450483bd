/* SPDX-License-Identifier: MIT */
/*
 * One mistake with the default allocator: it must be reported as docs/heap.md says, and the heap
 * must go on as if nothing had happened.
 *
 * misuse LIBRARY MISTAKE: a bad free is made once through the table, whose message is printed, and
 * once through the allocator's struct, which reports to stderr.
 */
#include "table.h"

static const OrtApi* api;
static OrtAllocator* allocator;

static char* take(size_t size) {
  char* block = allocator->Alloc(allocator, size);
  CHECK(block != NULL);
  return block;
}

static int64_t bad_frees(void) { return figure_of(api, allocator, "NumBadFrees"); }

static void must_be_refused(void* pointer) {
  int64_t before = bad_frees();
  OrtStatus* status = api->AllocatorFree(allocator, pointer);
  CHECK(api->GetErrorCode(status) == ORT_INVALID_ARGUMENT);
  printf("%p\n%s\n", pointer, api->GetErrorMessage(status));
  api->ReleaseStatus(status);
  allocator->Free(allocator, pointer);
  CHECK(bad_frees() == before + 2);
}

static int is_among(void** blocks, size_t count, const void* block) {
  for (size_t i = 0; i < count; i++) {
    if (blocks[i] == block) {
      return 1;
    }
  }
  return 0;
}

/* No two blocks that are handed out overlap. */
static void must_go_on(size_t size) {
  enum { COUNT = 500 };
  static void* blocks[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    blocks[i] = take(size);
    CHECK(!is_among(blocks, i, blocks[i]));
    memset(blocks[i], (int)i, size);
  }
  for (size_t i = 0; i < COUNT; i++) {
    CHECK(*(unsigned char*)blocks[i] == (unsigned char)i);
    CHECK(api->AllocatorFree(allocator, blocks[i]) == NULL);
  }
}

static void free_twice(size_t size) {
  char* block = take(size);
  CHECK(api->AllocatorFree(allocator, block) == NULL);
  must_be_refused(block);
  must_go_on(size < 4096 ? size : 4096);
}

static void free_inside(size_t size, size_t offset) {
  char* block = take(size);
  memset(block, 7, size);
  must_be_refused(block + offset);
  for (size_t i = 0; i < size; i++) {
    CHECK(block[i] == 7);
  }
  CHECK(api->AllocatorFree(allocator, block) == NULL);
  must_go_on(size < 4096 ? size : 4096);
}

static void free_foreign(void) {
  static char constant;
  char local = 0;
  void* others = malloc(64);
  must_be_refused(&constant);
  must_be_refused(&local);
  must_be_refused(others);
  must_be_refused((void*)16);
  must_be_refused((void*)(UINTPTR_MAX - 63));
  free(others);
  must_go_on(64);
}

enum { NEIGHBOURS = 64, LENGTH = 256, OWNER = 1280, BORROWER = 1152 };

/* The index of a block that begins where this one ends, or NEIGHBOURS. */
static size_t next_to(char** blocks, const char* block) {
  size_t i = 0;
  while (i < NEIGHBOURS && blocks[i] != block + LENGTH) {
    i++;
  }
  return i;
}

static void overrun(void) {
  static char* blocks[NEIGHBOURS];
  for (size_t i = 0; i < NEIGHBOURS; i++) {
    blocks[i] = take(LENGTH);
  }
  size_t first = 0;
  while (next_to(blocks, blocks[first]) == NEIGHBOURS) {
    CHECK(++first < NEIGHBOURS);
  }
  char* second = blocks[next_to(blocks, blocks[first])];
  allocator->Free(allocator, second);
  memset(blocks[first], 1, LENGTH + 64);
  printf("%p\n", (void*)second);
  CHECK(take(LENGTH) != second);
  must_go_on(LENGTH);
}

static void write_after_free(void) {
  char* block = take(LENGTH);
  allocator->Free(allocator, block);
  memset(block, 1, LENGTH);
  printf("%p\n", (void*)block);
  CHECK(take(LENGTH) != block);
  must_go_on(LENGTH);
}

/* The larger block lies free, and would do for a size that has none free itself. */
static void write_what_could_be_borrowed(void) {
  char* block = take(OWNER);
  allocator->Free(allocator, block);
  memset(block, 1, 64);
  printf("%p\n", (void*)block);
  for (size_t i = 0; i < NEIGHBOURS; i++) {
    CHECK(take(BORROWER) != block);
  }
  must_go_on(OWNER);
}

/* Each is freed twice, or at an offset; or what the function does. */
static const struct {
  const char* name;
  size_t size, offset;
  void (*make)(void);
} mistakes[] = {
    {"twice small", 100, 0, NULL},
    {"twice large", (size_t)1 << 20, 0, NULL},
    {"twice huge", ((size_t)1 << 30) + 1, 0, NULL},
    {"inside small", 256, 64, NULL},
    {"inside unaligned", 256, 9, NULL},
    {"inside large", (size_t)3 << 20, 64, NULL},
    {"inside far", (size_t)3 << 20, (size_t)2 << 20, NULL},
    {"foreign", 0, 0, free_foreign},
    {"overrun", 0, 0, overrun},
    {"written after free", 0, 0, write_after_free},
    {"written before it is borrowed", 0, 0, write_what_could_be_borrowed},
};

static void make(size_t number) {
  if (mistakes[number].make != NULL) {
    mistakes[number].make();
  } else if (mistakes[number].offset == 0) {
    free_twice(mistakes[number].size);
  } else {
    free_inside(mistakes[number].size, mistakes[number].offset);
  }
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  api = table_of(argv[1]);
  CHECK(api->GetAllocatorWithDefaultOptions(&allocator) == NULL);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    if (strcmp(mistakes[i].name, argv[2]) == 0) {
      make(i);
      puts("ok");
      return 0;
    }
  }
  return 2;
}
