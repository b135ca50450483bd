# SPDX-License-Identifier: MIT
"""Makes objects, with an exception at one point after the other, and counts what is lost.

A program of its own. It prints of each of the `CALLS` how many points there are, and those at which
something was lost; and with how many calls left to the limit of recursion something was lost.

Python lets a signal handler, or an exception of another thread, strike after a call, at the begin
of a function and at the end of a loop. At each of these points in turn one exception is raised, by
a trace function.
"""

import functools
import gc
import json
import opcode
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any

import numpy as np
from support import eps
from support.recursion import call_near_limit

import ortcffi as ort
from ortcffi import Value, core_api, ffi, lib
from ortcffi.kernels import op_sets

MOST = 4000  # points; no kind has more
MOST_ROOM = 200  # calls to the limit of recursion; with so many every kind is made


class Thrown(Exception):
    """What another thread may have thrown in."""


STRUCK = (KeyboardInterrupt, MemoryError, Thrown)

# --- the core's objects ---------------------------------------------------------------------------

x, texts = np.zeros(3, np.float32), ["a", "b"]
tensor, pairs = Value.from_numpy(x), Value.map({1: 2})
options = ort.SessionOptions(core_api())
coo = Value.sparse_coo(x[:1], np.zeros(1, np.int64), (2, 2))


def shapes(size: Any) -> Any:
    return size


@ort.custom_op("interrupted", inputs=["f4"], outputs=["f4"], shapes=shapes, op_set=None)
def same(array: Any) -> Any:
    return array.copy()


kernel = same.kernel()
nothing_left = ort.Failing(core_api().default_allocator, 0)


def refused(make: Callable[[], Any]) -> Callable[[], None]:
    """A call whose status is a failure: that is released, or becomes an exception."""

    def call() -> None:
        with suppress(ort.OrtError):
            make()

    return call


def graph() -> ort.Graph:
    made = ort.Graph()
    made.input("x", "f4", [3])
    made.initializer("w", np.ones(3, np.float32))
    made.node("Add", ["x", "w"], ["y"], attributes={"unknown": 0})
    made.output("y", "f4", [3])
    return made


def domains_of_ops() -> Any:
    """Register a set whose ops have changed; made domains stay, so this ends before that."""
    return op_sets._new_domains(core_api(), (same,))


@functools.cache
def devices() -> Any:
    return eps.adding_devices()


def new_session() -> Any:
    return ort.Session(eps.added(), api=core_api(), providers=devices())


@functools.cache
def session() -> Any:
    return new_session()


@functools.cache
def binding() -> Any:
    bound = session().bind({"x": x})
    bound.run()
    return bound


CALLS: dict[str, Callable[[], Any]] = {
    "type": lambda: ort.TypeInfo.map("i8", ort.TypeInfo.tensor("f4", [])).contained,
    "type of a value": lambda: pairs.type_info,
    "dlpack": lambda: Value.from_dlpack(x),
    "map": pairs.keys,
    "sparse": lambda: Value.sparse_coo(x[:1], np.zeros(1, np.int64), (2, 2), copy=True),
    "sparse parts": lambda: coo.sparse_indices,
    "handle": lambda: (tensor.handle, len(texts)),
    "memory info of the CPU": lambda: core_api().cpu_memory_info(),
    "memory info of a device": lambda: core_api().device_memory_info("mine"),
    "statistics": lambda: core_api().default_allocator.stats,
    "copy of session options": options.clone,
    "setting of session options": lambda: options.intra_op_threads,
    "custom ops of session options": lambda: options.custom_ops,
    "configuration": options.config.to_dict,
    "adaptors": lambda: ort.Tracking(ort.Limiting(core_api().default_allocator, 1 << 20)),
    "inferred types": lambda: kernel.infer_shapes((1, 2)),
    "trace": lambda: ort.trace(core_api()),
    "refusal": refused(lambda: core_api().memory_info("NoSuchDevice")),
    "refusal by a property": refused(lambda: setattr(options, "optimization_level", 77)),
    "refusal of an adaptor": refused(lambda: ort.Aligned(core_api().default_allocator, 3)),
    "refusal of an array": refused(lambda: nothing_left.empty(3)),
    "refusal of a block": refused(lambda: nothing_left.alloc(3)),
    "refusal of a sequence": refused(lambda: Value.sequence([])),
    "session": new_session,
    "handle of a session": lambda: new_session().handle,
    "metadata": lambda: session().metadata,
    "allocator of a session": lambda: session().allocator(),
    "binding": lambda: session().bind({"x": x}),
    "names of a binding": lambda: binding().output_names,
    "values of a binding": lambda: binding().output_values(),
    "model of a graph": graph().to_bytes,
    "environment": lambda: ort.Env("app", core_api()),
    "domains of ops": domains_of_ops,
}
# Statuses are not among them: an interrupt before `check` loses one.
_NAMES = [lib.ortcffi_kind_name(kind) for kind in range(60)]
KINDS = [i for i, name in enumerate(_NAMES) if name != ffi.NULL and ffi.string(name) != b"status"]


