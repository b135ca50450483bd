# SPDX-License-Identifier: MIT
"""Builds the sdist and, from it, a wheel for each platform, with the compiler zig.

    python tools/build_wheels.py [--folder dist] [PLATFORM ...]

Without a platform, all wheels are built. Needs the packages cffi, numpy, setuptools and ziglang.
Two runs with the same versions of these and one SOURCE_DATE_EPOCH make the same bytes.
"""

import argparse
import gzip
import os
import shlex
import subprocess
import sys
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
}
# The earliest time that a zip file can hold.
EPOCH = "315532800"


# NumPy's headers are those of this system; they include this one where macOS has another.
ENDIAN = "#include <machine/endian.h>\n"


def environment(platform: str, headers: Path) -> dict[str, str]:
    """The variables with which setuptools compiles for a platform.

    A folder is for headers that the platform lacks.
    """
    import ziglang

    target, host = PLATFORMS[platform]
    compiler = shlex.join([str(Path(ziglang.__file__).with_name("zig")), "cc", "-target", target])
    flags, undefined = ["-Wno-macro-redefined"], ""  # by Python's headers, which are of this system
    if host.startswith("macosx"):
        (headers / "endian.h").write_text(ENDIAN)
        flags.append(f"-I{headers}")
        # Python's functions are found in the program that loads the extension.
        undefined = " -undefined dynamic_lookup"
    return {
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
