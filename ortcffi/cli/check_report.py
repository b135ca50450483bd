# SPDX-License-Identifier: MIT
"""What ``ortcffi check`` found: for people, for machines, for continuous integration, as a page."""

import math
import os
import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from ortcffi._public import aligned, joined
from ortcffi.cli.check_client import Client
from ortcffi.cli.check_client import as_document as client_as_document
from ortcffi.cli.info import versions_and_machine
from ortcffi.testing.rules import BROKEN, KEPT, RULES, UNTRIED, Result, Rule, outcome_of

_PRINTED = "; it printed: "
OK, WRONG, NOT_ALL = 0, 1, 3  # exit codes; 2 is argparse's


class Finding(NamedTuple):
    """A rule that is broken, on hosts in the same way."""

    rule: str
    text: str
    kind: str  # must, may, or waived


class TimeIsUp(Exception):
    """A check has taken as long as it may."""


@dataclass
class Report:
    """What was found in a library."""

    path: str
    title: str = ""  # package and version of an installed provider
    results: list[Result] = field(default_factory=list)  # of each rule on each host
    notes: list[str] = field(default_factory=list)  # what is good to know
    registrations: list[Client] = field(default_factory=list)  # with each host
    summary: list[str] = field(default_factory=list)  # how much was tried, and how
    untried: dict[str, str] = field(default_factory=dict)  # ops, and why
    waived: Mapping[str, str] = field(default_factory=dict)  # rules that may be broken, and why
    until: float = math.inf  # when the check must have ended, as time.monotonic() counts
    rules: list[Rule] = field(default_factory=lambda: RULES)  # that results are about

    @cached_property
    def not_must(self) -> set[str]:
        """The names of the rules that may be broken."""
        return {each.name for each in self.rules if not each.must}

    def add(self, rule: Rule, host: str, subject: Any) -> bool:
        """Try a rule here; return whether it is kept. What is to be known is a note."""
        outcome, text = outcome_of(partial(rule.check, subject))
        self.results.append(Result(rule.name, host, outcome, text))
        if outcome != BROKEN and text:
            self.notes.append(text)
        return outcome == KEPT

    @property
    def findings(self) -> list[Finding]:
        """The rules that are broken; hosts that differ in what is printed alone share a finding."""
        same: dict[tuple[str, str, str], list[Result]] = {}
        for each in self.results:
            if each.outcome == BROKEN:
                what = each.text.partition(_PRINTED)[0]
                same.setdefault((each.rule, each.on, what), []).append(each)
        found = []
        for (rule, on, _), results in same.items():
            names, text = [each.host for each in results], results[0].text
            is_general = names == [""] or (on and "core" in names)
            where = "" if is_general else f"on {', '.join(dict.fromkeys(names))}"
            parts = filter(None, (on, where, text))
            kind = "may" if rule in self.not_must else "must"
            kind = "waived" if rule in self.waived else kind
            found.append(Finding(rule, ": ".join(parts), kind))
        return found

    def seconds(self, most: float) -> float:
        """How long a step may take that would have so many seconds of its own."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeIsUp
        return min(most, left)


def exit_code(report: Report) -> int:
    """Return what the command ends with."""
    if any(each.kind == "must" for each in report.findings):
        return WRONG
    return NOT_ALL if report.untried else OK


def describe(report: Report) -> str:
    """Return the report for people."""
    lines, count = [f"library {report.path}"], 0
    for rule, text, kind in report.findings:
        count += kind == "must"
        why = f" ({report.waived[rule]})" if kind == "waived" else ""
        lines.append(f"{'FINDING' if kind == 'must' else kind} ({rule}): {text}{why}")
    lines += not_tried(report)
    lines += [f"note: {note}" for note in [*report.notes, *_untried(report)]]
    last = {
        OK: "ok: nothing is wrong",
        NOT_ALL: "not ok: nothing is known to be wrong, but not all could be tried",
        WRONG: f"not ok: {count} finding{'s' if count > 1 else ''}",
    }[exit_code(report)]
    return joined([*lines, "; ".join((last, *report.summary))], "\n    ")


def not_tried(report: Report) -> list[str]:
    """Return a line for each thing that could not be tried, for which the exit code is not 0."""
    return [f"NOT TRIED: {name}: {why}" for name, why in report.untried.items()]


def _untried(report: Report) -> list[str]:
    rules: dict[tuple[str, str], list[str]] = {}
    for each in report.results:
        if each.outcome == UNTRIED and each.text and not each.on and each.host:
            rules.setdefault((each.host, each.text), []).append(each.rule)
    return [
        f"not tried on {host}, because {text}: {', '.join(names)}"
        for (host, text), names in rules.items()
    ]


def as_document(report: Report) -> dict[str, Any]:
    """Return the report for machines."""
    return {
        "path": report.path,
        "findings": [finding._asdict() for finding in report.findings],
        "untried": report.untried,
        "notes": report.notes,
        "summary": report.summary,
        "registrations": list(map(client_as_document, report.registrations)),
        "rules": [result._asdict() for result in report.results],
    }


# --- for continuous integration -------------------------------------------------------------------

_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(reports: list[Report]) -> str:
    """Get the reports as JUnit's XML: a test case for each rule on each host, or with each op."""
    root = ET.Element("testsuites")
    for report in reports:
        path, tags = _text(report.path), Counter[str]()
        suite = ET.SubElement(root, "testsuite", name=path)
        for each in report.results:
            place = " ".join(filter(None, (each.on and f"of {each.on}", each.host and "on")))
            name = f"{each.rule} {place} {each.host}".strip()
            case = ET.SubElement(suite, "testcase", classname=path, name=_text(name))
            may = each.rule in report.waived or each.rule in report.not_must
            is_kept = each.outcome == KEPT or may
            is_op = each.on in report.untried and each.text == report.untried[each.on]
            tag = "" if is_kept else "failure" if each.outcome == BROKEN else "skipped"
            tag = "error" if is_op and each.outcome == UNTRIED else tag
            tags[tag] += 1
            if tag:
                ET.SubElement(case, tag, message=_text(each.text)).text = _text(each.text)
        suite.set("tests", str(tags.total()))
        for tag, name in {"failure": "failures", "error": "errors", "skipped": "skipped"}.items():
            suite.set(name, str(tags[tag]))
        ET.SubElement(suite, "system-out").text = _text("\n".join(report.notes))
    ET.indent(root)
    return ET.tostring(root, "unicode", xml_declaration=True) + "\n"


