# SPDX-License-Identifier: MIT
"""`ortcffi top`: whatever ends the program, it ends as it would alone, and its table is written."""

import json
import os
import pty
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.official import MODEL
from support.processes import run, started, wait_for

LIMIT = 60  # seconds for what takes a few
RUNS = f"""
import os, signal, sys, time
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession({MODEL!r})
x = np.ones((3, 4, 5), np.float32)
for _ in range(3):
    session.run(None, {{"x": x}})
"""
READY = """
time.sleep(0.5)  # longer than between two looks
print("ready", flush=True)
"""


@contextmanager
def topped(folder, program, *command, prefix=()):
    """A program under `ortcffi top`, once it is ready; its report goes to report.json."""
    (folder / "program.py").write_text(RUNS + textwrap.dedent(program))
    words = [*prefix, sys.executable, "-m", "ortcffi", "top", "--json", "report.json", *command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started(*words, "program.py", cwd=folder, **pipes) as process:
        yield process


def sessions(folder: Path) -> list:
    return json.loads((folder / "report.json").read_text())["sessions"]


FORMS = pytest.mark.parametrize("command", [(), ("--", sys.executable)], ids=["program", "command"])


@FORMS
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT])
def test_a_signal_ends_the_program_and_the_report_is_written(tmp_path, command, number):
    with topped(tmp_path, READY + "while True: time.sleep(0.05)", *command) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + number
    assert [each["runs"] for each in sessions(tmp_path)] == [3]
    assert errors.startswith("session ")


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"])
def test_a_program_that_takes_a_signal_gets_it_once(tmp_path, name):
    takes = f"""
    def take(number, frame):
        print(signal.Signals(number).name, flush=True)
        time.sleep(0.3)
        sys.exit(7)
    signal.signal(signal.SIG{name}, take)
    print("ready", flush=True)
    while True:  # a signal just before a sleep does not end that sleep
        time.sleep(0.05)
    """
    with topped(tmp_path, takes) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(getattr(signal, f"SIG{name}"))
        output, _ = process.communicate(timeout=LIMIT)
    assert (output, process.returncode) == (f"SIG{name}\n", 7)
    assert [each["runs"] for each in sessions(tmp_path)] == [3]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", 137),
        ("os.abort()", 134),
        ("os._exit(3)", 3),
        ("raise KeyError", 1),
        ("sys.exit('text')", 1),
    ],
)
def test_a_report_is_written_however_the_program_ends(tmp_path, end, status):
    with topped(tmp_path, READY + end) as process:
        process.communicate(timeout=LIMIT)
    assert process.returncode == status
    assert [each["runs"] for each in sessions(tmp_path)] == [3]


def test_forks_tell_what_they_did_themselves_with_pid_and_sum(tmp_path):
    forks = """
    children = []
    for runs in (1, 2):
        if (child := os.fork()) == 0:
            for _ in range(runs):
                session.run(None, {"x": x})
            time.sleep(0.5)
            os._exit(0)
        children.append(child)
    if (idle := os.fork()) == 0:
        os._exit(0)
    for child in (*children, idle):
        os.waitpid(child, 0)
    print(os.getpid(), *children)
    """
    with topped(tmp_path, forks) as process:
        output, errors = process.communicate(timeout=LIMIT)
    found = {each["pid"]: each["runs"] for each in sessions(tmp_path)}
    assert found == dict(zip(map(int, output.split()), (3, 1, 2), strict=True))
    (total,) = json.loads((tmp_path / "report.json").read_text())["sums"]
    assert (total["pid"], total["runs"]) == (None, 6)
    header, *lines = errors.splitlines()[:5]
    assert header.split()[:3] == ["session", "pid", "runs"]
    assert {int(line.split()[2]) for line in lines[:3]} == set(found)
    assert lines[3].split()[0] == "sum"
    assert lines[3].split()[2:4] == ["-", "6"]


def test_ctrl_c_reaches_the_program_once(tmp_path):
    (tmp_path / "program.py").write_text(
        RUNS
        + "signal.signal(signal.SIGINT, lambda *_: print('interrupted', flush=True))\n"
        + "print('ready', flush=True)\nend = time.monotonic() + 2\n"
        + "while time.monotonic() < end: time.sleep(0.1)\n"
    )
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, [sys.executable, "-m", "ortcffi", "top", "program.py"])
    seen = b""
    while b"ready" not in seen:
        seen += os.read(terminal, 1 << 16)
    os.write(terminal, b"\x03")
    try:
        while more := os.read(terminal, 1 << 16):
            seen += more
    except OSError:  # how Linux tells that the other side is closed
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(wait_for(child)) == 0
    assert seen.count(b"interrupted") == 1
    assert b"\nsession " in seen


def test_the_first_process_of_a_container_passes_signals_on_and_reaps(tmp_path):
    container = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    if run(*container, "true", code=None).returncode:
        pytest.skip("no container can be made here")
    orphan = """
    if (child := os.fork()) == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.5)
    states = [open(f"/proc/{each}/stat").read().split()[2] for each in os.listdir("/proc")
              if each.isdecimal()]
    print(os.getppid(), states.count("Z"), flush=True)
    while True: time.sleep(0.05)
    """
    with topped(tmp_path, orphan, prefix=container) as process:
        assert process.stdout.readline() == "1 0\n"
        (first,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(first), signal.SIGTERM)
        process.communicate(timeout=LIMIT)
    assert process.returncode == 143
    assert [each["runs"] for each in sessions(tmp_path)] == [3]


def test_workers_of_gunicorn_are_reported_when_their_master_is_ended(tmp_path):
    pytest.importorskip("gunicorn")
    (tmp_path / "service.py").write_text(
        RUNS
        + "open(f'ready.{os.getpid()}', 'w').close()\n"
        + "def app(environ, start_response): start_response('200 OK', []); return [b'']\n"
    )
    server = "-m", "gunicorn", "-w", "2", "-b", "unix:socket", "service:app"
    with topped(tmp_path, "", "--", sys.executable, *server) as process:
        end = time.monotonic() + LIMIT
        while len(list(tmp_path.glob("ready.*"))) < 2:
            assert time.monotonic() < end
            time.sleep(0.1)
        process.terminate()
        process.communicate(timeout=LIMIT)
    assert process.returncode == 0
    found = sessions(tmp_path)
    assert [each["runs"] for each in found] == [3, 3]
    assert len({each["pid"] for each in found}) == 2
