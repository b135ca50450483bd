# SPDX-License-Identifier: MIT
"""Builds the package under sanitizers, so that it finds errors in memory, and runs Python with it.

    python tools/run_with_sanitizers.py [--folder FOLDER] [PYTHON ARGUMENT ...]

The package is built under the address sanitizer and that of undefined behaviour, which needs gcc.
By default it runs the hostile program, random calls of all public names, on the core for a minute:

    -m support.hostile_calls --no-limit --seconds 60 --threads 3 --seed SEED

Give it other arguments, such as `-m pytest tests/values`. Python, NumPy and the core's default
allocator allocate with malloc, so their blocks are watched too; what they keep for reuse without
freeing it is not: NumPy has such caches, and Python has some for floats, tuples and lists.

The tool builds a copy of this checkout, in two minutes. `--folder` keeps the copy, so that the next
run compiles only what has changed. The exit code is not 0 if a sanitizer found an error, or if
Python failed.
"""

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
# The last one must be there when the program starts, or nothing that C++ throws is caught.
LIBRARIES = ["libasan.so", "libubsan.so", "libstdc++.so"]
NOT_COPIED = shutil.ignore_patterns(
    *(".git", ".venv*", "build", "*.so", "__pycache__", ".*_cache", "*.egg-info")
)
# The environment of the build and that of the program.
SANITIZED_BUILD = {"ORTCFFI_SANITIZERS": "address,undefined"}
SANITIZED = {
    # What Python keeps until it ends counts as a leak. Allocations may fail, as they may elsewhere.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=12288",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",
    "PYTHONFAULTHANDLER": "0",
}


def runtime() -> list[str]:
    """The paths of the libraries that the sanitizers need; empty if the compiler has none."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    found = []
    for name in LIBRARIES:
        command = [*compiler, f"-print-file-name={name}"]
        path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        if not os.path.isabs(path):  # it prints the name alone
            return []
        found.append(path)
    return found


def build(folder: Path, wanted: dict[str, str]) -> None:
    """Copy the checkout and compile it there, with these variables of the environment."""
    shutil.copytree(CHECKOUT, folder, ignore=NOT_COPIED, dirs_exist_ok=True)
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, env={**os.environ, **wanted}, check=True)


def run(folder: Path, environment: dict[str, str], *arguments: str) -> int:
    """Run Python with the package that is in that folder; return its exit code."""
    found = [str(folder), str(folder / "tests"), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, found))
    environment = {**os.environ, **environment, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, check=False
    ).returncode


def main() -> int:
    """Build and run; return the exit code of what was run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--folder", type=Path, help="by default a temporary one")
    given, arguments = parser.parse_known_args()
    libraries = runtime()
    if not libraries:
        sys.stderr.write(f"the compiler does not have {', '.join(LIBRARIES)}: use gcc\n")
        return 1
    environment = {**SANITIZED, "LD_PRELOAD": " ".join(libraries)}
    if not arguments:
        program = ["-m", "support.hostile_calls", "--no-limit", "--seconds", "60"]
        arguments = [*program, "--threads", "3", "--seed", str(random.randrange(1 << 32))]
    with tempfile.TemporaryDirectory(prefix="ortcffi-sanitizers-") as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        build(folder, SANITIZED_BUILD)
        sys.stdout.write(f"python {shlex.join(arguments)}\n")
        sys.stdout.flush()
        return run(folder, environment, *arguments)


if __name__ == "__main__":
    sys.exit(main())
