# SPDX-License-Identifier: MIT
"""What sessions are made of: a path or bytes, options, an environment, a store of weights."""

import os
import sys
import time
import warnings
import weakref
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import bytes_like, input_path, native, of_type, of_type_or_none
from ortcffi._native import lib
from ortcffi._public import size
from ortcffi.env.env import Env
from ortcffi.errors import OrtError, check
from ortcffi.table.engine import engine_for, has_engine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ortcffi._convert import AnyPath
    from ortcffi.env.state import EnvState
    from ortcffi.kernels.python_op import PythonOp
    from ortcffi.options.session_options import SessionOptions
    from ortcffi.options.shared import PrepackedWeights
    from ortcffi.session.providers import Provider
    from ortcffi.table.api import Api

_SEQUENTIAL: int = lib.ORT_SEQUENTIAL
_CPU = {"CPU", "CPUExecutionProvider"}
# What options keep that no run calls: data, and what is called while a session is made.
_DATA = {"initializers", "external_initializers", "external_files", "weightless_source"}
_DATA.add("ep_context_reader")
# Entries with which a session reads the bytes of a model also after it was made.
_BORROWING = (
    "session.use_ort_model_bytes_directly",
    "session.use_ort_model_bytes_for_initializers",
)
_LARGE = 16 << 20  # bytes of a model whose session may leave much unused memory to glibc
_PAUSE = 5.0  # seconds at least between two times that sessions of large models have it returned
_next_return = 0.0  # by the monotonic clock
# Of each library, the environment of those of its sessions that were given none.
_shared: "dict[Hashable, weakref.ref[Env]]" = {}
# Of each library, the environment with the arena of `limit_session_memory`, which it keeps.
limited: "dict[Hashable, Env]" = {}


class Source(NamedTuple):
    """What a session is made of."""

    create: Callable[[Any, Any, Any], None]  # with an environment, options or NULL, and a place
    keep: object = None  # what the library borrows until the session is released
    content: object = None  # the bytes, which it also borrows if the options say so


def chosen_for(  # noqa: PLR0913, PLR0917  # as many as a session is given
    api: "Api | None",
    options: Any,
    weights: Any,
    env: Env | None,
    providers: "Iterable[Provider] | None",
    custom_ops: "Iterable[PythonOp | AnyPath] | None",
) -> "tuple[Api, SessionOptions | None, Env | None]":
    """Get the library of a session; its options with the providers and the ops; its environment."""
    of_type_or_none("env", env, Env)
    if options is not None:  # most sessions have none, and need no module for them
        from ortcffi.options.session_options import SessionOptions

        of_type("options", options, SessionOptions)
    if weights is not None:
        from ortcffi.options.shared import PrepackedWeights

        of_type("prepacked_weights", weights, PrepackedWeights)
    given = options, weights, env
    if providers is None:
        engine = engine_for(api, *given)
    else:  # imports what providers in Python need
        from ortcffi.session.providers import engine_with, providers_of, with_providers

        chosen = providers_of(providers)
        engine = engine_with(chosen, api, *given)
        env = environment_of(engine, env)
        options = with_providers(engine, options, chosen, env)
    if custom_ops is not None:
        from ortcffi.kernels.op_sets import with_custom_ops
        from ortcffi.options.session_options import SessionOptions

        known = options_for(engine, options)
        options = SessionOptions(engine) if known is None else known.clone()
        with_custom_ops(options, custom_ops)
    return engine, options, env


def environment_of(api: "Api", env: Env | None) -> Env:
    """Return the environment of a session, by default one that sessions share."""
    if env is None:
        found = _shared.get(api.library)
        shared = None if found is None else found()
        if shared is None or shared.closed:
            shared = Env(api=api)
            _shared[api.library] = weakref.ref(shared)
        return shared
    if not api.same_library(env.api):
        raise ValueError(f"env belongs to {env.api}, and the session to {api}")
    return env


def source_of(api: "Api", model: Any, weights: "PrepackedWeights | None" = None) -> Source:
    """Return a path or bytes, and a store of weights."""
    subject: tuple[Any, ...]
    store: tuple[Any, ...] = ()
    held = None
    is_bytes = type(model) is bytes  # asked first, because the other question takes longer
    if not is_bytes and isinstance(model, (str, os.PathLike)):
        slot, subject = "CreateSession", (native(input_path("model", model)),)
    else:
        held = model if is_bytes else bytes_like("model", model)
        slot, subject = "CreateSessionFromArray", (held, len(held))
    if weights is not None:
        if not api.same_library(weights.api):
            raise ValueError(f"prepacked_weights belong to another library than {api}")
        store, slot = (weights.handle,), f"{slot}WithPrepackedWeightsContainer"
    api.require(slot)
    create = partial(_create, api, slot, subject, store)
    # The session refers to bytes anyway; other memory is held only where the library uses it.
    return Source(create, (store, held)) if is_bytes else Source(create, store, held)


