# SPDX-License-Identifier: MIT
"""How tests start processes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# Seconds. Nothing takes as long, except where two processes wait for each other.
TIME_LIMIT = 300


def run(
    *command: str | Path, code: int | None = 0, timeout: float = TIME_LIMIT, **options: Any
) -> "subprocess.CompletedProcess[Any]":
    """Run a command, by default with its output as text.

    Parameters
    ----------
    *command
        The program and its arguments.
    code
        The exit code that it must have; None for any.
    timeout
        Seconds after which the process is killed and the test fails.
    **options
        For `subprocess.run`.
    """
    options = {"capture_output": True, "text": True} | options
    words = [str(word) for word in command]
    done = subprocess.run(words, check=False, timeout=timeout, **options)
    assert code is None or done.returncode == code, f"{words[0]}: {done.stdout}{done.stderr}"
    return done


def run_python(program: str, *arguments: str | Path, **environment: str) -> str:
    """Run Python code in a new interpreter, and return what it prints."""
    command = [sys.executable, "-c", program, *arguments]
    return run(*command, env={**os.environ, **environment}).stdout.strip()
