# SPDX-License-Identifier: MIT
"""Random arguments: by the name of the parameter one that fits, or anything."""

import array
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from support import models
from support.hostile_calls import lies

import ortcffi as ort
from ortcffi._native import lib

NEWEST = lib.ORTCFFI_API_VERSION
EDGES = [0, 1, 2, 3, 7, 64, 4096, -1, 2**31 - 1, 2**31, 2**32, 2**47, 2**62, 2**63, 2**64]
KINDS = ["f4", "f8", "i8", "u1", "?", "c8", "S3", "U4", "O", "f2", ">i4", "M8[s]", "V5", "i4,f8"]


# Parameters that take raw addresses, which cannot be checked, so they get other types.
ADDRESSES = {"buffer_ptr", "address", "handle", "pointer", "stream"}
NO_ADDRESSES = [None, "0", b"0", 1.5, object(), [], {}]
TAKES_PROVIDERS = {"provider", "providers"}


class Arguments:
    """Makes arguments; `pool` has objects from former calls."""

    def __init__(self, chance: random.Random, apis: list[Any], act: lies.Act) -> None:
        self.chance = chance
        self.apis = apis
        self.act = act
        self.pool: list[Any] = []
        self._here = threading.local()

    @property
    def numpys(self) -> Any:
        """What this thread calls, if NumPy may look into its arguments; else None."""
        return getattr(self._here, "numpys", None)

    @numpys.setter
    def numpys(self, called: Any) -> None:
        self._here.numpys = called

    def number(self) -> Any:
        others = [1.5, float("nan"), float("inf"), True, lies.Number(3)]
        return self.chance.choice([*EDGES, *others, self.chance.randrange(1 << 20)])

    def text(self) -> Any:
        texts = ["", "a", "Cpu", "CPUExecutionProvider", "session.x", "\0", "\ud800", "é" * 3]
        texts += ["x", "y", "a\0b", lies.Text("a"), "hostile", "\U0001f600"]
        return self.chance.choice([*texts, b"bytes", "x" * 5000, "/dev/null", "1", "CPU"])

    def shape(self) -> Any:
        choice = self.chance.choice
        dims = [choice([0, 1, 2, 3, 5, -1, 2**62, 1000]) for _ in range(choice([0, 1, 1, 2, 3]))]
        if dims == [1000] * 3:  # strings of that many elements take minutes and all memory
            dims = [1000, 1000]
        others = [3, "n", [2, "batch"], np.array(dims, object), lies.ShortList(dims)]
        return choice([dims, tuple(dims), *others])

    def array(self) -> Any:
        kind = self.chance.choice(KINDS)
        with np.errstate(all="ignore"):
            made = np.arange(self.chance.choice([0, 1, 4, 6, 24])).astype(kind)
        cut: Callable[[Any], Any] = self.chance.choice(
            [
                *(lambda a: a, lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(-1, 1)),
                *(lambda a: a.reshape(1, -1), self.records, self.read_only),
                *(np.ma.masked_array, lambda a: a.reshape((1,) * 9 + a.shape)),
            ]
        )
        return cut(made)

    def records(self, made: Any) -> Any:
        """NumPy crashes if it compares records and the look-up of __array_wrap__ raises."""
        return made if self.numpys is not None else made.view(np.recarray)

    @staticmethod
    def read_only(made: Any) -> Any:
        made.flags.writeable = False
        return made

    def buffer(self) -> Any:
        """Memory of other types; some of them can be resized while it is read."""
        made: list[Callable[[], Any]] = [
            *(lambda: bytearray(24), lambda: b"abcd" * 6, lambda: array.array("f", [1.0] * 6)),
            *(lambda: memoryview(bytearray(24)), lambda: memoryview(bytes(24)).cast("f", (2, 3))),
            lambda: memoryview(bytearray(24))[::2],
        ]
        return self.chance.choice(made)()

    def strings(self) -> Any:
        """An array of objects that are str, and now and then not."""
        made = np.array(["a", "bc", "é" * 20] * self.chance.choice([1, 10]), object)
        if self.chance.random() < 0.4:
            made[1] = self.chance.choice([None, 3, b"b", "\ud800", "a\0b", self.lie()])
        return made

    def dtype(self) -> Any:
        kinds: list[Any] = ["f4", np.float32, np.int64, str, object, "bfloat16", "int4", 1, 99]
        return self.chance.choice([*kinds, None, "/no/pe", "f8", "i4,f8", "V0", "U4"])

    def model(self) -> Any:
        """A model, mostly; as bytes, as a file, or broken."""
        whole = self.chance.choice([models.add, models.two_inputs, models.scaled])()
        cut = whole[: self.chance.randrange(len(whole))]
        return self.chance.choice([whole, whole, bytearray(whole), cut, "a model", Path("a model")])

    def lie(self) -> Any:
        made: list[Callable[[], Any]] = [
            lambda: lies.Raises(self.chance, self.act),
            lambda: lies.WrongClass(self.chance.choice([int, str, list, ort.Value, ort.Api, type])),
            *(lies.emptied_dict, lambda: lies.Number(5)),
            lambda: lies.ShortList(["a", 1, self.known()]),
            lambda: lies.Text("CPU"),
        ]
        return self.chance.choice(made)()

    def anything(self) -> Any:
        if isinstance(self.numpys, np.ndarray) and self.numpys.dtype.hasobject:
            return self.plain()  # NumPy overflows the stack for an array that contains itself
        makers: list[Callable[[], Any]] = [
            *(self.number, self.text, self.shape, self.array, self.dtype, self.buffer),
            *(lambda: None, self.lie, self.lie, object, dict, list, self.mapping, self.strings),
            *(self.known, self.known, self.known, lambda: self.chance.choice(self.apis)),
            *(ort.core_api, lambda: lambda *_: self.act(), self.class_of),
            *(lambda: ["a", "b"], lambda: iter([1, 2]), lambda: [self.known(), self.known()]),
        ]
        return self.chance.choice(makers)()

    def plain(self) -> Any:
        return self.chance.choice([self.number, self.text, lambda: None])()

    def class_of(self) -> Any:
        return type(self.known())

    def mapping(self) -> Any:
        return {self.text(): self.anything() for _ in range(self.chance.choice([0, 1, 2]))}

    def feed(self) -> Any:
        """The inputs of the models, mostly."""
        one = np.ones((1, 4), np.float32)
        few = np.arange(3)
        three = np.ones(3, np.float32)
        made = [{"x": one}, {"x": three}, {"x": one, "w": one}, {"a": few, "b": few}, [one], one]
        return self.chance.choice([*made, {"x": self.anything()}, {"x": self.known()}])

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
        if name in ADDRESSES:
            return self.chance.choice(NO_ADDRESSES)
        is_any = self.numpys is not None or self.chance.random() < 0.2
        made = self.anything() if is_any else self._likely.get(name, self.anything)()
        # It is the path of the extension, which a call that writes a file would destroy.
        is_extension = issubclass(type(made), ort.PythonEp)
        return self.text() if is_extension and name not in TAKES_PROVIDERS else made

    @property
    def _likely(self) -> dict[str, Callable[[], Any]]:
        choice = self.chance.choice
        return {
            "api": lambda: choice([*self.apis, None]),
            "inner": lambda: self.of_kind(ort.Allocator),
            "allocator": lambda: self.of_kind(ort.Allocator),
            "shape": self.shape,
            "dtype": self.dtype,
            "element_type": self.dtype,
            "x": choice([self.array, self.strings]),
            "array": choice([self.array, self.strings]),
            "out": lambda: choice([self.array(), [self.array()], {"y": self.array()}]),
            "value": lambda: self.of_kind(ort.Value),
            "values": lambda: choice([self.array(), [self.of_kind(ort.Value)]]),
            "keys": lambda: choice([self.array(), self.of_kind(ort.Value)]),
            "indices": self.array,
            "buffer": self.buffer,
            "logger": lambda: choice([None, self.lie(), print]),
            "info": lambda: self.of_kind(ort.MemoryInfo),
            "domain": lambda: choice(["", "hostile", self.of_kind(ort.CustomOpDomain)]),
            "arena_cfg": lambda: self.of_kind(ort.ArenaCfg),
            "cfg": lambda: self.of_kind(ort.ArenaCfg),
            "path": lambda: choice(["/nonexistent/path", "/dev/null", "a file", b"/no/x"]),
            "size": lambda: choice([0, 1, 64, 1000, 1 << 20, 2**47, 2**63]),
            "alignment": lambda: choice([1, 8, 64, 4096, 3, 0, 2**40]),
            "max_bytes": lambda: choice([None, 0, 1 << 20, 1 << 40]),
            "limit": lambda: choice([0, 1000, 1 << 20, 1 << 40]),
            "after": lambda: choice([0, 1, 5, 2**40]),
            "version": lambda: choice([0, 1, 16, NEWEST, NEWEST + 1]),
            "name": self.text,
            "config": self.mapping,
            "model": self.model,
            "path_or_bytes": self.model,
            "session": lambda: self.of_kind(ort.Session),
            "session_options": lambda: self.of_kind(ort.SessionOptions),
            "options": lambda: self.of_kind(ort.SessionOptions, ort.RunOptions),
            "run_options": lambda: self.of_kind(ort.RunOptions),
            "env": lambda: choice([None, self.of_kind(ort.Env)]),
            "graph": lambda: self.of_kind(ort.Graph),
            "feed": self.feed,
            "inputs": lambda: choice([self.feed(), ["x"], ["y"], [np.float32]]),
            "outputs": lambda: choice([None, ["y"], ["z"], [np.float32]]),
            "input_feed": self.feed,
            "output_names": lambda: choice([None, ["y"]]),
            "op": lambda: choice(["Add", "Neg", self.of_kind(ort.PythonOp)]),
            "op_set": lambda: choice(["hostile", "", self.of_kind(ort.OpSet)]),
        }
