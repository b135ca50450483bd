# SPDX-License-Identifier: MIT
"""What sessions tell of models, memory, devices and time, and what they log."""

import copy
import gc
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.models import two_inputs
from support.processes import fork
from support.python_eps import Takes, takes
from support.releases import needs_release
from support.sessions import options_with
from support.sparse_models import ELEMENTS, sparse_output
from support.threads import run_threads

import ortcffi as ort
from ortcffi.session import pickling
from ortcffi.values.element_types import ValueKind


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


def test_each_input_and_output_has_the_device_of_its_provider(api):
    eps = takes(Add=lambda x: x + x), takes(Mul=np.multiply)
    ports = "x f4[2], y f4[2], z f4[2]", "u = Add x x; v = Mul u y", "u f4[2], v f4[2]"
    with ort.Session(graph_of(*ports), api=api, providers=eps) as session:
        for found in (session.input_devices, session.output_devices):
            assert [device.name for device in found[:2]] == [ep.name for ep in eps]
        assert session.input_devices[2] is None, "nothing reads it"


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


# --- other processes ------------------------------------------------------------------------------


def test_a_session_is_pickled_as_its_model_and_options(tmp_path, x):
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add((1, "n")))
    for source in (path, str(path), path.read_bytes(), memoryview(path.read_bytes())):
        config = {"session.disable_prepacking": "1"}
        with ort.SessionOptions(intra_op_threads=1, config=config) as options:
            options.fix_dimension("n", 4)
            session = ort.Session(source, options)
        with session, pickle.loads(pickle.dumps(session)) as again:
            assert again.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]
            assert again.inputs[0].shape == (1, 4)
            assert again._options.intra_op_threads == 1


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


def test_threads_that_ask_for_the_inputs_at_once_get_the_same(opened):
    session, found = opened(two_inputs()), []
    run_threads(*[lambda: found.append(session.inputs)] * 4)
    assert {id(each) for each in found} == {id(session.inputs)}


# --- sparse outputs -------------------------------------------------------------------------------


X = np.zeros(2, np.float32)


@pytest.mark.parametrize("where", [{}, {"providers": ["reference"]}], ids=["real", "core"])
def test_a_sparse_output_is_what_it_is(opened, where):
    session = opened(sparse_output(), **where)
    for _ in range(3):
        w, y = session.run({"x": X})
        assert w == ELEMENTS
        assert y.tolist() == [1, 1]
    assert session.run({"x": X}, ["w", "w"]) == [ELEMENTS] * 2


def test_a_sparse_output_is_a_sparse_value(opened):
    w, _ = opened(sparse_output()).run_values({"x": X})
    assert w.kind is ValueKind.SPARSE
    assert w.to_python() == ELEMENTS


# --- what they log --------------------------------------------------------------------------------


@pytest.fixture
def adding():
    """The name of a provider in Python that takes each node Add."""
    return ort.execution_provider("adding")(lambda: Takes(Add=np.add)).name


def of_two_operators() -> bytes:
    """A model whose node Double has an operator of its own."""
    nodes = "first: s = Add x y; second: twice = of.test.Double s; third: z = Add twice y"
    return graph_of("x f4[2], y f4[2]", nodes, "z f4[2]").to_bytes()


def options_with_double(api, **settings) -> ort.SessionOptions:
    """Options with an op that runs Double."""

    @ort.custom_op("of.test", inputs=["f4"], outputs=["f4"], name="Double")
    def double(x):
        return x * 2

    return options_with("of.test", double, api=api, **settings)


def messages(api, adding, **settings):
    """What a session logs while it is made."""
    said = []
    with options_with_double(api, logger=said.append, **settings) as options:
        ort.Session(of_two_operators(), options, api=api, providers=[adding]).close()
    return said


def test_a_verbose_session_says_which_provider_runs_which_nodes(api, adding):
    texts = [each.text for each in messages(api, adding, log_severity=ort.LogSeverity.VERBOSE)]
    begin = texts.index("Node placements")
    end = begin + 1 + sum("laced on" in text or text.startswith("  ") for text in texts[begin:])
    placed = [text for text in texts[begin:end] if "laced on" in text]
    assert " Node(s) placed on [adding]. Number of nodes: 2" in placed
    assert " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1" in placed
    assert "  Double (second)" in texts[begin:end]


def test_the_core_names_the_nodes_of_the_model_where_it_is_verbose(core_api, adding):
    said = messages(core_api, adding, log_severity=ort.LogSeverity.VERBOSE, log_id="mine")
    assert [each.text for each in said] == [
        "Node placements",
        " Node(s) placed on [adding]. Number of nodes: 2",
        "  Add (first)",
        "  Add (third)",
        " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1",
        "  Double (second)",
    ]
    assert {each.log_id for each in said} == {"mine"}
    assert messages(core_api, adding, log_severity=ort.LogSeverity.INFO) == []
    assert messages(core_api, adding) == []


def test_where_one_provider_has_all_nodes_it_alone_is_named(core_api, adding):
    graph, said = graph_of("x f4[2], y f4[2]", "z = Add x y", "z f4[2]"), []
    with ort.SessionOptions(core_api, logger=said.append, log_severity=0) as options:
        ort.Session(graph, options, providers=[adding]).close()
    assert said[-1].text == " All nodes placed on [adding]. Number of nodes: 1"


def test_without_a_logger_of_its_own_a_session_logs_where_its_environment_does(core_api, adding):
    said = []
    with (
        ort.Env("app", core_api, logger=said.append, severity=0),
        options_with_double(core_api) as options,
    ):
        ort.Session(of_two_operators(), options, providers=[adding]).close()
    assert {each.log_id for each in said if "laced on" in each.text} == {""}


def test_loading_that_is_cancelled_beforehand_fails(api, adding):
    with (
        options_with_double(api, loading_cancelled=True) as options,
        pytest.raises(ort.errors.ModelLoadCanceled, match="anceled due to user request"),
    ):
        ort.Session(of_two_operators(), options, api=api, providers=[adding])
