# SPDX-License-Identifier: MIT
"""The rows of the benchmark and their goals, in one table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import content_tasks as contents
from . import session_tasks as runs
from . import value_tasks as values
from .adaptor_tasks import WRAP, AdaptorCost, LeakScope, Temporaries, Zeros
from .arena_tasks import ArenaLoop
from .compat_tasks import CompatRun, CompatRunWithValues
from .creation_tasks import CompatCreate, CompatCreateSmall, Create, CreateSmall
from .kernel_tasks import (
    RunExtension,
    RunLarge,
    RunLargeBorrowing,
    RunMultiply,
    RunOp,
    RunStringUpper,
)
from .model_tasks import Attributes, List, Open, OpenAndList, OpenLarge, Write, node_bytes_task
from .provider_tasks import RunCompiledProvider, RunProvider
from .python_tasks import (
    CheckedCall,
    FailingCall,
    NewArray,
    first_use_task,
    import_task,
    session_import_task,
)
from .resident import resident_task
from .subjects import (
    BLOCKS,
    CONTENTS,
    CORE,
    EXTENSIONS,
    GRAPHS,
    MODELS,
    NUMPY,
    PROVIDERS,
    PYTHON,
    SESSIONS,
    TABLE,
    VALUES,
    Subject,
)
from .tasks import SLOTS, STEPS, Loop, Task

KIB = 1 << 10
MIB = 1 << 20


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes
    ----------
    name, title : str
        For the command line, and for people.
    asks : str
        What a subject must be able to do: a member of `Subject.can`.
    required, wanted : str
        Goals of the core, see `goals`; empty where there is none.
    make : callable
        Makes the task that samples the figure of a subject.
    unit : str
        Of the figure.
    scale : float
        The unit over what the task counts in.
    """

    name: str
    title: str
    asks: str
    required: str
    wanted: str
    make: Callable[[Subject], Task]
    unit: str = "ns"
    scale: float = 1.0


def _status(length: int, required: str, wanted: str) -> Row:
    title = f"create + release a status, {length} bytes"
    make = Loop("STATUS", message=b"x" * length)
    return Row(f"status-{length}", title, TABLE, required, wanted, make)


def _run(name: str, what: str, required: str, wanted: str, make: Callable[[Subject], Task]) -> Row:
    title = f"Python: {what}"
    return Row(f"session-{name}", title, SESSIONS, required, wanted, make, unit="us", scale=1e-3)


def _import(name: str, what: str, statement: str) -> Row:
    title = f"import of {what}, over numpy's"
    make = partial(session_import_task, statement)
    return Row(f"import-{name}", title, SESSIONS, "<= 30", "<= 15", make, unit="ms")


def _contents(name: str, what: str, required: str, case: Callable[[], contents.Case]) -> list[Row]:
    """A case for the drop-in and for sessions, which must be equally fast."""
    kind = contents.ContentsOnThreads if name.endswith("threads") else contents.Contents
    outputs = ["label"] if name == "label" else None
    return [
        Row(
            f"{face}-{name}",
            f"{face}: {what}",
            CONTENTS,
            required,
            "",
            partial(kind, case, face, outputs),
            unit="us",
            scale=1e-3,
        )
        for face in ("compat", "session")
    ]


def _compat(name: str, what: str, make: type[contents.Contents]) -> Row:
    task = partial(make, contents.array_in, "compat", None)
    return Row(f"compat-{name}", f"compat: {what}", CONTENTS, "1x", "", task, "us", 1e-3)


