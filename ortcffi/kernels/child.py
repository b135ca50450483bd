# SPDX-License-Identifier: MIT
"""Processes of Python for what may crash: how they start, what they may take, how they end."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple

JOBS = os.cpu_count() or 1  # processes at once
SECONDS = 300.0  # the default time limit of a process

MOST_LINES = 20  # of what a process printed
MEMORY = 8 << 30  # bytes of address space, beside what Python has
FILE = 64 << 20  # bytes of each file that it writes
CPU = 300  # seconds, of all threads
_ABORTED = 5  # seconds for a process to print its stacks
_CODE = (
    "import json, sys; sys.path[:], module, function, arguments = json.loads(sys.argv[1]);"
    "import importlib; getattr(importlib.import_module(module), function)(*arguments)"
)


def command(module: str, function: str, *arguments: str | int, faults: bool = False) -> list[str]:
    """Return the command that calls a function of a module, found where this process finds it.

    With `faults`, a crash prints the stacks of Python, and what was printed before is not lost.
    """
    path = [entry for entry in sys.path if isinstance(entry, str)]
    options = ["-P"]  # or a file json.py in the current directory would be imported
    options += ["-u", "-X", "faulthandler"] if faults else []
    request = json.dumps([path, module, function, arguments])
    return [sys.executable, *options, "-c", _CODE, request]


def seconds_of(timeout: Any) -> float:
    """Return a time limit that was given as an argument, of Python or of NumPy."""
    if isinstance(timeout, bool) or not hasattr(timeout, "__float__"):
        raise TypeError(f"timeout must be a number of seconds, not {type(timeout).__name__}")
    if not 0 < float(timeout) <= threading.TIMEOUT_MAX:
        raise ValueError(f"timeout must be a number of seconds above 0, not {timeout!r}")
    return float(timeout)


def too_long(seconds: float) -> str:
    """Return what is said of a process that was ended because of its time limit."""
    return f"it takes longer than {seconds:g} seconds"


def _end_session(leader: int) -> None:
    """End a process, and those of its session that it has left."""
    with suppress(ProcessLookupError, PermissionError):  # none is left
        os.killpg(leader, signal.SIGKILL)


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a process that has a session of its own, and those that it started and left."""
    if sys.platform == "win32":
        process.kill()
    else:
        _end_session(process.pid)
    process.wait()


def abort(process: "subprocess.Popen[bytes]") -> None:
    """Do the same of one that takes too long. Started with `faults`, it prints Python's stacks."""
    if sys.platform != "win32":
        process.send_signal(signal.SIGABRT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_ABORTED)
    end(process)


