# SPDX-License-Identifier: MIT
"""The rules of the house that no linter knows: CONTRIBUTING.md states them."""

import re
import sysconfig
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import cffi
import numpy as np
import pytest
from slots import Slot, slots_of
from support.compilers import has_mimalloc
from support.paths import CHECKOUT
from support.processes import run

FOLDERS = ["core", "ortcffi", "tests", "tools", "benchmarks"]
C_SUFFIXES = [".c", ".h", ".cc", ".def"]
# Headers of one kind of system, which platform.h stands in front of.
SYSTEM_HEADERS = r"#include <(pthread|dlfcn|unistd|windows|sys/\w+|semaphore|threads)\.h>"
DOCUMENTATION = CHECKOUT / "core/include"  # most of its lines are comments, one per slot


def written(*suffixes: str) -> list[Path]:
    """The sources with one of these endings that were not generated."""
    found = [path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*")]
    return sorted(path for path in found if path.suffix in suffixes and "build" not in parts(path))


def parts(path: Path) -> tuple[str, ...]:
    return path.relative_to(CHECKOUT).parts


def name(path: Path) -> str:
    return str(path.relative_to(CHECKOUT))


def test_every_source_opens_with_its_licence():
    sources = written(".py", ".pyi", *C_SUFFIXES)
    licence = "SPDX-License-Identifier: MIT"
    assert len(sources) > 500
    assert [name(path) for path in sources if licence not in first_line(path)] == []


def first_line(path: Path) -> str:
    return path.read_text().partition("\n")[0]


def functions(text: str) -> Iterator[tuple[str, int]]:
    """The head and the number of lines of each C function, as clang-format lays it out."""
    pattern = r"^(\w(?:[^;{}\n]|\n(?!\n))*)\{\n(?:[^}\n].*\n|\n)*\}$"
    for function in re.finditer(pattern, text, re.MULTILINE):
        yield " ".join(function[1].split()), function[0].count("\n") + 1


def test_every_c_function_has_at_most_40_lines():
    found = [(name(path), *f) for path in written(".c", ".h") for f in functions(path.read_text())]
    assert len(found) > 1000
    assert [function for function in found if function[-1] > 40] == []


def test_only_the_platform_layer_includes_headers_of_one_system():
    sources = sorted((CHECKOUT / "core/src").rglob("*.[ch]"))
    found = {name(path): re.findall(SYSTEM_HEADERS, path.read_text()) for path in sources}
    assert {path for path, headers in found.items() if headers and "/platform" not in path} == set()


def listed_functions() -> Iterator[tuple[str, Slot]]:
    """Each row of the lists of slots, and the name of its function in C."""
    for path in DOCUMENTATION.glob("ort*_slots.def"):
        prefix = path.name.removeprefix("ort_").removesuffix("slots.def")
        for slot in slots_of(path.name):
            yield f"ort_{prefix}{slot.name}", slot


def defined_functions() -> dict[str, set[str]]:
    """The functions behind the slots that C files define by their whole name, and their folders.

    The type that a function returns may stand on a line of its own.
    """
    pattern = r"^(?:[A-Z_]+\(|\w[^;={(\n]*[ *])?(ort_\w+)[,()]"
    found: dict[str, set[str]] = {}
    for path in (CHECKOUT / "core/src").rglob("*.*"):
        for function in re.findall(pattern, path.read_text(), re.MULTILINE):
            found.setdefault(function, set()).add(path.parent.name)
    return found


def test_the_folder_named_after_a_topic_defines_the_functions_of_its_slots():
    answered = {
        name: {slot.topic} for name, slot in listed_functions() if slot.who in ("HOST", "TABLE")
    }
    assert len(answered) > 200
    assert defined_functions() == answered


HEADERS = [
    path for folder in ("core", "ortcffi") for path in sorted((CHECKOUT / folder).rglob("*.h"))
]


def compile_each(compiler: list[str], paths: list[Path], *flags: str) -> str:
    """What the compiler says of headers, each compiled alone."""
    command = [*compiler, "-fsyntax-only", "-Werror=implicit-function-declaration", *flags]
    command += ["-x", "c", *map(str, paths)]
    done = run(*command, code=None)
    return done.stderr if done.returncode else ""


@pytest.mark.slow
@pytest.mark.parametrize("place", ["core/include", "core/src", "ortcffi"])
def test_every_header_can_be_included_alone(c_compiler, place):
    headers = [path for path in HEADERS if CHECKOUT / place in path.parents]
    folders = [DOCUMENTATION]
    if place != "core/include":
        folders += [CHECKOUT / "core/src", CHECKOUT / "ortcffi", Path(cffi.__file__).parent]
        folders += [Path(each) for each in (sysconfig.get_path("include"), np.get_include())]
    if not has_mimalloc(c_compiler):
        headers = [path for path in headers if path.name != "heap_mimalloc.h"]
    standard = ["-std=c11", "-pedantic-errors"] if place == "core/include" else ["-std=gnu11"]
    includes = [f"-I{folder}" for folder in folders]
    assert compile_each(c_compiler, headers, *standard, *includes) == ""


def test_the_hooks_run_the_versions_that_are_installed_for_development():
    def pins(file: str) -> set[str]:
        return set(re.findall(r"[\w-]+==[\d.]+", (CHECKOUT / file).read_text()))

    assert pins(".pre-commit-config.yaml") == pins("pyproject.toml") != set()


def test_one_module_registers_functions_for_forks():
    found = {name(path): path.read_text().count("register_at_fork(") for path in written(".py")}
    ours = {path: count for path, count in found.items() if path.startswith("ortcffi/") and count}
    assert ours == {"ortcffi/_forks.py": 1}


# All that may stand at the root.
ROOT = """
.ci .clang-format .github .gitignore .pre-commit-config.yaml CHANGELOG.md CONTRIBUTING.md LICENSE
MANIFEST.in NOTICE README.md SECURITY.md benchmarks build_ort.py core docs ortcffi pyproject.toml
setup.py tests tools
"""


def test_the_root_has_what_is_listed():
    made = [line.strip("/") for line in (CHECKOUT / ".gitignore").read_text().split()] + [".git"]
    found = {path.name for path in CHECKOUT.iterdir()}
    assert {each for each in found if not any(fnmatch(each, pattern) for pattern in made)} == set(
        ROOT.split()
    )
