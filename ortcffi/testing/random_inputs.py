# SPDX-License-Identifier: MIT
"""Random inputs of models and ops, for the commands that run one."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ortcffi.session.session import Session
from ortcffi.values.element_types import ValueKind

Shapes = dict[str, tuple[int, ...]]


def shapes_of(given: Iterable[str]) -> Shapes:
    """Read ``NAME=1,3,48,192``; `ValueError` for what is none."""
    shapes: Shapes = {}
    for each in given:
        name, equals, numbers = each.rpartition("=")
        try:
            shape = tuple(int(n) for n in numbers.split(",") if n.strip())
        except ValueError:
            equals = ""
        if not equals or any(n < 0 for n in shape):
            raise ValueError(f"--shape takes NAME=1,3,48,192, not {each!r}")
        shapes[name] = shape
    return shapes


def random_feed(
    session: Session, feed: dict[str, Any], shapes: Shapes, size: int
) -> dict[str, Any]:
    """Return inputs by name: those given, and random ones for the others.

    Those have `shapes`, or the model's, whose open dimensions get `size`.
    """
    names = [spec.name for spec in session.inputs]
    for name in shapes:
        if name not in names:
            raise ValueError(f"--shape: the model has no input {name!r}, but {', '.join(names)}")
    rng, made = np.random.default_rng(0), dict(feed)
    for spec in session.inputs:
        if spec.name not in feed:
            if spec.kind is not ValueKind.TENSOR or spec.dtype is None:
                kind = spec.describe()
                raise ValueError(f"input {spec.name!r} is {kind}: give it by session.run")
            shape = shapes.get(spec.name, lengths(spec.shape, size))
            made[spec.name] = random_array(spec.name, spec.dtype, shape, rng)
    return made


def lengths(shape: "Sequence[int | str | None] | None", size: int) -> tuple[int, ...]:
    """Return a shape, whose open dimensions get the size."""
    return tuple(n if isinstance(n, int) and n >= 0 else size for n in shape or ())


def random_array(name: str, dtype: Any, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return an array of random elements for an input; `ValueError` if it is too large."""
    try:
        return random_elements(dtype, shape, rng)
    except (MemoryError, ValueError):
        raise ValueError(
            f"there is no memory for input {name!r} with the shape {list(shape)}: --size sets "
            "its open dimensions, --shape all of them"
        ) from None


def random_elements(dtype: Any, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return an array of random elements: 0 and 1, numbers around 0, or the digits of a number."""
    if dtype.hasobject:
        return np.asarray(rng.integers(0, 100, shape)).astype(str).astype(object)
    if dtype.kind in "iub":
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def described(given: list[Any]) -> str:
    """Return the types and shapes of inputs."""
    names = ["none" if x is None else str(x.dtype).replace("object", "string") for x in given]
    shapes = ["" if x is None else list(x.shape) for x in given]
    return ", ".join(map("{}{}".format, names, shapes)) or "none"
