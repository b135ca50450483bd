# SPDX-License-Identifier: MIT
"""Adapters: weights that a run uses instead of the model's."""

import gc
import shutil

import numpy as np
import pytest
from support import models
from support.processes import TIME_LIMIT, run_python

import ortcffi as ort
from ortcffi.compat import AdapterFormat, OrtValue


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """An adapter that replaces the weights by threes."""
    path = tmp_path_factory.mktemp("adapters") / "three.onnx_adapter"
    adapter = AdapterFormat()
    adapter.set_parameters({"w": OrtValue.ortvalue_from_numpy(np.full((1, 4), 3, np.float32))})
    adapter.export_adapter(str(path))
    return path


@pytest.fixture
def session(opened, real_api):
    return opened(models.scaled(), api=real_api)


@pytest.mark.parametrize("read", ["path", "str", "bytes", "bytearray"])
def test_a_run_uses_the_weights_of_an_adapter(session, real_api, file, x, read):
    kinds = {
        "path": lambda: file,
        "str": lambda: str(file),
        "bytes": file.read_bytes,
        "bytearray": lambda: bytearray(file.read_bytes()),
    }
    with (
        ort.LoraAdapter(kinds[read](), real_api) as adapter,
        ort.RunOptions(real_api, adapters=[adapter]) as options,
    ):
        assert options.adapters == [adapter]
        assert session.run({"x": x}, options=options)[0].tolist() == [[3, 6, 9, 12]]
    assert session.run({"x": x})[0].tolist() == [[1, 2, 3, 4]]


def test_the_library_copies_the_bytes(session, real_api, file, x):
    content = bytearray(file.read_bytes())
    options = ort.RunOptions(real_api)
    options.add_adapter(ort.LoraAdapter(content, real_api))
    content[:] = bytes(len(content))
    assert session.run({"x": x}, options=options)[0].tolist() == [[3, 6, 9, 12]]


def test_a_file_may_become_shorter_while_its_adapter_is_in_use(tmp_path, file):
    # In a process of its own, which SIGBUS would end if the file were mapped.
    (tmp_path / "model").write_bytes(models.scaled())
    path = shutil.copy(file, tmp_path / "adapter")
    code = """
import os, sys
import numpy as np
import ortcffi as ort
model, path = sys.argv[1:]
with ort.LoraAdapter(path) as adapter, ort.RunOptions(ort.load(), adapters=[adapter]) as options:
    os.truncate(path, 0)
    with ort.Session(model) as session:
        print(session.run({"x": np.ones((1, 4), np.float32)}, options=options)[0].tolist())
"""
    assert run_python(code, tmp_path / "model", path) == "[[3.0, 3.0, 3.0, 3.0]]"


def test_options_keep_adapters_that_are_closed_or_forgotten(session, api, file, x):
    closed = ort.LoraAdapter(file, session.api)
    options = ort.RunOptions(api, adapters=[closed])
    closed.close()
    del closed
    gc.collect()
    assert session.run({"x": x}, options=options)[0].tolist() == [[3, 6, 9, 12]]


def test_a_run_keeps_the_adapters_of_options_that_are_closed(opened, real_api, file):
    session = opened(models.scaled(), api=real_api)
    for _ in range(20):
        options = ort.RunOptions(real_api, adapters=[ort.LoraAdapter(file, real_api)])
        job = session.run_future({"x": np.ones((1, 4), np.float32)}, options=options)
        options.close()
        del options
        assert job.result(TIME_LIMIT)[0].tolist() == [[3, 3, 3, 3]]


def test_a_bound_run_refuses_adapters_which_the_library_would_ignore(session, real_api, file, x):
    bound = session.bind(x=x)
    with (
        ort.RunOptions(real_api, adapters=[ort.LoraAdapter(file, real_api)]) as options,
        pytest.raises(ValueError, match="options have adapters"),
    ):
        bound.run(options=options)
    with ort.RunOptions(real_api) as options:
        bound.run(options=options)
    assert bound.outputs["y"].tolist() == x.tolist()


def test_without_a_table_an_adapter_belongs_to_the_library_of_sessions(real_api, file):
    with ort.LoraAdapter(file) as adapter:
        assert adapter.api.same_library(real_api)
        assert "closed" not in repr(adapter)
    assert repr(adapter) == "<LoraAdapter closed>"


def test_the_core_has_no_adapters(core_api, file):
    with pytest.raises(ort.errors.NotImplemented, match="needs an inference engine"):
        ort.LoraAdapter(file, core_api)


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        (5, TypeError, "source must be a path or bytes-like, not int"),
        (b"", ValueError, "source must not be empty"),
        ("a\0b", ValueError, "source must not contain a null character"),
        ("/no/such/file", ort.OrtError, "INVALID_ARGUMENT"),
    ],
)
def test_a_wrong_source_is_refused(real_api, source, kind, message):
    with pytest.raises(kind, match=message):
        ort.LoraAdapter(source, real_api)


def test_what_is_no_adapter_is_refused(real_api, file):
    content = file.read_bytes()
    for broken in [b"TORT", bytes(4), bytes(200), b"\xff" * 200, content[:60], content[::-1]]:
        with pytest.raises(ort.OrtError):
            ort.LoraAdapter(broken, real_api)


def test_only_open_adapters_are_added(real_api, file):
    adapter = ort.LoraAdapter(file, real_api)
    adapter.close()
    with ort.RunOptions(real_api) as options:
        with pytest.raises(ValueError, match="this LoraAdapter is closed"):
            options.add_adapter(adapter)
        with pytest.raises(TypeError, match="adapter must be a LoraAdapter, not Value"):
            options.add_adapter(ort.Value.from_numpy(np.ones(2, np.float32)))
        assert options.adapters == []
    with pytest.raises(ValueError, match="this RunOptions is closed"):
        options.add_adapter(adapter)


def test_an_adapter_for_another_model_is_the_library_s_error(opened, real_api, file, x):
    session = opened(models.add(), api=real_api)
    with (
        ort.RunOptions(real_api, adapters=[ort.LoraAdapter(file, real_api)]) as options,
        pytest.raises(ort.OrtError, match="w"),
    ):
        session.run({"x": x}, options=options)


def test_an_interpreter_ends_while_options_have_adapters(file):
    code = f"""
import ortcffi as ort
options = ort.RunOptions(ort.load(), adapters=[ort.LoraAdapter({str(file)!r})])
cycle = [options]
cycle.append(cycle)
"""
    run_python(code)
