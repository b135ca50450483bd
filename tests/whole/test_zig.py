# SPDX-License-Identifier: MIT
"""What the compiler zig makes of the sources for systems whose programs cannot be run here."""

import importlib.util
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.compilers import LONGEST_BUILD, build_folder, builds, locked, make_command
from support.macos import check_core, commands_of
from support.processes import run

pytestmark = pytest.mark.xdist_group("zig")

MAC = "aarch64-macos"
LIBRARIES = {
    "x86_64-linux-musl": ("libortcore.so", "-Wl,--version-script=exports/ortcore.map"),
    "aarch64-linux-gnu": ("libortcore.so", "-Wl,--version-script=exports/ortcore.map"),
    "x86_64-windows-gnu": ("ortcore.dll", "exports/ortcore.def"),
    MAC: ("libortcore.dylib", "-Wl,-exported_symbols_list,exports/ortcore.exp"),
}
# Without zig's own libraries, which it would compile first.
OF_THE_SYSTEM = ["-nostdlib", "-lSystem"]
# Without what debuggers read, which takes most of the time.
QUICKLY = ["-O0", "-g0", "-fno-sanitize=all"]


@pytest.fixture(scope="module", autouse=True)
def _caches() -> Iterator[None]:
    """What zig keeps from earlier runs lies beside the builds."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):
            patch.setenv(name, str(builds() / "zig-cache"))
        yield


def zig(target: str) -> list[str]:
    # The program itself: `python -m ziglang` would start Python for each file.
    import ziglang

    return [str(Path(ziglang.__file__).with_name("zig")), "cc", "-target", target]


def make_for(target: str, *what: str) -> Path:
    """Build for a target, quickly and with warnings as errors; the folder of the build."""
    build = build_folder(["zig", target])
    words = " ".join([*QUICKLY, "-Werror"])
    flags = [f"CFLAGS={words}", f"LDFLAGS={' '.join(OF_THE_SYSTEM)}"]
    flags.append(f"BUILD={build}")
    with locked(build):
        run(*make_command(zig(target)), *flags, *what, timeout=LONGEST_BUILD)
    return build


def link_command(target: str, build: Path) -> list[str]:
    """The command that links the core for a target."""
    said = run(*make_command(zig(target)), "-n", "-B", f"BUILD={build}").stdout
    return shlex.split(said.splitlines()[-1])


@pytest.mark.parametrize("target", LIBRARIES)
def test_make_goes_by_the_target_of_the_compiler_not_by_this_system(target, tmp_path):
    name, exports = LIBRARIES[target]
    link = link_command(target, tmp_path)
    assert link[-1].endswith(f"/{name}")
    assert exports in link
    files = {Path(word).stem for word in link if word.endswith(".o")}
    assert ("platform_windows" in files) == ("windows" in target)
    assert ("platform_posix" in files) == ("windows" not in target)


@pytest.mark.slow
def test_the_core_for_macos_exports_its_list_and_bears_a_name_that_a_client_finds():
    check_core(make_for(MAC) / "libortcore.dylib")


@pytest.mark.slow
def test_clients_for_macos_are_linked_with_the_core():
    # `throwing` loads a library in C++, which zig would build the C++ library for.
    build = make_for(MAC, "clients", "RUNS=abi heap storm platform")
    for name in ("abi", "storm"):
        commands = commands_of(build / name)
        assert "/usr/lib/libSystem.B.dylib" in commands["LC_LOAD_DYLIB"]
