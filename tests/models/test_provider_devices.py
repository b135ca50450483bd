# SPDX-License-Identifier: MIT
"""Execution providers with memory of their own: tests/c/provider, whose addresses fault
where the CPU reads or writes them as they are."""

import ctypes
from concurrent.futures import ThreadPoolExecutor
from shutil import copy

import numpy as np
import pytest
from support import eps
from support.graphs import graph_of

import ortcffi as ort

SHAPE = (2, 3)
X = np.arange(6, dtype=np.float32).reshape(SHAPE)
W = X + 10


@pytest.fixture
def library(c_compiler, tmp_path):
    return copy(eps.build(c_compiler, eps.ON_A_DEVICE), tmp_path)


@pytest.fixture
def events(library):
    """``events()`` says what the provider was asked since the last time."""
    function = ctypes.CDLL(library).AskedEpEvents
    function.restype = ctypes.c_char_p
    return lambda: function().decode().split()


@pytest.fixture
def words():
    return "memory streams"


@pytest.fixture
def compiled(core_api, library, words):
    """Compiles the one node of a model."""
    with (
        ort.Env("devices", core_api) as env,
        env.register_ep(library, words) as made,
        ort.Ep(made.devices) as ep,
    ):
        yield lambda model: ep.compile(ep.capability(model))[0]


def multiplying(shape=SHAPE, *, weights=True):
    return ort.Model.load(eps.multiplying(W, shape, weights=weights).to_bytes())


def test_a_node_computes_in_memory_of_the_device(compiled, events):
    node = compiled(multiplying())
    assert events() == ["in"]  # the weights, once
    for _ in range(2):
        (y,) = node(X)
        np.testing.assert_array_equal(y, X * W)
    each_run = ["in", "compute-in-stream", "out", "flush", "run-end"]
    assert events() == ["stream", *each_run, *each_run]


WITHOUT_STREAMS = {"memory": ["in", "in", "compute", "out"], "nothing": ["compute"]}


@pytest.mark.parametrize("words", WITHOUT_STREAMS)
def test_a_device_may_have_no_streams_and_memory_of_the_cpu_is_not_copied(compiled, events, words):
    (y,) = compiled(multiplying())(X)
    np.testing.assert_array_equal(y, X * W)
    assert events() == WITHOUT_STREAMS[words]


NOT_COPIED = {"memory streams no-copy": "no-copy", "memory no-transfer": "what copies tensors"}


@pytest.mark.parametrize("words", NOT_COPIED)
def test_a_device_whose_tensors_are_not_copied_is_refused(compiled, words):
    with pytest.raises((ort.errors.EPFail, ort.errors.Fail), match=NOT_COPIED[words]):
        compiled(multiplying())


def test_an_output_of_the_caller_is_filled(compiled):
    y = np.zeros(SHAPE, np.float32)
    compiled(multiplying()).kernel.compute(X, None, out=y)
    np.testing.assert_array_equal(y, X * W)


def test_tensors_without_elements_are_not_copied(compiled, events):
    empty = np.zeros((0, 3), np.float32)
    (y,) = compiled(multiplying((0, 3), weights=False))(empty, empty)
    assert y.shape == (0, 3)
    assert not {"in", "out"} & {*events()}


def test_threads_compute_at_once(compiled):
    node = compiled(multiplying())
    with ThreadPoolExecutor(4) as pool:
        for i, (y,) in enumerate(pool.map(lambda i: node(X + i), np.arange(40, dtype=np.float32))):
            np.testing.assert_array_equal(y, (X + i) * W)


@pytest.mark.parametrize("words", ["memory streams no-compute"])
def test_a_run_that_fails_gives_all_back(compiled, events):
    node = compiled(multiplying())
    events()
    with pytest.raises(ort.errors.EPFail, match="no-compute"):
        node(X)
    assert events() == ["stream", "in", "compute-in-stream", "flush", "run-end", "~stream"]


# --- values between the nodes of a session --------------------------------------------------------


def chain(between=None, outputs=("y",)):
    """x * w * w * w, of which the provider takes each product by itself."""
    second = "Mul a w" if between is None else f"{between} a"
    made = ", ".join(f"{name} f4[2,3]" for name in outputs)
    return graph_of("x f4[2,3]", f"a = Mul x w; b = {second}; y = Mul b w", made, {"": 18}, w=W)


def events_of_a_run(api, library, events, graph, others=(), *, words="memory"):
    """What a provider is asked in one run of a session, whose outputs are returned as well."""
    with eps.session_on(api, library, words, graph.to_bytes(), others) as session:
        session.run(x=X)
        events()
        found = session.run(x=X)
        return events(), found


def copies_of_a_run(*arguments):
    noted, found = events_of_a_run(*arguments)
    return [each for each in noted if each in {"in", "out"}], found


def test_values_between_nodes_of_a_provider_stay_on_its_device(api, library, events):
    copies, [y] = copies_of_a_run(api, library, events, chain())
    np.testing.assert_array_equal(y, X * W * W * W)
    assert copies == ["in", "out"]


