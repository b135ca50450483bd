# SPDX-License-Identifier: MIT
"""A program that makes random calls over all public names, to find what breaks the interpreter.

    python tests/support/hostile.py --table core --seed 7 --seconds 60 --log calls.log

It calls constructors, functions, methods and properties with arguments that are right, nearly
right, or lies: objects of other kinds, of the other table, closed ones, huge numbers, callables
that raise. Any ordinary exception is a good answer. What is wrong ends the process with another
status than 0: a crash, an exception that stands for a bug of our own, or objects left alive.

The same seed makes the same calls, with one thread. The log has the last calls, so that a crash can
be made again. The calls write files as well: the working directory is a temporary one.
"""

import argparse
import faulthandler
import gc
import inspect
import os
import random
import resource
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import ortcffi as ort
from ortcffi._native import lib
from ortcffi.testing.live_objects import left_alive, live_objects

# Our own mistakes, which no argument may bring about.
BUGS = (SystemError, NameError, UnboundLocalError, AssertionError)
# What is not called: it takes raw pointers, which nobody can check, or changes the whole process.
LEFT_OUT = {
    *("ffi", "lib", "errors", "expose_symbols", "init_api", "find_runtimes", "load", "testing"),
    *("from_handle", "free", "handle", "pointer", "raise_", "set_sync_stream", "sync_stream"),
    *("compat", "attach", "set_language_projection", "set_telemetry"),
}
# What could have an array of objects contain itself, which NumPy's `sum` does not survive: it
# overflows the stack.
FILLING = {"fill", "itemset", "put", "setfield"}
NEWEST = lib.ORTCFFI_API_VERSION
ADDRESS_SPACE = 12 << 30  # bytes; allocations beyond it fail
MOST_OBJECTS = 60  # that a pool keeps


