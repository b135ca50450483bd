# SPDX-License-Identifier: MIT
"""The part of ``ortcffi check`` that registers a library on hosts, and tries custom ops there."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ortcffi._public import few
from ortcffi.cli import check_client
from ortcffi.cli.check_client import Client, examine, on_older_host
from ortcffi.cli.check_report import Report
from ortcffi.kernels import child
from ortcffi.table.load import installed_libraries
from ortcffi.testing import op_rules
from ortcffi.testing.rules import BROKEN, KEPT, RULES, UNTRIED, Broken, Result, Subject, rule
from ortcffi.testing.rules import try_together as try_rules_of

_OF_OPS = [each for each in RULES if each.check.__module__ == op_rules.__name__]
_TRIED = "makes-a-kernel", "computes"


class Trial(NamedTuple):
    """What came of an op on a host."""

    results: list[Result]
    computes: int = 0  # with how many inputs
    needs: int = 1  # the lowest API version that has what it called
    ends: bool = False  # whether it ended its process
    why: str = ""  # how it ended its process with attributes that were made up

    def of(self, name: str) -> Result:
        """What came of a rule."""
        return next(each for each in self.results if each.rule == name)


@rule("registration of ops", "the header: RegisterCustomOps")
def registers_its_ops(client: Client) -> None:
    """A host can register it, and gets the same ops as others.

    Tried with the core, the oldest host that has what it calls, and the installed library.
    """
    if client.problem:
        message = client.problem
        if client.asked and not client.granted:
            message += f"; it asks for API version {min(client.asked)}, which that does not have"
        raise Broken(message + child.printed(client.printed))


@rule("registration of ops", "the header: the table of a version ends before newer slots")
def calls_what_older_hosts_have(client: Client) -> None:
    """Where it asks an older host for an older version, it calls no newer slot there.

    Such hosts crash.
    """
    version, needs = client.host_version, client.needs
    if needs.version > version:
        slots = ", ".join((*needs.slots, *needs.fields))
        raise Broken(
            f"for which it asks where there is no newer one, it calls {slots} of API version "
            f"{needs.version}: such hosts crash"
        )


def register(report: Report, host: str) -> Client:
    """Register the library with a host."""
    client = examine(report.path, host, report.seconds(check_client.SECONDS))
    report.registrations.append(client)
    return client


def check_ops(report: Report, subject: Subject, hosts: Iterable[str]) -> None:
    """Register the library with the core, try its ops there; then the same with other hosts."""
    core = register(report, "core")
    if not report.add(registers_its_ops, "core", core):
        return
    names = [f"{op.domain}:{op.name}" for op in core.ops]
    report.notes.append(f"registers {_count(core)} on the core: {', '.join(few(names, 5))}")
    if core.asked:
        report.notes.append(f"asks for API version {', '.join(map(str, core.asked))}")
    asked = [max(op.version, *core.asked, 1) for op in core.ops]
    newest = _try_all(report, subject, dict(enumerate(names)), asked)
    trials = {place: trial for place, trial in newest.items() if not trial.ends}
    structs = [op.version for op in core.ops]  # kernels are given the table of that version
    needs = max([core.needs.version, *structs, *(trial.needs for trial in trials.values())])
    if core.asked and not core.adapts and min(core.asked) > needs:
        so_far = "" if all(each.computes for each in newest.values()) else ", as far as was tried"
        text = f"asks for API version {min(core.asked)}, and needs {needs}{so_far}"
        report.notes.append(f"{text}: older hosts could run it")
    lowest = needs if core.adapts else max(min(core.asked, default=1), needs)
    again = {place: names[place] for place in trials}
    for host in hosts or [str(lowest), *(["real"] if installed_libraries() else [])]:
        client = register(report, host)
        report.add(registers_its_ops, host, client)
        if not client.problem and client.registered != core.registered:
            report.notes.append(f"on {host} it registers {_count(client)}")
        if host not in {"core", "real", str(core.host_version)} and not client.problem:
            _compare(report, trials, _try_all(report, subject._replace(host=host), again))
    if older := on_older_host(core, report.seconds(check_client.SECONDS)):
        host = str(older.host_version)
        report.add(calls_what_older_hosts_have, host, older)
        if not older.problem:
            found = _try_all(report, subject._replace(host=host), again)
            report.results += [each.of("calls-what-its-version-has") for each in found.values()]
    _conclude(report, list(newest.values()))


def _count(client: Client) -> str:
    return f"{client.registered} op{'' if client.registered == 1 else 's'}"


def _try_all(
    report: Report, subject: Subject, ops: dict[int, str], asked: list[int] | None = None
) -> dict[int, Trial]:
    """Try ops on a host, each in a process of its own; on the newest by all rules."""
    report.seconds(0)
    rules = [each for each in _OF_OPS if asked or each.hosts == "all"]

    def attempt(item: tuple[int, str]) -> Trial:
        version = asked[item[0]] if asked else 0
        about = subject._replace(op=item[0], on=item[1], asked=version, until=report.until)
        return _try(rules, about)

    trials = dict(zip(ops, child.side_by_side(attempt, ops.items()), strict=True))
    if asked:
        report.results += [each for trial in trials.values() for each in trial.results]
    return trials


def _try(rules: list[Any], subject: Subject) -> Trial:
    """Try an op.

    Where it ends its process with made-up values of attributes, it is tried without them: what it
    then does is the finding.
    """
    results, told = try_rules_of((rules, subject))
    last = told[-1] if told else {"ended": ""}
    ended, why = last["ended"], ""
    if ended and (made_up := next((f["made_up"] for f in told[::-1] if "made_up" in f), "")):
        why = next(each.text for each in results if each.outcome == BROKEN)
        why += "" if made_up in why else f", and made-up attributes {made_up}"
        results, told = try_rules_of((rules, subject._replace(made_up=False)))
        ended = told[-1]["ended"] if told else ""  # without time left, nothing was tried
        if not ended:
            results = [
                each._replace(outcome=UNTRIED, text=why) if each.rule == "computes" else each
                for each in results
            ]
    facts = next((fact for fact in told[::-1] if "computes" in fact), {"computes": 0, "needs": 1})
    return Trial(results, facts["computes"], facts["needs"], bool(ended or why), why)


def _compare(report: Report, trials: dict[int, Trial], others: dict[int, Trial]) -> None:
    for place, other in others.items():
        for name in _TRIED:
            result = other.of(name)
            if result.outcome == UNTRIED and trials[place].of(name).outcome == KEPT:
                what = "make its kernel" if name == _TRIED[0] else "compute"
                text = f"it does not {what}, which it does on the core"
                result = result._replace(outcome=BROKEN, text=text)
            if result.outcome != UNTRIED:
                report.results.append(result)


def _conclude(report: Report, trials: list[Trial]) -> None:
    for trial in trials:
        reasons = [trial.of(name) for name in _TRIED if trial.of(name).outcome == UNTRIED]
        is_known = any(each.outcome == BROKEN for each in trial.results[: len(_TRIED) + 2])
        if reasons and not is_known:
            report.untried[reasons[0].on] = trial.why or reasons[0].text or reasons[-1].text
    calls = sum(trial.computes for trial in trials)
    tried = f"{len(trials) - len(report.untried)} of {len(trials)} ops were tried"
    hosts = dict.fromkeys(each.host for each in report.results if each.host)
    report.summary.insert(0, f"{tried}, with {calls} inputs, on {', '.join(hosts)}")