def test_a_value_that_is_an_output_as_well_is_copied_once_also_to_memory_of_the_caller(
    api, library, events
):
    expected = X * W, X * W * W * W
    copies, found = copies_of_a_run(api, library, events, chain(outputs=["a", "y"]))
    assert copies == ["in", "out", "out"]
    a, model = np.zeros(SHAPE, np.float32), chain(outputs=["a", "y"]).to_bytes()
    with eps.session_on(api, library, "memory again", model) as session:
        _, y = session.run({"x": X}, out={"a": a})
    for arrays in (found, (a, y)):
        for array, wanted in zip(arrays, expected, strict=True):
            np.testing.assert_array_equal(array, wanted)


def test_a_run_has_one_stream(api, library, events):
    noted, [y] = events_of_a_run(api, library, events, chain(), words="memory streams")
    np.testing.assert_array_equal(y, X * W * W * W)
    assert noted[:5] == ["in", *["compute-in-stream"] * 3, "out"]
    assert sorted(noted[5:]) == ["flush", "run-end"]  # in onnxruntime the other way round


def test_a_run_waits_for_its_stream_where_the_cpu_reads(core_api, library, events):
    noted, _ = events_of_a_run(
        core_api, library, events, chain(outputs=["a", "y"]), words="memory streams"
    )
    middle = ["compute-in-stream", "out", "flush", "compute-in-stream"]
    assert noted == ["in", *middle, "compute-in-stream", "out", "flush", "run-end"]


def test_nothing_is_freed_that_the_device_may_still_read(core_api, library, events):
    """Each node reads an input of the graph, so that the run waits in the middle of a node."""
    names = [f"x{i}" for i in range(60)]
    products = [f"v{i} = Mul {f'v{i - 1}' if i > 1 else 'x0'} x{i}" for i in range(1, 60)]
    inputs = ", ".join(f"{name} f4[2,3]" for name in names)
    graph = graph_of(inputs, "; ".join(products), "v59 f4[2,3]", {"": 18})
    with eps.session_on(core_api, library, "memory streams frees", graph.to_bytes()) as session:
        (y,) = session.run(dict.fromkeys(names, np.full(SHAPE, -1, np.float32)))
    np.testing.assert_array_equal(y, np.ones(SHAPE))
    noted = events()
    assert noted.count("flush") > 1
    assert "freed-too-early" not in noted


def test_a_run_of_many_nodes_waits_for_its_stream_now_and_then(api, library, events):
    """Values that are not used any more are released only after a wait."""
    nodes = "; ".join(f"v{i + 1} = Mul v{i} w" for i in range(100))
    ones = np.ones(SHAPE, np.float32)
    graph = graph_of("v0 f4[2,3]", nodes, "v100 f4[2,3]", {"": 18}, w=ones)
    with eps.session_on(api, library, "memory streams", graph.to_bytes()) as session:
        np.testing.assert_array_equal(session.run(v0=X)[0], X)
        noted = events()
    assert noted.count("compute-in-stream") == 100
    assert noted.count("flush") == (2 if api.is_core else 1)


def test_a_run_that_fails_ends_its_stream(core_api, library, events):
    words = "memory streams no-compute"
    with eps.session_on(core_api, library, words, chain().to_bytes()) as session:
        events()
        with pytest.raises(ort.errors.EPFail, match="no-compute"):
            session.run(x=X)
        assert events() == ["stream", "in", "compute-in-stream", "flush", "run-end", "~stream"]


def test_a_value_that_another_provider_reads_is_copied(core_api, library, events):
    @ort.execution_provider("negates beside a device")
    class Negates:
        def capability(self, graph):
            return [node for node in graph.nodes if node.op_type == "Neg"]

        def compile(self, _):
            return np.negative

    with ort.Env("devices", core_api) as env:
        other = env.register_ep(Negates)
        copies, [y] = copies_of_a_run(core_api, library, events, chain("Neg"), [other.devices])
    np.testing.assert_array_equal(y, X * W * -W)
    assert copies == ["in", "out", "in", "out"]


def run(api, library, words, model, inputs):
    """What a provider computes: on the core alone, or in a session of the real library."""
    with ort.Env("devices", api) as env, env.register_ep(library, words) as made:
        if api.is_core:
            with ort.Ep(made.devices) as ep:
                return ep.compile(ep.capability(model))[0](**inputs)
        with ort.SessionOptions(api) as options:
            options.add_devices(made.devices)
            with ort.Session(model, options) as session:
                return session.run(inputs)


def test_a_provider_asks_where_things_are(api, library, events):
    with (
        eps.session_on(api, library, "memory streams asks", multiplying()) as session,
        ort.RunOptions(api, log_severity=ort.LogSeverity.FATAL) as options,
    ):
        session.run({"x": X}, options=options)
    noted = events()
    first = noted.index("compute-in-stream") + 1
    assert noted[first : first + 9] == [
        "input-there",
        "weight-there",
        "allocator",
        "scratch",
        "cpu-allocator",
        "sync-stream",
        "first-sync",
        "no-output-yet",
        "logger-of-run",
    ]


@pytest.mark.parametrize(
    ("words", "copied"), [("default-cpu", False), ("default-null", True), ("default", True)]
)
def test_a_provider_says_in_which_memory_it_computes(api, library, events, words, copied):
    (y,) = run(api, library, f"memory {words}", multiplying(), {"x": X})
    np.testing.assert_array_equal(y, X * W)
    assert ("in" in events()) is copied
