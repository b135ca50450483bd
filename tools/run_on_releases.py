# SPDX-License-Identifier: MIT
"""Runs the tests of sessions and of the official package on other releases of onnxruntime.

    python tools/run_on_releases.py [--releases VERSION ...] [--folder FOLDER] [PYTEST ARGUMENT ...]

Each release is installed by pip into a folder of its own, and gets a virtual environment that finds
it first, and then the packages of the environment that runs this script. By default the releases
are the oldest that pip installs and this Python imports, and the newest, but not the one of this
environment: the test command has that. Tests of functions that a release does not have yet are
skipped. `--folder` keeps the installed releases for the next run.
"""

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import venv
from importlib import metadata
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TESTS = ["tests/session", "tests/core_session", "tests/official"]
TESTS += ["tests/kernels/test_one_process.py"]
PROCESSES = ["-n", "2", "--dist", "loadgroup"]  # as many as the test command of the README has
SECONDS = 280  # for the tests of one release; they take less than 20 on an idle machine
SUPPORTED = (1, 20)  # the oldest that `load` and `attach` take


def released(oldest: tuple[int, int] = SUPPORTED) -> list[str]:
    """The releases that pip installs on this Python, oldest first; one of each minor version."""
    pip = [sys.executable, "-m", "pip", "index", "versions", "onnxruntime"]
    listing = subprocess.run(pip, capture_output=True, text=True, check=True).stdout
    (listed,) = re.findall(r"^Available versions: (.*)$", listing, re.MULTILINE)
    found: dict[tuple[int, int], str] = {}
    for version in listed.split(", "):
        major, minor = map(int, version.split(".")[:2])
        if (major, minor) >= oldest:
            found.setdefault((major, minor), version)  # pip lists the newest first
    return [found[minor] for minor in sorted(found)]


def install(version: str, folder: Path) -> Path | None:
    """The folder of packages with that release; None if pip has none for this Python."""
    packages = folder / version / "packages"
    if not (packages / "onnxruntime").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--only-binary=:all:"]
        command = [*pip, "--target", packages, f"onnxruntime=={version}"]
        if subprocess.run(command, check=False).returncode:
            return None
    return packages


def installed(version: str, folder: Path) -> Path | None:
    """The Python of an environment with that release; None if this Python cannot import it."""
    packages, environment = install(version, folder), folder / version / "environment"
    if packages is None:
        return None
    venv.create(environment, with_pip=False, clear=True)
    scheme = {"base": str(environment), "platbase": str(environment)}
    site = Path(sysconfig.get_path("purelib", "venv", scheme))
    # A path file in the other folder, such as one of an editable installation, counts too.
    others = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})"
    (site / "release.pth").write_text(f"{packages}\n{others}\n")
    python = Path(sysconfig.get_path("scripts", "venv", scheme)) / "python"
    look = f"import onnxruntime; assert onnxruntime.__version__ == {version!r}"
    return None if run(python, "-c", look, quiet=True) else python


def run(python: Path, *arguments: str, quiet: bool = False) -> int:
    """Run that Python in the checkout; return its exit code."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "ORTCFFI_LIBRARY", "ORTCFFI_NO_SKIP"}
    environment = {name: text for name, text in os.environ.items() if name not in hidden}
    environment["ORTCFFI_OLDER_RELEASE"] = "1"
    environment["PYTHONSAFEPATH"] = "1"  # the installed package, not that of the checkout
    output = subprocess.DEVNULL if quiet else None
    command = [python, *arguments]
    try:
        return subprocess.run(
            command, cwd=CHECKOUT, env=environment, stderr=output, check=False, timeout=SECONDS
        ).returncode
    except subprocess.TimeoutExpired:
        sys.stdout.write(f"not done after {SECONDS} seconds\n")
        return 1


def chosen(folder: Path) -> dict[str, Path]:
    """The oldest release that this Python imports, and the newest."""
    releases = released()
    while releases and (oldest := installed(releases[0], folder)) is None:
        releases.pop(0)
    if not releases:
        return {}
    pythons = {releases[0]: oldest}
    newest = releases[-1]
    if newest not in (releases[0], here()):
        pythons[newest] = installed(newest, folder)
    return pythons


def here() -> str | None:
    """The release in the environment that runs this script; None without one."""
    try:
        return metadata.version("onnxruntime")
    except metadata.PackageNotFoundError:
        return None


def main() -> int:
    """Run the tests on each release; return 1 if they fail on one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--releases", nargs="+", metavar="VERSION")
    parser.add_argument("--folder", type=Path, help="by default a temporary one")
    given, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        if given.releases:
            pythons = {version: installed(version, folder) for version in given.releases}
        else:
            pythons = chosen(folder)
        failed = [] if pythons else ["no release can be installed"]
        for version, python in pythons.items():
            sys.stdout.write(f"\n-- onnxruntime {version}\n")
            sys.stdout.flush()
            pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *PROCESSES, *(more or TESTS)]
            if python is None or run(python, *pytest):
                failed.append(version)
    for version in failed:
        sys.stdout.write(f"failed: {version}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