@contextmanager
def limited(process: "subprocess.Popen[bytes]", seconds: float) -> Iterator[threading.Event]:
    """Abort a process if the block takes too long, after which the event is set."""
    late, lock, over = threading.Event(), threading.Lock(), False

    def end() -> None:
        with lock:
            if over:
                return
            late.set()
        abort(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        with lock:
            over = True


class Ended(NamedTuple):
    """How a process ended: its exit code, None if its time was up; and what it wrote."""

    code: int | None
    output: bytes
    errors: bytes


def run(
    module: str,
    function: str,
    *arguments: str | int,
    seconds: float | None = None,
    given: bytes = b"",
) -> Ended:
    """Call a function of a module in another process, as `run_command` runs a command.

    Within `prepared`, that process is a fork of one that has imported the modules.
    """
    if _modules is None or not hasattr(os, "fork"):
        return run_command(command(module, function, *arguments), seconds, given)
    server = _idle.pop() if _idle else Prepared("ortcffi.kernels.child", "serve", *_modules)
    with TemporaryDirectory() as folder:
        with open(os.path.join(folder, _STREAMS[0]), "wb") as file:
            file.write(given)
        code, written = server.call(folder, [module, function, arguments], seconds or SECONDS)
        if not server.ended:
            _idle.append(server)
        return Ended(code, *written)


# --- forks of a process that has imported what they need ------------------------------------------

_STREAMS = "in", "out", "err"
_modules: tuple[str, ...] | None = None
_idle: "list[Prepared]" = []


@contextmanager
def prepared(*modules: str) -> Iterator[None]:
    """Have `run` start forks of processes that have imported modules, which takes a fourth."""
    global _modules  # noqa: PLW0603  # of commands, which have the process for themselves
    before, _modules = _modules, modules
    try:
        yield
    finally:
        _modules = before
        while _idle:
            _idle.pop().close()


class Prepared:
    """A process that forks for each call."""

    def __init__(
        self,
        module: str,
        function: str,
        *arguments: str,
        folder: "str | os.PathLike[str]" = ".",
        faults: bool = False,
    ) -> None:
        self._printed = TemporaryFile()  # noqa: SIM115  # until it ends
        self._process = subprocess.Popen(
            command(module, function, *arguments, faults=faults),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            cwd=folder,
            start_new_session=True,
        )
        self.ended = False

    def call(self, folder: str, request: Any, seconds: float) -> tuple[int | None, list[bytes]]:
        """Have it fork for a request, which has a folder for files that the fork writes.

        Returns the fork's exit code, None if its time was up; and what it wrote to standard output
        and standard error, for which the folder has files.
        """
        process, running = self._process, getattr(_of_thread, "running", None)
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  # typed
        line = json.dumps([folder, request, dict(os.environ), os.getcwd()]) + "\n"
        if running is not None:
            running[process] = signal.SIGABRT  # which ends its fork, too
        try:
            with limited(process, seconds) as late:
                with suppress(BrokenPipeError):
                    process.stdin.write(line.encode())
                    process.stdin.flush()
                answer = process.stdout.readline()
        except BaseException:
            self.close(is_idle=False)
            raise
        finally:
            if running is not None:
                running.pop(process, None)
        written = [_read(os.path.join(folder, name)) for name in _STREAMS[1:]]
        if answer:
            return int(answer), written
        code = process.wait()
        self._printed.seek(0)
        written[1] += self._printed.read()
        self.close()
        return None if late.is_set() else code, written

    def close(self, *, is_idle: bool = True) -> None:
        """End it, once."""
        if self.ended:
            return
        self.ended = True
        (end if is_idle else abort)(self._process)
        self._process.communicate()
        self._printed.close()


def _read(path: str) -> bytes:
    with suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read()
    return b""


def next_fork(answers: int) -> Any:
    """Fork for each request on standard input; in a fork, return the folder and the request.

    The process that forks writes the exit codes to the file `answers`, and ends what forks leave.
    Where there are no requests any more, None is returned to it. A fork has the files of its folder
    as standard streams.
    """
    gc.freeze()  # or the collector of each fork writes to all pages, which are copied then
    with open(0, "rb", closefd=False) as requests:
        for line in requests:
            fork = _fork() if hasattr(os, "fork") else 0
            if fork == 0:
                os.close(answers)
                return _begin(*json.loads(line))
            code = os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])
            _end_session(fork)
            os.write(answers, f"{code}\n".encode())
    return None


def _begin(folder: str, request: Any, environment: dict[str, str], directory: str) -> Any:
    import faulthandler

    for place, name in enumerate(_STREAMS):
        file = os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(file, place)
        os.close(file)
    if faulthandler.is_enabled():
        faulthandler.disable()  # and enable it for the new file
        faulthandler.enable()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    return folder, request


