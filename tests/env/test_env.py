# SPDX-License-Identifier: MIT
"""Environments: one per library, its loggers, its threads."""

import logging
import re
import sys
from pathlib import Path

import pytest
from support.processes import run

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.callbacks.logs import log_context


@pytest.fixture
def unraisable(monkeypatch):
    """Calls of ``sys.unraisablehook``: the class and the text of each exception."""
    reported = []
    monkeypatch.setattr(
        sys,
        "unraisablehook",
        lambda what: reported.append((what.exc_type, f"Exception ignored in {what.object}")),
    )
    return reported


def say(context, severity=2, text=b"text", place=b"dir/file.cc:12 ns::function"):
    """Log as a library does."""
    level = ffi.cast("OrtLoggingLevel", severity)
    lib.ortcffi_log(context.pointer, level, b"category", b"id", place, text)


def provoke(api):
    """Have a library log a warning."""
    with ort.SessionOptions(api, config={"key": "1"}) as options:
        lib.AddSessionConfigEntry(api.pointer, options.handle, b"key", b"2")


# --- one per library ------------------------------------------------------------------------------


def test_a_library_has_one_environment_whatever_the_number_of_objects(api):
    with ort.Env("first", api, severity=ort.LogSeverity.ERROR) as first:
        with ort.Env("second", api, severity=ort.LogSeverity.INFO) as second:
            assert first.handle == second.handle
            assert second.severity is first.severity is ort.LogSeverity.ERROR
            second.severity = ort.LogSeverity.FATAL
        assert first.severity is ort.LogSeverity.FATAL
    with ort.Env("third", api, severity=99) as third:
        assert third.severity == 99


def test_tables_of_one_library_share_its_environment(core_api):
    with ort.Env(api=core_api) as new, ort.Env(api=ort.emulate(12)) as old:
        assert new.handle == old.handle


def test_configuration_entries_can_be_given_and_telemetry_be_set(api):
    with ort.Env("naïve", api, config={"a": "模型"}, logger=lambda _: None) as env:
        assert env.severity is ort.LogSeverity.WARNING
        env.set_telemetry(False)
        env.set_telemetry(True)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"log_id": b"x"}, TypeError, "log_id must be a str, not bytes"),
        ({"log_id": "\0"}, ValueError, "log_id must not contain a null character"),
        ({"severity": "x"}, TypeError, "severity must be an int, not str"),
        ({"logger": 5}, TypeError, r"logger must be a logging\.Logger or a callable, not int"),
        ({"threading": 5}, TypeError, "threading must be ThreadingOptions, not int"),
        ({"config": {"a": 5}}, TypeError, "the value of 'a' must be a str, not int"),
    ],
)
def test_a_wrong_argument_is_named(api, arguments, error, says):
    with pytest.raises(error, match=says):
        ort.Env(api=api, **arguments)


def test_threading_options_must_be_of_the_same_table(core_api, real_api):
    with ort.ThreadingOptions(real_api) as options, pytest.raises(ValueError, match="belongs to"):
        ort.Env(api=core_api, threading=options)


def test_the_cpu_is_the_last_of_the_providers(api):
    assert ort.available_providers(api)[-1] == "CPUExecutionProvider"


def test_a_library_names_the_device_of_its_provider(api):
    with ort.Env(api=api) as env:
        [device] = env.devices
        assert (device.name, device.vendor) == ("CPUExecutionProvider", "Microsoft")
        assert device == env.devices[0]
        assert hash(device) == hash(env.devices[0])
        assert "version" in device.metadata
        assert device.options == {}
        assert repr(device) == "<EpDevice 'CPUExecutionProvider'>"


# --- loggers --------------------------------------------------------------------------------------


def test_a_logger_gets_records_with_the_librarys_fields(caplog):
    context = log_context(logging.getLogger("ort"))
    with caplog.at_level(logging.DEBUG, logger="ort"):
        for severity in (*ort.LogSeverity, 99, -1):
            say(context, severity, b"100 % na\xc3\xafve \xff")
        say(context, 4, place=b"somewhere")
    with caplog.at_level(logging.ERROR, logger="ort"):
        say(context, ort.LogSeverity.WARNING)  # is below the level of the logger
    names = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "CRITICAL", "DEBUG", "CRITICAL"]
    assert [record.levelname for record in caplog.records] == names
    record = caplog.records[2]
    assert record.getMessage() == "100 % naïve \ufffd"
    assert record.severity is ort.LogSeverity.WARNING
    assert (record.category, record.log_id) == ("category", "id")
    assert record.code_location == "dir/file.cc:12 ns::function"
    assert (record.pathname, record.lineno) == ("dir/file.cc", 12)
    assert record.funcName == "ns::function"
    record = caplog.records[-1]
    assert record.code_location == "somewhere"
    assert (record.pathname, record.lineno) == ("(unknown file)", 0)


