# SPDX-License-Identifier: MIT
"""How fast is the default allocator, and what does it keep?

Simulates inference without an arena: tensors of a few bytes to a few megabytes, taken and freed by
one thread, by two, or taken by the thread that decodes requests and freed by the one that answers
them. Beside each figure stand the real library's allocator and the plain allocators that are
installed; 'floor' checks nothing and shows what the machine can do.

Run ``python benchmarks/bench_how_fast_is_the_allocator.py``; arguments are those of
``python -m ortcffi bench``.
"""

import sys

from ortcffi.bench.cli import main

ROWS = "alloc-*,batch-*,lifetimes,two-threads,handover,touch-*,resident"

if __name__ == "__main__":
    sys.exit(main([f"--rows={ROWS}", *sys.argv[1:]]))
