# SPDX-License-Identifier: MIT
"""An interrupt between the library's answer and the note of what it then borrows."""

import gc
import weakref
from contextlib import suppress

import numpy as np
import pytest

import ortcffi as ort


def struck(kind):
    """A class whose calls of the library are interrupted as they return."""

    class Struck(kind):
        def _call(self, slot, *arguments):
            with suppress(ort.errors.NotImplemented):  # the wheels have no work functions
                super()._call(slot, *arguments)
            raise KeyboardInterrupt

    return Struck


def test_options_keep_a_source_model_that_the_library_took(core_api):
    model = np.ones(10, np.uint8)
    gone = weakref.ref(model)
    with struck(ort.SessionOptions)(core_api) as options:
        with pytest.raises(KeyboardInterrupt):
            options.set_weightless_source(model)
        del model
        gc.collect()
        assert gone() is not None
