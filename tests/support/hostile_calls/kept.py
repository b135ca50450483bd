# SPDX-License-Identifier: MIT
"""What the package keeps until the process ends, and how a run takes it back to count the rest."""

import gc
import sys
from collections import Counter
from typing import Any

import numpy as np
from support.hostile_calls.surroundings import Surroundings

from ortcffi import compat, errors
from ortcffi._native import lib
from ortcffi.compat import _environment
from ortcffi.env import sharing
from ortcffi.kernels import op_sets

_kept_for_good: list[Any] = []  # allocators whose references in C nobody releases
_drop = sharing.Clients.drop


def drop(clients: sharing.Clients, borrowed: list[Any], is_refused: bool = False) -> None:
    """Does what it replaces, and notes what stays."""
    stays = [each.handle for each in borrowed if not is_refused and getattr(each, "for_good", 0)]
    _drop(clients, borrowed, is_refused)
    _kept_for_good.__iadd__(stays)


def note_what_is_kept_for_good() -> None:
    sharing.Clients.drop = drop  # type: ignore[method-assign, assignment]
    Surroundings.not_struck.add(drop.__code__)


def take_back() -> None:
    """Let go of shared allocators, the environment of `ortcffi.compat`, ops, and exceptions.

    Nothing may use them any more.
    """
    if door := sys.modules.get("ortcffi.official.door"):
        env = door.attach().env
        for each in env._registered():
            env.unregister_allocator(each.lent.info)
    for handle in _kept_for_good:
        lib.ortcffi_release_allocator(handle)
    _kept_for_good.clear()
    compat.set_default_logger_callback(None)
    _environment.close_environment()
    errors._kept.clear()
    for each in op_sets._sets.values():
        for op in each:
            each.remove(op)


def _is_counted(thing: Any) -> bool:
    """Whether it may keep an object of the core alive."""
    kind = type(thing)  # not its __class__, which a proxy of what is gone has not
    if issubclass(kind, np.ndarray):
        return np._core.multiarray.get_handler_name(thing) == "ortcffi"
    return str(kind.__module__).startswith("ortcffi") and not isinstance(thing, type)


def _name(holder: Any, kept: Any) -> str:
    """What holds an object: of a dict, the keys too."""
    keys = [key for key, each in holder.items() if each is kept] if type(holder) is dict else []
    return f"{type(holder).__qualname__}{repr(keys)[:60] if keys else ''}"


def references() -> Counter[str]:
    """How many references there are to such objects, by the types of both sides.

    Of a list, what holds it is told too: many kinds of objects keep others in lists.
    """
    found: Counter[str] = Counter()
    there = gc.get_objects()
    for holder in there:
        for each in gc.get_referents(holder):
            if _is_counted(each):
                found[f"{_name(holder, each)} to {type(each).__qualname__}"] += 1
                if type(holder) is list:
                    above = (up for up in gc.get_referrers(holder) if up is not there)
                    found.update(f"{_name(up, holder)} to list" for up in above)
    return found