def _fork() -> int:
    """Fork. The process that goes on ends its fork when it is aborted itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of NumPy's BLAS, which is made for forks
        fork = os.fork()
    if fork:
        signal.signal(signal.SIGABRT, lambda *_: _abort(fork))
    else:
        signal.signal(signal.SIGABRT, signal.SIG_DFL)
        os.setsid()
    return fork


def _abort(fork: int) -> None:
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(fork, signal.SIGABRT)
        until = time.monotonic() + _ABORTED - 1
        while os.waitpid(fork, os.WNOHANG)[0] == 0 and time.monotonic() < until:
            time.sleep(0.01)
    _end_session(fork)
    os._exit(1)


def serve(*modules: str) -> None:
    """Call functions that are asked for on standard input, each in a fork of this process."""
    answers = os.dup(1)
    os.dup2(2, 1)
    for module in modules:
        import_module(module)
    if (found := next_fork(answers)) is not None:
        module, function, arguments = found[1]
        getattr(import_module(module), function)(*arguments)


# --- commands -------------------------------------------------------------------------------------

# `running`: what a thread of `side_by_side` has started, with the signal that ends it.
_of_thread = threading.local()
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows ends processes by no signal


def run_command(words: Sequence[str], seconds: float | None, given: bytes = b"") -> Ended:
    """Run a command for so many seconds at most.

    What it starts and leaves is ended with it, and so is all of it where an exception, such as that
    of Ctrl-C, ends the wait. `given` is what it reads from standard input.
    """
    # Files and no pipes, which a process that is left in another session would keep open.
    with TemporaryFile() as read, TemporaryFile() as output, TemporaryFile() as errors:
        read.write(given)
        read.seek(0)
        files: dict[str, Any] = {"stdin": read, "stdout": output, "stderr": errors}
        process = subprocess.Popen(words, **files, start_new_session=True)
        running = getattr(_of_thread, "running", None)
        if running is not None:
            running[process] = _KILL
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end(process)
            if running is not None:
                running.pop(process, None)
        for file in (output, errors):
            file.seek(0)
        return Ended(code, output.read(), errors.read())


def side_by_side(function: Callable[[Any], Any], given: Iterable[Any]) -> Iterator[Any]:
    """Map a function that runs processes, on as many threads as there are processors."""
    several = list(given)
    if JOBS == 1 or len(several) < 2:
        yield from map(function, several)
        return
    running: dict[subprocess.Popen[bytes], int] = {}
    given_to_threads = (_of_thread, "running", running)
    with ThreadPoolExecutor(JOBS, initializer=setattr, initargs=given_to_threads) as pool:
        try:
            yield from pool.map(function, several)
        finally:  # before the pool waits for its threads
            for process, number in list(running.items()):
                with suppress(ProcessLookupError):
                    if sys.platform == "win32":
                        process.kill()
                    else:
                        os.killpg(process.pid, number)


def tell(**facts: Any) -> None:
    """Write a line that `ask` reads. The last one has the key ``done``, and ends the process."""
    sys.stdout.write("\n" + json.dumps(facts) + "\n")  # after what a library wrote
    sys.stdout.flush()
    if "done" in facts:
        os._exit(0)  # without the destructors of libraries


def ask(
    module: str, function: str, *arguments: str | int, seconds: float, call_seconds: float = 0
) -> tuple[list[dict[str, Any]], str, str]:
    """Call a function in another process that `tell` facts.

    Returns the facts, how the process ended if it was not done, else "", and what it printed.
    `call_seconds` is the limit of the alarm that the process may set itself.
    """
    code, output, errors = run(module, function, *arguments, seconds=seconds)
    facts: list[dict[str, Any]] = []
    for line in output.splitlines():
        try:
            fact = json.loads(line)
        except ValueError:  # a line that a library wrote
            continue
        if isinstance(fact, dict):
            facts.append(fact)
    problem = ""
    if not (facts and "done" in facts[-1]):
        is_late = code is None or signal_of(code) == "SIGALRM"
        limit = seconds if code is None else call_seconds
        problem = f"it does not return within {limit:.0f} seconds" if is_late else end_of(code or 0)
    return facts, problem, errors.decode(errors="backslashreplace").strip()


def signal_of(code: int) -> str:
    """Return the name of the signal that ended a process with this exit code; "" for none."""
    if code >= 0:
        return ""
    try:
        return signal.Signals(-code).name
    except ValueError:  # one of real time
        return f"signal {-code}"


def end_of(code: int) -> str:
    """How a process ended that was not to end."""
    name = signal_of(code)
    return f"it crashes ({name})" if name else f"it ends the process, with exit code {code}"


def printed(text: bytes | str, between: str = " / ", most: int = MOST_LINES) -> str:
    """Get what a process printed, without the middle of a long text, as the end of a sentence."""
    text = text if isinstance(text, str) else text.decode(errors="backslashreplace")
    lines = text.strip().splitlines()
    first = most // 4
    if len(lines) > most:
        lines[first : first - most] = [f"({len(lines) - most} lines left out)"]
    return f"; it printed: {between.join(lines)}" if lines else ""


def limit_this_process(memory: int = MEMORY) -> None:
    """Bound what a library may take in the process that examines it, and write no core dump.

    The process that started it bounds its time, on Windows nothing else.
    """
    if sys.platform == "win32":
        return
    import resource

    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: FILE,
        resource.RLIMIT_CPU: CPU,
    }
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        limits[resource.RLIMIT_AS] = used + memory
    for kind, most in limits.items():
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, hard))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and writing would go on
