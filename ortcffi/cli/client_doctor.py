# SPDX-License-Identifier: MIT
"""``python -m ortcffi doctor --client PATH``: which API version a custom-op library needs.

The library is registered in a process of its own, with a host that counts the calls in memory that
both processes see. So one that crashes or hangs has still told what it called before.
"""

import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

from ortcffi._convert import absolute, decode
from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.errors import ErrorCode, OrtError, check
from ortcffi.table import load as providers
from ortcffi.table.api import Api
from ortcffi.table.emulate import emulate
from ortcffi.table.expose import expose_symbols
from ortcffi.table.trace import Figures, Needs, Trace

ENTRY = "RegisterCustomOps"
SECONDS = 60  # until a library counts as hanging
_PROBE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "from ortcffi.cli.client_doctor import answer; answer(*sys.argv[2:])"
)


class Client(NamedTuple):
    """What a custom-op library did when it was registered with a host.

    Attributes
    ----------
    path : str
        The library.
    host : str
        The host, for people; "" if there was none.
    asked : tuple of int
        The API versions that the library asked ``GetApi`` for, ascending.
    granted : bool
        Whether the host has one of them.
    adapts : bool
        Whether it asks an older host for an older version.
    called : dict of str to int
        How often it called each slot.
    needs : Needs
        The lowest API version that has these slots.
    problem : str or None
        What is wrong; None if the library was registered.
    printed : str
        What it wrote to stderr.
    """

    path: str
    host: str = ""
    asked: tuple[int, ...] = ()
    granted: bool = False
    adapts: bool = False
    called: dict[str, int] = {}  # noqa: RUF012  # never changed
    needs: Needs = Needs(1, ())
    problem: str | None = None
    printed: str = ""


def host_api(host: str) -> Api:
    """The table that ``--api`` names: ``core``, a version, ``real``, or the path of a library."""
    if host == "core":
        return core_api()
    if host.isdecimal():
        return emulate(int(host))
    return providers.load(None if host == "real" else host)


def examine(path: str, host: str = "core", seconds: float = SECONDS) -> Client:
    """Register a custom-op library in another process, and tell how that went.

    Raises
    ------
    ValueError
        `path` is no path, or `host` is a number but no API version from 1 to 30.
    """
    path = absolute("--client", path)
    if host.isdecimal():
        emulate(int(host))
    client, version = _probe(path, host, seconds)
    # It may have been compiled for this very version, or have read it in the host's version string.
    if client.asked == (version,) and version > 1:
        older, _ = _probe(path, str(version - 1), seconds)
        return client._replace(adapts=bool(older.asked) and older.asked != client.asked)
    return client


def _probe(path: str, host: str, seconds: float) -> tuple[Client, int]:
    """What a library does with one host, and that host's version."""
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(ffi.sizeof("OrtcoreFigures"))
        paths = json.dumps([os.fspath(entry) for entry in sys.path])
        command = [sys.executable, "-c", _PROBE, paths, path, host, file.name]
        problem, told, printed = _run(command, seconds)
        counted = file.read()
    read: Any = ffi.from_buffer("OrtcoreFigures*", counted)
    figures, version = Figures(read), told.get("version", 0)
    client = Client(
        path,
        told.get("host", ""),
        asked=figures.asked,
        granted=any(asked <= version for asked in figures.asked),
        called=figures.called,
        needs=figures.needs,
        problem=problem or told.get("problem"),
        printed=printed,
    )
    return client, version


def _run(command: list[str], seconds: float) -> tuple[str | None, dict[str, Any], str]:
    """The problem that ended or stopped a process, the lines of JSON that it wrote, its stderr."""
    problem = None
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            output, printed = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            output, printed = process.communicate()
            problem = f"{ENTRY} does not return within {seconds:g} seconds"
    told: dict[str, Any] = {}
    for line in output.splitlines():
        try:
            told |= json.loads(line)
        except (TypeError, ValueError):  # something that the library wrote
            continue
    if process.returncode < 0 and not problem:
        problem = f"it crashes ({signal.Signals(-process.returncode).name})"
    elif not told.get("done") and not problem:
        problem = f"it ends the process, with exit code {process.returncode}"
    return problem, told, printed.decode(errors="backslashreplace").strip()


# --- in the other process -------------------------------------------------------------------------


