# SPDX-License-Identifier: MIT
"""Forks while threads allocate."""

import sys
from pathlib import Path

from support.processes import run

FORKS = """
import os, threading, warnings

import ortcffi as ort

warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
pool = ort.Tracking(ort.default_api().default_allocator)
stop = threading.Event()


def work():
    while not stop.is_set():
        arrays = [pool.empty(size, "u1") for size in range(1, 5000, 100)]


def fork_in_a_scope():
    # Both sides go on in the scope that is open at the fork, and in one of their own.
    with pool.scope() as scope:
        process = os.fork()
        size = 20 if process else 30
        with pool.scope() as inner:
            kept = pool.empty(size, "u1")
        own = [leak.size for leak in inner.leaks if "in fork_in_a_scope" in leak.place]
        assert own == [size], inner.leaks
        assert process or inner.num_allocations == 1
        del kept
    if process == 0:
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0


with pool.scope() as everything:
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(25):
        fork_in_a_scope()
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


def test_a_fork_while_threads_have_their_blocks_recorded_leaves_two_processes_that_go_on(tmp_path):
    run_script(tmp_path, FORKS)
