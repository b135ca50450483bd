# SPDX-License-Identifier: MIT
"""What the compiler zig makes of the sources for systems whose programs cannot be run here."""

import importlib.util
import json
import shlex
import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from build_wheels import ENDIAN
from support.compilers import CORE, LONGEST_BUILD, build_folder, builds, locked, make_command
from support.paths import CHECKOUT
from support.processes import run, run_python

pytestmark = pytest.mark.xdist_group("zig")

MAC = "aarch64-macos"
LIBRARIES = {
    "x86_64-linux-musl": ("libortcore.so", "-Wl,--version-script=exports/ortcore.map"),
    "aarch64-linux-gnu": ("libortcore.so", "-Wl,--version-script=exports/ortcore.map"),
    "x86_64-windows-gnu": ("ortcore.dll", "exports/ortcore.def"),
    MAC: ("libortcore.dylib", "-Wl,-exported_symbols_list,exports/ortcore.exp"),
}
# The linker adds them to each library.
OF_THE_LINKER = {"__mh_dylib_header", "___dso_handle"}
# Without zig's own libraries, which it would compile first.
OF_THE_SYSTEM = ["-nostdlib", "-lSystem"]
# Without what debuggers read, which takes most of the time.
QUICKLY = ["-O0", "-g0", "-fno-sanitize=all"]
# As in the file of the same name of CPython for macOS, which no other system has.
PYCONFIG = """
#define _DARWIN_C_SOURCE 1
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_INT 4
#define SIZEOF_SHORT 2
#define SIZEOF_WCHAR_T 4
#define SIZEOF_TIME_T 8
#define SIZEOF_PID_T 4
#define ALIGNOF_SIZE_T 8
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_WCHAR_H 1
#define HAVE_UINTPTR_T 1
"""
# What setup.py has from build_ort.py on a Mac.
READ_BUILD = """
import json, os, sys
import cffi.recompiler  # reads the configuration of this system
folder, checkout = sys.argv[1:]
sys.path.insert(0, checkout)
os.environ["_PYTHON_HOST_PLATFORM"] = "macosx-11.0-arm64"
import build_ort as build
os.chdir(folder)
build.write_extension()
names = ["COMPILE_FLAGS", "INCLUDE", "CORE_NAME", "CORE_LINK_FLAGS", "EXTENSION_LINK_FLAGS"]
names.append("BOUNDARY_SOURCES")
print(json.dumps({name: getattr(build, name) for name in names}))
"""


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


def exported(library: Path) -> set[str]:
    from macholib.MachO import MachO
    from macholib.SymbolTable import SymbolTable

    symbols = SymbolTable(MachO(str(library))).extdefsyms
    return {name.decode() for _, name in symbols} - OF_THE_LINKER


def commands_of(library: Path) -> dict[str, list[object]]:
    """The load commands of a library for macOS, by name, each with what follows it."""
    from macholib.MachO import MachO

    [header] = MachO(str(library)).headers
    found: dict[str, list[object]] = {}
    for command, body, data in header.commands:
        text = data.rstrip(b"\0").decode() if "DYLIB" in command.get_cmd_name() else body
        found.setdefault(command.get_cmd_name(), []).append(text)
    return found


def listed(file: str) -> set[str]:
    lines = (CORE / "exports" / file).read_text().splitlines()
    return {line for line in lines if not line.startswith("#")}


def check_core(library: Path) -> None:
    """A core that a client on a Mac finds, and that nothing has to be written into to load it."""
    commands = commands_of(library)
    assert commands["LC_ID_DYLIB"] == ["@rpath/libortcore.dylib"]
    assert commands["LC_LOAD_DYLIB"] == ["/usr/lib/libSystem.B.dylib"]
    assert exported(library) == listed("ortcore.exp")
    [symbols] = commands["LC_DYSYMTAB"]
    assert (symbols.nextrel, symbols.nlocrel) == (0, 0)


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
    build = make_for(MAC, "clients", "RUNS=abi client heap storm platform behaviour")
    for name in ("client", "storm"):
        commands = commands_of(build / name)
        assert "/usr/lib/libSystem.B.dylib" in commands["LC_LOAD_DYLIB"]
    assert (build / "behaviour").stat().st_size > 0


@pytest.mark.slow
def test_the_extension_and_its_core_are_linked_for_macos_with_the_flags_of_setup(tmp_path):
    compiler = zig(MAC)
    build = json.loads(
        run_python(READ_BUILD, tmp_path, CHECKOUT, CC=shlex.join(compiler)).splitlines()[-1]
    )
    python = tmp_path / "python"
    headers = sysconfig.get_path("include")
    shutil.copytree(headers, python, ignore=shutil.ignore_patterns("pyconfig.h", "internal"))
    (python / "pyconfig.h").write_text(PYCONFIG)
    (python / "endian.h").write_text(ENDIAN)  # which NumPy's headers include
    core = make_for(MAC)
    objects = [word for word in link_command(MAC, core) if word.endswith(".o")]

    sources = [tmp_path / "build/_ort.c", *(CHECKOUT / name for name in build["BOUNDARY_SOURCES"])]
    include = [f"-I{folder}" for folder in [*(CHECKOUT / i for i in build["INCLUDE"]), python]]
    flags = [*build["COMPILE_FLAGS"], *QUICKLY, *include]
    extension = tmp_path / "_ort.abi3.so"
    link = ["-undefined", "dynamic_lookup", *build["EXTENSION_LINK_FLAGS"], *OF_THE_SYSTEM]
    run(*compiler, "-shared", *flags, *sources, *objects, *link, "-o", extension)
    # Unlike Apple's linker zig's exports all that is visible, whatever the list says.
    assert "-Wl,-exported_symbols_list," + str(CORE / "exports/extension.exp") in link
    assert exported(extension) - listed("ortcore.exp") | {"_OrtGetApiBase"} == listed(
        "extension.exp"
    )

    library = tmp_path / build["CORE_NAME"]
    link = [*build["CORE_LINK_FLAGS"], *OF_THE_SYSTEM]
    run(*compiler, "-shared", *objects, *link, "-o", library)
    assert library.name == "libortcore.dylib"
    check_core(library)
