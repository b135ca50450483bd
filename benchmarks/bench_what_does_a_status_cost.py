# SPDX-License-Identifier: MIT
"""What does a status cost?

Simulates the host of custom operators: each call that fails hands a status up, a client reads its
code and message and releases it. A kernel that reports 'shape not supported' for every request of
a busy server pays this each time. Success costs a NULL and needs no benchmark.

Run ``python benchmarks/bench_what_does_a_status_cost.py``; arguments are those of
``python -m ortcffi bench``.
"""

import sys

from ortcffi.bench.cli import main

ROWS = "status-*,fail-*,read-status,get-api,release-null"

if __name__ == "__main__":
    sys.exit(main([f"--rows={ROWS}", *sys.argv[1:]]))
