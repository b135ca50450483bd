# SPDX-License-Identifier: MIT
"""Libraries with execution providers, on the core and on the real library."""

import ctypes
import gc
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from support.compilers import build_folder, compile_shared
from support.graphs import graph_of
from support.paths import CHECKOUT
from support.prepared import run_program
from support.processes import TIME_LIMIT
from support.threads import join, run_threads, start, wait_until

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.ep import installed
from ortcffi.testing.live_objects import left_alive, live_objects

WORDS = "memory host-memory transfers streams three-devices"
END = ["~transfer", "~allocator", "~allocator", "~factory"]


def names(env):
    return [device.name for device in env.devices]


def test_a_library_is_registered_and_unregistered_again_and_again(env, asked_ep, events):
    before = names(env)
    for _ in range(3):
        with env.register_ep(asked_ep, "mine") as ep:
            assert (ep.name, ep.path) == ("mine", str(asked_ep))
            assert [device.name for device in ep.devices] == ["AskedEP"]
            assert names(env) == [*before, "AskedEP"]
        assert names(env) == before
        assert events() == ["create", "devices", "transfer", "~factory"]
    with env.register_ep(asked_ep) as ep:
        assert (ep.name, repr(ep)) == ("asked_ep", "<RegisteredEp 'asked_ep'>")


def test_a_device_tells_its_hardware_memory_and_options(env, asked_ep):
    with env.register_ep(asked_ep, WORDS) as ep:
        device = ep.devices[0]
        assert device.hardware == env.hardware[0]
        assert device.hardware.kind == ort.HardwareType.CPU
        assert device.options == {"Default": "1"}
        assert device.metadata["library_path"] == str(asked_ep)
        assert device.metadata["version"] == "1.2.3"
        assert device.memory_info().vendor_id == 0xBE57
        host = device.memory_info(ort.DeviceMemoryType.HOST_ACCESSIBLE)
        assert host.device_mem_type == ort.DeviceMemoryType.HOST_ACCESSIBLE
        assert env.shared_allocator(device.memory_info()) is not None
    with env.register_ep(asked_ep, "mine") as ep:
        assert ep.devices[0].memory_info() is None


@pytest.mark.parametrize("order", ["ep", "device", "options", "copy", "env"])
def test_a_library_ends_when_the_last_of_its_users_is_closed(api, asked_ep, events, order):
    env = ort.Env(api=api)
    ep = env.register_ep(asked_ep, WORDS)
    device = env.devices[-1]
    options = ort.SessionOptions(api)
    options.add_devices([device], {"Key": "v"})
    assert options.config["ep.askedep.Key"] == "v"
    assert options.config["ep.askedep.Default"] == "1"
    users = {"ep": ep, "device": device, "options": options, "env": env}
    users["copy"] = options.clone()
    users.pop(order).close()
    del ep, device, options, env
    events()
    while users:
        assert events() == []
        users.popitem()[1].close()
        gc.collect()
    assert events()[-4:] == END


def test_a_library_stays_until_it_has_an_allocator_back(core_api, asked_ep, events):
    with ort.Env(api=core_api) as env:
        ep = env.register_ep(asked_ep, "memory waits")
        given = [int(ffi.cast("uintptr_t", each.handle)) for each in (env, ep.devices[0])]
        # As in C: nothing of Python's keeps the library.
        pointers = ffi.cast("OrtEnv*", given[0]), ffi.cast("OrtEpDevice*", given[1])
        arguments = core_api.pointer, *pointers, lib.OrtDeviceMemoryType_DEFAULT
        events()
        releasing = start(lambda: lib.ReleaseSharedAllocator(*arguments))
        wait_until(lambda: events() == ["waits"])
        ep.close()
        assert events() == []
        ctypes.CDLL(str(asked_ep)).AskedEpGoOn()
        join(*releasing)
        assert events() == ["~allocator", "~factory"]


def test_the_core_keeps_a_library_for_options_after_it_was_unregistered(core_api, asked_ep, events):
    with ort.Env(api=core_api) as env:
        ep = env.register_ep(asked_ep, "mine")
        options = ort.SessionOptions(core_api)
        options.add_devices(ep.devices)
        status = lib.UnregisterExecutionProviderLibrary(core_api.pointer, env.handle, b"mine")
        ort.errors.check(core_api.pointer, status)
        assert names(env) == ["CPUExecutionProvider"]
        assert "~factory" not in events()
        options.close()
        assert "~factory" in events()


@pytest.mark.parametrize("first", ["core", "real"])
def test_each_host_gets_a_library_with_variables_of_its_own(
    core_api, real_api, asked_ep, events, first
):
    hosts = [core_api, real_api] if first == "core" else [real_api, core_api]
    with ort.Env(api=hosts[0]) as one, ort.Env(api=hosts[1]) as other:
        with one.register_ep(asked_ep, "mine") as own:
            assert events() == ["create", "devices", "transfer"]
            for _ in range(2):
                with other.register_ep(asked_ep, "mine") as copy:
                    assert copy.path == own.path == str(asked_ep)
                    assert [device.name for device in copy.devices] == ["AskedEP"]
                with one.register_ep(asked_ep, "again"):
                    assert events() == ["create", "devices", "transfer"]
                assert events() == ["~factory"]
        assert events() == ["~factory"]
        with other.register_ep(asked_ep, "mine"):
            assert events() == ["create", "devices", "transfer"]  # nobody else has it now


