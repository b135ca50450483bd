# SPDX-License-Identifier: MIT
"""The examples of the guide for authors of custom ops, in C and in C++."""

import numpy as np
import pytest
from support.paths import CHECKOUT
from support.processes import run

import ortcffi as ort
from ortcffi.testing import compare_with_session

GUIDE = CHECKOUT / "docs/guide"
X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def leaves_nothing_alive_in_the_core():
    """Does nothing here: the libraries keep their domains to the end."""


@pytest.fixture
def scale(compile_c):
    library = compile_c(GUIDE / "scale_op.c", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror")
    return ort.CustomOpLibrary(library)["my.domain", "Scale"]


@pytest.fixture
def checked(tmp_path, cxx_compiler):
    library = tmp_path / "checked_op.so"
    flags = ["-std=c++17", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    include = f"-I{CHECKOUT / 'core/include'}"
    source = str(GUIDE / "checked_op.cc")
    run(*cxx_compiler, *flags, include, source, "-o", library)
    return ort.CustomOpLibrary(library)["my.domain", "Checked"]


def test_the_example_in_c_scales(scale):
    with scale.kernel({"factor": 2.0}) as kernel:
        np.testing.assert_array_equal(kernel(X), 2 * X)


def test_the_example_in_c_does_the_same_in_a_session(scale, real_api):
    compare_with_session(scale, [X], {"factor": 2.0}, api=real_api)


def test_a_missing_attribute_is_what_the_kernel_says(scale):
    with pytest.raises(ort.errors.Fail, match="factor"):
        scale.kernel()


def test_an_attribute_of_another_type_is_what_the_kernel_says(scale):
    with pytest.raises(ort.errors.Fail, match="type"):
        scale.kernel({"factor": "two"})


def test_the_example_in_cxx_throws_and_the_text_is_the_message(checked):
    with checked.kernel() as kernel:
        assert kernel([1, 2]).tolist() == [1, 2]
        with pytest.raises(ort.errors.RuntimeException, match="element 1 is negative"):
            kernel([1, -2])
