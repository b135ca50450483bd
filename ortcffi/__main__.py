# SPDX-License-Identifier: MIT
"""The command line: ``python -m ortcffi COMMAND``, also installed as ``ortcffi``."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import cast

COMMANDS = {  # name: module whose main() it is, what it does
    "bench": ("ortcffi.bench.cli", "time status and allocation paths, beside other libraries"),
    "doctor": (
        "ortcffi.cli.doctor",
        "list the libraries that there are, and what is wrong with them",
    ),
    "info": ("ortcffi.cli.info", "print versions, build, and the slots that the core answers"),
    "config": ("ortcffi.cli.build_flags", "print the flags for compiling and linking C clients"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with its arguments, by default the process's; return the exit code.

    Only the command that is asked for is imported.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] not in COMMANDS:
        return _without_command(given)
    try:
        # A path in a message may hold bytes that are no text.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        module = import_module(COMMANDS[given[0]][0])
        code = cast("int", module.main(given[1:]))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone. Nothing is left to say, not even at exit, when Python flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # what a shell reports for a program that SIGPIPE ended
    except KeyboardInterrupt:
        return 128 + 2  # likewise SIGINT
    return code


def _without_command(given: list[str]) -> int:
    width = max(map(len, COMMANDS)) + 2
    listed = "\n".join(f"  {name:{width}}{does}" for name, (_, does) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m ortcffi",
        usage="%(prog)s COMMAND [ARGUMENT ...]",
        description="The ONNX Runtime C API from Python.",
        epilog=f"commands:\n{listed}\n\nCOMMAND --help tells more about a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version of ortcffi")
    options, rest = parser.parse_known_args(given)
    if rest:
        parser.error(f"no such command: {rest[0]!r}; expected one of {', '.join(COMMANDS)}")
    if not options.version:
        parser.print_help()
        return 0
    from ortcffi.cli.info import package_version

    sys.stdout.write(f"ortcffi {package_version()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
