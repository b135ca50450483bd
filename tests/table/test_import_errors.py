# SPDX-License-Identifier: MIT
"""The package where it cannot be imported: in a second interpreter, or not compiled."""

import os
import shutil
import sys
from pathlib import Path

import _cffi_backend
from support.paths import CHECKOUT
from support.processes import run

IN_ANOTHER = """
try:
    import ortcffi
except ImportError as error:
    print(type(error).__name__, error, flush=True)
else:
    print("imported", flush=True)
"""
PROGRAM = f"""
import ortcffi
ortcffi.core_api()
expected = ortcffi.errors.InvalidArgument
try:
    import _interpreters as interpreters
    made = interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    made = interpreters.create(isolated=False)
interpreters.run_string(made, {IN_ANOTHER!r})
try:
    ortcffi.core_api().memory_info("NoSuchDevice")
except expected:
    print("the main interpreter has its own error classes")
"""


def test_a_subinterpreter_is_refused_and_the_main_one_goes_on():
    done = run(sys.executable, "-c", PROGRAM)
    first, second = done.stdout.splitlines()
    assert first.startswith("ImportError ")
    assert "the main interpreter" in first
    assert second == "the main interpreter has its own error classes"


def test_sources_without_the_compiled_module_say_how_to_get_it(tmp_path):
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(CHECKOUT / "ortcffi", tmp_path / "ortcffi", ignore=ignored)
    path = os.pathsep.join([str(tmp_path), str(Path(_cffi_backend.__file__).parent)])
    # -S: an editable installation would find the compiled module in the checkout.
    command = [sys.executable, "-S", "-c", "import ortcffi; ortcffi.core_api()"]
    done = run(*command, env={**os.environ, "PYTHONPATH": path}, code=1)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: {tmp_path / 'ortcffi'} holds the sources of ortcffi")
    assert "pip install -e ." in last
