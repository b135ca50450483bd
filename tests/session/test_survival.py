# SPDX-License-Identifier: MIT
"""What breaks sessions elsewhere: files that are no models, races, loggers that raise."""

import os
import sys
import threading

import numpy as np
import pytest
from support import models
from support.threads import join, run_threads, start

import ortcffi as ort

QUIET = {"log_severity": ort.LogSeverity.FATAL}


@pytest.fixture
def quiet(real_api):
    """Options with which the library logs nothing."""
    with ort.SessionOptions(real_api, intra_op_threads=1, **QUIET) as options:
        yield options


def refused(content, options):
    """Whether a session of the bytes is refused with a typed error, or else made."""
    try:
        ort.Session(content, options).close()
    except ort.OrtError:
        return True
    return False


def test_a_model_that_is_cut_off_anywhere_is_refused_or_loads(quiet):
    content = models.matmul(size=32)
    answers = [refused(content[:end], quiet) for end in range(0, len(content), 64)]
    assert answers[0]
    assert sum(answers) > len(answers) // 2


def test_a_large_file_of_nothing_is_refused(tmp_path, quiet):
    path = tmp_path / "large.onnx"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(ort.OrtError):
        ort.Session(path, quiet)
    with pytest.raises(ort.OrtError):
        ort.Session(tmp_path, quiet)  # a directory


def test_a_fifo_is_refused_instead_of_waiting_for_a_writer(tmp_path, quiet, real_api):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for refused in (
        lambda: ort.Session(fifo, quiet),
        lambda: ort.LoraAdapter(fifo, api=real_api),
        lambda: ort.compile_model(fifo, api=real_api),
    ):
        with pytest.raises(ValueError, match="must not be a FIFO"):
            refused()


def test_cancel_at_random_times_hits_no_other_session(opened, quiet):
    slow, other = opened(models.loop(300, 32), quiet), opened(models.add(), quiet)
    big, small = np.eye(32, dtype=np.float32), np.ones((1, 4), np.float32)
    end, ended = threading.Event(), []

    def cancel():
        while not end.is_set():
            slow.cancel()

    def run():
        for _ in range(15):
            try:
                slow.run({"x": big})
            except ort.errors.Cancelled:
                ended.append(1)
            assert other.run({"x": small})[0].sum() == 8
        done.append(1)

    done = []
    canceller = start(cancel)
    try:
        run_threads(*[run] * 4)
    finally:
        end.set()
    join(*canceller)
    assert len(done) == 4
    assert slow.run({"x": big})[0].shape == (32, 32)


def test_a_logger_that_raises_does_not_end_a_run(real_api, x, monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(what.exc_type))

    def logger(_message):
        raise ZeroDivisionError

    options = ort.SessionOptions(
        real_api, logger=logger, log_severity=ort.LogSeverity.VERBOSE, log_verbosity=9
    )
    with ort.Session(models.add(), options) as session:
        assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]
    assert set(reported) == {ZeroDivisionError}
