# SPDX-License-Identifier: MIT
"""Adapters: weights that a run uses instead of the model's."""

import contextlib
import gc
import shutil

import numpy as np
import pytest
from support import eps, models
from support.models import model, node, tensor, value
from support.prepared import printed_by
from support.processes import TIME_LIMIT
from support.releases import installed_release
from support.sessions import options_with

import ortcffi as ort
from ortcffi.compat import AdapterFormat, OrtValue


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """An adapter that replaces the weights by threes."""
    path = tmp_path_factory.mktemp("adapters") / "three.onnx_adapter"
    return written(path, w=np.full((1, 4), 3, np.float32))


def written(path, **parameters):
    """The path of an adapter with these parameters."""
    adapter = AdapterFormat()
    made = {name: OrtValue.ortvalue_from_numpy(array) for name, array in parameters.items()}
    adapter.set_parameters(made)
    adapter.export_adapter(str(path))
    return path


@ort.custom_op("adapted", inputs=[np.float32, np.float32], outputs=[np.float32])
def times(x, y):
    return x * y


def scaled(input_: str = "w") -> bytes:
    """y = x * w, which is of ones unless a run replaces it; a custom op, so the core runs it."""
    ports = [value("x", shape=(1, 4)), value(input_, shape=(1, 4))], [value("y", shape=(1, 4))]
    weights = [tensor(input_, np.ones((1, 4), np.float32))]
    nodes = [node("times", f"x {input_}", "y", "adapted")]
    return model(nodes, *ports, weights, domains={"adapted": 1})


@pytest.fixture
def opened_on(opened):
    """``opened_on(api, source)`` is a session of a table, with the op of `scaled`."""

    def opened_on(api, source=None):
        options = options_with("adapted", times, api=api)
        return opened(source or scaled(), options, api=api)

    return opened_on


def test_a_provider_of_the_core_computes_with_the_weights_of_an_adapter(core_api, file, x):
    ports = [value("x", shape=(1, 4)), value("w", shape=(1, 4))], [value("y", shape=(1, 4))]
    added = model([node("Add", "x w", "y")], *ports, [tensor("w", np.ones((1, 4), np.float32))])
    with (
        ort.Session(added, api=core_api, providers=eps.adding_devices()) as session,
        ort.LoraAdapter(file, core_api) as adapter,
        ort.RunOptions(core_api, adapters=[adapter]) as options,
    ):
        assert session.run({"x": x}, options=options)[0].tolist() == (x + 3).tolist()
        assert session.run({"x": x})[0].tolist() == (x + 1).tolist()


@pytest.mark.parametrize("read", ["path", "str", "bytes", "bytearray"])
def test_a_run_uses_the_weights_of_an_adapter(opened_on, api, file, x, read):
    session = opened_on(api)
    kinds = {
        "path": lambda: file,
        "str": lambda: str(file),
        "bytes": file.read_bytes,
        "bytearray": lambda: bytearray(file.read_bytes()),
    }
    source = kinds[read]()
    with (
        ort.LoraAdapter(source, api) as adapter,
        ort.RunOptions(api, adapters=[adapter]) as options,
    ):
        if read == "bytearray":
            source[:] = bytes(len(source))  # the library has copied it
        assert options.adapters == [adapter]
        assert session.run({"x": x}, options=options)[0].tolist() == [[3, 6, 9, 12]]
    assert session.run({"x": x})[0].tolist() == [[1, 2, 3, 4]]


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
    assert printed_by(code, tmp_path / "model", path) == "[[3.0, 3.0, 3.0, 3.0]]"


def test_options_keep_adapters_that_are_closed_or_forgotten(opened_on, api, core_api, file, x):
    session = opened_on(api)
    for of in (core_api, api):
        closed = ort.LoraAdapter(file, session.api)
        options = ort.RunOptions(of, adapters=[closed])
        closed.close()
        del closed
        gc.collect()
        assert session.run({"x": x}, options=options)[0].tolist() == [[3, 6, 9, 12]]


def test_a_run_keeps_the_adapters_of_options_that_are_closed(opened_on, api, file):
    session = opened_on(api)
    for _ in range(20):
        options = ort.RunOptions(api, adapters=[ort.LoraAdapter(file, api)])
        job = session.run_future({"x": np.ones((1, 4), np.float32)}, options=options)
        options.close()
        del options
        assert job.result(TIME_LIMIT)[0].tolist() == [[3, 3, 3, 3]]


def test_a_bound_run_refuses_adapters_which_the_library_would_ignore(opened_on, api, file, x):
    session = opened_on(api)
    bound = session.bind(x=x)
    with (
        ort.RunOptions(api, adapters=[ort.LoraAdapter(file, api)]) as options,
        pytest.raises(ValueError, match="options have adapters"),
    ):
        bound.run(options=options)
    with ort.RunOptions(api) as options:
        bound.run(options=options)
    assert bound.outputs["y"].tolist() == x.tolist()


def test_without_a_table_an_adapter_belongs_to_the_library_of_sessions(real_api, file):
    with ort.LoraAdapter(file) as adapter:
        assert adapter.api.same_library(real_api)
        assert "closed" not in repr(adapter)
    assert repr(adapter) == "<LoraAdapter closed>"


def test_an_adapter_of_another_library_is_refused(opened_on, core_api, real_api, file, x):
    for api, other in ((core_api, real_api), (real_api, core_api)):
        options = ort.RunOptions(core_api, adapters=[ort.LoraAdapter(file, other)])
        with pytest.raises(ValueError, match="adapter belongs to"):
            opened_on(api).run({"x": x}, options=options)
    with pytest.raises(ValueError, match="adapter belongs to"):
        ort.RunOptions(real_api, adapters=[ort.LoraAdapter(file, core_api)])


