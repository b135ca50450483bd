# SPDX-License-Identifier: MIT
"""Pools of processes, and forks while threads allocate."""

import sys
from pathlib import Path

import pytest
from support.processes import run

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


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes_shares_arrays_and_errors(tmp_path, method):
    run_script(tmp_path, POOL, method)


def test_a_fork_while_threads_have_their_blocks_recorded_leaves_two_processes_that_go_on(tmp_path):
    run_script(tmp_path, FORKS)
