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
PROGRAM = """
import platform
import numpy as np
import ortcffi as ort

api = ort.default_api()
try:
    api.memory_info("NoSuchDevice")
except ort.errors.InvalidArgument as error:
    assert error.code is ort.ErrorCode.INVALID_ARGUMENT
else:
    raise AssertionError("a device that there is not")
for dtype in ("f4", "i8", "?", "U"):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    assert ort.Value.from_numpy(x, copy=True).numpy().tolist() == x.tolist()
with ort.Tracking(api.default_allocator) as pool, ort.numpy_allocator(pool):
    y = np.ones((100, 100))
    assert pool.bytes_allocated >= y.nbytes
    del y
    assert pool.bytes_allocated == 0
print(f"ortcffi {ort.__version__}, Python {platform.python_version()}, {platform.machine()}: ok")
"""


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


def install_wheel(wheel: Path, version: str, folder: Path) -> None:
    """Install a wheel and the packages that it needs for that Python."""
    glibc = ["2014", *(f"_2_{minor}" for minor in (17, 26, 27, 28))]
    platforms = [f"--platform=manylinux{each}_aarch64" for each in glibc]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--only-binary=:all:"]
    run(*pip, *platforms, f"--python-version={version}", "--target", folder, wheel)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = install_python(folder)
        install_wheel(given.wheel, python.name.removeprefix("python"), folder / "packages")
        emulated = [*QEMU, "-L", folder / "system", python, "-BPc", PROGRAM]
        sys.stdout.write(run(*emulated, PYTHONPATH=folder / "packages"))


if __name__ == "__main__":
    main()
