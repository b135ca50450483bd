/* SPDX-License-Identifier: MIT */
/**
 * @file damage.h
 * What a guarded allocator finds, for clients that need no more of the core's headers.
 */
#ifndef ORTCFFI_DAMAGE_H_
#define ORTCFFI_DAMAGE_H_

#include <stddef.h>
#include <stdint.h>

/** What new blocks of a guarded allocator are filled with. */
enum { CORE_GUARDED_FILL = 0xA5 };

/** What was written beyond a block. */
typedef struct core_damage {
  /** The block, and its size in bytes. */
  void* block;
  size_t size;
  /** The first byte that was changed, counted from the block's first one, and how many bytes there
   * are to the last one that was. */
  int64_t offset;
  int64_t length;
  /** Whether the block was freed since. */
  int is_freed;
} core_damage;

#endif /* ORTCFFI_DAMAGE_H_ */
