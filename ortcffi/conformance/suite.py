# SPDX-License-Identifier: MIT
"""The suite on a library: batches of rows, each in a process; a crash is one row's."""

from collections.abc import Iterator, Sequence

from ortcffi.conformance.rows import ROWS
from ortcffi.kernels import child
from ortcffi.testing.rules import Result, Rule, Subject, try_each

BATCH = 60
PREPARED = ("ortcffi.conformance.rows",)  # what the processes import


def is_alone(rule: Rule) -> bool:
    """Whether a row needs a process without an environment."""
    return "CreateEnv" in rule.name or "without_env" in rule.name


def try_suite(subject: Subject, rules: Sequence[Rule] | None = None) -> Iterator[Result]:
    """Try rows, by default all, on a library; yield what came of each."""
    listed = ROWS if rules is None else rules
    together = [each for each in listed if not is_alone(each)]
    batches = [together[i : i + BATCH] for i in range(0, len(together), BATCH)]
    batches += [[each] for each in listed if is_alone(each)]
    with child.prepared(*PREPARED):
        given = [(batch, subject) for batch in batches]
        for results in child.side_by_side(try_each, given):
            yield from results
