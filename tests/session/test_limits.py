# SPDX-License-Identifier: MIT
"""Bounds on the memory of sessions, and sessions that wait for their runs."""

import threading
import warnings

import numpy as np
import pytest
from support import models
from support.prepared import printed_by
from support.processes import TIME_LIMIT
from support.releases import installed_release
from support.threads import join, start, wait_until

import ortcffi as ort
from ortcffi._convert import byte_count
from ortcffi.errors import Cancelled, OutOfMemory

pytestmark = pytest.mark.usefixtures("real_api")

FATAL = {"log_severity": ort.LogSeverity.FATAL}
# Releases before 1.23 have no statistics of arenas.
ARENA = "; its arena has .* of 1.0" if installed_release() >= (1, 23) else ""
WHAT_IS_SAID = f"needs a block of 4.00 MB{ARENA}"


@pytest.fixture
def limit():
    ort.limit_session_memory("1 MB")
    yield
    ort.limit_session_memory(None)


@pytest.mark.usefixtures("limit")
def test_a_limit_holds_for_all_sessions_that_follow(real_api, opened):
    for options in (None, ort.SessionOptions(real_api, **FATAL)):
        session = opened(models.add(["n"]), options)
        with pytest.raises(OutOfMemory, match=WHAT_IS_SAID):
            session.run(x=np.ones(1 << 20, np.float32))
        assert session.run(x=np.ones(4, np.float32))[0].tolist() == [2] * 4


@pytest.mark.usefixtures("limit")
def test_options_can_be_an_exception_from_the_limit(real_api, opened):
    options = ort.SessionOptions(real_api, shared_arena=False)
    assert len(opened(models.add(["n"]), options).run(x=np.ones(1 << 20, np.float32))[0]) == 1 << 20


def test_sessions_of_the_core_have_no_limit(core_api):
    with pytest.raises(ort.errors.NotImplemented, match="use no arena of the environment"):
        ort.limit_session_memory("1 GB", core_api)