def _create(  # noqa: PLR0913, PLR0917  # what the function of the API takes
    api: "Api", slot: str, subject: Any, store: Any, env: Any, options: Any, out: Any
) -> None:
    global _next_return  # noqa: PLW0603
    check(api.pointer, getattr(lib, slot)(api.pointer, env, *subject, options, *store, out))
    if not api.is_core and _size_of(*subject) >= _LARGE and time.monotonic() >= _next_return:
        _next_return = time.monotonic() + _PAUSE  # since that locks all heaps of glibc in turn
        return_unused()


def _size_of(model: bytes, length: int | None = None) -> int:
    """Return the bytes of a model, which is a path where there is no length."""
    try:
        return os.path.getsize(model) if length is None else length
    except OSError:  # it was removed meanwhile
        return 0


def return_unused() -> None:
    """Have glibc return what a library took while it read a model and repacked its weights."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def parts_of_model(
    api: "Api", model: Any, options: "SessionOptions | None", *, shares: bool
) -> "tuple[Any, SessionOptions | None]":
    """Return what a library can load, and the options for it, which have the weights of a graph."""
    from ortcffi.models.view import content_of

    if not shares or not hasattr(model, "_apart"):
        return content_of(model), options
    from ortcffi.options.for_library import session_options_for
    from ortcffi.options.session_options import SessionOptions
    from ortcffi.values.value import Value

    chosen = session_options_for(api, options)
    chosen = SessionOptions(api) if chosen is None else chosen._for_session()
    content, weights = model._apart({*chosen.initializers, *chosen.external_initializers})
    values = {name: Value.from_buffer(*given, api=api) for name, given in weights.items()}
    if values:
        chosen.add_external_initializers(values)  # for the optimizer
    for name, value in values.items():
        chosen.add_initializer(name, value)  # whose memory the session uses
    # A view, because the session keeps these bytes only if the library borrows them.
    return memoryview(content), chosen if values else options


def has_threads(api: "Api", options: "SessionOptions | None") -> bool:
    """Whether the library has threads for a session, as far as its options say."""
    if api.is_core:  # it has none of its own; functions of the client and execution providers may
        return options is not None and (
            options._chooses_devices
            or options._alive.get("ep_devices")
            or not options._values.get("per_session_threads", True)
        )
    if options is None:
        return True
    # What was set through this object: to ask the library takes longer than all else here.
    values = options._values
    return (
        values.get("intra_op_threads") != 1
        or not values.get("per_session_threads", True)
        or values.get("execution_mode", _SEQUENTIAL) != _SEQUENTIAL
    )


def may_call_python(state: "EnvState", options: "SessionOptions | None") -> bool:
    """Whether a kernel, an allocator or a logger of a session may be Python.

    Another thread may call it in the middle of a run, and wait for the GIL with a lock of the
    library, which a release of the run's results may want: that must not keep the GIL.
    """
    if state.given or state.shared.objects:
        return True
    if options is None:
        return False
    if options._chooses_devices or not options._values.get("per_session_threads", True):
        return True
    providers = {name for name, _ in options._values.get("providers", [])} - _CPU
    kept = {name for name, value in options._alive.items() if value} - _DATA
    return bool(providers | kept) or "custom_ops" in options._values


def borrowed_of(content: object, options: "SessionOptions | None") -> object:
    """Return the bytes of a model that its session reads after it was made, or None."""
    if content is None or options is None:
        return None
    config = options.config
    return content if any(key in config and config[key] == "1" for key in _BORROWING) else None


def options_for(api: "Api", options: "SessionOptions | None") -> "SessionOptions | None":
    """Options for a session: of its library; with its arena shared where there is a limit."""
    if options is not None:
        from ortcffi.options.for_library import session_options_for

        options = session_options_for(api, options)
    if api.library not in limited or (options is not None and options._says_arena):
        return options
    from ortcffi.options.session_options import SessionOptions

    chosen = SessionOptions(api) if options is None else options._for_session()
    chosen.shared_arena = True
    return chosen


def warn_of_ignored_arena(api: "Api", state: "EnvState", options: "SessionOptions | None") -> None:
    """Warn of a session that has an arena of its own where the environment's is bounded."""
    # The core's sessions have no arena, nor use that one.
    limit = state.arena_limit if has_engine(api) else 0
    if limit and (options is None or not options._says_arena):
        warnings.warn(
            f"the environment's arena is bounded to {size(limit)}, but this session does not use "
            "it: make it with SessionOptions(shared_arena=True), or False if that is meant",
            RuntimeWarning,
            stacklevel=4,  # the caller of the session's class
        )


# What the libraries say of an op that they do not know.
_OP_IS_UNKNOWN = ("is not a registered function/op", "no custom op")


def hint_of_ops(error: OrtError) -> str | None:
    """Get what to add to an error for an op that was defined in this process, if it is for one."""
    sets = sys.modules.get("ortcffi.kernels.op_sets")
    if sets is None or not any(words in error.message for words in _OP_IS_UNKNOWN):
        return None
    names = [op.name for op in sets.ops_named_in(error.message)]
    return f"; this process has it: custom_ops=[{', '.join(names)}]" if names else None
