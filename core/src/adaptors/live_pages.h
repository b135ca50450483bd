/* SPDX-License-Identifier: MIT */
/**
 * @file live_pages.h
 * Pages that can certainly be read, because the header of a live block is in them.
 *
 * AllocatorFree of an adaptor gets any pointer, and reads the header before it. Where the memory is
 * not of the core's heap, only the system knows whether it can be read, and asking it takes longer
 * than all the rest. So AllocatorAlloc counts the headers in each page, in a small table. A page
 * whose place in the table another one has is not counted, and neither are headers on two pages:
 * for those blocks AllocatorFree asks the system.
 *
 * A count may be too low, which costs only time, but never too high.
 */
#ifndef ORTCFFI_LIVE_PAGES_H_
#define ORTCFFI_LIVE_PAGES_H_

#include "core.h"

/** Counts the header of a block that was just allocated. Returns what core_uncount_header needs; 0
 * if the header was not counted. */
uint32_t core_count_header(const void* header, size_t size);

/** Takes back a count that is not 0, before the block is freed. */
void core_uncount_header(const void* header, uint32_t counted);

/** Whether the header of a live block shares its page with this memory. */
int core_is_in_live_page(const void* address, size_t size);

/** Forgets all counts: blocks were given up without being freed. */
void core_forget_live_pages(void);

#endif /* ORTCFFI_LIVE_PAGES_H_ */
