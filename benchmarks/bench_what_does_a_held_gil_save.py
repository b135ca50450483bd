# SPDX-License-Identifier: MIT
"""What does it save to keep the GIL during a call?

Simulates a program that makes many short calls from one thread. Both slots do nothing for NULL; the
list of slots says HOLD of the one and FREE of the other, so the difference is what releasing and
taking the lock costs when no other thread wants it. The loop without a call is the baseline.

Needs pyperf. Run ``python benchmarks/bench_what_does_a_held_gil_save.py``.
"""

import pyperf

import ortcffi
from ortcffi import ffi, lib

HOLD = "ReleaseMemoryInfo"
FREE = "ReleaseSession"


def main() -> None:
    rows = (lib.ortcffi_slot_row(i) for i in range(len(ffi.typeof("OrtApi").fields)))
    kept = {ffi.string(row.name).decode(): ffi.string(row.gil).decode() for row in rows}
    assert (kept[HOLD], kept[FREE]) == ("HOLD", "FREE")
    names = {
        "api": ortcffi.default_api().pointer,
        "hold": getattr(lib, HOLD),
        "free": getattr(lib, FREE),
        "none": ffi.NULL,
        "python": lambda api, none: None,  # noqa: ARG005 - the arguments are the point
    }
    runner = pyperf.Runner()
    runner.timeit("a Python function that does nothing", "python(api, none)", globals=names)
    runner.timeit(f"{HOLD}(NULL): lock kept", "hold(api, none)", globals=names)
    runner.timeit(f"{FREE}(NULL): lock released", "free(api, none)", globals=names)


if __name__ == "__main__":
    main()
