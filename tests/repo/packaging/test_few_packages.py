# SPDX-License-Identifier: MIT
"""The tests where only pytest and what ortcffi needs are installed."""

import os

from support.bare import bare_python
from support.paths import CHECKOUT
from support.processes import run

PYTEST = (
    "pytest",
    "_pytest",
    "py",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "cffi",
    "pycparser",
)
# Files that cannot be imported, tests that fail, fixtures that fail, and programs.
SOME = "test_schemas or test_on_core or test_ending or test_stub"


def test_what_is_missing_is_skipped_with_its_name(tmp_path):
    python = bare_python(tmp_path / "environment", *PYTEST)
    environment = {**os.environ, "PYTHONPATH": "", "ORTCFFI_NO_SKIP": "0"}
    options = ["-q", "-p", "no:cacheprovider", "-p", "ortcffi.testing.pytest_plugin", "-k", SOME]
    said = run(python, "-m", "pytest", *options, "tests", cwd=CHECKOUT, env=environment).stdout
    assert "No module named 'onnxruntime'" in said
    assert "the package onnx is not installed" in said
    *_, summary = said.splitlines()
    assert " passed, " in summary
    assert " skipped, " in summary
    assert "failed" not in summary
