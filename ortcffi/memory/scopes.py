# SPDX-License-Identifier: MIT
"""Statistics of parts of a program, for `Tracking`.

C counts. A scope that belongs to a thread or a context counts the blocks for which `_name_scopes`
names it: C calls that for each new block while such a scope is open. The open scopes of a thread
are in a thread-local variable, those of a context in a context variable, as weak references: a
scope that is never left ends with its last reference.
"""

import functools
import inspect
import threading
from collections.abc import Callable, Iterable
from contextvars import ContextVar, Token
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar
from weakref import ReferenceType, WeakSet, finalize, ref

from ortcffi._convert import SIZE, integer
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import address_of, compiled, ffi, lib
from ortcffi._public import html_table, public, size
from ortcffi.callbacks.from_c import called_from_c, report_exception
from ortcffi.errors import check
from ortcffi.memory.call_sites import current_stack
from ortcffi.memory.leaks import (
    HEADER,
    Leak,
    LeakGroup,
    ScopeLine,
    by_line,
    grouped,
    leaks_of,
    rows_of,
)

if TYPE_CHECKING:
    from ortcffi._ort import Cdata
    from ortcffi.memory.tracking import Tracking

P = ParamSpec("P")
T = TypeVar("T")
BelongsTo = Literal["process", "thread", "context"]
_Scopes = tuple["ReferenceType[Scope]", ...]


class _OfThread(threading.local):
    """The open scopes of a thread, with the methods of a context variable."""

    scopes: _Scopes = ()

    def get(self) -> _Scopes:
        return self.scopes

    def set(self, scopes: _Scopes) -> None:
        self.scopes = scopes


_of_thread = _OfThread()
_of_context: ContextVar[_Scopes] = ContextVar("ortcffi_scopes", default=())
_FIGURES = ("peak", "live", "num_allocations", "num_frees", "total_bytes", "leaks", "at_peak")
_VARIABLES: dict[str, Any] = {"process": None, "thread": _of_thread, "context": _of_context}


_all_open: "WeakSet[Scope]" = WeakSet()
_most_lines = [0]  # of the stacks that any scope has wanted yet
_handed_over: dict[int, _Scopes] = {}  # by the number that C has of a run
_next = count(1)


def _open(scopes: Iterable["ReferenceType[Scope]"]) -> _Scopes:
    """Those of some scopes that are still open."""
    return tuple(each for each in scopes if (scope := each()) is not None and scope._handle)


