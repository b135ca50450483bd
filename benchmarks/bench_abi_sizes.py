# SPDX-License-Identifier: MIT
"""How big are the structs that cross the boundary?

Simulates nothing: prints what a client of this build compiles in. A figure that changes between two
builds of one API version means that clients break.

Run ``python benchmarks/bench_abi_sizes.py``.
"""

from ortcffi import ffi


def main() -> None:
    typedefs, structs, _ = ffi.list_types()
    for name in sorted({*typedefs, *structs}):
        kind = ffi.typeof(name)
        if kind.kind == "struct" and kind.fields:  # neither opaque nor an enum
            print(f"{name:40}{ffi.sizeof(kind):6} bytes {len(kind.fields):5} fields")


if __name__ == "__main__":
    main()
