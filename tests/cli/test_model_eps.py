# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info --eps`` says that installed providers take of a model."""

import json

import numpy as np
import pytest
from support import eps

import ortcffi as ort
from ortcffi.cli import ep_doctor, info
from ortcffi.ep.installed import InstalledEp


@pytest.fixture
def model(tmp_path):
    """Two Adds, of which one reads a value whose type only onnx knows."""
    graph = ort.Graph()
    graph.input("x", "f4", [3])
    graph.initializer("w", np.ones(3, np.float32))
    graph.node("Add", ["x", "w"], ["h"])
    graph.node("Relu", ["h"], ["r"])
    graph.node("Add", ["r", "x"], ["y"])
    graph.output("y", "f4", [3])
    graph.save(tmp_path / "model.onnx")
    return str(tmp_path / "model.onnx")


@pytest.fixture
def installed(monkeypatch, forks):  # noqa: ARG001  # the library is loaded in a fork
    """``installed(path)``: the one provider that is installed."""

    def install(path):
        ep = InstalledEp("mine", "a-package", str(path), {})
        monkeypatch.setattr(ep_doctor, "installed_eps", lambda: [ep])
        monkeypatch.setattr(ep_doctor, "ep_named", lambda _name: ep)

    return install


def test_the_nodes_that_one_takes_are_counted_with_types_from_onnx(
    model, installed, c_compiler, capsys
):
    pytest.importorskip("onnx")
    installed(eps.build(c_compiler, eps.ADDING))
    assert info.main([model, "--eps"]) == 0
    assert "mine: takes 2 nodes, not 1 Relu" in capsys.readouterr().out


def test_json_has_what_fails(model, installed, tmp_path, capsys):
    installed(tmp_path / "none.so")
    assert info.main([model, "--eps", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["execution_providers"]
    assert "none.so" in found["problem"]


def test_that_none_is_installed_is_said(model, monkeypatch, capsys):
    monkeypatch.setattr(ep_doctor, "installed_eps", list)
    assert info.main([model, "--eps"]) == 0
    assert "execution providers: none with a device here" in capsys.readouterr().out


def test_it_needs_a_model(capsys):
    with pytest.raises(SystemExit):
        info.main(["--eps"])
    assert "--eps needs a model" in capsys.readouterr().err
