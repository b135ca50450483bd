# SPDX-License-Identifier: MIT
"""For allocators with handlers in Python: the allocator that a handler is called for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ortcffi._native import address_of, compiled

if TYPE_CHECKING:
    from ortcffi._ort import Cdata

# Allocators whose handlers are running, by thread: a handler may allocate from its own allocator.
_running = threading.local()


@contextmanager
def handler_at(context: "Cdata") -> Iterator[Any]:
    """The allocator at an address, to call its handler; None if the handler is running already."""
    busy = vars(_running).setdefault("busy", set())
    if context in busy:
        yield None
        return
    busy.add(context)
    try:
        yield compiled.object_at(address_of(context))
    finally:
        busy.discard(context)
