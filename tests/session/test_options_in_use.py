# SPDX-License-Identifier: MIT
"""Options of sessions and runs that are changed or closed while they are in use."""

import contextlib
import gc
import weakref

import numpy as np
import pytest
from support import models
from support.processes import TIME_LIMIT
from support.releases import needs_release
from support.threads import join, start, wait_until

import ortcffi as ort
from ortcffi import compat
from ortcffi.compat._environment import close_environment

CHANGES = {
    "a text": lambda options: setattr(options, "log_id", "another"),
    "a number": lambda options: setattr(options, "intra_op_threads", 2),
    "an entry": lambda options: options.config.update({"key": "another"}),
    "a dimension": lambda options: options.fix_dimension("batch", 3),
    "an initializer": lambda options: options.add_initializer("w", initializer(options.api)),
    "a provider": lambda options: options.add_provider("none"),
    "ops": lambda options: options.register_custom_ops("/none"),
    "their end": lambda options: options.close(),
}
NEEDS_WRITER = needs_release(23, "functions that write a compiled model")


def initializer(api):
    return ort.Value.from_numpy(np.ones(3, np.float32), api=api)


def changes(options, change):
    """Make a change, which the library may refuse."""
    with contextlib.suppress(ort.OrtError):
        change(options)


class Logging:
    """Options whose logger calls a function once, while a session is made of them."""

    def __init__(self, api, function):
        self.answers = []
        self.function = function
        self.options = ort.SessionOptions(
            api, logger=self.log, log_severity=ort.LogSeverity.VERBOSE, config={"key": "value"}
        )

    def log(self, _message):
        if not self.answers:
            self.answers.append(None)
            self.answers[0] = self.function(self.options)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_options_may_change_or_be_closed_while_a_session_is_made_of_them(real_api, change, x):
    made = Logging(real_api, lambda options: changes(options, change))
    with made.options as options, ort.Session(models.add(), options) as session:
        assert made.answers == [None]
        assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]


@NEEDS_WRITER
def test_compiling_keeps_what_closed_options_own(real_api):
    array = np.ones(3, np.float32)
    gone = weakref.ref(array)
    options = ort.SessionOptions(real_api)
    options.add_initializer("w", ort.Value.from_numpy(array, api=real_api))
    del array
    alive = []

    def write(_part):
        options.close()
        gc.collect()
        alive.append(gone() is not None)

    ort.compile_model(models.add(), write, options=options)
    assert alive[0]


# --- options of a run -----------------------------------------------------------------------------


BIG = np.ones((32, 32), np.float32)
RUN_CHANGES = {
    "tag": lambda options: setattr(options, "tag", "another"),
    "log severity": lambda options: setattr(options, "log_severity", 3),
    "profiling": lambda options: setattr(options, "profiling", None),
    "an entry": lambda options: options.config.update({"key": "another"}),
}


@pytest.fixture
def options(real_api):
    with ort.RunOptions(real_api, tag="mine", config={"key": "value"}) as options:
        yield options


@pytest.fixture
def endless(opened):
    options = ort.SessionOptions(intra_op_threads=1, log_severity=ort.LogSeverity.FATAL)
    return opened(models.loop(10**12, 32), options)


@pytest.fixture
def run(endless, options):
    """A future of a run that uses the options until they are terminated."""
    future = endless.run_future({"x": BIG}, options=options)
    wait_until(lambda: endless.running)
    yield future
    options.terminated = True
    future.exception(TIME_LIMIT)
    wait_until(lambda: not endless.running)  # a test may leave another run with these options
    options.terminated = False


def refuses(options, change):
    """Whether a change is refused because of a run."""
    gc.collect()
    try:
        change(options)
    except RuntimeError as error:
        assert "this RunOptions is in use on another thread" in str(error)  # noqa: PT017  # or it has changed
        return True
    return False


@pytest.mark.parametrize("change", RUN_CHANGES.values(), ids=RUN_CHANGES)
def test_options_are_changed_only_when_the_last_run_has_ended(options, run, endless, change):
    second = endless.run_future({"x": BIG}, options=options)
    wait_until(lambda: endless.running == 2)
    assert refuses(options, change)
    assert (options.tag, options.config["key"], options.profiling) == ("mine", "value", None)
    options.terminated = True
    for each in (run, second):
        with pytest.raises(ort.errors.Fail, match="terminate flag"):
            each.result(TIME_LIMIT)
    assert not refuses(options, change)


def test_options_are_not_changed_while_a_bound_run_reads_them(options, endless):
    bound = endless.bind(x=BIG)

    def work():
        with pytest.raises(ort.errors.Fail, match="terminate flag"):
            bound.run(options=options)

    threads = start(work)
    wait_until(lambda: endless.running)
    assert refuses(options, RUN_CHANGES["tag"])
    options.terminated = True
    join(*threads)
    assert not refuses(options, RUN_CHANGES["tag"])


@pytest.mark.usefixtures("run")
def test_adapters_are_not_added_while_a_run_looks_for_them(options, real_api, tmp_path):
    written = compat.AdapterFormat()
    written.set_parameters({"w": compat.OrtValue.ortvalue_from_numpy(BIG)})
    written.export_adapter(str(tmp_path / "adapter"))
    del written
    with ort.LoraAdapter(tmp_path / "adapter", real_api) as adapter:
        assert refuses(options, lambda given: given.add_adapter(adapter))
    assert options.adapters == []
    close_environment()
