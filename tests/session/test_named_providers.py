# SPDX-License-Identifier: MIT
"""Providers of sessions by the path of a library, or the name of a package."""

import sys

import numpy as np
import pytest
from support import eps, models

import ortcffi as ort

X = np.array([[1, 2, 3, 4]], np.float32)


@pytest.fixture
def add_ep(c_compiler):
    """A library with a provider that takes each node Add."""
    return eps.build(c_compiler, eps.ADDING)


def names(api):
    with ort.Env(api=api) as env:
        return [device.name for device in env.devices]


def test_a_library_beside_the_cpu_is_registered_once_with_the_real_library(real_api, add_ep):
    before = names(real_api)
    providers = [str(add_ep), "CPUExecutionProvider"]
    with (
        ort.Session(models.add(), providers=providers) as one,
        ort.Session(models.add(), providers=providers) as two,
    ):
        assert names(real_api) == [*before, "add_ep"]
        for session in (one, two):
            assert session.run({"x": X})[0].tolist() == [[2, 4, 6, 8]]
    del one, two, session  # which keep their options
    assert names(real_api) == before


def test_a_library_without_a_device_is_refused(real_api, add_ep, monkeypatch):
    monkeypatch.setattr(ort.RegisteredEp, "devices", [])
    with pytest.raises(LookupError, match=r"has no device here: .*add_ep.* lists none"):
        ort.Session(models.add(), api=real_api, providers=[add_ep])


def test_a_package_that_is_missing_is_named(monkeypatch, real_api):
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(LookupError, match="'pip install nxrt-ep-cpu'"):
        ort.Session(models.add(), api=real_api, providers=["nxrt"])
