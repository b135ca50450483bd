# SPDX-License-Identifier: MIT
"""Adds to ``behaviour.tsv`` calls and releases that it lacks, or prints the answers that differ.

    python tools/record_behaviour.py [--core FILE] [--real FILE]
    python tools/record_behaviour.py --differences

By default the libraries are the core that make has built and that of the installed onnxruntime.
A call gets a row, a newer release of the real library a column.
The answers are recorded as they are, so read what is new: from now on the tests expect them. The
script fills in the reason "NULL"; replace "?" by a key of REASONS in tests/support/behaviour.py.
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


def print_differences() -> None:
    """Print the calls whose answers differ in more than words, by the reason."""
    releases, calls = suite.read_calls()
    for key, reason in suite.REASONS.items():
        sys.stdout.write(f"\n{reason}\n")
        for call in calls:
            if call.why == key:
                real = call.answers[releases[-1]]
                sys.stdout.write(f"  {call.name}\n    core: {call.core}\n    real: {real}\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--core", type=Path, default=CORE)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--differences", action="store_true", help="print them, and record nothing")
    given = parser.parse_args()
    if given.differences:
        print_differences()
    else:
        record(given.core, given.real or Path(ort.load().path))


if __name__ == "__main__":
    main()
