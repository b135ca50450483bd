# SPDX-License-Identifier: MIT
"""`EnvState`: what the one environment of a library borrows."""

import atexit
import weakref
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from ortcffi._forks import fork_safe_lock
from ortcffi._native import lib

if TYPE_CHECKING:
    from ortcffi.env.env import Env
    from ortcffi.memory.allocator import Allocator
    from ortcffi.table.api import Api

__all__ = ["EnvState", "Made", "Registered", "allocators_lock", "state_of"]

# Protects the fields of states. Never held while a library is called. Recursive, because a
# destructor may come here while this thread changes them.
_guard = fork_safe_lock()
# Held while allocators are registered, unregistered and looked up, so that none is freed between
# its look-up and its first reference.
allocators_lock = fork_safe_lock()


class Registered:
    """A registered allocator, which the library borrows."""

    def __init__(
        self,
        allocator: "Allocator",  # as the caller gave it
        translated: "Allocator",  # as the library has it
        memory: tuple[Any, ...],  # what identifies its memory
        for_good: bool,  # whether it stays also when a lasting environment unregisters it
    ) -> None:
        self.allocator, self.translated = allocator, translated
        self.handle: Any = translated.handle  # which holds it also when it is closed
        self.memory, self.for_good = memory, for_good


class Made(list[Any]):
    """What a session keeps that was made in an environment."""

    __slots__ = ("__weakref__",)


class EnvState:
    """What the environment of a library borrows: a logger, thread functions, allocators.

    One rule: an object stays as long as it is in `borrowed`, and after that as long as a session or
    value lives that was made while it was. So each of those keeps all objects that were in
    `borrowed` at some time between its `begin_making` and `end_making`.

    Each `Env` keeps the state, so it ends with the last one, after the library's environment.

    Attributes
    ----------
    severity : int
        The severity that an `Env` set last.
    borrowed : tuple
        What the library borrows now.
    arena : int
        The number of the allocator for the CPU that sessions share: the first one has 1, one that
        is registered later the next number; 0 before.
    arena_limit : int
        The bytes that an arena of `Env.create_arena` for the CPU is bounded to; 0 without one.
    """

    __slots__ = (
        "__weakref__",
        "_envs",
        "_lasts",
        "_making",
        "_past",
        "arena",
        "arena_limit",
        "borrowed",
        "severity",
    )

    severity: int

    def __init__(self) -> None:
        self.borrowed: tuple[Any, ...] = ()
        self.arena = 0
        self.arena_limit = 0
        self._envs: list[weakref.ref[Env]] = []  # a WeakSet grows where an interrupt strikes in it
        self._making: dict[int, weakref.ref[Made]] = {}  # by identity
        self._lasts = False
        self._past: list[Registered] = []

    def open_envs(self) -> "list[Env]":
        """The references to the environment that are not closed."""
        with _guard:
            found = [(each, each()) for each in self._envs]
            self._envs = [each for each, env in found if env is not None]
        return [env for _, env in found if env is not None and not env.closed]

    def begin(self, given: Iterable[object], severity: int) -> "list[Env]":
        """Note that the library is about to be asked for its environment.

        Returns
        -------
        list of Env
            References that there are already. `established` wants them.
        """
        with _guard:
            others = self.open_envs()
            if not (others or self._lasts):
                self.severity = severity
            self.borrowed += tuple(given)
        return others

    def established(self, env: "Env", given: list[object], others: "list[Env]") -> None:
        """Note that the library has answered.

        Where one of the others was open all the time, the library has ignored what was given.
        """
        with _guard:
            self._envs.append(weakref.ref(env))
            is_ignored = self._lasts or any(not other.closed for other in others)
        if is_ignored:
            self.remove(given)

    def add(self, borrowed: object) -> None:
        """Keep what the library is about to borrow."""
        with _guard:
            self.borrowed += (borrowed,)
            self.keep_in_making(borrowed)

    def keep_in_making(self, kept: object) -> None:
        """Make what is between its `begin_making` and `end_making` keep it too."""
        for each in list(self._making.values()):
            if (made := each()) is not None:
                made.append(kept)

    def remove(self, borrowed: Iterable[object]) -> None:
        """Drop objects that the library has refused or ignored."""
        gone = {id(each) for each in borrowed}
        with _guard:
            before = self.borrowed
            self.borrowed = tuple(each for each in before if id(each) not in gone)
        del before  # outside the guard: to release an allocator may run Python functions

    def take_out(self, shared: list[Registered], *, is_replaced: bool) -> None:
        """Drop allocators that were unregistered or replaced.

        In an environment that other code keeps open, its sessions may use them, which are not
        counted here: then the allocators stay.
        """
        with _guard:
            if self._lasts:
                self._past += [each for each in shared if is_replaced or each.for_good]
        self.remove(shared)

    def begin_making(self, made: Made) -> None:
        """Make `made` keep all that is borrowed now or later, until `end_making` or its own end."""
        key, making = id(made), self._making
        # In this order: what `add` adds meanwhile is in one of the two, or in both.
        making[key] = weakref.ref(made, lambda _: making.pop(key, None))
        made.append(self.borrowed)

    def end_making(self, made: Made) -> None:
        """Note that the library has made what was to keep them, or has failed."""
        self._making.pop(id(made), None)

    def last(self) -> None:
        """Note that the environment ends with the process: other code has a reference to it."""
        self._lasts = True
        _lasting.append(self)

    def _to_the_end(self) -> None:
        for each in (*self.borrowed, *self._past):
            if isinstance(each, Registered):
                lib.ortcffi_retain_allocator(each.handle)


_states: "weakref.WeakValueDictionary[Hashable, EnvState]" = weakref.WeakValueDictionary()
_lasting: list[EnvState] = []


@atexit.register
def _retain_to_the_end() -> None:
    """An environment that lasts uses its allocators when the interpreter has ended, too."""
    for state in _lasting:
        state._to_the_end()


def state_of(api: "Api") -> EnvState:
    """The state of the environment of the library that a table belongs to."""
    with _guard:
        state = _states.get(api.library)
        if state is None:
            state = _states[api.library] = EnvState()
        return state
