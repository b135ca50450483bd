# SPDX-License-Identifier: MIT
"""What ONNX Runtime's own tests of plug-in providers try, beside the rows of `ortcffi conform`."""

import ctypes
import os
from shutil import copy

import numpy as np
import pytest
from support import eps
from support.graphs import graph_of

import ortcffi as ort

SHAPE = [3, 2]
X = np.arange(1, 7, dtype=np.float32).reshape(SHAPE)


def names(env):
    return [device.name for device in env.devices]


@pytest.fixture
def device_ep(c_compiler, tmp_path):
    return copy(eps.build(c_compiler, eps.ON_A_DEVICE), tmp_path)


# --- registration ---------------------------------------------------------------------------------


def test_a_registration_that_fails_late_leaves_nothing(env, asked_ep, events):
    """The devices and the allocator that all share were made already."""
    before = names(env)
    with env.register_ep(asked_ep, "memory") as registered:
        info = registered.devices[0].memory_info()
        info_name, kind, vendor = info.name, info.device_type, info.vendor_id
    del info  # which keeps the registration
    memory = env.api.device_memory_info(info_name, kind, vendor_id=vendor)
    events()
    with pytest.raises(ort.errors.EPFail, match="no-transfer"):
        env.register_ep(asked_ep, "memory transfers no-transfer")
    assert names(env) == before
    assert env.shared_allocator(memory) is None
    noted = events()
    assert noted.count("allocator") == noted.count("~allocator") == 1
    with env.register_ep(asked_ep, "memory transfers") as registered:
        assert names(env) == [*before, "AskedEP"]
        assert env.shared_allocator(registered.devices[0].memory_info()) is not None


@pytest.mark.skipif(not hasattr(os, "RTLD_NOLOAD"), reason="whether it is loaded is not known")
def test_a_library_is_unloaded_when_it_is_unregistered(env, asked_ep):
    def is_loaded():
        try:
            library = ctypes.CDLL(str(asked_ep), os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:
            return False
        ctypes.CDLL(None).dlclose(ctypes.c_void_p(library._handle))
        return True

    assert not is_loaded()
    with env.register_ep(asked_ep, "mine"):
        assert is_loaded()
    assert not is_loaded()


# --- sessions -------------------------------------------------------------------------------------


OWN_OP = graph_of(
    "x f4[3,2], w f4[3,2]", "y = device.own.Mul x w", "y f4[3,2]", {"": 18, "device.own": 1}
)
"""A model of an operator that the provider brings."""


@pytest.mark.parametrize("is_chosen", [True, False])
def test_a_provider_computes_an_operator_that_it_brings(env, device_ep, is_chosen):
    with env.register_ep(device_ep, "own-op") as registered:
        options = ort.SessionOptions(env.api)
        if is_chosen:
            options.add_devices(registered.devices)
        else:
            options.device_policy = ort.DevicePolicy.PREFER_CPU
        with options, ort.Session(OWN_OP.to_bytes(), options, api=env.api) as session:
            np.testing.assert_array_equal(session.run(x=X, w=X)[0], X * X)


def test_a_provider_may_have_no_function_that_makes_transfers(core_api, device_ep):
    """A newer ONNX Runtime takes it; the installed one may crash."""
    with (
        ort.Env(api=core_api) as env,
        env.register_ep(device_ep, "without-transfers") as registered,
        ort.SessionOptions(core_api) as options,
    ):
        options.add_devices(registered.devices)
        with ort.Session(eps.multiplying(X).to_bytes(), options) as session:
            np.testing.assert_array_equal(session.run(x=X)[0], X * X)


def test_more_domains_than_memory_has_room_for_are_refused(core_api, device_ep):
    with (
        ort.Env(api=core_api) as env,
        env.register_ep(device_ep, "huge-domains") as registered,
        ort.SessionOptions(core_api) as options,
        pytest.raises(MemoryError),
    ):
        options.add_devices(registered.devices)
