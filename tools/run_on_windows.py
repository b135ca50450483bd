# SPDX-License-Identifier: MIT
"""Tries a wheel for Windows on this machine, with wine.

    python tools/run_on_windows.py WHEEL

CPython for Windows, and its modules in C, are taken from the wheel of the package panda3d; the
modules in Python are those of the Python that runs this. Needs wine and MinGW-w64, and the package
abi3info. Where the package index has no panda3d for this Python, nothing is tried.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from threading import Thread

from abi3info import DATAS, FUNCTIONS
from run_on_aarch64 import SMOKE, install, run

MINGW = "x86_64-w64-mingw32-gcc"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
# panda3d brings neither the program nor python3.dll, which hands on the stable ABI.
PROGRAM = """\
#include <wchar.h>
__declspec(dllimport) int Py_Main(int, wchar_t**);
int wmain(int argc, wchar_t** argv) { return Py_Main(argc, argv); }
"""
# Of the modules in Python, those that no program needs.
UNUSED = shutil.ignore_patterns("site-packages", "dist-packages", "test", "__pycache__", "*.so")
# Wine has lacked C's functions of complex numbers, which NumPy 2 calls, before its version 10.
NEEDED = ["numpy<2" if sys.version_info < (3, 13) else "numpy", "onnxruntime"]
# What pip says where the index was reached, and has nothing, or refuses it.
A_NO = re.compile(r"No matching distribution found|HTTP error 4\d\d|\b4\d\d Client Error")
LIMIT = 600  # seconds


def download(folder: Path) -> Path | None:
    """Download the wheel that has Python; None where the package index says no."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    pip += ["--platform=win_amd64", f"--python-version={VERSION}", "--dest", str(folder), "panda3d"]
    done = subprocess.run(pip, check=False, stderr=-1, text=True)
    if done.returncode != 0:
        if A_NO.search(done.stderr) and "Retrying" not in done.stderr:
            return None
        sys.exit(f"panda3d cannot be downloaded:\n{done.stderr}")
    [wheel] = folder.glob("panda3d-*.whl")
    return wheel


def install_python(wheel: Path, folder: Path) -> None:
    """Make a folder that is one of Python for Windows."""
    (folder / "DLLs").mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in map(Path, archive.namelist()):
            # Wine has a C library of its own.
            if name.parts[0] == "deploy_libs" and not name.name.startswith("api-ms-win-"):
                is_python = re.fullmatch(r"(python|vcruntime)\d+\.dll", name.name, re.I)
                place = folder if is_python else folder / "DLLs"
                (place / name.name).write_bytes(archive.read(name.as_posix()))
    shutil.copytree(sysconfig.get_path("stdlib"), folder / "Lib", ignore=UNUSED)
    [dll] = folder.glob("python3*.dll")
    handed_on = [f"{each.name} = {dll.stem}.{each.name}" for each in (*FUNCTIONS, *DATAS)]
    (folder / "python3.def").write_text("\n".join(["EXPORTS", *handed_on]))
    (folder / "python.c").write_text(PROGRAM)
    run(MINGW, "-municode", folder / "python.c", dll, "-o", folder / "python.exe")
    library = [folder / "python3.def", "-o", folder / "python3.dll"]
    run(MINGW, "-shared", "-nostdlib", "-Wl,--entry=0", *library)


def run_wine(what: str, *command: str | Path) -> None:
    """Run a program and hand on what it prints.

    Wine refuses files as a program's output. So it gets a pipe, which services of wine keep open.
    """
    process = subprocess.Popen(["wine", *command], stdin=-3, stdout=-1, stderr=-2)
    assert process.stdout is not None
    reader = Thread(target=shutil.copyfileobj, args=(process.stdout, sys.stdout.buffer, 1))
    reader.daemon = True
    reader.start()
    code = process.wait(LIMIT)
    reader.join(1)
    if code != 0:
        sys.exit(f"{what} fails under wine, with exit code {code}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "python")
        given = parser.parse_args()
        if (python := download(Path(temporary))) is None:
            sys.stdout.write(f"skipped: the index has no panda3d for Windows, Python {VERSION}\n")
            return
        install_python(python, folder)
        packages = folder / "Lib/site-packages"
        install(packages, VERSION, ["win_amd64"], given.wheel, *NEEDED)
        # A Windows of its own.
        more = {"WINEPREFIX": f"{temporary}/wine", "WINEDLLOVERRIDES": "mscoree,mshtml="}
        os.environ.update(more, WINEDEBUG="-all")
        os.environ.pop("DISPLAY", None)
        try:
            run_wine("the first program", "cmd", "/c", "ver")
            run("wineserver", "-w")  # until it has ended; this one stays for the next programs
            subprocess.run(["wineserver", "-p"], check=True)
            run_wine("Python", folder / "python.exe", "-c", "import numpy, ortcffi")
            run_wine("the smoke", folder / "python.exe", "-BP", SMOKE)
        finally:
            subprocess.run(["wineserver", "-k"], check=False)


if __name__ == "__main__":
    main()
