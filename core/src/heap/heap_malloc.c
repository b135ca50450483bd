/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

struct heap_faults heap_faults;
