# SPDX-License-Identifier: MIT
"""Tries a wheel for aarch64 on this machine, with qemu and Debian's Python for that processor.

    python tools/run_on_aarch64.py WHEEL

apt downloads Python into a folder, and installs nothing here. Needs Debian, and its package
qemu-user.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

# What Python needs, and libraries of NumPy's wheel.
PACKAGES = ["python3-minimal", "libpython3-stdlib", "libstdc++6"]
# apt's own folders, so that it neither knows nor changes what is installed here.
APT = """
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Sandbox::User "root";
Dir::State "{0}/state";
Dir::State::status "{0}/status";
Dir::Cache "{0}/cache";
"""
# The emulator notes each page of the addresses that are reserved: with few of them it starts soon.
QEMU = ["qemu-aarch64", "-R", "16G"]
# Those of the wheels of packages.
PLATFORMS = [f"manylinux{each}_aarch64" for each in ("2014", "_2_17", "_2_26", "_2_27", "_2_28")]
SMOKE = Path(__file__).with_name("smoke.py")


def run(*command: str | Path, **variables: str | Path) -> str:
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return subprocess.run(command, env=environment, check=True, stdout=-1, text=True).stdout


def install_python(folder: Path) -> Path:
    """Unpack Debian's Python, and what it needs, below a folder; return its path."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "apt.conf").write_text(APT.format(folder))
    apt = ["apt-get", "-qq", "-y", "--no-install-recommends"]
    run(*apt, "update", APT_CONFIG=folder / "apt.conf")
    run(*apt, "--download-only", "install", *PACKAGES, APT_CONFIG=folder / "apt.conf")
    for package in (folder / "cache/archives").glob("*.deb"):
        run("dpkg", "-x", package, folder / "system")
    [python] = (folder / "system/usr/bin").glob("python3.*[0-9]")
    return python


def install(folder: Path, version: str, platforms: Iterable[str], *packages: str | Path) -> None:
    """Install packages, and what they need, for a Python of other platforms."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--only-binary=:all:"]
    pip += [f"--platform={each}" for each in platforms]
    run(*pip, f"--python-version={version}", "--target", folder, *packages)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = install_python(folder)
        version, packages = python.name.removeprefix("python"), folder / "packages"
        install(packages, version, PLATFORMS, given.wheel)
        emulated = [*QEMU, "-L", folder / "system", python, "-BP", SMOKE]
        sys.stdout.write(run(*emulated, PYTHONPATH=packages))


if __name__ == "__main__":
    main()
