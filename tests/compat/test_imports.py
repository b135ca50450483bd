# SPDX-License-Identifier: MIT
"""What an import of the drop-in imports: little, and what takes long only where it is used."""

import json
import sys

from support.processes import run

SLOW = ["asyncio", "ssl", "concurrent.futures", "json", "tempfile", "pathlib", "platform"]
SLOW += [
    "logging",
    "html",
    "inspect",
    "threading",
    "ortcffi.models.graph",
    "ortcffi.memory.adaptors",
]
IMPORTS = """
import json, sys
import numpy
before = set(sys.modules)
import ortcffi.compat as onnxruntime
first = set(sys.modules) - before
onnxruntime.InferenceSession, onnxruntime.SessionOptions, onnxruntime.OrtValue
then = set(sys.modules) - before
loaded = "libonnxruntime" in open("/proc/self/maps").read()
print(json.dumps([sorted(first), sorted(then), loaded]))
"""


def test_a_module_is_imported_when_one_of_its_names_is_used():
    first, then, is_loaded = json.loads(run(sys.executable, "-c", IMPORTS).stdout)
    assert len(first) < 10
    assert set(first) < set(then)
    assert not [name for name in then if name in SLOW]
    assert not is_loaded, "the library was loaded before anything asked for it"


def test_names_and_submodules_are_there_however_they_are_asked_for():
    text = """
from ortcffi.compat import *
from ortcffi.compat import InferenceSession as first, capi
import ortcffi.compat as onnxruntime
assert first is onnxruntime.InferenceSession is InferenceSession
assert onnxruntime.capi.onnxruntime_pybind11_state.OrtValue
assert capi.build_and_package_info.__version__ == onnxruntime.__version__ == onnxruntime.version
"""
    run(sys.executable, "-c", text)
