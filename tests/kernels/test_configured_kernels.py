# SPDX-License-Identifier: MIT
"""Configuration entries, of a session and of a kernel without one, as kernels see them."""

import numpy as np
import pytest
from support.models import model, node, value
from support.paths import CHECKOUT
from support.releases import needs_release

import ortcffi as ort


@pytest.fixture
def path(compile_c):
    """The library of ``tests/c/clients/calling_ops.c``."""
    return compile_c(CHECKOUT / "tests/c/clients/calling_ops.c", "-shared", "-fPIC")


@pytest.fixture
def x() -> np.ndarray:
    return np.array([3], np.float32)


@needs_release(24, "KernelInfo_GetConfigEntries")
@pytest.mark.parametrize(("config", "expected"), [({"to.add": "four"}, 7), ({}, 3)])
def test_a_kernel_has_the_entries_of_its_session(path, api, x, config, expected):
    ports = [value("x", shape=[1])], [value("y", shape=[1])]
    source = model([node("Configured", "x", "y", "calling")], *ports, domains={"calling": 1})
    with ort.SessionOptions(api, config=config) as options:
        options.register_custom_ops(path)
        with ort.Session(source, options, api=api) as session:
            assert session.run(x=x)[0] == expected


@pytest.mark.parametrize(("config", "expected"), [({"to.add": "four"}, 7), (None, 3)])
def test_a_kernel_without_a_session_has_its_own(path, x, config, expected):
    with ort.CustomOpLibrary(path)["calling", "Configured"].kernel(config=config) as kernel:
        assert kernel(x) == expected
