# SPDX-License-Identifier: MIT
"""The rows of ``behaviour.tsv``, the program that makes the calls, and how answers compare."""

import itertools
import os
import re
import signal
from pathlib import Path
from typing import Any, NamedTuple

from support.compilers import build_folder, compile_shared
from support.paths import CHECKOUT
from support.processes import run as run_process

FOLDER = CHECKOUT / "tests/c/behaviour"
CLIENTS = CHECKOUT / "tests/c/clients"
PROVIDER = CHECKOUT / "tests/c/provider"
# The libraries that calls load, with their sources; their paths are in variables of those names.
LOADED: dict[str, tuple[Path | str, ...]] = {
    "logger_library": (FOLDER / "logger_library.c",),
    "asked_ep": (PROVIDER / "provider.c",),
    "graph_reader": (PROVIDER / "provider.c", "-DKIND=READER"),
}
SOURCES = sorted(FOLDER.glob("behaviour*.c"))
TABLE = CHECKOUT / "tests/behaviour.tsv"
REASONS = {
    "characters": "Characters",
    "NULL": "NULL arguments",
    "size": "Sizes that cannot be had",
    "client": "A client's allocator",
    "statistics": "Statistics and Shrink",
    "release": "Releasing what is shared",
    "engine": "What needs an engine",
    "late": "What is looked at late",
    "leaves": "Libraries that fail",
    "logger": "Logs without an environment",
    "all": "All or nothing",
    "shape": "Fewer dimensions than before",
    "element": "NULL in an array",
    "copies": "Copies",
    "sparse": "Sparse tensors",
    "arena": "Arenas",
    "depth": "Types within types",
    "paths": "Paths that leave a folder",
    "profiles": "Profiles",
    "graphs": "Graphs and their parts",
    "schemas": "Schemas of operators",
    "failed": "Out-parameters of calls that fail",
    "providers": "Execution providers",
}


class Call(NamedTuple):
    """A row: an empty answer is that of the release before, "=" the core's, "?" not recorded."""

    name: str
    core: str
    why: str
    answers: dict[str, str]  # of each release

    @property
    def real(self) -> str:
        """The answer of the newest recorded release."""
        return self.answers[RELEASES[-1]]


def read_calls() -> tuple[list[str], list[Call]]:
    """The releases, oldest first, and the calls."""
    head, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    releases, calls = head.split("\t")[3:], []
    for line in lines:
        name, core, why, *columns = line.split("\t")
        filled = itertools.accumulate(columns, lambda before, answer: answer or before)
        answers = (core if answer == "=" else answer for answer in filled)
        calls.append(Call(name, core, why, dict(zip(releases, answers, strict=True))))
    return releases, calls


RELEASES, CALLS = read_calls()


def release_of(library: str) -> str | None:
    """The release in the name of a library, libonnxruntime.so.1.31.1 for example."""
    found = re.search(r"\d+\.\d+\.\d+$", library)
    return found[0] if found else None


def recorded_for(release: str) -> str | None:
    """The recorded release with the same minor version."""
    minor = release.rpartition(".")[0]
    return next((each for each in RELEASES if each.rpartition(".")[0] == minor), None)


def is_newer(release: str) -> bool:
    """Whether it came after all that are recorded."""
    ours, newest = ([int(part) for part in each.split(".")] for each in (release, RELEASES[-1]))
    return ours > newest


def build(compiler: list[str]) -> Path:
    """The program that makes one call and prints its answer, and beside it what it loads."""
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{CHECKOUT / 'core/include'}"]
    folder = build_folder(compiler, "behaviour")
    program = folder / "behaviour"
    for name, sources in LOADED.items():
        library = folder / f"{name}.so"
        options = [*sources, "-o", library, "-shared", "-fPIC", "-ldl"]
        compile_shared(library, [FOLDER, CLIENTS, PROVIDER], *compiler, *flags, *options)
    # All files as one, as make compiles them.
    whole = [word for source in SOURCES for word in ("-include", source)]
    # Exported symbols: the program is a library of custom ops as well.
    options = ["-x", "c", os.devnull, "-o", program, "-rdynamic", "-ldl", "-pthread"]
    return compile_shared(program, [FOLDER, CLIENTS], *compiler, *flags, *whole, *options)


def run(program: Path, library: Path, what: str) -> Any:
    """Makes one call, or with "each" all of them, each in a process of its own."""
    loaded = {name.upper(): str(program.with_name(f"{name}.so")) for name in LOADED}
    environment = {**os.environ, **loaded}
    return run_process(program, library, what, code=None, text=False, env=environment, timeout=600)


def answers(program: Path, library: Path) -> dict[str, str]:
    """The answer to each call."""
    done = run(program, library, "each")
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode(errors="backslashreplace")
    records = (record.split("\x1f") for record in text.split("\x1e")[:-1])
    return {name: said if (code := int(end)) == 0 else ended(code) for name, said, end in records}


def ended(code: int) -> str:
    return f"crash {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def is_as_expected(answer: str, expected: str) -> bool:
    """Whether an answer is one of those that are recorded; test_behaviour.py has the notation."""
    patterns = (re.escape(each).replace(r"\.\.\.", ".*") for each in expected.split(" / "))
    return any(re.fullmatch(pattern, answer, re.S) for pattern in patterns)


def without_time(said: bytes) -> bytes:
    """What a program printed, without the time in the name of a profile."""
    return re.sub(rb"profile_[\d_-]+\.json", b"profile.json", said)


def without_words(answer: str) -> str:
    """The codes of an answer's statuses without their messages, which are each library's own."""
    return re.sub(r'\b([A-Z_]+): ".*?"(?=; |$)', r"\1", answer)
