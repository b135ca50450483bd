# SPDX-License-Identifier: MIT
"""Rows that are made from the list of the slots."""

import re
from collections.abc import Iterator, Sequence

from ortcffi._native import ffi
from ortcffi.conformance.calls import TABLES

Row = tuple[str, str, str, str, str]
_END = "bad calls", "...", "reported: NULL where a pointer must be"


def matrices(calls: Sequence[str]) -> Iterator[Row]:
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
                    group, holds, level = _END
                    call = f'without("{name}", {place}); {call_of[name]}'
                    yield group, call, holds, level, "guideline 5"
