# SPDX-License-Identifier: MIT
"""What the tests of memory share."""

import pytest

from ortcffi import Tracking


@pytest.fixture
def make(api):
    """``make()`` is an allocator that counts, and is kept by nobody else."""
    return lambda: Tracking(api.default_allocator)
