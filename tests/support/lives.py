# SPDX-License-Identifier: MIT
"""All kinds of objects that own something of a library: how each is made, used and counted.

A program of its own too, for what ends a process. `forked` prints how each object fares in the
child of a fork. `at_exit` ends with objects of all kinds alive, `busy` while threads use them.
"""

import atexit
import builtins
import gc
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from support import eps, models, packages
from support.allocators import InPython
from support.processes import fork_quietly, wait_for

import ortcffi as ort
from ortcffi import core_api, ffi, lib
from ortcffi.compat import AdapterFormat, OrtValue

x = np.ones((1, 4), np.float32)
local: Any = threading.local()


class Kind(NamedTuple):
    """A kind of objects."""

    make: Callable[[], Any]
    use: Callable[[Any], Any]  # raises once the object is closed
    child: Callable[[Any], Any] | None = None  # makes what needs the object
    again: Callable[[Any], Any] | None = None  # calls `__init__`; None where `_again` does
    is_made_by_new: bool = False  # so that `__init__` does nothing
    counted: str = ""  # the kind that counts; "": all kinds, since nothing is left of closed ones
    slot: str = ""  # the function of an engine's table that releases it; "" for the core's
    has_threads: bool = False  # a fork takes them away
    has_handle: bool = True  # `handle` is a cdata of it
    facts: tuple[str, ...] = ()  # properties that a closed one answers, beside `FACTS`


FACTS = ("api", "closed")


def _again(made: Any) -> None:
    made.__init__(made.api, made.handle)


@cache
def _package() -> Path:
    return packages.write(Path(tempfile.mkdtemp()))


# --- the core's -----------------------------------------------------------------------------------


@ort.custom_op("lives", inputs=["f4"], outputs=["f4"], op_set=None)
def same(array: Any) -> Any:
    return array.copy()


_NODE = models.node("same", "x", "y", "lives")
_PORTS = [models.value("x", shape=["n", 4])], [models.value("y", shape=["n", 4])]
_MODEL = models.model([_NODE], *_PORTS, domains={"lives": 1})


def _session() -> Any:
    """A session of the core, which the op above runs."""
    options = ort.SessionOptions(core_api())
    with ort.CustomOpDomain("lives", core_api()) as domain, options:
        domain.add(same)
        options.add_custom_op_domain(domain)
        return ort.Session(_MODEL, options, api=core_api())


def _array(allocator: Any) -> Any:
    return allocator.zeros(3)


def _memory(allocator: Any) -> Any:
    """An array and a value of an allocator, and an array of adaptors around it."""
    outer = ort.Tracking(ort.Arena(allocator))
    return allocator.zeros(3), ort.Value.empty(3, "f4", allocator), outer.zeros(3)


def _allocator(kind: Any, *arguments: Any, facts: tuple[str, ...] = ()) -> Kind:
    return Kind(
        lambda: kind(core_api().default_allocator, *arguments),
        _array,
        _memory,
        lambda made: made.__init__(core_api().default_allocator, *arguments),
        facts=("info", "inner", *facts),
    )


def _value(make: Callable[[], Any], use: Callable[[Any], Any], child: Any = None) -> Kind:
    return Kind(make, use, child, is_made_by_new=True, facts=("readonly",))


def _coo() -> Any:
    return ort.Value.sparse_coo(x[0, :1], np.zeros(1, np.int64), (2, 2), copy=True)