def live_in_core() -> list[int]:
    return [lib.ortcffi_live_objects(kind) for kind in KINDS]


# --- points ---------------------------------------------------------------------------------------

# After these the interpreter looks for signals and for exceptions of other threads.
_POINTS = {
    number
    for name, number in opcode.opmap.items()
    if name.startswith(("CALL", "RESUME", "JUMP_BACKWARD"))
}
_codes: dict[CodeType, bytes] = {}


class Tracer:
    """Raises an exception at one point."""

    def __init__(self, point: int) -> None:
        self.left = point
        self.error = STRUCK[point % len(STRUCK)]

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event != "call":
            return None
        code = _codes.setdefault(frame.f_code, frame.f_code.co_code)
        before = -1

        def step(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal before
            if event == "opcode":
                if before in _POINTS:
                    self.left -= 1
                    if self.left == 0:
                        sys.settrace(None)
                        raise self.error
                before = code[frame.f_lasti]
            elif event == "exception":  # the call has not returned
                before = -1
            return step

        frame.f_trace = step  # Python 3.13 traces opcodes only where it is set before
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return step


def ends(make: Callable[[], Any], point: int) -> bool:
    """Make an object with an exception at a point; whether it was made before that point."""
    tracer = Tracer(point)
    sys.settrace(tracer)
    try:
        make()
    except (*STRUCK, ort.OrtError):  # a callback's exception becomes a status
        pass
    finally:
        sys.settrace(None)
    return tracer.left > 0


def settled(live: Callable[[], list[int]], before: list[int]) -> list[int]:
    """The counts now, after a collection if they are not those of before."""
    if live() != before:
        gc.collect()
    return live()


def lost(make: Callable[[], Any], live: Callable[[], list[int]]) -> tuple[int, list[int]]:
    """How many points there were, and after which of them an object was left."""
    for _ in range(2):
        make()
    gc.collect()
    gc.freeze()
    before, found = live(), []
    for point in range(1, MOST):
        if ends(make, point):
            return point, found
        now = settled(live, before)
        if now != before:
            found.append(point)
            before = now
    return MOST, [MOST, *found]


# --- near the limit of recursion ------------------------------------------------------------------


def returns_near_limit(left: int, function: Callable[[], Any]) -> bool:
    """Call a function that may go about so many calls deeper; whether it returned."""
    try:
        call_near_limit(left, function)
    except Exception:  # noqa: BLE001  # a class may not be found where nothing can be called
        return False
    return True


def lost_near_limit(make: Callable[[], Any], live: Callable[[], list[int]]) -> list[int]:
    """With how many calls left an object was lost that was made or released there."""
    gc.collect()
    before, found = live(), []
    for left in range(MOST_ROOM):
        made = [make()]
        returns_near_limit(left, made.clear)
        made.clear()
        is_made = returns_near_limit(left, make)
        now = settled(live, before)
        if now != before:
            found.append(left)
            before = now
        if is_made:
            return found
    return [MOST_ROOM, *found]


def main() -> None:
    # An exception of a destructor is reported, and an interrupt passed on as a signal.
    signal.signal(signal.SIGINT, lambda *_: None)
    sys.unraisablehook = lambda _: None
    live = live_in_core
    found = {name: (*lost(make, live), lost_near_limit(make, live)) for name, make in CALLS.items()}
    json.dump(found, sys.stdout)
    binding().run()  # it is not used any more


if __name__ == "__main__":
    main()
