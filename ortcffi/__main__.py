# SPDX-License-Identifier: MIT
"""The command line: ``python -m ortcffi COMMAND``, also installed as ``ortcffi``."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import cast

from ortcffi.cli.program import fail, program_name, unwinding

DESCRIPTION = """\
ONNX Runtime's C API for Python: every function with types, a module with the names of the package
onnxruntime, and a small C library that answers the API itself, so that custom ops and execution
providers are tested, and models run on providers, without ONNX Runtime.

It computes no operator by itself: models run on the library that the package onnxruntime brings,
or on execution providers, libraries that compute nodes. Small runs take about half the time; above
100 us no speed is promised. Nothing has ever been tried on a GPU.

a program for onnxruntime: python -m ortcffi.compat PROGRAM, or import ortcffi.compat as onnxruntime
a custom op:               @ortcffi.custom_op in Python; ortcffi check LIBRARY tries those of C++
an execution provider:     @ortcffi.execution_provider; ortcffi check LIBRARY tries the rules
"""
COMMANDS = {  # name: the module that has its main(), what it does
    "run": ("ortcffi.cli.run", "run a model, and say what time and memory it takes"),
    "info": (
        "ortcffi.cli.info",
        "print versions and what this build implements, or facts of a model",
    ),
    "edit": ("ortcffi.cli.edit", "change a model: batch size, names, a part of it, float16"),
    "diff": ("ortcffi.cli.diff", "print the nodes, values and weights in which two models differ"),
    "bench": ("ortcffi.bench.cli", "measure runs and calls beside onnxruntime"),
    "doctor": ("ortcffi.cli.doctor", "list libraries with the C API, and what is wrong with them"),
    "check": (
        "ortcffi.cli.check",
        "find what is wrong with a library of custom ops or execution providers",
    ),
    "conform": ("ortcffi.cli.conform", "ask a library with the C API what all of them answer"),
    "config": ("ortcffi.cli.build_flags", "print the flags for compiling and linking C clients"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with its arguments, by default the process's; return the exit code.

    Only the module of that command is imported.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = given[0] if given and given[0] in COMMANDS else ""
    name = program_name(command)
    if sys.stdout is None:
        return fail(name, "stdout is closed")
    try:
        # A path in a message may have bytes that are not UTF-8.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        code = _run(command, given)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return 128 + 13  # what a shell reports for a program that SIGPIPE ended
    except KeyboardInterrupt:
        return 128 + 2  # likewise SIGINT
    except OSError as error:
        _discard_stdout()
        return fail(name, error)
    return code


def _run(command: str, given: list[str]) -> int:
    if not command:
        return _without_command(given)
    module = import_module(COMMANDS[command][0])
    with unwinding():
        return cast("int", module.main(given[1:]))


def _discard_stdout() -> None:
    """Send what is buffered nowhere: Python would fail again when it flushes at exit."""
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is not a file
        return


def _without_command(given: list[str]) -> int:
    width = max(map(len, COMMANDS)) + 2
    listed = "\n".join(f"  {name:{width}}{does}" for name, (_, does) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog=program_name(),
        usage="%(prog)s COMMAND [ARGUMENT ...]",
        description=DESCRIPTION,
        epilog=f"commands:\n{listed}\n\nCOMMAND --help describes a command.",
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
