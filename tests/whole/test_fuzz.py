# SPDX-License-Identifier: MIT
"""The fuzzers of tests/fuzz: the corpus again, and a few seconds of new inputs.

``ORTCFFI_FUZZ_SECONDS`` says how many seconds each of them takes.
"""

import os
import re
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from support.compilers import LONGEST_BUILD, build_folder, locked
from support.paths import CHECKOUT
from support.processes import run

import ortcffi as ort

CORPUS = CHECKOUT / "tests/fuzz/corpus"
HEAPS = {"segment heap": "USE_MIMALLOC=0", "malloc": "USE_MALLOC=1"}
SECONDS = os.environ.get("ORTCFFI_FUZZ_SECONDS", "3")
ROWS = np.arange(4, dtype=np.float32).reshape(2, 2)

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
    folder = build_folder(c_compiler, "fuzz")
    units = fuzz("fuzz", make_core, folder, HEAPS[heap])
    assert units >= len(list(CORPUS.iterdir())) > 0


@pytest.mark.usefixtures("fuzzer")
def test_the_fuzzer_of_models_finds_nothing(make_core, c_compiler, tmp_path):
    graph = ort.Graph()
    graph.node("MatMul", [graph.input("x", "f4", [1, 2]), graph.initializer("w", ROWS)], ["y"])
    graph.output("y", "f4", [1, 2])
    graph.save(tmp_path / "dense.onnx")
    with zipfile.ZipFile(CHECKOUT / "tests/fuzz/odd_models.zip") as odd:
        odd.extractall(tmp_path)
    folder = build_folder(c_compiler, "fuzz")
    assert fuzz("fuzz_models", make_core, folder, HEAPS["segment heap"], f"MODELS={tmp_path}") > 100


def fuzz(target: str, make: list[str], folder: Path, *options: str) -> int:
    """Run a target of the fuzzers; how many inputs there were."""
    with locked(folder):
        for corpus in ("fuzz/corpus", "fuzz-malloc/corpus", "fuzz/models"):
            shutil.rmtree(folder / corpus, ignore_errors=True)
        # Optimised it would take longer to compile than to run.
        words = [f"BUILD={folder}", f"SECONDS={SECONDS}", "OPTIMIZE=-O0", *options]
        done = run(*make, "-s", target, *words, timeout=LONGEST_BUILD)
    units = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    assert units
    return int(units[1])
