# SPDX-License-Identifier: MIT
"""How fast is a kernel without a session?

Simulates the tests and tools of an author of custom ops, and servers that need one op: the op's
kernel is called by itself, where one would otherwise build a model of one node and run a session.
A C loop calls ops of onnxruntime-extensions both ways in turns.

Needs a C compiler, onnxruntime, onnxruntime-extensions and ``make -C core``. Run
``python benchmarks/bench_how_fast_is_a_kernel.py``.
"""

import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import onnxruntime_extensions

import ortcffi
from ortcffi.table.load import installed_libraries

HERE = Path(__file__).resolve().parent
CORE = HERE.parent / "core/build/libortcore.so"


def main() -> int:
    library = onnxruntime_extensions.get_library_path()
    with tempfile.TemporaryDirectory() as folder:
        client = os.path.join(folder, "kernels.so")
        compiler = shlex.split(os.environ.get("CC", "cc"))
        flags = ["-O2", "-shared", "-fPIC", f"-I{ortcffi.get_include()}"]
        source = str(HERE / "c" / "kernels.c")
        subprocess.run([*compiler, *flags, source, "-o", client, "-ldl"], check=True)
        compare = ctypes.CDLL(client).compare
    print(f"{'op':<14}{'Run':>10}{'kernel':>10}{'ratio':>8}")
    paths = [os.fsencode(path) for path in (CORE, installed_libraries()[0], library)]
    for op in ("StringUpper", "NegPos", "SegmentSum"):
        best = (ctypes.c_double * 2)()
        compare(*paths, op.encode(), best)
        print(f"{op:<14}{best[0]:>7.0f} ns{best[1]:>7.0f} ns{best[0] / best[1]:>7.1f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
