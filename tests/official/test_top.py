# SPDX-License-Identifier: MIT
"""`ortcffi top`: what a program's official sessions do, while the program sees no difference."""

import json
import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from support.official import MODEL
from support.processes import run
from support.releases import needs_release

from ortcffi.cli import top as command
from ortcffi.official.records import SessionRecord
from ortcffi.official.report import as_table

IN_ONE_PROCESS = pytest.mark.xdist_group("a recorded program")
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


def top(*arguments: str | Path, folder: Path) -> Any:
    command = [sys.executable, "-m", "ortcffi", "top", *map(str, arguments)]
    return run(*command, code=None, cwd=folder)


def ran(folder: Path, text: str, *options: str) -> Any:
    """What is printed where the lines run as a program, whose sessions the report tells."""
    (folder / "program.py").write_text(textwrap.dedent(text))
    return top(*options, folder / "program.py", folder=folder)


def sessions_of(done: Any) -> Any:
    return json.loads(done.stdout)["sessions"]


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """What the program printed under `ortcffi top`, and its report."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "program.py").write_text(PROGRAM)
    done = top("--json", "report.json", "program.py", "--flag", "value", folder=folder)
    return done, json.loads((folder / "report.json").read_text())["sessions"]


@IN_ONE_PROCESS
def test_a_program_runs_as_it_would_by_itself(recorded):
    done = recorded[0]
    assert done.stdout == "InvalidArgument\n__main__ ['--flag', 'value']\n"
    assert done.returncode == 7


@IN_ONE_PROCESS
def test_the_table_has_a_line_for_each_session(recorded):
    lines = recorded[0].stderr.splitlines()
    assert lines[0].split()[:5] == ["session", "runs", "runs/s", "p50", "p99"]
    assert lines[1].startswith("1 ")
    assert "sigmoid.onnx" in lines[1]
    assert lines[1].split()[2] == "4"
    assert "session 1: 1 of 4 runs failed" in lines


@IN_ONE_PROCESS
@needs_release(23, "statistics of allocators")
def test_the_report_as_json_has_runs_and_figures(recorded):
    (session,) = recorded[1]
    assert session["model"] == MODEL
    assert (session["runs"], session["failures"]) == (4, 1)
    assert 0 < session["p50_seconds"] <= session["p99_seconds"] <= session["worst_seconds"]
    assert session["runs_per_second"] > 0
    assert session["kind"] == "official"
    assert int(session["stats"]["MaxInUse"]) > 0
    assert session["problem"] == ""


def test_a_module_runs_as_the_main_one(program, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    done = top("-m", program.stem, "x", folder=tmp_path)
    assert done.stdout.endswith("__main__ ['x']\n")
    assert done.returncode == 7


def test_a_command_that_starts_python_is_recorded(program, tmp_path):
    done = top("--json", "report", "--", sys.executable, program, "--", folder=tmp_path)
    assert done.returncode == 7
    assert done.stdout.endswith("__main__ ['--']\n")
    report = tmp_path / "report"
    assert json.loads(report.read_text())["sessions"][0]["runs"] == 4


def test_the_report_of_a_command_may_go_to_stdout(program, tmp_path):
    done = top("--json", "-", "--", sys.executable, program, folder=tmp_path)
    report = done.stdout[done.stdout.index("{") :]
    assert json.loads(report)["sessions"][0]["runs"] == 4
    assert not list(tmp_path.glob("-*"))


def test_a_hidden_sitecustomize_still_runs(program, tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("print('customized')\n")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    done = top("--", sys.executable, program, folder=tmp_path)
    assert done.stdout.startswith("customized\n")


@needs_release(21, "objects whose contents are reached")
def test_log_messages_are_counted_and_still_written(tmp_path):
    text = f"""
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 1
        onnxruntime.InferenceSession({MODEL!r}, options)
    """
    done = ran(tmp_path, text, "--json", "-")
    (session,) = sessions_of(done)
    assert session["messages"]["INFO"] > 0
    assert done.stderr.count("[I:onnxruntime:") == session["messages"]["INFO"]


FORKS = """
    import os, sys
    if (child := os.fork()) == 0: sys.exit(0)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("text", ["print('done')", FORKS], ids=["plain", "forks"])
def test_a_program_without_sessions_is_reported_once_and_not_by_a_fork(tmp_path, text):
    done = ran(tmp_path, text)
    assert (done.returncode, done.stdout) == (0, "" if text == FORKS else "done\n")
    assert done.stderr.count("made no session") == 1


@pytest.mark.parametrize("error", ["KeyError('mine')", "FileNotFoundError('mine')"])
def test_an_exception_of_the_program_is_shown_as_usual(tmp_path, error):
    done = ran(tmp_path, f"raise {error}\n")
    assert done.returncode == 1
    shown = done.stderr[: done.stderr.index(": 'mine'" if "Key" in error else ": mine")]
    assert shown.splitlines()[:2] == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path / "program.py"}", line 1, in <module>',
    ]


def test_a_module_that_is_not_there_is_an_error(tmp_path):
    done = top("-m", "missing", folder=tmp_path)
    assert done.returncode == 1
    assert "No module named missing" in done.stderr


