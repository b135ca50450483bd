# SPDX-License-Identifier: MIT
"""What ``ortcffi check`` found, for people and for machines."""

from typing import Any, NamedTuple

from ortcffi._program import joined
from ortcffi.cli.check_client import Client
from ortcffi.cli.check_client import as_document as client_as_document

__all__ = ["Finding", "Report", "as_document", "describe"]


class Finding(NamedTuple):
    """Something that is wrong.

    Attributes
    ----------
    step : str
        Where it was found: ``file``, ``registration``, ``factories``, ``ops`` or ``kernels``.
    text : str
        What it is.
    """

    step: str
    text: str


class Report(NamedTuple):
    """What was found in a library.

    Attributes
    ----------
    path : str
        The library.
    findings : list of Finding
        What is wrong.
    notes : list of str
        What is good to know.
    registrations : list of Client
        What it did with each host.
    """

    path: str
    findings: list[Finding]
    notes: list[str]
    registrations: list[Client]


def describe(report: Report) -> str:
    """The report for people."""
    lines = [f"library {report.path}"]
    lines += [f"FINDING ({finding.step}): {finding.text}" for finding in report.findings]
    lines += [f"note: {note}" for note in report.notes]
    if not report.findings:
        lines.append("ok: nothing is wrong")
    return joined(lines, "\n    ")


def as_document(report: Report) -> dict[str, Any]:
    """The report for machines."""
    return {
        "path": report.path,
        "findings": [finding._asdict() for finding in report.findings],
        "notes": report.notes,
        "registrations": list(map(client_as_document, report.registrations)),
    }
