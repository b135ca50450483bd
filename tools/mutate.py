# SPDX-License-Identifier: MIT
"""Changes one token in a C file, builds, and runs the tests of its topic: which of them notice?

    python tools/mutate.py --seed 1 --count 30

Each change is undone before the next. A change that does not compile counts as noticed. For those
that no test of the topic notices, the conformance suite and the tests that call every slot run as
well. The same seed and the same files give the same changes. The files must have no uncommitted
changes.
"""

import argparse
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ortcffi.kernels.child import run_command

CHECKOUT = Path(__file__).resolve().parents[1]
FOLDERS = ["core/src", "ortcffi/boundary"]
# The tests of topics that have no folder of their own there.
TESTS = {
    "adaptors": "memory",
    "compile": "models",
    "graph": "models",
    "heap": "memory",
    "model": "models",
    "object": "table status",
    "onnx": "onnx models",
    "platform": "kernels memory table",
    "session": "session core_session",
    "sparse": "values",
    "strings": "values",
    "table": "table ep",
    "values": "values kernels session",
}
LEFT_OUT = {"platform_windows.c"}  # not compiled here
TEST = ["pytest", "-x", "-q", "-m", "not slow"]
ALL = [["ortcffi", "conform", "core"], [*TEST, "tests/whole/test_faults.py", "tests/table"]]
SECONDS = 420  # of the tests of one change
OTHERS = {"==": "!=", "<": "<=", ">": ">=", "&&": "||", "+": "-", "&": "|", "<<": ">>"}
OTHERS |= {"+=": "-=", "++": "--", "true": "false"}
OTHERS |= {new: old for old, new in OTHERS.items()}  # and back
OTHERS |= {"*": "/", "break": "continue", "!": ""}
# What is passed over, then words, numbers and operators.
TOKEN = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^[ ]*\#(?:\\\n|[^\n])*
    | (?P<token> [A-Za-z_]\w* | \d[\w.]* | <<= | >>= | [-+*/&|^%]= | -> | \+\+ | -- | << | >>
    | [<>=!]= | && | \|\| | [-+*/&|!<>] )""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


class Change(NamedTuple):
    """One token of a file, and what replaces it."""

    path: Path
    start: int
    old: str
    new: str


def changes(path: Path) -> Iterator[Change]:
    """All changes that this program knows for a file."""
    text = path.read_text(encoding="utf-8")
    for found in TOKEN.finditer(text):
        token = found["token"]
        if token is None:
            continue
        new = str(int(token) + 1) if token.isdigit() else OTHERS.get(token)
        spaced = text[found.start() - 1] + text[found.end()] == "  "  # otherwise of one operand
        if new is not None and (spaced or token not in "+-*&|"):
            yield Change(path, found.start(), token, new)


def chosen(seed: int, count: int) -> list[Change]:
    """A number of changes, at most one in a file."""
    generator = random.Random(seed)
    paths = [path for folder in FOLDERS for path in sorted((CHECKOUT / folder).glob("*/*.c"))]
    paths = [path for path in paths if not LEFT_OUT & {path.name, path.parent.name}]
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in paths]
    found: dict[Path, Change] = {}
    while len(found) < min(count, len(paths)):
        (path,) = generator.choices(paths, lines)
        if path not in found and (known := list(changes(path))):
            found[path] = generator.choice(known)
    return list(found.values())


def run(*command: str) -> str | None:
    """Run a command; the last line that it printed if it fails, otherwise None."""
    code, output, errors = run_command(command, SECONDS)
    if code is None:
        return f"it takes longer than {SECONDS} s"
    lines = (output + errors).decode(errors="replace").splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return None if code == 0 else (failed or lines or ["it ends"])[-1]


def build() -> str | None:
    """Compile the core and the extension."""
    setup = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    return run("make", "-s", "-C", "core") or run(*setup)


def verdict(change: Change) -> str:
    """What the tests say of a change, which stands in its file."""
    if problem := build():
        return f"not compiled: {problem}"
    topic = change.path.parent.name
    folders = [f"tests/{name}" for name in TESTS.get(topic, topic).split()]
    tests = [folder for folder in folders if (CHECKOUT / folder).is_dir()]
    for module in [[*TEST, *tests]] * bool(tests) + ALL:
        if problem := run(sys.executable, "-m", *module):
            return f"noticed by {' '.join(module)}: {problem}"
    return "SURVIVES"


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    """Try the changes; the exit code is 1 if one survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--list", action="store_true", help="only print the changes")
    options = parser.parse_args()
    os.chdir(CHECKOUT)
    survivors = 0
    for number, change in enumerate(chosen(options.seed, options.count), 1):
        text = change.path.read_text(encoding="utf-8")
        end = change.start + len(change.old)
        line = text.count("\n", 0, change.start) + 1
        shown = text.splitlines()[line - 1].strip()
        where = f"{change.path.relative_to(CHECKOUT)}:{line}"
        say(f"{number}. {where}: {change.old!r} -> {change.new!r} in {shown}")
        if options.list:
            continue
        try:
            change.path.write_text(text[: change.start] + change.new + text[end:], encoding="utf-8")
            answer = verdict(change)
        finally:
            change.path.write_text(text, encoding="utf-8")
        survivors += answer == "SURVIVES"
        say(f"   {answer}")
    if not options.list:
        build()
        say(f"{survivors} of {number} survive")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