def test_a_callable_gets_messages():
    messages = []
    context = log_context(messages.append)
    say(context)
    place = "dir/file.cc:12 ns::function"
    assert messages == [(ort.LogSeverity.WARNING, "category", "id", place, "text")]
    assert messages[0].severity.name == "WARNING"


def test_a_severity_that_is_set_later_counts(real_api):
    messages = []
    with ort.Env("app", real_api, logger=messages.append) as env:
        env.severity = ort.LogSeverity.ERROR
        provoke(real_api)
        assert not messages
        env.severity = ort.LogSeverity.WARNING
        provoke(real_api)
        assert len(messages) == 1


def test_a_logger_that_has_gone_is_not_called():
    messages = []
    context = log_context(messages.append)
    pointer = context.pointer
    del context
    lib.ortcffi_log(pointer, 2, b"", b"", b"", b"text")
    assert messages == []


def test_an_exception_in_a_logger_is_reported_and_has_no_other_effect(real_api, unraisable):
    def raises(_message):
        raise KeyError("mine")

    with ort.Env(api=real_api, logger=raises):
        provoke(real_api)
    assert unraisable == [(KeyError, "Exception ignored in a logger")]


def test_an_environment_is_made_when_another_thread_has_ended_the_last_one(real_api, monkeypatch):
    class Busy:
        """The library, which refuses the first two environments as it does meanwhile."""

        refused = 0

        def __getattr__(self, name):
            return getattr(lib, name)

        def CreateEnv(self, *arguments):  # noqa: N802  # the name of the slot
            if self.refused == 2:
                return lib.CreateEnv(*arguments)
            self.refused += 1
            text = "Only one instance of LoggingManager created with InstanceType::Default can"
            return lib.CreateStatus(real_api.pointer, lib.ORT_FAIL, text.encode())

    busy = Busy()
    monkeypatch.setattr("ortcffi._table.lib", busy)
    with ort.Env(api=real_api):
        assert busy.refused == 2
    with ort.SessionOptions(real_api, config={"key": "value"}) as options:
        busy.refused = 0
        options.config["key"] = "another"  # to an environment of its own, which gets a warning
        assert (busy.refused, options.config["key"]) == (2, "another")


# --- records without a logger, and two threads on one environment ---------------------------------


TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9}"
COLOURS = {"W": "\033[0;93m", "E": "\033[1;31m", "F": "\033[1;37;41m"}


@pytest.fixture(params=["core", "real"])
def library(request: pytest.FixtureRequest) -> Path:
    """The path of each library in turn."""
    return request.getfixturevalue(f"{request.param}_library")


# A kernel logs at each severity from INFO on.
LOGS = """
import sys
from ortcffi.conformance.rows import Bench
from ortcffi.testing.rules import Subject

sys.stderr = sys.stdout
message = 'Logger_LogMessage(KernelInfo_GetLogger(i), severity, "message", "b.c", 12, "f")'
asks = f"making(lambda i: tuple({message} for severity in (1, 2, 3, 4)))"
make = 'e = CreateEnvWithCustomLogger(None, None, WARNING, "id")'
assert Bench(Subject(sys.argv[1])).answer(f"{make}; {asks}") == "OK; OK; OK; OK"
"""


def test_records_without_a_logger_are_lines_on_stderr(library):
    lines = run(sys.executable, "-c", LOGS, library).stderr.splitlines()
    expected = [
        re.escape(colour) + TIME + re.escape(f" [{letter}:onnxruntime:, b.c:12 f] message\033[m")
        for letter, colour in COLOURS.items()
    ]
    assert len(lines) == len(expected), lines  # not the first, whose severity is too low
    for line, pattern in zip(lines, expected, strict=True):
        assert re.fullmatch(pattern, line), line


def test_two_threads_share_one_environment(build_client, core_library):
    run(build_client("shared_env"), core_library, "20000")


def test_a_child_of_a_fork_has_an_environment_whatever_other_threads_did(
    build_client, core_library
):
    run(build_client("shared_env"), core_library, "100000", "200")
