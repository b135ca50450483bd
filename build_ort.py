# SPDX-License-Identifier: MIT
"""Builds ``ortcffi._ort``: the C core and one named function per slot, in one abi3 extension."""

import os
import shlex
import subprocess
import sysconfig
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).parent.resolve()
INCLUDE = ["core/include", "core/src", "ortcffi/boundary"]
SOURCES = [
    "core/src/api.c",
    "core/src/tables.c",
    "core/src/status.c",
    "core/src/memory_info.c",
    "core/src/key_values.c",
    "core/src/allocator.c",
    "core/src/heap.c",
    "core/src/heap_central.c",
    "core/src/heap_region.c",
    "ortcffi/boundary/extras.c",
    "ortcffi/boundary/bench.c",
    "ortcffi/boundary/bench_threads.c",
    "ortcffi/boundary/bench_floor.c",
    "ortcffi/boundary/providers.c",
]
COMPILE_FLAGS = [
    "-std=gnu11",
    "-O2",
    "-g0",  # line tables alone would triple the wheel
    "-fvisibility=hidden",  # what leaves is listed in core/exports
    "-Wall",
    "-Wextra",
    # CFFI calls every function through the cdef's signature: a wrong one must not compile.
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Wno-unused-parameter",  # CFFI's generated functions
    "-Wno-unused-function",
]
LINK_FLAGS = [
    f"-Wl,--version-script={ROOT / 'core/exports/extension.map'}",
    "-Wl,-z,now",
    "-Wl,-z,relro",
    "-Wl,-z,noexecstack",
    "-Wl,-s",
]


def cdef() -> str:
    """The boundary's declarations, preprocessed, without what system headers contribute."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    flags = ["-E", "-D__attribute__(x)=", *(f"-I{ROOT / path}" for path in INCLUDE)]
    command = [*compiler[:1], *flags, str(ROOT / "ortcffi/boundary/cdef.h")]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kept, ours = [], False
    for line in text.splitlines():
        if line.startswith("# "):  # a line marker: # number "file" flags
            ours = line.split('"')[1].startswith(str(ROOT))
        elif ours and line.strip():
            kept.append(line)
    return "\n".join(kept)


ffibuilder = FFI()
ffibuilder.cdef(cdef())
ffibuilder.set_source(
    "ortcffi._ort",
    '#include "boundary.h"',
    sources=SOURCES,
    include_dirs=INCLUDE,
    extra_compile_args=COMPILE_FLAGS,
    extra_link_args=LINK_FLAGS,
    py_limited_api=True,
)
