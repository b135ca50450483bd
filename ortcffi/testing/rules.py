# SPDX-License-Identifier: MIT
"""Rules for libraries, and the runner that tries each of them in another process.

A rule is a function of a bench, which has a library. It returns if the rule is kept, raises
`Broken` or any other exception if it is broken, and `NotTried` if that cannot be known. Its name is
that of the rule, its docstring what must hold, and how that is tried: the command line, the reports
and the documentation take both from here. A crash is a finding, about the rule that was tried.
"""

import gc
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from ortcffi._public import few
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.testing.failing_slots import FailingSlots, in_turn
from ortcffi.testing.live_objects import left_alive, live_objects

KEPT, BROKEN, UNTRIED = "kept", "broken", "not tried"
SECONDS = 120.0  # for a process
TIME_IS_UP = "the time of the whole check is up"
HAS_ENDED = " has ended the process"
_MOST_NAMES = 6


class Broken(Exception):
    """A rule is broken; the text says how."""


class NotTried(Exception):
    """Whether a rule is kept cannot be known; the text says why."""


class Rule(NamedTuple):
    """A row: what must hold, and the function that tries it."""

    name: str
    group: str
    holds: str  # what must hold, in one sentence
    source: str  # who says so: the header, a guideline, a measurement
    check: Callable[[Any], Any]
    must: bool = True  # or else the library may break it
    hosts: str = "core"  # core: also those that it emulates; real; both
    alone: bool = False  # whether it is tried also where the library cannot be registered
    with_model: bool = False  # whether it is about a model
    with_failures: bool = False  # whether it is tried once for each call of a slot, which fails


RULES: list[Rule] = []


def rule(group: str, source: str, **about: Any) -> Callable[[Callable[[Any], Any]], Rule]:
    """Make a rule of a function, of which more is said as the attributes of `Rule` have it."""

    def add(check: Callable[[Any], Any]) -> Rule:
        holds = (check.__doc__ or "").partition("\n\n")[0].strip()
        name = check.__name__.replace("_", "-")
        RULES.append(Rule(name, group, holds, source, check, **about))
        return RULES[-1]

    return add


class Subject(NamedTuple):
    """A library, and how it is tried."""

    path: str
    host: str = "core"  # what registers it: one of `ortcffi.table.hosts.HOSTS`
    asked: int = 0  # the lowest API version that it asked the core for; 0 for none
    until: float = math.inf  # when all must have ended, by time.monotonic() of all processes
    rtol: float = 1e-3  # the tolerance of floats
    atol: float = 1e-3
    # Of execution providers:
    name: str = "ortcffi"  # that it is registered under
    options: dict[str, str] = {}  # noqa: RUF012  # never changed
    hardware: list[tuple[str, int]] = []  # noqa: RUF012  # kinds and vendors to be invented
    folder: str = ""  # of model.onnx and values.npz, inputs and outputs; "": the bench's own model
    fails: str = ""  # the slot that is to fail, with the number of its call behind a blank
    # Of ops:
    op: int = 0  # its place in the library
    on: str = ""  # its domain and name
    made_up: bool = True  # whether attributes get made-up values


class Result(NamedTuple):
    """What came of a rule on a host."""

    rule: str
    host: str
    outcome: str  # kept, broken or not tried
    text: str = ""  # how it is broken, or why it was not tried; also what else is to be known
    on: str = ""  # the op that it is about
    seconds: float = 0.0  # how long its process took


# --- in the process that tries rules --------------------------------------------------------------


def answer(module: str, names: str, subject: str) -> None:
    """Try rules of a module one after the other, and tell what came of each.

    They are the module's ``ROWS``, else `RULES`.
    """
    found = import_module(module)
    child.limit_this_process(found.Bench.most_memory)
    bench = found.Bench(Subject(**json.loads(subject)))
    wanted = set(json.loads(names))
    for each in getattr(found, "ROWS", RULES):
        if each.name in wanted:
            child.tell(begins=each.name, doing="")
            if each.with_failures:
                _let_fail(each, bench)
            else:
                outcome, text = outcome_of(partial(each.check, bench))
                child.tell(rule=each.name, outcome=outcome, text=text)
    child.tell(done=True, **bench.facts)


def outcome_of(check: Callable[[], Any]) -> tuple[str, str]:
    """Whether a rule is kept, and what is to be known of that."""
    try:
        return KEPT, check() or ""
    except NotTried as reason:
        return UNTRIED, str(reason)
    except Broken as reason:
        return BROKEN, str(reason)
    except OrtError as error:
        return BROKEN, f"{error.code.name}: {error}"
    except Exception as error:  # noqa: BLE001  # whatever it is, the rule is not kept
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return BROKEN, " ".join(lines) or type(error).__name__


def _let_fail(each: Rule, bench: Any) -> None:
    """Try a rule on a host of which a call fails, and tell what is left and what was called."""
    failing = bench.failing = FailingSlots(bench.api.version)
    slot, _, number = bench.subject.fails.partition(" ")
    failing.begin((slot, int(number)) if slot else None)
    before = live_objects()
    outcome, text = outcome_of(partial(each.check, bench))
    gc.collect()
    facts = {"left": left_alive(before), "calls": failing.calls}
    child.tell(rule=each.name, outcome=outcome, text=text, **facts)


