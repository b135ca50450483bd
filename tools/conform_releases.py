# SPDX-License-Identifier: MIT
"""Runs ``ortcffi conform`` on the core and on releases of onnxruntime, and writes the results.

    python tools/conform_releases.py [--folder FOLDER | --providers]

The results follow the heading of that name in ``docs/conformance.md``. Bad calls are left out: they
take half of the time, and are not required. Releases are the newest ones of each minor version that
pip installs on this Python and that bring ``libonnxruntime.so``; `--folder` keeps them for the next
run. With `--providers`, the commands of ``docs/execution_provider_findings.md`` check providers
instead, and what they print replaces what that page has of them.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from run_on_releases import CHECKOUT, install, released

from ortcffi.cli.check_report import COLUMNS, Report, counts, made_with
from ortcffi.cli.conform import CORE, conform, failures
from ortcffi.conformance.rows import groups

PAGE = CHECKOUT / "docs/conformance.md"
FINDINGS = CHECKOUT / "docs/execution_provider_findings.md"
MARK = "`python tools/conform_releases.py` made what follows.\n"


def row(report: Report) -> str:
    """A line of the table: all groups together."""
    total = sum(counts(report).values(), Counter())
    return " | ".join([report.title.partition(", ")[0], *(str(total[name]) for name in COLUMNS)])


def results(reports: list[Report]) -> str:
    head = ["library", *COLUMNS]
    lines = [made_with("ortcffi"), f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {row(report)} |" for report in reports]
    for report in reports:
        if found := failures(report, "failed"):
            lines += [f"\n### {report.title}\n", *(f"- `{line}`" for line in found)]
    return "\n".join(lines) + "\n"


def check_providers() -> None:
    before, mark, rest = re.split("(These commands printed, .*:\n\n)", FINDINGS.read_text("utf-8"))
    _, after = re.split("(?=^### Others$)", rest, flags=re.MULTILINE)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for words in re.findall("^ortcffi (check .*) --statement", before, re.MULTILINE):
            page = Path(folder, "page.md")
            command = [sys.executable, "-m", "ortcffi", *words.split(), "--statement", page]
            subprocess.run(command, check=False)  # findings are no failure
            about, libraries = re.split("(?<=\n)(?=## )", page.read_text("utf-8"), maxsplit=1)
            found.append(re.sub("^## ", "### ", libraries, flags=re.MULTILINE) + "\n")
    made = about.partition("\n\n")[2]
    FINDINGS.write_text("".join([before, mark, made, *found, after]), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="by default a temporary one")
    parser.add_argument("--providers", action="store_true", help="check providers instead")
    given = parser.parse_args()
    if given.providers:
        check_providers()
        return
    required = [group for group in groups() if group != "bad calls"]
    reports = [conform(CORE, only=required)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        for version in released((1, 11)):
            packages = install(version, folder)
            found = packages and list(packages.glob("onnxruntime/capi/libonnxruntime.so.*"))
            if found:
                reports.append(conform(os.fspath(found[0]), only=required))
                sys.stdout.write(f"{row(reports[-1])}\n")
                sys.stdout.flush()
    before = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(f"{before}{MARK}\n{results(reports)}", encoding="utf-8")


if __name__ == "__main__":
    main()
