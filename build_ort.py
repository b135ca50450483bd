# SPDX-License-Identifier: MIT
"""Builds ``ortcffi._ort``: the C core and one named function per slot, in one abi3 extension."""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).parent.resolve()
MAKEFILE = (ROOT / "core/Makefile").read_text().replace("\\\n", " ")


def core(variable: str) -> list[str]:
    """The words of a variable of core/Makefile, where the core's sources and flags are listed."""
    words = re.search(rf"^{variable} =(.*)$", MAKEFILE, re.MULTILINE)
    assert words, f"core/Makefile sets no {variable}"
    return words[1].split()


if os.name != "posix":
    raise SystemExit(
        "the Python package needs Linux, macOS or another Unix; "
        "for Windows there is the core alone: make -C core windows"
    )
# The name of the system in core/Makefile.
SYSTEM = "APPLE" if sys.platform == "darwin" else "POSIX"
INCLUDE = ["core/include", "core/src", "ortcffi"]
HEADERS = [
    str(header)
    for path in ["core/include", "core/src", "ortcffi/boundary"]
    for header in ROOT.glob(f"{path}/**/*.[dh]*")
]
# Only the value 1 turns them on. setuptools does not notice a change: then use `build_ext --force`.
USE_MIMALLOC = os.environ.get("ORTCFFI_USE_MIMALLOC") == "1"
USE_MALLOC = os.environ.get("ORTCFFI_USE_MALLOC") == "1"
# What -fsanitize= is to be given; tools/run_with_sanitizers.py sets it. The default allocator uses
# malloc then: the address sanitizer knows no other blocks.
SANITIZERS = os.environ.get("ORTCFFI_SANITIZERS", "")
# A build with malloc is for finding errors, with tools that read symbols.
IS_FOR_DEBUGGING = USE_MALLOC or bool(SANITIZERS)
HEAP = "MALLOC" if IS_FOR_DEBUGGING else "MIMALLOC" if USE_MIMALLOC else "HEAP"
CORE_SOURCES = [f"core/src/{name}.c" for name in core("SOURCES") + core("POSIX") + core(HEAP)]
BOUNDARY_SOURCES = [
    "ortcffi/boundary/platform/owner.c",
    "ortcffi/boundary/table/slot_rows.c",
    "ortcffi/boundary/options/options.c",
    "ortcffi/boundary/bench/bench.c",
    "ortcffi/boundary/bench/bench_threads.c",
    "ortcffi/boundary/bench/bench_values.c",
    "ortcffi/boundary/bench/bench_floor.c",
    "ortcffi/boundary/bench/bench_runs.c",
    "ortcffi/boundary/table/load.c",
    "ortcffi/boundary/memory/adaptors.c",
    "ortcffi/boundary/arena/arena.c",
    "ortcffi/boundary/memory/references.c",
    "ortcffi/boundary/custom_ops/custom_ops.c",
    "ortcffi/boundary/callbacks/from_libraries.c",
    "ortcffi/boundary/callbacks/library_threads.c",
    "ortcffi/boundary/memory/foreign.c",
    "ortcffi/boundary/memory/numpy_memory.c",
    "ortcffi/boundary/memory/numpy_arrays.c",
    "ortcffi/boundary/memory/scratch.c",
    "ortcffi/boundary/status/raise.c",
    "ortcffi/boundary/status/pairs.c",
    "ortcffi/boundary/memory/extents.c",
    "ortcffi/boundary/memory/blocks.c",
    "ortcffi/boundary/values/values.c",
    "ortcffi/boundary/values/value_new.c",
    "ortcffi/boundary/values/value_handle.c",
    "ortcffi/boundary/values/value_type.c",
    "ortcffi/boundary/values/value_arrays.c",
    "ortcffi/boundary/values/value_strings.c",
    "ortcffi/boundary/values/value_string_arrays.c",
    "ortcffi/boundary/values/dlpack.c",
    "ortcffi/boundary/values/loans.c",
    "ortcffi/boundary/session/session.c",
    "ortcffi/boundary/session/ports.c",
    "ortcffi/boundary/session/run_arguments.c",
    "ortcffi/boundary/session/run_values.c",
    "ortcffi/boundary/session/run.c",
    "ortcffi/boundary/kernels/kernel.c",
    "ortcffi/boundary/kernels/kernel_results.c",
    "ortcffi/boundary/kernels/python_op.c",
    "ortcffi/boundary/kernels/python_kernel.c",
    "ortcffi/boundary/kernels/python_io.c",
    "ortcffi/boundary/kernels/may_inplace.c",
    "ortcffi/boundary/kernels/register_ops.c",
    "ortcffi/boundary/session/keep_gil.c",
    "ortcffi/boundary/session/watch.c",
    "ortcffi/boundary/session/binding.c",
    "ortcffi/boundary/session/jobs.c",
    "ortcffi/boundary/session/workers.c",
    "ortcffi/boundary/official/official.c",
]
COMPILE_FLAGS = [
    *core("FLAGS"),
    *(core(f"{HEAP}_FLAGS") if HEAP != "HEAP" else []),
    # Debug information, even line numbers alone, would triple the wheel's size.
    *(["-O1", "-g", "-fno-omit-frame-pointer"] if IS_FOR_DEBUGGING else ["-O2", "-g0"]),
    *([f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=all"] if SANITIZERS else []),
    # CFFI calls every function through the cdef's signature: a wrong one must not compile.
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Wno-unused-parameter",  # in the functions that CFFI generates
    "-Wno-unused-function",
]
LINK_FLAGS = [
    *core(f"HARDEN_OF_{SYSTEM}"),
    *([f"-fsanitize={SANITIZERS}"] if SANITIZERS else []),
    # Without symbols that only a debugger reads. Apple's linker does not know -s any more.
    *([] if IS_FOR_DEBUGGING else ["-Wl,-x" if SYSTEM == "APPLE" else "-Wl,-s"]),
    *(core("MIMALLOC_LINK") if HEAP == "MIMALLOC" else []),
]
[CORE_NAME] = core(f"NAME_OF_{SYSTEM}")


def exports(library: str) -> str:
    """The flag that exports what the list of a library in core/exports names, and nothing else."""
    [flag], [file] = core(f"EXPORT_OF_{SYSTEM}"), core(f"EXPORTS_OF_{SYSTEM}")
    return flag + str((ROOT / "core" / file).with_stem(library))


CORE_LINK_FLAGS = [*LINK_FLAGS, *core(f"LINK_OF_{SYSTEM}"), exports("ortcore")]


def cdef() -> str:
    """The boundary's declarations, preprocessed, without those of system headers."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    flags = [
        "-E",
        "-DORTCFFI_CDEF",
        "-D__attribute__(x)=",
        *(f"-I{ROOT / path}" for path in INCLUDE),
    ]
    command = [*compiler, *flags, str(ROOT / "ortcffi/boundary/cdef.h")]
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
    '#include "boundary/boundary.h"',
    sources=CORE_SOURCES + BOUNDARY_SOURCES,
    depends=[__file__, "core/Makefile", *HEADERS],
    include_dirs=INCLUDE,
    define_macros=[("CORE_FLAGS", f'"{" ".join(COMPILE_FLAGS)}"')],
    extra_compile_args=COMPILE_FLAGS,
    extra_link_args=[*LINK_FLAGS, exports("extension")],
    py_limited_api=True,
)
