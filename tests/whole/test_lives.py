# SPDX-License-Identifier: MIT
"""The lives of all kinds of objects that own something of a library (tests/support/lives.py).

Each kind is closed twice, closed in use, in a cycle, forked, interrupted, alive at the exit, made
again, and closed by one thread while another uses it.
"""

import functools
import gc
import json
import sys
import threading
import time
import weakref
from contextlib import suppress

import pytest
from support import interrupts, lives, models
from support.lives import ALL, ENGINE, KINDS, in_cycle
from support.paths import finds_support
from support.processes import TIME_LIMIT, fork, run
from support.threads import join, run_threads, start, switching_often, wait_until

import ortcffi as ort
from ortcffi._convert import decode
from ortcffi._handle import owned_by
from ortcffi._native import Owner
from ortcffi.env import state
from ortcffi.status import fact_of_library
from ortcffi.testing.live_objects import live_objects
from ortcffi.values import lifecycle


@pytest.fixture(params=ALL)
def kind(request):
    if request.param in ENGINE:
        request.getfixturevalue("real_api")  # skips where there is none
    return ALL[request.param]


class Count:
    """What is alive of a kind, and how often its release was called."""

    def __init__(self, kind):
        self.slot, self.counted = kind.slot, kind.counted
        kind.use(kind.make())  # a table keeps what it makes first
        self.before = self.now()

    def now(self):
        if self.slot:
            return lives.releases().called.count(self.slot)
        return live_objects()[self.counted] if self.counted else live_objects()

    def is_released(self):
        """Whether one object was released, once."""
        return self.now() == (self.before + 1 if self.slot else self.before)


@pytest.fixture
def count(kind):
    gc.collect()  # what a test that was skipped has left in a cycle
    return Count(kind)


def closed_error():
    return pytest.raises(ValueError, match=r"this \w+ is closed")


# --- closed ---------------------------------------------------------------------------------------


def test_closing_twice_does_nothing_and_use_after_close_raises(kind, count):
    made = kind.make()
    kind.use(made)
    made.close()
    assert count.is_released()
    made.close()
    assert count.is_released()
    for use in (kind.use, lambda made: made.__enter__()):
        with closed_error():
            use(made)


def test_of_a_closed_object_only_facts_of_its_own_can_be_read(kind):
    made = kind.make()
    made.close()
    assert " closed" in repr(made)
    for name in dir(type(made)):
        if name.startswith("_") or callable(getattr(type(made), name)):
            continue
        if name in {*lives.FACTS, *kind.facts}:
            getattr(made, name)
        else:
            with closed_error():
                getattr(made, name)


def test_a_with_block_closes(kind, count):
    with kind.make() as made:
        kind.use(made)
    assert count.is_released()
    with closed_error():
        kind.use(made)


@pytest.mark.parametrize("kind", [name for name in ALL if ALL[name].has_handle], indirect=True)
def test_a_cdata_keeps_the_object(kind, count):
    made = kind.make()
    first, second, during = made.handle, made.handle, count.now()
    made.close()
    with closed_error():
        made.handle  # noqa: B018
    del first, made
    assert count.now() == during
    del second
    assert count.is_released()


@pytest.mark.parametrize("kind", [name for name in ALL if ALL[name].child], indirect=True)
def test_what_was_made_of_an_object_keeps_it(kind, count):
    made = kind.make()
    child = kind.child(made)
    during = count.now()
    made.close()
    del made
    gc.collect()
    assert count.now() == during
    del child
    assert count.is_released()


# --- collected ------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, -1], ids=["object first", "object last"])
def test_an_object_in_a_cycle_is_collected_with_what_was_made_of_it(kind, count, step):
    made = kind.make()
    child = kind.child(made) if kind.child else None
    scoped = lives.scoped(made) if isinstance(made, ort.Allocator) else None
    in_cycle(*[made, child, scoped, made.handle if kind.has_handle else 0][::step])
    del made, child, scoped
    gc.collect()
    gc.collect()  # a scope that is never left goes now
    assert count.is_released()


class WithOwnEnd(ort.Session):
    """A session with a finalizer that knows nothing of the library's."""

    def __del__(self):
        self.ended = True


@pytest.mark.usefixtures("real_api")
@pytest.mark.parametrize("cls", [ort.Session, WithOwnEnd])
def test_the_collector_releases_a_binding_before_its_session_and_that_before_its_env(cls):
    called = lives.releases().called
    del called[:]
    env = lives.engine_env()
    session = cls(models.add(), lives.options(1), env=env)
    in_cycle(env, session, session.bind({"x": lives.x}))
    del env, session
    gc.collect()
    assert called == ["ReleaseIoBinding", "ReleaseSession", "ReleaseEnv"]


