# SPDX-License-Identifier: MIT
"""Eight threads at once make, use and close objects of all kinds (tests/support/lives.py).

The fixtures of tests/conftest.py count what is left alive. With the GIL these tests find little;
without it they are the search for races.
"""

import threading
from functools import partial

import numpy as np
import pytest
from support import lives, models
from support.lives import ALL, ENGINE
from support.processes import TIME_LIMIT
from support.sessions import options_with
from support.threads import join, start, switching_often

import ortcffi as ort

THREADS = 8
TIMES = 12
REFUSED = ("is closed", "in use on another thread")


def at_once(work, times=TIMES):
    """Call a function with the number of each of eight threads, and how often; raise its error."""
    barrier, raised = threading.Barrier(THREADS), []

    def repeat(number):
        try:
            barrier.wait(TIME_LIMIT)
            for i in range(times):
                if not raised:
                    work(number, i)
        except BaseException as error:  # noqa: BLE001  # for the thread of the test
            raised.append(error)

    with switching_often():
        join(*start(*[partial(repeat, number) for number in range(THREADS)]))
    if raised:
        raise raised.pop()


@pytest.fixture(params=ALL)
def kind(request):
    if request.param in ENGINE:
        request.getfixturevalue("real_api")  # skips where there is none
        lives.releases()  # is to be made once
    return ALL[request.param]


def test_each_thread_makes_uses_and_closes_its_own(kind):
    def live(_number, i):
        made = kind.make()
        kind.use(made)
        child = kind.child(made) if kind.child and i % 3 == 0 else None
        if i % 2:
            made.close()
        elif i % 4:
            lives.in_cycle(made, child)

    at_once(live)


def test_all_threads_use_one_that_two_of_them_close(kind):
    shared = [kind.make()]

    def share(number, i):
        made = shared[0]
        if number < 2 and i % 3 == 2:
            shared[0] = kind.make()
            made.close()
        try:
            kind.use(made)
            if kind.child and number % 4 == 1:
                kind.child(made)
        except (ValueError, RuntimeError) as error:
            if not str(error).endswith(REFUSED):
                raise

    at_once(share)


@ort.custom_op("lives", inputs=["f4", "f4"], outputs=["f4"], op_set=None)
def plus(one, other):
    return one + other


NODE = models.node("plus", "x x", "y", "lives")
MODEL = models.of_ops([NODE], {"x": "f4"}, {"y": "f4"}, "lives")


def test_all_threads_run_one_session_with_an_op_in_python(api):
    one = np.arange(8, dtype=np.float32).reshape(2, 4)
    with (
        options_with("lives", plus, api=api) as options,
        ort.Session(MODEL, options, api=api) as session,
    ):

        def run(number, _i):
            feed = {"x": one + number}
            future = session.run_future(feed)
            for made in (*session.run(feed), session.run_values(feed)[0].numpy()):
                assert made.tolist() == ((one + number) * 2).tolist()
            assert future.result(TIME_LIMIT)[0][1, 3] == (7 + number) * 2

        at_once(run)


def test_all_threads_run_one_kernel_and_bindings_of_one_session(core_api):
    one = np.ones((2, 3), np.float32)
    with (
        options_with("lives", plus, api=core_api) as options,
        ort.Session(MODEL, options, api=core_api) as session,
        plus.kernel() as kernel,
    ):

        def run(number, _i):
            assert kernel(one, one * number)[1, 2] == number + 1
            with session.bind({"x": one * number}) as binding:
                binding.run()
                assert binding.outputs["y"][1, 2] == number * 2

        at_once(run)


def test_all_threads_take_memory_of_one_adaptor_and_of_their_own(core_api):
    """The figures of a shared adaptor are exact in the end."""
    shared = ort.Tracking(ort.Arena(ort.Limiting(core_api.default_allocator, 1 << 20)))

    def take(number, i):
        with ort.Tracking(shared) as own, own.scope(str(number)) as scope:
            arrays = [own.zeros(10 + number), shared.zeros(1 + i)]
            values = [ort.Value.from_numpy(arrays[0]), ort.Value.empty(3, "f4", shared)]
            assert values[0].numpy().sum() == 0
            del arrays, values
        assert scope.num_allocations == 1

    at_once(take)
    assert shared.stats.bytes_allocated == 0
    assert shared.stats.num_allocations == THREADS * TIMES * 3


def test_all_threads_read_and_fill_one_value(api):
    """What one thread has written entirely, another reads entirely: numbers, texts and members."""
    array = ort.Value.empty((4, 4), "f4", api=api)
    texts = ort.Value.from_strings(["some", "texts", "that are not short at all"], api=api)
    members = ort.Value.sequence([ort.Value.from_numpy(lives.x, api=api)], api=api)

    def read(number, _i):
        assert array.shape == (4, 4)
        array.numpy()[number % 4] = number % 4
        assert memoryview(array).nbytes == array.nbytes == 64
        assert np.from_dlpack(array).shape == (4, 4)
        assert texts.strings()[2] == "that are not short at all"
        assert [each.shape for each in members] == [(1, 4)]

    at_once(read)
    assert array.numpy()[:, 2].tolist() == [0, 1, 2, 3]
