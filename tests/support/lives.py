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
from support.allocators import InPython  # noqa: F401  # of a table
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


def _coo() -> Any:
    return ort.Value.sparse_coo(x[0, :1], np.zeros(1, np.int64), (2, 2), copy=True)


VALUE = {"is_made_by_new": True, "facts": ("readonly",)}
PORTS = ("inputs", "outputs", "overridable_initializers", "running")
# Columns: the kind; an expression that makes one; one that uses `made`; one that makes what needs
# it; what its `__init__` takes once more; and further fields of its `Kind`.
OF_THE_CORE = """
Status | ort.Status(3, "text") | made.message | | 3
KeyValuePairs | ort.KeyValuePairs({"a": "b"}) | made["a"] | | {"a": "c"}
MemoryInfo | core_api().memory_info("Cpu") | made.name
TensorTypeInfo | ort.TensorTypeInfo("f4", ["N", 3]) | made.shape | | "f8", [1]
TypeInfo | ort.TypeInfo.tensor("f4", [3]) | made.kind | made.tensor_info
OpAttr | ort.OpAttr("name", [1, 2], api=core_api()) | made.name | | "other", 1
CustomOpDomain | ort.CustomOpDomain("mine", core_api()) | made.handle | | "other" | facts=("name",)
ArenaCfg | ort.ArenaCfg(core_api(), max_bytes=1 << 20) | made.handle | | core_api() \
    | facts=("measures",)
SessionOptions | ort.SessionOptions(core_api(), logger=print, config={"a": "1"}) \
    | made.config["a"] | | core_api() | facts=("config",)
RunOptions | ort.RunOptions(core_api(), tag="tag") | made.tag | | core_api() | facts=("config",)
ThreadingOptions | ort.ThreadingOptions(core_api(), affinity="1") | made.handle | | core_api()
PrepackedWeights | ort.PrepackedWeights(core_api()) | made.handle | | core_api()
Model | ort.Model.load(models.scaled()) | made.graph.nodes | made.graph.initializers["w"]
ModelGraph | ort.Model.load(models.scaled()).graph | made.nodes | made.initializers["w"]
Env | ort.Env("lives", core_api(), logger=print) | made.severity \
    | (made.create_arena(), made.shared_allocator())[1].zeros(3) | "other", core_api() \
    | facts=("log_id",)
HardwareDevice | ort.HardwareDevice("NPU", vendor="maker", api=core_api()) | made.vendor \
    | | "CPU", api=core_api()
RegisteredEp | eps.register(ort.Env("lives", core_api()), "memory transfers") | made.devices \
    | made.devices[0] | | facts=("name", "path", "watched")
WatchedEp | ort.WatchedEp(eps.built(), f"lives {next(_numbers)}") | made.calls \
    | | eps.built(), "other" | facts=("name", "library")
Ep | eps.adding() | made.name | made.capability(eps.added()) | eps.adding_devices()
EpClaims | eps.adding().capability(eps.added()) | made.groups
PythonAllocator | InPython() | _array(made) | _memory(made) | *()
tensor | ort.Value.empty(3) | made.shape | made.numpy() | | **VALUE
borrowed tensor | ort.Value.from_numpy(x) | made.shape | | | **VALUE
strings | ort.Value.from_strings(["a"]) | made.numpy() | | | **VALUE
sequence | ort.Value.sequence([ort.Value.empty(3)]) | list(made) | | | **VALUE
map | ort.Value.map({1: 2}) | made.keys() | | | **VALUE
output of a session | _session().run_values({"x": x})[0] | made.shape | made.numpy() | | **VALUE
sparse | _coo() | made.sparse_format | made.sparse_values | | **VALUE
Session of the core | _session() | _run(made) | made.bind({"x": x}) | models.add() \
    | counted="session", facts=PORTS
Binding of the core | _session().bind({"x": x}) | made.run() | | made.session \
    | counted="binding", has_handle=False, facts=("session",)
Kernel | same.kernel() | made(x) | | same | is_made_by_new=True
Kernel of a library | _kernel_of_library() | made(x) | | same | is_made_by_new=True
"""
OF_AN_ENGINE = """
Env of an engine | engine_env() | made.severity \
    | (ort.Session(models.add(), env=made), made.shared_allocator().zeros(3)) | "other", made.api \
    | slot="ReleaseEnv", facts=("log_id",)
EpDevice | engine_env().devices[0] | made.name | | | slot="ReleaseEnv"
Session | session() | _run(made) | made.bind({"x": x}) | models.add() \
    | slot="ReleaseSession", facts=PORTS
Session with threads | session(2) | _run(made) | made.allocator().zeros(3) | models.add() \
    | slot="ReleaseSession", has_threads=True, facts=PORTS
Binding | session().bind({"x": x}) | made.run() | | made.session \
    | slot="ReleaseIoBinding", has_handle=False, facts=("session",)
Tracking of an engine | ort.Tracking(releases().api.default_allocator) | _array(made) \
    | _memory(made) | releases().api.default_allocator \
    | facts=("info", "inner", "depth", "scopes")
LoraAdapter | ort.LoraAdapter(adapter(), releases().api) | made.handle \
    | ort.RunOptions(made.api, adapters=[made]) | adapter(), made.api | slot="ReleaseLoraAdapter"
"""


def _kinds(table: str) -> dict[str, Kind]:
    """The kinds of a table."""

    def function(parameter: str, text: str) -> Any:
        return eval(f"lambda {parameter}: {text}", globals()) if text else None

    found = {}
    for line in table.strip().splitlines():
        name, make, use, child, again, facts, *_ = [*map(str.strip, line.split(" |")), *[""] * 3]
        again = f"made.__init__({again})" if again else ""
        given = function("", make), *(function("made", text) for text in (use, child, again))
        found[name] = Kind(*given, **eval(f"dict({facts})", globals()))
    return found


OPS = CHECKOUT / "tests/c/clients/checked_ops.c"


def _kernel_of_library() -> Any:
    with ort.CustomOpLibrary(eps.built(OPS)) as library:
        return library["checked", "Nothing"].kernel()


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


KINDS = _kinds(OF_THE_CORE)
KINDS |= {name: _allocator(make) for name, make in ADAPTORS.items() if name != "chain"}
ENGINE = _kinds(OF_AN_ENGINE)
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
