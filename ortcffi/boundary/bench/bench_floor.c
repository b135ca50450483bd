/* SPDX-License-Identifier: MIT */
/*
 * The floor of the benchmark: a table with the measured slots and the least of work behind them.
 *
 * Each size class has 4 GiB of reserved addresses, so a block's class is in its address. A thread
 * keeps two lists of free blocks per class and trades whole lists with a central one, without
 * which blocks that one thread takes and another frees would pile up.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "onnxruntime_c_api.h"
#include "boundary/bench/bench.h"

#define TEXT_OF(number) #number
#define VERSION_STRING(version) "1." TEXT_OF(version) ".0"
#define LINE 64
#define CLASSES 145 /* up to 64 MiB: 16 classes of 1 to 16 lines, then 8 to each doubling */
#define CLASS_BITS 32
#define BATCH_BYTES ((size_t)1 << 20)
#define BATCH_MOST 64
/* From here on blocks start one line further apart than their size asks, or they would all fall
 * into the same few sets of the cache. */
#define SPREAD_FROM ((size_t)4096)
#define HUGE_PAGES_FROM ((size_t)4 << 20)

struct block {
  struct block* next;
  struct block* next_list;
};

struct bin {
  struct block* head;
  struct block* spare;
  size_t room; /* blocks that still fit into `head` */
  size_t batch;
};

struct central {
  atomic_flag lock;
  struct block* lists;
  char* fresh;
};

static struct central centrals[CLASSES];
static char* region;
static pthread_key_t at_thread_end;
static __thread struct bin* self __attribute__((tls_model("initial-exec")));

static inline size_t class_of(size_t size) {
  size_t lines = (size + LINE - 1) / LINE;
  if (lines <= 16) {
    return lines;
  }
  size_t step = 60 - (size_t)__builtin_clzll(lines - 1);
  return 8 * step + ((lines - 1) >> step) + 1;
}

static size_t class_bytes(size_t index) {
  return index <= 16 ? index * LINE : ((index - 1) % 8 + 9) * LINE << ((index - 1) / 8 - 1);
}

static void lock(struct central* central) {
  while (atomic_flag_test_and_set_explicit(&central->lock, memory_order_acquire)) {
  }
}

static void unlock(struct central* central) {
  atomic_flag_clear_explicit(&central->lock, memory_order_release);
}

static void put_list(size_t index, struct block* list) {
  if (list != NULL) {
    lock(&centrals[index]);
    list->next_list = centrals[index].lists;
    centrals[index].lists = list;
    unlock(&centrals[index]);
  }
}

static void end_thread(void* bins) {
  for (size_t i = 1; i < CLASSES; i++) {
    put_list(i, ((struct bin*)bins)[i].head);
    put_list(i, ((struct bin*)bins)[i].spare);
  }
  free(bins);
}

static struct bin* start_thread(void) {
  self = (struct bin*)calloc(CLASSES, sizeof *self);
  if (self == NULL) {
    abort();
  }
  for (size_t i = 1; i < CLASSES; i++) {
    size_t fit = BATCH_BYTES / class_bytes(i);
    self[i].batch = fit < 1 ? 1 : fit > BATCH_MOST ? BATCH_MOST : fit;
    self[i].room = self[i].batch;
  }
  pthread_setspecific(at_thread_end, self);
  return self;
}

static __attribute__((noinline)) struct block* take_slowly(size_t index) {
  struct bin* bin = (self == NULL ? start_thread() : self) + index;
  struct central* central = &centrals[index];
  struct block* list = bin->spare;
  bin->spare = NULL;
  if (list == NULL) {
    lock(central);
    list = central->lists;
    if (list != NULL) {
      central->lists = list->next_list;
    } else {
      list = (struct block*)central->fresh;
      size_t bytes = class_bytes(index);
      central->fresh += bytes + (bytes >= SPREAD_FROM ? LINE : 0);
      list->next = NULL;
    }
    unlock(central);
  }
  bin->head = list->next;
  bin->room = 1;
  return list;
}

static inline void* take(size_t size) {
  size_t index = class_of(size);
  struct bin* bins = self;
  struct block* block = bins == NULL ? NULL : bins[index].head;
  if (block == NULL) {
    return take_slowly(index);
  }
  bins[index].head = block->next;
  bins[index].room++;
  return block;
}

