# SPDX-License-Identifier: MIT
"""What sessions tell of models, memory, devices and time; pickles and forks."""

import copy
import gc
import json
import pickle
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from support import models
from support.prepared import run_program
from support.processes import fork
from support.releases import needs_release
from support.threads import run_threads

import ortcffi as ort
from ortcffi.session import pickling


def test_what_python_shows_has_no_escape_sequence_of_a_model(opened, x):
    name, dimension = "x\x1b[2J", "n\x1b[2J\n"
    ports = [models.value(name, shape=[dimension, 4])], [models.value("y", shape=[dimension, 4])]
    session = opened(models.model([models.node("Identity", name, "y")], *ports))
    binding = session.bind({name: x})
    info = session.inputs[0].type_info
    for shown in (session, binding, session.inputs, info, info.tensor_info):
        assert "\\x1b" in repr(shown)
        assert repr(shown).isprintable()
    assert binding.output_names == ["y"]


def test_a_model_tells_what_its_maker_wrote(opened):
    facts = (
        models.field(2, "maker")
        + models.field(4, "org.example")
        + models.field(5, 7)
        + models.field(6, "doubles")
    )
    node, ports = models.node("Neg", "x", "y"), [[models.value("x")], [models.value("y")]]
    content = models.model([node], *ports, metadata={"a": "1", "ü": "two"}, facts=facts)
    metadata = opened(content).metadata
    assert metadata.producer_name == "maker"
    assert metadata.domain == "org.example"
    assert metadata.version == 7
    assert metadata.description == "doubles"
    assert metadata.graph_name == "g"
    assert metadata.graph_description == ""
    assert metadata.custom == {"a": "1", "ü": "two"}
    assert opened(models.add()).metadata.custom == {}


def test_the_sessions_arena_tells_its_figures(opened, x):
    session = opened(models.add())
    session.run({"x": x})
    with session.allocator() as allocator:
        assert allocator.info.name == "Cpu"
        assert allocator.stats.num_allocations > 0
        array = allocator.empty(100, np.float32)
    session.close()
    array[:] = 1
    assert array.sum() == 100


def test_the_arena_shrinks_after_a_run_that_asks_for_it(opened, real_api):
    session = opened(models.identity(shape=("n",)))
    x = np.ones(1 << 22, np.float32)
    session.run({"x": x[:1]})  # the arena keeps the first memory that it takes
    session.run({"x": x})
    options = ort.RunOptions(real_api, config={"memory.enable_memory_arena_shrinkage": "cpu:0"})
    with options, session.allocator() as allocator:
        assert allocator.stats.bytes_reserved >= x.nbytes
        session.run({"x": x[:1]}, options=options, out={"y": np.empty(1, np.float32)})
        assert allocator.stats.bytes_reserved < x.nbytes


def test_each_input_and_output_has_the_device_of_its_provider(api):
    for name, op in (("adds", "Add"), ("multiplies", "Mul")):
        ort.execution_provider(name)(provider_of(op))
    ports = [models.value(name, shape=[2]) for name in "xyzuv"]
    nodes = [models.node("Add", "x x", "u"), models.node("Mul", "u y", "v")]
    content = models.model(nodes, ports[:3], ports[3:])
    with ort.Session(content, api=api, providers=["adds", "multiplies"]) as session:
        for found in (session.input_devices, session.output_devices):
            assert [device.name for device in found[:2]] == ["adds", "multiplies"]
        assert session.input_devices[2] is None, "nothing reads it"


def provider_of(op):
    """A class that computes nodes of one operator."""

    class Provider:
        def capability(self, graph):
            return [node for node in graph.nodes if node.op_type == op]

        def compile(self, _graph):
            return lambda x, y=None: x if y is None else x * y

    return Provider


def test_the_assignment_names_providers_and_operators(opened):
    options = ort.SessionOptions(config={"session.record_ep_graph_assignment_info": "1"})
    session = opened(models.two_inputs(), options)
    assert {k: sorted(v) for k, v in session.assignment.items()} == {
        "CPUExecutionProvider": ["Add", "Sub"]
    }
    with pytest.raises(ort.OrtError):
        opened(models.add()).assignment  # noqa: B018


def test_the_cpu_is_a_provider_and_an_unknown_one_is_an_error(opened, x):
    session = opened(models.add(), providers=["CPUExecutionProvider"])
    assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]
    with pytest.raises(ort.OrtError):
        ort.Session(models.add(), providers=[("NoSuchExecutionProvider", {"key": "value"})])
    with pytest.raises(TypeError, match="providers must be a list, not str"):
        ort.Session(models.add(), providers="CPUExecutionProvider")
    with pytest.raises(TypeError, match="providers has 5"):
        ort.Session(models.add(), providers=[5])


@needs_release(23, "the device of the CPU")
def test_a_device_is_a_provider_and_has_options_of_its_own(opened, real_api):
    with ort.Env(api=real_api) as env:
        device = next(each for each in env.devices if each.name == "CPUExecutionProvider")
        for given in (device, (device, {"key": "value"})):
            session = opened(models.add(), providers=[given])
            assert session.run({"x": np.ones((1, 4), np.float32)})[0].shape == (1, 4)
            session.close()
        with pytest.raises(TypeError, match="settings must be a mapping, not list"):
            ort.Session(models.add(), providers=[(device, ["key"])])


