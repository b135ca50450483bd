# SPDX-License-Identifier: MIT
"""``python -m ortcffi.compat PROGRAM ARGUMENTS``: runs a program on the drop-in."""

import os
import runpy
import sys

from ortcffi.compat import install

_NAME = "python -m ortcffi.compat"
DESCRIPTION = "Run a Python program, in which `import onnxruntime` gives ortcffi.compat."


def main(arguments: list[str]) -> None:
    """Run the program that the arguments name."""
    providers, is_module, program = _parsed(arguments)
    try:
        install(providers)
    except (ImportError, LookupError, TypeError) as error:
        sys.exit(f"{_NAME}: {error}")
    sys.argv[:] = program
    if not is_module:
        if not os.path.exists(program[0]):
            sys.exit(f"{_NAME}: there is no file {program[0]!r}")
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
    sys.exit(_run(program[0], is_module))


def _parsed(arguments: list[str]) -> tuple[list[str], bool, list[str]]:
    is_module = arguments[:1] == ["-m"]
    program = arguments[is_module:]
    if program and not program[0].startswith("-"):  # without argparse, whose import takes long
        return [], is_module, program
    import argparse

    parser = argparse.ArgumentParser(
        prog=_NAME,
        usage="%(prog)s [--ep NAME] (PROGRAM | -m MODULE) [ARGUMENT ...]",
        description=DESCRIPTION,
    )
    parser.add_argument(
        "--ep",
        metavar="NAME",
        action="append",
        default=[],
        help="an execution provider that stands for the CPU's, such as nxrt; the core runs the "
        "models, without an onnxruntime; may be repeated",
    )
    parser.add_argument("-m", dest="is_module", action="store_true", help="run a module")
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if not given.program:
        parser.error("a program is missing")
    return given.ep, given.is_module, given.program


def _run(program: str, is_module: bool) -> int:
    """Run a file or a module as Python's command line does; 1 if an exception ended it."""
    try:
        if is_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except Exception as error:  # noqa: BLE001  # printed as Python prints those of a program
        _print(error)
        return 1
    return 0


def _print(error: Exception) -> None:
    """Print an exception as Python does, without the frames that run the program."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename in _RUNNERS:
        traceback = traceback.tb_next
    if traceback is None and isinstance(error, ImportError):  # runpy finds no such module
        sys.stderr.write(f"{_NAME}: {error}\n")
    else:
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)


_RUNNERS = {runpy.run_path.__code__.co_filename, _print.__code__.co_filename}


if __name__ == "__main__":
    main(sys.argv[1:])
