# SPDX-License-Identifier: MIT
"""Programs that end with objects of all kinds (support/lives.py).

`forked` prints how each object fares in the child of a fork. `at_exit` ends with objects of all
kinds alive, `busy` while threads use them.
"""

import atexit
import builtins
import gc
import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import numpy as np
from support.lives import ALL, ENGINE, KINDS, Kind, engine_env, in_cycle, releases, x
from support.processes import fork_quietly, wait_for

import ortcffi as ort
from ortcffi import core_api

local: Any = threading.local()


def fare(kind: Kind, made: Any) -> str:
    """What the child of a fork may do with an object of its parent, and with one of its own."""
    try:
        kind.use(made)
        outcome = "used"
    except Exception as error:  # noqa: BLE001  # reported
        outcome = f"{type(error).__name__}: {error}"
    made.close()
    try:
        with kind.make() as mine:
            kind.use(mine)
    except Exception as error:  # noqa: BLE001  # reported
        outcome += f"; its own: {type(error).__name__}: {error}"
    return outcome


def fork_with(kinds: dict[str, Kind]) -> None:
    """Print what the child of a fork may do with objects of its parent, who uses them after it."""
    kept = {name: (kind.make(), kind.make()) for name, kind in kinds.items()}
    child = fork_quietly()
    if child == 0:
        outcome = {name: fare(kinds[name], made) for name, (made, _) in kept.items()}
        sys.stdout.write(f"{json.dumps(outcome)}\n")
        if kinds is KINDS:  # it ends as programs do, with objects alive
            sys.exit()
        # The destructors of onnxruntime wait for a thread that the child does not have.
        sys.stdout.flush()
        os._exit(0)
    assert wait_for(child) == 0
    for name, (made, _) in kept.items():
        kinds[name].use(made)


def forked() -> None:
    fork_with(KINDS)
    fork_with(ENGINE)


class Late:
    """Allocates when it is released itself, whatever is still there."""

    def __init__(self, *allocators: Any) -> None:
        self.allocators = allocators

    def __del__(self) -> None:
        for allocator in self.allocators:
            allocator.zeros(3)


def keep(name: str, kind: Kind) -> None:
    """Keep objects of a kind where the interpreter finds them early, late, or not at all."""
    for place in (sys.modules[__name__], builtins, local):
        setattr(place, f"a {name}", kind.make())
    setattr(builtins, f"a cycle with a {name}", in_cycle(kind.make()))
    in_cycle(kind.make())
    made = kind.make()
    atexit.register(lambda: kind.use(made))


def keep_views() -> None:
    """Keep what scopes, NumPy and traces lead to."""
    tracking = ort.Tracking(core_api().default_allocator)
    array = tracking.zeros((10, 10))
    builtins.views = [array[::2].T, tracking.scope("open").__enter__(), ort.trace(core_api())]
    local.lent = [ort.Value.empty(3).__dlpack__(), np.from_dlpack(ort.Value.empty(3))]
    local.views = [ort.numpy_allocator(tracking).__enter__(), np.ones(1000) + 1, ort.emulate(12)]


def at_exit() -> None:
    """Leave objects alive: in several places, in cycles, and in unreachable cycles."""
    for name, kind in ALL.items():
        keep(name, kind)
    keep_views()
    globals()["late"] = Late(*(api.default_allocator for api in (core_api(), releases().api)))
    for api in (core_api(), releases().api):
        env = engine_env() if api != core_api() else ort.Env(api=api, logger=print)
        env.register_allocator(ort.Tracking(ort.Arena(core_api().default_allocator)))
        given = ort.SessionOptions(api, logger=print)
        given.add_initializer("w", ort.Value.from_numpy(x, api=api))
        globals()[f"kept of {api}"] = in_cycle(given, given.clone(), env.shared_allocator())


def busy() -> None:
    """End while a thread is at work with each kind."""

    def work(kind: Kind) -> None:
        made = kind.make()
        with suppress(ort.errors.Cancelled):  # the runs that are under way at the end
            while True:
                kind.use(made)

    for kind in KINDS.values():
        threading.Thread(target=work, args=(kind,), daemon=True).start()
    time.sleep(0.5)


if __name__ == "__main__":
    gc.disable()
    {"forked": forked, "at_exit": at_exit, "busy": busy}[sys.argv[1]]()