KINDS: dict[str, Kind] = {
    "Status": Kind(
        lambda: ort.Status(3, "text"),
        lambda made: made.message,
        None,
        lambda made: made.__init__(3),
    ),
    "KeyValuePairs": Kind(
        lambda: ort.KeyValuePairs({"a": "b"}),
        lambda made: made["a"],
        None,
        lambda made: made.__init__({"a": "c"}),
    ),
    "MemoryInfo": Kind(lambda: core_api().memory_info("Cpu"), lambda made: made.name),
    "TensorTypeInfo": Kind(
        lambda: ort.TensorTypeInfo("f4", ["N", 3]),
        lambda made: made.shape,
        None,
        lambda made: made.__init__("f8", [1]),
    ),
    "TypeInfo": Kind(
        lambda: ort.TypeInfo.tensor("f4", [3]),
        lambda made: made.kind,
        lambda made: made.tensor_info,
    ),
    "OpAttr": Kind(
        lambda: ort.OpAttr("name", [1, 2], api=core_api()),
        lambda made: made.name,
        None,
        lambda made: made.__init__("other", 1),
    ),
    "CustomOpDomain": Kind(
        lambda: ort.CustomOpDomain("mine", core_api()),
        lambda made: made.handle,
        None,
        lambda made: made.__init__("other"),
        facts=("name",),
    ),
    "ArenaCfg": Kind(
        lambda: ort.ArenaCfg(core_api(), max_bytes=1 << 20),
        lambda made: made.handle,
        None,
        lambda made: made.__init__(core_api()),
        facts=("measures",),
    ),
    "SessionOptions": Kind(
        lambda: ort.SessionOptions(core_api(), logger=print, config={"a": "1"}),
        lambda made: made.config["a"],
        None,
        lambda made: made.__init__(core_api()),
        facts=("config",),
    ),
    "RunOptions": Kind(
        lambda: ort.RunOptions(core_api(), tag="tag"),
        lambda made: made.tag,
        None,
        lambda made: made.__init__(core_api()),
        facts=("config",),
    ),
    "ThreadingOptions": Kind(
        lambda: ort.ThreadingOptions(core_api(), affinity="1"),
        lambda made: made.handle,
        None,
        lambda made: made.__init__(core_api()),
    ),
    "PrepackedWeights": Kind(
        lambda: ort.PrepackedWeights(core_api()),
        lambda made: made.handle,
        None,
        lambda made: made.__init__(core_api()),
    ),
    "Model": Kind(
        lambda: ort.Model.load(models.scaled()),
        lambda made: made.graph.nodes,
        lambda made: made.graph.initializers["w"],
    ),
    "ModelGraph": Kind(
        lambda: ort.Model.load(models.scaled()).graph,
        lambda made: made.nodes,
        lambda made: made.initializers["w"],
    ),
    "Env": Kind(
        lambda: ort.Env("lives", core_api(), logger=print),
        lambda made: made.severity,
        lambda made: (made.create_arena(), made.shared_allocator())[1].zeros(3),
        lambda made: made.__init__("other", core_api()),
        facts=("log_id",),
    ),
    "HardwareDevice": Kind(
        lambda: ort.HardwareDevice("NPU", vendor="maker", api=core_api()),
        lambda made: made.vendor,
        None,
        lambda made: made.__init__("CPU", api=core_api()),
    ),
    "RegisteredEp": Kind(
        lambda: eps.register(ort.Env("lives", core_api()), "memory transfers"),
        lambda made: made.devices,
        lambda made: made.devices[0],
        facts=("name", "path", "watched"),
    ),
    "Ep": Kind(
        eps.adding,
        lambda made: made.name,
        lambda made: made.capability(eps.added()),
        lambda made: made.__init__(eps.adding_devices()),
    ),
    "EpClaims": Kind(
        lambda: eps.adding().capability(eps.added()),
        lambda made: made.groups,
    ),
    "Aligned": _allocator(ort.Aligned, 4096, facts=("alignment",)),
    "Limiting": _allocator(ort.Limiting, 1 << 20, facts=("limit", "on_excess", "soft")),
    "Guarded": _allocator(ort.Guarded),
    "Failing": _allocator(ort.Failing, 1 << 20),
    "Logging": _allocator(ort.Logging, facts=("EVENTS",)),
    "Tracking": _allocator(ort.Tracking, facts=("depth", "scopes")),
    "Arena": _allocator(ort.Arena, facts=("measures",)),
    "PythonAllocator": Kind(InPython, _array, _memory, lambda made: made.__init__()),
    "tensor": _value(
        lambda: ort.Value.empty(3), lambda made: made.shape, lambda made: made.numpy()
    ),
    "borrowed tensor": _value(lambda: ort.Value.from_numpy(x), lambda made: made.shape),
    "strings": _value(lambda: ort.Value.from_strings(["a"]), lambda made: made.numpy()),
    "sequence": _value(lambda: ort.Value.sequence([ort.Value.empty(3)]), list),
    "map": _value(lambda: ort.Value.map({1: 2}), lambda made: made.keys()),
    "sparse": _value(_coo, lambda made: made.sparse_format, lambda made: made.sparse_values),
    "Session of the core": Kind(
        _session,
        lambda made: made.run({"x": x}),
        lambda made: made.bind({"x": x}),
        lambda made: made.__init__(models.add()),
        counted="session",
        facts=("inputs", "outputs", "overridable_initializers", "running"),
    ),
    "Binding of the core": Kind(
        lambda: _session().bind({"x": x}),
        lambda made: made.run(),
        None,
        lambda made: made.__init__(made.session),
        counted="binding",
        has_handle=False,
        facts=("session",),
    ),
    "Kernel": Kind(
        same.kernel,
        lambda made: made(x),
        None,
        lambda made: made.__init__(same),
        is_made_by_new=True,
    ),
}

