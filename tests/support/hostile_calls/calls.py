# SPDX-License-Identifier: MIT
"""Random calls of public names, methods, properties and operators."""

import copy
import enum
import inspect
import itertools
import logging
import operator
import os
import pickle
import random
import sys
import traceback
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

import numpy as np
from support.hostile_calls import kept, lies, makers
from support.hostile_calls.arguments import NEWEST, Arguments

import ortcffi as ort
from ortcffi import compat, testing

# Our own mistakes, which no argument may bring about.
BUGS = (SystemError, NameError, UnboundLocalError, AssertionError)
# What is not called: it takes raw pointers, which cannot be checked, or changes the whole process.
LEFT_OUT = {"ffi", "lib", "pointer", "handle", "data_ptr"}
LEFT_OUT |= {"init_api"}  # see `choose_default`
LEFT_OUT_OF = {("OpSet", "register")}  # keeps domains as long as the process
TAKES_A_BLOCK = ("alloc", "reserve")
# What loads ONNX Runtime, whose threads are not in the child of a fork.
ENGINES = {"attach", "load", "compare_with_session"}
# What is called of NumPy's arrays: what changes, moves or reads memory that others may use. NumPy
# itself does not survive the rest: __setstate__, `data` and `strides` replace the memory under
# views of it, or have it look for objects between the objects; an array of objects that contains
# itself overflows the stack; a shape that empties itself is read past its end; `put` counts down
# from a large index.
OF_NUMPY = {"resize", "fill", "sort", "setflags", "byteswap", "view", "reshape", "ravel"}
OF_NUMPY |= {"astype", "copy", "tobytes", "tolist", "transpose", "squeeze", "sum", "max", "all"}
OF_NUMPY |= {"shape", "dtype", "flat", "real", "T", "nbytes", "base", "size", "ndim", "itemsize"}
COMPARES_ARRAYS = (np.ndarray, tuple)  # a tuple compares the arrays in it
# What may raise them all the same: where, and a part of the message.
NOT_BUGS = [
    ("ortcffi.testing.sweep_allocation_failures", ""),  # an AssertionError is its answer
    ("ortcffi.testing.compare_with_session", ""),
    ("ortcffi.testing.compare_ep", ""),
    # NumPy makes a str of memory that was never written.
    ("", "invalid maximum character passed to PyUnicode_New"),
    # CPython 3.11, where a signature is read close to the limit of recursion.
    ("", "AST constructor recursion depth mismatch"),
]
OPERATORS: list[Callable[..., Any]] = [
    *(len, list, dict, tuple, set, str, repr, hash, bool, int, float, bytes, iter, next, dir),
    *(memoryview, np.asarray, np.from_dlpack, operator.index, sys.getsizeof, callable, vars),
    *(operator.eq, operator.lt, operator.or_, operator.contains, operator.getitem, format),
    *(operator.delitem, operator.setitem, isinstance, operator.ior, operator.add, operator.mul),
]
MOST_OBJECTS = 60  # that a pool keeps
DEEPEST = 3  # calls within calls
LINE = 120  # bytes of the log, for each thread


def end(reason: str) -> NoReturn:
    """End the process as failed; its own stderr is not that of the calls."""
    os.write(2, f"{reason}\n".encode(errors="replace"))
    os._exit(1)


def flat(made: Any) -> Any:
    """The objects in lists and tuples."""
    if type(made) in (list, tuple):
        for each in made:
            yield from flat(each)
    else:
        yield made


def public_names(thing: Any) -> list[str]:
    return [name for name in dir(thing) if name and name[0] != "_"]


def is_ours(thing: Any) -> bool:
    return type(thing).__module__.startswith(("ortcffi", "support.hostile_calls.makers"))


