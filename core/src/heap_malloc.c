/* SPDX-License-Identifier: MIT */
#include "heap.h"

struct heap_faults heap_faults;