class Raises:
    """A callable, an iterable, a mapping and a number that raise, each now and then."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def _maybe(self, answer: Any) -> Any:
        if self.chance.random() < 0.5:
            raise self.chance.choice([ValueError, KeyError, ZeroDivisionError, MemoryError])(
                "hostile"
            )
        return answer

    def __call__(self, *_arguments: Any, **_named: Any) -> Any:
        return self._maybe(None)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._maybe(["a", "b"]))

    def __len__(self) -> int:
        return self._maybe(self.chance.choice([0, 1, 3, 1 << 40]))  # it lies

    def __getitem__(self, key: Any) -> Any:
        return self._maybe(key)

    def keys(self) -> Any:
        return self._maybe(["k"])

    def __index__(self) -> int:
        return self._maybe(3)

    def __array__(self, *_arguments: Any, **_named: Any) -> Any:
        return self._maybe(np.zeros(3))

    def __fspath__(self) -> str:
        return self._maybe("/nonexistent")


class Cycle:
    """Keeps objects in a cycle, so that only the collector frees them, in an order of its own."""

    def __init__(self, *kept: Any) -> None:
        self.kept = kept
        self.me = self

    def __del__(self) -> None:
        for each in self.kept:
            with suppress(Exception):
                each.info, each.stats  # noqa: B018  # a use while the cycle is taken apart


class Hostile:
    """The calls of one thread."""

    def __init__(self, table: str, seed: int, log: int) -> None:
        self.chance = random.Random(seed)
        self.apis = [ort.core_api()] if table == "core" else [ort.load()]
        self.other = [ort.core_api()]
        if table == "core":
            self.apis += [ort.emulate(self.chance.randint(1, NEWEST)) for _ in range(3)]
        self.pool: list[Any] = []
        self.kinds = [name for name in ort.__all__ if name not in LEFT_OUT]
        self.log = log
        self.calls = 0

    # --- arguments --------------------------------------------------------------------------------

    def number(self) -> Any:
        edges = [0, 1, 2, 3, 7, 64, 4096, -1, 2**31 - 1, 2**31, 2**32, 2**47, 2**62, 2**63, 2**64]
        return self.chance.choice([*edges, 1.5, float("nan"), True, self.chance.randrange(1 << 20)])

    def text(self) -> Any:
        texts = ["", "a", "Cpu", "CPUExecutionProvider", "session.x", "\0", "\ud800", "é" * 3]
        return self.chance.choice([*texts, b"bytes", "x" * 5000, "/dev/null", "1", "CPU"])

    def shape(self) -> Any:
        choice = self.chance.choice
        dims = [choice([0, 1, 2, 3, 5, -1, 2**62, 1000]) for _ in range(choice([0, 1, 1, 2, 3]))]
        return choice([dims, tuple(dims), 3, "n", [2, "batch"], np.array(dims, object)])

    def array(self) -> Any:
        kinds = ["f4", "f8", "i8", "u1", "?", "c8", "S3", "U4", "O", "f2", ">i4", "M8[s]"]
        kind = self.chance.choice(kinds)
        with np.errstate(all="ignore"):
            made = np.arange(self.chance.choice([0, 1, 6, 24])).astype(kind)
        cut: Callable[[Any], Any] = self.chance.choice(
            [lambda a: a, lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(-1, 1)]
        )
        return cut(made)

    def dtype(self) -> Any:
        return self.chance.choice(
            [
                "f4",
                np.float32,
                np.int64,
                str,
                object,
                "bfloat16",
                "int4",
                1,
                99,
                None,
                "/nope",
                "f8",
            ]
        )

    def anything(self) -> Any:
        makers: list[Callable[[], Any]] = [
            *(self.number, self.text, self.shape, self.array, self.dtype),
            *(lambda: None, lambda: Raises(self.chance), object, dict, list, self.mapping),
            *(self.known, self.known, self.known, lambda: self.chance.choice(self.apis)),
            *(lambda: self.chance.choice(self.other), lambda: lambda *_: None),
            *(lambda: ["a", "b"], lambda: iter([1, 2]), lambda: [self.known(), self.known()]),
        ]
        return self.chance.choice(makers)()

    def mapping(self) -> Any:
        return {self.text(): self.anything() for _ in range(self.chance.choice([0, 1, 2]))}

    def known(self) -> Any:
        return self.chance.choice(self.pool) if self.pool else None

    def of_kind(self, *kinds: type) -> Any:
        fitting = [each for each in self.pool if isinstance(each, kinds)]
        if not fitting:
            return self.chance.choice(self.apis).default_allocator
        return self.chance.choice(fitting)

    def argument(self, name: str) -> Any:
        """One that fits the name of a parameter, most of the time."""
        if name.endswith("threads"):
            # ONNX Runtime starts so many threads at once, and takes 40 seconds for a thousand.
            return self.chance.choice([0, 1, 2, -1, "2", None])
        if self.chance.random() < 0.2:
            return self.anything()
        likely: dict[str, Callable[[], Any]] = {
            "api": lambda: self.chance.choice([*self.apis, None]),
            "inner": lambda: self.of_kind(ort.Allocator),
            "allocator": lambda: self.of_kind(ort.Allocator),
            "shape": self.shape,
            "dtype": self.dtype,
            "element_type": self.dtype,
            "x": self.array,
            "value": lambda: self.of_kind(ort.Value),
            "values": lambda: self.chance.choice([self.array(), [self.of_kind(ort.Value)]]),
            "keys": lambda: self.chance.choice([self.array(), self.of_kind(ort.Value)]),
            "logger": lambda: self.chance.choice([None, Raises(self.chance), print]),
            "info": lambda: self.of_kind(ort.MemoryInfo),
            "domain": lambda: self.of_kind(ort.CustomOpDomain),
            "arena_cfg": lambda: self.of_kind(ort.ArenaCfg),
            "cfg": lambda: self.of_kind(ort.ArenaCfg),
            "path": lambda: self.chance.choice(["/nonexistent", "/dev/null", "a file", b"/no/x"]),
            "size": lambda: self.chance.choice([0, 1, 64, 1000, 1 << 20, 2**47, 2**63]),
            "alignment": lambda: self.chance.choice([1, 8, 64, 4096, 3, 0, 2**40]),
            "max_bytes": lambda: self.chance.choice([None, 0, 1 << 20, 1 << 40]),
            "limit": lambda: self.chance.choice([0, 1000, 1 << 20, 1 << 40]),
            "after": lambda: self.chance.choice([0, 1, 5, 2**40]),
            "version": lambda: self.chance.choice([0, 1, 16, NEWEST, NEWEST + 1]),
            "name": self.text,
            "config": self.mapping,
        }
        return likely.get(name, self.anything)()

    # --- calls ------------------------------------------------------------------------------------

    def one(self) -> None:
        """One call, or something that happens beside calls."""
        self.calls += 1
        what = self.chance.random()
        if what < 0.02:
            gc.collect(self.chance.choice([0, 1, 2]))
        elif what < 0.05 and self.pool:
            Cycle(*self.chance.sample(self.pool, min(3, len(self.pool))))
        elif what < 0.10 and self.pool:
            self.pool.pop(self.chance.randrange(len(self.pool)))
        elif what < 0.35 or not self.pool:
            self.call_name(self.chance.choice(self.kinds), ort)
        else:
            subject = self.known()
            if self.chance.random() < 0.15:
                subject = self.chance.choice(self.apis)
            members = [name for name in dir(subject) if name[0] != "_" and name not in LEFT_OUT]
            if members:
                self.call_name(self.chance.choice(members), subject)

    def call_name(self, name: str, owner: Any) -> None:
        kind = type(owner).__name__ if owner is not ort else "ort"
        if isinstance(owner, np.ndarray) and owner.dtype.hasobject and name in FILLING:
            return
        os.pwrite(self.log, f"{self.calls} {kind}.{name}".ljust(120).encode(), 0)
        try:
            self.keep(self.call(getattr(owner, name)))
        except BUGS as error:
            # NumPy's own, for objects that lie, and for text in memory that was never written.
            if isinstance(owner, np.ndarray) or "PyUnicode_New" in str(error):
                return
            sys.stderr.write(f"after {self.calls} calls, in {kind}.{name}\n")
            raise
        except (Exception, ort.OrtError):  # noqa: BLE001  # a good answer
            return

    def call(self, target: Any) -> Any:
        if not callable(target):
            return target
        try:
            parameters = inspect.signature(target).parameters.values()
        except (TypeError, ValueError):
            return target(*[self.anything() for _ in range(self.chance.choice([0, 1, 2]))])
        given, named = [], {}
        for each in parameters:
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                continue
            if each.default is not each.empty and self.chance.random() < 0.6:
                if each.kind is not each.KEYWORD_ONLY:
                    break
                continue
            if each.kind is each.KEYWORD_ONLY:
                named[each.name] = self.argument(each.name)
            else:
                given.append(self.argument(each.name))
        result = target(*given, **named)
        if hasattr(type(result), "__enter__") and self.chance.random() < 0.2:
            with result:
                self.call_name("empty" if isinstance(result, ort.Allocator) else "closed", result)
        return result

    def keep(self, result: Any) -> None:
        is_ours = type(result).__module__.startswith("ortcffi") and not inspect.isclass(result)
        if is_ours or (isinstance(result, np.ndarray) and result.nbytes < 1 << 20):
            self.pool.append(result)
        while len(self.pool) > MOST_OBJECTS:
            self.pool.pop(self.chance.randrange(len(self.pool)))


def work(table: str, seed: int, until: float, log: int) -> int:
    """Calls until the time is over, but a few also on a busy machine; the number of calls."""
    hostile = Hostile(table, seed, log)
    while hostile.calls < 50 or time.monotonic() < until:
        for _ in range(50):
            hostile.one()
    hostile.pool.clear()
    return hostile.calls


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", choices=["core", "real"], default="core")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log", default=os.devnull)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    sys.unraisablehook = lambda _what: None  # exceptions that were planted
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    log = os.open(options.log, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    with tempfile.TemporaryDirectory(prefix="ortcffi-hostile-") as folder:
        os.chdir(folder)
        Path("a file").write_bytes(b"content")
        call_at_random(options, log)


def call_at_random(options: argparse.Namespace, log: int) -> None:
    """Make the calls of all threads; exit with an error if they leave objects alive."""
    ort.core_api().default_allocator.info  # noqa: B018  # what stays for the whole process
    before = live_objects()
    until = time.monotonic() + options.seconds
    counts: list[int] = []
    run = lambda seed: counts.append(work(options.table, seed, until, log))  # noqa: E731
    threads = [
        threading.Thread(target=run, args=(options.seed + i,)) for i in range(1, options.threads)
    ]
    for thread in threads:
        thread.start()
    run(options.seed)
    for thread in threads:
        thread.join(300)
    if any(thread.is_alive() for thread in threads):
        faulthandler.dump_traceback()  # of a thread in a call that does not end
        os._exit(1)
    gc.collect()
    left = left_alive(before)
    sys.stdout.write(f"{sum(counts)} calls\n")
    if left:
        sys.exit(f"left alive: {left}")


if __name__ == "__main__":
    main()
