# SPDX-License-Identifier: MIT
"""Adds rows to ``behaviour.tsv`` for calls that have none, and updates docs/differences.md.

    python tools/record_behaviour.py LIBORTCORE LIBONNXRUNTIME

The answers are recorded as they are, so read the new rows: from now on the tests expect them. The
script fills in the reason "NULL"; replace "?" by a key of HEADINGS in tests/support/behaviour.py.
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support import behaviour as suite

TABLE = suite.CHECKOUT / "tests/behaviour.tsv"
PAGE = suite.CHECKOUT / "docs/differences.md"
HEAD = "| call | core | onnxruntime 1.31.1 |\n|---|---|---|\n"


def reason(core: str, real: str) -> str:
    if suite.without_words(core) == suite.without_words(real):
        return ""
    return "NULL" if real.startswith("crash") and "must not be NULL" in core else "?"


def shortened(answer: str) -> str:
    """The answer without the source file and line where a library failed: builds differ in them."""
    return re.sub(r'"/[^"]*\.(cc|h):\d+ [^"]*"', '"..."', answer, flags=re.S).replace("\n", " ")


def record(core: Path, real: Path) -> None:
    known = {call.name for call in suite.CALLS}
    with TABLE.open("a", encoding="utf-8") as table:
        program = suite.build(["cc"])
        listed = subprocess.run([program], check=True, capture_output=True, text=True)
        for name in listed.stdout.splitlines():
            if name not in known:
                ours, theirs = (shortened(suite.answer(program, x, name)) for x in (core, real))
                same = "=" if ours == theirs else theirs
                table.write(f"{name}\t{ours}\t{same}\t{reason(ours, theirs)}\n")


def write_tables() -> None:
    """Write a table under each heading of the page: the calls that differ for that reason."""
    intro, *sections = PAGE.read_text(encoding="utf-8").split("\n## ")
    page = intro
    for section in sections:
        heading, text = section.split("\n", 1)
        keys = [key for key, name in suite.HEADINGS.items() if name == heading]
        calls = [call for call in suite.read_calls() if call.why in keys]
        rows = "".join(f"| `{c.name}` | `{c.core}` | {marked(c.real)} |\n" for c in calls)
        page += f"\n## {heading}\n{text.split(HEAD)[0].rstrip()}\n"
        page += f"\n{HEAD}{rows}" if calls else ""
    PAGE.write_text(page, encoding="utf-8")


def marked(answer: str) -> str:
    return f"**{answer}**" if answer.startswith("crash") else f"`{answer}`"


if __name__ == "__main__":
    record(Path(sys.argv[1]), Path(sys.argv[2]))
    write_tables()
