# SPDX-License-Identifier: MIT
"""`Logging` logs each allocation, refusal and free."""

import logging

import pytest

from ortcffi import Limiting, Logging


@pytest.fixture
def events(caplog):
    caplog.set_level(logging.DEBUG, "ortcffi.memory")
    return lambda: [(r.event, r.size, r.levelno) for r in caplog.records]


def test_an_allocation_and_its_free_are_logged(api, events, caplog):
    array = Logging(api.default_allocator).empty(100, "u1")
    address = array.ctypes.data
    del array
    assert events() == [("allocated", 100, logging.DEBUG), ("freed", 100, logging.DEBUG)]
    assert [record.address for record in caplog.records] == [address, address]
    assert caplog.messages[0] == f"allocated 100 bytes at 0x{address:x}"


def test_a_refused_allocation_is_logged_as_a_warning(api, events):
    with pytest.raises(MemoryError):
        Logging(Limiting(api.default_allocator, 10)).empty(100, "u1")
    assert events() == [("refused", 100, logging.WARNING)]


def test_the_logger_and_the_level_can_be_chosen(api, caplog):
    caplog.set_level(logging.INFO)
    Logging(api.default_allocator).empty(3)
    Logging(api.default_allocator, level=logging.ERROR).empty(0)
    assert caplog.records == []
    Logging(api.default_allocator, logging.getLogger("mine"), logging.ERROR).empty(3)
    assert {(r.name, r.levelno) for r in caplog.records} == {("mine", logging.ERROR)}


def test_an_allocation_succeeds_if_the_logger_raises(api, monkeypatch):
    reported = []
    hook = lambda what: reported.append((what.exc_type, f"Exception ignored in {what.object}"))  # noqa: E731
    monkeypatch.setattr("sys.unraisablehook", hook)
    logger = logging.getLogger("broken")
    monkeypatch.setattr(logger, "log", lambda *_, **__: 1 / 0)
    array = Logging(api.default_allocator, logger, logging.CRITICAL).zeros(3)
    assert array.sum() == 0
    del array
    message = "Exception ignored in the observe of an allocator"
    assert reported == [(ZeroDivisionError, message)] * 2
