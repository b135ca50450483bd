# SPDX-License-Identifier: MIT
"""Bounds of the memory of sessions: one for all that follow, and the message of a refused run."""

import re
import warnings
from typing import TYPE_CHECKING

from ortcffi._convert import byte_count
from ortcffi._public import public
from ortcffi._text import size
from ortcffi.arena.cfg import ArenaCfg
from ortcffi.env.env import Env
from ortcffi.errors import NotImplemented, OrtError
from ortcffi.memory.info import AllocatorType
from ortcffi.memory.stats import AllocatorStats
from ortcffi.options.session import SHARED_ARENA, SessionOptions
from ortcffi.table.engine import engine_for, has_engine

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ortcffi.session.session import Session
    from ortcffi.table.api import Api

__all__ = ["limit_session_memory", "limited", "warn_of_ignored_arena", "with_limit"]

limited: "dict[Hashable, Env]" = {}
"""By library: what keeps the environment that has the arena."""
_ASKED = re.compile(r"requested bytes of (\d+)")


@public
def limit_session_memory(limit: int | str | None, api: "Api | None" = None) -> None:
    """Bound the CPU memory that all sessions made from now on take together.

    They share one arena of the library. A run that would need more raises `OutOfMemory`, and other
    runs go on. Options whose entry ``session.use_env_allocators`` is ``"0"`` are an exception.
    Weights count; memory that Python allocates for inputs does not.

    Parameters
    ----------
    limit : int, str or None
        Bytes, or such as ``"256 MB"``. None: sessions made from now on have arenas of their own
        again.
    api : Api, optional
        The library, by default that of a `Session` without options.

    Raises
    ------
    InvalidArgument
        The environment has an arena already that somebody else registered.
    NotImplemented
        The library is the core, whose sessions use no arena of the environment.

    Notes
    -----
    API functions: ``CreateAndRegisterAllocator``, ``UnregisterAllocator``.
    """
    engine = engine_for(api)
    if not has_engine(engine):
        raise NotImplemented(f"sessions of {engine} use no arena of the environment", "Run")
    bound = None if limit is None else byte_count("limit", limit)
    if bound == 0:
        raise ValueError("limit must be 1 byte or more; None for no limit")
    before = limited.pop(engine.library, None)
    if before is not None:
        with before:
            before.unregister_allocator(engine.cpu_memory_info(AllocatorType.ARENA))
    if bound is None:
        return
    env = Env(api=engine)
    try:
        with ArenaCfg(engine, max_bytes=bound) as cfg:
            env.create_arena(cfg=cfg)
    except BaseException:
        env.close()
        raise
    limited[engine.library] = env


def with_limit(api: "Api", options: SessionOptions | None) -> SessionOptions | None:
    """Options for a session: those that share the arena where there is a limit."""
    if api.library not in limited or (options is not None and SHARED_ARENA in options.config):
        return options
    chosen = SessionOptions(api) if options is None else options._for_creation()
    chosen.shared_arena = True
    return chosen


def warn_of_ignored_arena(env: Env, options: SessionOptions | None) -> None:
    """Warn of a session that has an arena of its own where the environment's is bounded."""
    limit = env._state.arena_limit
    if limit and (options is None or SHARED_ARENA not in options.config):
        warnings.warn(
            f"the environment's arena is bounded to {size(limit)}, but this session does not use "
            "it: make it with SessionOptions(shared_arena=True), or False if that is meant",
            RuntimeWarning,
            stacklevel=4,  # the caller of the session's class
        )


def arena_stats(session: "Session") -> AllocatorStats | None:
    """The statistics of the arena; None of an older library, or of a session closed meanwhile."""
    try:
        with session.allocator() as allocator:
            return allocator.stats
    except (OrtError, ValueError):
        return None


def explained(session: "Session", message: str, model: str) -> str:
    """The library's message for a run that got no memory, with what the arena has."""
    asked = _ASKED.search(message)
    wanted = f"a block of {size(int(asked[1]))}" if asked else "more memory"
    stats = arena_stats(session)
    if stats is None:
        return f"a run of {model} needs {wanted}: {message.strip()}"
    limit = f" of {size(stats.limit)}" if (stats.limit or 0) > 0 else ""
    held = f"{size(stats.bytes_reserved)}{limit}, {size(stats.bytes_allocated)} in use"
    return f"a run of {model} needs {wanted}; its arena has {held}: {message.strip()}"
