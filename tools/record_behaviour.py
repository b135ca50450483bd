# SPDX-License-Identifier: MIT
"""Adds to ``behaviour.tsv`` calls and releases that it lacks, and updates docs/differences.md.

    python tools/record_behaviour.py [--core FILE] [--real FILE]

By default the libraries are the core that make has built and that of the installed onnxruntime.
A call gets a row, a newer release of the real library a column.
The answers are recorded as they are, so read what is new: from now on the tests expect them. The
script fills in the reason "NULL"; replace "?" by a key of HEADINGS in tests/support/behaviour.py.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support import behaviour as suite

import ortcffi as ort

CORE = suite.CHECKOUT / "core/build/libortcore.so"
PAGE = suite.CHECKOUT / "docs/differences.md"
HEAD = "| call | core | onnxruntime {} |\n|---|---|---|\n"


def reason(core: str, real: str) -> str:
    if suite.without_words(core) == suite.without_words(real):
        return ""
    return "NULL" if real.startswith("crash") and "must not be NULL" in core else "?"


def shortened(answer: str) -> str:
    """The answer without the source file and line where a library failed: builds differ in them."""
    return re.sub(r'"/[^"]*\.(cc|h):\d+ [^"]*"', '"..."', answer, flags=re.S).replace("\n", " ")


def record(core: Path, real: Path) -> None:
    release = suite.release_of(real.name)
    if release is None:
        raise SystemExit(f"the name of {real} does not end with a release, as in .so.1.31.1")
    program = suite.build(["cc"])
    if suite.recorded_for(release) is None:
        add_column(release, suite.answers(program, real))
    add_rows(program, core, real, release)


def add_column(release: str, answers: dict[str, str]) -> None:
    if not suite.is_newer(release):
        raise SystemExit(f"{release} is older than {suite.RELEASES[-1]}; columns are appended")
    head, *rows = suite.TABLE.read_text(encoding="utf-8").splitlines()
    lines = [f"{head}\t{release}"]
    for row, call in zip(rows, suite.CALLS, strict=True):
        answer = answers[call.name]
        is_new = not suite.is_as_expected(answer, call.real)
        lines.append(f"{row}\t{shortened(answer) if is_new else ''}")
    suite.TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def add_rows(program: Path, core: Path, real: Path, release: str) -> None:
    releases, calls = suite.read_calls()
    known = {call.name for call in calls}
    at = releases.index(suite.recorded_for(release) or release)
    listed = subprocess.run([program], check=True, capture_output=True, text=True)
    new = [name for name in listed.stdout.splitlines() if name not in known]
    answers = [suite.answers(program, library) for library in (core, real) if new]
    with suite.TABLE.open("a", encoding="utf-8") as table:
        for name in new:
            ours, theirs = (shortened(each[name]) for each in answers)
            same = "=" if ours == theirs else theirs
            columns = ["?"] * at + [same] + [""] * (len(releases) - at - 1)
            table.write("\t".join([name, ours, reason(ours, theirs), *columns]) + "\n")


def write_tables() -> None:
    """Write a table under each heading of the page: the calls that differ for that reason."""
    releases, all_calls = suite.read_calls()
    head = HEAD.format(releases[-1])
    intro, *sections = PAGE.read_text(encoding="utf-8").split("\n## ")
    page = re.sub(r"\b1\.\d+\.\d+\b", releases[-1], intro)
    for section in sections:
        heading, text = section.split("\n", 1)
        keys = [key for key, name in suite.HEADINGS.items() if name == heading]
        calls = [call for call in all_calls if call.why in keys]
        rows = "".join(
            f"| `{c.name}` | `{c.core}` | {marked(c.answers[releases[-1]])} |\n" for c in calls
        )
        page += f"\n## {heading}\n{text.split(HEAD[:15])[0].rstrip()}\n"
        page += f"\n{head}{rows}" if calls else ""
    PAGE.write_text(page, encoding="utf-8")


def marked(answer: str) -> str:
    return f"**{answer}**" if answer.startswith("crash") else f"`{answer}`"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--core", type=Path, default=CORE)
    parser.add_argument("--real", type=Path)
    given = parser.parse_args()
    record(given.core, given.real or Path(ort.load().path))
    write_tables()


if __name__ == "__main__":
    main()
