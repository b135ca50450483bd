# SPDX-License-Identifier: MIT
"""Children that commands start: those of most tests are forks, which takes a tenth of the time."""

import numpy.ma
import numpy.testing
import pytest
from support.processes import run_in_fork

from ortcffi.cli import check_client
from ortcffi.kernels import child
from ortcffi.testing import op_rules

# What the children need not import.
__all__ = ["check_client", "numpy", "op_rules"]


@pytest.fixture
def forks(monkeypatch):
    """Commands fork this process instead of starting Python anew."""
    monkeypatch.setattr(child, "run", run_in_fork)
    monkeypatch.setattr(child, "JOBS", 1)  # no forks beside threads
