# SPDX-License-Identifier: MIT
"""The lives of options, environments, arenas, types and custom ops: in any order, to the end."""

import gc
import importlib
import itertools
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from support.processes import TIME_LIMIT, fork, run
from support.threads import join, run_threads, start
from support.versions import API_VERSION

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.env import state as env_state
from ortcffi.ep import devices
from ortcffi.values import compiled

MAKERS = {
    "SessionOptions": lambda api: ort.SessionOptions(api, logger=print, config={"a": "1"}),
    "RunOptions": lambda api: ort.RunOptions(api, tag="tag"),
    "ThreadingOptions": lambda api: ort.ThreadingOptions(api, thread_functions=(print, print)),
    "PrepackedWeights": ort.PrepackedWeights,
    "ArenaCfg": lambda api: ort.ArenaCfg(api, max_bytes=1 << 20),
    "Arena": lambda api: ort.Arena(api.default_allocator),
    "Env": lambda api: ort.Env("app", api, logger=print),
    "TensorTypeInfo": lambda api: ort.TensorTypeInfo("f4", ["N", 3], api),
    "TypeInfo": lambda api: ort.TypeInfo.sequence(ort.TypeInfo.tensor("f4", [1], api)),
    "OpAttr": lambda api: ort.OpAttr("name", [1, 2], api=api),
    "CustomOpDomain": lambda api: ort.CustomOpDomain("mine", api),
}


@pytest.mark.parametrize("name", MAKERS)
def test_an_object_outlives_the_api_object_that_it_was_made_with(name):
    with MAKERS[name](ort.emulate(API_VERSION)) as made:
        gc.collect()
        assert " closed" not in repr(made)
        assert made.api.version == API_VERSION


@pytest.mark.parametrize("name", MAKERS)
def test_an_object_in_a_cycle_is_released(core_api, name):
    cycle = [MAKERS[name](core_api)]
    cycle.append(cycle)  # conftest.py counts what is left


@pytest.mark.parametrize("name", MAKERS)
def test_closing_twice_does_nothing_and_use_after_close_raises(api, name):
    made = MAKERS[name](api)
    made.close()
    made.close()
    assert made.closed
    with pytest.raises(ValueError, match=f"this {name} is closed"):
        made.handle  # noqa: B018


@pytest.mark.parametrize("name", MAKERS)
def test_many_threads_make_and_release_objects(api, name):
    wrong = []

    def work():
        try:
            for _ in range(30):
                MAKERS[name](api).close()
        except BaseException as error:  # noqa: BLE001  # told to the test
            wrong.append(error)

    run_threads(*[work] * 4)
    assert not wrong


def counted(kind):
    """How many objects of that kind the core has."""
    kinds = itertools.takewhile(lib.ortcffi_kind_name, itertools.count())
    [number] = [i for i in kinds if ffi.string(lib.ortcffi_kind_name(i)).decode() == kind]
    return lib.ortcffi_live_objects(number)


@pytest.mark.parametrize(
    ("module", "kind", "make"),
    [
        ("memory.info", "memory info", lambda api: api.memory_info("Cpu")),
        ("custom_ops.op_attr", "op attribute", MAKERS["OpAttr"]),
    ],
)
def test_a_name_is_read_before_its_object_ends(core_api, monkeypatch, module, kind, make):
    made, before = make(core_api), counted(kind)
    decode = importlib.import_module(f"ortcffi.{module}").decode
    counts = []

    def close_first(text):  # as another thread may, once C has answered
        made.close()
        counts.append(counted(kind))
        return decode(text)

    monkeypatch.setattr(f"ortcffi.{module}.decode", close_first)
    assert made.name in {"Cpu", "name"}
    assert counts == [before]


@pytest.mark.parametrize("name", ["name", "vendor", "metadata", "options"])
def test_a_device_is_read_before_its_environment_ends(real_api, monkeypatch, name):
    [device, *_] = ort.Env("devices", real_api).devices
    expected = getattr(device, name)
    alive, counts = weakref.ref(env_state.state_of(real_api)), []
    for function in ("decode", "_pairs"):
        found = getattr(devices, function)

        def close_first(*arguments, found=found):
            device.close()
            counts.append(alive() is not None)
            return found(*arguments)

        monkeypatch.setattr(devices, function, close_first)
    assert getattr(device, name) == expected
    assert counts == [True]


@pytest.mark.parametrize("which", ["core_api()", "load()"])
@pytest.mark.parametrize("order", ["made", "reversed(made)"])
def test_the_interpreter_may_end_with_objects_alive(which, order):
    program = f"""if True:
        import numpy as np, ortcffi as ort
        api = ort.{which}
        value = ort.Value.from_numpy(np.zeros(3, np.float32), api=api)
        options = ort.SessionOptions(api, logger=print, thread_functions=(print, print))
        options.add_initializer("w", value)
        env = ort.Env("app", api, logger=print, severity=0)
        env.register_allocator(ort.Tracking(ort.Arena(ort.core_api().default_allocator)))
        made = [
            options, options.clone(), env, env.shared_allocator().zeros(10), options.config,
            ort.RunOptions(api), ort.ThreadingOptions(api), ort.PrepackedWeights(api),
            ort.ArenaCfg(api), ort.TypeInfo.tensor("f4", [1], api).tensor_info,
            ort.OpAttr("name", 1, api=api), ort.CustomOpDomain("mine", api),
        ]
        ort.kept = list({order})
        made.append(made)
    """
    assert run(sys.executable, "-c", program).stderr == ""


def test_a_fork_while_another_thread_counts_environments_leaves_the_child_working(core_api):
    held = threading.Event()

    def hold():
        with env_state._guard:
            held.set()
            time.sleep(0.05)  # until the fork has come to wait for it

    def make_environment():
        ort.Env(api=core_api).close()
        return True

    threads = start(hold)
    assert held.wait(TIME_LIMIT)
    status = fork(make_environment)
    join(*threads)
    assert status == 0


def test_a_fork_while_another_thread_makes_its_first_value_leaves_the_child_working(
    core_api, monkeypatch
):
    api = ort.Api(core_api.pointer, version=30, version_string="1.30.0")
    held, done = threading.Event(), threading.Event()
    make = compiled._maker_of

    def make_slowly(api):
        held.set()
        done.wait(TIME_LIMIT)
        return make(api)

    def use():
        compiled._maker_of = make
        return ort.Value.from_numpy(np.zeros(3), api=api).shape == (3,)

    monkeypatch.setattr(compiled, "_maker_of", make_slowly)
    threads = start(lambda: api._maker)
    assert held.wait(TIME_LIMIT)
    status = fork(use)
    done.set()
    join(*threads)
    assert status == 0


def test_options_keep_what_sessions_borrow(api):
    with ort.SessionOptions(api) as options:
        array = np.full(1000, 7, np.float32)
        options.add_initializer("w", ort.Value.from_numpy(array, api=api))
        del array
        gc.collect()
        assert options.initializers["w"].numpy().sum() == 7000


@pytest.mark.parametrize("name", sorted(MAKERS.keys() - {"Arena"}))
def test_what_is_no_table_is_refused_by_name(name):
    with pytest.raises(TypeError, match="api must be an Api, not int"):
        MAKERS[name](3)
