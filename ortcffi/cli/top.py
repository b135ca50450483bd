# SPDX-License-Identifier: MIT
"""``ortcffi top program.py ARGUMENTS``: what a program's sessions do."""

import argparse
import atexit
import errno
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ortcffi.cli.program import program_name, unwritable
from ortcffi.cli.top_live import Live
from ortcffi.compat._program import run_program
from ortcffi.official.picture import as_svg
from ortcffi.official.recording import Recorder
from ortcffi.official.report import as_html, as_json, as_table
from ortcffi.platform.new_file import write_whole

DESCRIPTION = """\
Run a Python program and print what its sessions do, those of the official package onnxruntime, of
the drop-in, and each ortcffi.Session: runs and their times, memory of their arenas, log messages.
The program is not changed."""
EPILOG = """\
ortcffi top program.py ARGUMENTS, ortcffi top -m module ARGUMENTS: the program runs in this process.
ortcffi top -- COMMAND ARGUMENTS: a command that starts Python by itself; each Python process that
made a session tells. The exit status is the program's."""
_FILES = ("json", "svg", "html")  # the options with a file, as `_tell` takes them
VARIABLE = "ORTCFFI_TOP"  # what `ortcffi top -- command` hands on: its options as JSON


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
    parser.add_argument("--svg", metavar="FILE", help="draw the arenas over time")
    parser.add_argument("--html", metavar="FILE", help="write table and drawing as a page")
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
    for name in _FILES:
        path = getattr(options, name)
        if path not in (None, "-"):
            if reason := unwritable(path):
                parser.error(reason)
            setattr(options, name, os.path.join(os.getcwd(), path))  # the program may leave it
    if options.svg is not None and find_spec("matplotlib") is None:
        parser.error("--svg needs matplotlib: pip install matplotlib")
    if is_command:
        if options.live:
            parser.error("--live shows a program that runs in this process, not a command")
        return _run_command(rest, options)
    return _run_here(rest, options)


def _program_before(given: Sequence[str]) -> bool:
    """Whether a program stands before the first ``--``, which then is one of its arguments."""
    before = given[: given.index("--")]
    with_values = {"--json", "--svg", "--html"}
    words = iter(before)
    for word in words:
        if word in with_values:
            next(words, None)
        elif not word.startswith("-") or word == "-m":
            return True
    return False


def _run_here(program: Sequence[str], options: argparse.Namespace) -> int:
    if not options.module and not Path(program[0]).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program[0])
    recorder = Recorder()
    recorder.install()
    live = _live_view(recorder, program[0]) if options.live else None
    if live is not None:
        live.start()
    name = program_name("top")  # before the program has its own arguments
    sys.argv[:] = program
    try:
        if options.module:
            sys.path.insert(0, os.getcwd())
        else:
            sys.path.insert(0, str(Path(program[0]).resolve().parent))
        return run_program(program[0], options.module, name)
    except SystemExit as ended:
        return _status_of(ended)
    finally:
        if os.getpid() == recorder.process:  # a fork of the program may end here as well
            if live is not None:
                live.stop()
            _tell(recorder, options.json, options.svg, options.html)


def _status_of(ended: SystemExit) -> int:
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    sys.stderr.write(f"{ended.code}\n")
    return 1


def _run_command(command: Sequence[str], options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="ortcffi-top-") as folder:
        Path(folder, "sitecustomize.py").write_text(_SITECUSTOMIZE, encoding="utf-8")
        known = os.environ.get("PYTHONPATH")
        package = str(Path(__file__).resolve().parents[2])
        files = {name: getattr(options, name) for name in _FILES}
        settings = {**files, "folder": folder, "package": package}
        environment = {
            **os.environ,
            VARIABLE: json.dumps(settings),
            "PYTHONPATH": os.pathsep.join([folder, *([known] if known else [])]),
        }
        code = subprocess.run(command, env=environment, check=False).returncode
        return code if code >= 0 else 128 - code  # as a shell says which signal ended it


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
    from ortcffi.cli.top import start_in_this_process
    start_in_this_process(_settings)
except ImportError as error:
    sys.stderr.write(f"ortcffi top: cannot record in {{sys.executable}}: {{error}}\\n")
'''


def start_in_this_process(settings: dict[str, str | None]) -> None:
    """Record here, and report at the end; the sitecustomize of `ortcffi top --` calls it."""
    recorder = Recorder()
    recorder.install()

    def own(path: str | None) -> str | None:
        return path if path in (None, "-") else f"{path}.{os.getpid()}"

    def report() -> None:
        if recorder.records:
            _tell(recorder, *[own(settings.get(name)) for name in _FILES])

    atexit.register(report)


def _live_view(recorder: Recorder, program: str) -> Live | None:
    try:
        return Live(recorder, program)
    except OSError:
        sys.stderr.write("ortcffi top: --live needs a terminal, and there is none\n")
        return None


def _tell(
    recorder: Recorder, json_path: str | None, svg_path: str | None, html_path: str | None
) -> None:
    recorder.finish()
    sys.stderr.write(as_table(recorder.records, _width()))
    picture = _drawn(recorder) if svg_path or html_path else ""
    if json_path == "-":
        sys.stdout.write(as_json(recorder.records))
    elif json_path:
        write_whole(json_path, as_json(recorder.records))
    if svg_path and picture:
        write_whole(svg_path, picture)
    if html_path:
        write_whole(html_path, as_html(recorder.records, picture))


def _drawn(recorder: Recorder) -> str:
    """The picture; nothing without matplotlib."""
    try:
        return as_svg(recorder.records)
    except ImportError:
        sys.stderr.write("ortcffi top: to draw needs matplotlib: pip install matplotlib\n")
        return ""


def _width() -> int | None:
    """The width of the terminal that the table goes to; None if it goes elsewhere."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or None
    except (OSError, ValueError):
        return None
