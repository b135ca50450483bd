# SPDX-License-Identifier: MIT
"""``%load_ext ortcffi``: the magic ``%%ort_memory``, which shows what each line of a cell takes."""

import sys
from typing import Any

from ortcffi._public import html_table, size
from ortcffi._table import core_api
from ortcffi.memory.numpy_memory import numpy_allocator
from ortcffi.memory.tracking import Scope, Tracking, rows_of

_HEADER = "at the peak", "live", "line"
_SHOWN_BY = "showtraceback", "showsyntaxerror", "showindentationerror"


class CellMemory:
    """What the lines of a cell took: the scope of the cell, beside its source.

    Attributes
    ----------
    scope : Scope
        The figures of the cell.
    """

    def __init__(self, scope: Scope, source: str, file: str) -> None:
        self.scope = scope
        self._source, self._file = source.splitlines(), file

    def _rows(self) -> list[tuple[str, ...]]:
        """Return a row for each line of the cell, and for each line elsewhere that took memory."""
        own: dict[int, list[int]] = {}
        elsewhere = []
        for each in self.scope.by_line():
            file, _, number = each.place.partition(" in ")[0].rpartition(":")
            if file != self._file:
                elsewhere.append(each)
                continue
            figures = own.setdefault(int(number), [0, 0])
            figures[0] += each.peak
            figures[1] += max(each.live, 0)
        rows = [
            (*(map(size, own[number]) if number in own else ("", "")), f"{number:>3}  {text}")
            for number, text in enumerate(self._source, 1)
        ]
        return rows + [(peak, live, place) for peak, _, live, _, place in rows_of(elsewhere, 10)]

    def __repr__(self) -> str:
        rows = [f"{peak:>12} {live:>12}  {text}" for peak, live, text in (_HEADER, *self._rows())]
        return "\n".join([self.scope._title(), *rows])

    def _repr_html_(self) -> str:
        rows = [[each.replace(" ", "\N{NO-BREAK SPACE}") for each in row] for row in self._rows()]
        return html_table(self.scope._title(), _HEADER, rows)


def _run(shell: Any, cell: str) -> Any:
    """Run a cell without showing its error, which IPython shows where the magic raises it."""
    own = vars(shell)
    before = own.copy()
    own.update(dict.fromkeys(_SHOWN_BY, lambda *_, **__: None))
    try:
        return shell.run_cell(cell, store_history=False)
    finally:
        for name in _SHOWN_BY:
            del own[name]
            own.update({name: before[name]} if name in before else {})


def load_ipython_extension(shell: Any) -> None:
    """Add the magic to a shell of IPython, which calls this."""

    def ort_memory(line: str, cell: str) -> CellMemory:
        """Run the cell, and show the memory that its lines took for arrays of NumPy."""
        tracking = Tracking(core_api().default_allocator)
        file = shell.compile.get_code_name(cell, shell.transform_cell(cell), shell.execution_count)
        with tracking.scope(line.strip() or "cell") as scope, numpy_allocator(tracking):
            result = _run(shell, cell)
        memory = CellMemory(scope, cell, file)
        if not result.success:  # printed, as %%time does, because what raises returns nothing
            sys.stdout.write(f"{memory}\n")
        result.raise_error()
        return memory

    shell.register_magic_function(ort_memory, "cell")
