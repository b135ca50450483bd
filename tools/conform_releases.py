# SPDX-License-Identifier: MIT
"""Runs ``ortcffi conform`` on the core and on releases of onnxruntime, and writes the results.

    python tools/conform_releases.py [--folder FOLDER]

The results follow the heading of that name in ``docs/conformance.md``. Bad calls are left out: they
take half of the time, and are not required. Releases are the newest ones of each minor version that
pip installs on this Python and that bring ``libonnxruntime.so``; `--folder` keeps them for the next
run.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from run_on_releases import CHECKOUT, install, released

from ortcffi.cli.check_report import COLUMNS, Report, counts
from ortcffi.cli.conform import CORE, conform, failures
from ortcffi.cli.info import package_version
from ortcffi.conformance.rows import groups

PAGE = CHECKOUT / "docs/conformance.md"
MARK = "`python tools/conform_releases.py` made what follows.\n"


def row(report: Report) -> str:
    """A line of the table: all groups together."""
    total = sum(counts(report).values(), Counter())
    return " | ".join([report.title, *(str(total[name]) for name in COLUMNS)])


def results(reports: list[Report]) -> str:
    head = ["library", *COLUMNS]
    lines = [f"ortcffi {package_version()}.\n", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {row(report)} |" for report in reports]
    for report in reports:
        if found := failures(report, "failed"):
            lines += [f"\n### {report.title}\n", *(f"- `{line}`" for line in found)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="by default a temporary one")
    given = parser.parse_args()
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