@public
class Scope:
    """Statistics of a ``with`` block, or of a function's calls; made by `Tracking.scope`.

    Attributes
    ----------
    peak : int
        The most bytes that were in use at once, beyond those in use at the start.
    live : int
        Bytes in use at the end beyond those at the start; negative if more was freed than taken.
    leaks : list of Leak
        Blocks taken in the scope and in use at its end, oldest first; empty without ``leaks``.
    at_peak : list of LeakGroup
        Blocks taken in the scope and in use when it had the most bytes, by their stacks, those with
        the most bytes first; empty without ``leaks``.

    Notes
    -----
    ``str(scope)`` is `report`, and a notebook shows it as a table.

    As a decorator, ``@scope``, it counts each call of a function by itself, also where calls
    overlap, and has the figures of the last one that ended. The function must do its work
    before it returns: coroutines and generators are refused.
    """

    _handle: Any  # what C counts, while the scope is open
    _entered: Any  # then the thread, or the token of the context variable, for the end

    def __init__(
        self, tracking: "Tracking", name: str, *, leaks: bool, belongs_to: BelongsTo
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not {type(name).__name__}")
        if belongs_to not in tuple(_VARIABLES):  # which need not be hashable
            names = ", ".join(map(repr, _VARIABLES))
            raise ValueError(f"belongs_to must be one of {names}, not {belongs_to!r}")
        self._tracking = tracking
        self._depth = tracking.depth if leaks else 0
        self._handle = self._entered = None
        self.name = name
        self.belongs_to = belongs_to
        self.peak = self.live = self.num_allocations = self.num_frees = self.total_bytes = 0
        self.leaks: list[Leak] = []
        self.at_peak: list[LeakGroup] = []

    def __enter__(self) -> Self:
        if self._handle is not None:
            raise RuntimeError(f"scope {self.name!r} is open already")
        tracking = self._tracking
        owner = owner_of("core_scope*", tracking.api, lib.ortcffi_release_scope, tracking)
        check(
            tracking.api.pointer,
            lib.ortcffi_open_scope(
                tracking.handle, self.belongs_to != "process", self._depth, out_of(owner)
            ),
            "Tracking.scope",
        )
        self._handle = owned_by(owner)
        tracking.scopes.append(self)
        _all_open.add(self)
        _most_lines[0] = max(_most_lines[0], self._depth)
        if self.belongs_to == "thread":
            self._entered = threading.get_ident()
            _of_thread.set(_open((*_of_thread.get(), ref(self))))
        elif self.belongs_to == "context":
            self._entered = _of_context.set(_open((*_of_context.get(), ref(self))))
        return self

    def __exit__(self, *_error: object) -> None:
        self._check_entered()
        handle, self._handle = self._handle, None
        if handle is None or self not in self._tracking.scopes:  # as is a copy of an open one
            raise RuntimeError(f"scope {self.name!r} is not open")
        self._tracking.scopes.remove(self)
        _all_open.discard(self)
        if variable := _VARIABLES[self.belongs_to]:
            variable.set(_open(variable.get()))
        figures = ffi.new("core_scope_figures*")
        lib.core_close_scope(handle, figures)
        self.peak, self.live = figures.peak, figures.live
        self.num_allocations, self.num_frees = figures.allocations, figures.frees
        self.total_bytes = figures.total
        self._read_blocks(handle)

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return a function whose calls each are in a scope of their own."""
        _check_function(function)

        @functools.wraps(function)
        def scoped(*arguments: P.args, **named: P.kwargs) -> T:
            leaks = self._depth > 0
            one = Scope(self._tracking, self.name, leaks=leaks, belongs_to=self.belongs_to)
            try:
                with one:
                    return function(*arguments, **named)
            finally:
                for figure in _FIGURES:
                    setattr(self, figure, getattr(one, figure))

        return scoped

    def _check_entered(self) -> None:
        """Raise in another thread or context than that in which the scope was entered."""
        if isinstance(self._entered, int) and self._entered != threading.get_ident():
            raise RuntimeError(f"scope {self.name!r} was entered in another thread: leave it there")
        if isinstance(self._entered, Token):
            scopes = _of_context.get()
            try:
                _of_context.reset(self._entered)
            except ValueError:
                raise RuntimeError(
                    f"scope {self.name!r} was entered in another context: leave it there"
                ) from None
            _of_context.set(scopes)  # others may have been entered since
        self._entered = None

    def _read_blocks(self, handle: Any) -> None:
        count = lib.core_scope_blocks(handle, ffi.NULL, 0)
        blocks: Any = ffi.new("core_tracked_block[]", count)
        # Other threads may have freed some in between.
        count = min(count, lib.core_scope_blocks(handle, blocks, count))
        found = [blocks[i] for i in range(count)][::-1]
        self.leaks = leaks_of((each.size, each.site) for each in found if each.block)
        self.at_peak = grouped(leaks_of((each.size, each.site) for each in found if each.at_peak))

    @property
    def groups(self) -> list[LeakGroup]:
        """`leaks` by their stacks, those with the most bytes first."""
        return grouped(self.leaks)

    def by_line(self) -> list[ScopeLine]:
        """`leaks` and `at_peak` by the program's own lines, the most bytes at the peak first."""
        return by_line(self.at_peak, self.groups)

    def report(self, top: int | None = 10) -> str:
        """Return a table of `by_line` for a person to read, with places relative to this folder.

        Parameters
        ----------
        top : int or None, optional
            How many lines it has; the others are added up in one. None for all.
        """
        rows = rows_of(self.by_line(), top if top is None else integer("top", top, SIZE))
        table = [
            f"{peak:>12} {blocks:>8} {live:>12} {left:>8}  {place}"
            for peak, blocks, live, left, place in ([HEADER, *rows] if rows else [])
        ]
        return "\n".join([self._title(), *table])

    def to_html(self, top: int | None = 10) -> str:
        """Return the table of `report` as a ``<table>``, which a notebook shows for a scope."""
        top = top if top is None else integer("top", top, SIZE)
        return html_table(self._title(), HEADER, rows_of(self.by_line(), top))

    def to_json(self) -> str:
        """Return the name, `peak`, `live` and the lines of `by_line` as JSON."""
        import json

        lines = [each._asdict() for each in self.by_line()]
        return json.dumps({"name": self.name, "peak": self.peak, "live": self.live, "lines": lines})

    def _title(self) -> str:
        live = f"-{size(-self.live)}" if self.live < 0 else size(self.live)
        return f"scope {self.name!r}: {size(self.peak)} at the peak, {live} live at the end"

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return f"Scope({self.name!r}, peak={self.peak}, live={self.live}, leaks={len(self.leaks)})"


@public
def carry(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that does its work as if it were done here and now, on any thread.

    Work that a pool of threads does is not in the scopes that belong to the thread or the context
    which handed it over, and not in its blocks of `numpy_allocator`. Hand over ``carry(function)``
    instead: what it takes counts in these scopes, and its arrays are in the block's memory.

    Parameters
    ----------
    function : callable
        May be called several times and on several threads at once. Not a coroutine function or a
        generator function, since these do their work after they have returned.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from ortcffi import Tracking, core_api
    >>> pool = Tracking(core_api().default_allocator)
    >>> with ThreadPoolExecutor() as threads, pool.scope(belongs_to="thread") as scope:
    ...     arrays = list(threads.map(carry(pool.empty), [100, 200]))
    >>> scope.live
    2400
    """
    _check_function(function)
    taken = [(variable, variable.get()) for variable in (_of_thread, _of_context)]
    handler = compiled.numpy_handler()

    @functools.wraps(function)
    def carried(*arguments: P.args, **named: P.kwargs) -> T:
        added = [
            (variable, [each for each in scopes if each not in variable.get()])
            for variable, scopes in taken
        ]
        for variable, scopes in added:
            variable.set(_open((*variable.get(), *scopes)))
        before = compiled.numpy_handler()
        try:
            if handler is not None:
                compiled.numpy_use(handler)
            return function(*arguments, **named)
        finally:
            compiled.numpy_use(before)
            for variable, scopes in added:
                variable.set(tuple(each for each in variable.get() if each not in scopes))

    return carried


def origin_for(future: object) -> tuple[int, int] | None:
    """Return what the blocks of a run on another thread belong to: scopes and a line.

    The numbers of an ``ortcffi_origin``, valid as long as the future; None if no scope is open.
    """
    if not _all_open:
        return None
    number = next(_next)
    _handed_over[number] = _open((*_of_thread.get(), *_of_context.get()))
    finalize(future, _handed_over.pop, number, None).atexit = False
    return number, current_stack(_most_lines[0]) if _most_lines[0] else 0


def _check_function(function: object) -> None:
    if not callable(function):
        raise TypeError(f"function must be callable, not {type(function).__name__}")
    late = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    if any(test(function) for test in late):
        raise TypeError("function must do its work before it returns: no coroutine or generator")


@called_from_c("ortcffi_python_scopes", report_exception("the scopes of a block", 0))
def _name_scopes(tracking: "Cdata", depth: int, origin: Any) -> int:
    address = address_of(tracking)
    own = (*_of_thread.get(), *_of_context.get())
    for each in _handed_over.get(lib.ortcffi_works_for().number, own):
        scope = each()
        handle = scope and scope._handle  # another thread may leave it in between
        if scope and handle and scope._tracking._address == address:
            lib.core_origin_add(origin, handle)
            depth = max(depth, scope._depth)
    return depth
