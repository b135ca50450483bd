# SPDX-License-Identifier: MIT
"""A bound on shared memory that refuses nothing: it counts, calls back and terminates the run."""

import json
from typing import Any

import pytest
from support import models
from support.official import python
from support.releases import needs_release

import ortcffi as ort

pytestmark = [
    needs_release(23, "an environment that is reached"),
    pytest.mark.xdist_group("answers of a soft bound"),  # which one process gives
]

# Sharing lasts until a process ends, so one process answers all questions about a bound.
ANSWERS = """
    import json, threading

    answers = {}
    small, large = ({"x": np.ones(n, np.float32)} for n in (10, 1 << 20))

    def outcome(call, *arguments, **named):
        try:
            with bound.run_options(*arguments, **named) as options:
                return float(call(options)[0][0])
        except Exception as error:
            cause = type(error.__cause__).__name__
            return [type(error).__name__, isinstance(error, MemoryError), str(error), cause]

    reported = []
    official = ort.attach()
    bound = official.share_soft_bound(
        1 << 20, on_excess=lambda bound, size: reported.append([size, bound.excesses])
    )
    session = onnxruntime.InferenceSession(FIVE_NODES, official.session_options())
    fast = official.session(session)
    ours = ort.RunOptions(official)
    answers["below"] = [outcome(lambda options: session.run(None, small, options)), list(reported)]
    answers["over"] = outcome(lambda options: session.run(None, large, options))
    answers["counted"] = [bound.excesses, bound.max_excess, bound.terminated, reported[0]]
    answers["after"] = outcome(lambda options: session.run(None, small, options))
    answers["our session"] = outcome(lambda options: fast.run(large, options=options), ours)
    answers["our options after"] = [ours.terminated, float(fast.run(small, options=ours)[0][0])]
    theirs = onnxruntime.RunOptions()
    answers["their options"] = outcome(lambda options: session.run(None, large, options), theirs)
    answers["again"] = float(session.run(None, small, theirs)[0][0])
    count = bound.excesses
    answers["without options"] = [float(session.run(None, large)[0][0]), bound.excesses > count]

    def other_error(options):
        raise KeyError("mine")

    answers["other error"] = outcome(other_error)[0]

    # Another thread's run goes over the bound while this block is open: only that one ends.
    answers["threads"] = []
    with bound.run_options() as mine:
        thread = threading.Thread(
            target=lambda: answers["threads"].append(
                outcome(lambda options: session.run(None, large, options))[0]
            )
        )
        thread.start()
        thread.join()
        answers["threads"].append(float(session.run(None, small, mine)[0][0]))

    # A block that is taken where no such run is under way ends them all.
    with bound.run_options() as mine:
        thread = threading.Thread(target=lambda: bound.allocator.empty(1 << 21, "u1"))
        thread.start()
        thread.join()
        try:
            session.run(None, small, mine)
        except Exception as error:
            answers["by another thread"] = str(error)

    answers["blocks left open"] = len(bound._runs)
    print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers() -> Any:
    return json.loads(python(ANSWERS, FIVE_NODES=models.increments(5)))


REFUSED = ["OutOfMemory", True]
CAUSED = "the run was terminated: it went over the bound of 1048576 bytes"


def test_a_run_below_the_bound_is_as_usual(answers):
    assert answers["below"] == [6.0, []]


@pytest.mark.parametrize("run", ["over", "our session"])
def test_a_run_that_goes_over_the_bound_is_terminated(answers, run):
    kind, is_memory_error, text, cause = answers[run]
    assert [kind, is_memory_error] == REFUSED
    assert text.startswith(CAUSED)
    assert cause == "Fail"


def test_what_goes_over_is_counted_and_reported(answers):
    excesses, largest, terminated, reported = answers["counted"]
    assert excesses >= 1
    assert largest >= (4 << 20) - (1 << 20)
    assert terminated == 1
    assert reported == [4 << 20, 1]


def test_the_session_and_the_process_stay_usable(answers):
    assert answers["after"] == 6.0


def test_options_serve_the_next_run_again(answers):
    assert answers["our options after"] == [False, 6.0]
    assert answers["their options"][:2] == REFUSED
    assert answers["again"] == 6.0


def test_a_run_without_such_options_is_counted_and_not_terminated(answers):
    assert answers["without options"] == [6.0, True]


def test_other_exceptions_pass(answers):
    assert answers["other error"] == "KeyError"


def test_only_the_run_of_the_thread_that_goes_over_is_terminated(answers):
    assert answers["threads"] == ["OutOfMemory", 6.0]


def test_what_another_thread_takes_terminates_the_runs_under_way(answers):
    assert "terminate flag" in answers["by another thread"]


def test_no_block_stays_open(answers):
    assert answers["blocks left open"] == 0


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="on_excess must be callable, not int"):
        ort.attach().share_soft_bound(1 << 20, on_excess=5)


@pytest.mark.parametrize("limit", [-1, 1.5, "1 XB", None])
def test_a_bound_that_is_no_number_of_bytes_is_refused(limit):
    with pytest.raises((TypeError, ValueError), match="limit"):
        ort.attach().share_soft_bound(limit)
