# SPDX-License-Identifier: MIT
"""The fuzzer of tests/fuzz: its corpus again, and a few seconds of new inputs.

``ORTCFFI_FUZZERS`` names the folder of fuzzers that ``make fuzz`` has built already.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from support.compilers import LONGEST_BUILD, build_folder, locked
from support.paths import CHECKOUT
from support.processes import run

CORPUS = CHECKOUT / "tests/fuzz/corpus"
HEAPS = {"segment heap": "USE_MIMALLOC=0", "malloc": "USE_MALLOC=1"}
SECONDS = 3

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fuzzer() -> None:
    """Skips where clang, of all compilers the one that has a fuzzer, is missing or has none."""
    command = ["clang", "-fsanitize=fuzzer", "-x", "c", "-", "-o", os.devnull]
    source = "int LLVMFuzzerTestOneInput(const char* d, long n) { return d == (char*)n; }"
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    if run(*command, code=None, input=source).returncode:
        pytest.skip("clang has no fuzzer here")


@pytest.mark.usefixtures("fuzzer")
@pytest.mark.parametrize("heap", HEAPS)
def test_the_fuzzer_finds_nothing(heap, make_core, c_compiler):
    built = os.environ.get("ORTCFFI_FUZZERS")
    folder = Path(built) if built else build_folder(c_compiler, "fuzz")
    with locked(folder):
        shutil.rmtree(folder / "fuzz/corpus", ignore_errors=True)
        shutil.rmtree(folder / "fuzz-malloc/corpus", ignore_errors=True)
        options = [f"BUILD={folder}", f"SECONDS={SECONDS}"]
        if not built:  # to compile takes longer than to run
            options.append("OPTIMIZE=-O0")
        done = run(*make_core, "-s", "fuzz", HEAPS[heap], *options, timeout=LONGEST_BUILD)
    units = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    assert units
    assert int(units[1]) >= len(list(CORPUS.iterdir())) > 0