BESIDE_OFFICIAL = """
import sys, onnxruntime, ortcffi as ort
onnxruntime.register_execution_provider_library("mine", sys.argv[1])
for api in ort.core_api(), ort.attach():
    registered = ort.Env("app", api).register_ep(sys.argv[1], "other")
    print(registered.devices[0].metadata["library_path"] == sys.argv[1])
"""


@pytest.mark.usefixtures("real_api")
def test_a_library_that_the_official_package_has_is_copied(asked_ep):
    done = run_program(BESIDE_OFFICIAL, asked_ep)
    assert done.stdout == "False\nTrue\n"  # the second one is the official package itself


def test_libraries_that_cannot_be_used_are_refused(env, asked_ep, tmp_path):
    before = names(env)
    for name in ("refuse", "five", "no-devices", "memory no-allocator", "no-transfer"):
        with pytest.raises((ort.errors.Fail, ort.errors.EPFail)):
            env.register_ep(asked_ep, name)
    with pytest.raises(ort.errors.Fail):
        env.register_ep(tmp_path / "none.so")
    with env.register_ep(asked_ep, "mine"), pytest.raises(ort.errors.Fail, match="already"):
        env.register_ep(asked_ep, "mine")
    assert names(env) == before


@pytest.fixture
def throwing_ep(cxx_compiler):
    """``throwing_ep(flag)``: a library whose functions throw."""

    def build(flag):
        source = CHECKOUT / "tests/c/clients/throwing_ep.cc"
        library = build_folder(cxx_compiler, "eps") / f"throwing{flag}.so"
        flags = ["-std=c++17", "-shared", "-fPIC", flag, f"-I{CHECKOUT / 'core/include'}"]
        return compile_shared(
            library, [source.parent], *cxx_compiler, *flags, source, "-o", library
        )

    return build


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("-DTHROWS_NOW", "no factory today"),
        ("-DTHROWS_LATER", "no devices today"),
        ("-DTHROWS_LAST", "no memory today"),
    ],
)
def test_an_exception_that_leaves_a_library_is_the_reason(core_api, throwing_ep, flag, text):
    def ask_for_memory():
        (device,) = env.register_ep(throwing_ep(flag)).devices
        device._call("EpDevice_GetMemoryCapacity", 0, ort.ffi.new("uint64_t*"), ort.ffi.NULL)

    with ort.Env(api=core_api, severity=ort.LogSeverity.FATAL) as env:
        with pytest.raises(ort.errors.RuntimeException, match=text):
            ask_for_memory()
        assert flag == "-DTHROWS_LAST" or names(env) == ["CPUExecutionProvider"]


def test_the_devices_of_a_library_that_lists_too_many_are_released(core_api, asked_ep):
    with ort.Env(api=core_api) as env:
        assert names(env) == ["CPUExecutionProvider"]  # made when it is asked for
        before = live_objects()
        with pytest.raises(ort.errors.Fail, match="room for 8 devices"):
            env.register_ep(asked_ep, "nine-devices")
        assert left_alive(before) == {}


def test_a_host_may_invent_hardware(core_api, asked_ep):
    npu = ort.HardwareDevice("NPU", vendor_id=0x8086, vendor="Intel", metadata={"a": "b"})
    assert (npu.kind, npu.vendor_id, npu.vendor) == (ort.HardwareType.NPU, 0x8086, "Intel")
    assert npu.metadata == {"a": "b"}
    with ort.Env(api=core_api) as env:
        with env.register_ep(asked_ep, "mine", hardware=[npu]) as ep:
            npu.close()
            assert repr(ep.devices[0].hardware) == "<HardwareDevice NPU vendor_id=0x8086 'Intel'>"
        with env.register_ep(asked_ep, "mine", hardware=[]) as ep:
            assert ep.devices == []


@pytest.mark.parametrize("host", [None, 23])
def test_a_library_without_a_factory_says_which_version_it_asked_for(core_api, asked_ep, host):
    given = {} if host is None else {"host": ort.emulate(host)}
    with ort.Env(api=core_api) as env:
        with env.register_ep(asked_ep, "mine", **given) as ep:
            assert len(ep.devices) == 1
        with pytest.raises(ort.errors.Fail, match="asked for API version 99"):
            env.register_ep(asked_ep, "newer", **given)
        with pytest.raises(ort.errors.Fail, match="no factory was made by the library no-factory"):
            env.register_ep(asked_ep, "no-factory", **given)


def test_only_the_core_takes_hardware_and_a_host(real_api, asked_ep):
    with ort.Env(api=real_api) as env:
        for wrong in ({"hardware": []}, {"host": ort.emulate(23)}):
            with pytest.raises(ValueError, match="only the embedded core"):
                env.register_ep(asked_ep, "mine", **wrong)


