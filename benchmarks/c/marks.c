/* SPDX-License-Identifier: MIT */
/* Divides what a process executes under callgrind: what came since the last mark gets a name. */
#include <valgrind/callgrind.h>

void mark(const char* name);

void mark(const char* name) { CALLGRIND_DUMP_STATS_AT(name); }
