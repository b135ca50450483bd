# SPDX-License-Identifier: MIT
"""What libraries of custom ops leave alive, by the slot that made it."""

import numpy as np
import pytest
from support.paths import CHECKOUT
from support.prepared import run_program

import ortcffi as ort

ONE = np.zeros(1, np.float32)


LEAKS = """
import sys
import numpy as np
import ortcffi as ort

library = ort.CustomOpLibrary(sys.argv[1], watch=True)
with library["checked", "Nothing"].kernel() as kernel:
    print(library.left_alive())
    for _ in range(2):
        kernel(np.zeros(1, np.float32))
    print(library.left_alive())
"""


@pytest.fixture
def build(compile_c):
    """``build(*flags)`` is a library of ``tests/c/clients/checked_ops.c``."""

    def build(*flags):
        source = CHECKOUT / "tests/c/clients/checked_ops.c"
        return compile_c(source, "-shared", "-fPIC", "-fvisibility=hidden", *flags)

    return build


@pytest.fixture
def library_of(build):
    """``library_of(*flags)`` is such a library, watched."""
    return lambda *flags: ort.CustomOpLibrary(build(*flags), watch=True)


def test_what_calls_leave_grows_with_each_call(build):
    printed = run_program(LEAKS, build("-DLEAKS")).stdout.splitlines()
    assert printed == [
        "{'KernelInfoGetAttribute_int64': 1}",
        "{'GetTensorTypeAndShape': 2, 'KernelInfoGetAttribute_int64': 1}",
    ]


def test_what_an_op_answers_is_not_left(library_of):
    library = library_of("-DREFUSES")
    with pytest.raises(ort.OrtError, match="no kernel today"):
        library["checked", "Nothing"].kernel()
    assert library.left_alive() == {}


def test_libraries_are_watched_only_when_asked(build):
    with pytest.raises(ValueError, match="watch=True"):
        ort.CustomOpLibrary(build()).left_alive()


def test_the_libraries_of_onnxruntime_extensions_leave_nothing():
    extensions = pytest.importorskip("onnxruntime_extensions")
    library = ort.CustomOpLibrary(extensions.get_library_path(), watch=True)
    kernel = library["ai.onnx.contrib", "StringUpper"].kernel()
    assert kernel(np.array(["a", "b"], object)).tolist() == ["A", "B"]
    kernel.close()
    assert library.left_alive() == {}
