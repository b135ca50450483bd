# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info model.onnx`` tells of a model."""

import contextlib
import json
import re

import pytest
from support import models

import ortcffi as ort
from ortcffi.cli import check, doctor, info, run
from ortcffi.cli.info import main
from ortcffi.models.contents import contents_of


@pytest.fixture
def model(tmp_path):
    content = models.model(
        [models.node("Mul", "x w", "y")],
        [models.value("x", shape=("batch", 4)), models.value("w", shape=(1, 4))],
        [models.value("y", shape=("batch", 4))],
        [models.tensor("w", models.np.ones((1, 4), models.np.float32))],
        metadata={"author": "a b"},
        facts=models.field(2, "maker") + models.field(5, 7),
    )
    path = tmp_path / "scaled.onnx"
    path.write_bytes(content)
    return path


def test_text_tells_what_the_model_wants_gives_and_says(model, capsys):
    assert main([str(model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:7] == [
        f"model: {model}",
        "inputs:",
        "  x: float[batch, 4]",
        "outputs:",
        "  y: float[batch, 4]",
        "overridable initializers:",
        "  w: float[1, 4]",
    ]
    assert {"  producer name: maker", "  version: 7", "  'author': 'a b'"} < set(lines)


def test_json_has_the_same_facts(model, capsys):
    assert main([str(model), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["inputs"] == [
        {
            "name": "x",
            "type": "float[batch, 4]",
            "kind": "tensor",
            "element_type": "float",
            "shape": ["batch", 4],
        }
    ]
    assert [port["name"] for port in facts["overridable initializers"]] == ["w"]
    assert facts["metadata"]["custom"] == {"author": "a b"}


def test_a_model_without_overridable_initializers_has_none(tmp_path, capsys):
    (tmp_path / "add.onnx").write_bytes(models.add())
    assert main([str(tmp_path / "add.onnx")]) == 0
    assert "overridable initializers: none\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content"), [("no.onnx", None), ("empty.onnx", b""), ("text.onnx", b"not a model")]
)
def test_what_is_no_model_is_one_line_and_an_exit_code(tmp_path, capsys, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main([str(tmp_path / name)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("python -m ortcffi info: ")
    assert name in error


def test_the_file_tells_its_operator_sets_nodes_and_parameters(tmp_path, capsys):
    path = tmp_path / "loop.onnx"
    content = models.loop(3, 4)
    path.write_bytes(content)
    assert main([str(path)]) == 0
    printed = capsys.readouterr().out
    assert f"file: {len(content)} bytes, IR version 8\nopsets: ai.onnx 17\n" in printed
    assert "nodes: 3 (" in printed  # two of them in the body of the loop
    assert "1 Loop" in printed
    assert "parameters: 18 (" in printed
    assert "version" not in printed.split("metadata:")[1]
    assert main([str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["file"]["opsets"] == {"ai.onnx": 17}
    assert found["metadata"]["version"] is None


def test_the_counts_are_those_of_the_package_onnx():
    onnx = pytest.importorskip("onnx")
    for content in (models.scaled(), models.matmul(), models.two_inputs(), models.sines(30)):
        facts, model = contents_of(ort.Model.load(content)), onnx.load_from_string(content)
        weights = [onnx.numpy_helper.to_array(each) for each in model.graph.initializer]
        assert facts.nodes == len(model.graph.node)
        assert facts.parameters == sum(each.size for each in weights)
        assert facts.parameter_bytes == sum(each.nbytes for each in weights)


def test_files_with_weights_that_are_missing_are_named(tmp_path, capsys):
    path, graph = tmp_path / "model.onnx", ort.Graph()
    graph.initializer("w", models.np.ones((100, 10), "f2"))
    graph.node("Identity", ["w"], ["t"])
    graph.node("Neg", ["t"], ["y"])
    graph.output("y", "f2", [100, 10])
    graph.save(path, external_data=100)
    assert main([str(path)]) == 0
    printed = capsys.readouterr().out
    assert "parameters: 1,000 (1.95 KB)\nexternal file: model.onnx.data (2,000 bytes)\n" in printed
    assert "values without a type: 1\n" in printed
    (tmp_path / "model.onnx.data").write_bytes(b"short")
    assert main([str(path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["file"]
    assert facts["external_files"] == {"model.onnx.data": 2000}
    assert facts["missing_files"] == ["model.onnx.data"]


def test_a_tensor_that_does_not_say_its_length_needs_its_elements(tmp_path):
    onnx = pytest.importorskip("onnx")
    tensors = [onnx.TensorProto(name=name, data_type=22, dims=[3]) for name in ("v", "w")]  # INT4
    tensors[0].raw_data = b"\x21\x03"
    tensors[1].data_location = onnx.TensorProto.EXTERNAL
    tensors[1].external_data.add(key="location", value="w.bin")
    tensors[1].external_data.add(key="offset", value="64")
    graph = onnx.helper.make_graph([], "g", [], [], tensors)
    onnx.save(onnx.helper.make_model(graph), tmp_path / "model.onnx")
    facts = contents_of(ort.Model.load(tmp_path / "model.onnx"))
    assert facts.external_files == {"w.bin": 66}
    assert (facts.parameters, facts.parameter_bytes) == (6, 4)


@pytest.mark.parametrize("place", ["../secret", "{folder}/secret", "link", "short"])
def test_weights_that_no_library_reads_are_missing(tmp_path, place):
    onnx = pytest.importorskip("onnx")
    (tmp_path / "secret").write_bytes(bytes(64))
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "link").symlink_to("../secret")
    (folder / "short").write_bytes(bytes(64))
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[4], data_location=1)
    entries = {
        "location": place.format(folder=tmp_path),
        "length": "8" if place == "short" else "16",
    }
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    graph = onnx.helper.make_graph([], "g", [], [], [tensor])
    onnx.save(onnx.helper.make_model(graph), folder / "model.onnx")
    facts = contents_of(ort.Model.load(folder / "model.onnx"))
    assert facts.missing_files == list(facts.external_files) == [entries["location"]]


EVIL = "x\x1b]0;owned\x07\ninputs:\r\u202e\x9b31m"  # a title, a forged line, a turn to the left


def test_what_a_model_says_cannot_reach_the_terminal(tmp_path, capsys):
    path = tmp_path / "evil.onnx"
    inputs = [models.value("x\x1b[1A", shape=["\x1b[2J", 4]), models.value(EVIL)]
    node = models.node("Identity", "x\x1b[1A", "y\x1b[1A")
    path.write_bytes(models.model([node], inputs, [models.value("y\x1b[1A")]))
    for command in (info.main, run.main):
        command([str(path)])
        printed = capsys.readouterr()
        for text in (printed.out, printed.err):
            assert text.replace("\n", "").isprintable()
        assert "\\x1b]0;owned\\x07\\ninputs:\\r\\u202e\\x9b31m" in printed.out


def test_the_name_of_a_file_cannot_reach_the_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(doctor, "installed_eps", list)  # whose processes have other names
    path = tmp_path / "evil\x1b[2J\nok.so"
    path.write_bytes(b"no library")
    for command in (check.main, doctor.main, info.main, run.main):
        with contextlib.suppress(SystemExit):
            command([str(path)])
        printed = capsys.readouterr()
        assert (printed.out + printed.err).replace("\n", "").isprintable()
        # Python escapes what the core, which must not make a text longer, has as a question mark.
        assert re.search(r"evil(\\x1b|\?)\[2J", printed.out + printed.err)


def test_long_texts_and_lists_of_a_model_are_shortened_for_people(tmp_path, capsys):
    graph = ort.Graph()
    long = "n" * 100_000
    for i in range(100):
        graph.input(f"{long}{i}", "f4", [f"d{long}", *range(1000)])
    graph.node("Relu", [f"{long}0"], ["y"])
    graph.output("y", "f4", None)
    model = ort.Model.load(graph.to_bytes())
    custom = {f"{i} {long}": "line\n" * 6600 for i in range(100)}
    path = tmp_path / "long.onnx"
    edited = model.edit()
    edited.metadata.update(custom)
    edited.description = long
    edited.save(path)
    assert info.main([str(path)]) == 0
    printed = capsys.readouterr().out
    assert len(printed) < 20_000
    assert "80 more" in printed
    info.main([str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["metadata"]["custom"] == custom
    assert len(repr(model)) + len(repr(model.graph)) + len(repr(graph)) < 3000
    assert len(repr(model.graph.inputs[0])) < 1000


def test_errors_about_long_names_are_short_and_harm_no_terminal():
    name = "n\x1b[2J" * 10_000
    graph = ort.Graph()
    x = graph.input(name, "f4", [2])
    graph.node("Relu", [x], ["y"])
    graph.output("y", "f4", [2])
    errors = []
    for cause in (
        lambda: graph.output("y", "f4", [2]),
        lambda: graph.copy().extract([name + "!"], ["y"]),
        lambda: ort.Model.load(graph.to_bytes()).graph[name + "!"],
        lambda: graph.rename({name: "y"}),
    ):
        with pytest.raises((ValueError, LookupError, TypeError)) as raised:
            cause()
        errors.append(str(raised.value))
    for text in errors:
        assert len(text) < 1000
        assert text.isprintable()


def test_the_text_of_an_error_of_a_library_harms_no_terminal():
    error = ort.errors.Fail("a\x1b]0;b\x07\nc\x9b", "Run")
    assert str(error) == "a\\x1b]0;b\\x07\nc\\x9b"
    assert error.message == "a\x1b]0;b\x07\nc\x9b"
    assert len(str(ort.errors.Fail("a" * 100_000, "Run"))) < 5000


def test_messages_of_the_core_harm_no_terminal():
    graph = ort.Graph()
    x = graph.input("x", "f4", [2])
    graph.node("\x1b[2J\x9bNone", [x], ["y"])
    graph.output("y", "f4", [2])
    with pytest.raises(ort.errors.OrtError) as raised:
        ort.Session(graph.to_bytes(), api=ort.core_api())
    assert "None" in raised.value.message
    assert raised.value.message.replace("\n", "").isprintable()
