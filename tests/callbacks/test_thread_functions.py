# SPDX-License-Identifier: MIT
"""Threads that Python makes for a library, with sessions and environments that need some."""

import gc
import sys
import threading
import weakref

import pytest
from support import models
from support.threads import join

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.callbacks import from_c as contexts


class Maker:
    """Makes threads, and counts them."""

    def __init__(self):
        self.made, self.joined = [], []

    def create(self, work):
        thread = threading.Thread(target=work)
        thread.start()
        self.made.append(thread)
        return thread

    def join(self, thread):
        join(thread)
        self.joined.append(thread)

    @property
    def functions(self):
        return ort.ThreadFunctions(self.create, self.join)


def session(api, options, env=None):
    """A session, which needs an engine: the core has that of a provider."""
    return ort.Session(
        models.add(), options, api=api, env=env, providers=["reference"] if api.is_core else []
    )


@pytest.fixture
def numbers():
    """Asserts that C holds no number of ours at the end."""
    yield
    gc.collect()
    of_contexts = contexts._Reference
    assert [each for each in contexts._known.values() if not isinstance(each, of_contexts)] == []


pytestmark = pytest.mark.usefixtures("numbers")


def test_a_session_has_its_threads_from_python(api):
    maker = Maker()
    with ort.SessionOptions(api, intra_op_threads=3, thread_functions=maker.functions) as options:
        made = session(api, options)
        assert len(maker.made) == 2
        assert all(thread.is_alive() for thread in maker.made)
        made.close()
        assert maker.joined == maker.made
        assert not any(thread.is_alive() for thread in maker.made)


@pytest.mark.parametrize(("mode", "count"), [("PARALLEL", 4), ("SEQUENTIAL", 2)])
def test_nodes_side_by_side_have_threads_of_their_own(api, mode, count):
    maker = Maker()
    settings = {"intra_op_threads": 3, "inter_op_threads": 3}
    settings |= {"execution_mode": ort.ExecutionMode[mode]}
    with ort.SessionOptions(api, thread_functions=maker.functions, **settings) as options:
        session(api, options).close()
    assert len(maker.made) == len(maker.joined) == count


def test_an_environment_has_its_threads_from_python(api):
    maker = Maker()
    functions = maker.functions
    with ort.ThreadingOptions(
        api, intra_op_threads=3, inter_op_threads=2, thread_functions=functions
    ) as options:
        env = ort.Env(api=api, threading=options)
    assert len(maker.made) == 3
    env.close()
    assert sorted(map(id, maker.joined)) == sorted(map(id, maker.made))


def test_threads_of_an_environment_that_has_none_are_refused(api):
    with (
        ort.Env(api=api) as env,
        ort.SessionOptions(api, per_session_threads=False) as options,
        pytest.raises(ort.OrtError, match="CreateEnvWithGlobalThreadPools") as raised,
    ):
        session(api, options, env)
    assert raised.value.code == ort.ErrorCode.FAIL


def test_the_environment_keeps_the_functions(api):
    maker = Maker()
    alive = weakref.ref(maker)
    with ort.ThreadingOptions(api, thread_functions=maker.functions) as options:
        env = ort.Env(api=api, threading=options)
    made = len(maker.made)
    del maker, options
    gc.collect()
    assert made == 0 or alive() is not None
    env.close()
    assert alive() is None


def test_an_exception_in_create_is_the_cause_of_what_the_outer_call_raises(api):
    def create(_work):
        raise KeyError("mine")

    functions = ort.ThreadFunctions(create, print)
    with (
        ort.SessionOptions(api, intra_op_threads=2, thread_functions=functions) as options,
        pytest.raises(ort.OrtError) as raised,
    ):
        session(api, options)
    assert type(raised.value.__cause__) is KeyError


def test_the_core_joins_the_threads_that_came_before_one_that_cannot_be_made(core_api):
    maker = Maker()

    def create(work):
        if len(maker.made) == 2:
            raise KeyError("mine")
        return maker.create(work)

    functions = ort.ThreadFunctions(create, maker.join)
    with (
        ort.SessionOptions(core_api, intra_op_threads=5, thread_functions=functions) as options,
        pytest.raises(ort.OrtError, match="ort_custom_create_thread_fn made no thread"),
    ):
        session(core_api, options)
    assert maker.joined == maker.made
    assert len(maker.made) == 2


def test_an_environment_whose_threads_cannot_be_made_is_not_there(api):
    def create(_work):
        raise KeyError("mine")

    functions = ort.ThreadFunctions(create, print)
    with (
        ort.ThreadingOptions(api, intra_op_threads=2, thread_functions=functions) as options,
        pytest.raises(ort.OrtError) as raised,
    ):
        ort.Env(api=api, threading=options)
    assert type(raised.value.__cause__) is KeyError


