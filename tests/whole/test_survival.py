# SPDX-License-Identifier: MIT
"""Threads, forks, unloading and misuse, each in a process of its own, on libortcore."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support import processes
from support.compilers import USES_MIMALLOC

MISTAKES = {
    "twice small": "was freed before",
    "twice large": "was freed before",
    "twice huge": "was freed before",
    "inside small": "points into a block, not to its start",
    "inside unaligned": "points into a block, not to its start",
    "inside large": "points into a block, not to its start",
    "inside far": "points into a block, not to its start",
    "foreign": "is not a block of this allocator",
}
NOTICED_BY_MIMALLOC = ["inside unaligned", "foreign"]

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(build_client: Callable[[str], Path], core_library: Path) -> Run:
    """``run(name, *arguments)`` is a client's run on the core, which must end well."""

    def run(name: str, *arguments: str) -> CompletedProcess[str]:
        return processes.run(build_client(name), core_library, *arguments)

    return run


def test_ten_thousand_threads_leave_nothing_behind(run):
    assert run("many_threads", "10000").stdout.endswith("\nok\n")


def test_both_sides_of_a_fork_in_a_storm_go_on(run):
    done = run("storm", "2", "200000", "5", "fork")
    assert (done.stdout, done.stderr) == ("calm\n", "")


def test_a_fork_takes_locks_in_one_order_whatever_was_used_first(build_insider):
    assert processes.run(build_insider("fork_order"), "-").stdout == "ok\n"


@pytest.mark.parametrize("fork", [[], ["fork"]], ids=["storm", "fork"])
def test_adaptors_around_each_other_survive_a_storm(build_insider, fork):
    done = processes.run(build_insider("adaptor_storm"), "-", "2", "20000", "3", *fork)
    assert (done.stdout, done.stderr) == ("calm\n" * 3, "")


def test_two_hundred_rounds_of_loading_and_unloading(run):
    assert run("reload", "200").stdout == "ok\n"


def skip_what_mimalloc_does_not_notice(mistake: str) -> None:
    if USES_MIMALLOC and mistake not in NOTICED_BY_MIMALLOC:
        pytest.skip("mimalloc does not notice it, as heap_mimalloc.h says")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_bad_free_is_refused_and_the_pointer_named(run, mistake):
    skip_what_mimalloc_does_not_notice(mistake)
    done = run("misuse", mistake)
    *lines, end = done.stdout.splitlines()
    pointers, messages = lines[0::2], lines[1::2]
    complaint = MISTAKES[mistake]
    assert end == "ok"
    assert messages == [f"AllocatorFree: p {pointer} {complaint}" for pointer in pointers] != []
    assert done.stderr.splitlines() == [
        f"ortcffi: Free: pointer {pointer} {complaint}; ignored" for pointer in pointers
    ]


WRITTEN = {"overrun": 256, "written after free": 256, "written before it is borrowed": 1280}


@pytest.mark.parametrize("mistake", WRITTEN)
def test_a_free_block_that_was_written_to_is_reported_and_not_handed_out(run, mistake):
    skip_what_mimalloc_does_not_notice(mistake)
    done = run("misuse", mistake)
    pointer, end = done.stdout.splitlines()
    assert end == "ok"
    assert done.stderr == (
        f"ortcffi: block {pointer} of {WRITTEN[mistake]} bytes was written to after it was freed,"
        " or overrun\n"
    )
