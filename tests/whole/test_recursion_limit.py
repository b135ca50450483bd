# SPDX-License-Identifier: MIT
"""What is released near the limit of recursion goes a little beyond it, and leaves it as it was."""

import sys

import pytest
from support import processes
from support.paths import CHECKOUT

import ortcffi
from ortcffi._native import Owner

LARGEST = 2**31 - 1


@pytest.fixture(autouse=True)
def limit():
    before = sys.getrecursionlimit()
    yield before
    sys.setrecursionlimit(before)


def release_with(function):
    """Release something by a function in Python."""
    Owner("OrtStatus*", lambda *_: function(), None, 64).end()


def test_a_release_in_python_leaves_the_limit_as_it_was(limit):
    inside = []
    release_with(lambda: inside.append(sys.getrecursionlimit()))
    assert inside[0] > limit
    assert sys.getrecursionlimit() == limit


def test_the_largest_limit_is_not_exceeded():
    sys.setrecursionlimit(LARGEST)
    release_with(lambda: None)
    ortcffi.RunOptions(ortcffi.core_api()).close()
    assert sys.getrecursionlimit() == LARGEST


def test_a_limit_that_is_set_meanwhile_stays(limit):
    release_with(lambda: sys.setrecursionlimit(limit + 7))
    assert sys.getrecursionlimit() == limit + 7


def test_releases_within_releases_leave_the_limit_as_it_was(limit):
    release_with(lambda: release_with(lambda: release_with(lambda: None)))
    assert sys.getrecursionlimit() == limit


def test_a_thread_that_is_deeper_when_a_release_ends_survives():
    program = f"""if True:
        import sys, threading
        sys.path.insert(0, {str(CHECKOUT / "tests")!r})
        from ortcffi._native import Owner
        from support.recursion import call_near_limit

        deep, ended = threading.Event(), threading.Event()

        def fall():
            try:
                fall()
            except ValueError:
                pass

        def at_the_limit():
            deep.set()
            ended.wait({processes.TIME_LIMIT})
            fall()

        def work():
            try:
                call_near_limit(15, at_the_limit)
            except RecursionError:
                print("too deep")

        def release(*_):
            thread.start()
            deep.wait({processes.TIME_LIMIT})

        thread = threading.Thread(target=work, daemon=True)
        Owner("OrtStatus*", release, None, 64).end()
        ended.set()
        thread.join({processes.TIME_LIMIT})
    """
    assert processes.run_python(program) == "too deep"