def _text(text: str) -> str:
    """Return a text without characters that XML does not have."""
    return _NOT_IN_XML.sub("\ufffd", text)


# --- a page ---------------------------------------------------------------------------------------

_MOST_TEXT = 600


COLUMNS = "passed", "failed", "waived", "may", "not tried"


def column_of(result: Result, report: Report) -> str:
    """Return which of `COLUMNS` a result counts in."""
    if result.outcome != BROKEN:
        return {KEPT: "passed", UNTRIED: "not tried"}[result.outcome]
    if result.rule in report.waived:
        return "waived"
    return "may" if result.rule in report.not_must else "failed"


def counts(report: Report) -> dict[str, Counter[str]]:
    """Return how many rules on each host came to what, by `COLUMNS`."""
    found: dict[str, Counter[str]] = {}
    for each in report.results:
        found.setdefault(each.host, Counter())[column_of(each, report)] += 1
    return found


def table(counted: Mapping[str, Counter[str]], first: str) -> list[str]:
    """Return counts as lines of a Markdown table, whose first column has a name."""
    rows = [(name, *(str(c[column]) for column in COLUMNS)) for name, c in counted.items()]
    lines = [f"| {line} |" for line in aligned([(first, *COLUMNS), *rows], " | ")]
    return [lines[0], re.sub(r"[^|]", "-", lines[0]), *lines[1:]]


def as_statement(reports: list[Report]) -> str:
    """Get a page of Markdown: the machine, then each library with counts, findings and waivers."""
    about = made_with("ortcffi", "onnxruntime", "onnx")
    text = "\n".join(["# What ortcffi check found\n", about, *map(_library, reports)])
    return text.encode(errors="backslashreplace").decode()  # of paths that are not UTF-8


def made_with(*packages: str) -> str:
    """Return the day, versions of packages and of Python, and the machine."""
    return f"{datetime.now(UTC):%d %B %Y}: {versions_and_machine(*packages)}.\n"


def _library(report: Report) -> str:
    lines = [f"## {report.title or os.path.basename(report.path)}\n"]
    lines += [f"{note[0].upper()}{note[1:]}.\n" for note in report.notes if "factory" in note]
    lines += table({host or "the file": c for host, c in counts(report).items()}, "rules on")
    if report.findings:
        lines += ["", "| rule | | what was found |", "|---|---|---|"]
    for rule, text, kind in report.findings:
        said = " ".join(text.partition(_PRINTED)[0].replace("|", "\\|").split())
        said = f"{said[:_MOST_TEXT]} ..." if len(said) > _MOST_TEXT else said
        why = f" Waived: {report.waived[rule]}" if kind == "waived" else ""
        lines.append(f"| `{rule}` | {kind} | {said}{why} |")
    return "\n".join([*lines, ""])


# --- waivers --------------------------------------------------------------------------------------


def read_waivers(given: Sequence[str], rules: Iterable[Rule], noun: str = "row") -> dict[str, str]:
    """Read rules that may be broken, and why: ``RULE=REASON``, or files with a tab between them."""
    waived: dict[str, str] = {}
    known = {each.name for each in rules}
    for each in given:
        pairs = _in_file(each) if os.path.isfile(each) else [_in_argument(each, known, noun)]
        waived.update(pairs)
    if unknown := waived.keys() - known:
        raise ValueError(f"there is no {noun} {min(unknown)!r}")
    return waived


def _in_file(path: str) -> Iterator[tuple[str, str]]:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if line and line[0] != "#":
            name, tab, reason = line.partition("\t")
            if not tab:
                raise ValueError(f"{path}:{number}: expected a row, a tab and a reason: {line!r}")
            yield name, reason


def _in_argument(given: str, known: Collection[str], noun: str) -> tuple[str, str]:
    """Part a name from its reason, at the last ``=`` that has a known name before it, if any."""
    if "=" not in given:
        raise ValueError(f"expected a file or {noun.upper()}=REASON, not {given!r}")
    parts = given.split("=")
    names = ["=".join(parts[:i]) for i in range(len(parts) - 1, 0, -1)]
    name = next((each for each in names if each in known), names[-1])
    return name, given[len(name) + 1 :]
