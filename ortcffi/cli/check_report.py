# SPDX-License-Identifier: MIT
"""What ``ortcffi check`` found, for people and for machines."""

import math
import re
import time
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from ortcffi._public import joined
from ortcffi.cli.check_client import Client
from ortcffi.cli.check_client import as_document as client_as_document
from ortcffi.testing import ep_trials
from ortcffi.testing.ep_bench import RULES
from ortcffi.testing.ep_trials import Result

__all__ = ["OK", "UNTRIED", "WRONG", "Finding", "Report", "TimeIsUp", "as_document", "as_html"]
__all__ += ["as_junit", "describe", "exit_code"]

OK, WRONG, UNTRIED = 0, 1, 3  # exit codes; 2 is argparse's
LIBRARY = "the library"


class Finding(NamedTuple):
    """Something that is wrong."""

    step: str  # file, registration, ops or kernels; or the rule for providers that is broken
    text: str
    on: str = LIBRARY  # the op that it is about


class TimeIsUp(Exception):
    """A check has taken as long as it may."""


@dataclass
class Report:
    """What was found in a library."""

    path: str
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what is good to know
    registrations: list[Client] = field(default_factory=list)  # with each host
    results: list[Result] = field(default_factory=list)  # of each rule on each host
    untried: dict[str, str] = field(default_factory=dict)  # ops, and why
    cases: list[str] = field(default_factory=list)  # tests for pytest that fail
    summary: list[str] = field(default_factory=list)  # how much was tried, and how
    until: float = math.inf  # when the check must have ended, as time.monotonic() counts

    def found(self, step: str, text: str, on: str = LIBRARY) -> None:
        """Add a finding, unless another host has shown the same."""
        finding = Finding(step, text, on)
        if finding not in self.findings:
            self.findings.append(finding)

    def seconds(self, most: float) -> float:
        """How long a step may take that would have so many seconds of its own."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeIsUp
        return min(most, left)


def exit_code(report: Report) -> int:
    """What the command ends with."""
    return WRONG if report.findings else UNTRIED if report.untried else OK


def describe(report: Report) -> str:
    """The report for people."""
    lines = [f"library {report.path}"]
    lines += [f"FINDING ({finding.step}): {finding.text}" for finding in report.findings]
    lines += [f"NOT TRIED: {name}: {why}" for name, why in report.untried.items()]
    lines += [f"note: {note}" for note in report.notes]
    count = len(report.findings)
    last = {
        OK: "ok: nothing is wrong",
        UNTRIED: "not ok: nothing is known to be wrong, but not all could be tried",
        WRONG: f"not ok: {count} finding{'s' if count > 1 else ''}",
    }[exit_code(report)]
    return joined([*lines, "; ".join((last, *report.summary))], "\n    ")


def as_document(report: Report) -> dict[str, Any]:
    """The report for machines."""
    return {
        "path": report.path,
        "findings": [{"step": each.step, "text": each.text} for each in report.findings],
        "untried": report.untried,
        "notes": report.notes,
        "cases": report.cases,
        "summary": report.summary,
        "registrations": list(map(client_as_document, report.registrations)),
        "rules": [result._asdict() for result in report.results],
    }


# --- for continuous integration -------------------------------------------------------------------

_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {ep_trials.BROKEN: "failure", ep_trials.UNTRIED: "skipped"}


def as_junit(reports: list[Report]) -> str:
    """The reports as JUnit's XML.

    A test case for the library itself, and one for each op, or each rule on each host.
    """
    root = ET.Element("testsuites")
    for report in reports:
        cases, path = _cases(report), _text(report.path)
        tags = [tag for tag, _, _ in cases.values()]
        counts = {f"{tag}s": str(tags.count(tag)) for tag in ("failure", "error")}
        counts |= {"tests": str(len(cases)), "skipped": str(tags.count("skipped"))}
        suite = ET.SubElement(root, "testsuite", {"name": path, **counts})
        for name, (tag, message, lines) in cases.items():
            case = ET.SubElement(suite, "testcase", classname=path, name=_text(name))
            if tag:
                ET.SubElement(case, tag, message=_text(message)).text = _text(lines) or None
        ET.SubElement(suite, "system-out").text = _text("\n".join(report.notes))
    ET.indent(root)
    return ET.tostring(root, "unicode", xml_declaration=True) + "\n"


def _cases(report: Report) -> dict[str, tuple[str, str, str]]:
    """What came of each case: ``failure``, ``error``, ``skipped`` or "", a message, and lines."""
    ops = [f"{op.domain}:{op.name}" for client in report.registrations for op in client.ops]
    cases = dict.fromkeys((LIBRARY, *ops), ("", "", ""))
    for name, why in report.untried.items():
        cases[name] = "error", f"it could not be tried: {why}", ""
    for finding in reversed(_findings_of_no_rule(report)):
        _, _, later = cases.get(finding.on, ("", "", ""))
        lines = f"{finding.step}: {finding.text}" + (f"\n{later}" if later else "")
        cases[finding.on] = "failure", finding.text, lines
    for rule, host, outcome, text, _ in report.results:
        lines = f"{rule}: {text}" if outcome == ep_trials.BROKEN else ""
        cases[f"{rule} on {host}"] = _TAGS.get(outcome, ""), text, lines
    return cases


def _text(text: str) -> str:
    """A text without characters that XML does not have."""
    return _NOT_IN_XML.sub("\ufffd", text)


def _findings_of_no_rule(report: Report) -> list[Finding]:
    rules = {result.rule for result in report.results}
    return [finding for finding in report.findings if finding.step not in rules]


# --- a page that needs no other file --------------------------------------------------------------

_STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse } th, td { padding: .2em .8em; text-align: left }
tr { border-bottom: 1px solid #8884 } code { overflow-wrap: anywhere }
.kept { color: #2a7d2a } .broken { color: #c22; font-weight: bold } .not-tried { color: #888 }
:root { color-scheme: light dark }
"""


