# SPDX-License-Identifier: MIT
"""The sources and flags of the abi3 extension ``ortcffi._ort``, which setup.py compiles.

It has the C core and one named function per slot.
"""

import os
import re
import shlex
import sys
import sysconfig
from pathlib import Path

import numpy as np
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
if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise SystemExit(
        "the Python package needs CPython with its global interpreter lock; "
        "PyPy and free-threaded builds of CPython are not supported yet"
    )
# The name in core/Makefile of the system that is built for. _PYTHON_HOST_PLATFORM says another one.
SYSTEM = "APPLE" if sysconfig.get_platform().startswith("macosx") else "POSIX"
INCLUDE = ["core/include", "core/src", "ortcffi"]
# Only the value 1 turns them on.
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
    "ortcffi/boundary/handle/handle.c",
    "ortcffi/boundary/handle/handle_cdata.c",
    "ortcffi/boundary/handle/handle_type.c",
    "ortcffi/boundary/handle/list.c",
    "ortcffi/boundary/handle/threads.c",
    "ortcffi/boundary/table/slot_rows.c",
    "ortcffi/boundary/env/registered_ep.c",
    "ortcffi/boundary/env/watched_ep.c",
    "ortcffi/boundary/table/load.c",
    "ortcffi/boundary/memory/numpy_arrays.c",
    "ortcffi/boundary/memory/adaptors.c",
    "ortcffi/boundary/memory/references.c",
    "ortcffi/boundary/table/registered_ops.c",
    "ortcffi/boundary/callbacks/from_libraries.c",
    "ortcffi/boundary/callbacks/library_threads.c",
    "ortcffi/boundary/memory/foreign.c",
    "ortcffi/boundary/memory/numpy_memory.c",
    "ortcffi/boundary/memory/scratch.c",
    "ortcffi/boundary/memory/stacks.c",
    "ortcffi/boundary/status/fail.c",
    "ortcffi/boundary/status/pairs.c",
    "ortcffi/boundary/memory/extents.c",
    "ortcffi/boundary/memory/blocks.c",
    "ortcffi/boundary/values/values.c",
    "ortcffi/boundary/values/value_new.c",
    "ortcffi/boundary/values/value_type.c",
    "ortcffi/boundary/values/arguments.c",
    "ortcffi/boundary/values/contents.c",
    "ortcffi/boundary/values/from_contents.c",
    "ortcffi/boundary/values/layout.c",
    "ortcffi/boundary/values/value_arrays.c",
    "ortcffi/boundary/values/value_strings.c",
    "ortcffi/boundary/values/value_string_arrays.c",
    "ortcffi/boundary/values/dlpack.c",
    "ortcffi/boundary/values/imported.c",
    "ortcffi/boundary/models/attributes.c",
    "ortcffi/boundary/models/part_lists.c",
    "ortcffi/boundary/models/parts.c",
    "ortcffi/boundary/session/session.c",
    "ortcffi/boundary/session/ports.c",
    "ortcffi/boundary/session/run_arguments.c",
    "ortcffi/boundary/session/run_values.c",
    "ortcffi/boundary/session/overlaps.c",
    "ortcffi/boundary/session/run.c",
    "ortcffi/boundary/kernels/kernel.c",
    "ortcffi/boundary/kernels/python_op.c",
    "ortcffi/boundary/kernels/python_kernel.c",
    "ortcffi/boundary/kernels/python_io.c",
    "ortcffi/boundary/kernels/may_inplace.c",
    "ortcffi/boundary/kernels/register_ops.c",
    "ortcffi/boundary/models/python_ep.c",
    "ortcffi/boundary/session/supervision.c",
    "ortcffi/boundary/session/binding.c",
    "ortcffi/boundary/session/jobs.c",
    "ortcffi/boundary/session/workers.c",
    "ortcffi/boundary/session/counts.c",
    "ortcffi/boundary/official/official.c",
    "ortcffi/boundary/module.c",
]
# Flags of a distribution, which come last, so that they win. It strips by itself.
CFLAGS, LDFLAGS = (shlex.split(os.environ.get(name, "")) for name in ["CFLAGS", "LDFLAGS"])
KEEPS_SYMBOLS = IS_FOR_DEBUGGING or bool(CFLAGS or LDFLAGS)
OUR_FLAGS = [
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
NUMPY = ["-isystem", np.get_include()]  # not -I: warnings of its headers are NumPy's
COMPILE_FLAGS = [f'-DCORE_FLAGS="{" ".join(OUR_FLAGS)}"', *OUR_FLAGS, *NUMPY, *CFLAGS]
LINK_FLAGS = [
    *core(f"HARDEN_OF_{SYSTEM}"),
    *([f"-fsanitize={SANITIZERS}"] if SANITIZERS else []),
    # Without symbols that only a debugger reads. Apple's linker does not know -s any more.
    *([] if KEEPS_SYMBOLS else ["-Wl,-x" if SYSTEM == "APPLE" else "-Wl,-s"]),
    *(core("MIMALLOC_LINK") if HEAP == "MIMALLOC" else []),
]
[CORE_NAME] = core(f"NAME_OF_{SYSTEM}")


def exports(library: str) -> str:
    """The flag that exports what the list of a library in core/exports names, and nothing else."""
    [flag], [file] = core(f"EXPORT_OF_{SYSTEM}"), core(f"EXPORTS_OF_{SYSTEM}")
    return flag + str((ROOT / "core" / file).with_stem(library))


CORE_LINK_FLAGS = [*LINK_FLAGS, *core(f"LINK_OF_{SYSTEM}"), exports("ortcore"), *LDFLAGS]
EXTENSION_LINK_FLAGS = [*LINK_FLAGS, exports("extension"), *LDFLAGS]


def write_extension() -> str:
    """Have CFFI write the extension's own C file, where it differs from what is there.

    ``tools/generate.py`` has made the declarations, for which it needs a compiler.
    """
    ort = FFI()
    ort.cdef((ROOT / "ortcffi/boundary/cdef.txt").read_text())
    ort.set_source("ortcffi._ort", '#include "boundary/boundary.h"', compiler_verbose=0)
    os.makedirs("build", exist_ok=True)
    ort.emit_c_code("build/_ort.c")
    return "build/_ort.c"