def test_wrong_arguments_are_refused(env, asked_ep, api):
    with pytest.raises(ValueError, match="kind must be one of CPU, GPU, NPU, not 'FPGA'"):
        ort.HardwareDevice("FPGA")
    with pytest.raises(TypeError, match="hardware has 3"):
        ort.Env(api=ort.core_api()).register_ep(asked_ep, "mine", hardware=[3])
    with ort.SessionOptions(api) as options:
        with pytest.raises(ValueError, match="devices must not be empty"):
            options.add_devices([])
        with pytest.raises(TypeError, match="devices must be a sequence of EpDevice, not int"):
            options.add_devices(3)
        with pytest.raises(TypeError, match=r"devices\[0\] must be"):
            options.add_devices([3])
        with env.register_ep(asked_ep, "two") as ep, pytest.raises(ort.errors.InvalidArgument):
            options.add_devices(ep.devices)


def test_threads_register_and_look_up_at_once(env, asked_ep):
    found = []

    def register(name):
        for i in range(30):  # a name is free when no device of the library is in use any more
            with env.register_ep(asked_ep, f"{name}{i}") as ep:
                found.append([device.name for device in ep.devices])

    def look_up():
        for _ in range(60):
            assert all(device.name for device in env.devices)

    run_threads(lambda: register("one"), lambda: register("other"), look_up)
    assert found == [["AskedEP"]] * 60
    assert len(names(env)) == 1


def test_a_session_keeps_the_libraries_that_are_registered_while_it_is_made(real_api, asked_ep):
    with ort.Env("kept", real_api) as env:
        registered = env.register_ep(asked_ep, "kept by a session")
        session = ort.Session(_adding())
        registered.close()
        with pytest.raises(ort.OrtError, match="already registered"):
            env.register_ep(asked_ep, "kept by a session")
        session.close()
        env.register_ep(asked_ep, "kept by a session").close()


def _adding():
    return graph_of("x f4[2]", "y = Add x x", "y f4[2]")


X = np.ones(2, np.float32)
USERS = {
    "array": lambda session, _: session.run(x=X)[0],
    "value": lambda session, _: session.run_values({"x": X})[0],
    "view": lambda session, _: session.run(x=X)[0][:1],
    "future": lambda session, _: session.run_future(x=X).result(TIME_LIMIT)[0],
    "binding": lambda session, _: session.bind({"x": X}),
    "bound output": lambda session, _: _bound_output(session.bind({"x": X})),
    "allocator": lambda session, _: session.allocator(),
    "block": lambda session, _: session.allocator().zeros(3),
    "options": lambda _, ep: _options(ep),
}


def _bound_output(binding):
    binding.run()
    return binding.output_values()[0]


def _options(ep):
    options = ort.SessionOptions(ep.api)
    options.add_devices(ep.devices)
    return options


@pytest.mark.parametrize("order", [*itertools.permutations(["session", "ep", "env"])])
@pytest.mark.parametrize("user", USERS)
def test_what_a_session_made_keeps_its_providers(real_api, asked_ep, events, user, order):
    parts = {"env": ort.Env("users", real_api)}
    parts["ep"] = parts["env"].register_ep(asked_ep, "memory")
    parts["session"] = ort.Session(_adding(), env=parts["env"])
    used = USERS[user](parts["session"], parts["ep"])
    for name in order:
        parts.pop(name).close()
    gc.collect()
    assert "~factory" not in events()
    del used
    gc.collect()
    assert "~factory" in events()


# --- packages -------------------------------------------------------------------------------------


def test_packages_are_found_without_their_import(tmp_path, monkeypatch):
    """Of one an option names a library beside the providers; another is not installed."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert ort.installed_eps() == []
    libraries = {}
    for folder, name in (
        ("onnxruntime_ggml/lib", "onnxruntime_ggml"),
        ("onnxruntime_qnn", "onnxruntime_providers_qnn"),
        ("onnxruntime_qnn", "QnnHtp"),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        libraries[name] = installed._library(str(tmp_path / folder), name)
        Path(libraries[name]).touch()
    for package in ("onnxruntime_ggml", "onnxruntime_qnn"):
        (tmp_path / package / "__init__.py").write_text("raise RuntimeError")
    ggml, qnn = ort.installed_eps()
    path = libraries["onnxruntime_ggml"]
    assert ggml == ort.InstalledEp("ggml", "onnxruntime-ggml", path, {})
    assert qnn.options == {"backend_path": libraries["QnnHtp"]}
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(LookupError, match="'pip install onnxruntime-ggml'"):
        installed.ep_named("ggml")


def test_a_library_is_registered_once_under_a_name_until_it_is_closed(env, asked_ep):
    first = installed.register_once(env, asked_ep, "asked")
    again = installed.register_once(env, asked_ep, "asked")
    other = installed.register_once(env, asked_ep, "other")
    assert first is again
    assert {first.name, other.name} == {"asked", "other"}
    first.close()
    assert not installed.register_once(env, asked_ep, "asked").closed
