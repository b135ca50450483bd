# SPDX-License-Identifier: MIT
"""The references to the one environment that a library has, and what that environment borrows."""

import atexit
import os
import threading
import weakref
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._native import lib

if TYPE_CHECKING:
    from ortcffi.callbacks.logs import LogSeverity
    from ortcffi.memory.allocator import Allocator
    from ortcffi.table.api import Api

__all__ = ["Client", "Clients", "Kept", "Registered", "clients_of"]

# Protects the sets below. Never held while a library is called. Recursive, because a destructor
# may come here while this thread changes the sets.
_guard = threading.RLock()
# Held while allocators are registered, unregistered and looked up, so that none is freed between
# its look-up and its first reference.
allocators = threading.RLock()
# A child must not find them locked by a thread that it does not have.
if hasattr(os, "register_at_fork"):
    for _lock in (_guard, allocators):  # the hooks before a fork run in the opposite order
        os.register_at_fork(
            before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
        )


class Registered(NamedTuple):
    """A registered allocator, which the library borrows."""

    allocator: "Allocator"  # as the caller gave it
    lent: "Allocator"  # as the library has it
    handle: Any  # of that; the owner closes what he has
    memory: tuple[Any, ...]  # what identifies its memory
    for_good: bool  # whether it stays alive also when it is unregistered


class Kept(list[Any]):
    """What a session keeps."""

    __slots__ = ("__weakref__",)


class Client:
    """One reference to the environment of a library.

    Attributes
    ----------
    borrowed : list
        What the library borrows if this reference created the environment: its logger, say. None
        is left out.
    may_have_created : bool
        Whether this reference may have created the environment. If not, the library has ignored
        what was given with it.
    is_established : bool
        Whether the library has answered, and the reference was not given back.
    """

    __slots__ = ("borrowed", "clients", "guard", "is_established", "may_have_created")

    def __init__(self, clients: "Clients", borrowed: Iterable[object]) -> None:
        self.clients = clients
        self.borrowed = [each for each in borrowed if each is not None]
        self.guard = _guard  # a destructor may run when this module's globals are already None
        self.is_established = False
        self.may_have_created = False

    def join(self, severity: "LogSeverity | int") -> None:
        """Note that the library is about to be asked, with this severity."""
        clients = self.clients
        with self.guard:
            if not clients.present:
                clients.severity = severity
            others = any(each.is_established for each in clients.present)
            self.may_have_created = not (others or clients.last)
            clients.present.add(self)

    def establish(self) -> None:
        """Note that the library has answered. If it ignored what was given, that is let go."""
        with self.guard:
            self.is_established = True
            gone, self.borrowed = self.borrowed, []
            if self.may_have_created:
                self.clients.alive += gone
                del gone

    def begin_release(self) -> None:
        """Note that the reference is about to be given back.

        If it is the last one, another thread that waits for the library's answer may create the
        next environment.
        """
        with self.guard:
            self.is_established = False
            others = any(client.is_established for client in self.clients.present)
            if not (others or self.clients.last):
                for client in self.clients.present:
                    client.may_have_created = True

    def leave(self) -> None:
        """Note that the reference was given back. The last one lets go of all that was borrowed."""
        clients, gone = self.clients, None
        with self.guard:
            clients.present.discard(self)
            if not (clients.present or clients.last):
                gone, clients.alive = clients.alive, []
        del gone  # outside the guard: releasing an allocator may run Python functions


class Clients:
    """All references to the environment of a library.

    Attributes
    ----------
    severity : LogSeverity or int
        The severity that an `Env` set last.
    alive : list
        What the library borrows until the environment ends.
    last : bool
        Whether the environment ends with the process only, because somebody else has a reference.
    past : list
        Allocators that such an environment shares no longer: somebody else's sessions may use them.
    """

    __slots__ = ("alive", "last", "past", "present", "severity", "watchers")

    severity: "LogSeverity | int"

    def __init__(self) -> None:
        self.present: set[Client] = set()
        self.alive: list[object] = []
        self.past: list[Registered] = []
        self.last = False
        # See `watched`. Weak, since what an exception interrupts may leave one here.
        self.watchers: weakref.WeakValueDictionary[int, Kept] = weakref.WeakValueDictionary()

    def keep(self, borrowed: object) -> None:
        """Keep alive what the library borrows until the environment ends."""
        with _guard:
            self.alive.append(borrowed)
            for kept in self.watchers.values():
                kept.append(borrowed)

    @contextmanager
    def watched(self, kept: Kept) -> Iterator[None]:
        """Add to a list what is kept alive from now on, though it may be let go of at once.

        A session that is made meanwhile may use it.
        """
        with _guard:
            self.watchers[id(kept)] = kept
        try:
            yield
        finally:
            with _guard:
                self.watchers.pop(id(kept), None)

    def retire(self, shared: list[Registered], *, is_replaced: bool) -> None:
        """Let go of allocators that are shared no longer, unless no one tells who uses them."""
        with _guard:
            if self.last:
                self.past += [each for each in shared if is_replaced or each.for_good]
        self.drop(shared)

    def drop(self, borrowed: Iterable[object]) -> None:
        """Let go of what the library no longer borrows, or has refused."""
        gone = {id(each): each for each in borrowed}
        with _guard:
            self.alive = [each for each in self.alive if id(each) not in gone]


_libraries: dict[Hashable, Clients] = {}


@atexit.register
def _retain_to_the_end() -> None:
    """An environment that lasts uses its allocators when the interpreter has ended, too."""
    for clients in _libraries.values():
        for each in [*clients.alive, *clients.past] if clients.last else []:
            if isinstance(each, Registered):
                lib.ortcffi_retain_allocator(each.handle)


def clients_of(api: "Api") -> Clients:
    """The references to the environment of the library that a table belongs to."""
    with _guard:
        return _libraries.setdefault(api.library, Clients())
