# SPDX-License-Identifier: MIT
"""The table of `ortcffi top`: what fits into a terminal, and the view that is drawn each second."""

import os
import pty
import select
import signal
import sys
import termios
import time
from collections import Counter

import pytest
from support.official import MODEL
from support.processes import TIME_LIMIT, wait_for

from ortcffi._public import size
from ortcffi.cli.top_live import Rates, frame
from ortcffi.memory.stats import AllocatorStats
from ortcffi.official.recording import Recorder
from ortcffi.official.records import Sample, SessionRecord
from ortcffi.official.report import as_table, shortened

BEGIN, END = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"
PROGRAM = f"""
import time
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession({MODEL!r})
while True:
    session.run(None, {{"x": np.ones((3, 4, 5), np.float32)}})
    time.sleep(0.01)
"""


def busy_session() -> SessionRecord:
    """A session each of whose figures is long."""
    figures = {"InUse": 999 << 20, "MaxInUse": 1023 << 10, "Limit": 123 << 30, "NumAllocs": 123456}
    record = SessionRecord(
        "/srv/a/folder/with/a/long/name/and/another/one/model.onnx",
        durations=[0] * 80 + [1234564],
        failures=3,
        total_seconds=123456.0,
        seen=60.0,
        messages=Counter(WARNING=12, INFO=3),
        stats=AllocatorStats._from({name: str(n) for name, n in figures.items()}),
    )
    assert record.runs == 1234567
    return record


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [80, 100, 200])
def test_lines_of_sessions_fit_the_terminal(width):
    lines = as_table([busy_session()] * 12, width).splitlines()[:13]
    assert {len(line) for line in lines} == {min(width, len(lines[0]))}
    assert len(lines[0]) > 70
    assert all(".onnx" in line for line in lines[1:])


def test_a_narrow_terminal_cuts_lines_rather_than_wraps_them():
    lines = as_table([busy_session()], 40).splitlines()[:2]
    assert {len(line) for line in lines} == {40}


def test_messages_are_counted_by_the_letters_of_log_lines():
    assert as_table([busy_session()]).splitlines()[1].endswith("3I 12W")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "-"),
        (-1, "-"),
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KB"),
        (12 << 20, "12.0 MB"),
        (5 << 40, "5120 GB"),
    ],
)
def test_a_size_has_three_or_four_digits(number, text):
    assert size(number) == text


@pytest.mark.parametrize(("width", "text"), [(9, "name.onnx"), (8, "…me.onnx"), (1, "…")])
def test_a_long_name_keeps_its_end(width, text):
    assert shortened("name.onnx", width) == text


# --- the view -------------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [1, 2, 10, 24])
def test_a_frame_fits_the_terminal(height):
    recorder = Recorder()
    recorder.records += [busy_session()] * 30
    lines = frame(recorder, "program.py", 80, height)
    assert len(lines) == height
    assert max(map(len, lines)) <= 80
    assert lines[-1].endswith("more lines")


def test_the_view_tells_the_runs_since_the_frame_before(monkeypatch):
    clock = iter([0.0, 2.0, 3.0, 3.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    recorder = Recorder()
    first, second = SessionRecord("first.onnx"), SessionRecord("second.onnx", began=2.0)
    rates = Rates(recorder)
    recorder.records.append(first)
    first.failures = 10
    assert rates.read() == [5.0]
    recorder.records.append(second)
    first.failures, second.failures = 17, 3
    assert rates.read() == [7.0, 3.0]
    lines = as_table(recorder.records, rates=[7.0]).splitlines()
    assert [line.split()[3] for line in lines[1:3]] == ["7.00", "0.00"]
    assert rates.read() == [0.0, 0.0]


def test_a_frame_without_sessions_says_so():
    assert frame(Recorder(), "program.py", 80, 24)[1:] == ["no session yet"]


def read_until(terminal: int, sign: bytes | None) -> bytes:
    """What comes from a terminal until it has a sign, or, without one, until it is closed."""
    text, end = b"", time.monotonic() + TIME_LIMIT
    while sign is None or sign not in text:
        ready, _, _ = select.select([terminal], [], [], max(end - time.monotonic(), 0))
        assert ready, f"nothing more comes after {text!r}"
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:  # how Linux tells that the other side is closed
            more = b""
        if not more:
            return text
        text += more
    return text


def test_ctrl_c_ends_the_program_and_gives_the_terminal_back(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    arguments = [sys.executable, "-m", "ortcffi", "top", "--live", str(tmp_path / "program.py")]
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, arguments)
    status = None
    try:
        termios.tcsetwinsize(terminal, (24, 80))
        seen = read_until(terminal, b"sigmoid.onnx")
        os.write(terminal, b"\x03")
        seen += read_until(terminal, None)
        status = wait_for(child)
    finally:
        if status is None:
            os.kill(child, signal.SIGKILL)
            wait_for(child)
        os.close(terminal)
    assert seen.startswith(BEGIN)
    assert seen.count(BEGIN) == seen.count(END) == 1
    assert b"\x1b[2J" not in seen  # which flickers
    after = seen.partition(END)[2].decode()
    assert after.startswith("session ")
    assert "sigmoid.onnx" in after
    assert os.waitstatus_to_exitcode(status) == 128 + 2


# --- what grows -----------------------------------------------------------------------------------


def sampled(*arenas):
    """A session with a look at its arena after each hundredth run: bytes in use and held."""
    record = SessionRecord("model.onnx")
    record.samples = [Sample(n, *arena, 100 * n) for n, arena in enumerate(arenas)]
    return record


def test_what_the_first_runs_need_is_no_growth():
    record = sampled((1, 1), *[(4 << 20, 8 << 20)] * 9)
    assert record.growth() is None
    assert as_table([record]).count("\n") == 2


def test_outputs_that_are_kept_differ_from_an_arena_that_grows():
    mb = 1 << 20
    kept = sampled(*[(n * mb, 2 * n * mb) for n in range(1, 11)])
    grows = sampled(*[(mb, 2 * n * mb) for n in range(1, 11)])
    report = as_table([kept, grows])
    assert "session 1: memory in use grew from 6.00 MB to 8.00 MB in the last half" in report
    assert "of the runs: the program keeps outputs" in report
    assert "session 2: the arena grew from 14.0 MB to 20.0 MB in the last half" in report


def test_memory_that_a_run_uses_is_not_kept():
    mb = 1 << 20
    record = sampled(*[(mb if n % 2 else 5 * mb, 8 * mb) for n in range(20)])
    assert record.growth() is None
