# SPDX-License-Identifier: MIT
"""Rules for execution providers, each tried in a process of its own, so that a crash has a name."""

import gc
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ortcffi.errors import OrtError
from ortcffi.kernels import child

# Both fill the list of rules.
from ortcffi.testing import ep_library_rules, ep_model_rules
from ortcffi.testing.ep_bench import RULES, Bench, Broken, NotTried, Rule, Subject
from ortcffi.testing.failing_slots import FailingSlots, in_turn
from ortcffi.testing.live_objects import left_alive, live_objects

__all__ = ["Result", "answer", "ep_library_rules", "ep_model_rules", "try_rules"]

SECONDS = 120.0  # for a rule in its process
TIME_IS_UP = "the time of the whole check is up"
KEPT, BROKEN, UNTRIED = "kept", "broken", "not tried"
_MOST_NAMES = 6


class Result(NamedTuple):
    """What came of a rule on a host."""

    rule: str
    host: str
    outcome: str  # kept, broken or not tried
    text: str = ""  # how it is broken, or why it was not tried; also what else is to be known
    seconds: float = 0.0  # how long it took


# --- in the process of a rule ---------------------------------------------------------------------


def answer(name: str, subject: str) -> None:
    """Try a rule, tell what came of it, and end the process."""
    child.limit_this_process()
    (rule,) = [each for each in RULES if each.name == name]
    bench = Bench(Subject(**json.loads(subject)))
    failing = None
    if rule.with_failures:
        failing = bench.failing = FailingSlots(bench.api.version)
        slot, _, number = bench.subject.fails.partition(" ")
        failing.begin((slot, int(number)) if slot else None)
    before = live_objects()
    outcome, text = _outcome(rule, bench)
    facts: dict[str, Any] = {"outcome": outcome, "text": text}
    if failing is not None:
        gc.collect()
        facts |= {"left": left_alive(before), "calls": failing.calls}
    child.tell(done=True, **facts)


def _outcome(rule: Rule, bench: Bench) -> tuple[str, str]:
    try:
        rule.check(bench)
    except NotTried as reason:
        return UNTRIED, str(reason)
    except Broken as reason:
        return BROKEN, str(reason)
    except OrtError as error:
        return BROKEN, f"{error.code.name}: {error}"
    except Exception as error:  # noqa: BLE001  # whatever it is, the rule is not kept
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return BROKEN, " ".join(lines) or type(error).__name__
    return KEPT, ""


# --- in the process that asks ---------------------------------------------------------------------


def try_rules(rules: Iterable[Rule], subject: Subject, failures: int = 0) -> Iterator[Result]:
    """Try rules in other processes, those that let calls fail last.

    Parameters
    ----------
    rules : iterable of Rule
        The rules.
    subject : Subject
        What is tried.
    failures : int
        How many calls of slots are to fail at most, for rules that are about them.
    """
    listed = list(rules)
    plain = [rule for rule in listed if not rule.with_failures]
    for rule, facts in zip(
        plain, child.side_by_side(_ask, [(rule, subject) for rule in plain]), strict=True
    ):
        yield _result(rule, subject, facts)
    for rule in listed:
        if rule.with_failures:
            yield _let_fail(rule, subject, failures)


def _result(rule: Rule, subject: Subject, facts: dict[str, Any]) -> Result:
    return Result(rule.name, subject.host, *(facts[key] for key in ("outcome", "text", "seconds")))


def _let_fail(rule: Rule, subject: Subject, failures: int) -> Result:
    """Try a rule once, then with each call failing that it makes."""
    if not failures:
        return Result(rule.name, subject.host, UNTRIED, "no failures were asked for: --failures")
    facts = _ask((rule, subject))
    result = _result(rule, subject, facts)
    if result.outcome != KEPT:
        return result
    calls = in_turn(facts["calls"])
    subjects = [subject._replace(fails=f"{slot} {n}") for slot, n in calls[:failures]]
    answers = child.side_by_side(_ask, [(rule, failing) for failing in subjects])
    tried = [pair for pair in zip(subjects, answers, strict=True) if pair[1]["text"] != TIME_IS_UP]
    outcome, text = _summary(tried, Counter(facts["left"]), len(calls))
    seconds = facts["seconds"] + sum(found["seconds"] for _, found in tried)
    return result._replace(outcome=outcome, text=text, seconds=seconds)


def _ask(request: tuple[Rule, Subject]) -> dict[str, Any]:
    """What is found of a rule."""
    (rule, subject), begin = request, time.monotonic()
    seconds = min(SECONDS, subject.until - begin)
    if seconds <= 0:
        return {"outcome": UNTRIED, "text": TIME_IS_UP, "seconds": 0.0}
    given = rule.name, json.dumps(subject._asdict())
    known, problem, errors = child.ask(
        "ortcffi.testing.ep_trials", "answer", *given, seconds=seconds
    )
    facts: dict[str, Any] = {"outcome": BROKEN, "text": problem + child.printed(errors)}
    facts = facts | {"ended": True} if problem else known[-1]
    return facts | {"seconds": time.monotonic() - begin}


def _summary(
    found: list[tuple[Subject, dict[str, Any]]], usual: Counter[str], calls: int
) -> tuple[str, str]:
    """What came of all failing calls, by what was wrong."""
    wrong: dict[str, list[str]] = {}
    for subject, facts in found:
        slot = subject.fails.partition(" ")[0]
        if facts.get("ended"):
            wrong.setdefault("end the process", []).append(slot)
            continue
        if left := Counter(facts["left"]) - usual:
            wrong.setdefault(f"leave {', '.join(sorted(left))}", []).append(slot)
        if facts["outcome"] == BROKEN:
            wrong.setdefault(f"lead to wrong results ({facts['text']})", []).append(slot)
    tried = f"{len(found)} of {calls} calls were made to fail"
    parts = [f"{len(slots)} {what}: {_listed(slots)}" for what, slots in wrong.items()]
    return (BROKEN, f"{tried}; {'; '.join(parts)}") if wrong else (KEPT, tried)


def _listed(slots: list[str]) -> str:
    counts = Counter(slots)
    names = [f"{name} ({n} times)" if n > 1 else name for name, n in counts.items()]
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more slots" if more > 0 else "")
