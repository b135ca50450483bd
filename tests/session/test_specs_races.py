# SPDX-License-Identifier: MIT
"""Inputs and outputs of a session that several threads ask for at first, or an interrupt ends."""

import sys
from contextlib import contextmanager

import pytest
from support.models import two_inputs


@contextmanager
def at_second_spec(act):
    """Calls a function where the description of the second input begins."""
    calls = []

    def watch(frame, event, _argument):
        if event == "call" and frame.f_code.co_name == "_spec":
            calls.append(frame)
            if len(calls) == 2:
                act()

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


def test_two_threads_ask_for_the_inputs_at_the_same_time(opened):
    session = opened(two_inputs())
    others = []
    with at_second_spec(lambda: others.append(session.inputs)):
        inputs = session.inputs
    assert inputs is others[0]
    assert [str(spec.type_info) for spec in inputs] == ["tensor(int64[n])"] * 2


def test_an_interrupt_does_not_keep_inputs_from_later_questions(opened):
    session = opened(two_inputs())

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), at_second_spec(interrupt):
        session.outputs  # noqa: B018  # asks for all specs
    assert [spec.name for spec in (*session.inputs, *session.outputs)] == ["a", "b", "s", "d"]
