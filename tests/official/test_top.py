# SPDX-License-Identifier: MIT
"""`ortcffi top`: what a program's official sessions do, while the program sees no difference."""

import json
import os
import sys
import textwrap
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.processes import run
from support.releases import needs_release

onnxruntime = pytest.importorskip("onnxruntime")
MODEL = str(Path(onnxruntime.__file__).parent / "datasets/sigmoid.onnx")
PROGRAM = f"""
import sys
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession({MODEL!r})
for _ in range(3):
    session.run(None, {{"x": np.ones((3, 4, 5), np.float32)}})
try:
    session.run(None, {{"x": np.ones(2, np.float32)}})
except Exception as error:
    print(type(error).__name__)
print(__name__, sys.argv[1:])
sys.exit(7)
"""


def top(*arguments: str | Path, folder: Path) -> CompletedProcess[str]:
    command = [sys.executable, "-m", "ortcffi", "top", *map(str, arguments)]
    return run(*command, code=None, cwd=folder)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_program_runs_as_it_would_by_itself(program, tmp_path):
    done = top(program, "--flag", "value", folder=tmp_path)
    assert done.stdout == "InvalidArgument\n__main__ ['--flag', 'value']\n"
    assert done.returncode == 7


def test_the_table_has_a_line_for_each_session(program, tmp_path):
    lines = top(program, folder=tmp_path).stderr.splitlines()
    assert lines[0].split()[:3] == ["session", "runs", "mean"]
    assert lines[1].startswith("1 ")
    assert "sigmoid.onnx" in lines[1]
    assert lines[1].split()[2] == "4"
    assert "session 1: 1 of 4 runs failed" in lines


@needs_release(23, "figures of allocators")
def test_the_report_as_json_has_runs_and_figures(program, tmp_path):
    top("--json", "report.json", program, folder=tmp_path)
    (session,) = json.loads((tmp_path / "report.json").read_text())["sessions"]
    assert session["model"] == MODEL
    assert (session["runs"], session["failures"]) == (4, 1)
    assert session["worst_seconds"] > 0
    assert int(session["stats"]["MaxInUse"]) > 0
    assert session["problem"] == ""


def test_a_picture_is_drawn(program, tmp_path):
    pytest.importorskip("matplotlib")
    top("--svg", "arenas.svg", program, folder=tmp_path)
    assert "<svg" in (tmp_path / "arenas.svg").read_text()


def test_a_module_runs_as_the_main_one(program, tmp_path):
    done = top("-m", program.stem, "x", folder=tmp_path)
    assert done.stdout.endswith("__main__ ['x']\n")
    assert done.returncode == 7


def test_a_command_that_starts_python_is_recorded(program, tmp_path):
    done = top("--json", "report", "--", sys.executable, program, "--", folder=tmp_path)
    assert done.returncode == 7
    assert done.stdout.endswith("__main__ ['--']\n")
    (report,) = tmp_path.glob("report.*")
    assert json.loads(report.read_text())["sessions"][0]["runs"] == 4


def test_a_hidden_sitecustomize_still_runs(program, tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("print('customized')\n")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    done = top("--", sys.executable, program, folder=tmp_path)
    assert done.stdout.startswith("customized\n")


@needs_release(21, "objects whose contents are reached")
def test_log_messages_are_counted_and_still_written(tmp_path):
    program = tmp_path / "logs.py"
    program.write_text(
        textwrap.dedent(f"""
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 1
        onnxruntime.InferenceSession({MODEL!r}, options)
        """)
    )
    done = top("--json", "-", program, folder=tmp_path)
    (session,) = json.loads(done.stdout)["sessions"]
    assert session["messages"]["INFO"] > 0
    assert done.stderr.count("[I:onnxruntime:") == session["messages"]["INFO"]


def test_a_program_without_sessions_is_told(tmp_path):
    program = tmp_path / "empty.py"
    program.write_text("print('done')\n")
    done = top(program, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "made no session of the official package" in done.stderr


def test_an_exception_of_the_program_is_shown_as_usual(tmp_path):
    program = tmp_path / "raises.py"
    program.write_text("raise KeyError('mine')\n")
    done = top(program, folder=tmp_path)
    assert done.returncode == 1
    assert "KeyError: 'mine'" in done.stderr


def test_a_session_that_was_dropped_stays_in_the_report(tmp_path):
    program = tmp_path / "drops.py"
    program.write_text(
        f"import onnxruntime\nfor _ in range(3): onnxruntime.InferenceSession({MODEL!r})\n"
    )
    done = top("--json", "-", program, folder=tmp_path)
    sessions = json.loads(done.stdout)["sessions"]
    assert [each["is_open"] for each in sessions] == [False] * 3


def test_no_program_is_an_error(tmp_path):
    done = top(folder=tmp_path)
    assert done.returncode == 2
    assert "no program was given" in done.stderr
