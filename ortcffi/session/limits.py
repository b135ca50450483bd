# SPDX-License-Identifier: MIT
"""Bounds of the memory of sessions: one for all that follow, and the message of a refused run."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ortcffi._convert import byte_count
from ortcffi._native import ffi, lib
from ortcffi._public import public, quoted, size
from ortcffi.env.env import Env
from ortcffi.errors import Fail, NotImplemented, OrtError, check
from ortcffi.options.run_options import RunOptions
from ortcffi.session.creation import limited
from ortcffi.table.engine import engine_for, has_engine
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.type_info import contained_tensor
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.memory.stats import AllocatorStats
    from ortcffi.session.loaded import Loaded
    from ortcffi.table.api import Api
    from ortcffi.values.type_info import TypeInfo

_SHRINKAGE = {"memory.enable_memory_arena_shrinkage": "cpu:0"}


@public
def limit_session_memory(limit: int | str | None, api: "Api | None" = None) -> None:
    """Bound the CPU memory that all sessions made from now on take together.

    They share one arena of the library. A run that would need more raises `OutOfMemory`, the arena
    returns its unused memory to the system, and other runs go on. Options whose entry
    ``session.use_env_allocators`` is ``"0"`` are an exception. Weights count; memory that Python
    allocates for inputs does not. API functions: ``CreateAndRegisterAllocator``,
    ``UnregisterAllocator``.

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
        The environment already has an arena that other code registered.
    NotImplemented
        The library is the core, whose sessions use no arena of the environment.
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
            before.unregister_allocator(engine.cpu_memory_info(lib.OrtArenaAllocator))
    if bound is None:
        return
    from ortcffi.arena import ArenaCfg

    env = Env(api=engine)
    try:
        # An arena that doubles its chunks would reach the limit early, and keep the first of them.
        with ArenaCfg(engine, max_bytes=bound, strategy="as_requested") as cfg:
            env.create_arena(cfg=cfg)
    except BaseException:
        env.close()
        raise
    limited[engine.library] = env


def shrink(session: "Loaded") -> None:
    """Return the unused memory of the session's arena to the system: `Session.shrink`."""
    api = session.api
    if not has_engine(api):
        raise NotImplemented(f"sessions of {api} have no arena", "Run")
    handle = session.handle  # raises if closed; keeps the session
    inputs = [spec for spec in session.inputs if spec.kind is not ValueKind.OPTIONAL]
    values = [_smallest(api, f"input {quoted(spec.name)}", spec.type_info) for spec in inputs]
    names = [ffi.new("char[]", spec.name.encode()) for spec in (*inputs, session.outputs[0])]
    out = ffi.new("OrtValue*[]", 1)  # to which nothing is written
    given = ffi.new("char*[]", names[:-1]), ffi.new("OrtValue*[]", [v.handle for v in values])
    with RunOptions(api, log_severity=lib.ORT_LOGGING_LEVEL_FATAL, config=_SHRINKAGE) as options:
        options.terminated = True
        arguments = *given, len(inputs), ffi.new("char*[]", names[-1:]), 1, out
        try:
            check(api.pointer, lib.Run(api.pointer, handle, options.handle, *arguments))
        except Fail as error:
            if "terminate flag" not in error.message:
                raise


def _smallest(api: "Api", subject: str, info: "TypeInfo") -> Value:
    """Return a value of a type, with as few elements as possible."""
    tensor, inner = info.tensor_info, contained_tensor(info)
    if tensor is not None:
        lengths = [max(n, 0) if isinstance(n, int) else 0 for n in tensor.shape or ()]
        if info.kind is ValueKind.SPARSE:
            none = np.empty(0, dtype_of(tensor.element_type)), np.empty(0, np.int64)
            return Value.sparse_coo(*none, lengths, api=api, copy=True)
        return Value.empty(lengths, ElementType(tensor.element_type), api=api)
    if info.kind is ValueKind.MAP and inner is not None:
        elements = ElementType(info.key_type or 0), ElementType(inner.element_type)
        return Value.map_of(*(Value.empty(0, element, api=api) for element in elements), api=api)
    if inner is None and info.contained is not None:  # a sequence of maps
        return Value.sequence([_smallest(api, subject, info.contained)], api=api)
    if inner is None:
        raise ValueError(f"{subject} is of the type {info}, of which no value can be made")
    from ortcffi.session.empty import empty_sequence

    return empty_sequence(api, inner.element_type)


def arena_stats(session: "Loaded") -> "AllocatorStats | None":
    """Return the arena's statistics; None of an older library or a closed session."""
    try:
        with session.allocator() as allocator:
            return allocator.stats
    except (OrtError, ValueError):
        return None


def explained(session: "Loaded", message: str, model: str) -> str:
    """Return the library's message for a run that got no memory, with what the arena has.

    A bounded arena returns its unused memory to the system, so that the next run has room.
    """
    asked = re.search(r"requested bytes of (\d+)", message)
    wanted = f"a block of {size(int(asked[1]))}" if asked else "more memory"
    stats = arena_stats(session)
    if stats is None:
        return f"a run of {model} needs {wanted}: {message.strip()}"
    if (stats.limit or 0) > 0:
        with suppress(OrtError, ValueError):  # the run's own error is the one to raise
            shrink(session)
    limit = f" of {size(stats.limit)}" if (stats.limit or 0) > 0 else ""
    held = f"{size(stats.bytes_reserved)}{limit}, {size(stats.bytes_allocated)} in use"
    return f"a run of {model} needs {wanted}; its arena has {held}: {message.strip()}"