# --- in the process that asks ---------------------------------------------------------------------


def try_rules(rules: Iterable[Rule], subject: Subject, failures: int = 0) -> Iterator[Result]:
    """Try rules in a process each, those that let calls fail last, and at most so many calls."""
    listed = list(rules)
    plain = [([each], subject) for each in listed if not each.with_failures]
    for results, _ in child.side_by_side(try_together, plain):
        yield from results
    for each in listed:
        if each.with_failures:
            yield _with_failures(each, subject, failures)


def try_together(given: tuple[list[Rule], Subject]) -> tuple[list[Result], list[dict[str, Any]]]:
    """Try rules of one module in one process, and say what it told."""
    (rules, subject), begin = given, time.monotonic()
    seconds = min(SECONDS, subject.until - begin)
    if seconds <= 0:
        return [_result(each, subject, UNTRIED, TIME_IS_UP) for each in rules], []
    names = json.dumps([each.name for each in rules])
    where = "ortcffi.testing.rules", "answer", rules[0].check.__module__, names
    about = json.dumps(subject._asdict())
    # The alarm that the bench of rules sets itself.
    alarm = getattr(import_module(rules[0].check.__module__), "CALL_SECONDS", 0)
    told, problem, errors = child.ask(*where, about, seconds=seconds, call_seconds=alarm)
    came = {fact["rule"]: fact for fact in told if "rule" in fact}
    doing = [fact for fact in told if "doing" in fact] or [{"doing": "while it starts"}]
    tried = next((fact["begins"] for fact in reversed(told) if "begins" in fact), rules[0].name)
    passed = time.monotonic() - begin
    results = []
    for each in rules:
        fact = came.get(each.name, {"outcome": UNTRIED, "text": f"{tried}{HAS_ENDED}"})
        if problem and each.name == tried:
            text = ", ".join(filter(None, (problem + child.printed(errors), doing[-1]["doing"])))
            fact = {"outcome": BROKEN, "text": text}
        results.append(_result(each, subject, fact["outcome"], fact["text"], passed))
    return results, [*told, {"ended": problem}]


def try_each(given: tuple[list[Rule], Subject]) -> list[Result]:
    """Try rules of one module, the next ones in a new process where one has ended its process."""
    rest, subject = given
    results: list[Result] = []
    while rest:
        came, told = try_together((rest, subject))
        if time.monotonic() >= subject.until:  # no fault of the rule that was tried
            answered = {fact.get("rule") for fact in told}
            return results + [
                each if each.rule in answered else each._replace(outcome=UNTRIED, text=TIME_IS_UP)
                for each in came
            ]
        tried = [  # what a broken row says may end with what the process printed
            each for each in came if each.outcome != UNTRIED or not each.text.endswith(HAS_ENDED)
        ]
        if not tried:  # or the same rules would be tried again and again
            raise ValueError(f"{rest[0].check.__module__} has no row {rest[0].name!r}")
        results += tried
        names = {each.rule for each in tried}
        rest = [each for each in rest if each.name not in names]
    return results


def _result(each: Rule, subject: Subject, outcome: str, text: str, seconds: float = 0) -> Result:
    return Result(each.name, subject.host, outcome, text, subject.on, seconds)


def _with_failures(each: Rule, subject: Subject, failures: int) -> Result:
    """Try a rule once, then with each call failing that it makes."""
    if not failures:
        return _result(each, subject, UNTRIED, "no failures were asked for: --failures")
    [result], told = try_together(([each], subject))
    if result.outcome != KEPT:
        return result
    usual = next(fact for fact in told if "calls" in fact)
    calls = in_turn(usual["calls"])
    subjects = [subject._replace(fails=f"{slot} {n}") for slot, n in calls[:failures]]
    answers = child.side_by_side(try_together, [([each], failing) for failing in subjects])
    wrong: dict[str, list[str]] = {}
    tried, seconds = 0, result.seconds
    for failing, ([found], facts) in zip(subjects, answers, strict=True):
        tried += bool(facts)
        seconds += found.seconds
        for what in _wrongs(found, facts, Counter(usual["left"])):
            wrong.setdefault(what, []).append(failing.fails.partition(" ")[0])
    text = f"{tried} of {len(calls)} calls were made to fail"
    parts = [f"{len(slots)} {what}: {_listed(slots)}" for what, slots in wrong.items()]
    text = "; ".join([text, *parts])
    return result._replace(outcome=BROKEN if wrong else KEPT, text=text, seconds=seconds)


def _wrongs(found: Result, facts: list[dict[str, Any]], usual: Counter[str]) -> Iterator[str]:
    if facts and facts[-1]["ended"]:
        yield "end the process"
        return
    for fact in facts:
        if left := Counter(fact.get("left", {})) - usual:
            yield f"leave {', '.join(sorted(left))}"
    if found.outcome == BROKEN:
        yield f"lead to wrong results ({found.text})"


def _listed(slots: list[str]) -> str:
    counts = Counter(slots)
    names = [f"{name} ({n} times)" if n > 1 else name for name, n in counts.items()]
    return ", ".join(few(names, _MOST_NAMES))
