# SPDX-License-Identifier: MIT
"""``ortcffi top program.py ARGUMENTS``: what a program's sessions do."""

import argparse
import errno
import json
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from ortcffi._new_file import write_whole
from ortcffi.cli import supervise
from ortcffi.cli.program import program_name, unwritable

if TYPE_CHECKING:
    from ortcffi.cli.top_live import Live
    from ortcffi.official.records import SessionRecord

DESCRIPTION = """\
Run a Python program and print what its sessions do, those of the official package onnxruntime, of
the drop-in, and each ortcffi.Session: runs and their times, memory of their arenas, log messages.
The program is not changed."""
EPILOG = """\
ortcffi top program.py ARGUMENTS, ortcffi top -m module ARGUMENTS: Python runs it as it would alone.
ortcffi top -- COMMAND ARGUMENTS: a command that starts Python by itself. Each Python process that
made a session is in the table, which is written however the program ends. Signals are passed on to
the program. The exit status is the program's; 128 + N if signal N ended it."""
VARIABLE = "ORTCFFI_TOP"  # what each Python process of the program is given, as JSON


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments; return the exit status of the program."""
    parser = argparse.ArgumentParser(
        prog=program_name("top"),
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [options] (program.py | -m module | -- command) [ARGUMENT ...]",
    )
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON; - is stdout")
    parser.add_argument(
        "--live", action="store_true", help="show the table each second on the terminal"
    )
    parser.add_argument("-m", dest="module", action="store_true", help="run a module")
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = list(sys.argv[1:] if arguments is None else arguments)
    is_command = "--" in given and not _program_before(given)
    options = parser.parse_args(given)
    rest = [word for i, word in enumerate(options.program) if not (i == 0 and word == "--")]
    if not rest:
        parser.error("no program was given")
    if options.json not in (None, "-"):
        if reason := unwritable(options.json):
            parser.error(reason)
        options.json = os.path.join(os.getcwd(), options.json)  # the program may leave the folder
    if not is_command:
        if not options.module and not Path(rest[0]).exists():
            hint = f"; it is a command: put -- before {rest[0]}" if which(rest[0]) else ""
            raise FileNotFoundError(errno.ENOENT, f"{os.strerror(errno.ENOENT)}{hint}", rest[0])
        rest = [sys.executable, *(["-m"] if options.module else []), *rest]
    return _run(rest, options)


def _program_before(given: Sequence[str]) -> bool:
    """Whether a program stands before the first ``--``, which then is one of its arguments."""
    words = iter(given[: given.index("--")])
    for word in words:
        if word == "--json":
            next(words, None)
        elif not word.startswith("-") or word == "-m":
            return True
    return False


def _run(command: list[str], options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="ortcffi-top-") as folder:
        Path(folder, "sitecustomize.py").write_text(_SITECUSTOMIZE, encoding="utf-8")
        known = os.environ.get("PYTHONPATH")
        reports = Reports(folder)
        settings = {
            "folder": folder,
            "package": str(Path(__file__).resolve().parents[2]),
            "started": reports.started,
        }
        environment = {
            **os.environ,
            VARIABLE: json.dumps(settings),
            "PYTHONPATH": os.pathsep.join([folder, *([known] if known else [])]),
        }
        process = supervise.start(command, environment)
        live = _live_view(reports, " ".join(command)) if options.live else None
        code = supervise.wait_for(process)
        if live is not None:
            live.stop()
        reports.sample()
        _tell(reports.records, options)
        return code


class Reports:
    """What the processes of a program have written of their sessions.

    Attributes
    ----------
    records : list of SessionRecord
        The sessions, the oldest first, as of the last `sample`.
    started : float
        When the program began, as ``time.monotonic`` counts.
    """

    def __init__(self, folder: str) -> None:
        self.records: list[SessionRecord] = []
        self.started = time.monotonic()
        self._folder = Path(folder)

    def sample(self) -> None:
        """Read what there is now."""
        found: list[SessionRecord] = []
        for path in self._folder.glob("*.records"):
            found += pickle.loads(path.read_bytes())  # noqa: S301  # our own processes
        self.records = sorted(found, key=lambda record: (record.began, record.pid))


# Runs the sitecustomize that it hides, and makes the package importable as the last place to look.
_SITECUSTOMIZE = f'''\
import importlib.machinery, importlib.util, json, os, sys
_settings = json.loads(os.environ.get("{VARIABLE}", "{{}}"))
sys.path[:] = [p for p in sys.path if p != _settings.get("folder")]
_hidden = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
if _hidden is not None:
    _hidden.loader.exec_module(importlib.util.module_from_spec(_hidden))
sys.path.append(_settings["package"])
try:
    from ortcffi.official.recording import record_in
    record_in(_settings["folder"], _settings["started"])
except ImportError as error:
    sys.stderr.write(f"ortcffi top: cannot record in {{sys.executable}}: {{error}}\\n")
'''


def _live_view(reports: Reports, program: str) -> "Live | None":
    from ortcffi.cli.top_live import Live

    try:
        live = Live(reports, program)
    except OSError:
        sys.stderr.write("ortcffi top: --live needs a terminal, and there is none\n")
        return None
    live.start()
    return live


def _tell(records: "list[SessionRecord]", options: argparse.Namespace) -> None:
    # Not before: to import NumPy may start threads, which would take the program's signals.
    from ortcffi.official.report import as_json, as_table

    sys.stderr.write(as_table(records, _width()))
    if options.json == "-":
        sys.stdout.write(as_json(records))
    elif options.json:
        write_whole(options.json, as_json(records))


def _width() -> int | None:
    """Return the width of the terminal that the table goes to; None if it goes elsewhere."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or None
    except (OSError, ValueError):
        return None
