# SPDX-License-Identifier: MIT
"""How many instructions does a path through the table take?

Times differ from machine to machine and from one minute to the next; the number of instructions
executed does not. A C client walks one path many times under ``valgrind --tool=callgrind``; the
difference between a long and a short walk is what one round trip costs, warm.

Needs valgrind and a C compiler. Run ``python benchmarks/bench_how_many_instructions.py``.
"""

import argparse
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

import ortcffi

HERE = Path(__file__).resolve().parent
PATHS = {
    "status-55": "create + release a status, 55 bytes",
    "status-1000": "create + release a status, 1000 bytes",
    "fail": "failing AllocatorAlloc, status read",
    "memory-info": "failing CreateMemoryInfo, status read",
    "alloc-64": "alloc + free, 64 B",
    "alloc-65536": "alloc + free, 64 KB",
}
SHORT, LONG = 100, 1100


def build(directory: str) -> str:
    client = os.path.join(directory, "paths")
    compiler = shlex.split(os.environ.get("CC", "cc"))
    source = str(HERE / "c" / "paths.c")
    include = f"-I{ortcffi.get_include()}"
    subprocess.run([*compiler, "-O2", include, source, "-o", client, "-ldl"], check=True)
    return client


def executed(client: str, library: str, path: str, count: int) -> int:
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*tool, "--toggle-collect=walk", client, library, path, str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if collected is None:
        raise RuntimeError(f"callgrind did not say what it collected: {done.stderr}")
    return int(collected[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", help="default: libortcore and what load() finds")
    libraries = parser.parse_args().libraries
    if not libraries:
        libraries = [ortcffi.get_library(), ortcffi.load().path]
    print(f"{'instructions per round trip':40}" + "".join(f"{Path(p).name:>30}" for p in libraries))
    with tempfile.TemporaryDirectory() as directory:
        client = build(directory)
        for path, title in PATHS.items():
            counts = [
                (executed(client, library, path, LONG) - executed(client, library, path, SHORT))
                / (LONG - SHORT)
                for library in libraries
            ]
            print(f"{title:40}" + "".join(f"{count:30.0f}" for count in counts), flush=True)


if __name__ == "__main__":
    main()
