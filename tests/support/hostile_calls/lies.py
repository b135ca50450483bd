# SPDX-License-Identifier: MIT
"""Arguments that lie: about their length, their content and their type, or that act when used."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

# Calls something at random; None would do nothing.
Act = Callable[[], object]


ANSWERS: dict[str, Any] = {  # of the methods of `Raises`
    "call": None,
    "iter": ["a", "b"],
    "len": [0, 1, 3, 1 << 40],  # one of them: it lies
    "index": 3,
    "array": np.zeros(3),
    "fspath": "/nonexistent/path",
    "int": 2**70,
    "float": float("nan"),
    "bool": True,
    "str": "\ud800",
    "eq": True,
    "hash": 1,
    "contains": True,
    "dlpack": np.zeros(3),
    "dlpack_device": [(1, 0), (2, 0), (99, -1), "cpu", ()],  # one of them
    "buffer": b"abcd",
    "exit": True,
}


class Raises:
    """Of all types at once: callable, iterable, mapping, number. It raises now and then.

    Before that it acts: it may close, change or free what its caller is about to use.
    """

    def __init__(self, chance: random.Random, act: Act) -> None:
        self.chance = chance
        self.act = act

    def _maybe(self, answer: Any) -> Any:
        self.act()
        if self.chance.random() < 0.5:
            raise self.chance.choice([ValueError, KeyError, ZeroDivisionError, MemoryError])(
                "hostile"
            )
        return answer

    def __getitem__(self, key: Any) -> Any:
        return self._maybe(key)

    def keys(self) -> Any:
        return self._maybe(["k"])

    def items(self) -> Any:
        return self._maybe([("k", "v"), ("k",)])

    def __enter__(self) -> Any:
        return self._maybe(self)


def _answering(name: str, answer: Any) -> Callable[..., Any]:
    wraps: dict[str, Callable[[Any], Any]] = {
        "iter": iter,
        "dlpack": lambda array: array.__dlpack__(),
        "buffer": memoryview,
    }

    def method(self: Raises, *_arguments: Any, **_named: Any) -> Any:
        chosen = self.chance.choice(answer) if name in ("len", "dlpack_device") else answer
        return wraps.get(name, lambda same: same)(self._maybe(chosen))

    return method


for _name, _answer in ANSWERS.items():
    setattr(Raises, f"__{_name}__", _answering(_name, _answer))


class WrongClass:
    """Says that it is of another class."""

    def __init__(self, claimed: type) -> None:
        self.claimed = claimed

    @property
    def __class__(self) -> Any:
        return self.claimed


class Text(str):
    """A str whose methods answer something else."""

    __slots__ = ()

    def encode(self, *_arguments: Any) -> Any:  # type: ignore[override]
        return b"other\0bytes"

    def __str__(self) -> Any:
        return "other"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Number(int):
    """An int whose methods answer something else."""

    def __index__(self) -> int:
        return -1

    def __int__(self) -> int:
        return 1 << 80

    def __lt__(self, other: object) -> bool:
        return True

    def __gt__(self, other: object) -> bool:
        return False


class ShortList(list[Any]):
    """A list that says it is shorter than it is, and iterates over more."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        return iter([*list.__iter__(self), *list.__iter__(self), 5])


class Emptied:
    """Empties a list when one of its elements is used as a number or a str, or is compared."""

    def __init__(self, given: list[Any] | dict[Any, Any]) -> None:
        self.given = given

    def __index__(self) -> int:
        self.given.clear()
        return 2

    def __str__(self) -> str:
        self.given.clear()
        return "text"

    def __eq__(self, other: object) -> bool:
        self.given.clear()
        return False

    def __hash__(self) -> int:
        return 3

    def __array__(self, *_arguments: Any, **_named: Any) -> Any:
        self.given.clear()
        return np.ones(2)


def emptied_dict() -> dict[Any, Any]:
    """A dict that is empty once one of its values was looked at."""
    made: dict[Any, Any] = {"a": "b"}
    made |= {"c": Emptied(made), "d": "e", Emptied(made): "f"}
    return made


class Cycle:
    """Keeps objects in a cycle, so that only the collector frees them, in an order of its own."""

    def __init__(self, act: Act, *kept: Any) -> None:
        self.kept = kept
        self.act = act
        self.me = self

    def __del__(self) -> None:
        for each in self.kept:
            with suppress(Exception):
                each.info, each.stats  # noqa: B018  # a use while the cycle is taken apart
        with suppress(Exception):
            self.act()
