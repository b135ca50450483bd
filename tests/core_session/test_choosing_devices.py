# SPDX-License-Identifier: MIT
"""Devices that a policy of the options, or a function of the caller, chooses for a session."""

import numpy as np
import onnx
import pytest
from support import eps
from support.python_eps import Takes

import ortcffi as ort
from ortcffi.table import engine

X = np.ones((2, 3), np.float32)
MODEL = eps.multiplying(X).to_bytes()
FIRST, SECOND = "chosen first", "chosen second"


def provider(name, kind="CPU", vendor=""):
    """A provider that takes all nodes Mul."""
    declare = ort.execution_provider(name, devices=kind, vendor=vendor, options={"by": "2"})
    return declare(lambda by: Takes(Mul=lambda x: x * np.float32(by)))


@pytest.fixture
def env(api):
    with ort.Env("choosing", api) as env:
        yield env


@pytest.fixture
def two(env):
    """An environment with two providers for the CPU."""
    with env.register_ep(provider(SECOND)), env.register_ep(provider(FIRST)):
        yield env


@pytest.fixture
def three(core_api):
    """An environment of the core, with a provider for each kind of hardware, which is invented."""
    with (
        ort.Env("choosing", core_api) as env,
        env.register_ep(provider("of the CPU")),
        env.register_ep(provider("of the GPU", "GPU"), hardware=[ort.HardwareDevice("GPU")]),
        env.register_ep(provider("of the NPU", "NPU"), hardware=[ort.HardwareDevice("NPU")]),
    ):
        yield env


def session(api, model=MODEL, **options):
    given = ort.SessionOptions(api, **options)
    given.config["session.record_ep_graph_assignment_info"] = "1"
    return given, ort.Session(model, given, api=api)


def who_runs(api, **options):
    given, made = session(api, **options)
    with given, made:
        return [*made.assignment]


@pytest.mark.parametrize("policy", [*ort.DevicePolicy])
def test_each_policy_chooses_the_best_provider_for_the_cpu(two, policy):
    assert who_runs(two.api, device_policy=policy) == [FIRST]


@pytest.mark.parametrize(
    ("policy", "kind"),
    [
        ("DEFAULT", "CPU"),
        ("PREFER_CPU", "CPU"),
        ("PREFER_GPU", "GPU"),
        ("MAX_PERFORMANCE", "GPU"),
        ("PREFER_NPU", "NPU"),
        ("MAX_EFFICIENCY", "NPU"),
        ("MIN_OVERALL_POWER", "NPU"),
    ],
)
def test_a_policy_prefers_a_kind_of_hardware(three, policy, kind):
    assert who_runs(three.api, device_policy=ort.DevicePolicy[policy]) == [f"of the {kind}"]


PREFERRED = {
    "of the provider's vendor": ({}, "ours"),
    "of its own, not in the processor": ({"metadata": {"Discrete": "1"}}, ""),
}


@pytest.mark.parametrize("case", PREFERRED)
def test_a_gpu_comes_first_that_is(core_api, case):
    facts, vendor = PREFERRED[case]
    plain = ort.HardwareDevice("GPU", vendor=vendor, vendor_id=len(vendor))
    better = ort.HardwareDevice("GPU", vendor=vendor, vendor_id=len(vendor), **facts)
    with (
        ort.Env("choosing", core_api) as env,
        env.register_ep(provider("a", "GPU"), hardware=[plain]),
        env.register_ep(provider("b", "GPU", vendor), hardware=[better]),
    ):
        assert who_runs(core_api, device_policy=ort.DevicePolicy.PREFER_GPU) == ["b"]


def test_no_policy_chooses_nothing(core_api):
    with (
        ort.Env("choosing", core_api) as env,
        env.register_ep(provider(FIRST)),
        pytest.raises(ort.errors.NotImplemented, match="Mul"),
    ):
        ort.Session(MODEL, api=core_api)


def test_providers_that_were_added_come_before_a_policy(two):
    (device,) = [each for each in two.devices if each.name == SECOND]
    with ort.SessionOptions(two.api, device_policy=ort.DevicePolicy.DEFAULT) as options:
        options.add_devices([device], {"by": "5"})
        with ort.Session(MODEL, options, api=two.api) as made:
            np.testing.assert_array_equal(made.run(x=X)[0], X * 5)


