# SPDX-License-Identifier: MIT
"""Pictures of graphs: ``python -m ortcffi info model.onnx --graph picture.svg``."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from support import models

import ortcffi as ort
from ortcffi.cli.info import main
from ortcffi.models.drawing import svg_of

TEXT = "{http://www.w3.org/2000/svg}text"


def texts(svg):
    return [each.text for each in ET.fromstring(svg).iter(TEXT)]


def layers(count, before=()):
    """A network of layers, each of five nodes."""
    graph = ort.Graph()
    x = graph.input("x", "f4", ["n", 4])
    graph.initializer("w", np.ones((4, 4), np.float32))
    for op in before:
        (x,) = graph.node(op, [x], [f"{op}_"])
    for i in range(count):
        (a,) = graph.node("MatMul", [x, "w"], [f"a{i}"])
        (b,) = graph.node("Relu", [a], [f"b{i}"])
        (c,) = graph.node("Neg", [b], [f"c{i}"])
        (d,) = graph.node("Abs", [c], [f"d{i}"])
        (x,) = graph.node("Add", [d, x], [f"x{i}"])
    graph.output(x, "f4", ["n", 4])
    return graph


def test_a_small_graph_is_drawn_whole(tmp_path, capsys):
    (tmp_path / "model.onnx").write_bytes(models.scaled())
    picture = tmp_path / "picture.svg"
    assert main([str(tmp_path / "model.onnx"), "--graph", str(picture)]) == 0
    assert "inputs:" in capsys.readouterr().out
    found = texts(picture.read_text())
    assert found == ["x float[1, 4]", "w float[1, 4]", "Mul", "y float[1, 4]"]


def test_a_picture_needs_a_model(capsys):
    with pytest.raises(SystemExit):
        main(["--graph", "x.svg"])
    assert "--graph needs a model" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["model.onnx", "--graph", "model.png"])
    assert "a file that ends with .svg" in capsys.readouterr().err


def test_a_picture_that_was_not_drawn_leaves_no_file(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"no model")
    assert main([str(tmp_path / "model.onnx"), "--graph", str(tmp_path / "picture.svg")]) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["model.onnx"]


def test_no_edge_leads_upwards_and_each_box_is_below_what_it_reads():
    svg = ET.fromstring(svg_of(layers(20)))
    paths = [each.get("d") for each in svg.iter("{http://www.w3.org/2000/svg}path")]
    curves = [path for path in paths if "C" in path]
    assert len(curves) > 5
    for path in curves:
        start, end = path.split("C")
        assert float(start.split()[1]) < float(end.split()[-1])


def test_names_of_a_file_cannot_break_the_picture():
    evil = '</text><script>alert("x")</script>\x1b[2J\x00'.replace("\x00", "&")
    graph = ort.Graph()
    graph.input(evil, "f4", [evil])
    graph.node(f"Op{evil}", [evil], ["y"], name=evil, domain="my")
    graph.output("y", "f4", [1])
    svg = svg_of(graph)
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert any("script" in text for text in texts(svg))


def test_so_many_nodes_that_nobody_could_read_them_are_counted():
    graph = ort.Graph()
    x = graph.input("x", "f4", [1])
    chance = np.random.default_rng(0)
    for i in range(1000):
        (x,) = graph.node(f"Op{chance.integers(500)}", [x], [f"y{i}"], domain="my")
    found = texts(svg_of(graph))
    assert found[-1].endswith("more nodes are not drawn")
    assert len(found) < 620
