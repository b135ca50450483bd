# SPDX-License-Identifier: MIT
"""The part of ``ortcffi check`` that registers a library on hosts, and tries custom ops there."""

import os
import pickle
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import compress
from textwrap import shorten
from typing import Any, NamedTuple

from ortcffi.cli import check_client
from ortcffi.cli.check_client import Client, examine, older_hosts
from ortcffi.cli.check_report import Report
from ortcffi.kernels import child
from ortcffi.table.load import installed_libraries
from ortcffi.table.trace import Needs
from ortcffi.testing.compare import same_as_session
from ortcffi.testing.one_node import ProcessEnded, run_in_process

__all__ = ["SECONDS", "check_ops", "register", "shortened"]

SECONDS = 60  # for an op on a host
CALL_SECONDS = 15  # for each of its steps
_TOLERANCE = 1e-5
MOST_NAMES = 5
_MOST_TEXT = 200  # characters of what differs


class Trial(NamedTuple):
    """What an op did on a host."""

    name: str  # its domain and name
    made: bool = False  # whether it made a kernel
    computes: int = 0  # with how many inputs that computed
    needs: int = 1  # the lowest API version that has what it called
    slots: tuple[str, ...] = ()  # of that version
    refusal: str = ""  # why it made no kernel, or none computed
    throws: bool = False  # whether exceptions left it although it can answer a status
    is_wrong: bool = False
    ends: bool = False  # whether it ended its process, or took too long
    untried: str = ""  # how it ended its process with made-up values of attributes alone


def check_ops(report: Report, against: str, rtol: float, atol: float) -> None:
    """Register the library with the core, try its ops there; then the same with other hosts.

    `against` is a file of Python with functions that compute the same, or "".
    """
    core = register(report, "core", "the core")
    if core.problem:
        return
    names = _names(report)
    report.notes.append(f"registers {_count(core)} on the core: {shortened(names)}")
    if core.asked:
        report.notes.append(f"asks for API version {', '.join(map(str, core.asked))}")
    newest = _try_all(report, dict(enumerate(names)), core.host_version, against, closer=True)
    trials = {place: trial for place, trial in newest.items() if not trial.ends}
    _check_asked(report, core, newest)
    structs = [op.version for op in core.ops]  # kernels are given the table of that version
    needs = max([core.needs.version, *structs, *(trial.needs for trial in trials.values())])
    if core.asked and not core.adapts and min(core.asked) > needs:
        so_far = "" if all(each.computes for each in newest.values()) else ", as far as was tried"
        text = f"asks for API version {min(core.asked)}, and needs {needs}{so_far}"
        report.notes.append(f"{text}: older hosts could run it")
    lowest = needs if core.adapts else max(min(core.asked, default=1), needs)
    oldest = f"a host of API version {lowest}"
    client = register(report, str(lowest), oldest, len(core.ops))
    on = ["the core"]
    if lowest < core.host_version and not client.problem:
        again = {place: trial.name for place, trial in trials.items()}
        _compare(report, oldest, trials, _try_all(report, again, lowest, against))
        on.append(oldest)
    _check_older(report, core, trials, against)
    if installed_libraries():
        register(report, "real", "the installed library", len(core.ops))
        on.append("in sessions of the installed library")
    if against:
        _compare_with_functions(report, against, str(rtol), str(atol))
    _conclude(report, list(newest.values()), ", ".join(on))


def _conclude(report: Report, trials: list[Trial], hosts: str) -> None:
    """Say how much was tried, and what may be wrong."""
    is_untried = [each.untried or not (each.computes or each.is_wrong) for each in trials]
    untried = list(compress(trials, is_untried))
    for trial in untried:
        what = "no kernel computed" if trial.made else "no kernel was made"
        why = f"{what}: {trial.refusal}" if trial.refusal else what
        report.untried[trial.name] = trial.untried or why
    if throwing := [trial.name for trial in trials if trial.throws and not trial.is_wrong]:
        report.notes.append(
            "exceptions leave ops that can answer a status, which ends a host that does not catch "
            f"them: {shortened(throwing)}"
        )
    calls = sum(trial.computes for trial in trials)
    tried = f"{len(trials) - len(untried)} of {len(trials)} ops were tried"
    report.summary.insert(0, f"{tried}, with {calls} inputs, on {hosts}")