def test_entries_of_the_options_count_before_the_defaults_of_a_device(two):
    given, made = session(two.api, device_policy=ort.DevicePolicy.DEFAULT)
    with given, made:
        np.testing.assert_array_equal(made.run(x=X)[0], X * 2)
    with ort.SessionOptions(two.api, device_policy=ort.DevicePolicy.DEFAULT) as options:
        options.config[f"ep.{FIRST}.by"] = "7"
        with ort.Session(MODEL, options, api=two.api) as made:
            np.testing.assert_array_equal(made.run(x=X)[0], X * 7)


# --- a function of the caller ---------------------------------------------------------------------


def test_a_function_gets_all_devices_the_best_first(two):
    seen = []

    def choose(devices, _, runtime):
        seen.extend(each.name for each in devices)
        assert runtime == {}
        return devices

    assert who_runs(two.api, device_selector=choose) == [FIRST]
    assert seen == [FIRST, SECOND, "CPUExecutionProvider"]


def test_a_function_knows_what_the_model_says_of_itself(two):
    model, seen = onnx.load_from_string(MODEL), {}
    facts = {"producer_name": "us", "producer_version": "1.2", "doc_string": "about it"}
    model.domain, model.model_version, model.graph.doc_string = "here", 5, "about the graph"
    for name, text in facts.items():
        setattr(model, name, text)
    made = {"made": "today", "domain": "its own"}
    onnx.helper.set_model_props(model, made)

    def choose(devices, metadata, _):
        seen.update(metadata)
        return devices

    given, opened = session(two.api, model.SerializeToString(), device_selector=choose)
    with given, opened:
        graph = {"graph_name": model.graph.name, "graph_description": "about the graph"}
        assert seen == {**facts, "model_version": "5", **graph, **made}


def test_an_error_of_the_function_is_the_cause_and_it_must_choose_something(two):
    def refuse(*_):
        raise ValueError("none of these")

    with pytest.raises(ort.errors.Fail, match=r"delegate failed: .*none of these") as caught:
        session(two.api, device_selector=refuse)
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(ort.errors.Fail, match="did not select anything"):
        session(two.api, device_selector=lambda *_: [])


def test_a_provider_may_be_unregistered_while_a_session_is_made(core_api):
    with ort.Env("choosing", core_api) as env:
        registered = env.register_ep(provider(FIRST))

        def choose(devices, *_):
            registered.close()
            return [each for each in devices if each.name == FIRST]

        assert who_runs(core_api, device_selector=choose) == [FIRST]


@pytest.mark.parametrize(
    "choice",
    [{"device_policy": ort.DevicePolicy.DEFAULT}, {"device_selector": lambda devices, *_: devices}],
    ids=lambda choice: next(iter(choice)),
)
def test_options_that_choose_run_on_the_core_while_a_library_is_registered_with_it(choice):
    with ort.Env("choosing", ort.core_api()) as env, ort.SessionOptions(**choice) as options:
        with env.register_ep(provider(FIRST)), ort.Session(MODEL, options) as made:
            assert made.api.is_core
            np.testing.assert_array_equal(made.run(x=X)[0], X * 2)
        with env.register_ep(provider(SECOND)):
            for given in ({"env": env}, {"providers": []}):
                with ort.Session(MODEL, options, **given) as made:
                    assert made.api.is_core


def test_without_a_library_on_the_core_onnxruntime_gets_the_policy(real_api):
    with ort.SessionOptions(device_policy=ort.DevicePolicy.PREFER_GPU) as options:
        with ort.Session(MODEL, options) as made:
            assert made.api.same_library(real_api)
        with ort.Env("choosing", ort.core_api()) as env, env.register_ep(provider(FIRST)):
            for given in ({"providers": ["CPUExecutionProvider"]}, {"api": real_api}):
                with ort.Session(MODEL, options, **given) as made:
                    assert made.api.same_library(real_api)


def test_a_provider_that_is_registered_while_a_session_is_made_stays(env, monkeypatch):
    """Another thread does so after the session has begun, and before the policy chooses."""

    def register_after(api):
        held = engine.hold_registered(api)
        env.register_ep(provider(FIRST)).close()
        return held

    monkeypatch.setattr("ortcffi.session.session.hold_registered", register_after)
    with env.register_ep(provider(SECOND)):
        given, made = session(env.api, device_policy=ort.DevicePolicy.DEFAULT)
        with given, made:
            assert [*made.assignment] == [FIRST]
            assert made.run(x=X)[0].tolist() == (X * 2).tolist()
    assert FIRST not in {each.name for each in env.devices}
