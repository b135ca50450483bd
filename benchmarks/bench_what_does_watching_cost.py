# SPDX-License-Identifier: MIT
"""What does watching an execution provider cost?

Simulates a provider that asks its host again and again: through the host's own table, through one
that counts, and through one that also notes what is left alive, as ``register_ep(watch=True)`` has
it. Each call comes from Python, whose share is the same in all rows.

Run ``python benchmarks/bench_what_does_watching_cost.py``.
"""

import json
import timeit
from collections.abc import Callable
from typing import Any

import ortcffi as ort
from ortcffi import ffi, lib

CALLS = 10_000
ROUNDS = 60


def nanoseconds(statement: Callable[[], None]) -> float:
    return min(timeit.repeat(statement, number=CALLS, repeat=ROUNDS)) / CALLS * 1e9


def main() -> None:
    core = ort.core_api()
    trace = ort.trace(core)
    allocator, info = ffi.new("OrtAllocator**"), ffi.new("OrtMemoryInfo**")

    def measure(table: Any) -> dict[str, float]:
        def get() -> None:
            lib.GetAllocatorWithDefaultOptions(table, allocator)

        def make() -> None:
            lib.CreateCpuMemoryInfo(table, 0, 0, info)
            lib.ReleaseMemoryInfo(table, info[0])

        return {"get an allocator": nanoseconds(get), "make and release": nanoseconds(make)}

    rows = {"direct": measure(core.pointer), "counted": measure(trace.table)}
    trace._begun.figures.notes = 1
    rows["watched"] = measure(trace.table)
    print(json.dumps({"unit": "ns", **rows}, indent=1))


if __name__ == "__main__":
    main()
