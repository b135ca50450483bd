# SPDX-License-Identifier: MIT
"""Processes that end while objects are alive, and pools of processes."""

import sys
from pathlib import Path

import pytest
from support.processes import run

MAKE_OBJECTS = """
import atexit, builtins, random, sys, threading, types
import numpy as np
import ortcffi as ort

ffi = ort.ffi


class Mine(ort.PythonAllocator):
    def __init__(self):
        super().__init__()
        self.blocks = {}

    def alloc(self, size):
        block = ffi.new("char[]", size)
        self.blocks[int(ffi.cast("uintptr_t", block))] = block
        return block

    def free(self, pointer):
        del self.blocks[int(ffi.cast("uintptr_t", pointer))]


def make_objects(api):
    inner = api.default_allocator
    pools = [inner, ort.Aligned(inner, 4096), ort.Limiting(inner, 1 << 20), ort.Tracking(inner)]
    pools += [ort.Failing(inner, 10**12), ort.Logging(inner), Mine()]
    pools.append(ort.Tracking(ort.Limiting(ort.Aligned(inner, 256), 1 << 20)))
    yield from pools
    for pool in pools:
        array = pool.zeros((10, 10))
        yield array
        yield array[::2].T
        yield pool.info
    yield pools[-1].scope("open").__enter__()
    yield ort.numpy_allocator(pools[-1]).__enter__()
    yield np.ones(1000) + 1
    yield ort.Status(ort.ErrorCode.FAIL, "alive", api)
    yield api.key_values({"a": "b"})
    yield api.cpu_memory_info()
    yield ort.emulate(12)
    yield ort.trace(api)
"""

EXIT = """
import gc

gc.disable()
api = ort.load() if sys.argv[1] == "real" else ort.default_api()
objects = list(make_objects(api))
random.Random(int(sys.argv[2])).shuffle(objects)
local = threading.local()
module = sys.modules["kept"] = types.ModuleType("kept")
for number, thing in enumerate(objects):
    place = number % 6
    if place == 0:
        globals()[f"x{number}"] = thing
    elif place == 1:
        setattr(module, f"x{number}", thing)
    elif place == 2:
        setattr(builtins, f"x{number}", thing)  # cleared last
    elif place == 3:
        setattr(local, f"x{number}", thing)
    elif place == 4:
        cycle = [thing]
        cycle.append(cycle)
    else:
        atexit.register(lambda thing=thing: repr(thing))
del objects, thing, cycle
print("made")
"""

BUSY = """
pools = [thing for thing in make_objects(ort.default_api()) if isinstance(thing, ort.Allocator)]


def work(pool):
    while True:
        arrays = [pool.zeros(size) for size in (1, 100, 10000)]


for pool in pools:
    threading.Thread(target=work, args=(pool,), daemon=True).start()
threading.Event().wait(0.2)
print("made")
"""

POOL = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import ortcffi as ort

mine = ort.Tracking(ort.default_api().default_allocator)
before = mine.full(100, 7)


def work(number):
    array = mine.full(1000, number)
    if sys.argv[1] == "fork":
        assert before.sum() == 700
    return mine.copy_of(array * 2)


def fail(number):
    ort.default_api().memory_info("NoSuchDevice")


if __name__ == "__main__":
    with ProcessPoolExecutor(2, multiprocessing.get_context(sys.argv[1])) as pool:
        sums = [int(array.sum()) for array in pool.map(work, range(20))]
        assert sums == [2000 * number for number in range(20)], sums
        error = pool.submit(fail, 1).exception()
    assert isinstance(error, ort.errors.InvalidArgument) and isinstance(error, ValueError)
    assert error.function == "CreateMemoryInfo"
    assert mine.full(100, 7).sum() == 700
    print("made")
"""


FORKS = """
import os, threading, warnings

import ortcffi as ort

warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
pool = ort.Tracking(ort.default_api().default_allocator)
stop = threading.Event()


def work():
    while not stop.is_set():
        arrays = [pool.empty(size, "u1") for size in range(1, 5000, 100)]


def child():
    with pool.scope() as scope:
        kept = pool.empty(77, "u1")
    assert [leak.size for leak in scope.leaks] == [77]
    assert "in child" in scope.leaks[0].place, scope.leaks
    del kept
    os._exit(0)


with pool.scope() as everything:
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        process = os.fork()
        if process == 0:
            child()
        assert os.waitpid(process, 0)[1] == 0
    stop.set()
    for thread in threads:
        thread.join()
assert everything.leaks == []
print("made")
"""


def run_script(tmp_path: Path, script: str, *arguments: str) -> None:
    file = tmp_path / "script.py"
    file.write_text(script)
    done = run(sys.executable, file, *arguments)
    assert (done.stdout, done.stderr) == ("made\n", "")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("which", ["core", "real"])
def test_objects_may_be_alive_when_the_interpreter_exits(tmp_path, which, seed, request):
    request.getfixturevalue(f"{which}_api")  # skips where there is none
    run_script(tmp_path, MAKE_OBJECTS + EXIT, which, str(seed))


def test_threads_may_be_at_work_when_the_interpreter_exits(tmp_path):
    run_script(tmp_path, MAKE_OBJECTS + BUSY)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes_shares_arrays_and_errors(tmp_path, method):
    run_script(tmp_path, POOL, method)


def test_a_fork_while_threads_have_their_blocks_recorded_leaves_two_processes_that_go_on(tmp_path):
    run_script(tmp_path, FORKS)
