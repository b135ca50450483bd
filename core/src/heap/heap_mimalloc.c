/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

int64_t heap_unrecognized;
