# SPDX-License-Identifier: MIT
"""Who uses the one environment that a library has, and what that holds on to."""

import os
import threading
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortcffi.callbacks.logs import LogSeverity
    from ortcffi.table.api import Api

__all__ = ["Client", "Clients", "clients_of"]

# Held while the sets below change, never while a library is called. A destructor may come here in
# the middle of that.
_guard = threading.RLock()
# A fork in the middle of that would leave it locked in the child.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_guard.release
    )


class Client:
    """One reference to the environment of a library."""

    __slots__ = ("clients", "guard")

    def __init__(self, clients: "Clients") -> None:
        self.clients = clients
        self.guard = _guard  # a destructor may run when this module has no names any more

    def leave(self) -> None:
        """The reference was given back. With the last one goes all that was kept."""
        clients, gone = self.clients, None
        with self.guard:
            clients.present.discard(self)
            if not clients.present:
                gone, clients.alive = clients.alive, []
        del gone  # outside the guard: an allocator may be among it, with functions in Python


class Clients:
    """All references to the environment of a library.

    Attributes
    ----------
    severity : LogSeverity or int
        What an `Env` set last.
    alive : list
        What the library borrows until the environment ends.
    """

    __slots__ = ("alive", "present", "severity")

    severity: "LogSeverity | int"

    def __init__(self) -> None:
        self.present: set[Client] = set()
        self.alive: list[object] = []

    def join(self, severity: "LogSeverity | int", alive: Iterable[object]) -> Client:
        """Add a client, before the library is asked for the environment.

        Parameters
        ----------
        severity : LogSeverity or int
            What the environment has if this client is the first.
        alive : iterable
            What the library would borrow then.
        """
        client = Client(self)
        with _guard:
            if not self.present:
                self.severity = severity
            self.present.add(client)
            self.alive.extend(alive)
        return client

    def keep(self, borrowed: object) -> None:
        """Keep alive what the library borrows until the environment ends."""
        with _guard:
            self.alive.append(borrowed)

    def drop(self, borrowed: Iterable[object]) -> None:
        """Let go of what the library has given back."""
        gone = {id(each): each for each in borrowed}
        with _guard:
            self.alive = [each for each in self.alive if id(each) not in gone]


_libraries: dict[Hashable, Clients] = {}


def clients_of(api: "Api") -> Clients:
    """Those of the library that a table belongs to."""
    with _guard:
        return _libraries.setdefault(api.library, Clients())
