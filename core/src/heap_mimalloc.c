/* SPDX-License-Identifier: MIT */
#include "heap.h"

int64_t heap_unrecognized;
