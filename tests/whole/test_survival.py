# SPDX-License-Identifier: MIT
"""Threads, forks and unloading, each in a process of its own, on libortcore."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support import processes

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(build_client: Callable[[str], Path], core_library: Path) -> Run:
    """``run(name, *arguments)`` is a client's run on the core, which must end well."""

    def run(name: str, *arguments: str) -> CompletedProcess[str]:
        return processes.run(build_client(name), core_library, *arguments)

    return run


def test_ten_thousand_threads_leave_nothing_behind(run):
    assert run("many_threads", "10000").stdout.endswith("\nok\n")


def test_a_fork_takes_locks_in_one_order_whatever_was_used_first(build_insider):
    assert processes.run(build_insider("fork_order"), "-").stdout == "ok\n"


@pytest.mark.parametrize("fork", [[], ["fork"]], ids=["storm", "fork"])
def test_adaptors_around_each_other_survive_a_storm(build_insider, fork):
    done = processes.run(build_insider("adaptor_storm"), "-", "2", "20000", "3", *fork)
    assert (done.stdout, done.stderr) == ("calm\n" * 3, "")


def test_two_hundred_rounds_of_loading_and_unloading(run):
    assert run("reload", "200").stdout == "ok\n"
