# SPDX-License-Identifier: MIT
"""The benchmark runs and reports; how fast anything is, no test says."""

import sys

import pytest
from support import models
from support.processes import run

pytestmark = pytest.mark.xdist_group("bench")

ROWS = (
    "run",
    "run by a program of onnxruntime, unchanged",
    "run with arrays that are bound once",
    "run that is awaited",
)


def bench(*arguments, code=0, **changes):
    """Run the command in a process of its own: the drop-in keeps its environment."""
    command = [sys.executable, "-m", "ortcffi", "bench", *map(str, arguments)]
    return run(*command, code=code, **changes)


def test_every_row_is_measured_of_both_packages_however_short_the_time():
    pytest.importorskip("onnxruntime")
    lines = bench("--seconds", 0.2).stdout.splitlines()
    for title in ROWS:
        (line,) = [each for each in lines if each.startswith(f"{title}  ")]
        assert len(line.removeprefix(title).split()) == 9  # four times with units, and the ratio
        assert float(line.split()[-1]) > 0


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
    path = tmp_path / "two.onnx"
    path.write_bytes(models.two_inputs())
    options = "--threads=1", "--seconds=0.1", "--shape=a=5", "--size=5"
    done = bench(path, *options)
    assert "input a: int64[5]" in done.stdout
    assert all(f"\n{title}  " in done.stdout for title in ROWS)


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
