# SPDX-License-Identifier: MIT
"""The sources and flags of the extension ``ortcffi._ort``, which setup.py compiles.

It has one named function per slot, and is linked with the C core in the library beside it.
"""

import os
import shlex
import sys
import sysconfig
from hashlib import sha256
from pathlib import Path

import numpy as np
from cffi import FFI

ROOT = Path(__file__).parent.resolve()
LINES = (ROOT / "core/flags.mk").read_text().splitlines()
CORE = {name: words.split() for name, equals, words in (x.partition(" =") for x in LINES) if equals}

if sys.implementation.name != "cpython":
    raise SystemExit("the Python package needs CPython; PyPy is not supported yet")
# Whether the extension keeps to the stable ABI, which a Python without the GIL does not have.
IS_ABI3 = not sysconfig.get_config_var("Py_GIL_DISABLED")
# The name in core/flags.mk of the system that is built for. _PYTHON_HOST_PLATFORM says another one.
PLATFORM = sysconfig.get_platform().partition("-")[0]
SYSTEM = {"macosx": "APPLE", "win": "WINDOWS"}.get(PLATFORM, "POSIX")
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
LEFT_OUT = {f"core/src/{x}.c" for x in CORE[f"LEFT_OUT_OF_{SYSTEM}"] + CORE[f"LEFT_OUT_OF_{HEAP}"]}


def files(folder: str) -> list[str]:
    """Return the C files of the topics of a folder, as setuptools names them."""
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob("*/*.c"))


CORE_SOURCES = [name for name in files("core/src") if name not in LEFT_OUT]
BOUNDARY_SOURCES = [*files("ortcffi/boundary"), "ortcffi/boundary/module.c"]
# Flags of a distribution, which come last, so that they win. It strips by itself.
CFLAGS, LDFLAGS = (shlex.split(os.environ.get(name, "")) for name in ["CFLAGS", "LDFLAGS"])
KEEPS_SYMBOLS = IS_FOR_DEBUGGING or bool(CFLAGS or LDFLAGS)
OUR_FLAGS = [
    *CORE["FLAGS"],
    *CORE[f"FLAGS_OF_{SYSTEM}"],
    *CORE[f"{HEAP}_FLAGS"],
    # Debug information, even line numbers alone, would triple the wheel's size.
    *(["-O1", "-g", "-fno-omit-frame-pointer"] if IS_FOR_DEBUGGING else ["-O2", "-g0"]),
    *([f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=all"] if SANITIZERS else []),
    # CFFI calls every function through the cdef's signature: a wrong one must not compile.
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Wno-unused-parameter",  # of functions whose signature CFFI, CPython or the API gives
    "-Wno-unused-function",
]
NUMPY = ["-isystem", np.get_include()]  # not -I: warnings of its headers are NumPy's
COMPILE_FLAGS = [f'-DCORE_FLAGS="{" ".join(OUR_FLAGS)}"', *OUR_FLAGS, *NUMPY, *CFLAGS]


def build_number() -> str:
    """Return a number of the core's sources and flags, which differs where they do."""
    digest = sha256(repr([OUR_FLAGS, CORE_SOURCES]).encode())
    for path in sorted([*ROOT.glob("core/include/*"), *ROOT.glob("core/src/**/*.*")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


# The two files that compare their numbers when the extension is imported.
NUMBERED = ("core/src/table/api.c", "ortcffi/boundary/table/slot_rows.c")
BUILD_FLAG = f'-DCORE_BUILD="{build_number()}"'
# Generated code, of which little runs, and topics that only prepare sessions: made for size.
TABLES = ("core/src/table/hosts.c", "core/src/table/trace.c")
TOPICS = ("custom_ops", "env", "options", "sparse")
PREPARING = tuple(f"core/src/{topic}/" for topic in TOPICS)
# No exception passes a slot, so that tables of slots need none for unwinding.
NO_UNWINDING = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]


def flags_of(source: str) -> list[str]:
    """Return the flags that a source file has beside COMPILE_FLAGS."""
    flags = [BUILD_FLAG] if source in NUMBERED else []
    if not IS_FOR_DEBUGGING and not CFLAGS and source.startswith(("build/", *TABLES, *PREPARING)):
        flags += ["-Os", *(NO_UNWINDING if source in TABLES and SYSTEM == "POSIX" else [])]
    return flags


LINK_FLAGS = [
    *CORE[f"HARDEN_OF_{SYSTEM}"],
    *([f"-fsanitize={SANITIZERS}"] if SANITIZERS else []),
    # Without symbols that only a debugger reads. Apple's linker does not know -s any more.
    *([] if KEEPS_SYMBOLS else ["-Wl,-x" if SYSTEM == "APPLE" else "-Wl,-s"]),
    *(CORE["MIMALLOC_LINK"] if HEAP == "MIMALLOC" else []),
]
[CORE_NAME] = CORE[f"NAME_OF_{SYSTEM}"]
# Where the core is beside the extension, and what makes the loader search there. On Windows it
# searches the extension's own folder.
CORE_FILE = CORE_NAME if SYSTEM == "WINDOWS" else f"lib/{CORE_NAME}"
FINDS_CORE = {  # on ELF before LD_LIBRARY_PATH
    "POSIX": ["-Wl,-rpath,$ORIGIN/lib,--disable-new-dtags"],
    "APPLE": ["-Wl,-rpath,@loader_path/lib"],
}
# What the extension is linked with for it.
IMPORT_LIBRARY = "build/libortcore.dll.a"


def exports(library: str) -> str:
    """Return the flag that exports what a list of core/exports names, and nothing else."""
    flag, [file] = CORE[f"EXPORT_OF_{SYSTEM}"], CORE[f"EXPORTS_OF_{SYSTEM}"]
    return "".join([*flag, str((ROOT / "core" / file).with_stem(library))])


CORE_LINK_FLAGS = [
    *LINK_FLAGS,
    *CORE[f"LINK_OF_{SYSTEM}"],
    *([f"-Wl,--out-implib,{IMPORT_LIBRARY}"] if SYSTEM == "WINDOWS" else []),
    exports("ortcore"),
    *LDFLAGS,
]
# Windows has no undefined symbols: Python's functions are those of python3.dll. LIBPYTHON3 is its
# import library where another system builds.
PYTHON3 = os.environ.get("LIBPYTHON3", str(Path(sys.base_prefix, "libs/python3.lib")))
EXTENSION_LINK_FLAGS = [
    *LINK_FLAGS,
    *FINDS_CORE.get(SYSTEM, []),
    exports("extension"),
    *([PYTHON3] if SYSTEM == "WINDOWS" else []),
    *LDFLAGS,
]


def write_extension() -> str:
    """Have CFFI write the extension's own C file, where it differs from what is there.

    ``tools/generate.py`` has made the declarations, for which it needs a compiler.
    """
    ort = FFI()
    declarations = (ROOT / "ortcffi/boundary/cdef.txt").read_text()
    if SYSTEM == "WINDOWS":
        declarations = declarations.replace("typedef char ORTCHAR_T;", "typedef wchar_t ORTCHAR_T;")
    ort.cdef(declarations)
    ort.set_source("ortcffi._ort", '#include "boundary/boundary.h"', compiler_verbose=0)
    os.makedirs("build", exist_ok=True)
    ort.emit_c_code("build/_ort.c")
    return "build/_ort.c"