def as_html(reports: list[Report]) -> str:
    """A page with a table of the rules on each host, then each rule that is broken, explained."""
    body = "".join(map(_library, reports))
    head = f'<meta charset="utf-8"><title>ortcffi check</title><style>{_STYLE}</style>'
    page = f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}</body></html>\n'
    # The path of a library may have bytes that are not UTF-8.
    return page.encode(errors="backslashreplace").decode()


def _library(report: Report) -> str:
    hosts = list(dict.fromkeys(result.host for result in report.results))
    found = {(result.rule, result.host): result for result in report.results}
    rules = [each for each in RULES if any(each.name == name for name, _ in found)]
    lines = [f"<h1>{escape(report.path.rpartition('/')[2])}</h1>\n"]
    for step, text, _ in _findings_of_no_rule(report):
        lines.append(f'<p class="broken">{escape(f"{step}: {text}")}</p>\n')
    if hosts:
        head = "".join(f"<th>{escape(host)}</th>" for host in hosts)
        lines.append(f"<table>\n<tr><th>rule</th>{head}</tr>\n")
        for name in (each.name for each in rules):
            cells = "".join(_cell(found.get((name, host))) for host in hosts)
            lines.append(f'<tr><td><a href="#{name}">{name}</a></td>{cells}</tr>\n')
        lines.append("</table>\n")
    lines += [f"<p>{escape(note)}</p>\n" for note in report.notes]
    for each in rules:
        paragraphs = [" ".join(part.split()) for part in each.text.split("\n\n") if part.strip()]
        lines.append(f'<h2 id="{each.name}">{each.name}</h2>\n')
        lines += [f"<p>{escape(part).replace('``', '')}</p>\n" for part in paragraphs]
        for result in report.results:
            if result.rule == each.name and result.text:
                said = f"{result.outcome} on {escape(result.host)}: <code>{escape(result.text)}"
                lines.append(f'<p class="{_class(result)}">{said}</code></p>\n')
    return "".join(lines)


def _class(result: Result) -> str:
    return result.outcome.replace(" ", "-")


def _cell(result: Result | None) -> str:
    if result is None:
        return "<td></td>"
    return f'<td class="{_class(result)}" title="{escape(result.text)}">{result.outcome}</td>'
