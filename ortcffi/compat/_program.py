# SPDX-License-Identifier: MIT
"""Programs that run in this process, for ``python -m ortcffi.compat``."""

import runpy
import sys

__all__ = ["run_program"]


def run_program(program: str, is_module: bool, name: str) -> int:
    """Run a program as Python's command line does.

    Parameters
    ----------
    program : str
        The path of a file, or the name of a module.
    is_module : bool
        Which of them.
    name : str
        Of the caller, for the error that there is no such module.

    Returns
    -------
    int
        1 if an exception ended it, which is printed then; 0 otherwise.
    """
    try:
        if is_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except Exception as error:  # noqa: BLE001  # printed as Python prints those of a program
        _print(error, name)
        return 1
    return 0


def _print(error: Exception, name: str) -> None:
    """Print an exception as Python does, without the frames that run the program."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename in _RUNNERS:
        traceback = traceback.tb_next
    if traceback is None and isinstance(error, ImportError):  # runpy finds no such module
        sys.stderr.write(f"{name}: {error}\n")
    else:
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)


_RUNNERS = {runpy.run_path.__code__.co_filename, _print.__code__.co_filename}
