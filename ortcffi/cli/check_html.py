# SPDX-License-Identifier: MIT
"""The reports of ``ortcffi check`` as one page of HTML that needs no other file."""

from html import escape

from ortcffi.cli.check_report import Report
from ortcffi.testing.ep_bench import RULES
from ortcffi.testing.ep_trials import Result

__all__ = ["as_html"]

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
    lines = [f"<h1>{escape(report.path.rpartition('/')[2])}</h1>\n"]
    rules = {result.rule for result in report.results}
    others = [finding for finding in report.findings if finding.step not in rules]
    lines += [f'<p class="broken">{escape(f"{each.step}: {each.text}")}</p>\n' for each in others]
    if hosts:
        head = "".join(f"<th>{escape(host)}</th>" for host in hosts)
        lines.append(f"<table>\n<tr><th>rule</th>{head}</tr>\n")
        for rule in (each.name for each in RULES if each.name in rules):
            cells = "".join(_cell(found.get((rule, host))) for host in hosts)
            lines.append(f'<tr><td><a href="#{rule}">{rule}</a></td>{cells}</tr>\n')
        lines.append("</table>\n")
    lines += [f"<p>{escape(note)}</p>\n" for note in report.notes]
    for each in RULES:
        if each.name in rules:
            lines.append(_rule(each.name, each.text, [found.get((each.name, h)) for h in hosts]))
    return "".join(lines)


def _cell(result: Result | None) -> str:
    if result is None:
        return "<td></td>"
    kind = result.outcome.replace(" ", "-")
    return f'<td class="{kind}" title="{escape(result.text)}">{result.outcome}</td>'


def _rule(name: str, text: str, results: list[Result | None]) -> str:
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    shown = "".join(f"<p>{escape(part).replace('``', '')}</p>\n" for part in paragraphs)
    for result in results:
        if result is not None and result.text:
            kind, host = result.outcome.replace(" ", "-"), escape(result.host)
            said = f"{result.outcome} on {host}: <code>{escape(result.text)}</code>"
            shown += f'<p class="{kind}">{said}</p>\n'
    return f'<h2 id="{name}">{name}</h2>\n{shown}'
