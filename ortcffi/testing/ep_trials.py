# SPDX-License-Identifier: MIT
"""Rules for execution providers, each tried in a process of its own, so that a crash has a name."""

import gc
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ortcffi.errors import OrtError
from ortcffi.kernels import child

# Both fill the list of rules.
from ortcffi.testing import ep_library_rules, ep_model_rules
from ortcffi.testing.ep_bench import RULES, Bench, Broken, NotTried, Rule, Subject
from ortcffi.testing.failing_slots import FailingSlots, in_turn
from ortcffi.testing.live_objects import left_alive, live_objects

__all__ = ["Result", "answer", "ep_library_rules", "ep_model_rules", "try_rule"]

SECONDS = 120  # for a rule in its process
KEPT, BROKEN, UNTRIED = "kept", "broken", "not tried"
_MOST_NAMES = 6


class Result(NamedTuple):
    """What came of a rule on a host.

    Attributes
    ----------
    rule : str
        Its name.
    host : str
        The host.
    outcome : str
        ``"kept"``, ``"broken"`` or ``"not tried"``.
    text : str
        How it is broken, or why it was not tried; also what else is to be known.
    seconds : float
        How long it took.
    """

    rule: str
    host: str
    outcome: str
    text: str = ""
    seconds: float = 0.0


# --- in the process that tries a rule -------------------------------------------------------------


def answer(name: str, subject: str) -> None:
    """Try a rule, and write a line of JSON about it."""
    child.limit_this_process()
    (rule,) = [each for each in RULES if each.name == name]
    bench = Bench(Subject(**json.loads(subject)))
    if rule.with_failures:
        bench.failing = FailingSlots(bench.version)
        slot, _, number = bench.subject.fails.partition(" ")
        bench.failing.begin((slot, int(number)) if slot else None)
    before = live_objects()
    outcome, text = _outcome(rule, bench)
    facts: dict[str, Any] = {"outcome": outcome, "text": text}
    if rule.with_failures:
        gc.collect()
        facts |= {"left": left_alive(before), "calls": bench.failing.calls}
    sys.stdout.write("\n" + json.dumps(facts) + "\n")  # after what the library wrote
    sys.stdout.flush()
    os._exit(0)  # without the destructors of the library


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


def try_rule(
    rule: Rule, subject: Subject, failures: int = 0, each: Callable[..., Iterable[Any]] = map
) -> Result:
    """Try a rule in another process, or in as many as there are calls that are to fail.

    Parameters
    ----------
    rule : Rule
        The rule.
    subject : Subject
        What is tried.
    failures : int
        How many calls of slots are to fail at most, for a rule that is about them.
    each : callable
        ``map``, or that of an executor.
    """
    begin = time.monotonic()
    if rule.with_failures and not failures:
        return Result(rule.name, subject.host, UNTRIED, "no failures were asked for: --failures")
    facts = _ask(rule, subject)
    outcome, text = facts["outcome"], facts["text"]
    if rule.with_failures and outcome == KEPT:
        calls = in_turn(facts["calls"])
        chosen = calls[:failures]
        subjects = [subject._replace(fails=f"{slot} {number}") for slot, number in chosen]
        found = list(each(_ask, [rule] * len(chosen), subjects))
        outcome, text = _summary(subjects, found, Counter(facts["left"]), len(calls))
    return Result(rule.name, subject.host, outcome, text, time.monotonic() - begin)


def _ask(rule: Rule, subject: Subject) -> dict[str, Any]:
    """What the process wrote, or how it ended."""
    given = json.dumps(subject._asdict())
    where = "ortcffi.testing.ep_trials", "answer"
    code, output, errors = child.run(*where, rule.name, given, seconds=SECONDS)
    for line in reversed(output.splitlines()):
        try:
            facts = json.loads(line)
        except ValueError:  # a line that the library wrote
            continue
        if isinstance(facts, dict) and "outcome" in facts:
            return facts
    if code is None:
        return {"outcome": BROKEN, "text": child.too_long(SECONDS), "ended": True}
    printed = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    text = child.end_of(code) + (f"; it printed: {printed[0].strip()}" if printed else "")
    return {"outcome": BROKEN, "text": text, "ended": True}


def _summary(
    subjects: list[Subject], found: list[dict[str, Any]], usual: Counter[str], calls: int
) -> tuple[str, str]:
    """What came of all failing calls, by what was wrong."""
    wrong: dict[str, list[str]] = {}
    for subject, facts in zip(subjects, found, strict=True):
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