class Caller(Arguments):
    """Makes random calls; `Surroundings` says where else they are made."""

    shared: ClassVar[list[Any]] = []  # objects that all threads use
    changed: ClassVar[kept.Changed] = kept.Changed()

    def __init__(self, table: str, seed: int, log: int) -> None:
        chance = random.Random(seed)
        apis = [ort.core_api()] if table == "core" else [ort.load()]
        if table == "core":
            apis += [ort.emulate(chance.randint(1, NEWEST)) for _ in range(3)]
        super().__init__(chance, apis, self.act)
        self.table = table
        self.makers = list(makers.MAKERS.values())
        self.modules: list[Any] = [ort, testing]
        self.left_out = ENGINES
        if table == "core":
            self.makers += makers.CORE.values()
        if table == "real":
            self.makers += makers.ENGINE.values()
            self.modules.append(compat)
            self.left_out = set()
        self.log = log
        self.line = 0  # of the log
        self.calls = 0
        self.depth = 0
        self.is_over = False  # whether finalizers that run from now on make no calls
        self.reached: set[str] = set()

    def act(self) -> None:
        """A call within a call, now and then."""
        if not self.is_over and self.chance.random() < 0.2 and self.depth < DEEPEST:
            self.one()

    def one(self) -> None:
        """One call, or something that happens beside calls."""
        self.calls += 1
        self.depth += 1
        numpys = self.numpys  # of a call around this one
        try:
            kinds, weights = zip(*self.kinds.items(), strict=True)
            [kind] = self.chance.choices(kinds, weights)
            kind(self)
        except MemoryError:
            return  # there is an allocator with a limit under NumPy
        finally:
            self.depth -= 1
            self.numpys = numpys

    # --- the kinds of calls -----------------------------------------------------------------------

    def make(self) -> None:
        maker = self.chance.choice(self.makers)
        name = getattr(maker, "__name__", "")
        api = self.chance.choice(self.apis)
        self.attempt("make", name, lambda: maker(api))

    def call_name(self) -> None:
        module = self.chance.choice([ort, ort, *self.modules])
        names = getattr(module, "__all__", dir(module))
        self.call_member(self.chance.choice([each for each in names if each[0] != "_"]), module)

    def call_method(self) -> None:
        subject = self.known() if self.chance.random() < 0.9 else self.chance.choice(self.apis)
        names = public_names(subject)
        if names:
            self.call_member(self.chance.choice(names), subject)

    def call_special(self) -> None:
        """A method with underscores, such as __init__ again, or __exit__ without __enter__."""
        subject = self.known()
        changes = ("__setattr__", "__delattr__", "__dict__")  # see `change`
        names = [each for each in dir(type(subject)) if each[:2] == "__" and each not in changes]
        self.call_member(self.chance.choice(names), subject)

    def operate(self) -> None:
        operation, subject = self.chance.choice(OPERATORS), self.known()
        if operation in (list, tuple, set, dict, bytes, next) and not is_ours(subject):
            return  # an iterator that does not end
        self.numpys = subject if isinstance(subject, COMPARES_ARRAYS) else None
        others = [self.anything() for _ in range(self.chance.choice([0, 0, 1, 2]))]
        self.attempt(
            operation.__name__, type(subject).__name__, lambda: operation(subject, *others)
        )

    def change(self) -> None:
        """Set or delete an attribute."""
        subject = self.known()
        self.numpys = subject if isinstance(subject, COMPARES_ARRAYS) else None
        names = public_names(subject)
        # What stays for the whole process would keep its new attributes, or lose its methods.
        stays = isinstance(subject, (enum.Enum, ort.Api, ort.OpSet, logging.Logger))
        if stays:
            names = [each for each in names if not callable(getattr(type(subject), each, None))]
        if not names:
            return
        name = self.chance.choice(names)
        if self.is_left_out(name, subject):
            return
        value = self.plain if stays else lambda: self.argument(name)
        if self.chance.random() < 0.2:
            self.attempt("delattr", name, lambda: delattr(subject, name))
        else:
            self.changed.add(subject, name)
            self.attempt("setattr", name, lambda: setattr(subject, name, value()))

    def duplicate(self) -> None:
        subject = self.known()
        if isinstance(subject, np.ndarray):
            return
        way: Callable[[Any], Any] = self.chance.choice(
            [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
        )
        self.attempt("duplicate", type(subject).__name__, lambda: way(subject))

    def half_made(self) -> None:
        """An object whose __init__ was not called, or not to its end."""
        kind = type(self.known())
        if kind.__module__.startswith("ortcffi"):
            self.attempt("new", kind.__name__, lambda: kind.__new__(kind))

    def derive(self) -> None:
        """An object of a subclass with methods of its own."""
        kind = type(self.known())
        names = public_names(kind)
        if names and kind.__module__.startswith("ortcffi"):
            changed = {self.chance.choice(names): lies.Raises(self.chance, self.act)}
            self.attempt(
                "derive", kind.__name__, lambda: self.call(type("Derived", (kind,), changed))
            )

    def refer(self) -> None:
        """A weak reference whose callback makes a call."""
        subject = self.known()
        self.attempt("weakref", type(subject).__name__, lambda: weakref.finalize(subject, self.act))

    def enter(self) -> None:
        """A with block, now and then entered or left twice."""
        subject = self.known()
        if not hasattr(type(subject), "__enter__"):
            return

        def block() -> None:
            with subject:
                self.one()
                if self.chance.random() < 0.2:
                    subject.__enter__()
                    self.one()
                    subject.__exit__(None, None, None)

        self.attempt("with", type(subject).__name__, block)

    def choose_default(self) -> None:
        """Calls while another table is the process's default."""
        before = ort.default_api()
        try:
            chosen = self.chance.choice([*self.apis, None, self.lie()])
            self.attempt("ortcffi", "init_api", lambda: ort.init_api(chosen))
            self.one()
        finally:
            ort.init_api(before)

    def forget(self) -> None:
        if self.pool:
            self.pool.pop(self.chance.randrange(len(self.pool)))

    def make_cycle(self) -> None:
        if self.pool:
            lies.Cycle(self.act, *self.chance.sample(self.pool, min(3, len(self.pool))))

    kinds: ClassVar[dict[Callable[["Caller"], None], float]] = {
        make: 8,
        call_name: 22,
        call_method: 40,
        call_special: 6,
        operate: 6,
        change: 4,
        duplicate: 1,
        half_made: 1,
        derive: 2,
        refer: 1,
        enter: 2,
        choose_default: 0.5,
        forget: 4,
        make_cycle: 3,
    }

    # --- how a call is made -----------------------------------------------------------------------

    def is_left_out(self, name: str, owner: Any) -> bool:
        kind = type(owner).__name__
        if isinstance(owner, ort.Allocator) and name in TAKES_A_BLOCK:
            # A block that is not freed keeps an allocator made for a real library, also where
            # it was taken from an adaptor around that one.
            return self.table == "real" or kind == "Allocator"
        of_numpy = isinstance(owner, np.ndarray) and name not in OF_NUMPY
        general = name in LEFT_OUT or name in self.left_out
        return general or (kind, name) in LEFT_OUT_OF or of_numpy

    def call_member(self, name: str, owner: Any) -> None:
        self.numpys = owner if isinstance(owner, COMPARES_ARRAYS) else None
        if not self.is_left_out(name, owner):
            kind = owner.__name__ if inspect.ismodule(owner) else type(owner).__name__
            self.attempt(kind, name, lambda: self.call(getattr(owner, name)))

    def attempt(self, kind: str, name: str, work: Callable[[], Any]) -> None:
        """Do it, and end the process if it raises what stands for a mistake."""
        place = f"{self.calls} {kind}.{name}".encode(errors="replace")
        os.pwrite(self.log, place[: LINE - 1].ljust(LINE - 1) + b"\n", self.line * LINE)
        try:
            made = work()
        except BUGS as error:
            if any(at in f"{kind}.{name}" and text in str(error) for at, text in NOT_BUGS):
                return
            end(f"after {self.calls} calls, in {kind}.{name}: {traceback.format_exc()}")
        except Exception:  # noqa: BLE001  # a good answer
            return
        self.reached.add(f"{kind}.{name}")
        self.keep(made)

    def call(self, target: Any) -> Any:
        if not callable(target):
            return target
        if inspect.isclass(target) and target.__module__.startswith("numpy"):
            return target
        if inspect.isclass(target) and issubclass(target, COMPARES_ARRAYS):
            self.numpys = target
        try:
            parameters = inspect.signature(target).parameters.values()
        except (TypeError, ValueError):
            return target(*[self.anything() for _ in range(self.chance.choice([0, 1, 2]))])
        given, named = [], {}
        for each in parameters:
            if each.kind is each.VAR_KEYWORD:
                named |= self.settings(target)
            elif each.kind is each.VAR_POSITIONAL:
                given += [self.feed() for _ in range(self.chance.choice([0, 1, 2]))]
            elif each.default is not each.empty and self.chance.random() < 0.6:
                if each.kind is not each.KEYWORD_ONLY:
                    break
            elif each.kind is each.KEYWORD_ONLY:
                named[each.name] = self.argument(each.name)
            else:
                given.append(self.argument(each.name))
        result = target(*given, **named)
        if hasattr(type(result), "__enter__") and self.chance.random() < 0.2:
            with result:
                self.one()
        return result

    def settings(self, target: Any) -> dict[str, Any]:
        """Keywords by names of the properties of a class."""
        if not inspect.isclass(target) or self.chance.random() < 0.5:
            return {}
        names = [name for name in public_names(target) if name not in LEFT_OUT]
        return {name: self.argument(name) for name in self.chance.sample(names, 1)}

    def known(self) -> Any:
        if self.shared and self.chance.random() < 0.1:
            return self.chance.choice(self.shared)
        return super().known()

    def keep(self, result: Any) -> None:
        for each in itertools.islice(flat(result), 0 if self.is_over else MOST_OBJECTS):
            small = isinstance(each, np.ndarray) and each.nbytes < 1 << 20
            if isinstance(each, np.recarray):
                continue  # NumPy crashes if the look-up of its __array_wrap__ raises
            if small and each.dtype == object:
                self.changed.add(each)
            rare = isinstance(each, enum.Enum) and self.chance.random() < 0.95
            if small or (is_ours(each) and not inspect.isclass(each) and not rare):
                self.pool.append(each)
                if is_ours(each) and self.chance.random() < 0.05:
                    self.shared[:] = [*self.shared[-20:], each]
        while len(self.pool) > MOST_OBJECTS:
            self.pool.pop(self.chance.randrange(len(self.pool)))
