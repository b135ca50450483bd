# SPDX-License-Identifier: MIT
"""Rules for execution providers, each tried in a process of its own, so that a crash has a name."""

import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from ortcffi.errors import OrtError
from ortcffi.kernels import child

# Both fill the list of rules.
from ortcffi.testing import ep_library_rules, ep_model_rules
from ortcffi.testing.ep_bench import RULES, Bench, Broken, NotTried, Rule, Subject
from ortcffi.testing.failing_slots import FailingSlots, in_turn
from ortcffi.testing.live_objects import left_alive, live_objects

__all__ = ["Result", "answer_each", "ep_library_rules", "ep_model_rules", "try_rules"]

SECONDS = 120.0  # for a rule in its process
TIME_IS_UP = "the time of the whole check is up"
KEPT, BROKEN, UNTRIED = "kept", "broken", "not tried"
_BATCH = 8  # rules of one process
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


# --- in the process of a rule ---------------------------------------------------------------------


def answer(name: str, subject: dict[str, Any]) -> None:
    """Try a rule, write a line of JSON about it, and end the process."""
    child.limit_this_process()
    (rule,) = [each for each in RULES if each.name == name]
    bench = Bench(Subject(**subject))
    failing = None
    if rule.with_failures:
        failing = bench.failing = FailingSlots(bench.version)
        slot, _, number = bench.subject.fails.partition(" ")
        failing.begin((slot, int(number)) if slot else None)
    before = live_objects()
    outcome, text = _outcome(rule, bench)
    facts: dict[str, Any] = {"outcome": outcome, "text": text}
    if failing is not None:
        gc.collect()
        facts |= {"left": left_alive(before), "calls": failing.calls}
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


# --- in the process that has one for each rule ----------------------------------------------------


def answer_each(requests: str) -> None:
    """Try rules, each in a fork, which need import nothing; write a line of JSON about each."""
    for name, subject in json.loads(requests):
        begin = time.monotonic()
        seconds = min(SECONDS, subject["until"] - begin)
        if seconds <= 0:
            _tell({"outcome": UNTRIED, "text": TIME_IS_UP, "seconds": 0.0})
            continue
        with TemporaryFile() as output, TemporaryFile() as errors:
            process = os.fork()
            if process == 0:
                os.dup2(output.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                signal.setitimer(signal.ITIMER_REAL, seconds)
                answer(name, subject)
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            written = [os.pread(file.fileno(), 1 << 30, 0) for file in (output, errors)]
        _tell(_facts(code, seconds, *written) | {"seconds": time.monotonic() - begin})
    os._exit(0)


def _tell(facts: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def _facts(code: int, seconds: float, output: bytes, errors: bytes) -> dict[str, Any]:
    """What a process wrote, or how it ended."""
    for line in reversed(output.splitlines()):
        try:
            facts = json.loads(line)
        except ValueError:  # a line that the library wrote
            continue
        if isinstance(facts, dict) and "outcome" in facts:
            return facts
    if child.signal_of(code) == "SIGALRM":
        return {"outcome": BROKEN, "text": child.too_long(round(seconds)), "ended": True}
    printed = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    text = child.end_of(code) + (f"; it printed: {printed[-1].strip()}" if printed else "")
    return {"outcome": BROKEN, "text": text, "ended": True}


# --- in the process that asks ---------------------------------------------------------------------


def try_rules(
    rules: Iterable[Rule],
    subject: Subject,
    failures: int = 0,
    each: Callable[..., Iterable[Any]] = map,
) -> Iterator[Result]:
    """Try rules in other processes, those that let calls fail last.

    Parameters
    ----------
    rules : iterable of Rule
        The rules.
    subject : Subject
        What is tried.
    failures : int
        How many calls of slots are to fail at most, for rules that are about them.
    each : callable
        ``map``, or that of an executor.
    """
    listed = list(rules)
    plain = [rule for rule in listed if not rule.with_failures]
    for rule, facts in zip(plain, _ask([(rule, subject) for rule in plain], each), strict=True):
        yield _result(rule, subject, facts)
    for rule in listed:
        if rule.with_failures:
            yield _let_fail(rule, subject, failures, each)


def _result(rule: Rule, subject: Subject, facts: dict[str, Any]) -> Result:
    return Result(rule.name, subject.host, *(facts[key] for key in ("outcome", "text", "seconds")))


def _let_fail(rule: Rule, subject: Subject, failures: int, each: Any) -> Result:
    """Try a rule once, then with each call failing that it makes."""
    if not failures:
        return Result(rule.name, subject.host, UNTRIED, "no failures were asked for: --failures")
    (facts,) = _ask([(rule, subject)], each)
    result = _result(rule, subject, facts)
    if result.outcome != KEPT:
        return result
    calls = in_turn(facts["calls"])
    subjects = [subject._replace(fails=f"{slot} {n}") for slot, n in calls[:failures]]
    answers = _ask([(rule, each) for each in subjects], each)
    tried = [pair for pair in zip(subjects, answers, strict=True) if pair[1]["text"] != TIME_IS_UP]
    outcome, text = _summary(tried, Counter(facts["left"]), len(calls))
    seconds = facts["seconds"] + sum(found["seconds"] for _, found in tried)
    return result._replace(outcome=outcome, text=text, seconds=seconds)


def _ask(requests: list[tuple[Rule, Subject]], each: Any) -> Iterator[dict[str, Any]]:
    """What is found of each rule, some of which share a process that starts theirs."""
    batches = [requests[i : i + _BATCH] for i in range(0, len(requests), _BATCH)]
    for found in each(_ask_batch, batches):
        yield from found


def _ask_batch(requests: list[tuple[Rule, Subject]]) -> list[dict[str, Any]]:
    given = json.dumps([(rule.name, subject._asdict()) for rule, subject in requests])
    _, output, errors = child.run("ortcffi.testing.ep_trials", "answer_each", given)
    found = [json.loads(line) for line in output.splitlines()]
    if len(found) < len(requests):
        raise RuntimeError(f"the rules were not tried{child.printed(errors)}")
    return found


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
