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


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """``build(compiler, source, *flags)`` opens the library of an example, to the module's end."""

    def build(compiler, source, *flags):
        path = tmp_path_factory.mktemp("guide") / "library.so"
        flags = [*flags, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
        include = f"-I{CHECKOUT / 'core/include'}"
        run(*compiler, *flags, include, GUIDE / source, "-o", path)
        return ort.CustomOpLibrary(path)

    return build


@pytest.fixture(scope="module")
def scale(build, c_compiler):
    return build(c_compiler, "scale_op.c")["my.domain", "Scale"]


@pytest.fixture(scope="module")
def checked(build, cxx_compiler):
    return build(cxx_compiler, "checked_op.cc", "-std=c++17")["my.domain", "Checked"]


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
