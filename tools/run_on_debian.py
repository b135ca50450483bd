# SPDX-License-Identifier: MIT
"""Runs the tests in another release of Debian, with its Python, compiler and C library.

    python tools/run_on_debian.py RELEASE [--folder FOLDER] [PYTEST ARGUMENT ...]

The release is a name such as trixie or forky. debootstrap, a package of Debian, installs it into a
folder; the committed sources are cloned into it, and README's second command is run there. Needs
root. `--folder` keeps the installed system for the next run.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
MIRROR = "http://deb.debian.org/debian"
SCRIPT = "sid"  # how each release is installed, also one that is newer than debootstrap
PACKAGES = "ca-certificates,g++,gcc,git,make,python3,python3-dev,python3-venv"
# How the system here reaches the network, which the other one needs as well.
NETWORK = ["/etc/hosts", "/etc/pip.conf", "/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"]
TESTS = ["-n", "2", "--dist", "loadgroup"]
# The mounts are in a namespace of their own, so they end with the process.
MOUNTS = "mount --rbind /proc {0}/proc && mount --rbind /sys {0}/sys && mount --rbind /dev {0}/dev"
COMMAND = """
cd /ortcffi && python3 --version && gcc --version
python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest {0}
"""


def install(release: str, system: Path) -> None:
    """Install a system, with what the tests need of it, unless it is there."""
    if not (system / "usr/bin/git").exists():
        what = ["--variant=minbase", f"--include={PACKAGES}", release]
        subprocess.run(["debootstrap", *what, system, MIRROR, SCRIPT], check=True)


def copy_sources(system: Path) -> None:
    """Clone what is committed into a system, without what an earlier run built."""
    shutil.rmtree(system / "ortcffi", ignore_errors=True)
    clone = ["git", "clone", "-q", CHECKOUT, system / "ortcffi"]
    subprocess.run(clone, check=True)
    for path in filter(Path.exists, map(Path, NETWORK)):
        shutil.copy(path, system / path.relative_to("/"))


def test(system: Path, arguments: list[str]) -> int:
    """Run the tests in a system; return their exit code."""
    place = shlex.quote(str(system))
    command = COMMAND.format(shlex.join(arguments))
    script = f"{MOUNTS.format(place)} && exec chroot {place} sh -ec {shlex.quote(command)}"
    return subprocess.run(["unshare", "--mount", "sh", "-c", script], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("release")
    parser.add_argument("--folder", type=Path)
    given, arguments = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as temporary:
        system = (given.folder or Path(temporary)).resolve() / given.release
        install(given.release, system)
        copy_sources(system)
        return test(system, arguments or TESTS)


if __name__ == "__main__":
    sys.exit(main())