static __attribute__((noinline)) void turn_over(size_t index) {
  struct bin* bin = (self == NULL ? start_thread() : self) + index;
  put_list(index, bin->spare);
  bin->spare = bin->head;
  bin->head = NULL;
  bin->room = bin->batch;
}

static inline void give(void* p) {
  size_t index = (size_t)((char*)p - region) >> CLASS_BITS;
  if (self == NULL || self[index].room == 0) {
    turn_over(index);
  }
  struct block* block = (struct block*)p;
  block->next = self[index].head;
  self[index].head = block;
  self[index].room--;
}

struct OrtStatus {
  OrtErrorCode code;
  char message[];
};

static OrtStatus* ORT_API_CALL create_status(OrtErrorCode code, const char* message) NO_EXCEPTION {
  size_t size = strlen(message) + 1;
  OrtStatus* status = (OrtStatus*)take(sizeof *status + size);
  status->code = code;
  memcpy(status->message, message, size);
  return status;
}

static OrtErrorCode ORT_API_CALL code_of(const OrtStatus* status) NO_EXCEPTION {
  return status->code;
}

static const char* ORT_API_CALL message_of(const OrtStatus* status) NO_EXCEPTION {
  return status->message;
}

static void ORT_API_CALL release_status(OrtStatus* status) NO_EXCEPTION {
  if (status != NULL) {
    give(status);
  }
}

static OrtStatus* ORT_API_CALL create_info(const char* name, OrtAllocatorType type, int id,
                                           OrtMemType mem_type, OrtMemoryInfo** out) NO_EXCEPTION {
  (void)type;
  (void)id;
  (void)mem_type;
  *out = NULL;
  return strcmp(name, "Cpu") == 0 ? NULL : create_status(ORT_INVALID_ARGUMENT, "no such device");
}

static OrtStatus* ORT_API_CALL default_allocator(OrtAllocator** out) NO_EXCEPTION {
  *out = NULL; /* There is one, and AllocatorAlloc does not ask. */
  return NULL;
}

static OrtStatus* ORT_API_CALL alloc(OrtAllocator* allocator, size_t size,
                                     void** out) NO_EXCEPTION {
  (void)allocator;
  if (class_of(size) >= CLASSES) {
    return create_status(ORT_RUNTIME_EXCEPTION, "out of memory");
  }
  *out = take(size);
  return NULL;
}

static OrtStatus* ORT_API_CALL give_back(OrtAllocator* allocator, void* p) NO_EXCEPTION {
  (void)allocator;
  give(p);
  return NULL;
}

static const OrtApi table = {
    .CreateStatus = create_status,
    .GetErrorCode = code_of,
    .GetErrorMessage = message_of,
    .ReleaseStatus = release_status,
    .CreateMemoryInfo = create_info,
    .GetAllocatorWithDefaultOptions = default_allocator,
    .AllocatorAlloc = alloc,
    .AllocatorFree = give_back,
};

static const OrtApi* ORT_API_CALL get_api(uint32_t version) NO_EXCEPTION {
  return version <= ORT_API_VERSION ? &table : NULL;
}

static const char* ORT_API_CALL version_string(void) NO_EXCEPTION {
  return VERSION_STRING(ORT_API_VERSION);
}

static const OrtApiBase base = {get_api, version_string};

const OrtApiBase* ortcffi_bench_floor(void) {
  if (region != NULL) {
    return &base;
  }
  void* addresses = mmap(NULL, (size_t)CLASSES << CLASS_BITS, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (addresses == MAP_FAILED || pthread_key_create(&at_thread_end, end_thread) != 0) {
    return NULL;
  }
  region = (char*)addresses;
  for (size_t i = 1; i < CLASSES; i++) {
    centrals[i].fresh = region + (i << CLASS_BITS);
#ifdef MADV_HUGEPAGE
    if (class_bytes(i) >= HUGE_PAGES_FROM) {
      madvise(centrals[i].fresh, (size_t)1 << CLASS_BITS, MADV_HUGEPAGE);
    }
#endif
  }
  return &base;
}