def shortened(names: list[str]) -> str:
    """The first few names."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _names(report: Report) -> list[str]:
    """The names of the ops, whose declarations a process checks."""
    facts, problem = _run("answer", report.path, seconds=report.seconds(SECONDS))
    for fact in facts:
        if "finding" in fact:
            report.found("ops", fact["finding"], fact["on"])
    if problem:
        report.found("ops", problem)
    return next((fact["ops"] for fact in facts if "ops" in fact), [])


# --- registration ---------------------------------------------------------------------------------


def register(report: Report, host: str, name: str, count: int | None = None) -> Client:
    """Register the library with a host, where it should have so many ops."""
    client = examine(report.path, host, report.seconds(check_client.SECONDS))
    report.registrations.append(client)
    if client.problem:
        message = f"on {name}: {client.problem}"
        if client.asked and not client.granted:
            message += f"; it asks for API version {min(client.asked)}, which that does not have"
        report.found("registration", message + child.printed(client.printed))
    elif count is not None and len(client.ops) != count:
        report.notes.append(f"on {name} it registers {_count(client)}")
    return client


def _count(client: Client) -> str:
    return f"{len(client.ops)} op{'' if len(client.ops) == 1 else 's'}"


def _check_older(report: Report, core: Client, trials: dict[int, Trial], against: str) -> None:
    """Report what a library calls that an older host lacks, whose version it then asks for."""
    for client in older_hosts(core, report.seconds(check_client.SECONDS)):
        version = client.host_version
        on = f"on a host of API version {version}, for which it asks where there is no newer one,"
        if client.needs.version > version:
            report.found("registration", f"{on} it calls {_later(client.needs)}: such hosts crash")
        if client.problem:
            continue
        again = {place: trial.name for place, trial in trials.items()}
        for trial in _try_all(report, again, version, against).values():
            if trial.needs > version:
                text = f"{trial.name}: {on} it calls {_later(Needs(trial.needs, trial.slots))}"
                report.found("kernels", f"{text}: such hosts crash", trial.name)
        return


def _later(needs: Needs) -> str:
    return f"{', '.join((*needs.slots, *needs.fields))} of API version {needs.version}"


# --- trials ---------------------------------------------------------------------------------------


def _try_all(
    report: Report, ops: dict[int, str], version: int, against: str, closer: bool = False
) -> dict[int, Trial]:
    """Try ops on a host, each in a process of its own, several at a time."""
    attempt = partial(_try, report, version, against, closer)
    trials: dict[int, Trial] = {}
    for place, (trial, found) in zip(ops, child.side_by_side(attempt, ops.items()), strict=True):
        trials[place] = trial
        for text in found:
            report.found("kernels", text, trial.name)
    return trials


def _try(
    report: Report, version: int, against: str, closer: bool, op: tuple[int, str]
) -> tuple[Trial, list[str]]:
    """Try an op on a host; with `closer`, also what does not differ by host, and in a session.

    Where it ends its process with made-up values of attributes, it is tried without them: what it
    then does is the finding.
    """
    place, name = op
    untried = ""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "models") if closer else ""
        given = report.path, place, version, CALL_SECONDS, file, against
        facts, problem = _run("attempt", *given, True, seconds=report.seconds(SECONDS))
        if problem and (made_up := _last(facts, "made_up")):
            untried = _ending(facts, problem)
            if made_up not in untried:
                untried += f", and made-up attributes {made_up}"
            facts, problem = _run("attempt", *given, False, seconds=report.seconds(SECONDS))
        found = [fact["finding"] for fact in facts if "finding" in fact]
        if problem:
            found.append(f"{name}: {_ending(facts, problem)}")
        elif os.path.exists(file) and installed_libraries():
            with open(file, "rb") as models:
                pairs = pickle.load(models)  # noqa: S301  # our own process
            found += _differences(report, name, pairs)
    if problem:
        return Trial(name, is_wrong=True, ends=True), found
    known = {field: facts[-1][field] for field in Trial._fields if field in facts[-1]}
    trial = Trial(name, **known, is_wrong=bool(found), ends=bool(untried), untried=untried)
    return trial, found


def _ending(facts: list[dict[str, Any]], problem: str) -> str:
    """How a process ended, and during what."""
    return ", ".join(filter(None, (problem, _last(facts, "begins"))))


def _last(facts: list[dict[str, Any]], key: str) -> str:
    return next((fact[key] for fact in reversed(facts) if key in fact), "")


def _differences(report: Report, name: str, pairs: list[Any]) -> Iterator[str]:
    """What sessions of models of one node compute otherwise than kernels."""
    models = [model for model, _ in pairs]
    try:
        answers = run_in_process(models, report.path, None, report.seconds(SECONDS))
    except ProcessEnded as error:
        yield f"{name}: in a session of the installed library, {error}"
        return
    for (_, expected), answer in zip(pairs, answers, strict=True):
        if isinstance(answer, Exception):
            yield f"{name}: a session of the installed library fails: {answer}"
            return
        try:
            for i, (ours, theirs) in enumerate(zip(expected, answer, strict=True)):
                same_as_session(f"output {i} of {name}", ours, theirs, _TOLERANCE, _TOLERANCE)
        except AssertionError as error:
            yield f"{name}: a session computes something else: {shorten(str(error), _MOST_TEXT)}"
            return


def _check_asked(report: Report, core: Client, trials: dict[int, Trial]) -> None:
    """Report kernels that call slots newer than the API version that they asked for."""
    for place, trial in trials.items():
        asked = max(core.ops[place].version, *core.asked, 1)
        if trial.needs > asked:
            text = (
                f"{trial.name}: it calls {', '.join(trial.slots)} of API version {trial.needs}, "
                f"and asks for version {asked}, whose table ends before: older hosts crash"
            )
            report.found("kernels", text, trial.name)


def _compare(report: Report, host: str, trials: dict[int, Trial], others: dict[int, Trial]) -> None:
    for place, other in others.items():
        trial = trials[place]
        if not other.ends and (trial.made, bool(trial.computes)) > (other.made, other.computes > 0):
            what = "make its kernel" if trial.made and not other.made else "compute"
            text = f"{trial.name}: on {host} it does not {what}, which it does on the core"
            report.found("kernels", text, trial.name)


def _compare_with_functions(report: Report, file: str, *tolerance: str) -> None:
    """Compare ops with functions of a file of Python."""
    given, seconds = (report.path, file, *tolerance, CALL_SECONDS), report.seconds(10 * SECONDS)
    facts, problem = _run("answer", *given, seconds=seconds, module="check_against")
    for fact in facts:
        if "finding" in fact:
            report.found("kernels", fact["finding"], fact["on"])
            report.cases += [fact["case"]] if "case" in fact else []
        elif "untried" in fact:
            report.untried[fact["untried"]] = fact["why"]
    if problem:
        report.found("against", _ending(facts, problem))
    elif not facts[-1]["compared"]:
        report.found("against", f"no function in {file} has the name of an op")
    else:
        report.summary.append(f"{facts[-1]['compared']} compared with {file}")


def _run(
    what: str, *given: Any, seconds: float, module: str = "check_probe"
) -> tuple[list[dict[str, Any]], str]:
    """What a process reported, and how it ended if it did not do so by itself."""
    where = f"ortcffi.cli.{module}", what
    facts, problem, errors = child.ask(*where, *given, seconds=seconds, call_seconds=CALL_SECONDS)
    return facts, problem + (child.printed(errors) if problem else "")