def test_the_adapter_counts_where_a_run_gives_the_weights_too(opened_on, api, file, x):
    session = opened_on(api)
    options = ort.RunOptions(api, adapters=[ort.LoraAdapter(file, api)])
    assert session.run({"x": x, "w": x}, options=options)[0].tolist() == [[3, 6, 9, 12]]


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        (5, TypeError, "source must be a path or bytes-like, not int"),
        (b"", ValueError, "source must not be empty"),
        ("a\0b", ValueError, "source must not contain a null character"),
        ("/no/such/file", ort.errors.InvalidArgument, "."),
    ],
)
def test_a_wrong_source_is_refused(api, source, kind, message):
    if not api.is_core and installed_release() < (1, 22):  # whose code for a file is another one
        kind = (kind, ort.errors.RuntimeException)
    with pytest.raises(kind, match=message):
        ort.LoraAdapter(source, api)


def test_only_open_adapters_are_added(api, file):
    adapter = ort.LoraAdapter(file, api)
    adapter.close()
    with ort.RunOptions(api) as options:
        with pytest.raises(ValueError, match="this LoraAdapter is closed"):
            options.add_adapter(adapter)
        with pytest.raises(TypeError, match="adapter must be a LoraAdapter, not Value"):
            options.add_adapter(ort.Value.from_numpy(np.ones(2, np.float32)))
        assert options.adapters == []
    with pytest.raises(ValueError, match="this RunOptions is closed"):
        options.add_adapter(adapter)


def test_an_adapter_for_another_model_is_the_library_s_error(opened_on, api, file, x):
    session = opened_on(api, scaled("v"))
    with (
        ort.RunOptions(api, adapters=[ort.LoraAdapter(file, api)]) as options,
        pytest.raises(ort.OrtError, match="w"),
    ):
        session.run({"x": x}, options=options)


@pytest.mark.parametrize("replaced", [np.ones((1, 5), np.float32), np.ones((1, 4), np.float64)])
def test_the_weights_of_an_adapter_are_checked(opened_on, api, tmp_path, x, replaced):
    session = opened_on(api)
    adapter = ort.LoraAdapter(written(tmp_path / "wrong", w=replaced), api)
    options = ort.RunOptions(api, adapters=[adapter])
    with pytest.raises(ort.OrtError):
        session.run({"x": x}, options=options)


def test_bytes_of_adapters_that_lie_are_refused_or_read_without_harm(core_api, file):
    content = bytearray(file.read_bytes())
    for place in range(len(content)):
        for changed in (0, 1, 0x7F, 0xFF):
            broken = content.copy()
            broken[place] = changed
            for lie in (bytes(broken), bytes(broken[:place])):
                with contextlib.suppress(ort.OrtError):
                    ort.LoraAdapter(lie or b"\0", core_api).close()


def shared(count: int, size: int = 4, name: bytes = b"w") -> bytes:
    """An adapter whose list has one parameter `count` times, of `size` numbers that are 2."""
    places = np.arange(count, 0, -1, np.uint32) * 4 + 12
    ends = name.ljust(-(-(len(name) + 1) // 4) * 4, b"\0")
    shape = np.array([1, size], np.int64).tobytes()
    to_shape = 16 + len(ends)
    words = [20, 0x54524F54, 0x000C000C, 4, 0x00080000, 12, 1, 4, count, *places]
    words += [0x0014000C, 0x00080004, 0x0010000C, 12, 16, to_shape, 1, to_shape + len(shape) - 4]
    parts = [np.array([len(name)], np.uint32).tobytes(), ends]
    parts += [np.array([2], np.uint32).tobytes(), shape]
    parts += [np.array([4 * size], np.uint32).tobytes(), np.full(size, 2, np.float32).tobytes()]
    return np.array(words, np.uint32).tobytes() + b"".join(parts)


def test_parameters_that_share_their_numbers_take_the_memory_of_one(opened_on, api, x):
    session = opened_on(api)
    before = api.default_allocator.stats.bytes_allocated if api.is_core else 0
    with ort.LoraAdapter(shared(100, 1 << 18), api):
        assert not api.is_core or api.default_allocator.stats.bytes_allocated - before < 3 << 20
    with ort.RunOptions(api, adapters=[ort.LoraAdapter(shared(1000), api)]) as options:
        assert session.run({"x": x}, options=options)[0].tolist() == [[2, 4, 6, 8]]


LIES = {
    "too many parameters": shared(1_000_001),
    "a name without an end": shared(1).replace(b"w\0", b"ww"),
    "no list": shared(1).replace(b"\0\0\x08\0", bytes(4), 1),
}


@pytest.mark.parametrize("lie", LIES)
def test_adapters_that_lie_are_refused(api, lie):
    is_old = not api.is_core and installed_release() < (1, 22)
    with pytest.raises(ort.errors.RuntimeException if is_old else ort.errors.Fail):
        ort.LoraAdapter(LIES[lie], api)


def test_of_parameters_with_one_name_the_first_counts(opened_on, api, tmp_path, x):
    v, w = (np.full((1, 4), number, np.float32) for number in (3, 5))
    content = written(tmp_path / "two", v=v, w=w).read_bytes()
    assert content.count(b"\1\0\0\0v\0") == 1
    twice = content.replace(b"\1\0\0\0v\0", b"\1\0\0\0w\0")
    session = opened_on(api)
    with ort.RunOptions(api, adapters=[ort.LoraAdapter(twice, api)]) as options:
        assert session.run({"x": x}, options=options)[0].tolist() == [[3, 6, 9, 12]]
