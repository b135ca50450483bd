# SPDX-License-Identifier: MIT
"""What ``ortcffi check`` found, for people and for machines."""

import re
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from ortcffi._text import joined
from ortcffi.cli.check_client import Client
from ortcffi.cli.check_client import as_document as client_as_document

__all__ = ["Finding", "Report", "as_document", "as_junit", "describe"]


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


# --- for continuous integration -------------------------------------------------------------------

_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(reports: list[Report]) -> str:
    """The reports as JUnit's XML: a test case for each op, and one for the library itself."""
    root = ET.Element("testsuites")
    for report in reports:
        ops = dict.fromkeys(f"{o.domain}:{o.name}" for c in report.registrations for o in c.ops)
        failures: dict[str, list[Finding]] = {"the library": [], **{name: [] for name in ops}}
        for finding in report.findings:
            failures[_subject(finding, ops)].append(finding)
        counts = {"tests": str(len(failures)), "failures": str(sum(map(bool, failures.values())))}
        suite = ET.SubElement(root, "testsuite", {"name": _text(report.path), **counts})
        for name, findings in failures.items():
            case = ET.SubElement(suite, "testcase", classname=_text(report.path), name=_text(name))
            if findings:
                lines = [f"{finding.step}: {finding.text}" for finding in findings]
                failure = ET.SubElement(case, "failure", message=_text(findings[0].text))
                failure.text = _text("\n".join(lines))
        ET.SubElement(suite, "system-out").text = _text("\n".join(report.notes))
    ET.indent(root)
    return ET.tostring(root, "unicode", xml_declaration=True) + "\n"


def _subject(finding: Finding, ops: dict[str, None]) -> str:
    """The op that a finding is of, as its text begins with it."""
    if finding.step not in ("ops", "kernels"):
        return "the library"
    found = [name for name in ops if finding.text.startswith((f"{name}:", f"{name} "))]
    return max(found, key=len, default="the library")


def _text(text: str) -> str:
    """A text without characters that XML does not have."""
    return _NOT_IN_XML.sub("\ufffd", text)
