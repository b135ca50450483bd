/* SPDX-License-Identifier: MIT */
/** @file hash.h The hash of tables whose keys may come from a file. */
#ifndef ORTCFFI_HASH_H_
#define ORTCFFI_HASH_H_

#include <stddef.h>
#include <stdint.h>

/** SipHash-1-3 with a key that the process draws, so that no file can be made with keys that
 * collide. */
uint32_t core_hash(const void* bytes, size_t size);

#endif /* ORTCFFI_HASH_H_ */