# --- forked, at exit ------------------------------------------------------------------------------


@functools.cache
def in_process(mode):
    return run(
        sys.executable, "-P", "-m", "support.lives_programs", mode, env=finds_support(), timeout=60
    )


@pytest.mark.parametrize("name", ALL)
@pytest.mark.usefixtures("real_api")
def test_the_child_of_a_fork_uses_what_has_no_threads(name):
    core, engine = in_process("forked").stdout.splitlines()
    outcome = (json.loads(core) | json.loads(engine))[name]
    if ALL[name].has_threads:
        assert outcome.startswith("RuntimeError: this Session was made before a fork")
        assert "its own" not in outcome
    else:
        assert outcome == "used"


@pytest.mark.usefixtures("real_api")
def test_a_process_ends_with_objects_of_all_kinds_alive():
    done = in_process("at_exit")
    assert (done.stdout, done.stderr) == ("", "")


def test_a_process_ends_while_threads_are_at_work_with_objects_of_all_kinds():
    done = in_process("busy")
    assert (done.stdout, done.stderr) == ("", "")


# --- not made -------------------------------------------------------------------------------------

HANDLES = [
    each
    for each in (getattr(ort, name) for name in ort.__all__)
    if isinstance(each, type) and issubclass(each, Owner)
]


@pytest.mark.parametrize(
    "cls", [Owner, *(each for each in HANDLES if each.__new__ is Owner.__new__)]
)
def test_what_no_library_has_made_is_not_opened(cls):
    with pytest.raises(ValueError, match="no library has made this"):
        owned_by(cls.__new__(cls))


# --- made again -----------------------------------------------------------------------------------


def test_init_again_is_refused_and_changes_nothing(kind):
    made = kind.make()
    if kind.is_made_by_new:
        with suppress(RuntimeError):
            lives.init_again(kind, made)
    else:
        with pytest.raises(RuntimeError, match=r"this \w+ was made before"):
            lives.init_again(kind, made)
    kind.use(made)
    made.close()
    with closed_error():
        kind.use(made)


# --- threads --------------------------------------------------------------------------------------


def test_a_thread_may_close_what_another_uses(kind):
    objects = [kind.make() for _ in range(10)]
    wrong, reached = [], -1

    def use():
        nonlocal reached
        try:
            for reached, made in enumerate(objects):  # noqa: B007  # reported to the other thread
                with suppress(ValueError):  # a result until then
                    while True:
                        kind.use(made)
        except BaseException as error:  # noqa: BLE001  # reported to the test
            wrong.append(error)
            reached = len(objects)

    def close():
        for i, made in enumerate(objects):
            wait_until(lambda i=i: reached >= i, pause=0)
            made.close()

    with switching_often():
        run_threads(use, close)
    assert not wrong