def _in_words(size: int) -> tuple[int, str]:
    return next((size // n, u) for n, u in ((MIB, "M"), (KIB, "K"), (1, "")) if size >= n)


def _pair(size: int, required: str, wanted: str) -> Row:
    number, unit = _in_words(size)
    make = Loop("PAIR", size=size)
    title = f"alloc + free, {number} {unit}B"
    return Row(f"alloc-{number}{unit}", title, BLOCKS, required, wanted, make)


def _constant(name: str, title: str, loop: str) -> Row:
    make = Loop(loop, message=b"x" * 55)
    return Row(name, title, TABLE, "<= real + 0.3", "<= real + 0.1", make)


def _adaptor(name: str) -> Row:
    title = f"{name}: time added to alloc + free"
    return Row(f"adaptor-{name}", title, CORE, "<= 10", "<= 7", AdaptorCost(name))


_AROUND = "tracking around the real library's: time added"
_AROUND_REAL = Row(
    "adaptor-real", _AROUND, SESSIONS, "<= 100", "<= 50", AdaptorCost("tracking", around_real=True)
)


def _arena(name: str, title: str, required: str, wanted: str, loop: Loop) -> Row:
    return Row(f"arena-{name}", f"arena: {title}", PYTHON, required, wanted, ArenaLoop(loop))


def _python(
    name: str, title: str, required: str, wanted: str, make: Callable[[Subject], Task]
) -> Row:
    return Row(f"python-{name}", f"Python: {title}", PYTHON, required, wanted, make)


def _temporaries(size: int, wanted: str) -> Row:
    number, unit = _in_words(size)
    title = f"NumPy: temporaries of {number} {unit}B"
    make, scale = Temporaries(size), 1e-3
    return Row(f"numpy-{number}{unit}", title, NUMPY, "", wanted, make, unit="us", scale=scale)


def _zeros(size: int, goal: str) -> Row:
    number, unit = _in_words(size)
    title = f"NumPy: zeros of {number} {unit}B"
    name = f"zeros-{number}{unit}"
    return Row(name, title, NUMPY, goal, "<= glibc", Zeros(size), unit="us", scale=1e-3)


def _model(
    name: str, what: str, required: str, make: Callable[[Subject], Task], asks: str = GRAPHS
) -> Row:
    return Row(f"model-{name}", f"model: {what}", asks, required, "", make, unit="us", scale=1e-3)


ROWS = (
    _status(55, "4.5x", "5.5x"),
    _status(1000, "3.8x", "4.5x"),
    Row(
        "fail-alloc",
        "failing AllocatorAlloc, status read",
        TABLE,
        "100x",
        "150x",
        Loop("FAIL_ALLOC", size=1 << 50),
    ),
    Row(
        "fail-memory-info",
        "failing CreateMemoryInfo, status read",
        TABLE,
        "7x",
        "10x",
        Loop("FAIL_INFO"),
    ),
    _constant("read-status", "read the code and message of a status", "READ_STATUS"),
    _constant("get-api", "GetApi", "GET_API"),
    _constant("release-null", "ReleaseStatus(NULL)", "RELEASE_NULL"),
    _pair(16, "10x", "15x, <= tcmalloc"),
    _pair(64, "10x", "15x, <= tcmalloc"),
    _pair(KIB, "20x", "26x"),
    _pair(64 * KIB, "20x", "26x"),
    _pair(MIB, "20x", "26x"),
    _pair(16 * MIB, "20x", "26x"),
    _pair(64 * MIB, "100x", "1000x"),
    Row(
        "batch-64K",
        "allocate 64 blocks of 64 KB, then free them",
        BLOCKS,
        "8x",
        "15x",
        Loop("BATCH", size=64 * KIB, slots=64),
    ),
    Row(
        "lifetimes",
        "random lifetimes, 16 B to 64 KB",
        BLOCKS,
        "15x",
        "20x, <= tcmalloc",
        Loop("LIFETIMES", slots=SLOTS, plan=STEPS),
    ),
    Row(
        "two-threads",
        "random lifetimes on two threads",
        BLOCKS,
        "12x",
        "20x",
        Loop("TWO_THREADS", slots=2 * SLOTS, plan=STEPS),
    ),
    Row(
        "handover",
        "one thread allocates, another frees",
        BLOCKS,
        "4x",
        "6x",
        Loop("HANDOVER", plan=STEPS),
    ),
    Row(
        "touch-64M",
        "allocate 64 MB, write every page, free",
        BLOCKS,
        "40x",
        "100x",
        Loop("TOUCH", size=64 * MIB),
        unit="ms",
        scale=1e-6,
    ),
    Row(
        "resident",
        "resident over bytes in use",
        BLOCKS,
        "<= 150",
        "<= 137",
        resident_task,
        unit="%",
    ),
    Row(
        "tensor-over",
        "create + release a tensor over borrowed 1 KB",
        VALUES,
        "3x",
        "5x",
        Loop("TENSOR_OVER"),
    ),
    Row(
        "tensor-4K",
        "create + release a tensor of 4 KB",
        VALUES,
        "6x",
        "10x",
        Loop("NEW_TENSOR", size=4 * KIB),
    ),
    Row(
        "strings",
        "1000 strings: create, fill, read, release",
        VALUES,
        "2x",
        "3x",
        Loop("STRINGS"),
        unit="us",
        scale=1e-3,
    ),
    *(_adaptor(name) for name in WRAP),
    _AROUND_REAL,
    Row(
        "leak-scope",
        "array in a leak scope, 20 calls deep; real: tracemalloc",
        PYTHON,
        "1x",
        "1.5x",
        LeakScope,
        unit="us",
        scale=1e-3,
    ),
    _arena("1K", "alloc + free, 1 KB", "5x", "8x", Loop("PAIR", size=KIB)),
    _arena("64K", "alloc + free, 64 KB", "5x", "8x", Loop("PAIR", size=64 * KIB)),
    _arena("lifetimes", "random lifetimes", "", "4x", Loop("LIFETIMES", slots=SLOTS, plan=STEPS)),
    _arena("two-pairs", "1 KB on two threads", "20x", "40x", Loop("TWO_PAIRS", size=KIB)),
    _arena(
        "two-threads",
        "random lifetimes on two threads",
        "",
        "4x",
        Loop("TWO_THREADS", slots=2 * SLOTS, plan=STEPS),
    ),
    *(_temporaries(size, "<= glibc") for size in (64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB)),
    # Twice the time of NumPy's own arrays on the machine of the goals: 9 us for the larger two.
    _zeros(64 * KIB, "<= glibc + 2"),
    _zeros(64 * MIB, "<= glibc + 9"),
    _zeros(1024 * MIB, "<= glibc + 9"),
    Row(
        "zeros-resident",
        "NumPy: zeros of 1024 MB, resident",
        NUMPY,
        "<= glibc + 64",
        "<= glibc + 16",
        Zeros(1024 * MIB, resident=True),
        unit="KiB",
        scale=1 / 1024,
    ),
    _python("call", "checked successful call", "<= 70", "<= 46", CheckedCall),
    _python("failure", "failing call, caught and read", "<= 700", "<= 500", FailingCall),
    _python("ndarray", "aligned ndarray, 600 KB", "<= 450", "<= 400", NewArray),
    _python("value", "ndarray to value", "2x", "4x", values.ValueOfArray),
    _python("array", "value to ndarray", "1x", "1.5x", values.ArrayOfValue),
    Row(
        "python-strings",
        "Python: 1000 str to a tensor and back",
        PYTHON,
        "2x",
        "4x",
        values.Strings,
        unit="us",
        scale=1e-3,
    ),
    Row("compat-run", "compat: InferenceSession.run", PYTHON, "1.5x", "2x", CompatRun),
    Row("compat-values", "compat: run_with_ort_values", PYTHON, "10x", "15x", CompatRunWithValues),
    _python("texts", "array of 4 str to a value", "<= 2000", "<= 1500", values.FourStrings),
    _python("handle", "handle of a value", "<= 200", "<= 100", values.HandleOfValue),
    _python("dlpack", "official OrtValue to a value", "<= 3000", "<= 1500", values.ValueOfOfficial),
    _python("pairs", "look-up among 40,000 pairs", "0.8x", "1x", values.PairLookUp),
    Row("kernel", "Python: run an op in C++, 4 numbers", EXTENSIONS, "4x", "6x", RunExtension),
    Row(
        "kernel-strings", "Python: run StringUpper, 1000", EXTENSIONS, "1.5x", "3x", RunStringUpper
    ),
    Row("python-kernel", "Python: run an op written in Python", PYTHON, "2x", "3x", RunOp),
    Row("python-large", "Python: an op that takes 1 MB", PYTHON, "", "", RunLarge),
    Row("python-borrow", "Python: the same, borrowing", PYTHON, "2x", "3x", RunLargeBorrowing),
    Row("python-multiply", "Python: run an op of np.multiply", PYTHON, "2x", "3x", RunMultiply),
    Row("python-ep", "Python: the same as a provider, in a session", PYTHON, "1x", "", RunProvider),
    Row("compiled-ep", "the same of nxrt's provider", PROVIDERS, "1x", "", RunCompiledProvider),
    _run("run", "run of one addition", "2.2x", "2.5x", runs.RunAdd),
    _run("bound", "run of one addition, bound", "1.8x", "2x", runs.RunBound),
    _run("strings", "run of 4 strings in and out", "1.5x", "2x", runs.RunStrings),
    _run("texts", "run of 4 strings of NumPy's str", "1.5x", "2x", runs.RunTexts),
    _run("matmul", "run of [1, 256] x [256, 256]", "1.5x", "1.6x", runs.RunMatMul),
    _run("held", "run of one addition, hold_gil", "2.2x", "2.5x", runs.RunHeld),
    _run("bound-held", "run of one addition, bound, hold_gil", "1.8x", "2x", runs.RunBoundHeld),
    _run("busy", "run of one addition, beside a busy thread", "1x", "2x", runs.RunBusy),
    _run("busy-held", "the same, hold_gil", "2x", "4x", runs.RunBusyHeld),
    _run("await", "run of one addition, awaited", "1.5x", "2x", runs.Awaited),
    _run("burst", "run of one addition, 200 awaited", "4x", "6x", runs.AwaitedBurst),
    _run(
        "batched", "200 awaited rows x 4 MB, Batcher; real: none", "1.3x", "2x", runs.BatchedBurst
    ),
    _run("counted", "run, bound; real: not counted", "0.98x", "", runs.RunCounted),
    _run("counted-held", "run, bound, hold_gil; real: not counted", "", "", runs.RunCountedHeld),
    _run("run-c", "run of one addition; real: in C", "", "", runs.RunBesideC),
    _run("bound-c", "run of one addition, bound; real: in C", "", "", runs.RunBoundBesideC),
    *_contents(
        "classifier-1", "classifier with ZipMap, 1 row", "1.5x", lambda: contents.classifier(1)
    ),
    # Half of the official package's time is the library's own run, and so with 1000 tensors.
    *_contents("classifier-150", "the same, 150 rows", "1x", lambda: contents.classifier(150)),
    *_contents(
        "classifier-threads", "the same on two threads", "1x", lambda: contents.classifier(150)
    ),
    *_contents("label", "the label of 1 row", "1.5x", lambda: contents.classifier(1)),
    *_contents(
        "tensors-10", "sequence of 10 tensors out", "1.5x", lambda: contents.tensors_out(10)
    ),
    *_contents(
        "tensors-1000", "sequence of 1000 tensors out", "1x", lambda: contents.tensors_out(1000)
    ),
    *_contents("tensors-in", "sequence of 10 tensors in", "1.5x", lambda: contents.tensors_in(10)),
    *_contents("map-in", "map in", "1.5x", contents.map_in),
    *_contents("list-4", "list of 4 floats in", "1.5x", lambda: contents.list_in(4)),
    *_contents("list-1000", "list of 1000 floats in", "1.5x", lambda: contents.list_in(1000)),
    _compat("numpy", "OrtValue.numpy", contents.ValueToArray),
    _compat("from-numpy", "ortvalue_from_numpy", contents.ArrayToValue),
    _compat("fed", "run fed OrtValues", contents.FedValues),
    _compat("copied-back", "bind, run, copy back", contents.CopiedBack),
    _compat("names", "names of get_inputs", contents.InputNames),
    _compat("metadata", "custom_metadata_map", contents.CustomMetadata),
    _compat("failing", "a failing run", contents.FailingRun),
    _run("create", "session of 1 MB made and closed", "0.98x", "", Create),
    _run("create-compat", "session of 1 MB made by compat", "0.98x", "", CompatCreate),
    _run("create-small", "session of one node made and closed", "1x", "", CreateSmall),
    _run("create-small-compat", "session of one node made by compat", "1x", "", CompatCreateSmall),
    Row("import", "import, over numpy's", CORE, "<= 5", "<= 2", import_task, unit="ms"),
    Row("first-use", "import and first array, over numpy's", CORE, "", "", first_use_task, "ms"),
    _import("session", "Session", "import ortcffi; ortcffi.Session"),
    _import("compat", "compat's sessions", "import ortcffi.compat as ort; ort.InferenceSession"),
    _model("open", "open, 2000 nodes", "20x onnx", Open, MODELS),
    _model("open-list", "open and list, 2000 nodes", "", OpenAndList),
    _model("list", "list 2000 nodes and operands", "5x onnx", List),
    _model("attributes", "attributes of 2000 nodes", "2x onnx", Attributes),
    _model("write", "write, weights of 100 MB", "2x onnx", Write),
    Row("model-bytes", "model: memory of a node", GRAPHS, "", "", node_bytes_task, unit="B"),
    # Last, for it takes longest, and most of it is the package onnx.
    _model("open-1G", "open, weights of 1 GB", "<= 1000", OpenLarge),
)
