# SPDX-License-Identifier: MIT
"""The mark of tests of what NumPy 1, which the package works with too, cannot do."""

import numpy as np
import pytest


def needs_numpy_2(lacks: str) -> pytest.MarkDecorator:
    """Skip a test on NumPy 1, and say what it lacks."""
    return pytest.mark.skipif(np.__version__ < "2", reason=f"NumPy 1 {lacks}")
