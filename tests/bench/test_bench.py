# SPDX-License-Identifier: MIT
"""The benchmark runs and reports; how fast anything is, no test says."""

import json
import sys

import pytest
from support import models
from support.processes import run

from ortcffi.bench import report, turns
from ortcffi.bench.rows import Row
from ortcffi.bench.turns import Figures, measure

pytestmark = pytest.mark.xdist_group("bench")

ROWS = ["run", "drop-in", "bound", "awaited"]


def bench(*arguments, code=0, **changes):
    """Run the command in a process of its own: the drop-in keeps its environment."""
    command = [sys.executable, "-m", "ortcffi", "bench", *map(str, arguments)]
    return run(*command, code=code, **changes)


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """One short run: what it wrote, and its JSON."""
    pytest.importorskip("onnxruntime")
    path = tmp_path_factory.mktemp("bench") / "figures.json"
    done = bench("--seconds", 0.2, "--json", path)
    return done.stdout, json.loads(path.read_text())


def test_every_row_is_measured_of_both_packages_however_short_the_time(short):
    text, figures = short
    assert [row["name"] for row in figures["rows"]] == ROWS
    for row in figures["rows"]:
        assert f"\n{row['title']}  " in text
        for package in ("onnxruntime", "ortcffi"):
            assert 0 < row[package]["p50"] <= row[package]["p99"]
            assert row[package]["calls"] >= 1


WITHOUT = """
import sys
sys.modules["onnxruntime"] = None
from ortcffi.__main__ import main
sys.exit(main(["bench", "--seconds=0.1"]))
"""


@pytest.mark.usefixtures("real_api")
def test_without_the_official_package_this_one_is_measured_alone():
    text = run(sys.executable, "-c", WITHOUT).stdout
    assert "onnxruntime is not installed: ortcffi is measured alone" in text
    assert "\nrun  " in text


def test_a_model_is_measured_in_all_ways(tmp_path):
    path, file = tmp_path / "two.onnx", tmp_path / "figures.json"
    path.write_bytes(models.two_inputs())
    options = "--threads=1", "--seconds=0.1", "--shape=a=5", "--size=5", "--json", file
    done = bench(path, *options)
    assert "input a: int64[5]" in done.stdout
    figures = json.loads(file.read_text())
    assert figures["model"] == str(path)
    assert [row["name"] for row in figures["rows"]] == ROWS


def test_a_model_that_cannot_be_measured_is_one_line(tmp_path):
    done = bench(tmp_path / "no.onnx", code=1)
    assert "no.onnx" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_shape_that_does_not_fit_is_one_line(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(models.scaled())
    done = bench(path, "--shape", "x=3", code=1)
    assert "input 'x' is float[3] with 1 dimensions" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_file_that_cannot_be_written_is_found_before_anything_is_measured(tmp_path):
    done = bench("--json", tmp_path, code=2)
    assert f"{tmp_path} cannot be written: it is a folder" in done.stderr
    assert done.stdout == ""


# --- the measurement ------------------------------------------------------------------------------


def test_a_processor_that_is_shared_counts_as_busy(monkeypatch):
    monkeypatch.setattr(turns, "_spin", lambda: (1.0, 0.75))
    _, busy = measure({"a": turns.calls(int)}, 1e-9, 0)
    assert busy == 0.25


def nothing(samples, count):
    return [1.0] * samples * count


def result(ours, theirs):
    row = Row("run", "run", nothing, nothing)
    return report.Result(row, Figures(ours, ours, 1), theirs and Figures(theirs, theirs, 1))


def test_a_busy_machine_is_one_line():
    (said,) = report.summary([result(2e-6, None)], False, 0.4)
    assert "too busy" in said
    assert "40%" in said
