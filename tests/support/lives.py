# SPDX-License-Identifier: MIT
"""All kinds of objects that own something of a library: how each is made, used and counted."""

import itertools
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from support import eps, models
from support.allocators import InPython
from support.paths import CHECKOUT

import ortcffi as ort
from ortcffi import core_api, ffi, lib
from ortcffi.compat import AdapterFormat, OrtValue

x = np.ones((1, 4), np.float32)
_numbers = itertools.count()


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


ADAPTORS: dict[str, Callable[[Any], Any]] = {
    "Aligned": lambda inner: ort.Aligned(inner, 4096),
    "Limiting": lambda inner: ort.Limiting(inner, 1 << 20),
    "soft Limiting": lambda inner: ort.Limiting(inner, 9, soft=True, on_excess=lambda *_: None),
    "Guarded": ort.Guarded,
    "Failing": lambda inner: ort.Failing(inner, 1 << 20),
    "Tracking": ort.Tracking,
    "Arena": ort.Arena,
    "chain": lambda inner: ort.Arena(ort.Tracking(ort.Arena(inner))),
}


def _memory(allocator: Any) -> Any:
    """An array and a value of an allocator, of each adaptor around it, and one that NumPy makes."""
    outer = [adaptor(allocator) for adaptor in ADAPTORS.values()]
    with ort.numpy_allocator(allocator):
        made = [np.zeros(300), *(each.zeros(3) for each in [allocator, *outer])]
    return made, [ort.Value.empty(3, "f4", each) for each in [allocator, *outer]]


def scoped(allocator: Any) -> Any:
    """A scope that is never left, and what was taken in it."""
    scope = ort.Tracking(allocator).scope().__enter__()
    return scope, scope._tracking.zeros(30)


_FACTS = ("alignment", "limit", "on_excess", "soft", "EVENTS", "depth", "scopes", "measures")


def _allocator(make: Callable[[Any], Any]) -> Kind:
    def again(made: Any) -> None:
        more = {ort.Aligned: (128,), ort.Limiting: (1,), ort.Failing: (1,)}.get(type(made), ())
        made.__init__(core_api().default_allocator, *more)

    inner = core_api().default_allocator
    return Kind(lambda: make(inner), _array, _memory, again, facts=("info", "inner", *_FACTS))


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
    "WatchedEp": Kind(
        lambda: ort.WatchedEp(eps.built(), f"lives {next(_numbers)}"),
        lambda made: made.calls,
        None,
        lambda made: made.__init__(eps.built(), "other"),
        facts=("name", "library"),
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
    **{name: _allocator(make) for name, make in ADAPTORS.items() if name != "chain"},
    "PythonAllocator": Kind(InPython, _array, _memory, lambda made: made.__init__()),
    "tensor": _value(
        lambda: ort.Value.empty(3), lambda made: made.shape, lambda made: made.numpy()
    ),
    "borrowed tensor": _value(lambda: ort.Value.from_numpy(x), lambda made: made.shape),
    "strings": _value(lambda: ort.Value.from_strings(["a"]), lambda made: made.numpy()),
    "sequence": _value(lambda: ort.Value.sequence([ort.Value.empty(3)]), list),
    "map": _value(lambda: ort.Value.map({1: 2}), lambda made: made.keys()),
    "output of a session": _value(
        lambda: _session().run_values({"x": x})[0],
        lambda made: made.shape,
        lambda made: made.numpy(),
    ),
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

OPS = CHECKOUT / "tests/c/clients/checked_ops.c"


def _kernel_of_library() -> Any:
    with ort.CustomOpLibrary(eps.built(OPS)) as library:
        return library["checked", "Nothing"].kernel()


KINDS["Kernel of a library"] = Kind(
    _kernel_of_library,
    lambda made: made(x),
    None,
    lambda made: made.__init__(same),
    is_made_by_new=True,
)

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


class Holder:
    """Part of a cycle."""


def in_cycle(*made: Any) -> Any:
    """What leads to objects and to itself."""
    holder: Any = Holder()
    holder.me, holder.made = holder, made
    return holder
