# SPDX-License-Identifier: MIT
"""Programs in Python for tests, each in a process of its own that has imported NumPy already.

To start the interpreter and to import NumPy takes longer than what most programs of tests do. What
depends on how a process starts, or on what it has not imported, `processes.run` starts anew.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from support.processes import TIME_LIMIT

SERVER = Path(__file__).with_name("prepared_server.py")


class Prepared:
    """Runs programs in forks of an interpreter, which is started for the first."""

    def __init__(self, *command: str | Path) -> None:
        """Name the interpreter, with its options."""
        self._command = [*map(str, command), str(SERVER)]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self._end)

    def __call__(
        self,
        program: str,
        *arguments: str | Path,
        code: int | None = 0,
        timeout: float = TIME_LIMIT,
        env: dict[str, str] | None = None,
        cwd: str | Path = ".",
    ) -> "subprocess.CompletedProcess[str]":
        """Run a program, as `processes.run` runs a command."""
        request = {
            "program": program,
            "arguments": [str(argument) for argument in arguments],
            "environment": dict(os.environ) if env is None else env,
            "folder": os.path.abspath(cwd),
        }
        with TemporaryFile() as nothing, TemporaryFile() as output, TemporaryFile() as errors:
            files = [file.fileno() for file in (nothing, output, errors)]
            with self._lock:
                status = self._request(json.dumps(request).encode(), files, timeout)
            written = [os.pread(file.fileno(), 1 << 30, 0).decode() for file in (output, errors)]
        done = subprocess.CompletedProcess([program], os.waitstatus_to_exitcode(status), *written)
        assert code is None or done.returncode == code, f"{done.stdout}{done.stderr}"
        return done

    def _request(self, request: bytes, files: list[int], timeout: float) -> int:
        """The status with which the program ends; all its processes end if it takes too long."""
        if self._process is None:
            self._start()
        try:
            self._socket.settimeout(timeout)
            socket.send_fds(self._socket, [request], files)
            return int(self._socket.recv(100))
        except BaseException:  # also where the user interrupts the tests
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._end()
            raise

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [*self._command, str(number)],
                stdin=subprocess.DEVNULL,
                pass_fds=[number],
                process_group=0,
            )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            process.wait()


run_program = Prepared(sys.executable)


def printed_by(program: str, *arguments: str | Path, **environment: str) -> str:
    """What a program prints, with further variables of its environment."""
    return run_program(program, *arguments, env=os.environ | environment).stdout.strip()
