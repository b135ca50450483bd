/* SPDX-License-Identifier: MIT */
#include <sys/mman.h>

#include "heap.h"

int64_t heap_unrecognized;

/* mimalloc takes addresses with MAP_NORESERVE, so only a process that touches too large a block
 * would learn that it is. Without that flag the kernel refuses at once. */
int heap_system_has(size_t size) {
  void* range = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return range != MAP_FAILED && munmap(range, size) == 0;
}
