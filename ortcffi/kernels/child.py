# SPDX-License-Identifier: MIT
"""Processes of Python for what may crash: how they start, what they may take, how they end."""

import json
import signal
import sys

__all__ = ["command", "end_of", "limit_this_process", "printed", "signal_of"]

MOST_LINES = 20  # of what a process printed
MEMORY = 8 << 30  # bytes of address space, beside what Python has
FILE = 64 << 20  # bytes of each file that it writes
CPU = 300  # seconds, of all threads
_CODE = (
    "import json, sys; sys.path[:], module, function, arguments = json.loads(sys.argv[1]);"
    "import importlib; getattr(importlib.import_module(module), function)(*arguments)"
)


def command(module: str, function: str, *arguments: str | int, faults: bool = False) -> list[str]:
    """The command that calls a function of a module, found where this process finds it.

    With `faults`, a crash prints the stacks of Python.
    """
    path = [entry for entry in sys.path if isinstance(entry, str)]
    options = ["-X", "faulthandler"] if faults else []
    request = json.dumps([path, module, function, arguments])
    return [sys.executable, *options, "-c", _CODE, request]


def signal_of(code: int) -> str:
    """The name of the signal that ended a process with this exit code; "" for none."""
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
    """The last lines that a process printed, as the end of a sentence."""
    text = text if isinstance(text, str) else text.decode(errors="backslashreplace")
    lines = text.strip().splitlines()
    left_out = [f"({len(lines) - most} lines left out)"] if len(lines) > most else []
    shown = [*left_out, *lines[-most:]]
    return f"; it printed: {between.join(shown)}" if shown else ""


def limit_this_process(memory: int = MEMORY) -> None:
    """Bound what a library may take in the process that examines it, and write no core dump.

    Whoever started the process bounds its time.
    """
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
