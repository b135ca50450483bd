# SPDX-License-Identifier: MIT
"""The rules of the house that no linter knows: CONTRIBUTING.md states them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from slots import Slot, slots_of
from support.paths import CHECKOUT

FOLDERS = ["core", "ortcffi", "tests", "tools", "benchmarks"]
C_SUFFIXES = [".c", ".h", ".cc", ".def"]
MOST_LINES = {"ortcffi": 300, "benchmarks": 300, "tools": 300, "tests": 400, "core": 400}
# Headers of one kind of system, which platform.h stands in front of.
SYSTEM_HEADERS = r"#include <(pthread|dlfcn|unistd|windows|sys/\w+|semaphore|threads)\.h>"
DOCUMENTATION = CHECKOUT / "core/include"  # most of its lines are comments, one per slot


def written(*suffixes: str) -> list[Path]:
    """The sources with one of these endings that were not generated."""
    found = [path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*")]
    return sorted(path for path in found if path.suffix in suffixes and "build" not in path.parts)


def name(path: Path) -> str:
    return str(path.relative_to(CHECKOUT))


@pytest.mark.parametrize("path", written(".py", ".pyi", *C_SUFFIXES), ids=name)
def test_every_source_opens_with_its_licence(path):
    assert "SPDX-License-Identifier: MIT" in path.read_text().partition("\n")[0]


@pytest.mark.parametrize("path", written(".py", ".c", ".h", ".cc"), ids=name)
def test_every_source_can_be_read_in_one_sitting(path):
    if DOCUMENTATION not in path.parents:
        most = 400 if path.suffix != ".py" else MOST_LINES[path.relative_to(CHECKOUT).parts[0]]
        assert len(path.read_text().splitlines()) < most


def functions(text: str) -> Iterator[tuple[str, int]]:
    """The first line and the number of lines of each C function, as clang-format lays it out."""
    lines, start = text.splitlines(), 0
    for number, line in enumerate(lines):
        if re.match(r"\w", line) and not line.endswith((";", ":")):  # neither statement nor label
            start = number
        elif line == "}":
            yield lines[start], number - start + 1


@pytest.mark.parametrize("path", written(".c", ".h"), ids=name)
def test_every_c_function_has_at_most_40_lines(path):
    assert not [line for line, length in functions(path.read_text()) if length > 40]


@pytest.mark.parametrize("path", sorted((CHECKOUT / "core/src").rglob("*.[ch]")), ids=name)
def test_only_the_platform_layer_includes_headers_of_one_system(path):
    if not path.name.startswith("platform"):
        assert not re.findall(SYSTEM_HEADERS, path.read_text())


def listed_functions() -> Iterator[tuple[str, Slot]]:
    """Each row of the lists of slots, and the name of its function in C."""
    for path in DOCUMENTATION.glob("ort*_slots.def"):
        prefix = path.name.removeprefix("ort_").removesuffix("slots.def")
        for slot in slots_of(path.name):
            yield f"ort_{prefix}{slot.name}", slot


def defined_functions() -> dict[str, set[str]]:
    """The functions behind the slots that C files define by their whole name, and their folders."""
    pattern = r"^(?:ORT_API_STATUS_IMPL\(|\w[^;={(\n]*[ *])(ort_\w+)[,(]"
    found: dict[str, set[str]] = {}
    for path in (CHECKOUT / "core/src").rglob("*.c"):
        for function in re.findall(pattern, path.read_text(), re.MULTILINE):
            found.setdefault(function, set()).add(path.parent.name)
    return found


def test_the_folder_named_after_a_topic_defines_the_functions_of_its_slots():
    answered = {
        name: {slot.topic} for name, slot in listed_functions() if slot.who in ("HOST", "TABLE")
    }
    assert len(answered) > 200
    assert defined_functions() == answered


def test_the_hooks_run_the_versions_that_are_installed_for_development():
    def pins(file: str) -> set[str]:
        return set(re.findall(r"[\w-]+==[\d.]+", (CHECKOUT / file).read_text()))

    assert pins(".pre-commit-config.yaml") == pins("pyproject.toml") != set()
