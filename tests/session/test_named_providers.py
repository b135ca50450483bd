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
    assert names(real_api) == before


def test_a_library_without_a_device_is_refused(real_api, add_ep, monkeypatch):
    monkeypatch.setattr(ort.RegisteredEp, "devices", [])
    with pytest.raises(LookupError, match=r"has no device here: .*add_ep.* lists none"):
        ort.Session(models.add(), api=real_api, providers=[add_ep])


def test_a_package_that_is_missing_is_named(monkeypatch, real_api):
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(LookupError, match="'pip install nxrt-ep-cpu'"):
        ort.Session(models.add(), api=real_api, providers=["nxrt"])


def test_a_registration_ends_when_the_sessions_that_use_it_are_closed(api, add_ep):
    with ort.Env(api=api) as env:
        before = names(api)
        registered = env.register_ep(add_ep, "closing")
        with ort.Session(models.add(), api=api, providers=registered.devices) as one:
            assert one.run(x=X)[0].tolist() == [[2, 4, 6, 8]]
        with ort.SessionOptions(api) as options:
            options.add_devices(registered.devices)
            two = ort.Session(models.add(), options, env=env)
        registered.close()
        assert len(names(api)) == len(before) + 1
        two.close()
        assert names(api) == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("NXRT", "NXRT is not there: did you mean 'nxrt'?"),
        ("OpenVINOExecutionProvider", "is not there: did you mean 'openvino'?"),
        ("references", "is not there: did you mean 'reference'?"),
        ("nope", "nope is not there. Installed providers: "),
    ],
)
def test_a_wrong_name_says_what_may_be_meant_and_what_is_installed(api, given, message):
    with pytest.raises(ort.OrtError) as caught:
        ort.Session(models.add(), api=api, providers=[given])
    installed = [each.name for each in ort.installed_eps()]
    assert message in caught.value.message
    assert f"Installed providers: {', '.join([*installed, 'reference'])};" in caught.value.message
    assert "CPUExecutionProvider" in caught.value.message
