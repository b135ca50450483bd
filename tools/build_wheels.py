# SPDX-License-Identifier: MIT
"""Builds the sdist and, from it, a wheel for each platform, with the compiler zig.

    python tools/build_wheels.py [--folder dist] [PLATFORM ...]

Without a platform, all wheels are built. Needs the packages abi3info, cffi, numpy, setuptools and
ziglang.
Two runs with the same versions of these and one SOURCE_DATE_EPOCH make the same bytes.
"""

import argparse
import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
# For each platform of a wheel, the target of zig and the platform that setuptools builds for.
PLATFORMS = {
    "manylinux_2_17_x86_64": ("x86_64-linux-gnu.2.17", "linux-x86_64"),
    "manylinux_2_17_aarch64": ("aarch64-linux-gnu.2.17", "linux-aarch64"),
    "musllinux_1_2_x86_64": ("x86_64-linux-musl", "linux-x86_64"),
    "musllinux_1_2_aarch64": ("aarch64-linux-musl", "linux-aarch64"),
    "macosx_11_0_x86_64": ("x86_64-macos.11.0", "macosx-11.0-x86_64"),
    "macosx_11_0_arm64": ("aarch64-macos.11.0", "macosx-11.0-arm64"),
    "win_amd64": ("x86_64-windows-gnu", "win-amd64"),
}
# The earliest time that a zip file can hold.
EPOCH = "315532800"


# NumPy's headers are those of this system; they include this one where macOS has another.
ENDIAN = "#include <machine/endian.h>\n"
# What Python's headers want to know of Windows on 64 bits.
PYCONFIG = """\
#define MS_WINDOWS 1
#define MS_WIN64 1
#define NT_THREADS 1
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1
#define HAVE_STDINT_H 1
#define HAVE_WCHAR_H 1
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_LONG 4
#define SIZEOF_INT 4
#define SIZEOF_SHORT 2
#define SIZEOF_LONG_LONG 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8
#define SIZEOF_PID_T 4
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_LONG 4
"""
# The same of NumPy's, in the place of what they want to know of this system.
NUMPY_SIZES = {"LONG": 4, "LONGDOUBLE": 8, "COMPLEX_LONGDOUBLE": 16, "WCHAR_T": 2, "OFF_T": 4}


def copy_headers(folder: Path) -> list[str]:
    """Copy the headers of Python and NumPy, which know their system, as those of Windows.

    Returns the flags with which the compiler finds the copies first.
    """
    import numpy as np

    python, numpy = folder / "python", folder / "numpy"
    shutil.copytree(sysconfig.get_path("include"), python)
    (python / "pyconfig.h").write_text(PYCONFIG)
    shutil.copytree(np.get_include(), numpy)
    sizes = numpy / "numpy/_numpyconfig.h"
    text = sizes.read_text().replace("#define NPY_HAVE_ENDIAN_H 1", "")
    for name, size in NUMPY_SIZES.items():
        text = re.sub(rf"(#define NPY_SIZEOF_{name}) .*", rf"\1 {size}", text)
    sizes.write_text(text)
    return [f"-I{python}", "-isystem", str(numpy)]


def make_import_library(zig: str, folder: Path) -> Path:
    """Make the library that says which functions of CPython 3.11 are in python3.dll."""
    from abi3info import DATAS, FUNCTIONS

    lines = ["LIBRARY python3.dll", "EXPORTS"]
    for kind, listed in (("", FUNCTIONS), (" DATA", DATAS)):
        lines += [f"{x.name}{kind}" for x, about in listed.items() if about.added.minor <= 11]
    exports, library = folder / "python3.def", folder / "libpython3.a"
    exports.write_text("\n".join(lines))
    command = [zig, "dlltool", "-m", "i386:x86-64", "-d", exports, "-l", library]
    subprocess.run(command, check=True)
    return library


def environment(platform: str, headers: Path) -> dict[str, str]:
    """The variables with which setuptools compiles for a platform.

    A folder is for headers that the platform lacks.
    """
    import ziglang

    target, host = PLATFORMS[platform]
    zig = str(Path(ziglang.__file__).with_name("zig"))
    compiler = shlex.join([zig, "cc", "-target", target])
    flags, undefined = ["-Wno-macro-redefined"], ""  # by Python's headers, which are of this system
    more = {}
    if host.startswith("macosx"):
        (headers / "endian.h").write_text(ENDIAN)
        flags.append(f"-I{headers}")
        # Python's functions are found in the program that loads the extension.
        undefined = " -undefined dynamic_lookup"
    elif host.startswith("win"):
        flags += copy_headers(headers)
        more["LIBPYTHON3"] = str(make_import_library(zig, headers))
    return more | {
        "CC": compiler,
        "CPPFLAGS": shlex.join(flags),
        "LDSHARED": f"{compiler} -shared{undefined}",
        "_PYTHON_HOST_PLATFORM": host,
    }


def run_setup(folder: Path, *arguments: str | Path, **variables: str) -> None:
    command = [sys.executable, "setup.py", "-q", *arguments]
    subprocess.run(command, cwd=folder, env={**os.environ, **variables}, check=True)


def build_sdist(folder: Path, epoch: int) -> Path:
    """Build the sdist into a folder, without times, users and modes of this machine."""
    with tempfile.TemporaryDirectory() as temporary:
        run_setup(CHECKOUT, "sdist", "--dist-dir", temporary)
        [built] = Path(temporary).iterdir()
        sdist = folder / built.name
        with (
            tarfile.open(built) as source,
            gzip.GzipFile("", "wb", fileobj=sdist.open("wb"), mtime=epoch) as zipped,
            tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for member in sorted(source.getmembers(), key=lambda member: member.name):
                plain = tarfile.TarInfo(member.name)
                plain.type, plain.size, plain.mtime = member.type, member.size, epoch
                plain.mode = 0o755 if member.mode & 0o100 else 0o644
                archive.addfile(plain, source.extractfile(member) if member.isfile() else None)
    return sdist


def build_wheel(sdist: Path, platform: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        with tarfile.open(sdist) as archive:
            archive.extractall(temporary, filter="data")
        [source] = Path(temporary).iterdir()
        wheel = ["bdist_wheel", "--plat-name", platform, "--dist-dir", folder]
        run_setup(source, *wheel, **environment(platform, Path(temporary)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("platforms", metavar="PLATFORM", nargs="*", help=", ".join(PLATFORMS))
    parser.add_argument("--folder", type=Path, default=CHECKOUT / "dist")
    parser.add_argument("--sdist", action="store_true", help="build the sdist alone")
    given = parser.parse_args()
    if unknown := set(given.platforms) - set(PLATFORMS):
        parser.error(f"no platform: {', '.join(unknown)}")
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH)
    os.umask(0o022)
    sdist = build_sdist(folder, int(os.environ["SOURCE_DATE_EPOCH"]))
    for platform in [] if given.sdist else given.platforms or PLATFORMS:
        build_wheel(sdist, platform, folder)


if __name__ == "__main__":
    main()
