# SPDX-License-Identifier: MIT
"""The paths of the C header and of the stand-alone core, for building C clients.

Also ``python -m ortcffi config``, which prints compiler flags.
"""

import os
import sys
from collections.abc import Callable, Sequence

from ortcffi._public import public
from ortcffi.cli.program import fail, program_name

DESCRIPTION = """\
Print, on one line and quoted for a shell, what a C compiler needs to compile against the header
and to link with the core. Example: cc client.c $(python -m ortcffi config --cflags --libs)"""
AS_LIBONNXRUNTIME = """\
make this folder, in which the core has the name of ONNX Runtime's library, and print its path:
programs that LD_LIBRARY_PATH has look there first run on the core"""

# In the package; Windows looks for it in the folder of the extension.
LIBRARY = {"darwin": "lib/libortcore.dylib", "win32": "ortcore.dll"}.get(
    sys.platform, "lib/libortcore.so"
)
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CHECKOUT = os.path.dirname(_PACKAGE)


@public
def get_include() -> str:
    """Get the directory of ``onnxruntime_c_api.h``, for the compiler's ``-I``.

    Returns
    -------
    str
        An absolute path: inside the installed package or the source checkout.

    Raises
    ------
    FileNotFoundError
        The package was installed without the header.
    """
    remedy = "reinstall ortcffi from a wheel"
    return os.path.dirname(_find("include/onnxruntime_c_api.h", "core/include", remedy))


@public
def get_library() -> str:
    """Return the core, a shared library that exports ``OrtGetApiBase`` and needs no Python.

    It is the embedded core of this package as well: `load` of it gives the default table.

    Returns
    -------
    str
        The absolute path of ``libortcore.so`` (on macOS of ``libortcore.dylib``): inside the
        installed package or the source checkout.

    Raises
    ------
    FileNotFoundError
        The library was not built.
    """
    remedy = "build it with 'make -C core', or reinstall ortcffi from a wheel"
    return _find(LIBRARY, "core/build", remedy)


def _find(packaged: str, built: str, remedy: str) -> str:
    """Return a file of the package, or the file of that name in a directory of the checkout."""
    installed = os.path.join(_PACKAGE, packaged)
    working = os.path.join(_CHECKOUT, built, os.path.basename(packaged))
    # Beside an installed package, a directory named core may belong to something else.
    is_checkout = os.path.isfile(os.path.join(_CHECKOUT, "build_ort.py"))
    for path in [installed, working] if is_checkout else [installed]:
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{os.path.basename(packaged)} is not there ({installed}): {remedy}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default the process's, and return the exit code."""
    # Not at the top: `get_include` is part of the package, and should not import argparse.
    import argparse
    import shlex

    parser = argparse.ArgumentParser(prog=program_name("config"), description=DESCRIPTION)
    for name, (text, _) in _FLAGS.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    parser.add_argument("--as-libonnxruntime", metavar="DIR", help=AS_LIBONNXRUNTIME)
    options = parser.parse_args(arguments)
    chosen = [make for name, (_, make) in _FLAGS.items() if getattr(options, name)]
    folder = options.as_libonnxruntime
    if not chosen and folder is None:
        parser.error(f"give at least one of --{', --'.join(_FLAGS)}, --as-libonnxruntime")
    try:
        words = [word for make in chosen for word in make()]
        words += [] if folder is None else [_link_into(folder)]
    except OSError as error:
        return fail(parser.prog, error)
    sys.stdout.write(shlex.join(words) + "\n")
    return 0


def _libs() -> list[str]:
    directory = os.path.dirname(get_library())
    # The loader does not search this directory, so the program records it.
    return [f"-L{directory}", "-lortcore", f"-Wl,-rpath,{directory}"]


def _link_into(folder: str) -> str:
    """Link the core into a folder under the names that programs look for; return the path."""
    ending = os.path.splitext(LIBRARY)[1]
    versioned = ".1.dylib" if ending == ".dylib" else ".so.1"
    os.makedirs(folder, exist_ok=True)
    for name in ("libonnxruntime" + ending, "libonnxruntime" + versioned):
        link = os.path.join(folder, name)
        if os.path.islink(link):
            os.unlink(link)
        os.symlink(get_library(), link)  # fails where a file is there
    return os.path.abspath(folder)


_FLAGS: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "cflags": ("flags for compiling: -I...", lambda: [f"-I{get_include()}"]),
    "libs": ("flags for linking: -L... -l... -rpath", _libs),
    "include": ("the directory of the header", lambda: [get_include()]),
    "library": ("the path of the library", lambda: [get_library()]),
}
