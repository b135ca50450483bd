# SPDX-License-Identifier: MIT
"""How big are the structs that cross the boundary?

Simulates nothing: prints what a client of this build compiles in. A figure that changes between two
builds of one API version means that clients break.

Run ``python benchmarks/bench_abi_sizes.py``.
"""

from ortcffi import ffi


def main() -> None:
    _, structs, _ = ffi.list_types()
    for name in sorted(structs):
        if not name.removeprefix("Ort")[0].isupper():  # ours, not the ABI's
            continue
        kind = ffi.typeof(f"struct {name}")
        try:
            size = ffi.sizeof(kind)
        except ffi.error:  # a handle: what is in it is the library's own business
            continue
        print(f"{name:40}{size:6} bytes {len(kind.fields):5} fields")


if __name__ == "__main__":
    main()