def test_options_of_providers_change_while_the_session_lives(opened):
    session = opened(models.add())
    session.set_ep_options({"ep.dynamic.workload_type": "Efficient"})
    with pytest.raises(TypeError, match="options must be a mapping, not list"):
        session.set_ep_options([])


def test_a_profile_of_the_session_is_parsed(tmp_path, x):
    options = ort.SessionOptions(profiling=str(tmp_path / "profile"))
    with ort.Session(models.add(), options) as session:
        session.run({"x": x})
        assert session.profiling_start > 0
        profile = session.end_profiling()
    assert json.loads(Path(profile.path).read_text())
    assert {"model_run"} <= {event.name for event in profile.events}
    assert list(profile.by_operator()) == ["Add"]
    with ort.Session(models.add()) as session, pytest.raises(ValueError, match="no profile"):
        session.end_profiling()


def test_sessions_share_repacked_weights(opened, real_api):
    x = np.ones((1, 256), np.float32)
    with ort.PrepackedWeights(real_api) as store:
        shared = np.ones((256, 256), np.float32)
        options = ort.SessionOptions(real_api)
        options.add_initializer("w", ort.Value.from_numpy(shared, api=real_api))
        pair = [opened(models.matmul(), options, prepacked_weights=store) for _ in range(2)]
        assert [session.run({"x": x})[0][0, 0] for session in pair] == [256, 256]
        for session in pair:
            session.close()


# --- memory that ends -----------------------------------------------------------------------------


# --- other processes ------------------------------------------------------------------------------


def test_a_session_is_pickled_as_its_model_and_options(tmp_path, x):
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add((1, "n")))
    options = ort.SessionOptions(intra_op_threads=1, config={"session.disable_prepacking": "1"})
    options.fix_dimension("n", 4)
    for source in (path, str(path), path.read_bytes(), memoryview(path.read_bytes())):
        with ort.Session(source, options) as session:
            again = pickle.loads(pickle.dumps(session))
        with again:
            assert again.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]
            assert again.inputs[0].shape == (1, 4)
            assert again._options.intra_op_threads == 1


def test_a_session_is_pickled_after_its_options_were_closed(real_api, x):
    with ort.SessionOptions(real_api, intra_op_threads=1) as options:
        session = ort.Session(models.add(), options)
    with session, pickle.loads(pickle.dumps(session)) as again:
        assert again._options.intra_op_threads == 1
        assert again.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]


def test_what_cannot_be_pickled_says_why():
    options = ort.SessionOptions(logger=print)
    with (
        ort.Session(models.add(), options) as session,
        pytest.raises(TypeError, match="options have logger"),
    ):
        pickle.dumps(session)
    with ort.Session(models.add()) as session, pytest.raises(TypeError, match="threads share it"):
        copy.copy(session)
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(session)


@pytest.fixture
def keeps_no_session():
    yield
    pickling.kept.clear()


@pytest.mark.usefixtures("keeps_no_session")
def test_pickles_of_the_same_session_give_one_session(tmp_path, x):
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add())
    with ort.Session(path) as session:
        pickled = pickle.dumps(session)
    found = []
    run_threads(*4 * [lambda: found.append(pickle.loads(pickled))])
    assert len(found) == 4
    assert len({id(each) for each in found}) == 1
    found[0].close()
    assert pickle.loads(pickled).run({"x": x})[0].tolist() == [[2, 4, 6, 8]]
    path.write_bytes(models.add((1, "n")))  # another model
    again = pickle.loads(pickled)
    assert again.inputs[0].shape == (1, "n")
    for count in range(5):
        with ort.Session(models.add((count, 4))) as session:
            pickle.loads(pickle.dumps(session))
    assert len(pickling.kept) == 4
    assert pickle.loads(pickled) is not again
    assert fork(lambda: not pickling.kept) == 0


def test_another_process_runs_a_pickled_session(opened, tmp_path):
    # As the processes do that multiprocessing spawns.
    (tmp_path / "session").write_bytes(pickle.dumps(opened(models.add())))
    code = """
        import pickle
        import numpy as np
        with open("session", "rb") as file:
            session = pickle.load(file)
        print(session.run({"x": np.ones((1, 4), np.float32)})[0].tolist())
    """
    assert run_program(dedent(code), cwd=tmp_path).stdout == "[[2.0, 2.0, 2.0, 2.0]]\n"


@pytest.mark.parametrize("fact", ["input_memory", "output_memory", "input_devices"])
def test_what_is_borrowed_of_a_session_outlives_its_closing(real_api, fact):
    """Its memory and the environment's would be freed, and the names read from there."""
    session = ort.Session(models.add(), api=real_api)
    [borrowed] = getattr(session, fact)
    name = borrowed.name
    session.close()
    gc.collect()
    assert borrowed.name == name
    del borrowed
    gc.collect()
