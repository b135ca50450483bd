# SPDX-License-Identifier: MIT
"""`EnvState`: what the one environment of a library borrows."""

import weakref
from collections.abc import Hashable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ortcffi._forks import fork_safe_lock
from ortcffi._native import compiled

if TYPE_CHECKING:
    from ortcffi.env.env import Env
    from ortcffi.memory.allocator import Allocator
    from ortcffi.table.api import Api

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


class Shared:
    """The objects that the sessions of an environment share, and what they share after a change.

    A session that is being made refers to the objects of the moment when it began, and so to those
    of each later moment, whichever the library gives it.
    """

    __slots__ = ("later", "objects")

    def __init__(self, objects: tuple[Any, ...]) -> None:
        self.objects = objects
        self.later: Shared | None = None

    def until_now(self) -> list[Any]:
        """Return the objects of this moment and of all later ones."""
        found, each = list(self.objects), self.later
        while each is not None:
            found += [new for new in each.objects if new not in found]
            each = each.later
        return found


class EnvState:
    """What the environment of a library borrows: a logger, thread functions, allocators.

    It is a parent of each `Env`, so it ends with the last one, after the library's environment.
    """

    severity: int  # that an `Env` set last

    def __init__(self) -> None:
        self.given: tuple[Any, ...] = ()  # what the library borrows until its environment ends
        self.shared = Shared(())  # the allocators that are registered
        self.arena = 0  # the number of the CPU's allocator that sessions share; 0 for none
        self.arena_limit = 0  # the bytes that an arena of `Env.create_arena` is bounded to
        self._envs: list[weakref.ref[Env]] = []  # a WeakSet grows where an interrupt strikes in it
        self._lasts = False
        self._past: list[Registered] = []

    def open_envs(self) -> "list[Env]":
        """Return the references to the environment that are not closed."""
        with _guard:
            found = [(each, each()) for each in self._envs]
            self._envs = [each for each, env in found if env is not None]
        return [env for _, env in found if env is not None and not env.closed]

    def begin(self, given: Iterable[object], severity: int) -> Any:
        """Mark the environment as in use, and return the one that there is already, if any.

        For that one the library ignores what is given.
        """
        with _guard:
            for env in self.open_envs():
                with suppress(ValueError):  # another thread closes it
                    return env.handle
            if not self._lasts:
                self.severity = severity
                self.given += tuple(given)
        return None

    def established(self, env: "Env") -> None:
        """Note that the library has answered."""
        with _guard:
            self._envs.append(weakref.ref(env))

    def _share(self, objects: tuple[Any, ...]) -> None:
        self.shared.later = now = Shared(objects)
        self.shared = now

    def add(self, shared: object) -> None:
        """Keep what sessions are about to share."""
        with _guard:
            self._share((*self.shared.objects, shared))

    def remove(self, shared: Iterable[object]) -> None:
        """Drop objects that the library has refused, or shares no more."""
        gone = {id(each) for each in shared}
        with _guard:
            before = self.shared  # dropped outside: to release an allocator may run Python
            self._share(tuple(each for each in before.objects if id(each) not in gone))
        del before

    def keep_in_making(self, kept: object) -> None:
        """Have sessions that are being made keep an object."""
        self.add(kept)
        self.remove([kept])

    def take_out(self, shared: list[Registered], *, is_replaced: bool) -> None:
        """Drop allocators that were unregistered or replaced.

        In an environment that other code keeps open, its sessions may use them, which are not
        counted here: then the allocators stay.
        """
        with _guard:
            if self._lasts:
                self._past += [each for each in shared if is_replaced or each.for_good]
        self.remove(shared)

    def last(self) -> None:
        """Note that the environment ends with the process: other code has a reference to it.

        It uses its allocators when the interpreter has ended, too.
        """
        self._lasts = True
        compiled.keep_forever(self)


_states: "weakref.WeakValueDictionary[Hashable, EnvState]" = weakref.WeakValueDictionary()


def state_of(api: "Api") -> EnvState:
    """Return the state of the environment of the library that a table belongs to."""
    with _guard:
        state = _states.get(api.library)
        if state is None:
            state = _states[api.library] = EnvState()
        return state
