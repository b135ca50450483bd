# SPDX-License-Identifier: MIT
"""Session options that are changed or closed while a session is made of them."""

import contextlib
import gc
import weakref

import numpy as np
import pytest
from support import models
from support.releases import needs_release

import ortcffi as ort

CHANGES = {
    "a text": lambda options: setattr(options, "log_id", "another"),
    "a number": lambda options: setattr(options, "intra_op_threads", 2),
    "an entry": lambda options: options.config.update({"key": "another"}),
    "a dimension": lambda options: options.fix_dimension("batch", 3),
    "an initializer": lambda options: options.add_initializer("w", initializer(options.api)),
    "a provider": lambda options: options.add_provider("none"),
    "ops": lambda options: options.register_custom_ops("/none"),
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
def test_options_may_change_while_a_session_is_made_of_them(real_api, change, x):
    made = Logging(real_api, lambda options: changes(options, change))
    with made.options as options, ort.Session(models.add(), options) as session:
        assert made.answers == [None]
        assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]


def test_options_may_be_closed_while_a_session_is_made_of_them(real_api, x):
    made = Logging(real_api, lambda options: options.close())
    with ort.Session(models.add(), made.options) as session:
        assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]


@needs_release(22, "cancelled loading")
def test_loading_is_cancelled_while_a_session_is_made(real_api):
    made = Logging(real_api, lambda options: setattr(options, "loading_cancelled", True))
    with made.options as options:
        with contextlib.suppress(ort.OrtError):  # if the library still looks
            ort.Session(models.add(), options).close()
        assert options.loading_cancelled


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