def test_a_session_that_ignores_a_bounded_arena_is_warned_of(real_api, opened):
    with ort.Env(api=real_api) as env:
        with ort.ArenaCfg(real_api, max_bytes="1 MB") as cfg:
            env.create_arena(cfg=cfg)
        message = r"arena is bounded to 1.00 MB, but this session does not use it: .*shared_arena"
        with pytest.warns(RuntimeWarning, match=message) as warned:
            ort.Session(models.add(["n"])).close()
        assert warned[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for chosen in (True, False):
                opened(models.add(["n"]), ort.SessionOptions(real_api, shared_arena=chosen)).close()
            env.unregister_allocator(real_api.cpu_memory_info(ort.AllocatorType.ARENA))
            opened(models.add(["n"])).close()


@pytest.mark.filterwarnings("error")
def test_a_session_of_the_core_is_not_warned_of_an_arena_that_it_cannot_use(core_api):
    with ort.Env(api=core_api) as env, ort.ArenaCfg(core_api, max_bytes="1 MB") as cfg:
        env.create_arena(cfg=cfg)
        try:
            ort.Session(models.add(["n"]), providers=["reference"], api=core_api).close()
        finally:
            env.unregister_allocator(core_api.cpu_memory_info(ort.AllocatorType.ARENA))


def test_a_limit_can_be_replaced_and_ended(opened, metrics_of):
    big = np.ones(1 << 20, np.float32)
    for limit in ("1 MB", "64 MB", None):
        ort.limit_session_memory(limit)
        session = opened(models.add(["n"]), ort.SessionOptions(**FATAL))
        if limit == "1 MB":
            with pytest.raises(OutOfMemory):
                session.run(x=big)
            assert dict(metrics_of(session).errors) == {"OUT_OF_MEMORY": 1}
        else:
            assert len(session.run(x=big)[0]) == 1 << 20
    with pytest.raises(ValueError, match="limit must be 1 byte"):
        ort.limit_session_memory(0)


@pytest.fixture
def bytes_reserved():
    """What the arena of a session has taken from the system."""
    if installed_release() < (1, 23):
        pytest.skip("releases before 1.23 have no statistics of arenas")

    def read(session):
        with session.allocator() as allocator:
            return allocator.stats.bytes_reserved

    return read


@pytest.mark.usefixtures("limit")
def test_after_a_refused_run_the_arena_has_room_again(real_api, opened, bytes_reserved):
    full, other = (
        opened(models.add(["n"]), ort.SessionOptions(real_api, **FATAL)) for _ in range(2)
    )
    full.run(x=np.ones(100 << 10, np.float32))
    before = bytes_reserved(full)
    with pytest.raises(OutOfMemory):
        other.run(x=np.ones(200 << 10, np.float32))  # it fits without what the first has left
    assert bytes_reserved(full) < before
    assert len(other.run(x=np.ones(200 << 10, np.float32))[0]) == 200 << 10


def test_a_session_gives_memory_back(real_api, opened, bytes_reserved):
    session = opened(models.add(["n"]), ort.SessionOptions(real_api))
    session.run(x=np.ones(4, np.float32))
    kept = session.run(x=np.ones(1 << 20, np.float32))
    before = bytes_reserved(session)
    session.shrink()
    assert bytes_reserved(session) == before
    assert kept[0][0] == 2
    del kept
    session.shrink()
    assert bytes_reserved(session) <= before - (4 << 20)
    assert session.run(x=np.ones(4, np.float32))[0].tolist() == [2] * 4


MAP = models.map_type("str", models.tensor_type("float32", []))
KINDS = {
    "numbers": models.tensor_type("float32", ["n", 3]),
    "strings": models.tensor_type("str", [2]),
    "any shape": models.tensor_type("int64"),
    "a sparse tensor": models.tensor_type("float32", ["n", 3], kind=8),
    "a map": MAP,
    "a map of int": models.map_type("int64", models.tensor_type("str", [])),
    "a sequence": models.sequence_type(models.tensor_type("str")),
    "a sequence of maps": models.sequence_type(MAP),
    "an optional": models.optional_type(models.tensor_type("float32")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_sessions_with_all_kinds_of_inputs_shrink(opened, kind, bytes_reserved):
    passed = models.value_info("passed", KINDS[kind])
    z = models.value("z", shape=["n"])
    nodes = [models.node("Add", "x x", "y"), models.node("Add", "y y", "z")]
    session = opened(models.model(nodes, [models.value("x", shape=["n"]), passed], [z, passed]))
    session.shrink()
    assert bytes_reserved(session) >= 0
    figures = ort.metrics().sessions[-1]
    assert (figures.number, figures.runs, dict(figures.errors)) == (session._number, 0, {})


def test_a_session_without_an_arena_cannot_shrink(real_api, opened):
    session = opened(models.add(["n"]), ort.SessionOptions(real_api, cpu_arena=False))
    with pytest.raises(ort.errors.InvalidArgument, match="arena"):
        session.shrink()
    session.close()
    with pytest.raises(ValueError, match="closed"):
        session.shrink()


def test_a_process_may_end_with_a_limit():
    code = "import ortcffi as ort; ort.limit_session_memory('1 MB'); print(len(ort.sessions()))"
    assert printed_by(code) == "0"
    with pytest.raises(TypeError, match="limit must be a number of bytes, not True"):
        ort.limit_session_memory(True)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *[("64 MB", 64 << 20), ("64 MiB", 64 << 20), ("1.5kb", 1536)],
        *[(" 7 B ", 7), ("1 TB", 1 << 40)],
    ],
)
def test_sizes_are_text(text, count):
    assert byte_count("size", text) == count


@pytest.mark.parametrize("text", ["", "64", "-1 MB", "1.2.3 GB", "1 XB", "1 iB", "٣ MB"])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="max_bytes must be a number of bytes such as '64 MB'"):
        ort.Arena(ort.core_api().default_allocator, max_bytes=text)


# --- ending ---------------------------------------------------------------------------------------


@pytest.fixture
def running(opened):
    """A session with an endless run under way in a thread, which ends cancelled."""
    session, ended = opened(models.loop(10**12, 32), ort.SessionOptions(**FATAL)), []

    def work():
        with pytest.raises(Cancelled):
            session.run(x=np.eye(32, dtype=np.float32))
        ended.append(True)

    threads = start(work)
    wait_until(lambda: session.running)
    yield session
    session.cancel()
    join(*threads)
    assert ended


def test_closing_waits_for_runs(running):
    timer = threading.Timer(0.02, running.cancel)
    timer.start()
    running.close(wait=True, timeout=TIME_LIMIT)
    assert (running.closed, running.running) == (True, 0)
    join(timer)


def test_closing_waits_no_longer_than_its_timeout(running):
    with pytest.raises(TimeoutError, match=r"1 runs were under way after 0\.01 seconds"):
        running.close(wait=True, timeout=0.01)
    assert running.closed
    with pytest.raises(ValueError, match="closed"):
        running.run(x=np.eye(32, dtype=np.float32))


def test_closing_does_not_wait_by_itself(running):
    running.close()
    assert running.running == 1
    for error, words, given in (
        (ValueError, "timeout=1 needs wait=True", {"timeout": 1}),
        (TypeError, "timeout must be a number of seconds, not 'soon'", {"timeout": "soon"}),
        (ValueError, "timeout must be 0 or more seconds, but is nan", {"timeout": float("nan")}),
    ):
        with pytest.raises(error, match=words):
            running.close(wait=given != {"timeout": 1}, **given)
