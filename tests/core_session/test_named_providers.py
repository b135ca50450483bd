# SPDX-License-Identifier: MIT
"""Providers of sessions by the path of a library, or the name of a package."""

import shutil
import sys

import numpy as np
import pytest
from support import eps, models
from support.prepared import printed_by

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
        ("NXRT", "'NXRT' is not there: did you mean 'nxrt'?"),
        ("OpenVINOExecutionProvider", "is not there: did you mean 'openvino'?"),
        ("references", "is not there: did you mean 'reference'?"),
        ("nope", "'nope' is not there. Installed providers: "),
    ],
)
def test_a_wrong_name_says_what_may_be_meant_and_what_is_installed(api, given, message):
    pytest.importorskip("onnx")  # of which 'reference' is made
    with pytest.raises(ort.OrtError) as caught:
        ort.Session(models.add(), api=api, providers=[given])
    installed = [each.name for each in ort.installed_eps()]
    assert message in caught.value.message
    assert f"Installed providers: {', '.join([*installed, 'reference'])};" in caught.value.message
    assert "CPUExecutionProvider" in caught.value.message


def test_a_library_may_have_any_name_if_its_folder_is_named(api, add_ep, tmp_path):
    path = shutil.copy(add_ep, tmp_path / "libadd.so.1")
    with ort.Session(models.add(), api=api, providers=[str(path)]) as session:
        assert session.run(x=X)[0].tolist() == [[2, 4, 6, 8]]
    with pytest.raises(ort.OrtError, match=r"/no/library"):
        ort.Session(models.add(), api=api, providers=["/no/library"])


def test_a_library_that_is_given_twice_is_refused(api, add_ep):
    with pytest.raises(ValueError, match=r"^providers has .*add_ep.* twice$"):
        ort.Session(models.add(), api=api, providers=[add_ep, (add_ep, {"a": "b"})])


def test_a_session_of_the_core_imports_no_provider_in_python_and_no_kernel(add_ep, tmp_path):
    (tmp_path / "model").write_bytes(models.add())
    code = """
import sys
import numpy as np
import ortcffi as ort
model, provider = sys.argv[1:]
with ort.Session(model, providers=[provider]) as session:
    session.run(x=np.ones((1, 4), np.float32))
print({"ortcffi.models.python_ep", "ortcffi.kernels.make_kernel", "html"} & set(sys.modules))
"""
    assert printed_by(code, tmp_path / "model", add_ep) == "set()"


def test_values_of_a_run_end_with_their_last_reader_so_that_others_get_their_memory(
    add_ep, tmp_path
):
    pytest.importorskip("onnx")  # says the types of inner values
    length, count = 1 << 16, 20
    graph = ort.Graph()
    graph.input("v0", "f4", [length])
    graph.initializer("w", np.ones(length, np.float32))
    for i in range(count):
        graph.node("Add", [f"v{i}", "w"], [f"v{i + 1}"])
    graph.output(f"v{count}", "f4", [length])
    model = tmp_path / "model.onnx"
    ort.Model.load(graph.to_bytes()).prepare().save(model)
    code = """
import sys
import numpy as np
import ortcffi as ort
length, count = 1 << 16, 20
with ort.Session(sys.argv[1], providers=sys.argv[2:]) as session:
    memory = ort.core_api().default_allocator
    before = memory.stats.bytes_allocated
    (y,) = session.run(v0=np.ones(length, np.float32))
    assert y[0] == y[-1] == 1 + count
    print((memory.stats.max_memory - before) // (4 * length))
"""
    assert printed_by(code, model, add_ep) == "2"