def test_a_program_that_does_not_compile_is_shown_as_python_does(tmp_path):
    done = ran(tmp_path, "1 +\n")
    assert done.returncode == 1
    assert done.stderr.startswith(f'  File "{tmp_path / "program.py"}", line 1\n')


@pytest.mark.parametrize("is_command", [False, True])
def test_files_are_written_where_the_command_began(tmp_path, is_command):
    (tmp_path / "other").mkdir()
    program = tmp_path / "leaves.py"
    program.write_text(
        f"import os, onnxruntime\nonnxruntime.InferenceSession({MODEL!r})\nos.chdir('other')\n"
    )
    if is_command:
        top("--json", "report.json", "--", sys.executable, program, folder=tmp_path)
    else:
        top("--json", "report.json", program, folder=tmp_path)
    assert len(list(tmp_path.glob("report.json*"))) == 1


@needs_release(21, "objects whose contents are reached")
def test_a_session_that_was_dropped_stays_in_the_report(tmp_path):
    text = f"import onnxruntime\nfor _ in range(3): onnxruntime.InferenceSession({MODEL!r})\n"
    found = sessions_of(ran(tmp_path, text, "--json", "-"))
    assert [each["is_open"] for each in found] == [False] * 3


@needs_release(21, "objects whose contents are reached")
def test_a_session_whose_providers_are_set_is_followed(tmp_path):
    text = f"""
        import time
        import numpy as np
        import onnxruntime
        session = onnxruntime.InferenceSession({MODEL!r})
        for _ in range(3):
            session.set_providers(["CPUExecutionProvider"])
            filled = [np.ones(1000 + n) for n in range(200)]  # where the session before was
            session.run(None, {{"x": np.ones((3, 4, 5), np.float32)}})
            time.sleep(0.3)  # longer than between two looks
    """
    done = ran(tmp_path, text, "--json", "-")
    assert done.returncode == 0, done.stderr
    (session,) = sessions_of(done)
    assert (session["runs"], session["problem"]) == (3, "")
    assert session["stats"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "no program was given"),
        (["--json", "/no such folder/x.json", "program.py"], "cannot be written"),
        (["--json", "/tmp", "program.py"], "/tmp cannot be written: it is a folder"),
    ],
)
def test_a_wrong_command_line_is_an_error(arguments, error, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert error in capsys.readouterr().err


# --- sessions of this package ---------------------------------------------------------------------

THREE = f"""
import gc
import numpy as np
import onnxruntime
import ortcffi as ort
import ortcffi.compat as compat
x = np.ones((3, 4, 5), np.float32)
official = onnxruntime.InferenceSession({MODEL!r})
official.run(None, {{"x": x}})
drop_in = compat.InferenceSession({MODEL!r})
for _ in range(2):
    drop_in.run(None, {{"x": x}})
with ort.Session({MODEL!r}) as closed:
    for _ in range(3):
        closed.run(x=x)
dropped = ort.Session({MODEL!r})
for _ in range(4):
    dropped.run(x=x)
try:
    dropped.run(x=x, options=3)
except TypeError:
    pass
del dropped
in_a_cycle = ort.Session({MODEL!r})
for _ in range(5):
    in_a_cycle.run(x=x)
ring = [in_a_cycle]
ring.append(ring)
del in_a_cycle, ring
gc.collect()
"""


def test_sessions_of_all_three_kinds_are_seen_to_their_end(tmp_path):
    (tmp_path / "three.py").write_text(THREE)
    done = top("--json", "report.json", "three.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    sessions = json.loads((tmp_path / "report.json").read_text())["sessions"]
    found = sorted((each["kind"], each["runs"], each["failures"]) for each in sessions)
    assert found == [
        ("Session", 3, 0),
        ("Session", 5, 0),
        ("Session", 5, 1),
        ("drop-in", 2, 0),
        ("official", 1, 0),
    ]
    assert not [each for each in sessions if each["kind"] == "Session" and each["is_open"]]
    assert all(each["p99_seconds"] > 0 for each in sessions)
    assert all(each["runs_per_second"] * each["total_seconds"] <= each["runs"] for each in sessions)
    assert {each["model"] for each in sessions} == {MODEL}
    assert done.stderr.count("(Session)") == 3
    assert done.stderr.count("(drop-in)") == 1


def test_a_command_that_a_signal_ends_has_the_exit_status_of_shells(tmp_path):
    assert top("--", "sh", "-c", "kill -9 $$", folder=tmp_path).returncode == 137


def test_names_of_models_are_escaped_before_the_table_is_aligned():
    records = [SessionRecord("m.onnx"), SessionRecord("\x1b[2J\n.onnx", kind="Session")]
    header, *lines = as_table(records).splitlines()
    assert {len(line) for line in lines} == {len(header)}
    assert r"\x1b[2J\n.onnx (Session)" in lines[1]


def test_the_drop_in_under_the_official_name_is_counted_once(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    installed = "from ortcffi.compat import install; install()\n"
    (tmp_path / "installed.py").write_text(installed + PROGRAM)
    done = top("--json", "report.json", "installed.py", folder=tmp_path)
    (session,) = json.loads((tmp_path / "report.json").read_text())["sessions"]
    assert (session["kind"], session["runs"]) == ("drop-in", 4)
    assert done.returncode == 7