# --- interrupted ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, indirect=True)
def test_an_exception_at_any_point_and_the_limit_of_recursion_lose_nothing(kind, monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    points, lost = interrupts.lost(lambda: kind.make().close(), interrupts.live_in_core)
    assert points > 1
    assert not lost
    assert not interrupts.lost_near_limit(kind.make, interrupts.live_in_core)


@functools.cache
def interrupted():
    """How calls of all kinds in a process fare: points, and what is lost at which."""
    command = [sys.executable, "-P", "-m", "support.interrupts"]
    return json.loads(run(*command, env=finds_support(), timeout=240).stdout)


@pytest.mark.xdist_group("interrupts")
@pytest.mark.parametrize("name", interrupts.CALLS)
def test_the_same_of_other_calls(name):
    points, lost, near_limit = interrupted()[name]
    assert points > 1
    assert not lost
    assert not near_limit


# --- environments ---------------------------------------------------------------------------------


def alive(references):
    gc.collect()
    return [i for i, reference in enumerate(references) if reference() is not None]


def test_replaced_allocators_stay_with_the_sessions_that_found_them_and_no_longer(real_api):
    references = []
    options = ort.SessionOptions(real_api, config={"session.use_env_allocators": "1"})

    def register(count):
        for _ in range(count):
            arena = ort.Arena(ort.core_api().default_allocator)
            references.append(weakref.ref(arena))
            env.register_allocator(arena)

    with ort.Env(api=real_api) as env:
        register(250)
        assert alive(references) == [249]
        session = ort.Session(models.add(), options, env=env)
        register(250)
        assert alive(references) == [249, 499]
        assert session.run({"x": lives.x})[0].sum() == 8
        session.close()
        del session
        assert alive(references) == [499]
    assert alive(references) == []


CALLERS = {  # what keeps a function that may lead to it, and the slot for it
    "environment": (lambda api, f: ort.Env(api=api, logger=f), "CreateEnv"),
    "options": (lambda api, f: ort.SessionOptions(api, logger=f), "CreateEnv"),
    "limit": (
        lambda api, f: ort.Limiting(api.default_allocator, 9, soft=True, on_excess=f),
        "CreateEnv",
    ),
    "selector": (
        lambda api, f: ort.SessionOptions(api, device_selector=f),
        "SessionOptionsSetEpSelectionPolicyDelegate",
    ),
    "reader": (
        lambda api, f: ort.SessionOptions(api, ep_context_reader=f),
        "SessionOptionsSetEpContextDataReadFunc",
    ),
}


@pytest.mark.parametrize("name", CALLERS)
def test_a_function_that_leads_to_what_calls_it_is_collected_with_it(api, name):
    make, slot = CALLERS[name]
    if not api.supports(slot):
        pytest.skip(f"{api} has no {slot}")

    def holder():
        made = lives.Holder()
        made.caller = make(api, lambda *_: made)
        return weakref.ref(made)

    assert alive([holder()]) == []


@pytest.mark.parametrize("adaptor", [ort.Arena, ort.Tracking])
def test_an_allocator_in_python_stays_whole_with_its_arrays_and_is_collected_without(adaptor):
    inner = lives.InPython()
    inner.array, inner.outer = inner.zeros(100), adaptor(inner)
    held = inner.more = inner.outer.zeros(100)
    references = [weakref.ref(inner), weakref.ref(inner.outer)]
    del inner
    assert alive(references) == [0, 1]  # the collector does not see what an array keeps
    held[:] = 1
    made = references[0]()
    del held, made.array, made.more, made
    assert alive(references) == []


ALLOCATORS = [name for name, kind in ALL.items() if kind.use is lives._array]


@pytest.mark.parametrize("kind", ALLOCATORS, indirect=True)
def test_a_destructor_in_a_cycle_may_use_an_allocator(kind):
    used = []

    class User:
        """Allocates while the cycle is taken apart."""

        def __del__(self):
            used.append(self.pool.zeros(1000).sum())
            used.append(self.pool.stats is not None)

    for _ in range(5):
        user = User()
        user.me, user.pool = user, kind.make()
        user.x = user.pool.empty(100)
        del user
        gc.collect()
    assert used == [0.0, True] * 5


# --- read while they are closed -------------------------------------------------------------------


@pytest.mark.parametrize(("name", "expected"), [("MemoryInfo", "Cpu"), ("OpAttr", "name")])
def test_a_name_is_read_before_its_object_ends(monkeypatch, name, expected):
    kind = KINDS[name]
    count, made = Count(kind), kind.make()
    released = []

    def close_first(text):  # as another thread may, once C has answered
        made.close()
        released.append(count.is_released())
        return decode(text)

    monkeypatch.setattr("ortcffi._handle.decode", close_first)
    assert made.name == expected
    assert released == [False]
    assert count.is_released()


@pytest.mark.usefixtures("real_api")
def test_a_fact_of_a_device_is_read_before_its_environment_ends():
    kind = ENGINE["EpDevice"]
    count, device = Count(kind), kind.make()
    expected, released = device.name, []

    def close_first(text):
        device.close()
        released.append(count.is_released())
        return decode(text)

    assert fact_of_library("EpDevice_EpName", "", close_first).fget(device) == expected
    assert released == [False]
    assert count.is_released()


# --- locks of Python at a fork --------------------------------------------------------------------


def test_a_fork_while_another_thread_counts_environments_leaves_the_child_working(core_api):
    held = threading.Event()

    def hold():
        with state._guard:
            held.set()
            time.sleep(0.05)  # until the fork has come to wait for it

    def make_environment():
        ort.Env(api=core_api).close()
        return True

    threads = start(hold)
    assert held.wait(TIME_LIMIT)
    status = fork(make_environment)
    join(*threads)
    assert status == 0


def test_a_fork_while_another_thread_makes_its_first_value_leaves_the_child_working(
    core_api, monkeypatch
):
    api = ort.Api(core_api.pointer, version=30, version_string="1.30.0")
    held, done = threading.Event(), threading.Event()
    make = lifecycle._maker_of

    def make_slowly(api):
        held.set()
        done.wait(TIME_LIMIT)
        return make(api)

    def use():
        lifecycle._maker_of = make
        return ort.Value.from_numpy(lives.x, api=api).shape == (1, 4)

    monkeypatch.setattr(lifecycle, "_maker_of", make_slowly)
    threads = start(lambda: api._maker)
    assert held.wait(TIME_LIMIT)
    status = fork(use)
    done.set()
    join(*threads)
    assert status == 0