def answer(path: str, host: str, counted: str) -> None:
    """Register a library and write what `examine` wants to know to stdout, as lines of JSON."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is told, and need not be kept
    try:
        api = host_api(host)
        _tell(host=f"ONNX Runtime {api.version_string}", version=api.version)
        _register(path, api, counted)
    except (OSError, ValueError, OrtError) as error:
        code = f"{ErrorCode(error.code).name}: " if isinstance(error, OrtError) else ""
        _tell(problem=f"{code}{error}")
    _tell(done=True)
    os._exit(0)  # without what the library would do at the end


def _tell(**facts: Any) -> None:
    sys.stdout.write("\n" + json.dumps(facts) + "\n")  # after whatever the library wrote
    sys.stdout.flush()


def _register(path: str, api: Api, counted: str) -> None:
    with open(counted, "r+b") as file:
        shared = mmap.mmap(file.fileno(), ffi.sizeof("OrtcoreFigures"))
    trace = Trace(api, ffi.from_buffer("OrtcoreFigures*", shared))
    function = lib.ortcffi_library_symbol(_open(path), ENTRY.encode())
    if not function:
        raise OSError(f"it does not define {ENTRY}, as custom-op libraries do")
    register = ffi.cast("OrtStatus*(*)(OrtSessionOptions*, const OrtApiBase*)", function)
    check(api.pointer, register(_session_options(api), trace.base), ENTRY)


def _open(path: str) -> Any:
    reason = ffi.new("char[]", 4096)
    library = lib.ortcffi_library_open(os.fsencode(path), reason, len(reason))
    if not library and "undefined symbol: OrtGetApiBase" in decode(reason):
        expose_symbols()
        sys.stderr.write("it finds OrtGetApiBase by name: it needs ortcffi.expose_symbols()\n")
        library = lib.ortcffi_library_open(os.fsencode(path), reason, len(reason))
    if not library:
        raise OSError(f"it cannot be loaded: {decode(reason)}")
    return library


def _session_options(api: Api) -> Any:
    """Session options; NULL on a host that cannot make any. They last until the process ends.

    Not counted: making them is another's task as a rule.
    """

    def made(kind: str, create: Callable[..., Any], *arguments: Any) -> Any:
        out = ffi.new(f"{kind}**")
        lib.ReleaseStatus(api.pointer, create(api.pointer, *arguments, out))
        return out[0]

    # Without an environment, what a real library logs ends the process.
    made("OrtEnv", lib.CreateEnv, lib.ORT_LOGGING_LEVEL_WARNING, b"ortcffi")
    return made("OrtSessionOptions", lib.CreateSessionOptions)


# --- for people -----------------------------------------------------------------------------------


def describe(client: Client) -> str:
    """Say what was found, in lines."""
    lines = [f"custom-op library {client.path}"]
    if client.host:
        lines.append(f"met {client.host}")
    if client.asked:
        versions = ", ".join(map(str, client.asked))
        got = "" if client.granted else ", and got none"
        lines.append(f"asked for API version {versions}{got}")
    for name, count in client.called.items():
        lines.append(f"called {name}" if count == 1 else f"called {name}, {count} times")
    lines += [f"it printed: {line}" for line in client.printed.splitlines()]
    lines.append(f"STOPPED: {client.problem}" if client.problem else f"ok: {ENTRY} succeeded")
    if client.asked:
        lines += _conclude(client)
    return "\n    ".join(lines)


def _conclude(client: Client) -> list[str]:
    lowest, (version, slots) = min(client.asked), client.needs
    lines = [f"needs a host of API version {lowest} or newer, because it asks for that"]
    if client.adapts:
        lines = ["asks for the API version that the host says it has"]
    if slots:
        newest = ", ".join(slots) if version > 1 else "all slots that it called"
        so_far = " so far" if client.problem else ""
        lines.append(f"for what it called{so_far}, API version {version} would do ({newest})")
    return lines


def main(path: str, host: str, *, as_json: bool) -> int:
    """Do what ``doctor --client`` does, and return the exit code: 1 if it was not registered."""
    client = examine(path, host)
    if as_json:
        found = client._asdict() | {"needs": client.needs._asdict()}
        text = json.dumps({"ok": not client.problem, "client": found}, indent=2)
    else:
        text = describe(client)
    sys.stdout.write(text + "\n")
    return int(client.problem is not None)
