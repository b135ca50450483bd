# SPDX-License-Identifier: MIT
"""How tests start processes, each of which has a time limit."""

import faulthandler
import gc
import os
import select
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

# Seconds. Nothing takes as long, except where two processes wait for each other. It is less than
# `LONGEST_TEST` in tests/conftest.py, which ends the whole process of a test that hangs.
TIME_LIMIT = 300

# pytest with the package's plugin, and without those of others whose imports take long.
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:anyio"]
PYTEST += ["-p", "no:hypothesispytest", "-p", "no:xdist"]


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
        Seconds after which the process and those that it started are killed and the test fails.
    **options
        For `subprocess.Popen`; and ``input``, what the process reads.
    """
    given = options.pop("input", None)
    pipe = subprocess.PIPE
    options = {"stdout": pipe, "stderr": pipe, "text": True, "process_group": 0} | options
    if given is not None:
        options["stdin"] = pipe
    words = [str(word) for word in command]
    with subprocess.Popen(words, **options) as process:
        try:
            output, errors = process.communicate(given, timeout)
        except BaseException:  # also where the user interrupts the tests
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    done = subprocess.CompletedProcess(words, process.returncode, output, errors)
    assert code is None or done.returncode == code, (
        f"{' '.join(words)} ended with {done.returncode}: {output}{errors}"
    )
    return done


@contextmanager
def started(*command: str | Path, **options: Any) -> "Iterator[subprocess.Popen[Any]]":
    """A process under way, which is killed in the end with those that it started."""
    with subprocess.Popen([str(word) for word in command], process_group=0, **options) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def run_python(program: str, *arguments: str | Path, **environment: str) -> str:
    """Run Python code in a new interpreter, and return what it prints."""
    command = [sys.executable, "-c", program, *arguments]
    return run(*command, env={**os.environ, **environment}).stdout.strip()


def run_in_fork(
    module: str,
    function: str,
    *arguments: str | int,
    seconds: float | None = TIME_LIMIT,
    given: bytes = b"",
) -> Any:
    """`ortcffi.kernels.child.run`, but in a fork of this process, which imports nothing anew."""
    from ortcffi.kernels.child import Ended

    with TemporaryFile() as read, TemporaryFile() as output, TemporaryFile() as errors:
        os.pwrite(read.fileno(), given, 0)
        child = fork_quietly()
        if child == 0:
            code = 1
            try:
                gc.freeze()  # or the collector writes to all pages, which are copied then
                faulthandler.disable()  # it writes to the standard error of the tests
                for place, file in enumerate((read, output, errors)):
                    os.dup2(file.fileno(), place)
                sys.stdin = open(0, closefd=False)  # noqa: SIM115  # until it ends
                sys.stdout, sys.stderr = (
                    open(place, "w", closefd=False)  # noqa: SIM115  # until it ends
                    for place in (1, 2)
                )
                getattr(import_module(module), function)(*arguments)
                code = 0
            except BaseException:  # noqa: BLE001  # as the interpreter would
                traceback.print_exc()
            finally:
                with suppress(Exception):
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(wait_for(child, seconds or TIME_LIMIT))
        written = [os.pread(file.fileno(), 1 << 30, 0) for file in (output, errors)]
    return Ended(None if code == -signal.SIGKILL else code, *written)


def run_pytest_in_fork(folder: Path, *arguments: str) -> str:
    """Run pytest in a folder, with our plugin and no other, and return what it prints."""
    done = run_in_fork(__name__, "run_pytest", str(folder), *arguments)
    return (done.output + done.errors).decode()


def run_pytest(folder: str, *arguments: str) -> None:
    """The same, where this process is the fork."""
    import pytest

    os.chdir(folder)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    options = ["-q", "-p", "ortcffi.testing.pytest_plugin", "-p", "no:cacheprovider"]
    options += ["-p", "no:faulthandler"]  # waits for a thread of the tests, which is not in a fork
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # it is imported already
    pytest.main([*options, *arguments])


def fork(work: Callable[[], object], limit: float = TIME_LIMIT) -> int:
    """Run a function in the child of a fork, and return the status for which a parent waits.

    The status is 0 if the function returned something true, and 256 if it returned something
    false or raised. A child that takes longer than the limit is killed, so that its status is 9.
    """
    child = fork_quietly()
    if child == 0:
        good = False
        try:
            good = bool(work())
        except BaseException:  # noqa: BLE001  # reported; the status says that it was raised
            traceback.print_exc(file=sys.__stderr__)
        finally:  # the child must not go on as a second process of tests
            os._exit(0 if good else 1)
    return wait_for(child, limit)


def fork_quietly() -> int:
    """`os.fork`, also beside threads; `wait_for` waits for the child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def has_ended(process: int) -> bool:
    """Whether a process is gone, or is one for whose end nobody has asked yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for(child: int, limit: float = TIME_LIMIT) -> int:
    """The status with which a child ends; it is killed if it takes longer than the limit."""
    end = os.pidfd_open(child)
    poll = select.poll()
    poll.register(end, select.POLLIN)
    try:
        if not poll.poll(limit * 1000):
            os.kill(child, signal.SIGKILL)
        return os.waitpid(child, 0)[1]
    finally:
        os.close(end)
