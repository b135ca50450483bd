# SPDX-License-Identifier: MIT
"""Commands, in the process of the tests; what they start are forks, which takes a tenth."""

import io
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess

import numpy.ma
import numpy.testing
import pytest
from support.processes import run_in_fork

from ortcffi import __main__ as command_line
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


@pytest.fixture
def run_here(forks):  # noqa: ARG001  # by what commands start
    """``run_here(*arguments)`` does what ``python -m ortcffi`` does, without a process for it."""

    def run_here(*arguments: str) -> CompletedProcess[str]:
        output, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            try:
                code = command_line.main(arguments)
            except SystemExit as end:
                code = end.code
        return CompletedProcess(arguments, code, output.getvalue(), errors.getvalue())

    return run_here