def test_an_exception_in_join_is_reported(api, monkeypatch):
    reported = []
    monkeypatch.setattr(
        sys,
        "unraisablehook",
        lambda what: reported.append((what.exc_type, f"Exception ignored in {what.object}")),
    )
    maker = Maker()

    def join(thread):
        maker.join(thread)
        raise KeyError("mine")

    functions = ort.ThreadFunctions(maker.create, join)
    with ort.SessionOptions(api, intra_op_threads=2, thread_functions=functions) as options:
        session(api, options).close()
    assert reported == [(KeyError, "Exception ignored in a function that joins threads")]


@ffi.callback("void(void*)")
def work(argument):
    """What a library has a thread do."""
    ffi.from_handle(argument).append(threading.get_ident())


def test_c_calls_what_the_options_were_given():
    """What both tables are given, called as a library does."""
    from ortcffi.callbacks.thread_functions import thread_context

    maker, done = Maker(), []
    argument = ffi.new_handle(done)
    context = thread_context(maker.functions)
    thread = lib.ortcffi_create_thread(context.pointer, work, argument)
    lib.ortcffi_join_thread(thread)
    assert done == [maker.joined[0].ident]
    assert done != [threading.get_ident()]


def test_a_thread_is_joined_when_its_work_has_ended():
    from ortcffi.callbacks.thread_functions import thread_context

    maker, begun, may_end, done = Maker(), threading.Event(), threading.Event(), []

    @ffi.callback("void(void*)")
    def waits(_argument):
        begun.set()
        done.append(may_end.wait(60))

    def join_in_c():
        lib.ortcffi_join_thread(thread)
        done.append("joined")

    context = thread_context(ort.ThreadFunctions(maker.create, id))  # which does not wait
    thread = lib.ortcffi_create_thread(context.pointer, waits, ffi.NULL)
    assert begun.wait(60)
    joiner = threading.Thread(target=join_in_c)
    joiner.start()
    may_end.set()
    join(joiner)
    join(maker.made[0])
    assert done == [True, "joined"]


def test_work_that_was_not_begun_when_its_thread_was_joined_is_not_done():
    from ortcffi.callbacks.thread_functions import thread_context

    made, done = [], []
    argument = ffi.new_handle(done)
    functions = ort.ThreadFunctions(lambda work: made.append(work) or 1, id)
    context = thread_context(functions)
    lib.ortcffi_join_thread(lib.ortcffi_create_thread(context.pointer, work, argument))
    made[0]()
    assert done == []


def test_functions_that_have_gone_make_no_thread(monkeypatch):
    from ortcffi.callbacks.thread_functions import thread_context

    context = thread_context(Maker().functions)
    pointer = context.pointer
    del context
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: seen.append(str(hook.exc_value)))
    assert lib.ortcffi_create_thread(pointer, work, ffi.NULL) == ffi.NULL
    assert seen == ["the options with the function that creates threads were deleted"]
    lib.ortcffi_join_thread(ffi.NULL)


def test_a_session_logs_where_its_options_say(real_api):
    everywhere, mine = [], []
    with (
        ort.Env(api=real_api, logger=everywhere.append, severity=ort.LogSeverity.FATAL) as env,
        ort.SessionOptions(real_api, logger=mine.append, log_id="mine", log_severity=0) as options,
    ):
        session(real_api, options, env).close()
    assert {message.log_id for message in mine} >= {"mine"}
    assert everywhere == []


def test_a_selector_chooses_among_the_devices_of_a_session(real_api):
    seen = []

    def select(devices, model, runtime):
        seen.append(([device.name for device in devices], type(model), type(runtime)))
        return devices[-1:]

    with (
        ort.Env(api=real_api) as env,
        ort.SessionOptions(real_api, device_selector=select) as options,
    ):
        session(real_api, options, env).close()
    assert seen == [(["CPUExecutionProvider"], dict, dict)]


@pytest.mark.parametrize(
    ("answer", "error"), [(lambda: 1 / 0, ZeroDivisionError), (lambda: ["x"], ValueError)]
)
def test_an_exception_in_a_selector_comes_back(real_api, answer, error):
    with (
        ort.Env(api=real_api) as env,
        ort.SessionOptions(real_api, device_selector=lambda *_: answer()) as options,
        pytest.raises(ort.OrtError) as raised,
    ):
        session(real_api, options, env)
    assert type(raised.value.__cause__) is error


def test_loading_can_be_cancelled(real_api):
    with (
        ort.Env(api=real_api) as env,
        ort.SessionOptions(real_api, loading_cancelled=True) as options,
    ):
        with pytest.raises(ort.errors.ModelLoadCanceled):
            session(real_api, options, env)
        options.loading_cancelled = False
        session(real_api, options, env).close()
