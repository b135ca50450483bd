# SPDX-License-Identifier: MIT
"""`find_runtimes` lists the libraries with the C API on this machine, without loading them."""

import os
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from ortcffi._convert import AnyPath, absolute
from ortcffi._public import public
from ortcffi.table import load as loading


@public
class Runtime(NamedTuple):
    """A library with the C API that `find_runtimes` found.

    Attributes
    ----------
    path : str
        The library's absolute path.
    source : str
        ``"embedded core"``, ``"given"``, ``"ORTCFFI_LIBRARY"``, ``"onnxruntime wheel"`` or
        ``"system"``.
    problem, remedy : str or None
        Why the library cannot be used, and what to do; None if no problem is known.
    chosen : bool
        Whether ``load()`` without a path opens this one.
    """

    path: str
    source: str
    problem: str | None = None
    remedy: str | None = None
    chosen: bool = False


@public
def find_runtimes(*given: AnyPath) -> list[Runtime]:
    """List the embedded core and the libraries with the C API on this machine.

    No library is loaded: problems are those that its file shows. So a library without a known
    problem may still fail to load; ``python -m ortcffi doctor`` tries each one.

    Parameters
    ----------
    *given : str, bytes or os.PathLike
        More libraries to examine.

    Returns
    -------
    list of Runtime
        In this order: the embedded core, those given, then as ``load()`` looks for them:
        ``ORTCFFI_LIBRARY``, every copy in a package on ``sys.path``, every copy that the system's
        loader may find. Each file is listed once, except that those given may appear again.
    """
    listed = [_look(absolute("path", path), "given") for path in given]
    if named := os.environ.get(loading.VARIABLE):
        first: str | None = absolute(loading.VARIABLE, named)
    else:
        first = next(iter(loading.installed_libraries()), None)
    places: dict[str, tuple[str, str]] = {}
    for path, source in _places():
        places.setdefault(os.path.realpath(path), (path, source))
    found = [_look(path, source) for path, source in places.values()]
    for i, runtime in enumerate(found):
        # load() does not skip a broken first choice; the system's loader, which it asks last, does.
        system = runtime.source == "system" and not runtime.problem
        if runtime.path == first or (first is None and system):
            found[i] = runtime._replace(chosen=True)
            break
    return [Runtime(loading.core_path(), "embedded core"), *listed, *found]


def _look(path: str, source: str) -> Runtime:
    runtime = Runtime(path, source)
    try:
        loading.inspect("path", path)
    except loading.LoadError as error:
        return runtime._replace(problem=error.problem, remedy=error.remedy)
    return runtime


def _places() -> Iterator[tuple[str, str]]:
    """Path and source of each library that `load` may open, and of copies in other packages."""
    import glob

    if named := os.environ.get(loading.VARIABLE):
        yield absolute(loading.VARIABLE, named), loading.VARIABLE
    wheels = loading.installed_libraries()
    # Entries that are not str are ignored, as the import system ignores them.
    for directory in [entry for entry in sys.path if isinstance(entry, str)]:
        for package in sorted(glob.glob(os.path.join(glob.escape(directory), "onnxruntime*/"))):
            wheels += loading.libraries_in(package)
    yield from ((path, "onnxruntime wheel") for path in wheels)
    yield from ((path, "system") for path in _system_libraries())


def _system_libraries() -> Iterator[str]:
    """Where the system's loader looks: its search path, its cache, its fixed directories."""
    variable = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
    searched = [path for path in re.split("[:;]", os.environ.get(variable, "")) if path]
    cached = _loader_cache()
    fixed = ["/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]
    for name in loading.SYSTEM_NAMES:
        paths = [os.path.abspath(os.path.join(directory, name)) for directory in searched]
        paths += [path for path in cached if os.path.basename(path) == name]
        paths += [os.path.join(directory, name) for directory in fixed]
        yield from (path for path in paths if os.path.exists(path))


def _loader_cache() -> list[str]:
    import shutil
    import subprocess

    ldconfig = shutil.which("ldconfig", path="/sbin:/usr/sbin:" + os.environ.get("PATH", ""))
    if ldconfig is None or sys.platform == "darwin":
        return []
    done = subprocess.run([ldconfig, "-p"], capture_output=True, check=False)
    return re.findall(r"=> (.*)", os.fsdecode(done.stdout))