# --- those of a library with an engine ------------------------------------------------------------


class Releases:
    """A table of the installed onnxruntime that notes which of its releases are called."""

    SLOTS = {  # noqa: RUF012  # never changed
        "ReleaseEnv": "OrtEnv*",
        "ReleaseSession": "OrtSession*",
        "ReleaseIoBinding": "OrtIoBinding*",
        "ReleaseLoraAdapter": "OrtLoraAdapter*",
    }

    def __init__(self) -> None:
        real = ort.load()
        self.called: list[str] = []
        self.table = ffi.new("OrtApi*", real.pointer[0])
        self.callbacks = [self._count(real, *each) for each in self.SLOTS.items()]
        facts = {"version_string": real.version_string, "library": real.library}
        self.api = ort.Api(self.table, version=real.version, **facts)

    def _count(self, real: Any, slot: str, kind: str) -> Any:
        release = getattr(lib, slot)

        @ffi.callback(f"void({kind})")
        def count(pointer: Any) -> None:
            self.called.append(slot)
            release(real.pointer, pointer)

        setattr(self.table, slot, count)
        return count


releases = cache(Releases)


@cache
def adapter() -> bytes:
    """What a file of an adapter has."""
    written = AdapterFormat()
    written.set_parameters({"w": OrtValue.ortvalue_from_numpy(x)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "adapter")
        written.export_adapter(str(path))
        return path.read_bytes()


def engine_env() -> Any:
    return ort.Env("lives", releases().api)


def options(threads: int) -> Any:
    return ort.SessionOptions(releases().api, intra_op_threads=threads)


def session(threads: int = 1) -> Any:
    return ort.Session(models.add(), options(threads), env=engine_env())


def _run(made: Any) -> Any:
    return made.run({"x": x})


ENGINE: dict[str, Kind] = {
    "ModelPackage": Kind(
        lambda: ort.ModelPackage(_package()),
        lambda made: made.components,
        lambda made: made.select(),
        lambda made: made.__init__(_package()),
        facts=("path",),
    ),
    "PackageVariant": Kind(
        lambda: ort.ModelPackage(_package()).select(),
        lambda made: made.name,
        None,
        lambda made: made.__init__(ort.ModelPackage(_package()), "adds"),
        facts=("component",),
    ),
    "Env of an engine": Kind(
        engine_env,
        lambda made: made.severity,
        lambda made: (ort.Session(models.add(), env=made), made.shared_allocator().zeros(3)),
        lambda made: made.__init__("other", made.api),
        slot="ReleaseEnv",
        facts=("log_id",),
    ),
    "EpDevice": Kind(lambda: engine_env().devices[0], lambda made: made.name, slot="ReleaseEnv"),
    "Session": Kind(
        session,
        _run,
        lambda made: made.bind({"x": x}),
        lambda made: made.__init__(models.add()),
        slot="ReleaseSession",
        facts=("inputs", "outputs", "overridable_initializers", "running"),
    ),
    "Session with threads": Kind(
        lambda: session(2),
        _run,
        lambda made: made.allocator().zeros(3),
        lambda made: made.__init__(models.add()),
        slot="ReleaseSession",
        has_threads=True,
        facts=("inputs", "outputs", "overridable_initializers", "running"),
    ),
    "Binding": Kind(
        lambda: session().bind({"x": x}),
        lambda made: made.run(),
        None,
        lambda made: made.__init__(made.session),
        slot="ReleaseIoBinding",
        has_handle=False,
        facts=("session",),
    ),
    "Tracking of an engine": Kind(
        lambda: ort.Tracking(releases().api.default_allocator),
        _array,
        _memory,
        lambda made: made.__init__(releases().api.default_allocator),
        facts=("info", "inner", "depth", "scopes"),
    ),
    "LoraAdapter": Kind(
        lambda: ort.LoraAdapter(adapter(), releases().api),
        lambda made: made.handle,
        lambda made: ort.RunOptions(made.api, adapters=[made]),
        lambda made: made.__init__(adapter(), made.api),
        slot="ReleaseLoraAdapter",
    ),
}
ALL = KINDS | ENGINE


def init_again(kind: Kind, made: Any) -> None:
    (kind.again or _again)(made)


# --- programs -------------------------------------------------------------------------------------


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


class Holder:
    """Part of a cycle."""


def in_cycle(*made: Any) -> Any:
    """What leads to objects and to itself."""
    holder: Any = Holder()
    holder.me, holder.made = holder, made
    return holder


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
