# SPDX-License-Identifier: MIT
"""The rows of the conformance suite, and the bench that tries them on a library.

A file of the folder ``rows`` is a group. Its lines are a call, what must be answered, and, unless
that is a must for all that have the slots, the level with a reason; parted by tabs. A call is made
of statements of Python, whose words are the slots, constants, and the methods of `SessionWords`;
the answer is that of the last statement. In what must be answered, "..." is any text, and " / " is
between alternatives. A line that begins with "# " says who demands the rows below. A line with
"<|1 | 2|>" stands for as many rows: the first has the first word of each such list, and so on.

The levels: "from 24" is a must from that API version on; "may" may be answered otherwise;
"reported" are bad calls, at which libraries may even end.
"""

import ast
import re
import signal
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ortcffi._native import ffi
from ortcffi.conformance.calls import TABLES, Asked, Failed, Stopped, Table, since
from ortcffi.conformance.session_words import SessionWords
from ortcffi.conformance.telling import told
from ortcffi.conformance.words import all_words
from ortcffi.kernels import child
from ortcffi.testing.rules import Broken, NotTried, Result, Rule, Subject, try_each

FOLDER = Path(__file__).parent / "rows"
LEVELS = "must", "may", "reported"
CALL_SECONDS = 30  # for a row
BATCH = 250  # rows that a process tries
_IMPORTED = "ortcffi.models.graph", "ortcffi.models.python_ep"  # by rows, which are tried in forks
_BAD = "bad calls", "...", "reported: NULL where a pointer must be"


class Bench:
    """A library in the process that tries rows."""

    most_memory = child.MEMORY
    facts: dict[str, Any] = {}  # noqa: RUF012  # nothing else is told

    def __init__(self, subject: Subject, entry: str = "OrtGetApiBase") -> None:
        self.table = Table(subject.path, entry)
        self.words = all_words(SessionWords(self.table))

    def answer(self, call: str) -> str:
        """Make the call of a row, and return the answer as a text of one line."""
        names, self.table.null = dict(self.words), None
        if hasattr(signal, "alarm"):
            signal.alarm(CALL_SECONDS)
        *first, last = ast.parse(call).body
        try:
            for each in first:
                self._run(each, names)
            answer = told(self.table.sure, eval(_compiled(last), names))  # noqa: S307  # ours
        except Asked as asked:
            answer = told(self.table.sure, asked.answer)
        except Stopped as reason:
            answer = f"{reason.failed.slot}: {reason.failed.code}"
        finally:
            if hasattr(signal, "alarm"):
                signal.alarm(0)  # or it would end the process after the last row
        return " ".join(answer.split())

    def _run(self, statement: ast.stmt, names: dict[str, Any]) -> None:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), "row", "exec"), names)  # noqa: S102
        elif isinstance(found := eval(_compiled(statement), names), Failed):  # noqa: S307
            raise Stopped(found)


def _compiled(statement: Any) -> Any:
    return compile(ast.Expression(statement.value), "row", "eval")


def fits(answer: str, holds: str) -> bool:
    """Whether an answer is one of those that a row takes."""
    patterns = (re.escape(each).replace(r"\.\.\.", ".*") for each in holds.split(" / "))
    return any(re.fullmatch(pattern, answer) for pattern in patterns)


def row(group: str, call: str, holds: str, level: str = "must", source: str = "") -> Rule:
    """Make a row; the level is one of `LEVELS`, with a reason behind a colon, or "from 24"."""
    kind, _, reason = level.partition(": ")
    least, kind = (int(kind[5:]), "must") if kind.startswith("from ") else (1, kind)

    def check(bench: Bench) -> str:
        first = max(least, first_version(call))
        if bench.table.version < first:
            raise NotTried(f"asked from API version {first} on")
        answer = bench.answer(call)
        if not fits(answer, holds):
            raise Broken(f"answers {answer or 'nothing'}, not {holds or 'nothing'}")
        return answer

    return Rule(call, group, holds, reason or source, check, must=kind == "must")


def first_version(call: str) -> int:
    """Return the first API version that has all slots of a call."""
    names = re.findall(r"\b[A-Z]\w+", call)
    return max((since(name) for name in names), default=1)


def _of_files() -> Iterator[Rule]:
    for path in sorted(FOLDER.glob("*.tsv")):
        source, group = "", path.stem.replace("_", " ")
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                source = line.removeprefix("# ")
                continue
            for each in _rows_of(line):
                call, holds, *level = each.split("\t")
                yield row(group, call, holds, (level or ["must"])[0], source)


def _rows_of(line: str) -> list[str]:
    parts = re.split(r"<\|(.*?)\|>", line)
    rest, words = parts[::2], [each.split(" | ") for each in parts[1::2]]
    rows = (zip(rest, (*row, ""), strict=True) for row in zip(*words, strict=True))
    return ["".join(chain.from_iterable(each)) for each in rows] or parts


def _of_slots(calls: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield rows about each slot; `calls` are good ones, of which one argument becomes NULL."""
    call_of: dict[str, str] = {}
    seen: set[str] = set()  # a name of two tables is that of OrtApi
    for call in calls:
        for name in re.findall(r"\b([A-Z]\w+)\(", call):
            call_of.setdefault(name, call)
    for table in ("OrtApi", *TABLES):
        for name, field in ffi.typeof(table).fields:
            arguments = field.type.args
            if name in seen:
                continue
            seen.add(name)
            yield "table", f'is_there("{name}")', "True", "must", "the header: no slot is NULL"
            call = f"{name}(None)"
            if name.startswith("Release") and len(arguments) == 1 and call not in calls:
                yield "table", call, "OK", "must", "guideline 4: NULL is taken"
            for place, kind in enumerate(arguments):
                if name in call_of and kind.kind in ("pointer", "function"):
                    group, holds, level = _BAD
                    call = f'without("{name}", {place}); {call_of[name]}'
                    yield group, call, holds, level, "guideline 5"


def groups() -> list[str]:
    """Return the groups of rows."""
    return list(dict.fromkeys(each.group for each in ROWS))


_WRITTEN = list(_of_files())
_CALLS = [each.name for each in _WRITTEN if each.must]
ROWS = [*_WRITTEN, *(row(*each) for each in _of_slots(_CALLS))]


def _is_alone(rule: Rule) -> bool:
    """Whether a row needs a process without an environment."""
    return "CreateEnv" in rule.name or "without_env" in rule.name


def try_suite(subject: Subject, rules: Sequence[Rule] | None = None) -> Iterator[Result]:
    """Try rows, by default all, on a library; yield what came of each."""
    listed = ROWS if rules is None else rules
    together = [each for each in listed if not _is_alone(each)]
    batches = [together[i : i + BATCH] for i in range(0, len(together), BATCH)]
    batches += [[each] for each in listed if _is_alone(each)]
    with child.prepared(__name__, *_IMPORTED):
        given = [(batch, subject) for batch in batches]
        for results in child.side_by_side(try_each, given):
            yield from results
