# SPDX-License-Identifier: MIT
"""The function that gets what the environment logs."""

import sys

import pytest
from support.releases import official_since

LINE = "Session successfully initialized."  # of each session, at severity 1


@pytest.fixture(autouse=True)
def _platform_logger_afterwards(onnxruntime):
    yield
    onnxruntime.set_default_logger_callback(None)


def make_session(onnxruntime, model):
    onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


def of_sessions(messages):
    return [message for message in messages if LINE in message[4]]


@official_since(32)
def test_a_function_gets_what_is_logged_by_default_warnings_and_errors(onnxruntime, squares, capfd):
    messages = []

    def receive(*message):
        messages.append(message)

    onnxruntime.set_default_logger_callback(receive, 1)
    make_session(onnxruntime, squares)
    [(severity, category, log_id, place, text)] = of_sessions(messages)
    assert (type(severity), severity, category, log_id) == (int, 1, "onnxruntime", "")
    assert place.startswith("inference_session.cc:")
    assert text == LINE
    assert LINE not in capfd.readouterr().err
    messages.clear()
    onnxruntime.set_default_logger_callback(receive)
    make_session(onnxruntime, squares)
    assert messages == []


@official_since(32)
def test_another_function_takes_the_place_of_the_first(onnxruntime, squares, capfd):
    first, second = [], []
    onnxruntime.set_default_logger_callback(lambda *message: first.append(message), 1)
    onnxruntime.set_default_logger_callback(lambda *message: second.append(message), 1)
    make_session(onnxruntime, squares)
    onnxruntime.set_default_logger_callback(None)
    make_session(onnxruntime, squares)
    assert (len(of_sessions(first)), len(of_sessions(second))) == (0, 1)
    assert "[I:onnxruntime:, inference_session.cc:" in (reported := capfd.readouterr().err)
    assert reported.count(LINE) == 1


@official_since(32)
def test_a_message_at_which_the_function_raises_goes_to_stderr(
    onnxruntime, squares, capfd, monkeypatch
):
    def refuse(*_message):
        raise ValueError("not this one")

    unraisable = set()
    monkeypatch.setattr(sys, "unraisablehook", lambda reported: unraisable.add(reported.exc_type))
    onnxruntime.set_default_logger_callback(refuse, 1)
    make_session(onnxruntime, squares)
    assert unraisable == {ValueError}
    assert capfd.readouterr().err.count(LINE) == 1


@official_since(32)
def test_messages_that_the_function_causes_go_to_stderr(onnxruntime, squares, capfd):
    messages = []

    def cause_another(*message):
        messages.append(message)
        make_session(onnxruntime, squares)

    onnxruntime.set_default_logger_callback(cause_another, 1)
    make_session(onnxruntime, squares)
    assert len(of_sessions(messages)) == 1
    assert capfd.readouterr().err.count(LINE) == len(messages)


@official_since(32)
@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((5,), RuntimeError, "callback must be a callable"),
        ((print, 5), RuntimeError, "Invalid logging severity"),
        ((print, -1), RuntimeError, "Invalid logging severity"),
        ((None, 5), RuntimeError, "Invalid logging severity"),
        ((print, "2"), TypeError, None),
        ((), TypeError, None),
    ],
)
def test_wrong_arguments_are_refused(onnxruntime, arguments, kind, text):
    with pytest.raises(kind, match=text):
        onnxruntime.set_default_logger_callback(*arguments)


@pytest.mark.parametrize("onnxruntime", ["compat"], indirect=True)
def test_the_first_function_is_refused_while_a_session_uses_the_environment(onnxruntime, session):
    assert session.get_providers() == ["CPUExecutionProvider"]
    with pytest.raises(RuntimeError, match="use the environment, so its logger"):
        onnxruntime.set_default_logger_callback(print)
    onnxruntime.set_default_logger_callback(None)


@pytest.mark.parametrize("onnxruntime", ["compat"], indirect=True)
def test_a_logger_and_shared_threads_are_chosen_one_after_the_other(onnxruntime, squares):
    messages = []
    onnxruntime.set_global_thread_pool_sizes(1, 1)
    onnxruntime.set_default_logger_callback(lambda *message: messages.append(message), 1)
    onnxruntime.set_global_thread_pool_sizes(2, 2)
    options = onnxruntime.SessionOptions()
    options.use_per_session_threads = False
    held = onnxruntime.InferenceSession(squares, options, providers=["CPUExecutionProvider"])
    assert len(of_sessions(messages)) == 1
    with pytest.raises(RuntimeError, match="number of threads"):
        onnxruntime.set_global_thread_pool_sizes(1, 1)
    again = onnxruntime.InferenceSession(squares, options, providers=["CPUExecutionProvider"])
    assert len(of_sessions(messages)) == 2
    for each in (held, again):
        vars(each).clear()
